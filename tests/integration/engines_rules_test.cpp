// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Limits of a finalizer with communication, memory and exceptions (HSAIL PRM 2.12, 6.2,
// chapter 17), and the metadata of a loaded program: in the optimised intermediate code and
// on the machine.
#include <regex>

#include "engines_testing.h"
#include "finalizer/finalize.h"
#include "hsa/code_object.h"
#include "hsa/small_model.h"
#include "hsail_support.h"

namespace {

namespace engines = cuvette::engines;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;
using cuvette::hsail::testing::Ledger;
using engines::buffer;
using engines::Bytes;
using engines::Launch;

const auto* const kLedger = ::testing::AddGlobalTestEnvironment(new Ledger("engines_rules_test"));

std::string ir_of(const std::string& text, const char* target) {
  const auto module = load(text);
  const auto ir = cuvette::finalizer::optimised_ir({&module}, {target, 4});
  EXPECT_TRUE(ir.ok()) << (ir.ok() ? "" : ir.error().str());
  return ir.ok() ? *ir : "";
}

/// Number of an instruction's uses in the code, without declarations.
size_t count(const std::string& ir, const std::string& pattern) {
  const std::regex what("\n  [^\n]*" + pattern);
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(ir.begin(), ir.end(), what), std::sregex_iterator()));
}

std::string kernel(const std::string& body, const std::string& before = "") {
  return "module &m:1:0:$full:$large:$default;\n" + before +
         "prog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_align(8)_u64 $d0, [%out];\n"
         "workitemabsid_u32 $s0, 0;\n" +
         body + "};\n";
}

class EnginesRules : public ::testing::TestWithParam<const char*> {};

/// 17.6: if (x || y) { A; operation; B; if (x) C; } must not become two copies of the operation, as
/// jump threading would have it, nor may it move out of the condition. 2.12 lists the operations.
TEST_P(EnginesRules, CommunicationIsNotCloned) {
  struct Row {
    const char* operation;
    const char* in_code;
  };
  const Row rows[] = {
      {"barrier;", "call void @llvm\\.amdgcn\\.s\\.barrier"},
      {"wavebarrier;", "call void @llvm\\.amdgcn\\.wave\\.barrier"},
      {"memfence_scar_wg;", "fence syncscope\\(\"workgroup\"\\)"},
      {"atomic_add_global_rlx_agent_u32 $s5, [$d0+64], 1;", "atomicrmw add"},
      {"activelaneid_u32 $s5;", "call i32 @llvm\\.amdgcn\\.mbcnt\\.lo"},
      {"activelanepermute_b32 $s5, $s0, $s1, 0, 0;", "call i32 @llvm\\.amdgcn\\.ds\\.bpermute"},
      {"clock_u64 $d5;\ncvt_u32_u64 $s5, $d5;",
       "call i64 @llvm\\.amdgcn\\.s\\.memrealtime|"
       "call i64 @llvm\\.readcyclecounter|s\\.memtime"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.operation);
    const std::string text = kernel(
        "ld_global_align(4)_u32 $s1, [$d0];\nld_global_align(4)_u32 $s2, [$d0+4];\n"
        "mov_b32 $s5, 0;\n"
        "cmp_lt_b1_u32 $c0, $s0, $s1;\ncmp_lt_b1_u32 $c1, $s0, $s2;\nor_b1 $c2, $c0, $c1;\n"
        "not_b1 $c2, $c2;\ncbr_b1 $c2, @done;\nst_global_align(4)_u32 1, [$d0+8];\n" +
        std::string(row.operation) +
        "\nst_global_align(4)_u32 $s5, [$d0+12];\nnot_b1 $c0, $c0;\ncbr_b1 $c0, @done;\n"
        "st_global_align(4)_u32 3, [$d0+16];\n@done:\n");
    const std::string ir = ir_of(text, GetParam());
    EXPECT_EQ(count(ir, row.in_code), 1u) << ir;
    // Not in the first block: a branch stands before it.
    const size_t branch = ir.find("\n  br i1 ");
    std::smatch found;
    ASSERT_TRUE(
        std::regex_search(ir, found, std::regex("\n  [^\n]*(" + std::string(row.in_code) + ")")));
    EXPECT_LT(branch, static_cast<size_t>(found.position(0))) << ir;
  }
  if (!HasFailure()) Ledger::cover("HL-039 HL-326");
}

