// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "golden/launch.h"
#include "golden/machine.h"
#include "golden/memory_port.h"
#include "golden/program.h"
#include "wave/stream_series.h"

namespace cuvette::golden {

/// Many waves of a dispatch at once, where they are nothing but a stream (wave/stream_waves.h), in
/// the order in which they would run alone.
class Series {
 public:
  Series(const LaunchPlan& plan, const Config& config, Program& program, MemoryPort& port);

  /// Waves from the first one of work-group `group` on, while no other ones are under way; they
  /// have ended and are counted in `program`. `most` instructions, `most_waves`. `used` is a wave
  /// to launch with or null, and one to use again afterwards. Returns how many waves were run.
  uint64_t run(uint64_t group, uint64_t most, uint64_t most_waves, std::unique_ptr<Wave>& used);

  /// Whether the whole dispatch is such waves, but for a smaller work-group at its end, and no
  /// work-group stores where another one loads or stores: their order is nobody's business.
  bool keeps_apart(std::unique_ptr<Wave>& used);

  /// Of each of these waves, after run().
  uint64_t instructions() const { return instructions_; }

 private:
  std::optional<wave::StreamSeries> find(uint64_t group, std::unique_ptr<Wave>& used);
  bool look(std::unique_ptr<Wave>& wave, uint64_t group, unsigned index,
            wave::StreamWaves::Seen& seen);

  const LaunchPlan& plan_;
  const Config& config_;
  Program& program_;
  MemoryPort& port_;
  uint64_t whole_groups_ = 0;  ///< all of whose waves have 64 work-items; 0: nothing to be done
  const Program::Straight* code_ = nullptr;
  uint64_t instructions_ = 0;
};

}  // namespace cuvette::golden
