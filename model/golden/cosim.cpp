// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/cosim.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "golden/cosim_memory.h"
#include "golden/kept_halves.h"
#include "golden/launch.h"
#include "golden/wave.h"
#include "hsa/code_object.h"
#include "hsa/launch_limits.h"
#include "isa/decode.h"
#include "isa/text.h"

namespace cuvette::golden {
namespace {

using Id = isa::SemanticId;
using wave::RetireRecord;

constexpr uint64_t kPage = 4096;
constexpr uint32_t kMostLds = 65536;
constexpr unsigned kMostCodeBytes = 8;  // of an instruction

bool is_clock(Id id) {
  return id == Id::s_memtime || id == Id::s_memrealtime;
}

/// Cache that an instruction invalidates. BUFFER_INV of gfx942 does nothing for
/// scope wave.
std::optional<VisibleMemory::Cache> invalidated(const isa::Instruction& i) {
  switch (i.semantic()) {
    case Id::buffer_wbinvl1:
    case Id::buffer_wbinvl1_vol:
      return VisibleMemory::Cache::Vector;
    case Id::buffer_inv:
      if (!i.mem.glc && !i.mem.scc) return {};
      return VisibleMemory::Cache::Vector;
    case Id::s_dcache_inv:
    case Id::s_dcache_inv_vol:
      return VisibleMemory::Cache::Scalar;
    case Id::s_icache_inv:
      return VisibleMemory::Cache::Instruction;
    default:
      return {};
  }
}

struct Shadow {
  std::unique_ptr<Wave> wave;
  std::map<uint64_t, Observation> observed;  // by order
  uint64_t serial = 0;                       // declared when the last instruction retired
  uint64_t clock = 0;                        // the last one read
  KeptHalves halves;
};

/// Identity of a work-group of launch(): everything of its dispatch that its waves share.
struct DispatchedGroup {
  std::string kernel;
  std::array<uint32_t, 3> grid;
  std::array<uint16_t, 3> workgroup;
  uint64_t kernarg, dynamic_group_bytes, packet_address, queue_address, dispatch_id, index;
  auto operator<=>(const DispatchedGroup&) const = default;
};
struct Launched {
  uint64_t waves = 0;  // mask of those launched, at most 16
  Workgroup* group = nullptr;
};

/// Error when the limits of a kernel exclude the dispatch.
base::Status allowed(const hsa::KernelInfo& kernel, const CosimDispatch& d) {
  hsa::LaunchSize size;
  std::copy(d.grid.begin(), d.grid.end(), size.grid.begin());
  std::copy(d.workgroup.begin(), d.workgroup.end(), size.workgroup.begin());
  size.dimensions = kernel.limits.required_dimensions;  // not told
  size.dynamic_group_bytes = d.dynamic_group_bytes;
  const std::string broken = hsa::broken_limit(kernel.limits, size);
  if (broken.empty()) return {};
  return base::Error(fmt::format("kernel '{}': {}", kernel.name, broken));
}

class CosimImpl final : public Cosim {
 public:
  explicit CosimImpl(const CosimOptions& options)
      : options_(options), program_(visible_.initial(), options.target), port_(no_memory_) {}

  base::Status load(uint64_t address, const void* bytes, size_t count) override {
    if (failed()) return base::Error(mismatch_);
    auto status = visible_.load(address, bytes, count);
    program_.renew();
    return status;
  }

