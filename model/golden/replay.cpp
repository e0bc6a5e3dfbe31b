// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/replay.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/bits.h"
#include "golden/difference.h"
#include "golden/kept_halves.h"
#include "golden/launch.h"
#include "golden/retire_log.h"
#include "golden/wave.h"
#include "hsa/code_object.h"
#include "isa/text.h"
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

/// What difference() leaves to a device and a log must have all the same: no operation where there
/// is none, no serial where nothing is serialized.
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

  /// What a store from LDS found there; these accesses stand behind those of memory.
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

/// Work-groups at the far ends of the grid may be partial, so that there are two sizes in each
/// dimension.
uint64_t waves_of_grid(const LaunchPlan& plan) {
  uint64_t waves = 0;
  for (unsigned which = 0; which < 8; ++which) {
    uint64_t groups = 1, items = 1;
    for (unsigned d = 0; d < 3; ++d) {
      const uint32_t grid = plan.request.grid[d], size = plan.request.workgroup[d];
      const bool partial = base::bit(which, d);
      groups *= partial ? (grid % size != 0 ? 1 : 0) : grid / size;
      items *= partial ? grid % size : size;
    }
    waves += groups * ((items + wave::kLanes - 1) / wave::kLanes);
  }
  return waves;
}

/// A code object in a memory of its own, at the address it had.
struct Code {
  hsa::DeviceMemory memory;
  hsa::LoadedCode loaded;
  std::unique_ptr<Program> program;

  explicit Code(const hsa::DeviceAllocator::Config& place) : memory(place) {}
};

class Replay {
 public:
  explicit Replay(const std::string& path) : reader_(path) {}

  base::Result<ReplayReport> run() {
    for (;;) {
      auto entry = reader_.next();
      if (!entry) return entry.error();
      base::Status status;
      switch (entry->kind) {
        case LogEntry::Kind::End:
          leave_dispatch();
          return report_;
        case LogEntry::Kind::Machine:
          status = machine(entry->machine);
          break;
        case LogEntry::Kind::Code:
          status = code(entry->code);
          break;
        case LogEntry::Kind::Preload:
          preload_ = entry->dispatch.preload;
          break;
        case LogEntry::Kind::Dispatch:
          status = dispatch(entry->dispatch);
          break;
        case LogEntry::Kind::Record:
          status = record(entry->record);
          break;
      }
      if (!status.ok()) return status.error();
      if (!report_.difference.empty()) return read_to_end();
    }
  }

 private:
  /// A log that is damaged differs, too: only its end tells.
  base::Result<ReplayReport> read_to_end() {
    for (;;) {
      auto entry = reader_.next();
      if (!entry) return entry.error();
      if (entry->kind == LogEntry::Kind::End) return report_;
    }
  }

  base::Status machine(const LogMachine& m) {
    auto parsed = hsa::parse_target(m.target);
    if (!parsed) return reader_.error(parsed.error().what);
    const auto target = isa::target_from_name(hsa::facts(parsed->processor).name);
    if (!target) return reader_.error("unknown target '" + m.target + "'");
    target_ = *parsed;
    config_.target = *target;
    config_.sramecc = m.sramecc;
    config_.poison = m.poison;
    config_.shared_aperture = m.shared_aperture;
    config_.private_aperture = m.private_aperture;
    // Engine ca retires out of order: what is sticky or set by a younger instruction is not exact.
    compare_ =
        m.engine == "golden" ? kCompareAll | kCompareStatusRegister : kCompareAll & ~kCompareStatus;
    return {};
  }

  base::Status code(const LogCode& c) {
    if (!target_) return reader_.error("code before the machine");
    hsa::DeviceAllocator::Config place;
    place.first = c.address;
    if (c.address == 0 || c.address % 4096 != 0 || c.address >= place.end) {
      return reader_.error("a code object at an impossible address");
    }
    auto made = std::make_unique<Code>(place);
    auto loaded = hsa::load_code_object(c.bytes, "code object", made->memory, *target_);
    if (!loaded) return reader_.error("code object: " + loaded.error().what);
    if (loaded->base != c.address) return reader_.error("the code object does not lie there");
    made->loaded = std::move(*loaded);
    made->program = std::make_unique<Program>(made->memory, config_.target);
    codes_.push_back(std::move(made));
    return {};
  }

