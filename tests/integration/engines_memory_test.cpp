// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Memory, atomics, dispatch queries and control flow: hand-written kernels on the interpreter and,
// as machine code of every target, on golden. If a C++ loop gives the result, that is checked
// too.
#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "engines.h"
#include "finalizer_testing.h"

namespace {

namespace engines = cuvette::engines;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;
using engines::buffer;
using engines::by_value;
using engines::Bytes;
using engines::Launch;

/// Kernel &k(in, out): $d0 is in, $d1 out, $s0 the flat absolute id of a one-dimensional grid.
std::string kernel(const std::string& body, const std::string& module_scope = "",
                   const std::string& variables = "") {
  return "module &m:1:0:$full:$large:$default;\n" + module_scope +
         "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\n" + variables +
         "ld_kernarg_align(8)_u64 $d0, [%in];\nld_kernarg_align(8)_u64 $d1, [%out];\n"
         "workitemabsid_u32 $s0, 0;\n" +
         body + "ret;\n};\n";
}

Bytes random_bytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  return bytes;
}

/// Both engines, every target; the interpreter's buffers.
std::vector<Bytes> run(const std::string& text, const Launch& launch) {
  const cuvette::hsail::Module module = load(text);
  const engines::Outcome expected = engines::run_interpreter(module, launch);
  EXPECT_EQ(expected.error, "");
  if (!expected.error.empty()) return launch.buffers;
  for (const char* target : kTargets) {
    const engines::Outcome golden = engines::run_golden(module, launch, target);
    EXPECT_EQ(golden.error, "") << target;
    if (!golden.error.empty()) continue;
    for (size_t b = 0; b < expected.buffers.size(); ++b) {
      const auto& e = expected.buffers[b];
      const auto first = std::mismatch(e.begin(), e.end(), golden.buffers[b].begin());
      EXPECT_TRUE(first.first == e.end())
          << target << ": buffer " << b << " differs first at byte " << first.first - e.begin();
    }
  }
  return expected.buffers;
}

Launch one_dimension(uint32_t items, uint16_t group, Bytes in, size_t out_bytes) {
  return {"&k",
          {items, 1, 1},
          {group, 1, 1},
          {buffer(0), buffer(1)},
          {std::move(in), Bytes(out_bytes)}};
}

uint32_t word(const Bytes& bytes, size_t index) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * index, 4);
  return value;
}

/// $d2 = in + 64 * id, $d3 = out + 64 * id.
constexpr const char* kOwnLines =
    "cvt_u64_u32 $d4, $s0;\nshl_u64 $d4, $d4, 6;\nadd_u64 $d2, $d0, $d4;\nadd_u64 $d3, $d1, $d4;\n";

TEST(EnginesMemory, LoadsAndStoresOfEveryType) {
  const std::string body =
      std::string(kOwnLines) +
      "ld_global_align(1)_u8 $s1, [$d2];\nld_global_align(1)_s8 $s2, [$d2+1];\n"
      "ld_global_align(2)_u16 $s3, [$d2+2];\nld_global_align(2)_s16 $s4, [$d2+4];\n"
      "ld_global_align(4)_u32 $s5, [$d2+8];\nld_global_align(8)_u64 $d5, [$d2+16];\n"
      "ld_global_align(16)_b128 $q1, [$d2+32];\n"
      "st_v4_global_align(4)_u32 ($s1, $s2, $s3, $s4), [$d3];\n"
      "st_global_align(1)_u8 $s5, [$d3+16];\nst_global_align(2)_u16 $s5, [$d3+18];\n"
      "st_global_align(8)_u64 $d5, [$d3+24];\nst_global_align(16)_b128 $q1, [$d3+32];\n";
  const Bytes in = random_bytes(64 * 100, 1);
  const Bytes out = run(kernel(body), one_dimension(100, 64, in, 64 * 100))[1];
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(word(out, 16 * i), in[64 * i]);
    EXPECT_EQ(static_cast<int32_t>(word(out, 16 * i + 1)), static_cast<int8_t>(in[64 * i + 1]));
    EXPECT_TRUE(
        std::equal(in.begin() + 64 * i + 16, in.begin() + 64 * i + 24, out.begin() + 64 * i + 24));
    EXPECT_TRUE(
        std::equal(in.begin() + 64 * i + 32, in.begin() + 64 * i + 48, out.begin() + 64 * i + 32));
  }
}