  base::Result<CosimCode> load_code_object(uint64_t address, const void* bytes,
                                           size_t count) override {
    if (failed()) return base::Error(mismatch_);
    if (address == 0 || address % kPage != 0) {
      return base::Error(fmt::format("code object at {:#x}, expected a multiple of 4096", address));
    }
    hsa::DeviceAllocator::Config place;
    place.first = address;
    place.guard = 0;
    hsa::DeviceMemory memory(place);
    auto target = hsa::parse_target(std::string(isa::name_of(options_.target)));  // any xnack
    if (!target) return target.error();
    if (hsa::facts(target->processor).has_sramecc) {
      target->sramecc = options_.sramecc ? hsa::Feature::On : hsa::Feature::Off;
    }
    auto code = hsa::load_code_object(static_cast<const uint8_t*>(bytes), count, "code object",
                                      memory, *target);
    if (!code) return code.error();
    if (code->kernels.empty()) return base::Error("the code object has no kernel");
    const uint64_t end = memory.allocator().next();
    if (auto s = copy_pages(memory, address, end); !s.ok()) return s.error();
    for (const auto& kernel : code->kernels) kernels_[kernel.name] = kernel;
    visible_.name_code(memory.space().code());
    program_.renew();
    return CosimCode{code->base, code->bytes, code->kernels.front().descriptor,
                     hsa::first_instruction(code->kernels.front())};
  }

  base::Status start(const CosimWave& w) override {
    if (failed()) return base::Error(mismatch_);
    if (w.sgpr.size() > 128 || w.vgpr.size() > w.vgprs || too_many_vgprs(w) || w.sgprs > 102 ||
        w.lds_bytes > kMostLds) {
      return base::Error("a wave with more registers or LDS than there can be");
    }
    if (w.pc % 4 != 0) {
      return base::Error(fmt::format("a wave at pc {:#x}, expected a multiple of 4", w.pc));
    }
    auto made = std::make_unique<Wave>(options_.target, w.vgprs, w.accvgprs);
    auto& s = made->state.s;
    std::copy(w.sgpr.begin(), w.sgpr.end(), s.sgpr.begin());
    std::copy(w.vgpr.begin(), w.vgpr.end(), made->state.v.arch);
    s.pc = w.pc;
    s.set_exec(w.exec);
    s.mode.raw = w.mode;
    made->state.sramecc = options_.sramecc;
    auto& alloc = made->state.alloc;
    alloc.vgprs = w.vgprs;
    alloc.accvgprs = w.accvgprs;
    alloc.sgprs = w.sgprs;
    alloc.lds_bytes = w.lds_bytes;
    alloc.shared_aperture = options_.shared_aperture;
    alloc.private_aperture = options_.private_aperture;
    alloc.scratch_base = w.scratch_base;
    made->id = w.id;
    return add(std::move(made), groups_[w.workgroup], w.workgroup, w.lds_bytes);
  }

  /// Error in the name of a kernel, which may be left out where there is only one; empty: none.
  std::string no_kernel(const std::string& name) const {
    if (kernels_.empty()) return "no code object with a kernel has been loaded";
    std::string names;
    for (const auto& [known, kernel] : kernels_) names += (names.empty() ? "" : ", ") + known;
    if (name.empty()) {
      return fmt::format("{} kernels were loaded and none is named, expected one of: {}",
                         kernels_.size(), names);
    }
    return fmt::format("no kernel '{}' was loaded, expected one of: {}", name, names);
  }

