// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compute_unit/wave_context.h"
#include "spi/wave_launch.h"
#include "wave/operand.h"

// Inspection and end of waves from outside, the same in all implementations of the compute unit.
namespace cuvette::compute_unit {

/// Issues nothing until a debugger or a Save comes.
inline bool is_halted(const WaveContext& w) {
  constexpr uint32_t kBits = wave::kStatusHalt | wave::kStatusPriv;  // a trap handler is not halted
  return (w.state.s.status & kBits) == wave::kStatusHalt && !w.saves;
}

/// True if a command (other than Attach, Detach and Save, which concern all) is about this wave.
bool is_meant(const spi::WaveCommand& command, const Identity& wave);

/// A vector register in the index space of SQ_IND_INDEX.
struct VectorIndex {
  bool acc = false;  ///< an AccVGPR
  uint32_t row = 0;  ///< of the allocation of the wave
};
std::optional<VectorIndex> vector_index(uint32_t index, const Identity& wave);
/// Any other register there. `words`: the `held` instruction words at PC that have been fetched.
std::optional<uint32_t> inspect_scalar(const WaveContext& wave, uint32_t index,
                                       const uint32_t* words, unsigned held);

/// Compute unit `unit`, wave, PC and instruction as messages name them; `i` may be null.
std::string place_of(unsigned unit, const WaveContext& wave, uint64_t pc,
                     const isa::Instruction* i);
/// A report but for the counters of memory, the instruction and what the wave waits for.
WaveReport report_of(const WaveContext& wave);

/// Record of a wave that has ended.
spi::WaveDone done_of(const WaveContext& wave);

/// Adds the instructions by unit, and all of them, from those by row.
void count_units(ComputeUnit::Counters& counters);

}  // namespace cuvette::compute_unit
