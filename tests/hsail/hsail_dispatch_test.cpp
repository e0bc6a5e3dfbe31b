// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <random>

#include "hsail/device_port.h"
#include "hsail_support.h"

// Whole dispatches: identities of work-items, divergence, barriers, the demo kernels against host
// code, variables in device memory, layouts.
namespace cuvette::hsail {
namespace {

using namespace testing;

TEST(Dispatch, IdentitiesInThreeDimensionsWithPartialGroups) {
  // 16 words per work-item, at its flattened absolute id.
  const Module m = module_of(R"(
	workitemflatabsid_u64 $d0;
	ld_kernarg_u64 $d1, [%out];
	mad_u64 $d1, $d0, 64, $d1;
	workitemid_u32 $s0, 0; workitemid_u32 $s1, 1; workitemid_u32 $s2, 2;
	workitemabsid_u32 $s3, 2;
	st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d1];
	workgroupid_u32 $s0, 0; workgroupid_u32 $s1, 1; workgroupid_u32 $s2, 2;
	workitemflatid_u32 $s3;
	st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d1+16];
	currentworkgroupsize_u32 $s0, 0; currentworkgroupsize_u32 $s1, 1;
	currentworkitemflatid_u32 $s2; laneid_u32 $s3;
	st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d1+32];
	gridgroups_u32 $s0, 1; gridsize_u32 $s1, 2; workgroupsize_u32 $s2, 0;
	dim_u32 $s3;
	workitemflatabsid_u32 $s4;
	add_u32 $s3, $s3, $s4;
	st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d1+48];
)");
  const std::array<uint32_t, 3> grid{11, 7, 5};
  const std::array<uint32_t, 3> size{8, 3, 4};
  TestMemory memory;
  const uint64_t out = memory.add(11 * 7 * 5 * 64);
  run(m, memory, dispatch(m, "&k", grid, size, Kernarg().add(out)));
  const auto v = memory.values<uint32_t>(out);
  for (uint32_t z = 0; z < 5; ++z) {
    for (uint32_t y = 0; y < 7; ++y) {
      for (uint32_t x = 0; x < 11; ++x) {
        const uint32_t flat = x + 11 * y + 77 * z;
        const uint32_t i[3] = {x % 8, y % 3, z % 4};
        const uint32_t now[3] = {x < 8 ? 8u : 3u, y < 6 ? 3u : 1u, z < 4 ? 4u : 1u};
        const uint32_t dense = i[0] + i[1] * now[0] + i[2] * now[0] * now[1];
        const uint32_t expected[16] = {
            i[0],   i[1],   i[2],  z,          x / 8, y / 3, z / 4, i[0] + 8 * i[1] + 24 * i[2],
            now[0], now[1], dense, dense % 64, 3,     5,     8,     3 + flat};
        for (uint32_t k = 0; k < 16; ++k) {
          ASSERT_EQ(v[16 * flat + k], expected[k])
              << "word " << k << " of " << x << "," << y << "," << z;
        }
      }
    }
  }
  Ledger::cover(
      "HI-269 HI-270 HI-271 HI-272 HI-273 HI-276 HI-277 HI-278 HI-279 HI-280 HI-281 HI-298 HL-002 "
      "HL-004 HL-005 HL-006 HL-008 HL-009 HL-010 HL-011 HL-012 HL-014 HL-015");
}

TEST(Dispatch, VectorAdd) {
  const Module m = load_kernel_file("vector_add");
  TestMemory memory;
  std::vector<float> a(1000), b(1000);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i) * 0.5f;
    b[i] = 1000.0f - static_cast<float>(i);
  }
  const uint64_t pa = memory.add_values(a), pb = memory.add_values(b), pc = memory.add(4000);
  run(m, memory,
      dispatch(m, "&vector_add", {1024, 1, 1}, {256, 1, 1},
               Kernarg().add(pa).add(pb).add(pc).add(uint32_t{1000})));
  const auto c = memory.values<float>(pc);
  for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