  base::Status launch(const CosimDispatch& d, uint32_t group, uint32_t index,
                      uint64_t id) override {
    if (failed()) return base::Error(mismatch_);
    const auto kernel =
        d.kernel.empty() && kernels_.size() == 1 ? kernels_.begin() : kernels_.find(d.kernel);
    if (kernel == kernels_.end()) return base::Error(no_kernel(d.kernel));
    DispatchRequest request;
    request.kernel = &kernel->second;
    request.grid = d.grid;
    request.workgroup = d.workgroup;
    request.kernarg = d.kernarg;
    request.group_bytes = kernel->second.group_bytes + d.dynamic_group_bytes;
    request.private_bytes = kernel->second.private_bytes + d.stack_bytes;
    request.packet_address = d.packet_address;
    request.queue_address = d.queue_address;
    request.dispatch_id = d.dispatch_id;
    const auto got =
        hsa::read_preload(kernel->second, d.kernarg, visible_.initial(), request.preload);
    if (!got.ok()) return base::Error("preload of kernel arguments: " + got.str());
    Config config;
    config.target = options_.target;
    config.sramecc = options_.sramecc;
    config.shared_aperture = options_.shared_aperture;
    config.private_aperture = options_.private_aperture;
    auto plan = plan_launch(request, config);
    if (!plan) return plan.error();
    if (auto status = allowed(kernel->second, d); !status.ok()) return status;
    if (d.scratch_base != 0) {
      place_scratch(*plan, d.scratch_base, scratch_descriptor(d.scratch_base));
    }
    if (group >= plan->workgroups()) return base::Error("no such work-group in the grid");
    auto made = launch_wave(*plan, config, group, index);
    if (made == nullptr) return base::Error("no such wave in the work-group");
    if (auto s = unused(id); !s.ok()) return s;
    made->id = id;
    Launched& launched = launched_[{d.kernel, d.grid, d.workgroup, d.kernarg, d.dynamic_group_bytes,
                                    d.packet_address, d.queue_address, d.dispatch_id, group}];
    // A wave is launched once: the same one again belongs to another dispatch.
    if (base::bit(launched.waves, index)) launched = {};
    launched.waves |= uint64_t{1} << index;
    return add(std::move(made), launched.group, group, request.group_bytes);
  }

  base::Result<RetireRecord> step(uint64_t id) override {
    if (failed()) return base::Error(mismatch_);
    Shadow* shadow = find(id);
    if (shadow == nullptr) return base::Error(fmt::format("wave {} was not started", id));
    if (shadow->wave->status == WaveStatus::Ended) return base::Error(has_ended(id));
    RetireRecord golden;
    if (!fetch(*shadow->wave, nullptr) || !execute(*shadow, true, golden)) {
      return base::Error(mismatch_);
    }
    if (shadow->halves.concerned() && !check_halves(*shadow, golden, nullptr)) {
      return base::Error(mismatch_);
    }
    return golden;
  }

  bool retire(const RetireRecord& device) override {
    if (failed()) return false;
    Shadow* shadow = find(device.wave);
    if (shadow == nullptr) {
      return complain(fmt::format("wave {} retires and was not started", device.wave));
    }
    const Wave& w = *shadow->wave;
    if (device.order != w.order) {
      return complain(fmt::format("wave {}: instruction {} retires, expected {}", device.wave,
                                  device.order, w.order));
    }
    if (device.pc != w.state.s.pc) {
      return complain(fmt::format("wave {} instruction {}: pc: expected {:#x}, found {:#x}", w.id,
                                  w.order, w.state.s.pc, device.pc));
    }
    RetireRecord golden;
    if (!fetch(w, &device.instruction) || !execute(*shadow, false, golden)) return false;
    std::optional<RetireRecord> told;
    if (shadow->halves.concerned()) {
      told = check_halves(*shadow, golden, &device);
      if (!told) return false;
    }
    const std::string wrong =
        difference(golden, told ? *told : device, w.state.s, options_.compare);
    if (!wrong.empty()) {
      return complain(fmt::format("{}: {}", w.place(golden.pc, &golden.instruction), wrong));
    }
    ++counts_.instructions;
    counts_.registers += golden.vector_writes.size() + golden.scalar_writes.size();
    for (const auto& v : golden.vector_writes) {
      counts_.lanes += static_cast<unsigned>(__builtin_popcountll(v.lanes));
    }
    if ((options_.compare & kCompareAccesses) != 0) counts_.accesses += golden.accesses.size();
    return true;
  }

  bool observe_load(uint64_t id, uint64_t order, uint64_t lanes,
                    const std::vector<uint8_t>& bytes) override {
    if (failed()) return false;
    Shadow* shadow = find(id);
    if (shadow == nullptr) return complain(fmt::format("wave {} loads and was not started", id));
    Wave& w = *shadow->wave;
    if (order < w.order) {
      return complain(fmt::format(
          "wave {}: the load of instruction {} is observed after it retired", id, order));
    }
    Observation observation{lanes, visible_.last_serial(), 0, bytes};
    auto [at, fresh] = shadow->observed.emplace(order, std::move(observation));
    if (!fresh) {
      return complain(
          fmt::format("wave {}: the load of instruction {} is observed twice", id, order));
    }
    return order != w.order || check(w, at->second);
  }

