// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/record_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "golden/difference.h"
#include "golden/step_memory.h"
#include "wave/access_pieces.h"
#include "wave/memory/sampling.h"

namespace cuvette::golden {
namespace {

using wave::MemoryAccess;
using wave::MemoryKind;
using wave::MemoryOp;
using wave::MemoryReply;
using wave::MemorySpace;
using wave::RetireRecord;

bool in_memory(const MemoryAccess& a) {
  return a.space == MemorySpace::Global || a.space == MemorySpace::Scalar;
}

/// Differences that difference() permits a device and a log must not have: an operation where there
/// is none, a serial where nothing is serialized. Empty: none.
std::string beyond_difference(const RetireRecord& golden, const RetireRecord& logged) {
  for (size_t n = 0; n < std::min(golden.accesses.size(), logged.accesses.size()); ++n) {
    const MemoryAccess &e = golden.accesses[n], &a = logged.accesses[n];
    if (a.atomic != e.atomic) {
      return fmt::format("access {}: atomic operation: expected {}, found {}", n,
                         static_cast<unsigned>(e.atomic), static_cast<unsigned>(a.atomic));
    }
    const bool serialized = in_memory(e) && e.kind != MemoryKind::Load;
    if (!serialized && a.serial != 0) {
      return fmt::format("access {}: serial: expected 0, found {:#x}", n, a.serial);
    }
  }
  return {};
}

/// Loads and old values of atomics as one logged record has them; stores go nowhere, for their data
/// is compared.
class LoggedMemory final : public StepMemory {
 public:
  LoggedMemory(const RetireRecord& logged, wave::GlobalSync& sync) : logged_(logged), sync_(sync) {}

  void perform(const MemoryOp& op, const wave::Mode&, MemoryReply& reply) override {
    reply = MemoryReply{};
    if (op.space == MemorySpace::Scalar) {
      scalar(op, reply);
      return;
    }
    if (op.sampling != nullptr) {
      sample(*op.sampling, reply);
      return;
    }
    if (op.transfer == wave::LdsTransfer::FromLds) load_from_lds(op, reply);
    size_t n = 0;
    for (uint64_t lanes = op.exec; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      for (unsigned access = 0; access < op.accesses; ++access) {
        wave::for_access_pieces(op, access, lane,
                                [&](uint64_t address, unsigned first, unsigned count) {
                                  piece(op, access, lane, address, first, count, n++, reply);
                                });
      }
    }
  }
  hsa::AccessResult first_fault() const override { return first_fault_; }
  void describe(std::vector<MemoryAccess>& accesses) override {
    for (size_t n = 0; n < std::min(accesses.size(), logged_.accesses.size()); ++n) {
      if (!in_memory(accesses[n])) continue;
      accesses[n].memory_type = logged_.accesses[n].memory_type;
      accesses[n].serial = logged_.accesses[n].serial;
      accesses[n].fault = logged_.accesses[n].fault;
    }
  }
  wave::GlobalSync& sync() override { return sync_; }
  bool waits() const override { return false; }
  uint64_t loads() const { return loads_; }

 private:
  /// The logged access number `n` when it is where golden's is.
  const MemoryAccess* logged(size_t n, uint64_t address, unsigned count) const {
    if (n >= logged_.accesses.size()) return nullptr;
    const MemoryAccess& a = logged_.accesses[n];
    return a.address == address && a.size == count ? &a : nullptr;
  }
  void fault(unsigned lane, uint64_t address, MemoryReply& reply) {
    if (reply.faulted == 0) first_fault_ = {hsa::Fault::Unmapped, address};
    reply.faulted |= uint64_t{1} << lane;
  }

  void piece(const MemoryOp& op, unsigned access, unsigned lane, uint64_t address, unsigned first,
             unsigned count, size_t n, MemoryReply& reply) {
    const MemoryAccess* a = logged(n, address, count);
    if (a == nullptr) return;
    if (a->fault) fault(lane, address, reply);
    if (op.kind != MemoryKind::Load && op.kind != MemoryKind::AtomicReturn) return;
    ++loads_;
    const uint8_t* data = op.kind == MemoryKind::Load ? a->bytes : a->old_bytes;
    const unsigned plane = access * ((op.bytes + 3u) / 4);
    for (unsigned b = 0; b < count; ++b) {
      const unsigned byte = first + b;
      reply.data[plane + byte / 4][lane] |= uint32_t{data[b]} << 8 * (byte % 4);
    }
  }

  void sample(wave::Sampling& sampling, MemoryReply& reply) {
    for (size_t n = 0; n < sampling.fetches.size(); ++n) {
      wave::Sampling::Fetch& fetch = sampling.fetches[n];
      const MemoryAccess* a = logged(n, fetch.address, sampling.bytes);
      if (a == nullptr) return;
      if (a->fault) fault(fetch.lane, a->address, reply);
      ++loads_;
      std::memcpy(fetch.raw, a->bytes, sampling.bytes);
    }
  }

  /// Reads the LDS bytes of a store from LDS; these accesses stand behind those of memory.
  void load_from_lds(const MemoryOp& op, MemoryReply& reply) {
    for (const MemoryAccess& a : logged_.accesses) {
      if (a.space != MemorySpace::Lds || a.lane >= wave::kLanes) continue;
      if (!base::bit(op.exec, a.lane) || a.address != op.address[1][a.lane]) continue;
      ++loads_;
      std::memcpy(&reply.data[0][a.lane], a.bytes, 4);
    }
  }

