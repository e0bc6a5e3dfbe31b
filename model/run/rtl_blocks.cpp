// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/rtl_blocks.h"

#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#ifdef CUVETTE_WITH_RTL
#include "ip/block_dut.h"
#include "ip/common/first_difference.h"
#include "ip/matrix_core/register_matrix.h"
#include "ip/simd/register_simd.h"
#include "ip/simd/simd_device.h"
#include "ip/valu/register_valu.h"
#include "ip/valu_dut.h"
#include "ip/vrf/register_vrf.h"
#include "run/chosen_device.h"
#include "run/kit_blocks.h"
#include "run/rerun.h"
#endif

namespace cuvette::run {

#ifdef CUVETTE_WITH_RTL

namespace {

// What proves that a block was compared, and what it did, compared or not.
uint64_t compared(const ip::ValuCounts& counts) {
  return counts.lanes + counts.masks;
}
uint64_t compared(const ip::MatrixCounts& counts) {
  return counts.lanes;
}
uint64_t compared(const ip::SimdCounts& counts) {
  return counts.beats;
}
uint64_t compared(const ip::VrfCounts& counts) {
  return counts.lanes;
}
uint64_t seen(const ip::ValuCounts& counts) {
  return counts.responses;
}
uint64_t seen(const ip::MatrixCounts& counts) {
  return counts.instructions;
}
uint64_t seen(const ip::SimdCounts& counts) {
  return counts.instructions;
}
uint64_t seen(const ip::VrfCounts& counts) {
  return counts.reads;
}

/// A lockstep that compared nothing proves nothing.
template <class Lockstep>
void judge_counts(EngineReport& report, const char* block, const std::vector<Lockstep*>& objects) {
  if (objects.empty()) return;
  uint64_t items = 0, all = 0;
  for (const Lockstep* lockstep : objects) {
    items += compared(lockstep->counts());
    all += seen(lockstep->counts());
  }
  if (items != 0) return;
  const std::string why =
      all == 0 ? fmt::format("no kernel used the block {}", block)
               : fmt::format("none of the {} items of block {} is in the sample of 1/{}", all,
                             block, objects.front()->options().share);
  report.failures.push_back("lockstep compared nothing: " + why);
}

/// Names of what a difference leaves behind when --wave gives none.
constexpr const char* kDefaultStem = "cuvette_lockstep";

/// Whether the description asks for a comparison that registers and lanes do not have.
base::Status check_rule(const machine::Description& d, const char* block) {
  const auto check = d.lockstep_checks.find(block);
  if (check == d.lockstep_checks.end()) return {};
  if (check->second.timing.kind == machine::TimingRule::Kind::Bounded) {
    return d.error(std::string("implementations.") + block,
                   fmt::format("block {}: no bounded timing, expected exact or ignore", block));
  }
  return {};
}

/// The RTL of registers and lanes is built for one target and size.
base::Status check_size(const machine::Description& d, const char* block) {
  const auto chosen = d.implementations.find(block);
  if (chosen == d.implementations.end() || chosen->second == "tlm") return {};
  const auto& unit = d.compute_unit;
  const bool fits =
      d.target == "gfx908" && unit.vgpr_rows == ip::kSimdRows && unit.accvgpr_rows == ip::kSimdRows;
  if (fits) return {};
  return d.error(
      std::string("implementations.") + block,
      fmt::format(
          "block {}: the RTL is for gfx908 with {} rows of either kind, found {} with {} and {}",
          block, ip::kSimdRows, d.target, unit.vgpr_rows, unit.accvgpr_rows));
}

template <class Lockstep>
Lockstep* lockstep_of(auto& block) {
  if constexpr (requires { ip::lockstep_in(block); }) return ip::lockstep_in(block);
  return static_cast<Lockstep*>(&block);
}

/// Adds what ip registers; lockstep objects are kept in `made`.
template <class Lockstep, class Registry>
void add_watched(const Registry& from, Registry& to, std::vector<Lockstep*>& made) {
  for (const auto& name : from.names()) {
    to.add(name, [&from, &made, name](const auto& config) {
      auto block = from.make(name, config);
      if (block != nullptr && is_compared(name)) {
        made.push_back(lockstep_of<Lockstep>(*block));
      }
      return block;
    });
  }
}

isa::Target target_of(const ip::VrfLockstep&) {
  return isa::Target::Gfx908;
}
uint64_t seed_of(const ip::VrfLockstep& lockstep) {
  return lockstep.config().device_seed;
}
uint64_t seed_of(const ip::SimdLockstep& lockstep) {
  return lockstep.config().valu.seed;
}
template <class Lockstep>
isa::Target target_of(const Lockstep& lockstep) {
  return lockstep.config().target;
}
template <class Lockstep>
uint64_t seed_of(const Lockstep& lockstep) {
  return lockstep.config().seed;
}

const auto& place_of(const ip::SimdLockstep& lockstep) {
  return lockstep.config().valu;
}
template <class Lockstep>
const auto& place_of(const Lockstep& lockstep) {
  return lockstep.config();
}

template <class Lockstep>
struct RecordingFor;
template <>
struct RecordingFor<ip::ValuLockstep> {
  using Type = ip::ValuRecording;
};
template <>
struct RecordingFor<ip::MatrixLockstep> {
  using Type = ip::MatrixRecording;
};
template <>
struct RecordingFor<ip::SimdLockstep> {
  using Type = ip::SimdRecording;
};
template <>
struct RecordingFor<ip::VrfLockstep> {
  using Type = ip::VrfRecording;
};

/// The last transactions of a block in lockstep: up to the difference, when there is one.
template <class Lockstep>
auto recording_of(const Lockstep& lockstep, const ChosenDevice& device) {
  typename RecordingFor<Lockstep>::Type recording;
  if (device.library != nullptr) {
    recording.device = kDevice + device.name;
    std::error_code ignored;
    recording.library = std::filesystem::absolute(device.path, ignored).lexically_normal().string();
  }
  recording.target = target_of(lockstep);
  recording.seed = seed_of(lockstep);
  recording.compute_unit = place_of(lockstep).compute_unit;
  recording.simd = place_of(lockstep).simd;
  recording.timing = lockstep.options().timing;
  if (const auto& m = lockstep.mismatch()) {
    recording.field = m->field;
    recording.transactions = m->transactions;
  } else {
    recording.transactions = lockstep.recent();
  }
  return recording;
}

}  // namespace

struct RtlBlocks::Watched {
  machine::Description description;
  std::string wave;
  valu::Registry valus;  // as ip registers them
  matrix_core::Registry matrix_cores;
  simd::Registry simds;
  vrf::Registry vrfs;
  std::vector<ip::ValuLockstep*> valu_lockstep;  // owned by the GPU, like the next
  std::vector<ip::MatrixLockstep*> matrix_lockstep;
  std::vector<ip::SimdLockstep*> simd_lockstep;
  std::vector<ip::VrfLockstep*> vrf_lockstep;
  ChosenDevice valu_device, matrix_device, simd_device, vrf_device;
  KitBlocks kit;
  std::string told;  // the report of the first difference

