// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Loops of FLAT loads and stores that walk over the borders of the shared aperture, with memory
// right before or right behind it, at every level of the host: an access belongs where its address
// without the offset does (decision D54).
#include <random>

#include <gtest/gtest.h>

#include "steady_loop_run.h"

namespace cuvette::golden::steady {
namespace {

constexpr uint64_t kHere = uint64_t{2} << 32, kBehind = uint64_t{3} << 32;
constexpr uint64_t kBytes = 1 << 16;

class FlatLoop : public SteadyCodeTest {
 protected:
  explicit FlatLoop(uint64_t first) : SteadyCodeTest({kBytes, {{0, kBytes, true}}, first}) {}

  unsigned pick(uint64_t n) { return static_cast<unsigned>(random_() % n); }
  Op access(bool store, unsigned d, unsigned dwords) {
    Op op;
    op.kind = Op::Memory;
    op.flat = true;
    op.store = store;
    op.dwords = dwords;
    op.d = d;
    op.a = v(kPointer);
    if (pick(3) != 0) op.offset = static_cast<int32_t>(4 * pick(1023));
    return op;
  }
  std::vector<Op> body(unsigned dwords) {
    std::vector<Op> out;
    const unsigned accesses = 1 + pick(3);
    for (unsigned n = 0; n < accesses; ++n) out.push_back(access(false, kData + 4 * n, dwords));
    if (pick(2) == 0) out.push_back(valu(Do::AddF, kData, v(kData), v(kData + 4)));
    if (pick(2) == 0) out.push_back(access(true, kData, dwords));
    const bool down = pick(2) == 0;
    out.push_back(valu(down ? Do::SubrevCo : Do::AddCo, kPointer, s(kStep), v(kPointer)));
    out.push_back(
        valu(down ? Do::Subbrev : Do::Addc, kPointer + 1, {Operand::Constant, 0}, v(kPointer + 1)));
    return out;
  }
  void run(uint64_t border) {
    constexpr unsigned kCases = 400;
    for (unsigned n = 0; n < kCases && !HasFailure(); ++n) {
      random_.seed(n);
      const unsigned dwords = pick(3) == 0 ? 1 + pick(4) : 1;
      State before;
      for (LaneRow& row : before.rows) row.fill(static_cast<uint32_t>(random_()));
      before.memory = bytes_;
      before.lds = lds_;
      before.aperture = kHere;
      before.sgpr[kStep] = pick(4) == 0 ? 4 * pick(512) : 256 * dwords;
      before.sgpr[kCounter] = 1 + pick(24);
      before.sgpr[kOne] = 1;
      before.set_pair(isa::kExecLo, pick(6) == 0 ? random_() : ~uint64_t{0});
      const uint64_t start = border - 8192 + 4 * pick(4096);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const uint64_t here = start + uint64_t{4} * dwords * lane;
        before.rows[kPointer][lane] = static_cast<uint32_t>(here);
        before.rows[kPointer + 1][lane] = static_cast<uint32_t>(here >> 32);
      }
      judge(n, counted(body(dwords)), before, {});
    }
    EXPECT_GT(loops_, kCases / 2);
    EXPECT_GT(clean_, 0u);
    EXPECT_LT(clean_, kCases * 3 / 4);
  }

  std::mt19937_64 random_;
};

class FlatLoopBefore : public FlatLoop {
 protected:
  FlatLoopBefore() : FlatLoop(kHere - kBytes) {}
};
TEST_F(FlatLoopBefore, WalksIntoTheAperture) {
  ASSERT_EQ(memory_.begin, kHere - kBytes);
  run(kHere);
}

class FlatLoopBehind : public FlatLoop {
 protected:
  FlatLoopBehind() : FlatLoop(kBehind) {}
};
TEST_F(FlatLoopBehind, WalksOutOfTheAperture) {
  ASSERT_EQ(memory_.begin, kBehind);
  run(kBehind);
}

}  // namespace
}  // namespace cuvette::golden::steady