TEST(Dispatch, Saxpy) {
  const Module m = load_kernel_file("saxpy");
  TestMemory memory;
  std::vector<float> x(300), y(300);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = 1.0f / static_cast<float>(i + 1);
    y[i] = static_cast<float>(i) / 7;
  }
  const uint64_t px = memory.add_values(x), py = memory.add_values(y);
  run(m, memory,
      dispatch(m, "&saxpy", {300, 1, 1}, {128, 1, 1},
               Kernarg().add(uint32_t{300}).add(2.5f).add(px).add(py)));
  const auto r = memory.values<float>(py);
  for (size_t i = 0; i < r.size(); ++i) ASSERT_EQ(r[i], std::fma(2.5f, x[i], y[i])) << i;
}

TEST(Dispatch, Transpose) {
  const Module m = load_kernel_file("transpose");
  TestMemory memory;
  const uint32_t width = 37, height = 50;
  std::vector<uint32_t> in(width * height);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  const uint64_t pi = memory.add_values(in), po = memory.add(in.size() * 4);
  run(m, memory,
      dispatch(m, "&transpose", {48, 64, 1}, {16, 16, 1},
               Kernarg().add(pi).add(po).add(width).add(height)));
  const auto out = memory.values<uint32_t>(po);
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) ASSERT_EQ(out[x * height + y], in[y * width + x]);
  }
  Ledger::cover("HL-019 HL-237");
}

TEST(Dispatch, Reduce) {
  const Module m = load_kernel_file("reduce");
  TestMemory memory;
  std::vector<uint32_t> in(1000);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  const uint64_t pi = memory.add_values(in), po = memory.add(16);
  run(m, memory,
      dispatch(m, "&reduce", {1024, 1, 1}, {256, 1, 1},
               Kernarg().add(pi).add(po).add(uint32_t{1000})));
  const auto out = memory.values<uint32_t>(po);
  for (size_t g = 0; g < 4; ++g) {
    uint32_t sum = 0;
    for (size_t i = 256 * g; i < std::min<size_t>(256 * (g + 1), in.size()); ++i) sum += in[i];
    EXPECT_EQ(out[g], sum) << g;
  }
}

void sgemm(uint32_t m_, uint32_t n, uint32_t k, double* seconds) {
  const Module m = load_kernel_file("sgemm");
  TestMemory memory;
  std::mt19937 random(20240611);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> a(m_ * k), b(k * n);
  for (float& x : a) x = values(random);
  for (float& x : b) x = values(random);
  const uint64_t pa = memory.add_values(a), pb = memory.add_values(b), pc = memory.add(m_ * n * 4);
  const auto start = std::chrono::steady_clock::now();
  run(m, memory,
      dispatch(m, "&sgemm", {(n + 15) / 16 * 16, (m_ + 15) / 16 * 16, 1}, {16, 16, 1},
               Kernarg().add(m_).add(n).add(k).add(pa).add(pb).add(pc)));
  *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto c = memory.values<float>(pc);
  for (uint32_t y = 0; y < m_; ++y) {
    for (uint32_t x = 0; x < n; ++x) {
      float sum = 0;
      for (uint32_t i = 0; i < k; ++i) sum = std::fma(a[y * k + i], b[i * n + x], sum);
      ASSERT_EQ(c[y * n + x], sum) << y << "," << x << " (seed 20240611)";
    }
  }
}

TEST(Dispatch, SgemmWithPartialTiles) {
  double seconds = 0;
  sgemm(35, 21, 40, &seconds);
}

TEST(Dispatch, Sgemm128) {
  double seconds = 0;
  sgemm(128, 128, 128, &seconds);
  std::cout << "sgemm 128x128x128: " << seconds << " s\n";
}

TEST(Dispatch, Histogram) {
  const Module m = load_kernel_file("histogram");
  TestMemory memory;
  std::vector<uint32_t> data(5000);
  std::mt19937 random(7);
  for (uint32_t& x : data) x = static_cast<uint32_t>(random());
  const uint64_t pd = memory.add_values(data), pb = memory.add(1024);
  run(m, memory,
      dispatch(m, "&histogram", {512, 1, 1}, {64, 1, 1},
               Kernarg().add(pd).add(pb).add(uint32_t{5000})));
  std::vector<uint32_t> bins(256);
  for (const uint32_t x : data) ++bins[x & 255];
  EXPECT_EQ(memory.values<uint32_t>(pb), bins);
}

