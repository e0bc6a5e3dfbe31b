// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cosim by hand: loads of vector memory and of LDS that fill the halves of one register. Types of
// memory instructions return in any order, each type in order (MI100 ISA 4.4); D16 loads keep the
// other half without SRAM ECC (Vega ISA 8.1.4, decisions D9).
#include <gmock/gmock.h>

#include "cosim_device.h"

namespace cuvette::golden::testing {
namespace {

using ::testing::HasSubstr;

const Words kLow{0xdc908000, 0x01000000};      // global_load_short_d16 v1, v0, s[0:1]
const Words kHigh{0xdc948000, 0x01000000};     // global_load_short_d16_hi v1, v0, s[0:1]
const Words kLdsLow{0xd8b40000, 0x01000000};   // ds_read_u16_d16 v1, v0
const Words kLdsHigh{0xd8b60000, 0x01000000};  // ds_read_u16_d16_hi v1, v0
const Words kWaitLgkm{0xbf8cc07f};             // s_waitcnt lgkmcnt(0)
const Words kWaitVm{0xbf8c0f70};               // s_waitcnt vmcnt(0)
const Words kWaitVm1{0xbf8c0f71};              // s_waitcnt vmcnt(1)
const Words kMoveHalves{0x7e060301};           // v_mov_b32 v3, v1

CosimOptions options(isa::Target target = isa::Target::Gfx900, bool sramecc = false) {
  CosimOptions o;
  o.target = target;
  o.sramecc = sramecc;
  return o;
}

/// Memory holds 0x1111, LDS 0x2222, v1 is 0.
class Halves : public Device {
 public:
  explicit Halves(std::vector<Words> program, const CosimOptions& o = options())
      : Device(0x1111, o) {
    program.insert(program.begin(), kLdsWrite);
    start(1, 0x2222, program);
    auto r = record(1);
    r.accesses.push_back(in_lds(access(MemoryKind::Store, 0x2222)));
    EXPECT_TRUE(retire(r));
  }
  bool vector(uint32_t v1) { return half(access(MemoryKind::Load, 0x1111, 2), v1); }
  bool lds(uint32_t v1) { return half(in_lds(access(MemoryKind::Load, 0x2222, 2)), v1); }
  /// An instruction without effect.
  bool nothing() { return retire(record(1)); }
  bool move(uint32_t v3) {
    auto r = record(1);
    r.vector_writes.push_back(v(3, v3));
    return retire(r);
  }
  std::string text() const { return cosim->mismatch(); }

