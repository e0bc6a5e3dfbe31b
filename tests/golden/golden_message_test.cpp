// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Messages of waves to the host on the golden machine, and that they have halted.
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/wave.h"
#include "wave/operand.h"

namespace cuvette::golden {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Words from LLVM's assembler.
constexpr uint32_t kGetDoorbell = 0xbf90000a;  // s_sendmsg sendmsg(MSG_GET_DOORBELL)
constexpr uint32_t kInterrupt = 0xbf900001;    // s_sendmsg sendmsg(MSG_INTERRUPT)
constexpr uint32_t kMove0 = 0xbe8d007e;        // s_mov_b32 s13, exec_lo
constexpr uint32_t kSetM0 = 0xbefc0091;        // s_mov_b32 m0, 17
constexpr uint32_t kHaltBit = 0xbe8000ff;      // s_mov_b32 s0, 0x2000
constexpr uint32_t kSetStatus = 0xb900f802;    // s_setreg_b32 hwreg(HW_REG_STATUS), s0
constexpr uint32_t kMove7 = 0xbe8d0087;        // s_mov_b32 s13, 7
constexpr uint32_t kEnd = 0xbf810000;          // s_endpgm

class Message : public ::testing::TestWithParam<bool> {
 protected:
  void run(std::vector<uint32_t> words) {
    hsa::DeviceMemory memory;
    hsa::DeviceMemory::Options options;
    options.permitted = hsa::Access::Execute;
    const uint64_t base = *memory.allocate(4096, options);
    words.push_back(kEnd);
    ASSERT_TRUE(memory.poke(base, words.data(), 4 * words.size()).ok());
    Program program(memory, isa::Target::Gfx908);
    MemoryPort port(memory);
    Workgroup group;
    group.waves = 1;
    const std::function<void(uint32_t, uint32_t)> hear = [this](uint32_t message, uint32_t m0) {
      heard_.emplace_back(message, m0);
    };
    Wave w(isa::Target::Gfx908, 8, 0);
    w.group = &group;
    w.uses_micro_ops = GetParam();
    w.doorbell = 0x155;
    w.on_message = &hear;
    w.state.alloc.vgprs = 8;
    w.state.s.status = wave::kStatusPriv;
    w.state.s.pc = base;
    w.state.s.set_exec(~uint64_t{0});
    w.run(100, program, port, nullptr);
    status_ = w.status;
    failure_ = w.failure;
    s13_ = w.state.s.sgpr[13];
    exec_ = w.state.s.exec();
  }

  std::vector<std::pair<uint32_t, uint32_t>> heard_;
  WaveStatus status_ = WaveStatus::Running;
  std::string failure_;
  uint32_t s13_ = 0;
  uint64_t exec_ = 0;
};

TEST_P(Message, TheDoorbellIsAnsweredInExec) {
  run({kGetDoorbell, kMove0});
  EXPECT_EQ(status_, WaveStatus::Ended);
  EXPECT_EQ(s13_, 0x155u);
  EXPECT_EQ(exec_, 0x155u);
  EXPECT_TRUE(heard_.empty());
}

TEST_P(Message, OthersAreHeardWithM0) {
  run({kSetM0, kInterrupt, kInterrupt});
  EXPECT_EQ(status_, WaveStatus::Ended);
  EXPECT_THAT(heard_, ElementsAre(Pair(1u, 17u), Pair(1u, 17u)));
}

/// As trap handlers of runtimes end a wave.
TEST_P(Message, AWaveHaltsBySetreg) {
  run({kHaltBit, 0x2000, kSetStatus, kMove7});
  EXPECT_EQ(status_, WaveStatus::Failed);
  EXPECT_THAT(failure_, HasSubstr("wave halted itself"));
  EXPECT_EQ(s13_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Executors, Message, testing::Bool());

}  // namespace
}  // namespace cuvette::golden