// Without align an address may have any alignment (6.3.2).
TEST(EnginesMemory, Unaligned) {
  const std::string body = std::string(kOwnLines) +
                           "and_b32 $s1, $s0, 15;\ncvt_u64_u32 $d5, $s1;\nadd_u64 $d2, $d2, $d5;\n"
                           "add_u64 $d3, $d3, $d5;\n"
                           "ld_global_u32 $s2, [$d2];\nld_global_u64 $d6, "
                           "[$d2+4];\nld_v3_global_u32 ($s3,$s4,$s5), [$d2+12];\n"
                           "ld_global_u16 $s6, [$d2+24];\n"
                           "st_global_u32 $s2, [$d3];\nst_global_u64 $d6, "
                           "[$d3+4];\nst_v3_global_u32 ($s3,$s4,$s5), [$d3+12];\n"
                           "st_global_u16 $s6, [$d3+24];\n";
  const Bytes in = random_bytes(64 * 64, 2);
  const Bytes out = run(kernel(body), one_dimension(64, 64, in, 64 * 64))[1];
  for (size_t i = 0; i < 64; ++i) {
    const auto at = static_cast<ptrdiff_t>(64 * i + i % 16);
    EXPECT_TRUE(std::equal(in.begin() + at, in.begin() + at + 26, out.begin() + at)) << i;
  }
}

// Work-items write group memory and read each other's words behind a barrier.
TEST(EnginesMemory, GroupMemory) {
  const std::string scope = "group_u32 &tile[256];\ngroup_u8 &odd[3];\n";
  const std::string body =
      std::string(kOwnLines) +
      "workitemid_u32 $s1, 0;\nshl_u32 $s2, $s1, 2;\n"
      "ld_global_align(4)_u32 $s3, [$d2];\nst_group_align(4)_u32 $s3, [&tile][$s2];\n"
      "st_group_u8 7, [&odd][2];\n"
      "memfence_screl_wg;\nbarrier;\nmemfence_scacq_wg;\n"
      "workgroupsize_u32 $s4, 0;\nsub_u32 $s4, $s4, 1;\nsub_u32 $s4, $s4, $s1;\nshl_u32 $s4, $s4, "
      "2;\n"
      "ld_group_align(4)_u32 $s5, [&tile][$s4];\nlda_group_u32 $s6, [&tile][$s2+4];\n"
      "ld_group_u8 $s7, [&odd][2];\ngroupstaticsize_u32 $s8;\n"
      "st_v4_global_align(4)_u32 ($s5, $s6, $s7, $s8), [$d3];\n";
  const Bytes in = random_bytes(64 * 512, 3);
  const Bytes out = run(kernel(body, scope), one_dimension(512, 256, in, 64 * 512))[1];
  for (uint32_t i = 0; i < 512; ++i) {
    EXPECT_EQ(word(out, 16 * i), word(in, 16 * (i / 256 * 256 + 255 - i % 256)));
    EXPECT_EQ(word(out, 16 * i + 1), 4 * (i % 256) + 4);
    EXPECT_EQ(word(out, 16 * i + 2), 7u);
    EXPECT_EQ(word(out, 16 * i + 3), 1027u);
  }
}