  template <class Lockstep>
  std::string scope(const char* block, const ChosenDevice& device,
                    const std::vector<Lockstep*>& objects) const {
    const unsigned all = description.compute_units * description.compute_unit.simds;
    std::string text = block;
    if (device.library != nullptr) text += " " + (kDevice + device.name);
    text += objects.size() == all
                ? fmt::format(" of all {} SIMDs", all)
                : fmt::format(" of compute unit 0 SIMD 0, tlm in the other {} SIMDs", all - 1);
    const uint32_t share = objects.front()->options().share;
    if (share > 1) text += fmt::format(", sampled 1/{}", share);
    return text;
  }

  void report_valus(EngineReport& report) const;
  void report_matrix_cores(EngineReport& report) const;
  void report_simds(EngineReport& report) const;
  void report_vrfs(EngineReport& report) const;
  base::Status add_registers_and_lanes(gpu::Registries& registries,
                                       const std::function<void()>& on_mismatch);
  template <class Lockstep>
  bool add_scope(EngineReport& report, const char* block, const ChosenDevice& device,
                 const std::vector<Lockstep*>& objects) const;

  /// The report of a difference with what follows it: the file of transactions, the rerun, the
  /// command. Empty: there is none.
  template <class Lockstep>
  std::string text_of(const Lockstep& lockstep) const {
    const auto& mismatch = lockstep.mismatch();
    if (!mismatch) return {};
    return "lockstep: " + mismatch->report +
           after_difference(recording_of(lockstep, device(lockstep)), wave, kDefaultStem);
  }
  const ChosenDevice& device(const ip::ValuLockstep&) const { return valu_device; }
  const ChosenDevice& device(const ip::MatrixLockstep&) const { return matrix_device; }
  const ChosenDevice& device(const ip::SimdLockstep&) const { return simd_device; }
  const ChosenDevice& device(const ip::VrfLockstep&) const { return vrf_device; }
  /// The run stops at the first difference; of several in one cycle the lanes' are told first.
  std::string tell_first() const {
    std::string text;
    ip::tell_first([&](const auto& lockstep) { text = text_of(lockstep); }, simd_lockstep,
                   vrf_lockstep, valu_lockstep, matrix_lockstep, kit.objects());
    return text;
  }
  static std::string text_of(const ip::LockstepView& lockstep) {
    return "lockstep: " + lockstep.mismatch()->report;
  }

