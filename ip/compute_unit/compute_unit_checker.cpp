// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/compute_unit/compute_unit_checker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "compute_unit/wave_control.h"
#include "golden/difference.h"
#include "isa/decode.h"
#include "memory/serve.h"
#include "vrf/vrf_model.h"

namespace cuvette::ip {

using compute_unit::MemoryAccess;
using compute_unit::Retired;
using compute_unit::ScalarWrite;
using compute_unit::VectorWrite;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using spi::WaveLaunch;

namespace {

/// Channels of the contract by number.
enum Channel : unsigned {
  kVectorRequest = 4,
  kVectorResponse,
  kScalarRequest,
  kScalarResponse,
  kInstructionRequest,
  kInstructionResponse
};
/// Contents that a block of code has had and that a device may still have in its buffers.
constexpr size_t kMostContents = 4;
/// A device retires out of program order: MODE and STATUS after are not comparable.
constexpr uint32_t kCompared = golden::kCompareAll & ~golden::kCompareStatus;

std::string wave_text(uint64_t wave) {
  return fmt::format("wave {:#x}", wave);
}
Violation unknown(uint64_t wave) {
  return {"wave", wave_text(wave) + " has not been launched here, or is over"};
}

wave::MemoryAccess access_of(const MemoryAccess& m) {
  wave::MemoryAccess a;
  a.lane = m.lane;
  a.space = m.space;
  a.kind = m.kind;
  a.atomic = m.atomic;
  a.size = m.size;
  a.glc = m.glc, a.slc = m.slc, a.scc = m.scc, a.nv = m.nv;
  a.scope = static_cast<wave::AccessScope>(m.scope);
  a.fault = m.fault;
  a.memory_type = static_cast<uint8_t>(m.memory_type);
  a.address = m.address;
  std::copy(m.bytes.begin(), m.bytes.end(), a.bytes);
  std::copy(m.old_bytes.begin(), m.old_bytes.end(), a.old_bytes);
  a.serial = m.serial;
  return a;
}

}  // namespace

ComputeUnitChecker::ComputeUnitChecker(const compute_unit::Config& config) : config_(config) {
  for (auto& ledgers : ledgers_) ledgers.resize(config.simds * config.slots);
  counters_.by_row.resize(isa::rows().count);
}

ComputeUnitChecker::Resident* ComputeUnitChecker::find(uint64_t wave) {
  const auto found = resident_.find(wave);
  return found == resident_.end() ? nullptr : &found->second;
}

ComputeUnitChecker::Resident* ComputeUnitChecker::in_slot(unsigned slot) {
  for (auto& [id, wave] : resident_) {
    if (slot_of(wave) == slot) return &wave;
  }
  return nullptr;
}

ComputeUnitChecker::Finding ComputeUnitChecker::taken(unsigned, unsigned, const WaveLaunch& launch,
                                                      Cycle now) {
  const unsigned slot = launch.simd * config_.slots + launch.slot;
  if (launch.simd >= config_.simds || launch.slot >= config_.slots || in_slot(slot) != nullptr) {
    return Violation{"launch", "a wave is launched into no free slot"};  // the machine's own error
  }
  if (resident_.empty()) busy_since_ = now;
  Resident& wave = resident_[launch.id];
  wave.launch = compute_unit::Identity(launch);
  wave.pc = launch.pc;
  wave.since = now;
  for (auto& ledgers : ledgers_) ledgers[slot].clear();
  const auto [group, fresh] = groups_.try_emplace(launch.workgroup);
  if (fresh) {
    group->second.lds = LdsHistory(launch.lds_bytes);
    group->second.waves = launch.waves_in_group;
  }
  ++group->second.live;
  ++counters_.waves;
  auto& code = code_[launch.vmid];
  if (code == nullptr) code = std::make_unique<CodeImage>(config_.target);
  if (launch.tba != 0) return std::nullopt;
  auto shadow = std::make_unique<golden::Wave>(config_.target, launch.vgpr_count, launch.acc_count);
  const bool poison = config_.simd.registers.seed != 0;
  compute_unit::set_initial_state(shadow->state, launch, config_.target, config_.sramecc,
                                  compute_unit::place_of(config_.index, config_.units_per_engine),
                                  config_.shared_aperture, config_.private_aperture, poison);
  wave::LaneRow blank{};
  if (poison) blank.fill(vrf::kPoison);
  for (unsigned n = 0; n < launch.vgpr_count; ++n) {
    shadow->state.v.arch[n] = n < launch.vgprs ? launch.vgpr[n] : blank;
  }
  for (unsigned n = 0; n < launch.acc_count; ++n) shadow->state.v.acc[n] = blank;
  shadow->id = launch.id;
  shadow->doorbell = launch.doorbell;
  wave.shadow = std::make_unique<golden::RecordShadow>(std::move(shadow), kCompared);
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::taken(unsigned, unsigned,
                                                      const spi::WaveCommand& command, Cycle) {
  for (auto& [id, wave] : resident_) {
    wave.told = wave.told || compute_unit::is_meant(command, wave.launch);
  }
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::taken(unsigned channel, unsigned,
                                                      const MemResp& answer, Cycle) {
  const Cache cache = channel == kVectorResponse   ? kVector
                      : channel == kScalarResponse ? kScalar
                                                   : kInstruction;
  const auto found = asked_[cache].find(answer.id);
  if (found == asked_[cache].end()) return Violation{"answer", "answers nothing"};
  const MemReq& request = found->second;
  if (cache != kInstruction) {
    ledgers_[cache][request.wave].answered(request, answer);
  } else if (request.op == MemOp::Read && answer.status == memory::MemStatus::Ok) {
    auto& contents = fetched_[request.address];
    Block block = contents.empty() ? Block{} : contents.back();
    for (unsigned n = 0; n < block.size(); ++n) {
      if (base::bit(request.byte_mask, n)) block[n] = answer.data[n];
    }
    if (contents.empty() || contents.back() != block) contents.push_back(block);
    if (contents.size() > kMostContents) contents.erase(contents.begin());
  }
  asked_[cache].erase(found);
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::taken(unsigned, unsigned,
                                                      const memory::TranslateResponse& answer,
                                                      Cycle) {
  const auto found = translating_.find(answer.id);
  if (found == translating_.end()) return Violation{"answer", "answers nothing"};
  translations_.add(found->second, answer);
  translating_.erase(found);
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::taken(unsigned, unsigned,
                                                      const gds::Response& answer, Cycle) {
  in_gds_.erase(answer.id);
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned, spi::WaveDone& done,
                                                      Cycle now) {
  Resident* wave = find(done.id);
  if (wave == nullptr) return unknown(done.id);
  const compute_unit::Identity& l = wave->launch;
  if (done.simd != l.simd || done.slot != l.slot || done.dispatch != l.dispatch ||
      done.workgroup != l.workgroup) {
    return Violation{"wave", wave_text(done.id) +
                                 " ends as another one: SIMD, slot, dispatch or "
                                 "work-group are not those of its launch"};
  }
  const bool plain = !done.error && !done.saved && !wave->told;
  const unsigned slot = slot_of(*wave);
  for (const Cache cache : {kVector, kScalar}) {
    for (const auto& [id, request] : asked_[cache]) {
      if (request.wave != slot) continue;
      return Violation{"end", wave_text(done.id) + " ends, and an access is under way"};
    }
    const std::string left = ledgers_[cache][slot].left();
    if (plain && !left.empty()) return Violation{"store", wave_text(done.id) + ": " + left};
    ledgers_[cache][slot].clear();
  }
  if (done.error && done.error_code == 0) {
    return Violation{"end", wave_text(done.id) + " has failed, without an error code"};
  }
  if (plain && (!wave->parts.empty() || !wave->early.empty())) {
    return Violation{"order", fmt::format("{} ends, and its instruction {} has not retired",
                                          wave_text(done.id), wave->next)};
  }
  if (plain && !wave->over) {
    return Violation{"end", wave_text(done.id) + " ends, and no S_ENDPGM has retired"};
  }
  if (wave->shadow != nullptr && plain) {
    const std::string wrong = wave->shadow->end();
    if (!wrong.empty()) return Violation{"record", wrong};
  }
  if (done.error && failure_.empty()) {
    failure_ = fmt::format("compute unit {} {} pc {:#x}: the device says error {:#x}",
                           config_.index, wave_text(done.id), done.error_pc, done.error_code);
  }
  Group& group = groups_[l.workgroup];
  if (!wave->over) ++group.over;
  counters_.wave_cycles += now - wave->since;
  const uint32_t key = l.workgroup;
  resident_.erase(done.id);
  if (resident_.empty()) counters_.busy_cycles += now - busy_since_;
  if (--group.live != 0) return leave_barrier(group);
  const std::string wrong = group.lds.end();
  groups_.erase(key);
  return wrong.empty() ? Finding() : Violation{"lds", wrong};
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned channel, unsigned, MemReq& request,
                                                      Cycle now) {
  const Cache cache = channel == kVectorRequest   ? kVector
                      : channel == kScalarRequest ? kScalar
                                                  : kInstruction;
  request.time = now;
  request.sequence = sequence_++;
  if (auto wrong = check_request(cache, request)) return wrong;
  if (!asked_[cache].emplace(request.id, request).second) {
    return Violation{"id", fmt::format("request {} is under way already", request.id)};
  }
  if (cache != kInstruction) ledgers_[cache][request.wave].sent(request);
  uint64_t& counter = cache == kVector   ? counters_.vector_requests
                      : cache == kScalar ? counters_.scalar_requests
                                         : counters_.fetches;
  ++counter;
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::check_request(Cache cache, const MemReq& r) {
  const bool maintains = r.op == MemOp::Invalidate || r.op == MemOp::Writeback;
  if (r.cu != config_.index) {
    return Violation{"request", fmt::format("'cu' is {}, expected {}", r.cu, config_.index)};
  }
  if (r.wave >= ledgers_[0].size() || (cache != kInstruction && in_slot(r.wave) == nullptr)) {
    return Violation{"request", fmt::format("'wave' is {}, where no wave is", r.wave)};
  }
  if (maintains) return std::nullopt;
  const bool atomic = r.op == MemOp::Atomic || r.op == MemOp::AtomicReturn;
  if (cache == kInstruction && r.op != MemOp::Read) {
    return Violation{"request", "instructions are read, nothing else"};
  }
  const uint64_t operand = base::low_mask(r.atomic_bytes) << r.address % memory::kBlockBytes;
  if (atomic ? (r.atomic_bytes != 4 && r.atomic_bytes != 8) || r.address % r.atomic_bytes != 0
             : r.address % memory::kBlockBytes != 0) {
    return Violation{"request", fmt::format("address {:#x} is not aligned", r.address)};
  }
  const uint64_t mask = atomic ? operand : r.byte_mask;
  if (mask == 0) return Violation{"request", "no byte is asked for"};
  for (uint64_t left = mask; left != 0; left &= left - 1) {
    const uint64_t pa =
        memory::block_address(r.address) + static_cast<unsigned>(std::countr_zero(left));
    ++checked_;
    const bool reads = r.op == MemOp::Read || atomic, writes = r.op == MemOp::Write || atomic;
    const bool good = cache == kInstruction
                          ? translations_.permits(pa, hsa::Access::Execute)
                          : (!reads || translations_.permits(pa, hsa::Access::Read)) &&
                                (!writes || translations_.permits(pa, hsa::Access::Write));
    if (!good) {
      return Violation{
          "translation",
          fmt::format("physical byte {:#x}, which no translation has given for that", pa)};
    }
    if (cache != kInstruction && !translations_.is_of_type(pa, r.mtype)) {
      return Violation{"translation", fmt::format("'mtype' is {}, which no translation of physical "
                                                  "byte {:#x} has given",
                                                  static_cast<unsigned>(r.mtype), pa)};
    }
  }
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned,
                                                      memory::TranslateRequest& request, Cycle) {
  if (translating_.emplace(request.id, request).second) return std::nullopt;
  return Violation{"id", fmt::format("translation {} is under way already", request.id)};
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned, gds::Request& request,
                                                      Cycle) {
  if (request.withdraw) return std::nullopt;
  if (find(request.wave) == nullptr) return unknown(request.wave);
  in_gds_.insert(request.id);
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned,
                                                      compute_unit::Message& message, Cycle) {
  return find(message.wave) == nullptr ? Finding(unknown(message.wave)) : Finding();
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned, VectorWrite& write,
                                                      Cycle) {
  Resident* wave = find(write.wave);
  if (wave == nullptr) return unknown(write.wave);
  wave::VectorWrite v{write.kind, write.index, write.lanes, {}};
  for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
    if (base::bit(write.lanes, lane)) v.data[lane] = write.data[lane];
  }
  wave->parts[write.order].vector_writes.push_back(v);
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned, ScalarWrite& write,
                                                      Cycle) {
  Resident* wave = find(write.wave);
  if (wave == nullptr) return unknown(write.wave);
  wave->parts[write.order].scalar_writes.push_back({write.code, write.value});
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned, MemoryAccess& access,
                                                      Cycle) {
  Resident* wave = find(access.wave);
  if (wave == nullptr) return unknown(access.wave);
  if (access.size == 0 || access.size > access.bytes.size()) {
    return Violation{"record", fmt::format("an access of {} bytes, expected 1 to {}", access.size,
                                           access.bytes.size())};
  }
  wave->parts[access.order].accesses.push_back(access_of(access));
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::given(unsigned, unsigned, Retired& retired, Cycle) {
  Resident* wave = find(retired.wave);
  if (wave == nullptr) return unknown(retired.wave);
  const auto parts = wave->parts.find(retired.order);
  wave::RetireRecord r;
  if (parts != wave->parts.end()) {
    r = std::move(parts->second);
    wave->parts.erase(parts);
  }
  const std::string place =
      fmt::format("{} instruction {} pc {:#x}", wave_text(retired.wave), retired.order, retired.pc);
  if (r.vector_writes.size() != retired.vector_writes ||
      r.scalar_writes.size() != retired.scalar_writes || r.accesses.size() != retired.accesses) {
    return Violation{
        "record",
        fmt::format("{}: {} vector writes, {} scalar writes, {} accesses came, and the "
                    "record says {}, {}, {}",
                    place, r.vector_writes.size(), r.scalar_writes.size(), r.accesses.size(),
                    retired.vector_writes, retired.scalar_writes, retired.accesses)};
  }
  const isa::Decoded decoded =
      isa::decode(config_.target, retired.instruction.data(), retired.instruction.size());
  if (decoded.status != isa::DecodeStatus::Legal && decoded.status != isa::DecodeStatus::Reserved) {
    return Violation{"record", place + ": retires what is no instruction"};
  }
  r.wave = retired.wave;
  r.order = retired.order;
  r.pc = retired.pc;
  r.instruction = decoded.instruction;
  r.exec = retired.exec;
  r.mode = retired.mode;
  r.status = retired.status;
  r.trapsts = retired.trapsts;
  r.flags = retired.flags;
  r.trap = retired.trap;
  return check_record(*wave, r);
}

ComputeUnitChecker::Finding ComputeUnitChecker::check_record(Resident& wave,
                                                             const wave::RetireRecord& record) {
  const std::string place = fmt::format("{} instruction {}", wave_text(record.wave), record.order);
  if (record.order < wave.next || wave.early.count(record.order) != 0) {
    return Violation{"order", place + " retires twice"};
  }
  if (wave.barrier && record.order > *wave.barrier) {
    return Violation{"barrier", place +
                                    " retires behind a barrier at which waves of its "
                                    "work-group have not arrived"};
  }
  if (auto wrong = check_code(wave, record)) return wrong;
  if (auto wrong = check_traffic(wave, record)) return wrong;
  if (auto wrong = check_lds(wave, record)) return wrong;
  count(record);
  if (observer_) observer_(record);
  wave.pc = record.pc;
  if (auto wrong = arrive(wave, record)) return wrong;
  wave.early.emplace(record.order, record);
  while (!wave.early.empty() && wave.early.begin()->first == wave.next) {
    const wave::RetireRecord next = std::move(wave.early.begin()->second);
    wave.early.erase(wave.early.begin());
    ++wave.next;
    if (auto wrong = follow(wave, next)) return wrong;
  }
  return std::nullopt;
}

/// The words have been fetched.
ComputeUnitChecker::Finding ComputeUnitChecker::check_code(const Resident& wave,
                                                           const wave::RetireRecord& r) const {
  for (unsigned n = 0; n < r.instruction.length; ++n) {
    const auto pa = translations_.physical(wave.launch.vmid, r.pc + 4u * n);
    const auto contents = pa ? fetched_.find(memory::block_address(*pa)) : fetched_.end();
    const bool found =
        contents != fetched_.end() &&
        std::any_of(contents->second.begin(), contents->second.end(), [&](const Block& block) {
          uint32_t word = 0;
          std::memcpy(&word, block.data() + *pa % memory::kBlockBytes, 4);
          return word == r.instruction.words[n];
        });
    if (!found) {
      return Violation{"code",
                       fmt::format("{} instruction {} pc {:#x}: word {} is {:#010x}, which was not "
                                   "fetched there",
                                   wave_text(r.wave), r.order, r.pc, n, r.instruction.words[n])};
    }
  }
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::check_traffic(const Resident& wave,
                                                              const wave::RetireRecord& r) {
  const auto translate = [&](uint64_t va) { return translations_.physical(wave.launch.vmid, va); };
  for (const Cache cache : {kVector, kScalar}) {
    const auto space = cache == kVector ? wave::MemorySpace::Global : wave::MemorySpace::Scalar;
    std::vector<const wave::MemoryAccess*> accesses;
    for (const wave::MemoryAccess& a : r.accesses) {
      if (a.space == space) accesses.push_back(&a);
    }
    if (accesses.empty()) continue;
    const std::string wrong = ledgers_[cache][slot_of(wave)].account(accesses, translate);
    if (wrong.empty()) continue;
    const bool loads = accesses.front()->kind == wave::MemoryKind::Load;
    return Violation{loads ? "load" : "store",
                     fmt::format("{} instruction {}: {}", wave_text(r.wave), r.order, wrong)};
  }
  return std::nullopt;
}

ComputeUnitChecker::Finding ComputeUnitChecker::check_lds(const Resident& wave,
                                                          const wave::RetireRecord& r) {
  for (const wave::MemoryAccess& a : r.accesses) {
    if (a.space != wave::MemorySpace::Lds || a.fault) continue;
    const std::string wrong = groups_[wave.launch.workgroup].lds.access(r.wave, r.order, a);
    if (!wrong.empty()) {
      return Violation{"lds",
                       fmt::format("{} instruction {}: {}", wave_text(r.wave), r.order, wrong)};
    }
  }
  return std::nullopt;
}

/// A record whose turn in program order has come.
ComputeUnitChecker::Finding ComputeUnitChecker::follow(Resident& wave,
                                                       const wave::RetireRecord& r) {
  if (wave.shadow != nullptr) {
    CodeImage& code = *code_[wave.launch.vmid];
    if (!code.put(r.pc, r.instruction.words, r.instruction.length)) {
      return Violation{"record", fmt::format("no code can be at {:#x}", r.pc)};
    }
    const golden::RecordShadow::Counts before = compared_;
    const std::string wrong = wave.shadow->retire(r, code.program(), sync_, compared_);
    checked_ += compared_.lanes - before.lanes + compared_.accesses - before.accesses +
                r.scalar_writes.size() + 2;  // PC and words
    if (!wrong.empty()) return Violation{"record", wrong};
  }
  return std::nullopt;
}

/// Barriers and ends count as soon as they retire, whatever older loads are still under way.
ComputeUnitChecker::Finding ComputeUnitChecker::arrive(Resident& wave,
                                                       const wave::RetireRecord& r) {
  using isa::SemanticId;
  Group& group = groups_[wave.launch.workgroup];
  const SemanticId id = r.instruction.semantic();
  if (id == SemanticId::s_endpgm || id == SemanticId::s_endpgm_saved) {
    wave.over = true;
    ++group.over;
    return leave_barrier(group);
  }
  if (id != SemanticId::s_barrier) return std::nullopt;
  wave.barrier = r.order;
  group.arrived.insert(r.wave);
  group.lds.arrive(r.wave, r.order);
  return leave_barrier(group);
}

/// When all waves that are not over have arrived.
ComputeUnitChecker::Finding ComputeUnitChecker::leave_barrier(Group& group) {
  if (group.arrived.empty() || group.arrived.size() + group.over < group.waves) {
    return std::nullopt;
  }
  for (const uint64_t id : group.arrived) {
    if (Resident* wave = find(id)) wave->barrier.reset();
  }
  group.arrived.clear();
  const std::string wrong = group.lds.release();
  return wrong.empty() ? Finding() : Violation{"lds", wrong};
}

std::string ComputeUnitChecker::owed() const {
  const bool waits = !asked_[kVector].empty() || !asked_[kScalar].empty() ||
                     !asked_[kInstruction].empty() || !translating_.empty() || !in_gds_.empty();
  if (waits) return {};
  for (const auto& [id, wave] : resident_) {
    if (!wave.told && wave.shadow != nullptr) {
      return fmt::format("{} has nothing to wait for behind instruction {} at {:#x}", wave_text(id),
                         wave.next, wave.pc);
    }
  }
  return {};
}

void ComputeUnitChecker::count(const wave::RetireRecord& r) {
  ++counters_.by_row[isa::index_of(*r.instruction.row)];
  ++counters_.issue_cycles;
  for (const auto& v : r.vector_writes) {
    if (v.kind == isa::OperandKind::Vgpr && !r.instruction.row->has(isa::kLoad)) {
      counters_.lane_operations += static_cast<unsigned>(std::popcount(v.lanes));
      break;
    }
  }
}

ComputeUnitChecker::Counters ComputeUnitChecker::counters(Cycle now) const {
  Counters c = counters_;
  compute_unit::count_units(c);
  if (!resident_.empty()) c.busy_cycles += std::max(now, busy_since_) - busy_since_;
  for (const auto& [id, wave] : resident_) c.wave_cycles += std::max(now, wave.since) - wave.since;
  // A device does not say why nothing retires.
  c.issue_cycles = std::min(c.issue_cycles, c.wave_cycles);
  c.stalled[static_cast<size_t>(compute_unit::Stall::Latency)] = c.wave_cycles - c.issue_cycles;
  return c;
}

std::vector<compute_unit::WaveReport> ComputeUnitChecker::waves() const {
  std::vector<compute_unit::WaveReport> all;
  for (const auto& [id, wave] : resident_) {
    compute_unit::WaveReport report;
    report.id = id;
    report.dispatch = wave.launch.dispatch;
    report.workgroup = wave.launch.workgroup;
    report.wave_in_group = wave.launch.wave_in_group;
    report.simd = wave.launch.simd;
    report.slot = wave.launch.slot;
    report.pc = wave.pc;
    report.at_barrier = wave.barrier.has_value();
    report.waits_for =
        wave.barrier ? "the other waves at a barrier" : "the device (PC of its last retirement)";
    all.push_back(std::move(report));
  }
  return all;
}

}  // namespace cuvette::ip