TEST(EnginesMemory, DynamicGroupMemory) {
  const std::string scope = "group_u32 &fixed[4];\n";
  const std::string body =
      std::string(kOwnLines) +
      "st_group_align(4)_u32 1, [&fixed];\n"
      "groupbaseptr_u32 $s1;\ngroupstaticsize_u32 $s2;\nadd_u32 $s1, $s1, $s2;\n"
      "workitemid_u32 $s3, 0;\nshl_u32 $s3, $s3, 2;\nadd_u32 $s4, $s1, $s3;\n"
      "st_group_align(4)_u32 $s0, [$s4];\nmemfence_screl_wg;\nbarrier;\nmemfence_scacq_wg;\n"
      "xor_b32 $s3, $s3, 252;\nadd_u32 $s4, $s1, $s3;\nld_group_align(4)_u32 $s5, [$s4];\n"
      "st_global_align(4)_u32 $s5, [$d3];\n";
  Launch launch = one_dimension(128, 64, Bytes(64), 64 * 128);
  launch.dynamic_group_bytes = 256;
  const Bytes out = run(kernel(body, scope), launch)[1];
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(word(out, 16 * i), i / 64 * 64 + 63 - i % 64);
}

// Indexed private memory cannot live in registers.
TEST(EnginesMemory, PrivateMemory) {
  const std::string body =
      std::string(kOwnLines) +
      "ld_global_align(8)_u64 $d5, [$d2];\nst_spill_align(8)_u64 $d5, [%kept];\n"
      "mov_b32 $s1, 0;\n@fill:\nmul_u32 $s2, $s1, $s0;\nshl_u32 $s3, $s1, 2;\n"
      "st_private_align(4)_u32 $s2, [%a][$s3];\nadd_u32 $s1, $s1, 1;\n"
      "cmp_lt_b1_u32 $c0, $s1, 16;\ncbr_b1 $c0, @fill;\n"
      "and_b32 $s4, $s0, 15;\nshl_u32 $s4, $s4, 2;\nld_private_align(4)_u32 $s5, [%a][$s4];\n"
      "ld_spill_align(8)_u64 $d6, [%kept];\n"
      "st_global_align(4)_u32 $s5, [$d3];\nst_global_align(8)_u64 $d6, [$d3+8];\n";
  const Bytes in = random_bytes(64 * 100, 4);
  const Bytes out = run(kernel(body, "", "private_u32 %a[16];\nspill_u64 %kept;\n"),
                        one_dimension(100, 64, in, 64 * 100))[1];
  for (uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(word(out, 16 * i), (i % 16) * i);
    EXPECT_EQ(word(out, 16 * i + 2), word(in, 16 * i));
  }
}

// Registers below the variable under positive offsets, and behind it under negative ones: the sum
// has the 32 bits of a private address (HSAIL PRM 6.1.1).
TEST(EnginesMemory, PrivateAddressesWrap) {
  const std::string body =
      std::string(kOwnLines) +
      "ld_global_align(4)_u32 $s1, [$d2];\nand_b32 $s2, $s1, 24;\nor_b32 $s2, $s2, 100;\n"
      "st_private_align(4)_u32 $s1, [%p][$s2-100];\nst_private_align(4)_u32 $s0, [%q][$s2-88];\n"
      "ld_global_align(4)_u32 $s3, [$d2+4];\n"
      "ld_private_align(4)_u32 $s4, [%p][$s3+40];\nld_private_align(4)_u32 $s5, [%q][$s3+52];\n"
      "st_global_align(4)_u32 $s4, [$d3];\nst_global_align(4)_u32 $s5, [$d3+4];\n";
  Bytes in = random_bytes(64 * 64, 5);
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t below = (word(in, 16 * i) & 24) - 40;
    std::memcpy(&in[64 * i + 4], &below, sizeof below);
  }
  const Bytes out = run(kernel(body, "", "private_u32 %p[16];\nprivate_u32 %q[32];\n"),
                        one_dimension(64, 64, in, 64 * 64))[1];
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(word(out, 16 * i), word(in, 16 * i));
    EXPECT_EQ(word(out, 16 * i + 1), i);
  }
}