  /// Waveforms of the last transactions of the first of these blocks that had any.
  template <class Lockstep>
  void show(const char* block, const std::vector<Lockstep*>& objects, EngineReport& report,
            bool& shown) const {
    for (const Lockstep* lockstep : objects) {
      if (shown) return;
      const auto recording = recording_of(*lockstep, device(*lockstep));
      if (recording.transactions.empty()) continue;
      shown = true;
      if (auto s = run::write_waves(recording, wave); !s.ok()) {
        report.lost_files.push_back(s.error());
        return;
      }
      report.files.push_back(fmt::format(
          "{}: waveforms of the last {} transactions of block {} of compute unit {} SIMD {}, run "
          "again on it alone",
          wave, recording.transactions.size(), block, recording.compute_unit, recording.simd));
    }
  }
};

RtlBlocks::RtlBlocks(const machine::Description& description, std::string wave)
    : watched_(std::make_unique<Watched>()) {
  watched_->description = description;
  watched_->wave = std::move(wave);
}
RtlBlocks::~RtlBlocks() = default;

base::Status RtlBlocks::add_to(gpu::Registries& registries, std::function<void()> on_mismatch) {
  Watched& w = *watched_;
  const auto stop = [tell = on_mismatch](const ip::ValuMismatch&) { tell(); };
  const auto valu_options = [&w](bool device) {
    return lockstep_options<ip::ValuLockstep::Options>(w.description, "valu", device);
  };
  ip::register_valu(w.valus, stop, valu_options(false));
  auto chosen = chosen_device(w.description, "valu", ip::load_valu_dut);
  if (!chosen) return chosen.error();
  w.valu_device = *chosen;
  if (w.valu_device.library != nullptr) {
    ip::register_valu_dut(w.valus, w.valu_device.name, w.valu_device.library, stop,
                          valu_options(true));
  }
  add_watched(w.valus, registries.valus, w.valu_lockstep);
  if (auto s = w.add_registers_and_lanes(registries, on_mismatch); !s.ok()) return s;
  if (auto s = w.kit.add_to(w.description, registries, on_mismatch); !s.ok()) return s;
  const auto stop_matrix = [tell = std::move(on_mismatch)](const ip::MatrixMismatch&) { tell(); };
  const auto matrix_options = [&w](bool device) {
    return lockstep_options<ip::MatrixLockstep::Options>(w.description, "matrix_core", device);
  };
  ip::register_matrix(w.matrix_cores, stop_matrix, matrix_options(false));
  auto chosen_matrix = chosen_device(w.description, "matrix_core", ip::load_matrix_dut);
  if (!chosen_matrix) return chosen_matrix.error();
  w.matrix_device = *chosen_matrix;
  if (w.matrix_device.library != nullptr) {
    ip::register_matrix_dut(w.matrix_cores, w.matrix_device.name, w.matrix_device.library,
                            stop_matrix, matrix_options(true));
  }
  add_watched(w.matrix_cores, registries.matrix_cores, w.matrix_lockstep);
  return {};
}

/// Whether the block is in lockstep at all.
template <class Lockstep>
bool RtlBlocks::Watched::add_scope(EngineReport& report, const char* block,
                                   const ChosenDevice& device,
                                   const std::vector<Lockstep*>& objects) const {
  if (objects.empty()) return false;
  if (!report.lockstep_scope.empty()) report.lockstep_scope += "; ";
  report.lockstep_scope += scope(block, device, objects);
  return true;
}

void RtlBlocks::Watched::report_valus(EngineReport& report) const {
  if (!add_scope(report, "valu", valu_device, valu_lockstep)) return;
  for (const auto* valu : valu_lockstep) {
    const ip::ValuCounts counts = valu->counts();
    if (valu->options().share > 1) report.lockstep_items["responses sampled"] += counts.sampled;
    report.lockstep_items["responses"] += counts.responses;
    report.lockstep_items["lanes"] += counts.lanes;
    report.lockstep_items["masks"] += counts.masks;
    report.lockstep_items["write sets"] += counts.write_sets;
    report.lockstep_items["flags"] += counts.flags;
    if (valu->options().timing.kind != machine::TimingRule::Kind::Ignore) {
      report.lockstep_items["times"] += counts.times;
    }
    if (valu->mismatch()) ++report.lockstep_mismatches;
  }
}

void RtlBlocks::Watched::report_matrix_cores(EngineReport& report) const {
  if (!add_scope(report, "matrix_core", matrix_device, matrix_lockstep)) return;
  for (const auto* matrix : matrix_lockstep) {
    const ip::MatrixCounts counts = matrix->counts();
    if (matrix->options().share > 1) {
      report.lockstep_items["matrix instructions sampled"] += counts.sampled;
    }
    report.lockstep_items["matrix instructions"] += counts.instructions;
    report.lockstep_items["matrix passes"] += counts.results;
    report.lockstep_items["matrix lanes"] += counts.lanes;
    if (matrix->options().timing.kind != machine::TimingRule::Kind::Ignore) {
      report.lockstep_items["matrix times"] += counts.times;
    }
    if (matrix->mismatch()) ++report.lockstep_mismatches;
  }
}

base::Status RtlBlocks::Watched::add_registers_and_lanes(gpu::Registries& registries,
                                                         const std::function<void()>& on_mismatch) {
  for (const char* block : {"simd", "vrf"}) {
    if (auto s = check_size(description, block); !s.ok()) return s;
    if (auto s = check_rule(description, block); !s.ok()) return s;
  }
  const auto stop_simd = [on_mismatch](const ip::SimdMismatch&) { on_mismatch(); };
  const auto simd_options = [this](bool device) {
    return lockstep_options<ip::SimdLockstep::Options>(description, "simd", device);
  };
  ip::register_simd(simds, stop_simd, simd_options(false));
  auto chosen = chosen_device(description, "simd", ip::load_simd_dut);
  if (!chosen) return chosen.error();
  simd_device = *chosen;
  if (simd_device.library != nullptr) {
    ip::register_simd_dut(simds, simd_device.name, simd_device.library, stop_simd,
                          simd_options(true));
  }
  add_watched(simds, registries.simds, simd_lockstep);
  const auto stop_vrf = [on_mismatch](const ip::VrfMismatch&) { on_mismatch(); };
  const auto vrf_options = [this](bool device) {
    return lockstep_options<ip::VrfLockstep::Options>(description, "vrf", device);
  };
  ip::register_vrf(vrfs, stop_vrf, vrf_options(false));
  chosen = chosen_device(description, "vrf", ip::load_vrf_dut);
  if (!chosen) return chosen.error();
  vrf_device = *chosen;
  if (vrf_device.library != nullptr) {
    ip::register_vrf_dut(vrfs, vrf_device.name, vrf_device.library, stop_vrf, vrf_options(true));
  }
  add_watched(vrfs, registries.vrfs, vrf_lockstep);
  return {};
}

void RtlBlocks::Watched::report_simds(EngineReport& report) const {
  if (!add_scope(report, "simd", simd_device, simd_lockstep)) return;
  for (const auto* simd : simd_lockstep) {
    const ip::SimdCounts& counts = simd->counts();
    if (simd->options().share > 1)
      report.lockstep_items["simd instructions sampled"] += counts.sampled;
    report.lockstep_items["simd instructions"] += counts.instructions;
    report.lockstep_items["simd beats"] += counts.beats;
    report.lockstep_items["simd lanes"] += counts.lanes;
    report.lockstep_items["simd masks"] += counts.masks;
    report.lockstep_items["simd scalars"] += counts.scalars;
    report.lockstep_items["simd flags"] += counts.flags;
    report.lockstep_items["simd cycles"] += counts.times;
    report.lockstep_items["simd registers"] += counts.registers;
    if (simd->mismatch()) ++report.lockstep_mismatches;
    if (simd->read_nothing_back()) {
      const auto& place = simd->config().valu;
      report.failures.push_back(fmt::format(
          "lockstep read no register back from block simd of compute unit {} SIMD {}: whenever it "
          "could, something was under way",
          place.compute_unit, place.simd));
    }
  }
}

void RtlBlocks::Watched::report_vrfs(EngineReport& report) const {
  if (!add_scope(report, "vrf", vrf_device, vrf_lockstep)) return;
  for (const auto* vrf : vrf_lockstep) {
    const ip::VrfCounts counts = vrf->counts();
    if (vrf->options().share > 1) {
      report.lockstep_items["register rows sampled"] += counts.sampled;
    }
    report.lockstep_items["register rows read"] += counts.reads;
    report.lockstep_items["register rows written"] += counts.writes;
    report.lockstep_items["register lanes"] += counts.lanes;
    report.lockstep_items["register beats timed"] += counts.times;
    if (vrf->mismatch()) ++report.lockstep_mismatches;
  }
}

void RtlBlocks::report(EngineReport& report) const {
  Watched& w = *watched_;
  if (w.valu_lockstep.empty() && w.matrix_lockstep.empty() && w.simd_lockstep.empty() &&
      w.vrf_lockstep.empty() && w.kit.empty()) {
    return;
  }
  report.lockstep_scope.clear();
  report.lockstep_items.clear();
  report.lockstep_mismatches = 0;
  for (ip::SimdLockstep* simd : w.simd_lockstep) simd->audit();
  w.report_valus(report);
  w.report_matrix_cores(report);
  w.report_simds(report);
  w.report_vrfs(report);
  w.kit.report(report);
  if (report.lockstep_mismatches == 0) return;
  if (w.told.empty()) w.told = w.tell_first();
  report.failures.push_back(w.told);
}

void RtlBlocks::write_waves(EngineReport& report) const {
  const Watched& w = *watched_;
  if (w.wave.empty() || !w.told.empty()) return;  // those of a difference are written with it
  bool shown = false;
  w.show("simd", w.simd_lockstep, report, shown);
  w.show("vrf", w.vrf_lockstep, report, shown);
  w.show("valu", w.valu_lockstep, report, shown);
  w.show("matrix_core", w.matrix_lockstep, report, shown);
  if (!shown) {
    report.lost_files.emplace_back("no waveforms: no block in lockstep was used",
                                   base::Location{.file = w.wave});
  }
}

void RtlBlocks::conclude(EngineReport& report) const {
  judge_counts(report, "valu", watched_->valu_lockstep);
  judge_counts(report, "matrix_core", watched_->matrix_lockstep);
  judge_counts(report, "simd", watched_->simd_lockstep);
  judge_counts(report, "vrf", watched_->vrf_lockstep);
  watched_->kit.conclude(report);
}

#else

struct RtlBlocks::Watched {};
RtlBlocks::RtlBlocks(const machine::Description&, std::string) {}
RtlBlocks::~RtlBlocks() = default;
base::Status RtlBlocks::add_to(gpu::Registries&, std::function<void()>) {
  return {};
}
void RtlBlocks::report(EngineReport&) const {}
void RtlBlocks::write_waves(EngineReport&) const {}
void RtlBlocks::conclude(EngineReport&) const {}

#endif

}  // namespace cuvette::run
