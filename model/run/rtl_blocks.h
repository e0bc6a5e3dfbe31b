// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/registries.h"
#include "machine/description.h"
#include "run/engine.h"

namespace cuvette::run {

/// The blocks of layer ip (RTL, lockstep, users' devices) in a GPU, and what their lockstep
/// compared. In builds without Verilator nothing is registered and nothing reported.
class RtlBlocks {
 public:
  /// `description` chooses devices and how they are compared; without one there is only our RTL.
  /// `wave`: where a rerun writes its waveforms; empty: nowhere.
  explicit RtlBlocks(const machine::Description& description = {}, std::string wave = "");
  ~RtlBlocks();
  RtlBlocks(const RtlBlocks&) = delete;
  RtlBlocks& operator=(const RtlBlocks&) = delete;

  /// Adds `rtl`, `lockstep`, their checking variants, and the devices the description chooses.
  /// `on_mismatch` is called at the first difference, inside the simulation. Errors: a device's
  /// shared module that is not there or does not fit.
  base::Status add_to(gpu::Registries& registries, std::function<void()> on_mismatch);

  /// Items compared so far and differences, as long as the GPU lives. At the first difference the
  /// last transactions go to a file and are run again on the block alone (docs/lockstep.md).
  void report(EngineReport& report) const;
  /// After the last dispatch, where no difference has left waveforms: those of the last
  /// transactions of one block in lockstep, to the file the constructor was told.
  void write_waves(EngineReport& report) const;
  /// After the last dispatch: a block whose lockstep compared nothing in all of them is a failure,
  /// it proves nothing.
  void conclude(EngineReport& report) const;

 private:
  struct Watched;
  std::unique_ptr<Watched> watched_;
};

}  // namespace cuvette::run
