// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "gpu/registries.h"
#include "run/engine.h"

namespace cuvette::run {

/// The blocks of layer ip (RTL and lockstep) in a GPU, and what their lockstep compared. In builds
/// without Verilator nothing is registered and nothing reported.
class RtlBlocks {
 public:
  RtlBlocks();
  ~RtlBlocks();
  RtlBlocks(const RtlBlocks&) = delete;
  RtlBlocks& operator=(const RtlBlocks&) = delete;

  /// Adds `rtl`, `lockstep` and their checking variants. `on_mismatch` is called at the first
  /// difference, inside the simulation.
  void add_to(gpu::Registries& registries, std::function<void()> on_mismatch);

  /// Items compared so far and differences, as long as the GPU lives. Lockstep that compared
  /// nothing is a failure: it proves nothing.
  void report(EngineReport& report) const;

 private:
  struct Watched;
  std::unique_ptr<Watched> watched_;
};

}  // namespace cuvette::run
