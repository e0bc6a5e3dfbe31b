// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Translations of a core in C++ whose questions and answers are on pins.
#include "ip/pin_address_space.h"

#include <gtest/gtest.h>

namespace cuvette::ip::dut {
namespace {

TEST(PinAddressSpace, AnswerReachesTheCoreInTheCycleItIsThere) {
  PinAddressSpace space;
  hsa::Translation found;
  EXPECT_FALSE(space.run(5, [&] { found = space.translate(1, 0x1040, hsa::Access::Read); }));
  EXPECT_FALSE(space.run(6, [] {}));
  memory::TranslateResponse answer{};
  answer.pa = 0x9040;
  answer.bytes = 64;
  space.answers.push(answer, 9);
  EXPECT_FALSE(space.run(8, [] {}));
  EXPECT_TRUE(space.run(9, [] {}));
  EXPECT_EQ(found.pa, 0x9040u);
  EXPECT_EQ(found.bytes, 64u);
}

// The core goes on to the end of its cycle, past further questions: it has no other way out.
TEST(PinAddressSpace, StopAnswersOpenAndLaterQuestionsWithAFault) {
  PinAddressSpace space;
  int faults = 0;
  EXPECT_FALSE(space.run(5, [&] {
    for (const uint64_t va : {0x1000, 0x2000}) {
      faults += !space.translate(1, va, hsa::Access::Read).ok();
    }
  }));
  EXPECT_EQ(faults, 0);
  space.stop();
  EXPECT_EQ(faults, 2);
}

}  // namespace
}  // namespace cuvette::ip::dut