/// 6.2.8: an execution barrier orders no memory; fences beside it do and stay where they are.
TEST_P(EnginesRules, BarriersAndFences) {
  EXPECT_EQ(count(ir_of(kernel("barrier;\n"), GetParam()), "fence "), 0u);
  const std::string ir =
      ir_of(kernel("st_global_align(4)_u32 $s0, [$d0];\nmemfence_screl_wg;\nbarrier;\n"
                   "memfence_scacq_wg;\nld_global_align(4)_u32 $s1, [$d0+4];\n"
                   "st_global_align(4)_u32 $s1, [$d0+8];\n"),
            GetParam());
  const size_t release = ir.find("fence syncscope(\"workgroup\") release");
  const size_t barrier = ir.find("call void @llvm.amdgcn.s.barrier");
  const size_t acquire = ir.find("fence syncscope(\"workgroup\") acquire");
  EXPECT_LT(release, barrier) << ir;
  EXPECT_LT(barrier, acquire) << ir;
  EXPECT_NE(acquire, std::string::npos) << ir;
  // 6.2.3: not of one address space only.
  EXPECT_EQ(ir.find("-one-as\") release"), std::string::npos) << ir;
  if (!HasFailure()) Ledger::cover("HL-198 HL-203");
}

/// 6.2.7: what a work-item stored last is there when the dispatch ends.
TEST_P(EnginesRules, LastStoresStay) {
  const std::string text = kernel(
      "shl_u32 $s1, $s0, 2;\ncvt_u64_u32 $d1, $s1;\nadd_u64 $d0, $d0, $d1;\n"
      "mul_u32 $s0, $s0, 3;\nst_global_align(4)_u32 $s0, [$d0];\n");
  const Launch launch{"&k", {100, 1, 1}, {64, 1, 1}, {buffer(0)}, {Bytes(400)}};
  const auto words = engines::values_of<uint32_t>(engines::run_both(text, launch, GetParam())[0]);
  for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(words[i], 3 * i);
  if (!HasFailure()) Ledger::cover("HL-202");
}

/// 17.7: no store where the program has none: here it would hit memory that is not there.
TEST_P(EnginesRules, NoInventedStores) {
  const std::string text = kernel(
      "ld_global_align(4)_u32 $s1, [$d0];\nld_global_align(8)_u64 $d1, [$d0+8];\n"
      "mov_b32 $s2, 5;\ncmp_eq_b1_u32 $c0, $s1, 0;\ncbr_b1 $c0, @skip;\n"
      "st_global_align(4)_u32 $s2, [$d1];\nst_global_align(4)_u32 7, [$d1+4];\n@skip:\n"
      "st_global_align(4)_u32 $s2, [$d0+4];\n");
  const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(16)}};
  const auto words = engines::values_of<uint32_t>(engines::run_both(text, launch, GetParam())[0]);
  EXPECT_EQ(words, (std::vector<uint32_t>{0, 5, 0, 0}));
  if (!HasFailure()) Ledger::cover("HL-327");
}

/// 17.13: an exception that is detected is part of what an instruction does, used or not.
TEST_P(EnginesRules, ExceptionsOfUnusedResults) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nprog kernel &k(kernarg_u64 %out)\n{\n"
      "enabledetectexceptions 31;\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "mov_b32 $s1, 0f3f800000;\nmov_b32 $s2, 0;\ndiv_f32 $s3, $s1, $s2;\n"
      "mov_b32 $s3, 0f7f7fffff;\nmul_f32 $s4, $s3, $s3;\nmov_b32 $s4, 0;\n"
      "getdetectexcept_u32 $s5;\nst_global_align(4)_u32 $s5, [$d0];\n};\n";
  const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(4)}};
  const auto words = engines::values_of<uint32_t>(engines::run_both(text, launch, GetParam())[0]);
  EXPECT_EQ(words[0], 2u | 4u | 16u);  // division by zero, overflow and inexact
  if (!HasFailure()) Ledger::cover("HL-329");
}