TEST(Dispatch, Stencil) {
  const Module m = load_kernel_file("stencil");
  TestMemory memory;
  std::vector<float> in(100);
  for (size_t i = 0; i < in.size(); ++i) in[i] = std::sqrt(static_cast<float>(i));
  const uint64_t pi = memory.add_values(in), po = memory.add(400);
  run(m, memory,
      dispatch(m, "&stencil", {100, 1, 1}, {64, 1, 1},
               Kernarg().add(pi).add(po).add(uint32_t{100})));
  const auto out = memory.values<float>(po);
  for (size_t i = 0; i < in.size(); ++i) {
    const float left = in[i == 0 ? 0 : i - 1], right = in[i == 99 ? 99 : i + 1];
    const float sides = left + right;
    ASSERT_EQ(out[i], std::fma(in[i], 0.5f, sides * 0.25f)) << i;
  }
}

uint32_t mixed(uint32_t x) {
  uint32_t v = 0;
  if (x % 2 != 0) {
    uint32_t y = x;
    while (y != 1 && v < 100) {
      y = y % 2 != 0 ? 3 * y + 1 : y / 2;
      ++v;
    }
    if (v > 50) v *= 3;
  } else {
    const float f = static_cast<float>(x);
    v = static_cast<uint32_t>(f > 1000 ? std::sqrt(f) : f / 3 + 0.5f);
  }
  return v ^ (x >> 16);
}

TEST(Dispatch, MixedDivergence) {
  const Module m = load_kernel_file("mixed");
  TestMemory memory;
  std::vector<uint32_t> in(333);
  std::mt19937 random(11);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = i % 3 == 0 ? static_cast<uint32_t>(random()) : static_cast<uint32_t>(i);
  }
  const uint64_t pi = memory.add_values(in), po = memory.add(in.size() * 4);
  run(m, memory,
      dispatch(m, "&mixed", {333, 1, 1}, {100, 1, 1},
               Kernarg().add(pi).add(po).add(uint32_t{333})));
  const auto out = memory.values<uint32_t>(po);
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], mixed(in[i])) << in[i];
  Ledger::cover("HL-038 HL-040");
}

TEST(Dispatch, LanesMeetAtThePostDominator) {
  // A barrier behind a nest of branches and a loop of different trip counts: only reached by all
  // lanes together.
  const Module m = module_of(R"(
	workitemid_u32 $s0, 0;
	mov_b32 $s1, 0;
	and_b32 $s2, $s0, 1;
	cmp_eq_b1_u32 $c0, $s2, 0;
	cbr_b1 $c0, @even;
@loop:
	add_u32 $s1, $s1, 1;
	cmp_lt_b1_u32 $c1, $s1, $s0;
	cbr_b1 $c1, @loop;
	br @join;
@even:
	and_b32 $s2, $s0, 3;
	sbr_u32 $s2 [@join, @join, @two];
@two:
	add_u32 $s1, $s1, 1000;
@join:
	wavebarrier;
	barrier;
	ld_kernarg_u64 $d0, [%out];
	cvt_u64_u32 $d1, $s0;
	mad_u64 $d0, $d1, 4, $d0;
	st_global_u32 $s1, [$d0];
)");
  TestMemory memory;
  const uint64_t out = memory.add(100 * 4);
  run(m, memory, dispatch(m, "&k", {100, 1, 1}, {100, 1, 1}, Kernarg().add(out)));
  const auto v = memory.values<uint32_t>(out);
  for (uint32_t i = 0; i < 100; ++i) {
    const uint32_t expected = i % 2 == 1 ? i : i % 4 == 2 ? 1000 : 0;
    ASSERT_EQ(v[i], expected) << i;
  }
}