  base::Status dispatch(const LogDispatch& d) {
    leave_dispatch();
    code_ = nullptr;
    for (const auto& c : codes_) {
      for (const hsa::KernelInfo& kernel : c->loaded.kernels) {
        if (kernel.descriptor != d.descriptor || kernel.name != d.kernel) continue;
        code_ = c.get();
        request_.kernel = &kernel;
      }
    }
    if (code_ == nullptr) {
      return reader_.error(fmt::format("no code object of the log has kernel '{}' at {:#x}",
                                       d.kernel, d.descriptor));
    }
    request_.grid = d.grid;
    request_.workgroup = d.workgroup;
    request_.kernarg = d.kernarg;
    request_.group_bytes = d.group_bytes;
    request_.private_bytes = d.private_bytes;
    request_.packet_address = d.packet_address;
    request_.queue_address = d.queue_address;
    request_.dispatch_id = d.dispatch_id;
    const std::vector<uint32_t> preload = std::exchange(preload_, {});
    if (preload.size() != request_.kernel->kernarg_preload_dwords) {
      return reader_.error(fmt::format("{} preloaded dwords of kernel arguments, expected {}",
                                       preload.size(), request_.kernel->kernarg_preload_dwords));
    }
    request_.preload = {};
    std::copy(preload.begin(), preload.end(), request_.preload.begin());
    auto plan = plan_launch(request_, config_);
    if (!plan) return reader_.error(plan.error().what);
    plan_ = std::move(*plan);
    place_scratch(plan_, d.scratch_base, d.scratch_descriptor);
    ++report_.dispatches;
    return {};
  }

  void leave_dispatch() {
    if (code_ == nullptr) return;
    report_.unstarted_waves += waves_of_grid(plan_) - waves_.size();
    for (const auto& [id, w] : waves_) {
      if (w->status != WaveStatus::Ended) ++report_.unfinished_waves;
      KeptHalves& halves = halves_[id];
      halves.end();
      if (report_.difference.empty() && !halves.wrong().empty()) differ(*w, halves.wrong());
    }
    waves_.clear();
    halves_.clear();
  }

  /// The wave of a record, launched when it is the first. Null: no such wave in the grid.
  Wave* wave_of(const RetireRecord& r) {
    auto& w = waves_[r.wave];
    if (w == nullptr) {
      const uint64_t group = r.wave / 16;
      if (group < plan_.workgroups()) {
        w = launch_wave(plan_, config_, group, static_cast<unsigned>(r.wave % 16));
      }
      if (w == nullptr) return nullptr;
      w->group = &group_;
      w->trap_on_violation = true;
      w->state.clock = [](void* context) { return *static_cast<const uint64_t*>(context); };
      w->state.clock_context = &clock_;
      ++report_.waves;
    }
    return w.get();
  }

  base::Status record(const RetireRecord& logged) {
    if (code_ == nullptr) return reader_.error("a record before any dispatch");
    Wave* w = wave_of(logged);
    if (w == nullptr) return reader_.error(fmt::format("wave {} is not in the grid", logged.wave));
    if (logged.order != w->order) {
      differ(*w, fmt::format("wave {}: instruction {} retires, expected {}", logged.wave,
                             logged.order, w->order));
      return {};
    }
    w->status = w->status == WaveStatus::AtBarrier ? WaveStatus::Running : w->status;
    group_.waves = 1;  // barriers are not waited for: the log says when a wave went on
    read_clock(*w, logged);
    LoggedMemory memory(logged, sync_);
    RetireRecord golden;
    KeptHalves& halves = halves_[logged.wave];
    const Program::Entry* entry = code_->program->at(w->state.s.pc);
    if (entry != nullptr && entry->decoded->instruction.row != nullptr) {
      halves.before(w->state, entry->decoded->instruction);
    }
    if (!w->step(*code_->program, memory, golden)) {
      differ(*w, w->failure.empty() ? fmt::format("wave {} has ended and goes on", logged.wave)
                                    : "golden: " + w->failure);
      return {};
    }
    take_machine_register(*w, golden, logged);
    golden.wave = logged.wave;
    std::string wrong = difference(golden, logged, w->state.s, compare_);
    const std::string place = w->place(golden.pc, &golden.instruction);
    if (halves.concerned()) {
      const RetireRecord told = halves.judge(golden, &logged, place + ": " + wrong);
      wrong = difference(golden, told, w->state.s, compare_);
    }
    if (wrong.empty()) wrong = beyond_difference(golden, logged);
    if (!halves.wrong().empty()) {
      differ(*w, halves.wrong());
    } else if (!wrong.empty()) {
      differ(*w, place + ": " + wrong);
    }
    ++report_.records;
    report_.loads += memory.loads();
    report_.accesses += golden.accesses.size();
    for (const auto& v : golden.vector_writes) {
      report_.lanes += static_cast<unsigned>(std::popcount(v.lanes));
    }
    return {};
  }