/// Addresses that code of either machine model may have.
const cuvette::hsa::DeviceAllocator::Config kLow{cuvette::hsa::kSmallModelFirst,
                                                 cuvette::hsa::kSmallModelEnd};

cuvette::base::Result<cuvette::hsa::LoadedCode> loaded(const std::string& text, const char* target,
                                                       cuvette::hsa::DeviceMemory& memory) {
  const auto module = load(text);
  const auto object = cuvette::finalizer::finalize(module, {target, 5});
  if (!object) return object.error();
  const auto parsed = cuvette::hsa::parse_target(target);
  return cuvette::hsa::load_code_object(*object, "t.co", memory,
                                        cuvette::hsa::default_machine(parsed->processor));
}

/// 4.2.3: how much private memory a work-item needs, and whether a call stack comes on top.
TEST_P(EnginesRules, PrivateSegmentSize) {
  const auto info = [&](const std::string& text) {
    cuvette::hsa::DeviceMemory memory(kLow);
    const auto code = loaded(text, GetParam(), memory);
    EXPECT_TRUE(code.ok()) << (code.ok() ? "" : code.error().str());
    return code.ok() ? **code->find("&k") : cuvette::hsa::KernelInfo{};
  };
  const auto none = info(kernel("st_global_align(4)_u32 1, [$d0];\n"));
  EXPECT_EQ(none.private_bytes, 0u);
  EXPECT_FALSE(none.dynamic_stack);
  const auto some = info(
      "module &m:1:0:$full:$large:$default;\nprog kernel &k(kernarg_u64 %out)\n{\n"
      "private_u32 %p[100];\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "ld_global_align(4)_u32 $s0, [$d0];\nst_private_align(4)_u32 7, [%p][$s0];\n"
      "ld_global_align(4)_u32 $s1, [$d0+4];\nld_private_align(4)_u32 $s2, [%p][$s1];\n"
      "st_global_align(4)_u32 $s2, [$d0];\n};\n");
  EXPECT_GE(some.private_bytes, 400u);
  EXPECT_LT(some.private_bytes, 1024u);
  EXPECT_FALSE(some.dynamic_stack);
  const auto deep = info(
      kernel("{\narg_u32 %r;\narg_u32 %x;\nst_arg_align(4)_u32 $s0, [%x];\ncall &f(%r)(%x);\n"
             "ld_arg_align(4)_u32 $s0, [%r];\n}\nst_global_align(4)_u32 $s0, [$d0];\n",
             "decl function &f(arg_u32 %r)(arg_u32 %x);\nfunction &f(arg_u32 %r)(arg_u32 %x)\n{\n"
             "ld_arg_align(4)_u32 $s0, [%x];\ncmp_lt_b1_u32 $c0, $s0, 2;\ncbr_b1 $c0, @leaf;\n"
             "{\narg_u32 %y;\narg_u32 %a;\nshr_u32 $s1, $s0, 1;\nst_arg_align(4)_u32 $s1, [%a];\n"
             "call &f(%y)(%a);\nld_arg_align(4)_u32 $s1, [%y];\n}\nadd_u32 $s0, $s0, $s1;\n"
             "{\narg_u32 %y;\narg_u32 %a;\nshr_u32 $s1, $s0, 2;\nst_arg_align(4)_u32 $s1, [%a];\n"
             "call &f(%y)(%a);\nld_arg_align(4)_u32 $s1, [%y];\n}\nadd_u32 $s0, $s0, $s1;\n"
             "@leaf:\nst_arg_align(4)_u32 $s0, [%r];\n};\n"));
  EXPECT_TRUE(deep.dynamic_stack);
  if (!HasFailure()) Ledger::cover("HL-064");
}