 private:
  static wave::MemoryAccess in_lds(wave::MemoryAccess a) {
    a.space = wave::MemorySpace::Lds;
    a.address = 0;
    return a;
  }
  bool half(const wave::MemoryAccess& a, uint32_t v1) {
    auto r = record(1);
    r.accesses.push_back(a);
    r.vector_writes.push_back(v(1, v1));
    return retire(r);
  }
};

TEST(CosimHalves, BothOrdersOfReturnAreLegal) {
  struct Case {
    uint32_t first, second;  // v1 in the records
  };
  // The older load has the younger one's half, the younger one has not the older one's.
  for (const Case c : {Case{0x1111, 0x22221111}, Case{0x22221111, 0x22220000}}) {
    Halves d({kLow, kLdsHigh, kWaitLgkm, kWaitVm, kMoveHalves, kEnd});
    GOOD(d.vector(c.first));
    GOOD(d.lds(c.second));
    GOOD(d.nothing());
    GOOD(d.nothing());
    GOOD(d.move(0x22221111));
    GOOD(d.nothing());
    EXPECT_TRUE(d.cosim->passed());
  }
  for (const Case c : {Case{0x22220000, 0x22221111}, Case{0x22221111, 0x1111}}) {
    Halves d({kLdsHigh, kLow, kWaitLgkm, kWaitVm, kMoveHalves});
    GOOD(d.lds(c.first));
    GOOD(d.vector(c.second));
    GOOD(d.nothing());
    GOOD(d.nothing());
    GOOD(d.move(0x22221111));
    EXPECT_TRUE(d.cosim->passed());
  }
}

TEST(CosimHalves, WhatNoLoadExplainsIsAMismatch) {
  const std::string text = "v1 lane 0: expected 0x1111, found 0x33331111";
  {
    Halves d({kLow, kLdsHigh, kWaitLgkm, kWaitVm});
    GOOD(d.vector(0x33331111));
    EXPECT_FALSE(d.cosim->passed()) << "not explained";
    GOOD(d.lds(0x22221111));
    GOOD(d.nothing()) << "a wait for LDS says nothing of the load before";
    EXPECT_FALSE(d.nothing());
    EXPECT_THAT(d.text(), HasSubstr(text));
    EXPECT_THAT(d.text(), HasSubstr("global_load_short_d16 v1"));
  }
  {
    Halves d({kLow, kMoveHalves});
    GOOD(d.vector(0x33331111));
    EXPECT_FALSE(d.move(0x1111)) << "the register is used";
    EXPECT_THAT(d.text(), HasSubstr(text));
  }
  {
    Halves d({kLow, kEnd});
    GOOD(d.vector(0x33331111));
    EXPECT_FALSE(d.nothing()) << "the program ends";
    EXPECT_THAT(d.text(), HasSubstr(text));
  }
  {
    Halves d({kLow, kLoad2, kWaitVm1});
    GOOD(d.vector(0x33331111));
    auto r = d.record(1);
    r.accesses.push_back(Device::access(MemoryKind::Load, 0x1111));
    r.accesses[0].size = 8;
    r.accesses[0].bytes[4] = r.accesses[0].bytes[5] = 0x11;
    r.vector_writes = {Device::v(4, 0x1111), Device::v(5, 0x1111)};
    GOOD(d.retire(r));
    EXPECT_FALSE(d.nothing()) << "one younger load may be under way, not this one";
    EXPECT_THAT(d.text(), HasSubstr(text));
  }
}

TEST(CosimHalves, WhatIsOverIsInOrder) {
  Halves d({kLow, kWaitVm, kLdsHigh, kWaitLgkm});
  GOOD(d.vector(0x1111));
  GOOD(d.nothing());
  GOOD(d.lds(0x22220000)) << "perhaps of a younger load";
  EXPECT_FALSE(d.nothing());
  EXPECT_THAT(d.text(), HasSubstr("v1 lane 0: expected 0x22221111, found 0x22220000"));
}

TEST(CosimHalves, OneTypeIsInOrder) {
  {
    Halves d({kLow, kHigh, kWaitVm});
    GOOD(d.vector(0x11111111));
    GOOD(d.vector(0x11111111));
    EXPECT_FALSE(d.nothing());
    EXPECT_THAT(d.text(), HasSubstr("v1 lane 0: expected 0x1111, found 0x11111111"));
  }
  {
    Halves d({kLdsLow, kLdsHigh, kWaitLgkm});
    GOOD(d.lds(0x22222222));
    GOOD(d.lds(0x22222222));
    EXPECT_FALSE(d.nothing());
    EXPECT_THAT(d.text(), HasSubstr("v1 lane 0: expected 0x2222, found 0x22222222"));
  }
}

TEST(CosimHalves, LoadedHalvesAndWholeRegistersCountAtOnce) {
  Halves loaded({kLow});
  EXPECT_FALSE(loaded.vector(0x1112));
  EXPECT_THAT(loaded.text(), HasSubstr("v1 lane 0: expected 0x1111, found 0x1112"));
  Halves moved({kMoveHalves});
  EXPECT_FALSE(moved.move(0x10000));
  // SRAM ECC writes whole registers: nothing is kept.
  Halves ecc({kLow, kLdsHigh}, options(isa::Target::Gfx908, true));
  EXPECT_FALSE(ecc.vector(0x22221111));
  EXPECT_THAT(ecc.text(), HasSubstr("v1 lane 0: expected 0x1111, found 0x22221111"));
}

TEST(CosimHalves, ARunThatComparedNothingHasNotPassed) {
  Device d;
  EXPECT_FALSE(d.cosim->passed());
  EXPECT_FALSE(d.cosim->failed());
  d.start(1, 0, {kMove, kMove});
  EXPECT_TRUE(d.cosim->step(1).ok());
  EXPECT_FALSE(d.cosim->passed()) << "golden alone compares nothing";
}

}  // namespace
}  // namespace cuvette::golden::testing
