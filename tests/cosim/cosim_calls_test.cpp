// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Calls of Cosim that cannot be right, what follows a mismatch, and what memory costs.
#include <gmock/gmock.h>

#include "cosim_device.h"
#include "golden/visible_memory.h"

namespace cuvette::golden::testing {
namespace {

using ::testing::HasSubstr;

const Words kMoveLiteral{0x7e0202ff, 5};  // v_mov_b32 v1, 5
const Words kGetStatus{0xb884f802};       // s_getreg_b32 s4, hwreg(HW_REG_STATUS)

uint64_t resident(const VisibleMemory& m) {
  return static_cast<const hsa::SparseMemory&>(m.initial().backing()).resident_bytes();
}

TEST(VisibleMemory, ZerosCostNothing) {
  constexpr uint64_t kFirst = 0x100000, kBytes = 0xc0000000;
  VisibleMemory m;
  const uint32_t word = 7;
  ASSERT_TRUE(m.load(kFirst + 0x1000, &word, 4).ok());
  const uint64_t before = resident(m);
  ASSERT_TRUE(m.load_zeros(kFirst, kBytes).ok());
  EXPECT_EQ(resident(m), before);
  uint32_t found = 1;
  ASSERT_TRUE(m.initial().read_value(kFirst + 0x1000, &found).ok());
  EXPECT_EQ(found, 0u) << "later contents win";
  EXPECT_TRUE(m.exists(kFirst + kBytes - 16, 16));
  EXPECT_FALSE(m.exists(kFirst + kBytes - 15, 16));
  EXPECT_FALSE(m.exists(kFirst - 1, 1));
}

TEST(VisibleMemory, WordsThatMeetShareMemory) {
  VisibleMemory m;
  constexpr uint32_t kWords = 1024;
  for (uint32_t n = 0; n < kWords; ++n) {
    const uint32_t at = n % 2 != 0 ? kWords - n : n;  // gaps that are filled later
    ASSERT_TRUE(m.load(0x1f000 + 4 * at, &at, 4).ok());
  }
  EXPECT_LE(resident(m), 2 * hsa::SparseMemory::kPageBytes);
  for (uint32_t n = 0; n < kWords; ++n) {
    uint32_t found = 0;
    ASSERT_TRUE(m.initial().read_value(0x1f000 + 4 * n, &found).ok());
    EXPECT_EQ(found, n);
  }
  EXPECT_FALSE(m.exists(0x1f000 + 4 * kWords, 1));
}

TEST(CosimCalls, TheNumberOfWordsCounts) {
  for (const uint8_t length : {0, 1, 2, 3}) {
    Device d;
    d.start(1, 0, {kMoveLiteral});
    auto r = d.record(1);
    r.vector_writes.push_back(Device::v(1, 5));
    r.instruction.length = length;
    for (unsigned n = length; n < 4; ++n) r.instruction.words[n] = 77;  // not looked at
    EXPECT_EQ(d.retire(r), length == 2);
    if (length == 2) continue;
    EXPECT_THAT(d.cosim->mismatch(), HasSubstr("number of words: expected 0x2, found"));
  }
}

TEST(CosimCalls, SteppingBeyondTheEndIsNoMismatch) {
  Device d;
  d.start(1, 0, {kEnd});
  d.start(2, 0, {kMove});
  EXPECT_TRUE(d.cosim->step(1).ok());
  const auto beyond = d.cosim->step(1);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().what, "wave 1 has ended");
  EXPECT_FALSE(d.cosim->failed());
  EXPECT_TRUE(d.cosim->step(2).ok());
}

TEST(CosimCalls, StepsObserveToo) {
  for (const bool observed : {true, false}) {
    Device d;
    d.start(1, 7, {kStore});
    d.start(2, 0, {kLoad});
    ASSERT_TRUE(d.cosim->step(1).ok());
    if (observed) {
      GOOD(d.observe(2, 7));
    }
    EXPECT_EQ(d.cosim->step(2).ok(), observed);
    EXPECT_EQ(d.cosim->failed(), !observed);
  }
}

TEST(CosimCalls, NothingChangesAfterAMismatch) {
  Device d;
  d.start(1, 0, {kMove, kMove});
  GOOD(d.move(1));
  EXPECT_FALSE(d.move(1, 8));
  ASSERT_TRUE(d.cosim->failed());
  const std::string first = d.cosim->mismatch();
  const uint32_t word = 0;
  EXPECT_FALSE(d.cosim->load(0x50000, &word, 4).ok());
  EXPECT_FALSE(d.cosim->load_code_object(0x200000, &word, 4).ok());
  CosimWave w;
  w.id = 9;
  const auto started = d.cosim->start(w);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().what, first);
  EXPECT_FALSE(d.cosim->launch({}, 0, 0, 10).ok());
  EXPECT_EQ(d.cosim->counts().instructions, 1u);
  EXPECT_EQ(d.cosim->mismatch(), first);
}

