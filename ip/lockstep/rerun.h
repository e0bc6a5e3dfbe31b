// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ip/common/recording.h"
#include "ip/lockstep/mismatch.h"

namespace cuvette::ip {

/// A block in lockstep that stands alone: the object that has its channels, and its view.
struct LoneBlock {
  std::shared_ptr<void> owner;   ///< keeps the block alive
  LockstepView* view = nullptr;  ///< view of `owner`
};

/// Factory of the block that a line of a recording describes. Errors go to the line, or say why the
/// device cannot be made.
using MakeLone = std::function<base::Result<LoneBlock>(
    const std::string& block, const RecordingHead& head, recording::Line& config)>;

/// Cycles of which a rerun shows waveforms.
struct WaveWindow {
  std::string path;  ///< empty: none; further blocks of a recording have their number in the name
  machine::Cycle first = 0, last = machine::kNever;  ///< both ends included
};

/// Result of a rerun, block by block.
struct Rerun {
  struct Block {
    RecordingHead head;                     ///< its line of the recording
    BlockPlace place;                       ///< in the machine that was recorded
    ComparedItems items;                    ///< numbers of compared items
    uint64_t offered = 0;                   ///< messages to the device
    uint64_t compared = 0;                  ///< values
    std::optional<BlockMismatch> mismatch;  ///< first difference, if any
    std::string wave;                       ///< the file; empty: none
  };
  std::vector<Block> blocks;  ///< in the order of the recording
};

/// Serves the blocks of a recording alone, each with a reference and a device of its own, cycle for
/// cycle as the machine did. After a difference the rest of the block's events is passed over,
/// after the end of the window too. `library`: in place of that of a user's device; empty: the
/// recorded one. Errors: the file, with the line; a device that cannot be made; waveforms that
/// cannot be written.
base::Result<Rerun> rerun_blocks(const std::string& path, const MakeLone& make,
                                 const WaveWindow& waves = {}, const std::string& library = {});

}  // namespace cuvette::ip
