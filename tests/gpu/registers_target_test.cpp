// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Grids from COMPUTE_* registers on machines of every target.
#include "pm4_bench.h"

namespace cuvette::gpu {
namespace {

// out[i] = i + 7, of work-item i; assembled with llvm-mc 19, the same words for every target.
const Words kPlain = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0
    0x24020082,              // v_lshlrev_b32 v1, 2, v0
    0x8e078802,              // s_lshl_b32 s7, s2, 8
    0x68020207,              // v_add_u32 v1, s7, v1
    0x68040087,              // v_add_u32 v2, 7, v0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xdc708000, 0x00040201,  // global_store_dword v1, v2, s[4:5]
    0xbf810000,              // s_endpgm
};
// The same value by way of a3.
const Words kAccumulation = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0
    0x24020082,              // v_lshlrev_b32 v1, 2, v0
    0x8e078802,              // s_lshl_b32 s7, s2, 8
    0x68020207,              // v_add_u32 v1, s7, v1
    0x68040087,              // v_add_u32 v2, 7, v0
    0xd3d94003, 0x18000102,  // v_accvgpr_write_b32 a3, v2
    0xbf800004,              // s_nop 4
    0xd3d84003, 0x18000103,  // v_accvgpr_read_b32 v3, a3
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xdc708000, 0x00040301,  // global_store_dword v1, v3, s[4:5]
    0xbf810000,              // s_endpgm
};

/// Sizes of the parts: gfx900 and gfx906 have no AccVGPRs, from gfx90a on they share a file of 512.
void become(machine::GpuConfig& d, const std::string& target) {
  d.target = target;
  d.sramecc = target != "gfx900" && target != "gfx906";
  if (target == "gfx908") return;
  d.compute_unit.accvgpr_rows = 0;
  if (!d.sramecc) return;
  d.compute_unit.vgpr_rows = 512;
  d.compute_unit.vgpr_granule = 8;
  d.compute_unit.waves_per_simd = 8;
}

template <class G>
void target_grids(Bench<G>& b) {
  const bool accumulation = b.description.target != "gfx900" && b.description.target != "gfx906";
  const bool unified = b.description.target == "gfx90a" || b.description.target == "gfx942";
  b.start();
  Ring<G> r(b, 1, 2, 3, 40);
  b.activate(r.slot);
  const uint64_t fence = *b.memory.allocate(8);
  uint64_t step = 0;
  const auto run = [&](const Words& code) {
    Program<G> p(b, 0, code);
    r.put(b, p.state());
    // 16 registers: 8 and 8 AccVGPRs where they share a file.
    if (unified) {
      r.put(b, set_sh(CUVETTE_REG_COMPUTE_PGM_RSRC1, {kRsrc1 | 1}));
      r.put(b, set_sh(CUVETTE_REG_COMPUTE_PGM_RSRC3, {1}));
    }
    r.put(b, packet(0x15, {2, 1, 1, 1}));
    r.put(b, release(fence, ++step, 0));
    r.ring(b);
    b.until([&] { return wide(b, fence) == step; }, "a grid");
    for (uint32_t i = 0; i < 128; ++i) {
      uint32_t value = 0;
      ASSERT_TRUE(b.memory.read_value(p.out + 4 * i, &value));
      ASSERT_EQ(value, i % 64 + 7) << i;
    }
  };
  run(kPlain);
  if (accumulation) run(kAccumulation);
  EXPECT_TRUE(b.gpu->take_errors().empty());
  b.remove(r.slot);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

template <class G>
void go(const std::string& target) {
  Bench<G>::go(target_grids<G>, false, [&](machine::GpuConfig& d) { become(d, target); });
}

TEST(GridsOfGpu, Gfx900) {
  go<Gpu>("gfx900");
}
TEST(GridsOfGpu, Gfx906) {
  go<Gpu>("gfx906");
}
TEST(GridsOfGpu, Gfx908) {
  go<Gpu>("gfx908");
}
TEST(GridsOfGpu, Gfx90a) {
  go<Gpu>("gfx90a");
}
TEST(GridsOfGpu, Gfx942) {
  go<Gpu>("gfx942");
}
TEST(GridsOfLtGpu, Gfx900) {
  go<LtGpu>("gfx900");
}
TEST(GridsOfLtGpu, Gfx906) {
  go<LtGpu>("gfx906");
}
TEST(GridsOfLtGpu, Gfx90a) {
  go<LtGpu>("gfx90a");
}
TEST(GridsOfLtGpu, Gfx942) {
  go<LtGpu>("gfx942");
}

}  // namespace
}  // namespace cuvette::gpu