/// 4.2.3: a kernel's code handle has 64 bits and is what a dispatch packet wants.
TEST_P(EnginesRules, KernelCodeHandle) {
  cuvette::hsa::DeviceMemory memory(kLow);
  const auto code = loaded(
      "module &m:1:2:$full:$large:$default;\nprog kernel &k()\n{\n};\n"
      "alloc(agent) global_u64 &handle = addr(&k);\n",
      GetParam(), memory);
  ASSERT_TRUE(code.ok()) << code.error().str();
  uint64_t handle = 0;
  for (const auto& symbol : code->symbols) {
    if (symbol.name != "m::handle") continue;
    EXPECT_EQ(symbol.bytes, 8u);
    ASSERT_TRUE(memory.read(symbol.address, &handle, sizeof handle).ok());
  }
  EXPECT_NE(handle, 0u);
  EXPECT_EQ(handle, (*code->find("&k"))->descriptor);
  if (!HasFailure()) Ledger::cover("HL-065");
}

/// 4.19.4: in the full profile a NaN result is one of the NaN sources made quiet, constants
/// included, and what a wider type holds of one comes back. NaNs with 5 in their fractions, numbers
/// from memory; 32 bits of every result.
TEST_P(EnginesRules, NansKeepTheirPayload) {
  struct Row {
    const char* code;  ///< $s1: a NaN of F16, $s2: 1.0 of F32, $d1: the NaN as F64; result in $s3
    uint32_t expected;
  };
  const Row rows[] = {
      {"cvt_f16_f64 $s3, $d1;", 0x7e05},
      {"cvt_ftz_f16_f64 $s3, $d1;", 0x7e05},
      {"cvt_up_f16_f64 $s3, $d1;", 0x7e05},
      {"add_f32 $s3, 0f7fc00005, $s2;", 0x7fc00005},
      {"add_ftz_f32 $s3, $s2, 0f7fc00005;", 0x7fc00005},
      {"add_f32 $s3, $s2, 0f7f800005;", 0x7fc00005},
      {"max_f32 $s3, 0f7f800005, $s2;", 0x7fc00005},
      {"fract_f32 $s3, 0f7fc00005;", 0x7fc00005},
      {"mov_b32 $s4, 0x7fc00005;\nfloor_f32 $s3, $s4;", 0x7fc00005},
      {"mov_b32 $s4, 0x7fc00005;\nmul_f32 $s3, $s4, 2.0f;", 0x7fc00005},
      {"mov_b32 $s4, 0x7fc00005;\ndiv_f32 $s3, $s4, $s2;", 0x7fc00005},
      {"mov_b32 $s4, 0x7fc00005;\nfma_f32 $s3, $s2, $s4, $s2;", 0x7fc00005},
      {"mov_b32 $s4, 0x7fc00005;\nsqrt_f32 $s3, $s4;", 0x7fc00005},
      {"mov_b32 $s4, 0x7e05;\nfma_f16 $s3, $s4, $s4, $s4;", 0x7e05},
      {"mov_b32 $s4, 0x7c05;\nrint_f16 $s3, $s4;", 0x7e05},
      {"mov_b32 $s4, 0x7e057e06;\nadd_pp_f16x2 $s3, $s4, $s2;", 0x7e057e06},
      {"add_f64 $d2, 0d7ff8000000000005, $d1;\ncvt_u32_u64 $s3, $d2;", 5},
  };
  std::string body =
      "ld_global_align(4)_u32 $s1, [$d0];\nld_global_align(4)_u32 $s2, [$d0+4];\n"
      "cvt_f64_f16 $d1, $s1;\n";
  for (size_t i = 0; i < std::size(rows); ++i)
    body += std::string(rows[i].code) + "\nst_global_align(4)_u32 $s3, [$d0+" +
            std::to_string(8 + 4 * i) + "];\n";
  Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(8 + 4 * std::size(rows))}};
  const uint32_t sources[] = {0x7e05, 0x3f800000};
  std::memcpy(launch.buffers[0].data(), sources, sizeof sources);
  const Bytes out = engines::run_both(kernel(body), launch, GetParam())[0];
  for (size_t i = 0; i < std::size(rows); ++i) {
    uint32_t found = 0;
    std::memcpy(&found, out.data() + 8 + 4 * i, 4);
    EXPECT_EQ(found, rows[i].expected) << rows[i].code;
  }
}

