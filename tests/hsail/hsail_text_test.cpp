// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <random>

#include "hsail/inst_table.h"
#include "hsail/literal.h"
#include "hsail_snippets.h"
#include "hsail_support.h"

// HSAIL text: what is accepted, printed, refused and with which words.
namespace cuvette::hsail {
namespace {

using testing::kSnippets;
using testing::Ledger;
using testing::Snippet;

const auto* const kLedger = ::testing::AddGlobalTestEnvironment(new Ledger("hsail_text_test"));

const char* const kDemoKernels[] = {"vector_add", "saxpy",   "transpose", "reduce",   "sgemm",
                                    "histogram",  "stencil", "mixed",     "mfma_gemm"};

std::string read_file(const std::string& path) {
  auto text = base::read_text(path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? *text : "";
}

const std::string kHeader = "module &m:1:0:$full:$large:$default;\n";

std::string all_errors(const std::string& text) {
  auto outcome = parse_text(text, "t.hsail");
  if (outcome.ok()) outcome.errors = validate(outcome.module);
  std::string joined;
  for (const auto& e : outcome.errors)
    joined += (joined.empty() ? "" : "\n") + testing::without_id(e);
  return joined;
}

/// Parses, prints, parses again: equal modules and equal text.
void round_trip(const std::string& text) {
  const auto first = parse_text(text, "first");
  ASSERT_TRUE(first.ok()) << first.errors[0].str();
  const std::string printed = print(first.module);
  const auto second = parse_text(printed, "printed");
  ASSERT_TRUE(second.ok()) << second.errors[0].str() << "\n" << printed;
  EXPECT_TRUE(same_module(first.module, second.module)) << printed;
  EXPECT_EQ(print(second.module), printed);
}

TEST(Text, SnippetsAreAcceptedAndPrintedBack) {
  for (const Snippet& s : kSnippets) {
    SCOPED_TRACE(s.text);
    EXPECT_EQ(all_errors(kHeader + s.text), "");
    round_trip(kHeader + s.text);
    if (!HasFailure()) Ledger::cover(s.ids);
  }
}

TEST(Text, HeadersOfAllProfilesAndModels) {
  for (const char* version : {"1:0", "1:1", "1:2"}) {
    for (const char* profile : {"$base", "$full"}) {
      for (const char* model : {"$small", "$large"}) {
        for (const char* round : {"$default", "$zero", "$near"}) {
          const std::string text = std::string("module &m:") + version + ":" + profile + ":" +
                                   model + ":" + round + ";\n";
          EXPECT_EQ(all_errors(text), "");
          const auto parsed = parse_text(text, "t");
          EXPECT_EQ(print(parsed.module), text);
        }
      }
    }
  }
  Ledger::cover("HL-032 HL-036 HL-319 HL-320 HL-321 HL-362 HL-363 HL-364");
}

TEST(Text, DemoKernelsRoundTrip) {
  for (const char* kernel : kDemoKernels) {
    SCOPED_TRACE(kernel);
    round_trip(read_file(testing::kernel_path(kernel)));
  }
}

TEST(Text, EveryTruncationOfTheKernelsIsAnErrorNotACrash) {
  for (const char* kernel : kDemoKernels) {
    const std::string text = read_file(testing::kernel_path(kernel));
    // Behind the header and before the kernel the text is a module, but for a cut extension; cut
    // anywhere else it is none.
    const size_t last = text.rfind(';');
    const size_t header = text.find("$default;") + 9;
    const size_t body = text.find("prog kernel");
    const size_t extension = std::min(text.find("extension "), body);
    const size_t behind = extension == body ? body : text.find(';', extension) + 1;
    for (size_t n = 0; n <= last; ++n) {
      const auto outcome = parse_text(std::string_view(text).substr(0, n), "t");
      const bool good = n >= header && n <= body && (n <= extension || n >= behind);
      ASSERT_EQ(outcome.ok(), good) << kernel << " cut at byte " << n;
    }
    EXPECT_TRUE(parse_text(std::string_view(text).substr(0, last + 1), "t").ok());
  }
}

TEST(Text, ByteDamageNeverCrashes) {
  const unsigned seed = 20240612;
  std::mt19937 random(seed);
  const std::string good = read_file(testing::kernel_path("sgemm")) + kSnippets[9].text;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    const size_t at = random() % text.size();
    if (i % 3 == 0) {
      text[at] = static_cast<char>(random());
    } else if (i % 3 == 1) {
      text.erase(at, random() % 20);
    } else {
      text.insert(at, text, random() % text.size(), random() % 20);
    }
    auto outcome = parse_text(text, "t");
    for (const base::Error& e : outcome.errors) EXPECT_FALSE(e.id.empty()) << e.what;
    if (outcome.ok()) {
      outcome.errors = validate(outcome.module);
      for (const base::Error& e : outcome.errors) EXPECT_FALSE(e.id.empty()) << e.what;
      const auto again = parse_text(print(outcome.module), "printed");
      EXPECT_TRUE(again.ok() && same_module(outcome.module, again.module))
          << "seed " << seed << " case " << i;
    }
  }
}

struct Wrong {
  const char* text;  ///< whole text when it begins with "!", else behind the header (line 1)
  const char* errors;
};

TEST(Text, ErrorsNameThePlaceAndWhatWasExpected) {
  const Wrong cases[] = {
      {"!",
       "t.hsail:1:1: error: unexpected end of the text, expected 'module "
       "&name:major:minor:$profile:$model:$rounding;'"},
      {"!\x7f"
       "ELF\x02\x01",
       "t.hsail:1:1: error: not HSAIL text, expected 'module "
       "&name:major:minor:$profile:$model:$rounding;'"},
      {"!int main() {}",
       "t.hsail:1:1: error: not HSAIL text, expected 'module "
       "&name:major:minor:$profile:$model:$rounding;'"},
      {"!version 0:20140528:$full:$large;",
       "t.hsail:1:1: error: provisional HSAIL ('version ...;') is not supported, expected 'module "
       "&name:1:<minor>:<profile>:<model>:<rounding>;'"},
      {"!module &m:0:9:$full:$large:$default;",
       "t.hsail:1:11: error: HSAIL version 0:9 is not supported, expected 1:0, 1:1 or 1:2"},
      {"!module &m:1:3:$full:$large:$default;",
       "t.hsail:1:11: error: HSAIL version 1:3 is not supported, expected 1:0, 1:1 or 1:2"},
      {"!module &m:1:0:$fill:$large:$default;",
       "t.hsail:1:15: error: expected $base or $full, found '$fill'"},
      {"!module &m:1:0:$full:$large:$default",
       "t.hsail:1:36: error: unexpected end of the text, expected ';' after the module header"},
      {"kernel &k()\n{\n\tfoo_u32 $s0, $s1;\n};",
       "t.hsail:4:2: error: unknown instruction 'foo_u32'"},
      {"kernel &k()\n{\n\trdimage_v4_1d_s32_roimg_s32 $s0;\n};",
       "t.hsail:4:30: error: expected '(' before a vector of 4 operands, found '$s0'"},
      {"kernel &k()\n{\n\tadd_b32 $s0, $s1, $s2;\n};",
       "t.hsail:4:6: error: type 'b32' is not valid for 'add', expected one of: u32 u64 s32 s64 "
       "f16 f32 f64"},
      {"kernel &k()\n{\n\tadd_u8 $s0, $s1, $s2;\n};",
       "t.hsail:4:6: error: type 'u8' is not valid for 'add', expected one of: u32 u64 s32 s64 f16 "
       "f32 f64"},
      {"kernel &k()\n{\n\tadd $s0, $s1, $s2;\n};",
       "t.hsail:4:2: error: 'add' needs a type suffix here, expected one of: u8 u16 u32 u64 s8 s16 "
       "s32 s64 "
       "f16 f32 f64"},
      {"kernel &k()\n{\n\tadd_fast_u32 $s0, $s1, $s2;\n};",
       "t.hsail:4:6: error: '_fast' is neither a modifier nor a type that 'add' takes here"},
      {"kernel &k()\n{\n\tadd_ftz_u32 $s0, $s1, $s2;\n};",
       "t.hsail:4:10: error: modifier '_ftz' is not valid for 'add_u32'"},
      {"kernel &k()\n{\n\tcmp_lt_b1_f31 $c0, $s1, $s2;\n};",
       "t.hsail:4:12: error: '_f31' is neither a modifier nor a type that 'cmp' takes here"},
      {"kernel &k()\n{\n\tcmp_lt_b32_u32 $s0, $s1, $s2;\n};",
       "t.hsail:4:9: error: type 'b32' is not valid for 'cmp', expected one of: u32 u64 s32 s64 "
       "f16 f32 f64 b1"},
      {"kernel &k()\n{\n\tpopcount_u32_u32 $s0, $s1;\n};",
       "t.hsail:4:11: error: source type 'u32' is not valid for 'popcount_u32', expected one of: "
       "b32 b64"},
      {"kernel &k()\n{\n\tadd_u32 $s0, $s1;\n};",
       "t.hsail:4:18: error: expected ',' ('add_u32' takes 3 operands), found ';'"},
      {"kernel &k()\n{\n\tadd_u32 $s0, $s1, $s2, $s3;\n};",
       "t.hsail:4:23: error: expected ';' after 'add_u32', found ','"},
      {"kernel &k()\n{\n\tadd_u32 $s0, $s1, $s2\n\tret;\n};",
       "t.hsail:5:2: error: expected ';' after 'add_u32', found 'ret'"},
      {"kernel &k()\n{\n\tadd_u32 $d0, $s1, $s2;\n};",
       "t.hsail:4:10: error: a $d register cannot hold type 'u32', expected $s"},
      {"kernel &k()\n{\n\tadd_u64 $d0, $d1, $s2;\n};",
       "t.hsail:4:20: error: a $s register cannot hold type 'u64', expected $d"},
      {"kernel &k()\n{\n\tadd_u32 5, $s1, $s2;\n};",
       "t.hsail:4:10: error: the destination must be a register"},
      {"kernel &k()\n{\n\tadd_f32 $s0, $s1, 1;\n};",
       "t.hsail:4:20: error: an integer constant is not valid here, expected a constant of type "
       "'f32'"},
      {"kernel &k()\n{\n\tadd_f32 $s0, $s1, 1.0;\n};",
       "t.hsail:4:20: error: a constant of type 'f64' is not valid here, expected type 'f32'"},
      {"kernel &k()\n{\n\tmov_b128 $q0, 1;\n};",
       "t.hsail:4:16: error: an integer constant is not valid here, expected a constant of type "
       "'b128'"},
      {"kernel &k()\n{\n\tmov_b32 $s0, 0f123;\n};",
       "t.hsail:4:15: error: an IEEE bit pattern has 4 (0h), 8 (0f) or 16 (0d) hexadecimal digits"},
      {"kernel &k()\n{\n\tmov_b32 $s0, 0x1ffffffffffffffff;\n};",
       "t.hsail:4:15: error: integer literal needs more than 64 bits"},
      {"kernel &k()\n{\n\tmov_b32 $s0, 12ab;\n};", "t.hsail:4:15: error: malformed number"},
      {"kernel &k()\n{\n\tmov_b32 $x0, 1;\n};",
       "t.hsail:4:10: error: '$x0' is not a register, expected $c, $s, $d or $q and a number"},
      {"kernel &k()\n{\n\tmov_b32 $s01, 1;\n};",
       "t.hsail:4:10: error: '$s01' is not a register, expected $c, $s, $d or $q and a number"},
      {"kernel &k()\n{\n\tbr @nowhere;\n};",
       "t.hsail:4:5: error: label '@nowhere' is not defined in this code block"},
      {"kernel &k()\n{\n@a:\n@a:\n};", "t.hsail:5:1: error: '@a' is already defined at line 4"},
      {"kernel &m()\n{\n};", "t.hsail:2:8: error: '&m' is already defined at line 1"},
      {"global_u32 &x;\nglobal_u32 &x;", "t.hsail:3:12: error: '&x' is already defined at line 2"},
      {"kernel &k()\n{\n\tld_global_u32 $s0, [&x];\n};",
       "t.hsail:4:22: error: '&x' is not declared"},
      {"group_u32 &x;\nkernel &k()\n{\n\tld_global_u32 $s0, [&x];\n};",
       "t.hsail:5:21: error: '&x' is in segment 'group', the instruction accesses 'global'"},
      {"kernel &k()\n{\n\tld_global_u32 $s0, [$s1];\n};",
       "t.hsail:4:22: error: an address in segment 'global' has 64 bits, expected a $d register"},
      {"kernel &k()\n{\n\tst_kernarg_u32 $s0, [0];\n};",
       "t.hsail:4:2: error: segment 'kernarg' cannot be stored to"},
      {"kernel &k()\n{\n\tld_v2_global_u32 ($s0, $s0), [0];\n};",
       "t.hsail:4:25: error: the destinations of a vector must be different registers"},
      {"kernel &k()\n{\n\tld_v3_global_u32 ($s0, $s1), [0];\n};",
       "t.hsail:4:28: error: expected a vector of 3 operands, found ')'"},
      {"kernel &k()\n{\n\tld_global_align(3)_u32 $s0, [0];\n};",
       "t.hsail:4:12: error: 'align' takes a power of two from 1 to 256"},
      {"kernel &k()\n{\n\tcombine_v4_b64_b32 $d0, ($s0, $s1, $s2, $s3);\n};",
       "t.hsail:4:2: error: 'combine_b64_b32' needs _v2"},
      {"kernel &k()\n{\n\tcvt_s32_u32 $s0, $s1;\n};",
       "t.hsail:4:2: error: cvt between integers of one size needs '_sat'"},
      {"kernel &k()\n{\n\tcvt_u32_u32 $s0, $s1;\n};",
       "t.hsail:4:2: error: cvt between equal types does not exist"},
      {"kernel &k()\n{\n\tcvt_near_f64_f32 $d0, $s1;\n};",
       "t.hsail:4:2: error: rounding '_near' is not valid for 'cvt_f64_f32'"},
      {"kernel &k()\n{\n\tcvt_neari_f32_s32 $s0, $s1;\n};",
       "t.hsail:4:2: error: rounding '_neari' is not valid for 'cvt_f32_s32'"},
      {"kernel &k()\n{\n\tcmp_ltu_b1_u32 $c0, $s0, $s1;\n};",
       "t.hsail:4:2: error: integers compare with eq, ne, lt, le, gt and ge only"},
      {"kernel &k()\n{\n\tcmp_lt_b1_b32 $c0, $s0, $s1;\n};",
       "t.hsail:4:2: error: bit types compare with eq and ne only"},
      {"kernel &k()\n{\n\tworkitemid_u32 $s0, 3;\n};",
       "t.hsail:4:22: error: the dimension is a literal 0, 1 or 2"},
      {"kernel &k()\n{\n\tworkitemid_u32 $s0, WAVESIZE;\n};",
       "t.hsail:4:22: error: the dimension is a literal 0, 1 or 2"},
      {"kernel &k()\n{\n\tatomic_exch_group_rlx_agent_b32 $s0, [0], 1;\n};",
       "t.hsail:4:2: error: the scope of a group atomic is 'wave' or 'wg'"},
      {"kernel &k()\n{\n\tatomicnoret_exch_global_rlx_agent_b32 [0], 1;\n};",
       "t.hsail:4:36: error: operation 'exch' is not valid for 'atomicnoret'"},
      {"kernel &k()\n{\n\tatomic_ld_global_screl_agent_b32 $s0, [0];\n};",
       "t.hsail:4:2: error: atomic_ld takes rlx or scacq"},
      {"kernel &k()\n{\n\tmemfence_rlx_wg;\n};",
       "t.hsail:4:2: error: memfence needs scacq, screl or scar"},
      {"kernel &k()\n{\n\tlda_spill_u32 $s0, [0];\n};",
       "t.hsail:4:2: error: the address of a variable in segment 'spill' cannot be taken"},
      {"kernel &k()\n{\n\tlda_group_u64 $d0, [0];\n};",
       "t.hsail:4:2: error: an address in segment 'group' has 32 bits"},
      {"kernel &k()\n{\n\tmov_b1 $c128, 1;\n};",
       "t.hsail:4:9: error: control registers end at $c127"},
      {"kernel &k()\n{\n\tmov_b32 $s2048, 1;\n};",
       "t.hsail:4:10: error: the code block uses 2049 register slots (s + 2 d + 4 q by highest "
       "number), at "
       "most 2048"},
      {"kernel &k()\n{\n\tret;\n\tgroup_u32 %x;\n};",
       "t.hsail:5:2: error: definitions stand before the first statement"},
      {"kernel &k()\n{\n\tret;\n\trequireddim 1;\n};",
       "t.hsail:5:2: error: control directives stand at the start of the code block"},
      {"kernel &k()\n{\n\trequireddim 4;\n};", "t.hsail:4:2: error: requireddim is 1, 2 or 3"},
      {"decl function &f()();\nkernel &k()\n{\n\tcall &f()();\n};",
       "t.hsail:5:2: error: a call stands in an arg block"},
      {"kernel &k()\n{\n\t{\n\t\tret;\n\t}\n};",
       "t.hsail:5:3: error: 'ret' cannot stand in an arg block\n"
       "t.hsail:6:2: error: an arg block has exactly one call"},
      {"decl function &f()();\nkernel &k()\n{\n@out:\n\t{\n\t\tcall &f()();\n\t\tbr @out;\n\t}\n};",
       "t.hsail:8:6: error: a branch cannot enter or leave an arg block"},
      {"const global_u32 &x;", "t.hsail:2:7: error: the constant '&x' needs an initialiser"},
      {"align(2) global_u32 &x;",
       "t.hsail:2:10: error: the alignment of '&x' is below the natural one, 4"},
      {"align(3) global_u32 &x;",
       "t.hsail:2:7: error: alignment 3 is not valid, expected a power of two from 1 to 256"},
      {"group_u32 &x = 1;",
       "t.hsail:2:1: error: only definitions in global and readonly segments have initialisers"},
      {"global_u32 &x[2] = u32[](1, 2, 3);",
       "t.hsail:2:1: error: the initialiser of '&x' has 12 bytes, the variable has 8"},
      {"global_u32 &x[2] = {u32(1), u32(2)};",
       "t.hsail:2:20: error: expected an initialiser 'u32[](...)'"},
      {"global_b32 &x[2] = u32[](1, 2);",
       "t.hsail:2:20: error: the initialiser of an array of a bit type is an aggregate, expected "
       "'{'"},
      {"global_u32 &x[];", "t.hsail:2:1: error: the array '&x' needs a size or an initialiser"},
      {"global_u32 &x[0];", "t.hsail:2:15: error: an array has at least one element"},
      {"global_b1 &x;", "t.hsail:2:8: error: 'b1' is not a type of a variable"},
      {"global_u64 &x[0xffffffffffff];", "t.hsail:2:1: error: '&x' is larger than 1 GiB"},
      {"spill_u32 &x;", "t.hsail:2:1: error: a module variable cannot be in segment 'spill'"},
      {"kernel &k(arg_u32 %x)\n{\n};",
       "t.hsail:2:11: error: a formal argument here is in segment 'kernarg'"},
      {"/* never closed",
       "t.hsail:2:1: error: unterminated comment, expected a module statement (kernel, "
       "function, signature, fbarrier or a variable)"},
      {"pragma \"never closed;\n",
       "t.hsail:2:8: error: unterminated string, expected the pragma's name in "
       "quotes"},
      {"kernel &k()\n{\n\tret;\n",
       "t.hsail:5:1: error: unexpected end of the text, expected '}' at the end of "
       "the code block"},
      // Several in one run, each once.
      {"kernel &k()\n{\n\tfoo;\n\tadd_u32 $s0, $s1;\n\tbar_u32 {};\n\tret;\n};\nglobal_u31 "
       "&x;\nkernel &j()\n"
       "{\n\tret\n};\n",
       "t.hsail:4:2: error: unknown instruction 'foo'\n"
       "t.hsail:5:18: error: expected ',' ('add_u32' takes 3 operands), found ';'\n"
       "t.hsail:6:2: error: unknown instruction 'bar_u32'\n"
       "t.hsail:9:8: error: 'u31' is not a type of a variable\n"
       "t.hsail:13:1: error: expected ';' after 'ret', found '}'"},
  };
  for (const Wrong& w : cases) {
    SCOPED_TRACE(w.text);
    EXPECT_EQ(all_errors(w.text[0] == '!' ? w.text + 1 : kHeader + w.text), w.errors);
  }
  if (!HasFailure()) {
    Ledger::cover(
        "HL-084 HL-092 HL-093 HL-106 HL-111 HL-136 HL-154 HL-157 HL-159 HL-162 "
        "HL-187");
  }
}

TEST(Text, ProfileAndModelRules) {
  const auto in = [](const std::string& header, const std::string& body) {
    return all_errors("module &m:1:0:" + header + ":$default;\nkernel &k()\n{\n\t" + body +
                      "\n};\n");
  };
  EXPECT_EQ(in("$base:$large", "add_f64 $d0, $d1, $d2;"),
            "t.hsail:4:2: error: type 'f64' is not available in the base profile");
  EXPECT_EQ(in("$base:$large", "add_f32 $s0, $s1, $s2;"),
            "t.hsail:4:2: error: the base profile needs the modifier '_ftz' here");
  EXPECT_EQ(in("$base:$large", "add_ftz_up_f32 $s0, $s1, $s2;"),
            "t.hsail:4:2: error: a rounding modifier is not allowed in the base profile");
  EXPECT_EQ(in("$base:$large", "add_ftz_f32 $s0, $s1, $s2;"), "");
  EXPECT_EQ(in("$full:$small", "ld_global_u32 $s0, [$s1]; lda_global_u32 $s0, [$s1];"), "");
  EXPECT_EQ(
      in("$full:$small", "ld_global_u32 $s0, [$d1];"),
      "t.hsail:4:22: error: an address in segment 'global' has 32 bits, expected a $s register");
  EXPECT_EQ(in("$full:$small", "atomic_add_global_rlx_agent_u64 $d0, [$s1], 1;"),
            "t.hsail:4:2: error: 64-bit atomics need the large machine model");
  EXPECT_EQ(
      in("$full:$small", "kernargbaseptr_u64 $d0;"),
      "t.hsail:4:2: error: kernargbaseptr is u64 in the large and u32 in the small machine model");
  Ledger::cover("HL-033 HL-034 HL-157 HL-170 HL-324");
}

// 4.8.1: a minus negates 64 bits, whatever the type, of which the low ones count. 18.6.1: since
// HSAIL 1:1 it makes the constant signed.
TEST(Text, MinusBeforeUnsignedConstants) {
  const struct {
    const char* code;
    const char* printed;
  } cases[] = {{"add_u32 $s0, $s1, -0;", "-0"},
               {"add_u32 $s0, $s1, -1;", "-1"},
               {"add_u32 $s0, $s1, -0x80000001;", "-2147483649"},
               {"add_u32 $s0, $s1, -0x100000000;", "-0"},
               {"add_u64 $d0, $d1, -0x8000000000000001;", "-9223372036854775809"},
               {"st_global_u8 -0x81, [$d0];", "-129"},
               {"shl_u32 $s0, $s1, -0xfffffffb;", "-4294967291"}};
  for (const auto& c : cases) {
    for (const char* minor : {"0", "1", "2"}) {
      const std::string text = std::string("module &m:1:") + minor +
                               ":$full:$large:$default;\nkernel &k()\n{\n\t" + c.code + "\n};\n";
      SCOPED_TRACE(text);
      EXPECT_EQ(all_errors(text), "");
      round_trip(text);
      if (minor[0] == '0') continue;  // constants have the type of their place
      EXPECT_NE(print(parse_text(text, "t").module).find(c.printed), std::string::npos);
    }
  }
  EXPECT_EQ(all_errors("module &m:1:2:$full:$large:$default;\nglobal_u32 &a = -0;\n"), "");
}

// 5.11.1, 5.12.1, 5.19.4: arithmetic rounds up, down, to zero or near; the others are for cvt.
TEST(Text, RoundingToIntegersIsForConversions) {
  for (const char* round : {"neari", "zeroi", "upi", "downi", "sneari", "upi_sat", "sdowni_sat"}) {
    for (const char* code : {"add_R_f32 $s0, $s1, $s2;", "fma_R_f64 $d0, $d1, $d2, $d3;",
                             "fract_R_f16 $s0, $s1;", "sqrt_R_f32 $s0, $s1;"}) {
      std::string body = code;
      body.replace(body.find('R'), 1, round);
      EXPECT_NE(all_errors(kHeader + "kernel &k()\n{\n\t" + body + "\n};\n"), "") << body;
    }
    EXPECT_EQ(all_errors(kHeader + "kernel &k()\n{\n\tcvt_" + round + "_s32_f32 $s0, $s1;\n};\n"),
              "");
  }
  const std::string error =
      all_errors(kHeader + "kernel &k()\n{\n\tadd_upi_f32 $s0, $s1, $s2;\n};");
  EXPECT_NE(error.find("t.hsail:4:"), std::string::npos) << error;
  EXPECT_NE(error.find("_upi"), std::string::npos) << error;
}

TEST(Text, ErrorsStopAtTheLimit) {
  std::string text = kHeader + "kernel &k()\n{\n";
  for (int i = 0; i < 100; ++i) text += "\tfoo;\n";
  EXPECT_EQ(parse_text(text + "};\n", "t").errors.size(), kMaxErrors);
}

TEST(Table, OneSyntaxAndKnownRolesPerOpcode) {
  const auto ids = testing::ledger_ids("hsail_instructions.csv");
  size_t rows = 0;
  std::set<Opcode> opcodes;
  for (const InstRow& row : inst_rows()) {
    ++rows;
    opcodes.insert(row.opcode);
    EXPECT_EQ(ids.count(row.id), 1u) << row.id;
    EXPECT_EQ(row.syntax, inst_rows(row.opcode).first->syntax) << row.id;
    for (const char* p = row.operands; *p != 0; ++p) {
      EXPECT_NE(std::string("dstucDSVWm@LkbxehyqQfrFgaipC").find(*p), std::string::npos) << row.id;
    }
  }
  std::cout << "instruction table: " << rows << " rows, " << opcodes.size() << " opcodes\n";
}

TEST(Literal, FloatsAgreeWithTheCLibrary) {
  const unsigned seed = 99;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::string digits = std::to_string(random() % 1000000000000000000ull);
    digits.insert(1, ".");
    digits += "e" + std::to_string(static_cast<int>(random() % 100) - 50);
    uint64_t d = 0;
    uint32_t f = 0;
    const double dv = std::strtod(digits.c_str(), nullptr);
    const float fv = std::strtof(digits.c_str(), nullptr);
    std::memcpy(&d, &dv, 8);
    std::memcpy(&f, &fv, 4);
    ASSERT_EQ(parse_literal(digits).bits, d) << digits << " seed " << seed;
    ASSERT_EQ(parse_literal(digits + "f").bits, f) << digits << " seed " << seed;
    char hex[64];
    std::snprintf(hex, sizeof hex, "0x%llx.%llxp%d",
                  static_cast<unsigned long long>(random() >> (random() % 60)),
                  static_cast<unsigned long long>(random()),
                  static_cast<int>(random() % 300) - 190);
    const double hd = std::strtod(hex, nullptr);
    const float hf = std::strtof(hex, nullptr);
    std::memcpy(&d, &hd, 8);
    std::memcpy(&f, &hf, 4);
    ASSERT_EQ(parse_literal(hex).bits, d) << hex << " seed " << seed;
    ASSERT_EQ(parse_literal(std::string(hex) + "f").bits, f) << hex << " seed " << seed;
  }
}

TEST(Literal, HalvesAreRoundedOnce) {
  const struct {
    const char* text;
    uint64_t bits;
  } cases[] = {
      {"1.0h", 0x3c00},
      {"65504.0h", 0x7bff},
      {"65519.99999999999999999999h", 0x7bff},
      {"65520.0h", 0x7c00},
      {"5.9604644775390625e-8h", 1},   // 2^-24
      {"2.98023223876953125e-8h", 0},  // half of it: even
      {"2.980232238769531250000000000000000001e-8h", 1},
      {"1.00048828125h", 0x3c00},  // 1 + 2^-11: even
      {"1.000488281250000000000000000000000001h", 0x3c01},
      {"1.00146484375h", 0x3c02},  // 1 + 3 * 2^-11
      {"1.001464843749999999999999999999999999h", 0x3c01},
      {"0x1.002p0h", 0x3c00},
      {"0x1.0020000000000000000001p0h", 0x3c01},
      {"1e-400h", 0},
      {"1e400h", 0x7c00},
      {"1e400f", 0x7f800000},
      {"1e400", 0x7ff0000000000000},
      {"0x1p-149f", 1},
      {"0x1p-150f", 0},
      {"0x1.8p-150f", 1},
  };
  for (const auto& c : cases) {
    const Literal l = parse_literal(c.text);
    EXPECT_EQ(l.form, Literal::Form::kFloat) << c.text;
    EXPECT_EQ(l.bits, c.bits) << c.text;
  }
}

}  // namespace
}  // namespace cuvette::hsail
