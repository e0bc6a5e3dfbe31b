// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "golden/wave.h"
#include "steady_loop_ops.h"
#include "wave/lanes/host_float.h"

// Loops of steady_loop_ops.h on the golden model at every level of the host, against their
// evaluation.
namespace cuvette::golden::steady {

using wave::lanes::HostLevel;

inline constexpr uint64_t kNoLimit = 1000000;

/// How a loop is run.
struct Judgement {
  unsigned waves = 1;         ///< one after the other, each from the beginning
  uint64_t limit = kNoLimit;  ///< of instructions, per wave
  uint64_t slice[4] = {kNoLimit, kNoLimit, kNoLimit, kNoLimit};  ///< per level of the host
};

/// What the last wave did, and the short cuts there are.
struct Actual {
  State state;
  bool loop = false, once = false;
  bool stream = false;  ///< of the loop's, several pieces done as one
};
/// A wave before its first instruction, and memory.
void set_up(Wave& w, const State& before, uint64_t pc, PartsMemory& memory);
/// What a wave of some work-group has made of them; not which instruction is next.
State state_of(const Wave& w, PartsMemory& memory);

Actual run(const Code& code, uint64_t address, const State& before, PartsMemory& memory,
           HostLevel level, const Judgement& how);

/// All but the flags of floats, of which the evaluation knows nothing.
void expect_same(const State& want, const State& got, const std::string& what);

/// What all cases share: code, and memory and LDS with something in them.
class SteadyCodeTest : public testing::Test {
 protected:
  explicit SteadyCodeTest(const PartsMemory::Layout& layout = {});
  /// On every level of the host; counts what had short cuts with AVX2, and what did no wild access.
  void judge(unsigned seed, const Loop& loop, const State& before, const Judgement& how);

  PartsMemory memory_;
  uint64_t code_ = 0;
  std::vector<uint8_t> bytes_, lds_;
  unsigned loops_ = 0, onces_ = 0, streams_ = 0, clean_ = 0;
};

}  // namespace cuvette::golden::steady