  bool observe_store(uint64_t id, uint64_t order, uint8_t lane, uint64_t serial) override {
    if (failed()) return false;
    const Shadow* shadow = find(id);
    if (shadow == nullptr) return complain(fmt::format("wave {} stores and was not started", id));
    if (lane >= wave::kLanes || !may_store(*shadow->wave, order, lane)) {
      return complain(stores_nothing({id, order, lane}));
    }
    const std::string wrong = visible_.declare({id, order, lane}, serial);
    return wrong.empty() || complain(fmt::format("wave {}: {}", id, wrong));
  }

  bool failed() const override { return !mismatch_.empty(); }
  bool passed() const override {
    return !failed() && counts_.instructions != 0 &&
           std::all_of(shadows_.begin(), shadows_.end(),
                       [](const auto& s) { return s.second.halves.settled(); });
  }
  std::string mismatch() const override { return mismatch_; }
  CosimCounts counts() const override { return counts_; }

 private:
  static std::string has_ended(uint64_t id) { return fmt::format("wave {} has ended", id); }
  static std::string stores_nothing(const VisibleMemory::Name& n) {
    return fmt::format(
        "wave {}: lane {} of instruction {} takes a place in the log and stores nothing", n.wave,
        n.lane, n.order);
  }

  /// Up to gfx908 two files of 256, if there are AccVGPRs; then one of 512.
  bool too_many_vgprs(const CosimWave& w) const {
    const unsigned both = w.vgprs + w.accvgprs;
    if (isa::unified_vgprs(options_.target)) return both > 512;
    return w.vgprs > 256 || w.accvgprs > (isa::has_accvgprs(options_.target) ? 256 : 0);
  }

  /// False when it is known that a lane of an instruction stores nothing to memory others see.
  bool may_store(const Wave& w, uint64_t order, uint8_t lane) {
    if (order < w.order) return visible_.executed({w.id, order, lane});
    if (w.status == WaveStatus::Ended) return false;
    const isa::Instruction* i = order == w.order ? next_instruction(w) : nullptr;
    return i == nullptr || i->row->has(isa::kStore) || i->row->has(isa::kAtomic);
  }

  Shadow* find(uint64_t id) {
    const auto found = shadows_.find(id);
    return found == shadows_.end() ? nullptr : &found->second;
  }
  bool complain(const std::string& text) {
    if (mismatch_.empty()) mismatch_ = text;
    return false;
  }

  /// The record of an instruction that executed, with the halves that D16 loads keep as golden has
  /// them where they are legal. Nothing, with a mismatch, when one of an older load is not.
  std::optional<RetireRecord> check_halves(Shadow& shadow, const RetireRecord& golden,
                                           const RetireRecord* device) {
    const Wave& w = *shadow.wave;
    const std::string text =
        device == nullptr ? ""
                          : fmt::format("{}: {}", w.place(golden.pc, &golden.instruction),
                                        difference(golden, *device, w.state.s, options_.compare));
    RetireRecord told = shadow.halves.check(golden, device, text);
    if (shadow.halves.wrong().empty()) return told;
    complain(shadow.halves.wrong());
    return {};
  }

  /// Copies the bytes of [first, end) that were written; the rest is zeros, gaps between segments
  /// too.
  base::Status copy_pages(const hsa::DeviceMemory& from, uint64_t first, uint64_t end) {
    auto status = visible_.load_zeros(first, end - first);
    const auto copy = [&](uint64_t page, const uint8_t* bytes, size_t count) {
      const uint64_t begin = std::max(page, first), stop = std::min(page + count, end);
      if (!status.ok() || begin >= stop) return;
      status = visible_.load(begin, bytes + (begin - page), stop - begin);
    };
    static_cast<const hsa::SparseMemory&>(from.backing()).visit(copy);
    return status;
  }