/// Constants as b1: true where they are not 0 (decisions.md D61), in every operand that takes
/// one. The rows are as HSAILasm writes such modules; X is each of WAVESIZE, 2, 256, -2 and 2^32.
TEST_P(EnginesRules, ConstantsAsOneBit) {
  const struct {
    const char* code;
    uint32_t expected;  ///< of $s3
  } rows[] = {
      {"cvt_u32_b1 $s3, X;", 1},
      {"cvt_s32_b1 $s3, X;", 0xffffffff},
      {"cvt_f32_b1 $s3, X;", 0x3f800000},
      {"cvt_u64_b1 $d4, X;\ncvt_u32_u64 $s3, $d4;", 1},
      {"mov_b1 $c0, X;\ncvt_u32_b1 $s3, $c0;", 1},
      {"not_b1 $c0, X;\ncvt_u32_b1 $s3, $c0;", 0},
      {"mov_b1 $c1, 0;\nor_b1 $c0, $c1, X;\ncvt_u32_b1 $s3, $c0;", 1},
      {"mov_b1 $c1, 1;\nand_b1 $c0, $c1, X;\ncvt_u32_b1 $s3, $c0;", 1},
      {"mov_b1 $c1, 1;\nxor_b1 $c0, X, $c1;\ncvt_u32_b1 $s3, $c0;", 0},
      {"mov_b1 $c1, 1;\ncmp_eq_b1_b1 $c0, $c1, X;\ncvt_u32_b1 $s3, $c0;", 1},
      {"mov_b1 $c1, 1;\ncmp_ne_b1_b1 $c0, X, $c1;\ncvt_u32_b1 $s3, $c0;", 0},
      {"cmov_b32 $s3, X, 5, 7;", 5},
      {"cmov_b1 $c0, X, 0, 1;\ncvt_u32_b1 $s3, $c0;", 0},
      {"cmov_b1 $c0, 1, X, 0;\ncvt_u32_b1 $s3, $c0;", 1},
      {"mov_b32 $s3, 5;\ncbr_b1 X, @Y;\nmov_b32 $s3, 7;\n@Y:", 5},
      {"activelanecount_u32_b1 $s3, X;", 1},
      {"activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), X;\ncvt_u32_u64 $s3, $d4;", 1},
      {"activelanepermute_b32 $s3, 5, 0, 7, X;", 7},
      {"activelanepermute_b1 $c0, X, 0, 0, 0;\ncvt_u32_b1 $s3, $c0;", 1},
      // Not of type b1: a number.
      {"cvt_b1_u32 $c0, X;\ncvt_u32_b1 $s3, $c0;", 1},
  };
  const char* const constants[] = {"WAVESIZE", "2", "256", "-2", "4294967296"};
  const auto with = [](std::string text, const std::string& constant, const std::string& label) {
    for (size_t at = 0; (at = text.find_first_of("XY", at)) != std::string::npos;) {
      const std::string& what = text[at] == 'X' ? constant : label;
      text.replace(at, 1, what);
      at += what.size();
    }
    return text;
  };
  std::string body;
  std::vector<std::pair<std::string, uint32_t>> all;
  for (const char* constant : constants) {
    for (const auto& row : rows) {
      // 2^32 is 0 as u32.
      const bool truncated = std::string(row.code).find("b1_u32") != std::string::npos &&
                             std::string(constant) == "4294967296";
      const std::string code = with(row.code, constant, "l" + std::to_string(all.size()));
      body +=
          code + "\nst_global_align(4)_u32 $s3, [$d0+" + std::to_string(4 * all.size()) + "];\n";
      all.emplace_back(code, truncated ? 0 : row.expected);
    }
  }
  body += "mov_b32 $s3, WAVESIZE;\nst_global_align(4)_u32 $s3, [$d0+" +
          std::to_string(4 * all.size()) + "];\n";
  all.emplace_back("mov_b32", 64);
  const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(4 * all.size())}};
  const auto words =
      engines::values_of<uint32_t>(engines::run_both(kernel(body), launch, GetParam())[0]);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(words[i], all[i].second) << all[i].first;
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesRules, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
