// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Cosim starts the waves of dispatches: whose LDS is whose.
#include <cstring>

#include <gtest/gtest.h>

#include "finalizer/finalize.h"
#include "golden/cosim.h"
#include "hsail/text.h"

namespace cuvette::golden {
namespace {

/// Every work-item adds 1 to a word that its work-group shares and stores what was there.
constexpr const char* kSource = R"(module &m:1:0:$full:$large:$default;
prog kernel &count(kernarg_u64 %out)
{
	group_u32 %seen;
	ld_kernarg_width(all)_u64	$d0, [%out];
	atomic_add_group_scar_wg_u32	$s0, [%seen], 1;
	st_global_u32	$s0, [$d0];
};
)";
/// Says what dispatches it is made for.
constexpr const char* kLimitedSource = R"(module &m:1:0:$full:$large:$default;
prog kernel &limited(kernarg_u64 %out)
{
	requiredworkgroupsize 64, 1, 1;
	requirenopartialworkgroups;
	ret;
};
)";
constexpr uint64_t kKernarg = 0x10000, kOut = 0x20000;

class Launches : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<uint8_t> kernarg(512);
    kernarg[2] = kOut >> 16;
    const uint32_t zero = 0;
    object_ = finalized(kSource);
    ASSERT_TRUE(cosim->load(kKernarg, kernarg.data(), kernarg.size()).ok());
    ASSERT_TRUE(cosim->load(kOut, &zero, 4).ok());
    ASSERT_TRUE(cosim->load_code_object(0x100000, object_.data(), object_.size()).ok());
  }
  static std::vector<uint8_t> finalized(const char* source) {
    auto module = hsail::load_text(source, "kernel.hsail");
    EXPECT_TRUE(module.ok());
    auto object = finalizer::finalize(*module, finalizer::Options{"gfx908", 5});
    EXPECT_TRUE(object.ok());
    return *object;
  }

  /// Runs a new wave to its end. The result: the value that the last of its work-items found in
  /// group memory.
  uint32_t found(const CosimDispatch& d, uint32_t group, uint32_t index) {
    const uint64_t id = ++waves_;
    const auto started = cosim->launch(d, group, index, id);
    EXPECT_TRUE(started.ok());
    uint32_t value = ~0u;
    for (auto r = cosim->step(id); r.ok(); r = cosim->step(id)) {
      for (const auto& a : r->accesses) {
        if (a.space != wave::MemorySpace::Global || a.kind != wave::MemoryKind::Store) continue;
        std::copy_n(a.bytes, 4, reinterpret_cast<uint8_t*>(&value));
      }
      if (r->instruction.words[0] == 0xbf810000) break;
    }
    EXPECT_FALSE(cosim->failed()) << cosim->mismatch();
    return value;
  }
  static CosimDispatch dispatch(uint64_t id) {
    CosimDispatch d;
    d.grid = {256, 1, 1};
    d.workgroup = {128, 1, 1};
    d.kernarg = kKernarg;
    d.dispatch_id = id;
    return d;
  }

  std::unique_ptr<Cosim> cosim = Cosim::create({});
  std::vector<uint8_t> object_;

 private:
  uint64_t waves_ = 0;
};

TEST_F(Launches, WavesOfAWorkgroupShareLds) {
  EXPECT_EQ(found(dispatch(0), 0, 0), 63u);
  EXPECT_EQ(found(dispatch(0), 0, 1), 127u);
  EXPECT_EQ(found(dispatch(0), 1, 0), 63u);
  EXPECT_EQ(found(dispatch(0), 1, 1), 127u);
}

TEST_F(Launches, DispatchesDoNot) {
  EXPECT_EQ(found(dispatch(1), 0, 0), 63u);
  EXPECT_EQ(found(dispatch(2), 0, 0), 63u);
  EXPECT_EQ(found(dispatch(1), 0, 1), 127u);
  EXPECT_EQ(found(dispatch(2), 0, 1), 127u);
}

TEST_F(Launches, AWaveLaunchedAgainIsOfTheNextDispatch) {
  for (unsigned n = 0; n < 2; ++n) {
    EXPECT_EQ(found(dispatch(0), 0, 0), 63u);
    EXPECT_EQ(found(dispatch(0), 0, 1), 127u);
  }
}

