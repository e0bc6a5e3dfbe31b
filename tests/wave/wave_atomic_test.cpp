// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wave/atomic.h"

// Float atomics (decisions.md D8): values by hand. Integer ones: hsa_memory_test.
namespace cuvette::wave {
namespace {

using base::AtomicOp;

struct Atomic {
  AtomicOp op;
  unsigned bits;
  uint64_t old, data, expected;
  uint64_t compare = 0;
};

constexpr uint32_t kHalf = 0x3f000000, kOne = 0x3f800000, kOneAndHalf = 0x3fc00000,
                   kMinusTwo = 0xc0000000, kMinusZero = 0x80000000, kNan = 0x7fc00000,
                   kInfinity = 0x7f800000;

TEST(WaveAtomic, Floats) {
  const Atomic cases[] = {
      {AtomicOp::FAdd, 32, kOneAndHalf, 0x40100000, 0x40700000},  // 1.5 + 2.25
      {AtomicOp::FAdd, 32, kOne, 0x33800000, kOne},               // 1 + 2^-24: tie, even stays
      {AtomicOp::FAdd, 32, 0x3f800001, 0x33800000, 0x3f800002},   // tie, odd goes up
      {AtomicOp::FAdd, 32, 0x7f7fffff, 0x7f7fffff, kInfinity},
      {AtomicOp::FMin, 32, kOneAndHalf, kMinusTwo, kMinusTwo},
      {AtomicOp::FMin, 32, kMinusTwo, kOneAndHalf, kMinusTwo},
      {AtomicOp::FMin, 32, 0, kMinusZero, kMinusZero},
      {AtomicOp::FMin, 32, kNan, kHalf, kHalf},
      {AtomicOp::FMax, 32, kOneAndHalf, kMinusTwo, kOneAndHalf},
      {AtomicOp::FMax, 32, kMinusTwo, kOneAndHalf, kOneAndHalf},
      {AtomicOp::FMax, 32, kMinusZero, 0, 0},
      {AtomicOp::FMax, 32, kHalf, kNan, kHalf},
      {AtomicOp::FCmpSwap, 32, kHalf, kOne, kOne, kHalf},
      {AtomicOp::FCmpSwap, 32, kHalf, kOne, kHalf, kMinusTwo},
      {AtomicOp::FCmpSwap, 32, 0, kOne, kOne, kMinusZero},  // equal numbers, not equal bits
      {AtomicOp::FCmpSwap, 32, kNan, kOne, kNan, kNan},     // equal bits, not equal numbers
      {AtomicOp::FAdd, 64, 0x3ff8000000000000, 0x4002000000000000, 0x400e000000000000},
      {AtomicOp::FMin, 64, 0x3ff8000000000000, 0xc000000000000000, 0xc000000000000000},
      {AtomicOp::FMax, 64, 0x3ff8000000000000, 0xc000000000000000, 0x3ff8000000000000},
      // High halves 1 + 3, low halves 2 + 0.5.
      {AtomicOp::PkAddF16, 32, 0x3c004000, 0x42003800, 0x44004100},
      {AtomicOp::PkAddBf16, 32, 0x3f804000, 0x40403f00, 0x40804020},
  };
  for (const Atomic& c : cases) {
    for (const bool flush : {false, true}) {
      EXPECT_EQ(apply_atomic(c.op, c.old, c.data, c.compare, c.bits, flush, flush), c.expected)
          << std::hex << static_cast<int>(c.op) << " " << c.bits << " " << c.old << " " << c.data;
    }
  }
}

TEST(WaveAtomic, Subnormals) {
  // The least subnormal twice: kept, or flushed as operand; half the least normal times two from
  // normal numbers: flushed as result.
  EXPECT_EQ(apply_atomic(AtomicOp::FAdd, 1, 1, 0, 32, false, false), 2u);
  EXPECT_EQ(apply_atomic(AtomicOp::FAdd, 1, 1, 0, 32, true, false), 0u);
  EXPECT_EQ(apply_atomic(AtomicOp::FAdd, 0x00c00000, 0x80800000, 0, 32, false, false), 0x00400000u);
  EXPECT_EQ(apply_atomic(AtomicOp::FAdd, 0x00c00000, 0x80800000, 0, 32, false, true), 0u);
  // F64 and packed ones keep them whatever is asked for.
  EXPECT_EQ(apply_atomic(AtomicOp::FAdd, 1, 1, 0, 64, true, true), 2u);
}

}  // namespace
}  // namespace cuvette::wave