  void differ(const Wave& w, const std::string& text) {
    report_.difference = reader_
                             .error(fmt::format("instruction {} of its wave: {}",
                                                w.order == 0 ? 0 : w.order - 1, text))
                             .str();
  }

  static std::optional<uint32_t> written(const RetireRecord& r, unsigned code) {
    for (const auto& s : r.scalar_writes) {
      if (s.code == code) return s.value;
    }
    return {};
  }

  /// The clock is the machine's: what the log says was read is read again.
  void read_clock(const Wave& w, const RetireRecord& logged) {
    Program::Entry* entry = code_->program->at(w.state.s.pc);
    if (entry == nullptr || entry->decoded->instruction.row == nullptr) return;
    const isa::Instruction& i = entry->decoded->instruction;
    const auto id = i.semantic();
    if (id != isa::SemanticId::s_memtime && id != isa::SemanticId::s_memrealtime) return;
    const unsigned dst = i.dst[0].index;
    if (dst + 1 >= w.state.s.sgpr.size()) return;
    clock_ = base::join32(written(logged, dst).value_or(w.state.s.sgpr[dst]),
                          written(logged, dst + 1).value_or(w.state.s.sgpr[dst + 1]));
    ++report_.machine_values;
  }

  /// Where a wave was placed is the machine's choice, too: HW_ID, GPR_ALLOC, LDS_ALLOC, IB_STS,
  /// XCC_ID (Vega ISA table 8, MI300 ISA table 9).
  void take_machine_register(Wave& w, RetireRecord& golden, const RetireRecord& logged) {
    const isa::Instruction& i = golden.instruction;
    if (i.semantic() != isa::SemanticId::s_getreg_b32) return;
    const unsigned id = i.words[0] & 0x3f;
    constexpr unsigned kMachineRegisters[] = {4, 5, 6, 7, 20};
    if (std::find(std::begin(kMachineRegisters), std::end(kMachineRegisters), id) ==
        std::end(kMachineRegisters)) {
      return;
    }
    const unsigned dst = i.dst[0].index;
    const auto value = written(logged, dst);
    if (!value || dst >= w.state.s.sgpr.size()) return;
    w.state.s.sgpr[dst] = *value;
    golden.scalar_writes = logged.scalar_writes;
    ++report_.machine_values;
  }

  LogReader reader_;
  ReplayReport report_;
  std::optional<hsa::TargetId> target_;
  Config config_;
  wave::GlobalSync sync_;
  uint32_t compare_ = kCompareAll;
  std::vector<std::unique_ptr<Code>> codes_;
  Code* code_ = nullptr;
  DispatchRequest request_;
  std::vector<uint32_t> preload_;  // for the next dispatch
  LaunchPlan plan_;
  Workgroup group_;
  std::map<uint64_t, std::unique_ptr<Wave>> waves_;
  std::map<uint64_t, KeptHalves> halves_;  // by wave
  uint64_t clock_ = 0;
};

}  // namespace

base::Result<ReplayReport> replay_log(const std::string& path) {
  return Replay(path).run();
}

}  // namespace cuvette::golden
