// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/rtl_blocks.h"

#include <functional>
#include <utility>

#ifdef CUVETTE_WITH_RTL
#include "ip/common/first_difference.h"
#include "run/kit_blocks.h"
#endif

namespace cuvette::run {

#ifdef CUVETTE_WITH_RTL

struct RtlBlocks::Watched {
  machine::GpuConfig description;
  KitBlocks kit;
  std::string told;  ///< the report of the first difference
};

RtlBlocks::RtlBlocks(const machine::GpuConfig& description, LockstepFiles files,
                     std::set<std::string> asked)
    : watched_(
          std::make_unique<Watched>(description, KitBlocks(std::move(files), std::move(asked)))) {}
RtlBlocks::~RtlBlocks() = default;

base::Status RtlBlocks::add_to(gpu::Registries& registries, std::function<void()> on_mismatch) {
  return watched_->kit.add_to(watched_->description, registries, on_mismatch);
}

void RtlBlocks::report(EngineReport& report) const {
  Watched& w = *watched_;
  if (w.kit.empty()) return;
  report.lockstep_scope.clear();
  report.lockstep_items.clear();
  report.lockstep_mismatches = 0;
  w.kit.report(report);
  const ip::LockstepView* const first = ip::first_to_differ(w.kit.objects());
  if (first == nullptr) return;
  if (w.told.empty()) {
    w.told = "lockstep: " + first->mismatch()->report + "\n" + w.kit.after_difference(*first);
  }
  report.failures.push_back(w.told);
}

void RtlBlocks::write_files(EngineReport& report) const {
  if (!watched_->told.empty()) return;  // those of a difference are written with it
  watched_->kit.write_files(report);
}

void RtlBlocks::conclude(EngineReport& report) const {
  watched_->kit.conclude(report);
}

#else

struct RtlBlocks::Watched {};
RtlBlocks::RtlBlocks(const machine::GpuConfig&, LockstepFiles, std::set<std::string>) {}
RtlBlocks::~RtlBlocks() = default;
base::Status RtlBlocks::add_to(gpu::Registries&, std::function<void()>) {
  return {};
}
void RtlBlocks::report(EngineReport&) const {}
void RtlBlocks::write_files(EngineReport&) const {}
void RtlBlocks::conclude(EngineReport&) const {}

#endif

}  // namespace cuvette::run
