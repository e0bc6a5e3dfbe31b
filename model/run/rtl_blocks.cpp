// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/rtl_blocks.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#ifdef CUVETTE_WITH_RTL
#include "ip/register_valu.h"
#endif

namespace cuvette::run {

struct RtlBlocks::Watched {
#ifdef CUVETTE_WITH_RTL
  valu::Registry valus;                           // as ip registers them
  std::vector<const ip::ValuLockstep*> lockstep;  // owned by the GPU
#endif
};

RtlBlocks::RtlBlocks() : watched_(std::make_unique<Watched>()) {}
RtlBlocks::~RtlBlocks() = default;

#ifdef CUVETTE_WITH_RTL

void RtlBlocks::add_to(gpu::Registries& registries, std::function<void()> on_mismatch) {
  ip::register_valu(watched_->valus,
                    [stop = std::move(on_mismatch)](const ip::ValuMismatch&) { stop(); });
  for (const auto& name : watched_->valus.names()) {
    const bool lockstep = name.rfind("lockstep", 0) == 0;
    registries.valus.add(name, [this, name, lockstep](const valu::Config& config) {
      auto made = watched_->valus.make(name, config);
      if (lockstep) watched_->lockstep.push_back(static_cast<const ip::ValuLockstep*>(made.get()));
      return made;
    });
  }
}

void RtlBlocks::report(EngineReport& report) const {
  if (watched_->lockstep.empty()) return;
  report.lockstep_scope = fmt::format("valu of all {} SIMDs", watched_->lockstep.size());
  report.lockstep_items.clear();
  report.lockstep_mismatches = 0;
  for (const auto* valu : watched_->lockstep) {
    const ip::ValuCounts& counts = valu->counts();
    report.lockstep_items["lanes"] += counts.lanes;
    report.lockstep_items["masks"] += counts.masks;
    report.lockstep_items["write sets"] += counts.write_sets;
    report.lockstep_items["flags"] += counts.flags;
    if (const auto& mismatch = valu->mismatch()) {
      ++report.lockstep_mismatches;
      report.failures.push_back("lockstep: " + mismatch->report);
    }
  }
  if (report.lockstep_items["lanes"] == 0 && report.lockstep_items["masks"] == 0) {
    report.failures.push_back("lockstep compared nothing: the kernel never used the block");
  }
}

#else

void RtlBlocks::add_to(gpu::Registries&, std::function<void()>) {}
void RtlBlocks::report(EngineReport&) const {}

#endif

}  // namespace cuvette::run