TEST(Dispatch, CrossLane) {
  // 70 work-items: a full wavefront and one of 6 lanes. Only work-items with id % 3 != 0 take part.
  const Module m = module_of(R"(
	workitemabsid_u32 $s0, 0;
	rem_u32 $s1, $s0, 3;
	cmp_eq_b1_u32 $c0, $s1, 0;
	cbr_b1 $c0, @done;
	cmp_eq_b1_u32 $c1, $s1, 1;
	activelaneid_u32 $s2;
	activelanecount_u32_b1 $s3, $c1;
	activelanemask_v4_width(WAVESIZE)_b64_b1 ($d0, $d1, $d2, $d3), $c1;
	add_u32 $s4, $s0, 1;
	cmp_eq_b1_u32 $c2, $s0, 4;
	activelanepermute_b32 $s5, $s0, $s4, 1000, $c2;
	ld_kernarg_u64 $d4, [%out];
	cvt_u64_u32 $d5, $s0;
	mad_u64 $d4, $d5, 32, $d4;
	st_v3_global_u32 ($s2, $s3, $s5), [$d4];
	st_v2_global_u64 ($d0, $d3), [$d4+16];
@done:
)");
  TestMemory memory;
  const uint64_t out = memory.add(70 * 32);
  run(m, memory, dispatch(m, "&k", {70, 1, 1}, {70, 1, 1}, Kernarg().add(out)));
  const auto words = memory.values<uint32_t>(out);
  const auto longs = memory.values<uint64_t>(out);
  for (uint32_t i = 0; i < 70; ++i) {
    const uint32_t first = i / 64 * 64, last = std::min(first + 64, 70u);
    uint32_t id = 0, count = 0;
    uint64_t mask = 0;
    for (uint32_t j = first; j < last; ++j) {
      if (j % 3 != 0 && j < i) ++id;
      if (j % 3 == 1) {
        ++count;
        mask |= uint64_t{1} << (j - first);
      }
    }
    if (i % 3 == 0) {
      EXPECT_EQ(longs[4 * i + 2], 0u);
      continue;
    }
    // The value of the next lane, unless it takes no part; lane 64 is lane 0 of its wavefront.
    const uint32_t next = first + (i + 1) % 64;
    const bool identity = i == 4 || next >= last || next % 3 == 0;
    EXPECT_EQ(words[8 * i], id) << i;
    EXPECT_EQ(words[8 * i + 1], count) << i;
    EXPECT_EQ(words[8 * i + 2], identity ? 1000 : next) << i;
    EXPECT_EQ(longs[4 * i + 2], mask) << i;
    EXPECT_EQ(longs[4 * i + 3], 0u) << i;
  }
  Ledger::cover("HI-260 HI-261 HI-262 HI-263 HL-013 HL-041");
}

TEST(Dispatch, WaitingForAnotherWavefrontAndGroupMakesProgress) {
  // Work-item 0 of group 1 raises the flag that everybody else waits for.
  const Module m = module_of(R"(
	ld_kernarg_u64 $d0, [%out];
	workitemabsid_u32 $s0, 0;
	cmp_ne_b1_u32 $c0, $s0, 100;
	cbr_b1 $c0, @wait;
	atomicnoret_st_global_screl_agent_b32 [$d0], 1;
@wait:
	atomic_ld_global_scacq_agent_b32 $s1, [$d0];
	cmp_eq_b1_u32 $c0, $s1, 0;
	cbr_b1 $c0, @wait;
	atomicnoret_add_global_rlx_agent_u32 [$d0+4], 1;
)");
  TestMemory memory;
  const uint64_t out = memory.add(8);
  run(m, memory, dispatch(m, "&k", {200, 1, 1}, {100, 1, 1}, Kernarg().add(out)));
  EXPECT_EQ(memory.values<uint32_t>(out), (std::vector<uint32_t>{1, 200}));
  Ledger::cover("HL-053");
}

TEST(Dispatch, AdvanceInSlicesGivesTheSameResult) {
  const Module m = load_kernel_file("reduce");
  for (const uint64_t slice : {1, 7, 1000}) {
    TestMemory memory;
    const uint64_t pi = memory.add_values(std::vector<uint32_t>(512, 3)), po = memory.add(8);
    Machine machine(m, memory, {});
    ASSERT_TRUE(machine
                    .start(dispatch(m, "&reduce", {512, 1, 1}, {256, 1, 1},
                                    Kernarg().add(pi).add(po).add(uint32_t{512})))
                    .ok());
    for (;;) {
      const auto done = machine.advance(slice);
      ASSERT_TRUE(done.ok());
      if (*done) break;
    }
    EXPECT_EQ(memory.values<uint32_t>(po), (std::vector<uint32_t>{768, 768}));
    EXPECT_EQ(machine.wavefronts(), 8u);
  }
}