TEST_F(Launches, WhatAKernelForbidsIsRefused) {
  const std::vector<uint8_t> object = finalized(kLimitedSource);
  ASSERT_TRUE(cosim->load_code_object(0x200000, object.data(), object.size()).ok());
  CosimDispatch d = dispatch(0);
  d.kernel = "limited";
  const auto refused = [&](uint16_t width, uint32_t grid) {
    d.workgroup = {width, 1, 1};
    d.grid = {grid, 1, 1};
    const auto status = cosim->launch(d, 0, 0, 1);
    return status.ok() ? std::string() : status.error().what;
  };
  EXPECT_EQ(refused(128, 256),
            "kernel 'limited': requiredworkgroupsize asks for 64, the dispatch has 128 in "
            "dimension 0");
  EXPECT_NE(refused(64, 100).find("requirenopartialworkgroups"), std::string::npos);
  EXPECT_NE(refused(0, 64), "");
  EXPECT_EQ(refused(64, 128), "");
}

TEST_F(Launches, WavesStartedByValuesHaveNumbersOfTheirOwn) {
  CosimWave w;
  w.id = 1000;
  w.lds_bytes = 4096;
  ASSERT_TRUE(cosim->start(w).ok());
  EXPECT_EQ(found(dispatch(0), 0, 0), 63u);
}

/// A retired semaphore, barrier or ordered count shows that the wave might go on.
TEST_F(Launches, NobodyWaitsAtGlobalSync) {
  const uint32_t code[] = {0xd9390000, 0,           // ds_gws_sema_p gds
                           0xd93b0000, 0,           // ds_gws_barrier v0 gds
                           0xd97f0100, 0x01000000,  // ds_ordered_count v1, v0 offset:256 gds
                           0xbf810000};             // s_endpgm
  constexpr uint64_t kCode = 0x40000;
  ASSERT_TRUE(cosim->load(kCode, code, sizeof code).ok());
  wave::LaneRow two;
  two.fill(2);
  for (uint64_t id = 2000; id < 2003; ++id) {
    CosimWave w;
    w.id = id;
    w.pc = kCode;
    w.exec = ~uint64_t{0};
    w.vgprs = w.sgprs = 16;
    w.vgpr = {two};
    ASSERT_TRUE(cosim->start(w).ok());
  }
  // In another order than that of their starts.
  for (const uint64_t id : {2002, 2000, 2001}) {
    for (unsigned n = 0; n < 4; ++n) {
      const auto r = cosim->step(id);
      ASSERT_TRUE(r.ok()) << cosim->mismatch();
      EXPECT_EQ(r->vector_writes.size(), n == 2 ? 1u : 0u) << n;
    }
  }
  EXPECT_FALSE(cosim->failed()) << cosim->mismatch();
}

/// A segment that is zeros but for its beginning costs what its beginning costs.
TEST_F(Launches, ZerosOfACodeObjectCostNothing) {
  constexpr size_t kHeadersAt = 32, kHeaderBytes = 56, kVaddrAt = 16, kMemoryBytesAt = 40;
  const auto at = [this](size_t offset) {
    uint64_t value = 0;
    std::memcpy(&value, &object_[offset], sizeof value);
    return value;
  };
  size_t last = 0;
  for (size_t h = at(kHeadersAt), n = object_[56]; n != 0; --n, h += kHeaderBytes) {
    const bool is_load = (at(h) & 0xffffffff) == 1;
    if (is_load && (last == 0 || at(h + kVaddrAt) > at(last + kVaddrAt))) last = h;
  }
  ASSERT_NE(last, 0u);
  const uint64_t bytes = 0xc0000000 - at(last + kVaddrAt);
  std::memcpy(&object_[last + kMemoryBytesAt], &bytes, sizeof bytes);
  const auto code = cosim->load_code_object(0x100000, object_.data(), object_.size());
  ASSERT_TRUE(code.ok()) << code.error().str();
  EXPECT_EQ(code->bytes, 0xc0000000u);
  EXPECT_EQ(found(dispatch(0), 0, 0), 63u);
}

TEST_F(Launches, AWaveThatIsThereIsAnError) {
  ASSERT_TRUE(cosim->launch(dispatch(0), 0, 0, 77).ok());
  EXPECT_FALSE(cosim->launch(dispatch(0), 0, 1, 77).ok());
  EXPECT_EQ(found(dispatch(0), 0, 1), 63u) << "of the same work-group still";
}

}  // namespace
}  // namespace cuvette::golden
