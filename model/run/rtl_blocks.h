// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "gpu/registries.h"
#include "machine/gpu_config.h"
#include "run/engine.h"

namespace cuvette::run {

/// The blocks of layer ip (RTL, lockstep, users' devices) in a GPU, and what their lockstep
/// compared. In builds without Verilator nothing is registered and nothing reported.
class RtlBlocks {
 public:
  /// `description` chooses devices and how they are compared; without one there is only our RTL.
  /// `asked`: blocks that the user chose beside it, which have to compare something.
  explicit RtlBlocks(const machine::GpuConfig& description = {}, LockstepFiles files = {},
                     std::set<std::string> asked = {});
  ~RtlBlocks();
  RtlBlocks(const RtlBlocks&) = delete;
  RtlBlocks& operator=(const RtlBlocks&) = delete;

  /// Adds `rtl`, `lockstep`, their checking variants, and the devices the description chooses.
  /// `on_mismatch` is called at the first difference, inside the simulation. Errors: a device's
  /// shared module that is not there or does not fit.
  base::Status add_to(gpu::Registries& registries, std::function<void()> on_mismatch);

  /// Items compared so far and differences, as long as the GPU lives. At the first difference the
  /// last transactions go to a file and are run again on the block alone (lockstep.md).
  void report(EngineReport& report) const;
  /// After the last dispatch, where no difference has left them: the files the constructor was
  /// reported, with waveforms of a block in lockstep, or its recording.
  void write_files(EngineReport& report) const;
  /// After the last dispatch: a block whose lockstep compared nothing in all of them is a failure,
  /// it proves nothing; but for RTL that the description alone chose, beside others that compared.
  void conclude(EngineReport& report) const;

 private:
  struct Watched;
  std::unique_ptr<Watched> watched_;
};

}  // namespace cuvette::run
