// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/rtl_blocks.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#ifdef CUVETTE_WITH_RTL
#include "ip/register_valu.h"
#include "ip/valu_dut.h"
#include "run/rerun.h"
#endif

namespace cuvette::run {

#ifdef CUVETTE_WITH_RTL

namespace {

constexpr const char* kDevice = "dut:";
/// Names of what a difference leaves behind when --wave gives none.
constexpr const char* kDefaultStem = "cuvette_lockstep";

bool is_device(const std::string& name) {
  return name.rfind(kDevice, 0) == 0;
}
bool is_compared(const std::string& name) {
  return name.rfind("lockstep", 0) == 0 || is_device(name);
}

ip::ValuLockstep::Options lockstep_options(const machine::Description& d, bool device) {
  ip::ValuLockstep::Options options;
  if (!device) options.timing.kind = machine::TimingRule::Kind::Exact;
  const auto check = d.lockstep_checks.find("valu");
  if (check == d.lockstep_checks.end()) return options;
  options.share = check->second.share;
  if (check->second.timing_given) options.timing = check->second.timing;
  return options;
}

}  // namespace

struct RtlBlocks::Watched {
  machine::Description description;
  std::string wave;
  valu::Registry valus;                           // as ip registers them
  std::vector<const ip::ValuLockstep*> lockstep;  // owned by the GPU
  std::string device = "rtl", library;            // what is compared: "rtl" or "dut:NAME"
  std::string told;                               // the report of the first difference

  std::string scope() const {
    const unsigned all = description.compute_units * description.compute_unit.simds;
    std::string text = "valu";
    if (device != "rtl") text += " " + device;
    text += lockstep.size() == all
                ? fmt::format(" of all {} SIMDs", all)
                : fmt::format(" of compute unit 0 SIMD 0, tlm in the other {} SIMDs", all - 1);
    const uint32_t share = lockstep.front()->options().share;
    if (share > 1) text += fmt::format(", sampled 1/{}", share);
    return text;
  }

  const ip::ValuLockstep* first_difference() const {
    const ip::ValuLockstep* first = nullptr;
    const auto key = [](const ip::ValuLockstep& l) {
      return std::tuple(l.mismatch()->time, l.config().compute_unit, l.config().simd);
    };
    for (const auto* l : lockstep) {
      if (l->mismatch() && (first == nullptr || key(*l) < key(*first))) first = l;
    }
    return first;
  }

  /// The report with what follows it: the file of transactions, the rerun, the command.
  std::string tell(const ip::ValuLockstep& lockstep_of) const {
    const ip::ValuMismatch& m = *lockstep_of.mismatch();
    ip::ValuRecording recording;
    recording.device = device;
    std::error_code ignored;
    if (!library.empty()) {
      recording.library = std::filesystem::absolute(library, ignored).lexically_normal().string();
    }
    recording.target = lockstep_of.config().target;
    recording.seed = lockstep_of.config().seed;
    recording.compute_unit = m.compute_unit;
    recording.simd = m.simd;
    recording.timing = lockstep_of.options().timing;
    recording.field = m.field;
    recording.transactions = m.transactions;
    return "lockstep: " + m.report + after_difference(recording, wave, kDefaultStem);
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
  const auto stop = [tell = std::move(on_mismatch)](const ip::ValuMismatch&) { tell(); };
  ip::register_valu(w.valus, stop, lockstep_options(w.description, false));
  const auto chosen = w.description.implementations.find("valu");
  if (chosen != w.description.implementations.end() && is_device(chosen->second)) {
    const std::string name = chosen->second.substr(std::string(kDevice).size());
    const auto library = w.description.devices.find(name);
    if (library == w.description.devices.end()) {
      return base::Error(
          fmt::format("block valu: no library is given for '{}', expected "
                      "{{name: {}, library: FILE}} in the machine description",
                      chosen->second, chosen->second));
    }
    auto loaded = ip::load_valu_dut(library->second);
    if (!loaded) return loaded.error();
    ip::register_valu_dut(w.valus, name, *loaded, stop, lockstep_options(w.description, true));
    w.device = chosen->second;
    w.library = library->second;
  }
  for (const auto& name : w.valus.names()) {
    registries.valus.add(name, [&w, name](const valu::Config& config) {
      auto made = w.valus.make(name, config);
      if (made != nullptr && is_compared(name)) {
        w.lockstep.push_back(static_cast<const ip::ValuLockstep*>(made.get()));
      }
      return made;
    });
  }
  return {};
}

void RtlBlocks::report(EngineReport& report) const {
  Watched& w = *watched_;
  if (w.lockstep.empty()) return;
  report.lockstep_scope = w.scope();
  report.lockstep_items.clear();
  report.lockstep_mismatches = 0;
  for (const auto* valu : w.lockstep) {
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
  if (const ip::ValuLockstep* first = w.first_difference()) {
    if (w.told.empty()) w.told = w.tell(*first);
    report.failures.push_back(w.told);
  }
  if (report.lockstep_items["lanes"] == 0 && report.lockstep_items["masks"] == 0) {
    report.failures.push_back("lockstep compared nothing: the kernel never used the block");
  }
}

#else

struct RtlBlocks::Watched {};
RtlBlocks::RtlBlocks(const machine::Description&, std::string) {}
RtlBlocks::~RtlBlocks() = default;
base::Status RtlBlocks::add_to(gpu::Registries&, std::function<void()>) {
  return {};
}
void RtlBlocks::report(EngineReport&) const {}

#endif

}  // namespace cuvette::run
