// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "machine/gpu_config.h"
#include "simd/simd.h"

namespace cuvette::simd_program {

/// Wavefronts that take turns; each has rows of its own, the last one few of them.
inline constexpr unsigned kSlots = 4;

/// The rule that every cycle is compared.
machine::TimingRule exact();
/// An implementation by name, with the times of the ports; `seed` of its uninitialised state.
std::unique_ptr<simd::Simd> make(const char* name, uint64_t seed = 1);

/// `count` instructions of gfx908 that `block` implements, over every vector row in turn, with
/// random encodings, operands, modifiers, modes and EXEC. Ids count from 1.
std::vector<simd::Issue> mixed(const simd::Simd& block, size_t count, uint64_t seed);

/// Every vector row so many times in each encoding that it has. Ids count from 1.
std::vector<simd::Issue> every_encoding(const simd::Simd& block, unsigned copies, uint64_t seed);

/// Rows written past the channels before a program: all of both files, drawn from `seed`.
void fill_rows(simd::Simd& block, uint64_t seed);

/// Result of a run.
struct Run {
  machine::Cycle cycles = 0;
  uint64_t instructions = 0, beats = 0, rows = 0, hash = 0;
  bool complete = false;  ///< every instruction and every read was answered
};

/// Feeds `program` to `block`, with fills and reads of rows of wavefronts that have nothing under
/// way between them. Chances (of 8) per cycle of offering an instruction and of taking a beat.
/// Gives up after 256 cycles per instruction, or when `stop` says so. `reads`: rows are read too.
Run run(simd::Simd& block, const std::vector<simd::Issue>& program, unsigned offers, unsigned takes,
        uint64_t seed, const std::function<bool()>& stop = {}, bool reads = true);

}  // namespace cuvette::simd_program
