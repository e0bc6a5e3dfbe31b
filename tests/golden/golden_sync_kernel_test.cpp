// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Work-groups that wait for each other: global wave sync, the ordered count, and what happens when
// nobody comes.
#include "small_kernel.h"

namespace cuvette::golden::testing {
namespace {

/// Assembled by llvm-mc for gfx908. Work-group 0 makes resource 5 a barrier of four waves; all add
/// one per lane to a counter, meet at the barrier, store the counter they see, then take a number
/// from ordered counter 1.
const std::vector<uint32_t> kMeet = {
    0xc0060100, 0x00000000, 0xbf8cc07f, 0xbefc0080, 0xbf078002, 0xbf850004, 0x7e020283, 0xd9330005,
    0x00000001, 0xbf8cc07f, 0x7e040280, 0x7e060281, 0xdd088000, 0x00040302, 0xbf8c0f70, 0x7e020283,
    0xd93b0005, 0x00000001, 0xbf8cc07f, 0xdc508000, 0x04040002, 0x8e068202, 0x7e0a0206, 0xbf8c0f70,
    0xdc708010, 0x00040405, 0xd97f0104, 0x06000002, 0xbf8cc07f, 0xdc708040, 0x00040605, 0xbf810000};
constexpr size_t kInitValue = 6;  ///< v_mov_b32 v1, 3 before the init

/// One dispatch of four work-groups.
struct KernelRun : SmallKernel {
  Report report;

  explicit KernelRun(const std::vector<uint32_t>& code) : SmallKernel(code, 4, 4096) {
    Machine machine(memory, Config{});
    auto result = machine.run(request);
    EXPECT_TRUE(result.ok());
    if (result) report = *result;
  }
};

TEST(GoldenSyncKernel, WorkgroupsMeet) {
  KernelRun run(kMeet);
  for (const Failure& f : run.report.failures) ADD_FAILURE() << f.message;
  for (uint32_t group = 0; group < 4; ++group) {
    EXPECT_EQ(run.word(16 + 4 * group), 256u);  // everybody had added
    // The last wave to meet goes on first, but numbers are given in launch order.
    EXPECT_EQ(run.word(64 + 4 * group), 64 * group);
  }
  // 21 instructions a wave, three more in work-group 0; waiting does not count.
  EXPECT_EQ(run.report.instructions, 4u * 21 + 3);
}

TEST(GoldenSyncKernel, NobodyComes) {
  std::vector<uint32_t> code = kMeet;
  code[kInitValue] = 0x7e020284;  // v_mov_b32 v1, 4: a fifth wave is missing
  KernelRun run(code);
  ASSERT_EQ(run.report.failures.size(), 1u);
  EXPECT_EQ(run.report.failures[0].kind, Failure::Kind::Deadlock);
  EXPECT_NE(run.report.failures[0].message.find("waits for a global wave sync"), std::string::npos)
      << run.report.failures[0].message;
}

}  // namespace
}  // namespace cuvette::golden::testing
