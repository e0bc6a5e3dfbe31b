// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_packed_cases.h"
#include "hsail_support.h"

// Every packed instruction in every type and packing control against plain C++ code.
namespace cuvette::hsail {
namespace {

using namespace testing;

constexpr uint64_t kSeed = 20131202;
constexpr unsigned kItems = 96;

TEST(Packed, EveryFormAgainstPlainCode) {
  std::mt19937_64 random(kSeed);
  const auto cases = hsail_packed::cases();
  constexpr size_t kPerModule = 100;
  std::set<std::string> good;
  std::set<std::string> bad;
  for (size_t first = 0; first < cases.size(); first += kPerModule) {
    const size_t last = std::min(cases.size(), first + kPerModule);
    std::string text = "module &m:1:2:$full:$large:$default;\n";
    for (size_t i = first; i < last; ++i) {
      text += hsail_packed::kernel_text(cases[i], "k" + std::to_string(i));
    }
    const auto module = load_text(text, "packed.hsail");
    ASSERT_TRUE(module.ok()) << module.error().str();
    for (size_t i = first; i < last; ++i) {
      const auto& c = cases[i];
      const auto data = hsail_packed::data_for(c, kItems, random);
      TestMemory memory;
      const uint64_t in = memory.add_values(data.in);
      const uint64_t out = memory.add(16 * kItems);
      Machine machine(*module, memory, {});
      const auto status = machine.run(dispatch(*module, "&k" + std::to_string(i), {kItems, 1, 1},
                                               {64, 1, 1}, Kernarg().add(in).add(out)));
      ASSERT_TRUE(status.ok()) << status.error().str();
      EXPECT_TRUE(machine.undefined_uses().empty()) << c.opcode;
      const auto results = memory.values<uint64_t>(out);
      std::string wrong;
      for (unsigned lane = 0; lane < kItems && wrong.empty(); ++lane) {
        wrong = hsail_packed::difference(c, data.expected[lane],
                                         {{results[2 * lane], results[2 * lane + 1]}});
        if (!wrong.empty()) {
          for (unsigned w = 0; w < 8; ++w) {
            char hex[24];
            std::snprintf(hex, sizeof hex, " %llx",
                          static_cast<unsigned long long>(data.in[8 * lane + w]));
            wrong += hex;
          }
        }
      }
      EXPECT_EQ(wrong, "") << c.id << " " << c.opcode << ", seed " << kSeed;
      (wrong.empty() ? good : bad).insert(c.id);
    }
  }
  for (const std::string& id : good) {
    if (bad.count(id) == 0) Ledger::cover(id);
  }
  std::cout << "packed forms against plain code: " << cases.size() << "\n";
  EXPECT_GT(cases.size(), 1500u);
  if (!HasFailure()) testing::Ledger::cover("HL-151 HL-152 HL-184");
}

TEST(Packed, UndefinedConversionsAreNoted) {
  const Module m = module_of(
      "\tld_kernarg_u64 $d0, [%out];\n\tmov_b64 $d1, f32x2(1.0f, 3.0e9f);\n"
      "\tcvt_pp_s32x2_f32x2 $d2, $d1;\n\tst_global_u64 $d2, [$d0];\n");
  TestMemory memory;
  const uint64_t out = memory.add(8);
  Machine machine(m, memory, {});
  ASSERT_TRUE(machine.run(dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out))).ok());
  const auto uses = machine.undefined_uses();
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].why, "conversion of a float outside the range of the integer");
}

// The examples of 4.14.2 and 5.9: constants name the most significant element first.
TEST(Packed, ConstantsAndDirectedRounding) {
  const Module m = module_of(
      "\tld_kernarg_u64 $d0, [%out];\n"
      "\tadd_pp_s16x2 $s0, s16x2(-23, 56), s16x2(1, 2);\n"  // (-22, 58)
      "\tst_global_u32 $s0, [$d0];\n"
      "\tmov_b32 $s1, 0x03020100;\n"
      "\tshuffle_u8x4 $s0, $s1, $s1, 0x1b;\n"  // swapped
      "\tst_global_u32 $s0, [$d0+4];\n"
      // 1 + 2^-24 up and down.
      "\tadd_up_pp_f32x2 $d1, f32x2(1.0f, 1.0f), f32x2(0f33800000, 0f33800000);\n"
      "\tst_global_u64 $d1, [$d0+8];\n"
      "\tadd_down_ss_f32x2 $d1, f32x2(1.0f, -1.0f), f32x2(1.0f, 0fb3800000);\n"
      "\tst_global_u64 $d1, [$d0+16];\n");
  TestMemory memory;
  const uint64_t out = memory.add(24);
  run(m, memory, dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out)));
  EXPECT_EQ(memory.values<uint32_t>(out),
            (std::vector<uint32_t>{0xffea003a, 0x00010203, 0x3f800001, 0x3f800001, 0xbf800001,
                                   0x3f800001}));
}

}  // namespace
}  // namespace cuvette::hsail