/// Declaration, the number of instructions of {store, load, end} before it, and the call that
/// reports it.
struct Declaration {
  uint64_t wave, order;
  uint8_t lane;
  unsigned retired;
  enum { Good, AtOnce, AtRetirement } found;
};

TEST(CosimCalls, DeclarationsOfWhatStoresNothing) {
  using D = Declaration;
  for (const D& c :
       {D{1, 0, 0, 0, D::Good}, D{1, 0, 0, 1, D::Good}, D{1, 0, 0, 3, D::Good},
        D{99, 0, 0, 0, D::AtOnce}, D{1, 0, 64, 0, D::AtOnce}, D{1, 0, 200, 1, D::AtOnce},
        D{1, 0, 7, 1, D::AtOnce}, D{1, 0, 7, 0, D::AtRetirement}, D{1, 1, 0, 1, D::AtOnce},
        D{1, 1, 0, 2, D::AtOnce}, D{1, 1, 0, 0, D::AtRetirement}, D{1, 2, 0, 3, D::AtOnce},
        D{1, 2, 0, 0, D::AtRetirement}, D{1, 5, 0, 0, D::AtRetirement}, D{1, 5, 0, 3, D::AtOnce}}) {
    SCOPED_TRACE(::testing::Message() << "wave " << c.wave << " order " << c.order << " lane "
                                      << unsigned{c.lane} << " after " << c.retired);
    Device d;
    d.start(1, 7, {kStore, kLoad, kEnd});
    const auto retire = [&](unsigned order) {
      return order == 0 ? d.store(1, 7) : order == 1 ? d.retire_load(1, 7) : d.retire(d.record(1));
    };
    for (unsigned order = 0; order < c.retired; ++order) GOOD(retire(order));
    ASSERT_EQ(d.cosim->observe_store(c.wave, c.order, c.lane, 1), c.found != D::AtOnce);
    bool good = true;
    for (unsigned order = c.retired; order < 3; ++order) good = good && retire(order);
    EXPECT_EQ(good, c.found == D::Good || (c.found == D::AtOnce && c.retired == 3));
    EXPECT_EQ(d.cosim->failed(), c.found != D::Good);
    EXPECT_THAT(d.cosim->mismatch(), HasSubstr(d.cosim->failed() ? "store" : ""));
  }
}

TEST(CosimCalls, RegistersATargetHas) {
  struct Case {
    uint16_t vgprs, accvgprs;
    bool good[isa::kTargets];
  };
  for (const Case& c :
       {Case{256, 0, {true, true, true, true, true}}, Case{8, 1, {false, false, true, true, true}},
        Case{256, 256, {false, false, true, true, true}},
        Case{257, 0, {false, false, false, true, true}},
        Case{8, 300, {false, false, false, true, true}},
        Case{256, 257, {false, false, false, false, false}}}) {
    for (const isa::Target target : isa::kAllTargets) {
      CosimOptions options;
      options.target = target;
      CosimWave w;
      w.vgprs = c.vgprs;
      w.accvgprs = c.accvgprs;
      EXPECT_EQ(Cosim::create(options)->start(w).ok(), c.good[isa::index_of(target)])
          << isa::name_of(target) << " " << c.vgprs << " " << c.accvgprs;
    }
  }
  CosimWave odd;
  odd.pc = 0x1002;
  EXPECT_FALSE(Cosim::create({})->start(odd).ok());
}

/// The record has what S_GETREG reads (MI100 ISA table 7): VALID, VCCZ and, here, no more.
TEST(CosimCalls, StatusOfTheRecord) {
  Device d;
  d.start(1, 0, {kGetStatus});
  const auto r = d.cosim->step(1);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->status, 0x10400u);
  ASSERT_EQ(r->scalar_writes.size(), 1u);
  EXPECT_EQ(r->scalar_writes[0].value, r->status);
  auto told = *r;
  told.status ^= 1u << 13;
  const wave::ScalarState after;
  told.scalar_writes.clear();
  auto expected = *r;
  expected.scalar_writes.clear();
  EXPECT_EQ(difference(expected, told, after), "");
  EXPECT_THAT(difference(expected, told, after, kCompareAll | kCompareStatusRegister),
              HasSubstr("status: expected 0x10400, found 0x12400"));
}

}  // namespace
}  // namespace cuvette::golden::testing