  void scalar(const MemoryOp& op, MemoryReply& reply) {
    const unsigned bytes = 4u * static_cast<unsigned>(std::popcount(op.exec));
    size_t n = 0;
    for (unsigned first = 0; first < bytes; first += 16, ++n) {
      const unsigned count = std::min(16u, bytes - first);
      const MemoryAccess* a = logged(n, op.address[0][0] + first, count);
      if (a == nullptr) return;
      if (a->fault) fault(0, a->address, reply);
      if (op.kind != MemoryKind::Load && op.kind != MemoryKind::AtomicReturn) continue;
      ++loads_;
      const uint8_t* data = op.kind == MemoryKind::Load ? a->bytes : a->old_bytes;
      std::memcpy(reply.scalar_data + first / 4, data, count);
    }
  }

  const RetireRecord& logged_;
  wave::GlobalSync& sync_;
  hsa::AccessResult first_fault_;
  uint64_t loads_ = 0;
};

std::optional<uint32_t> written(const RetireRecord& r, unsigned code) {
  for (const auto& s : r.scalar_writes) {
    if (s.code == code) return s.value;
  }
  return {};
}

}  // namespace

RecordShadow::RecordShadow(std::unique_ptr<Wave> wave, uint32_t compare)
    : wave_(std::move(wave)), compare_(compare) {
  wave_->group = &group_;
  wave_->trap_on_violation = true;
  wave_->state.clock = [](void* context) { return *static_cast<const uint64_t*>(context); };
  wave_->state.clock_context = &clock_;
}

std::string RecordShadow::retire(const RetireRecord& device, Program& program,
                                 wave::GlobalSync& sync, Counts& counts) {
  Wave& w = *wave_;
  if (device.order != w.order) {
    return fmt::format("wave {}: instruction {} retires, expected {}", device.wave, device.order,
                       w.order);
  }
  w.status = w.status == WaveStatus::AtBarrier ? WaveStatus::Running : w.status;
  group_.waves = 1;  // barriers are not waited for: the device says when a wave goes on
  LoggedMemory memory(device, sync);
  RetireRecord golden;
  const Program::Entry* entry = program.at(w.state.s.pc);
  if (entry != nullptr && entry->decoded->instruction.row != nullptr) {
    const isa::Instruction& next = entry->decoded->instruction;
    counts.machine_values += read_clock(next, device) ? 1 : 0;
    halves_.before(w.state, next);
  }
  if (!w.step(program, memory, golden)) {
    return w.failure.empty() ? fmt::format("wave {} has ended and goes on", device.wave)
                             : "golden: " + w.failure;
  }
  counts.machine_values += take_machine_register(golden, device) ? 1 : 0;
  golden.wave = device.wave;
  std::string wrong = difference(golden, device, w.state.s, compare_);
  const std::string place = w.place(golden.pc, &golden.instruction);
  if (halves_.concerned()) {
    const RetireRecord told = halves_.check(golden, &device, place + ": " + wrong);
    wrong = difference(golden, told, w.state.s, compare_);
  }
  if (wrong.empty()) wrong = beyond_difference(golden, device);
  ++counts.records;
  counts.loads += memory.loads();
  counts.accesses += golden.accesses.size();
  for (const auto& v : golden.vector_writes) {
    counts.lanes += static_cast<unsigned>(std::popcount(v.lanes));
  }
  if (!halves_.wrong().empty()) return halves_.wrong();
  return wrong.empty() ? wrong : place + ": " + wrong;
}

std::string RecordShadow::end() {
  halves_.end();
  return halves_.wrong();
}

/// The clock is the machine's: what the device says was read is read again.
bool RecordShadow::read_clock(const isa::Instruction& next, const RetireRecord& device) {
  const auto id = next.semantic();
  if (id != isa::SemanticId::s_memtime && id != isa::SemanticId::s_memrealtime) return false;
  const auto& sgpr = wave_->state.s.sgpr;
  const unsigned dst = next.dst[0].index;
  if (dst + 1 >= sgpr.size()) return false;
  clock_ = base::join32(written(device, dst).value_or(sgpr[dst]),
                        written(device, dst + 1).value_or(sgpr[dst + 1]));
  return true;
}

/// Takes over registers that the placement of a wave decides, which is the machine's choice: HW_ID,
/// GPR_ALLOC, LDS_ALLOC, IB_STS, XCC_ID (Vega ISA table 8, MI300 ISA table 9).
bool RecordShadow::take_machine_register(RetireRecord& golden, const RetireRecord& device) {
  const isa::Instruction& i = golden.instruction;
  if (i.semantic() != isa::SemanticId::s_getreg_b32) return false;
  const unsigned id = i.words[0] & 0x3f;
  constexpr unsigned kMachineRegisters[] = {4, 5, 6, 7, 20};
  if (std::find(std::begin(kMachineRegisters), std::end(kMachineRegisters), id) ==
      std::end(kMachineRegisters)) {
    return false;
  }
  const unsigned dst = i.dst[0].index;
  const auto value = written(device, dst);
  if (!value || dst >= wave_->state.s.sgpr.size()) return false;
  wave_->state.s.sgpr[dst] = *value;
  golden.scalar_writes = device.scalar_writes;
  return true;
}

}  // namespace cuvette::golden