  base::Status unused(uint64_t id) const {
    if (shadows_.count(id) == 0) return {};
    return base::Error(fmt::format("wave {} was started before", id));
  }

  /// `group`: the place of its work-group, made for the first wave.
  base::Status add(std::unique_ptr<Wave> w, Workgroup*& group, uint32_t workgroup,
                   uint32_t lds_bytes) {
    const uint64_t id = w->id;
    if (auto s = unused(id); !s.ok()) return s;
    if (group == nullptr) {
      group = all_groups_.emplace_back(std::make_unique<Workgroup>()).get();
      group->index = workgroup;
      group->lds.assign(lds_bytes, 0);
    }
    ++group->waves;
    w->group = group;
    w->state.alloc.lds_bytes = static_cast<uint32_t>(group->lds.size());
    w->trap_on_violation = true;  // a fault retires; what stops the wave is the device
    Shadow& shadow = shadows_[id];
    shadow.wave = std::move(w);
    shadow.serial = visible_.last_serial();
    shadow.wave->state.clock = [](void* context) {
      return static_cast<const Shadow*>(context)->clock;
    };
    shadow.wave->state.clock_context = &shadow;
    return {};
  }

  /// The instruction the wave executes next; null when it cannot be fetched.
  const isa::Instruction* next_instruction(const Wave& w) {
    Program::Entry* entry = program_.at(w.state.s.pc);
    const bool good = entry != nullptr && (entry->decoded->status == isa::DecodeStatus::Legal ||
                                           entry->decoded->status == isa::DecodeStatus::Reserved);
    return good ? &entry->decoded->instruction : nullptr;
  }

  /// Code that waves have changed is what the device fetched of what the wave may see; without a
  /// device there has to be one legal value.
  bool fetch(const Wave& w, const isa::Instruction* device) {
    const uint64_t pc = w.state.s.pc;
    if (!visible_.changed(pc, kMostCodeBytes)) return true;
    uint32_t words[kMostCodeBytes / 4] = {};
    for (unsigned n = 0; n < std::size(words); ++n) {
      // How long it is, its first dword says.
      if (n != 0 && isa::decode(options_.target, words, std::size(words)).instruction.length <= n) {
        break;
      }
      const bool told = device != nullptr && n < device->length;
      if (told) words[n] = device->words[n];
      const auto seen =
          visible_.load(w.id, VisibleMemory::Cache::Instruction, visible_.last_serial(), pc + 4 * n,
                        4, told, reinterpret_cast<uint8_t*>(&words[n]));
      if (!seen.wrong.empty()) {
        return complain(fmt::format("{}: fetch: {}", w.place(pc, nullptr), seen.wrong));
      }
      program_.fetch_as(pc + 4 * n, words[n]);
    }
    program_.refresh();
    return true;
  }

  /// True if the next instruction is a load of memory, as `op`; a mismatch when it is not.
  bool is_load(const Wave& w, const isa::Instruction& i, wave::MemoryOp& op) {
    if (i.row->has(isa::kLoad) && wave::make_memory_op(w.state, i, op) &&
        op.kind == wave::MemoryKind::Load) {
      return true;
    }
    return complain(
        fmt::format("{}: a load is observed, expected none", w.place(w.state.s.pc, &i)));
  }

  /// An observation of the instruction that is next, before it retires.
  bool check(Wave& w, Observation& observation) {
    if (visible_.changed(w.state.s.pc, kMostCodeBytes)) return true;  // retire() will say
    const isa::Instruction* i = next_instruction(w);
    if (i == nullptr || is_clock(i->semantic())) return true;
    wave::MemoryOp op;
    if (!is_load(w, *i, op)) return false;
    op.transfer = wave::LdsTransfer::None;  // LDS changes when the load retires
    CosimMemory memory(visible_, port_, w.group->lds, w.id, w.order, &observation, false);
    wave::MemoryReply reply;
    memory.perform(op, w.state.s.mode, reply);
    observation.candidates = memory.candidates();
    if (memory.wrong().empty()) return true;
    ++counts_.loads_rejected;
    return complain(fmt::format("{}: {}", w.place(w.state.s.pc, i), memory.wrong()));
  }

