// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Decoded code that golden keeps between dispatches (golden/program.h), and its waves.
#include <gtest/gtest.h>

#include "golden/wave.h"

namespace cuvette::golden {
namespace {

constexpr isa::Target kTarget = isa::Target::Gfx908;
constexpr uint32_t kEndProgram = 0xbf810000, kIllegal = 0xffffffff;

/// s_movk_i32 s0, value
constexpr uint32_t move(uint16_t value) {
  return 0xb0000000u | value;
}

struct Machine {
  hsa::DeviceMemory memory;
  Program program{memory, kTarget};
  MemoryPort port{memory};
  uint64_t code = 0;

  Machine() {
    hsa::DeviceMemory::Options options;
    options.permitted = hsa::Access::Execute;
    code = *memory.allocate(4096, options);
  }
  void write(uint64_t offset, std::initializer_list<uint32_t> words) {
    ASSERT_TRUE(memory.poke(code + offset, words.begin(), 4 * words.size()).ok());
  }
  /// Value of s0 after a run from `offset` on; -1 when it fails.
  int64_t run(uint64_t offset) {
    Workgroup group;
    group.waves = 1;
    Wave w(kTarget, 4, 4);
    w.group = &group;
    w.state.s.pc = code + offset;
    w.state.s.set_exec(~uint64_t{0});
    w.run(1000, program, port, nullptr);
    return w.status == WaveStatus::Ended ? int64_t{w.state.s.sgpr[0]} : -1;
  }
  uint64_t counted() {
    uint64_t all = 0;
    for (const auto& [row, count] : program.executed()) all += count;
    return all;
  }
};

TEST(GoldenProgram, RewrittenCode) {
  Machine m;
  // Two places on different pages, the second across the end of one.
  m.write(0, {move(1), kEndProgram});
  m.write(2044, {move(2), kEndProgram});
  EXPECT_EQ(m.run(0), 1);
  EXPECT_EQ(m.run(2044), 2);
  EXPECT_EQ(m.counted(), 4u);
  m.program.renew();
  EXPECT_EQ(m.counted(), 0u);
  EXPECT_EQ(m.run(0), 1);
  EXPECT_EQ(m.counted(), 2u);
  // Not seen before renew(), like an instruction cache.
  m.write(0, {move(3)});
  EXPECT_EQ(m.run(0), 1);
  m.program.renew();
  EXPECT_EQ(m.run(0), 3);
  EXPECT_EQ(m.run(2044), 2);
  m.write(2048, {move(4), kEndProgram});
  m.program.renew();
  EXPECT_EQ(m.run(2044), 4);
  // Words that were no instruction, and words that are none any more.
  m.write(1024, {kIllegal, kEndProgram});
  EXPECT_EQ(m.run(1024), -1);
  m.program.renew();
  m.write(1024, {move(5)});
  EXPECT_EQ(m.run(1024), 5);
  m.write(0, {kIllegal});
  m.program.renew();
  EXPECT_EQ(m.run(0), -1);
}

TEST(GoldenProgram, CodeThatIsNoLongerMapped) {
  Machine m;
  m.write(0, {move(1), kEndProgram});
  EXPECT_EQ(m.run(0), 1);
  ASSERT_TRUE(m.memory.free(m.code).ok());
  m.program.renew();
  EXPECT_EQ(m.run(0), -1);
}

TEST(GoldenProgram, RegistersOfAnEndedWave) {
  Machine m;
  m.write(0, {move(1), kEndProgram});
  m.run(0);
  EXPECT_FALSE(m.program.accumulates());
  m.write(1024, {0xd3d94001, 0x18000081, kEndProgram});  // v_accvgpr_write_b32 a1, 1
  m.run(1024);
  EXPECT_TRUE(m.program.accumulates());
  m.program.renew();
  m.write(0, {move(2)});
  m.program.renew();
  EXPECT_TRUE(m.program.accumulates());

  Wave w(kTarget, 4, 4);
  for (unsigned r = 0; r < 4; ++r) {
    w.state.v.arch[r].fill(7);
    w.state.v.acc[r].fill(8);
  }
  w.state.s.sgpr[3] = 9;
  w.renew(false);
  EXPECT_EQ(w.state.v.arch[3][63], 0u);
  EXPECT_EQ(w.state.s.sgpr[3], 0u);
  w.renew(true);
  EXPECT_EQ(w.state.v.acc[0][0], 0u);
  EXPECT_EQ(w.state.v.acc[3][63], 0u);
  EXPECT_EQ(w.state.v.acc_count, 4u);
}

}  // namespace
}  // namespace cuvette::golden