TEST(Dispatch, OrderDoesNotDependOnThePortionsOfAdvance) {
  // Tickets of a counter: the order in which wavefronts reach it shows.
  const Module m = module_of(R"(
	ld_kernarg_u64 $d0, [%out];
	workitemabsid_u32 $s0, 0;
	mov_b32 $s3, 0;
@again:
	atomic_add_global_rlx_agent_u32 $s1, [$d0], 1;
	add_u32 $s3, $s3, 1;
	and_b32 $s2, $s0, 63;
	cmp_lt_b1_u32 $c0, $s3, $s2;
	cbr_b1 $c0, @again;
	cvt_u64_u32 $d1, $s0;
	mad_u64 $d1, $d1, 4, $d0;
	st_global_u32 $s1, [$d1+4];
)");
  std::vector<uint32_t> first;
  for (const uint64_t portion : {1, 3, 100, 513, 1 << 30}) {
    TestMemory memory;
    const uint64_t out = memory.add(4 * 1001);
    Machine machine(m, memory, {});
    ASSERT_TRUE(
        machine.start(dispatch(m, "&k", {1000, 1, 1}, {200, 1, 1}, Kernarg().add(out))).ok());
    for (;;) {
      const auto done = machine.advance(portion);
      ASSERT_TRUE(done.ok());
      if (*done) break;
    }
    const auto tickets = memory.values<uint32_t>(out);
    if (first.empty()) first = tickets;
    EXPECT_EQ(tickets, first) << portion;
  }
}

TEST(DevicePort, VariablesLiveInDeviceMemory) {
  const auto m = load_text(
      "module &m:1:0:$full:$large:$default;\n"
      "readonly_u32 &factor = 7;\nglobal_u32 &counter = 5;\nglobal_u64 &zero[3];\n"
      "prog kernel &k()\n{\n"
      "\tld_readonly_u32 $s0, [&factor];\n"
      "\tatomicnoret_add_global_rlx_agent_u32 [&counter], $s0;\n"
      "\tcvt_u64_u32 $d0, $s0;\n"
      "\tst_global_u64 $d0, [&zero][16];\n"
      "};\n"
      "prog kernel &bad()\n{\n\tlda_readonly_u64 $d0, [&factor];\n\tst_global_u32 1, [$d0];\n};\n",
      "device.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  hsa::DeviceMemory memory;
  DevicePort port(memory);
  const auto addresses = load_variables(*m, memory);
  ASSERT_TRUE(addresses.ok());
  ASSERT_EQ(addresses->size(), 3u);
  Machine machine(*m, port, *addresses);
  ASSERT_TRUE(machine.run(dispatch(*m, "&k", {100, 1, 1}, {64, 1, 1}, Kernarg())).ok());
  std::map<std::string, uint64_t> by_name;
  for (const auto& [ref, address] : *addresses) by_name[m->code[ref].as<Variable>().name] = address;
  uint32_t counter = 0;
  uint64_t zero[3] = {1, 1, 1};
  ASSERT_TRUE(memory.read_value(by_name["&counter"], &counter).ok());
  ASSERT_TRUE(memory.read_value(by_name["&zero"], &zero).ok());
  EXPECT_EQ(counter, 705u);
  EXPECT_EQ(zero[0] + zero[1], 0u);
  EXPECT_EQ(zero[2], 7u);
  const auto status = machine.run(dispatch(*m, "&bad", {1, 1, 1}, {1, 1, 1}, Kernarg()));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().str().find(
                "device.hsail:15:2: error: store of 4 bytes to unmapped or read-only"),
            std::string::npos)
      << status.error().str();
  Ledger::cover("HL-018 HL-089 HL-136 HL-138");
}

TEST(Layout, KernargFollowsDeclarationOrder) {
  const Module m =
      module_of("\tret;\n",
                "kernarg_u8 %a, kernarg_u64 %b, kernarg_u16 %c[3], align(32) kernarg_u32 %d, "
                "kernarg_f16x4 %e");
  const auto layout = kernel_layout(m, m.find_kernel("&k"));
  ASSERT_TRUE(layout.ok());
  std::vector<uint64_t> offsets;
  for (const Place& p : layout->kernarg.places) offsets.push_back(p.offset);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, 8, 16, 32, 40}));
  EXPECT_EQ(layout->kernarg.bytes, 48u);
  EXPECT_EQ(layout->kernarg.alignment, 32u);
  Ledger::cover("HL-071 HL-179 HL-180 HL-182");
}

}  // namespace
}  // namespace cuvette::hsail