// One counter per operation; the values returned depend on the order and are not looked at.
TEST(EnginesMemory, AtomicsOnSharedWords) {
  const std::string operations[] = {"add_global_rlx_agent_u32",   "sub_global_scacq_agent_u32",
                                    "and_global_screl_agent_b32", "or_global_scar_system_b32",
                                    "xor_global_rlx_wg_b32",      "max_global_rlx_agent_s32",
                                    "min_global_rlx_agent_u32",   "wrapinc_global_rlx_agent_u32",
                                    "max_global_rlx_agent_u64",   "add_global_rlx_system_u64"};
  std::string body =
      "cvt_u64_u32 $d2, $s0;\nmul_u32 $s1, $s0, 0x01000193;\nnot_b32 $s2, $s1;\n"
      "combine_v2_b64_b32 $d3, ($s1, $s2);\n";
  unsigned at = 0;
  for (const std::string& operation : operations) {
    const bool wide = operation.find("64") != std::string::npos;
    const bool count = operation.rfind("wrapinc", 0) == 0;
    body += "atomicnoret_" + operation + " [$d1+" + std::to_string(at) + "], " +
            (count  ? "100"
             : wide ? "$d3"
                    : "$s1") +
            ";\n";
    at += 8;
  }
  Launch launch = one_dimension(300, 64, Bytes(64), 128);
  launch.buffers[1][16] = launch.buffers[1][17] = 0xff;  // the and
  const Bytes out = run(kernel(body), launch)[1];
  uint32_t sum = 0;
  uint32_t all = 0;
  for (uint32_t i = 0; i < 300; ++i) {
    sum += i * 0x01000193u;
    all |= i * 0x01000193u;
  }
  EXPECT_EQ(word(out, 0), sum);
  EXPECT_EQ(word(out, 2), 0u - sum);
  EXPECT_EQ(word(out, 6), all);
  EXPECT_EQ(word(out, 14), 300u % 101u);
}

// Every work-item has words of its own, so that returned values are determined.
TEST(EnginesMemory, AtomicsThatReturn) {
  const std::string operations[] = {"add_global_rlx_agent_u32 $s5, [$d2], $s6",
                                    "exch_global_scar_agent_b32 $s5, [$d2+4], $s6",
                                    "cas_global_scar_agent_b32 $s5, [$d2+8], $s4, $s6",
                                    "max_global_rlx_wg_s32 $s5, [$d2+12], $s6",
                                    "wrapdec_global_rlx_agent_u32 $s5, [$d2+16], $s6",
                                    "ld_global_scacq_agent_b32 $s5, [$d2+20]",
                                    "xor_rlx_agent_b32 $s5, [$d2+24], $s6"};
  std::string body =
      std::string(kOwnLines) +
      "ld_global_align(4)_u32 $s4, [$d2+8];\nld_global_align(4)_u32 $s6, [$d2+60];\n";
  for (size_t i = 0; i < std::size(operations); ++i)
    body += "atomic_" + operations[i] + ";\nst_global_align(4)_u32 $s5, [$d3+" +
            std::to_string(4 * i) + "];\n";
  body += "atomicnoret_st_global_screl_agent_b32 [$d2+28], $s6;\n";
  const Bytes in = random_bytes(64 * 80, 5);
  const auto after = run(kernel(body), one_dimension(80, 64, in, 64 * 80));
  for (uint32_t i = 0; i < 80; ++i) {
    const uint32_t operand = word(in, 16 * i + 15);
    EXPECT_EQ(word(after[1], 16 * i + 1), word(in, 16 * i + 1));
    EXPECT_EQ(word(after[0], 16 * i + 1), operand);
    EXPECT_EQ(word(after[0], 16 * i + 2), operand);
    EXPECT_EQ(word(after[0], 16 * i + 7), operand);
  }
}