  /// Clocks only go forward.
  bool read_clock(Shadow& shadow, const Observation* observation) {
    const Wave& w = *shadow.wave;
    if (observation == nullptr) return true;
    uint64_t now = 0;
    if (observation->bytes.size() != sizeof now) {
      return complain(
          fmt::format("{}: a clock read has 8 bytes", w.place(w.state.s.pc, next_instruction(w))));
    }
    std::memcpy(&now, observation->bytes.data(), sizeof now);
    if (now < shadow.clock) {
      return complain(fmt::format("{}: clock {} after {}",
                                  w.place(w.state.s.pc, next_instruction(w)), now, shadow.clock));
    }
    shadow.clock = now;
    return true;
  }

  /// Golden executes one instruction. False with a mismatch text when it does not retire, or a load
  /// or atomic is not legal.
  bool execute(Shadow& shadow, bool alone, RetireRecord& record) {
    Wave& w = *shadow.wave;
    if (w.status == WaveStatus::AtBarrier) {
      w.status = WaveStatus::Running;
      --w.group->at_barrier;
    }
    const auto found = shadow.observed.find(w.order);
    const Observation* observation = found == shadow.observed.end() ? nullptr : &found->second;
    const isa::Instruction* i = next_instruction(w);
    if (i != nullptr && is_clock(i->semantic())) {
      if (!read_clock(shadow, observation)) return false;
      observation = nullptr;
    }
    wave::MemoryOp op;
    if (observation != nullptr && i != nullptr && !is_load(w, *i, op)) return false;
    if (i != nullptr) shadow.halves.before(w.state, *i);
    CosimMemory memory(visible_, port_, w.group->lds, w.id, w.order, observation, alone);
    if (!w.step(program_, memory, record)) {
      return complain(w.failure.empty() ? has_ended(w.id) : "golden: " + w.failure);
    }
    if (!memory.wrong().empty()) {
      if (memory.loaded()) ++counts_.loads_rejected;
      return complain(
          fmt::format("{}: {}", w.place(record.pc, &record.instruction), memory.wrong()));
    }
    const auto declared = visible_.first_declared(w.id);
    if (declared && (declared->order == record.order || w.status == WaveStatus::Ended)) {
      return complain(stores_nothing(*declared));
    }
    if (memory.loaded()) {
      const unsigned checked = observation == nullptr ? 0 : observation->candidates;
      ++(std::max(memory.candidates(), checked) > 1 ? counts_.loads_chosen
                                                    : counts_.loads_determined);
    }
    if (found != shadow.observed.end()) shadow.observed.erase(found);
    if (const auto cache = invalidated(record.instruction)) {
      visible_.invalidate(w.id, *cache, shadow.serial);
    }
    shadow.serial = visible_.last_serial();
    return true;
  }

  CosimOptions options_;
  VisibleMemory visible_;
  Program program_;
  hsa::DeviceMemory no_memory_;  // the port is for LDS only
  MemoryPort port_;
  std::map<std::string, hsa::KernelInfo> kernels_;
  std::map<uint64_t, Shadow> shadows_;
  std::vector<std::unique_ptr<Workgroup>> all_groups_;
  std::map<uint32_t, Workgroup*> groups_;  // by the number start() was given
  std::map<DispatchedGroup, Launched> launched_;
  std::string mismatch_;
  CosimCounts counts_;
};

}  // namespace

std::unique_ptr<Cosim> Cosim::create(const CosimOptions& options) {
  return std::make_unique<CosimImpl>(options);
}

}  // namespace cuvette::golden
