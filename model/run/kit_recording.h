// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ip/lockstep/mismatch.h"
#include "ip/lockstep/rerun.h"
#include "run/engine.h"
#include "run/lockstep_files.h"

namespace cuvette::run {

/// Recorder of the blocks on the generic lockstep kit: writes what moves at their pins, and shows
/// it again on the block alone, with waveforms.
class KitRecording {
 public:
  explicit KitRecording(LockstepFiles files) : files_(std::move(files)) {}

  /// Opens the recording when the files ask for one. Errors: it cannot be written.
  base::Status open();
  /// A block that was made. `head`: device, library, target, seed, rule of times; `config`: of the
  /// block.
  void adopt(ip::LockstepView& block, ip::RecordingHead head, ip::recording::Json config);
  /// Lines that follow the report of a difference: the files, whether the block alone shows it, the
  /// command for another rerun. Cannot be called twice.
  std::string after_difference(const ip::LockstepView& block);
  /// After a run without a difference: the recording is complete, waveforms are written. Files and
  /// errors go to the report.
  void finish(EngineReport& report);

 private:
  /// The name of the recording.
  std::string name() const;
  ip::WaveWindow window() const;

  LockstepFiles files_;
  std::unique_ptr<ip::Recorder> recorder_;
  std::map<const ip::LockstepView*, ip::recording::Json> heads_;
};

}  // namespace cuvette::run