TEST(EnginesMemory, GroupAtomics) {
  const std::string scope = "group_u32 &count;\ngroup_u64 &wide;\n";
  const std::string body =
      std::string(kOwnLines) +
      "workitemid_u32 $s1, 0;\ncmp_ne_b1_u32 $c0, $s1, 0;\ncbr_b1 $c0, @go;\n"
      "st_group_align(4)_u32 5, [&count];\nst_group_align(8)_u64 0, [&wide];\n@go:\n"
      "memfence_screl_wg;\nbarrier;\nmemfence_scacq_wg;\n"
      "atomicnoret_add_group_rlx_wg_u32 [&count], $s1;\ncvt_u64_u32 $d5, $s1;\n"
      "atomicnoret_max_group_rlx_wg_u64 [&wide], $d5;\n"
      "memfence_screl_wg;\nbarrier;\nmemfence_scacq_wg;\n"
      "ld_group_align(4)_u32 $s2, [&count];\nld_group_align(8)_u64 $d6, [&wide];\n"
      "st_global_align(4)_u32 $s2, [$d3];\nst_global_align(8)_u64 $d6, [$d3+8];\n";
  const Bytes out = run(kernel(body, scope), one_dimension(256, 128, Bytes(64), 64 * 256))[1];
  for (uint32_t i = 0; i < 256; ++i) {
    EXPECT_EQ(word(out, 16 * i), 5u + 127u * 64u);
    EXPECT_EQ(word(out, 16 * i + 2), 127u);
  }
}

// Three dimensions, partial work-groups in each.
TEST(EnginesMemory, DispatchQueries) {
  const char* queries[] = {"workitemid_u32 $s1, 0",
                           "workitemid_u32 $s1, 1",
                           "workitemid_u32 $s1, 2",
                           "workgroupid_u32 $s1, 0",
                           "workgroupid_u32 $s1, 1",
                           "workgroupid_u32 $s1, 2",
                           "workgroupsize_u32 $s1, 0",
                           "workgroupsize_u32 $s1, 2",
                           "currentworkgroupsize_u32 $s1, 0",
                           "currentworkgroupsize_u32 $s1, 1",
                           "currentworkgroupsize_u32 $s1, 2",
                           "gridsize_u32 $s1, 0",
                           "gridsize_u32 $s1, 1",
                           "gridgroups_u32 $s1, 0",
                           "gridgroups_u32 $s1, 2",
                           "workitemabsid_u32 $s1, 1",
                           "workitemflatid_u32 $s1",
                           "currentworkitemflatid_u32 $s1",
                           "laneid_u32 $s1",
                           "dim_u32 $s1",
                           "workitemflatabsid_u32 $s1",
                           "groupstaticsize_u32 $s1"};
  std::string body = "workitemflatabsid_u64 $d4;\nmul_u64 $d4, $d4, 128;\nadd_u64 $d3, $d1, $d4;\n";
  for (size_t i = 0; i < std::size(queries); ++i)
    body += std::string(queries[i]) + ";\nst_global_align(4)_u32 $s1, [$d3+" +
            std::to_string(4 * i) + "];\n";
  Launch launch{
      "&k", {13, 7, 5}, {8, 4, 2}, {buffer(0), buffer(1)}, {Bytes(64), Bytes(13 * 7 * 5 * 128)}};
  const Bytes out = run(kernel(body), launch)[1];
  for (uint32_t z = 0; z < 5; ++z)
    for (uint32_t y = 0; y < 7; ++y)
      for (uint32_t x = 0; x < 13; ++x) {
        const size_t at = 32 * (x + 13 * (y + 7 * z));
        EXPECT_EQ(word(out, at), x % 8);
        EXPECT_EQ(word(out, at + 3), x / 8);
        EXPECT_EQ(word(out, at + 8), x < 8 ? 8u : 5u);
        EXPECT_EQ(word(out, at + 10), z < 4 ? 2u : 1u);
        EXPECT_EQ(word(out, at + 13), 2u);
        EXPECT_EQ(word(out, at + 16), x % 8 + 8 * (y % 4 + 4 * (z % 2)));
        EXPECT_EQ(word(out, at + 20), x + 13 * (y + 7 * z));
      }
}

