// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command_processor/command_processor.h"

namespace cuvette::host {

/// A wave that is resident, and what it waits for.
struct HangWave {
  static constexpr uint32_t kNone = 0xffffffff;
  uint32_t queue = kNone;             ///< of its dispatch
  uint64_t packet = 0;                ///< number of its dispatch's packet
  uint64_t wave = 0;                  ///< unique for the run
  uint32_t workgroup = 0, index = 0;  ///< work-group as the engine numbers it; wave in it
  uint32_t compute_unit = kNone, simd = kNone, slot = kNone;  ///< kNone: the engine has no place
  bool begun = true, at_barrier = false, halted = false, ending = false;
  uint64_t pc = 0;                     ///< byte address of the next instruction
  uint32_t vm = 0, lgkm = 0, exp = 0;  ///< counts of outstanding operations
  /// Words; kernel and instruction may be empty.
  std::string kernel, instruction, waits_for;
};

/// Queue and waves of a machine at one instant: who waits for whom.
struct HangReport {
  std::vector<command_processor::QueueReport> queues;
  std::vector<HangWave> waves;  ///< resident ones; golden: those of the dispatch that stands
  /// By the address of its descriptor; empty: nobody knows.
  std::vector<std::pair<uint64_t, std::string>> kernels;

  /// Name of the kernel with that descriptor; empty: nobody knows.
  std::string kernel_name(uint64_t object) const;
};

/// Sets the packet of a wave from its dispatch, by spi::Dispatch::id. 0, or one of no packet:
/// unchanged.
void tell_packet(const HangReport& report, uint32_t dispatch, HangWave& wave);
/// "waiting", ...
const char* name_of(command_processor::QueueReport::State state);
/// Condition that the next packet of a queue waits for; empty: none.
std::string waits_for(const command_processor::QueueReport& queue);
/// The whole report, a line per queue, packet and wave, each ended by '\n'.
std::string text_of(const HangReport& report);

}  // namespace cuvette::host
