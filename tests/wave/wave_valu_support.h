// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"
#include "test_vectors.h"
#include "wave/execute.h"
#include "wave/state.h"

// Runs one vector instruction on registers that hold given lane values.
namespace cuvette::wave::test {

inline constexpr unsigned kSourceBase = 16;  ///< source s in VGPRs kSourceBase + 8 * s and up
using cuvette::test::batches;

inline constexpr unsigned kDestination = 64;
inline constexpr uint64_t kAllLanes = ~uint64_t{0};

using Values = std::array<uint64_t, 64>;

/// The VOP row of a mnemonic on a target; fails the test when there is none.
const isa::Row& vop_row(std::string_view mnemonic, isa::Target target);

struct Case {
  std::string mnemonic;
  isa::Target target = isa::Target::Gfx908;
  isa::Encoding encoding = isa::Encoding::Native;
  isa::Modifiers mod;
  uint32_t mode = kDefaultMode;
  uint64_t exec = kAllLanes;
  uint64_t vcc = 0;
  Values src[3] = {};
  Values src2_high = {};  ///< upper 64 bits of a 128-bit third source
  Values old = {};        ///< destination before
};

struct Outputs {
  Values dst = {};
  Values dst_high = {};
  uint64_t mask = 0;  ///< VCC after
  uint64_t exec = 0;
  uint32_t trapsts = 0;
  Event event = Event::None;
};

/// The instruction of a case with every operand in VGPRs and masks in VCC. Remembers the row.
isa::Instruction instruction_of(const Case& c);
/// Ids (isa::row_id) of the rows of which an instruction was made so far. A test that makes one
/// checks what it computes.
const std::set<std::string>& rows_used();
Outputs run(const Case& c);

/// A wave with 128 VGPRs and 16 AccVGPRs.
struct Machine {
  Machine();
  std::vector<LaneRow> arch, acc;
  WaveState wave;
};

/// Corner patterns of a width, then seeded random ones: `count` in all.
std::vector<uint64_t> patterns(unsigned width, unsigned count, uint64_t seed);
/// The next number of a xorshift generator.
uint64_t next_random(uint64_t& state);

/// EXEC shapes every handler is run with.
inline constexpr uint64_t kExecShapes[] = {kAllLanes,
                                           0,
                                           1,
                                           uint64_t{1} << 63,
                                           0x5555555555555555,
                                           0xffff0000ffff0000,
                                           0x00000000ffffffff,
                                           0x8000000000000001};

}  // namespace cuvette::wave::test