// A switch in a divergent loop with an early exit.
TEST(EnginesMemory, DivergentControlFlow) {
  const std::string body =
      std::string(kOwnLines) +
      "ld_global_align(4)_u32 $s1, [$d2];\nmov_b32 $s2, 0;\nmov_b32 $s3, 0;\n"
      "@loop:\nand_b32 $s4, $s1, 3;\nshr_u32 $s1, $s1, 2;\nadd_u32 $s3, $s3, 1;\n"
      "sbr_u32 $s4 [@zero, @one, @two, @three];\n"
      "@zero:\nadd_u32 $s2, $s2, $s3;\nbr @next;\n"
      "@one:\nmul_u32 $s2, $s2, 3;\nbr @next;\n"
      "@two:\ncmp_gt_b1_u32 $c1, $s3, 6;\ncbr_b1 $c1, @done;\nxor_b32 $s2, $s2, $s1;\nbr @next;\n"
      "@three:\nadd_u32 $s2, $s2, 1;\n"
      "@next:\ncmp_ne_b1_u32 $c0, $s1, 0;\ncbr_b1 $c0, @loop;\n"
      "@done:\nst_v2_global_align(4)_u32 ($s2, $s3), [$d3];\n";
  const Bytes in = random_bytes(64 * 200, 6);
  const Bytes out = run(kernel(body), one_dimension(200, 64, in, 64 * 200))[1];
  for (uint32_t i = 0; i < 200; ++i) {
    uint32_t bits = word(in, 16 * i);
    uint32_t value = 0;
    uint32_t steps = 0;
    while (true) {
      const uint32_t choice = bits & 3;
      bits >>= 2;
      ++steps;
      if (choice == 0) value += steps;
      if (choice == 1) value *= 3;
      if (choice == 2 && steps > 6) break;
      if (choice == 2) value ^= bits;
      if (choice == 3) value += 1;
      if (bits == 0) break;
    }
    EXPECT_EQ(word(out, 16 * i), value) << i;
    EXPECT_EQ(word(out, 16 * i + 1), steps) << i;
  }
}

// A flat address is the sum (6.1.1): its register alone may lie outside of the segment. 2048 is
// loaded, so that nobody knows that it cancels out.
TEST(EnginesMemory, FlatOffsetsLeadIntoASegment) {
  const std::string body =
      "ld_global_align(4)_u32 $s3, [$d0];\ncvt_u64_u32 $d5, $s3;\n"
      "lda_group_u32 $s1, [%g];\nshl_u32 $s2, $s0, 2;\nadd_u32 $s1, $s1, $s2;\n"
      "stof_group_u64_u32 $d2, $s1;\nsub_u64 $d2, $d2, $d5;\nadd_u32 $s4, $s0, 100;\n"
      "st_align(4)_u32 $s4, [$d2+2048];\n"
      "atomic_add_scar_wg_u32 $s6, [$d2+2048], 1000;\nld_align(4)_u32 $s5, [$d2+2048];\n"
      "lda_private_u32 $s1, [%p];\nstof_private_u64_u32 $d4, $s1;\nsub_u64 $d4, $d4, $d5;\n"
      "st_v2_align(4)_u32 ($s4, $s5), [$d4+2048];\nld_align(4)_u32 $s7, [$d4+2052];\n"
      "cvt_u64_u32 $d6, $s0;\nshl_u64 $d6, $d6, 4;\nadd_u64 $d3, $d1, $d6;\n"
      "st_v3_global_align(4)_u32 ($s6, $s5, $s7), [$d3];\n";
  Bytes in(64);
  in[1] = 2048 >> 8;
  const Bytes out = run(kernel(body, "", "group_u32 %g[64];\nprivate_u32 %p[4];\n"),
                        one_dimension(64, 64, in, 16 * 64))[1];
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(word(out, 4 * i), 100 + i);
    EXPECT_EQ(word(out, 4 * i + 1), 1100 + i);
    EXPECT_EQ(word(out, 4 * i + 2), 1100 + i);
  }
}

}  // namespace
