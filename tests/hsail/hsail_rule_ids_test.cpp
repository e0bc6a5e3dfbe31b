// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The identifiers of the rules of a module (hsail/rules.h): each is provoked here, by hand from the
// section of the HSAIL PRM that it stands for, and none of tests/hsail/hsail_rules.csv goes away.
#include <algorithm>
#include <functional>
#include <set>

#include "base/file.h"
#include "brig_bytes.h"
#include "brig_support.h"
#include "csv.h"
#include "hsail/link.h"
#include "hsail/rules.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::brig_of;
using testing::Bytes;
using testing::entry_at;
using testing::get;
using testing::section_at;
using testing::set;

std::string module(const std::string& text) {
  return "module &m:1:1:$full:$large:$default;\n" + text;
}
/// The first line of `body` is line 4, behind as many as `before` has.
std::string rule_kernel(const std::string& body, const std::string& before = "") {
  return module(before + "prog kernel &k()\n{\n" + body + "\n};\n");
}
const std::string kImages = "extension \"IMAGE\";\n";
const std::string kFunction = "function &f()()\n{\n};\n";
const std::string kMatrix =
    "cuvette:mfma_16x16x4_f32_f32 ($s0, $s1, $s2, $s3), $s4, $s5, ($s0, $s1, $s2, $s3), 0;";

/// A text with one error.
struct TextCase {
  const char* id;
  std::string text;
  uint32_t line, column;
};

std::vector<TextCase> grammar_cases() {
  return {
      {"syntax", rule_kernel("add_u32 $s0, $s1;"), 4, 17},
      {"syntax", module("nonsense;\n"), 2, 1},
      {"token", rule_kernel("add_u32 $s0, $s1, ?;"), 4, 19},
      {"token", module("pragma \"open;\n"), 2, 8},
      {"string-escape", module("extension \"a\\q\";\n"), 2, 11},
      {"literal", rule_kernel("mov_b32 $s0, 0f12;"), 4, 14},
      {"literal", rule_kernel("mov_b64 $d0, 0x10000000000000000;"), 4, 14},
      {"not-hsail", "int main() {}\n", 1, 1},
      {"version", "module &m:2:0:$full:$large:$default;\n", 1, 11},
      {"version", "version 0:20140528:$full:$large;\n", 1, 1},
      {"name-unknown", rule_kernel("ld_global_u32 $s0, [&x];"), 4, 21},
      {"name-unknown", rule_kernel("{\ncall &f()();\n}"), 5, 6},
      {"name-unknown", module("global_u64 &x = addr(&y);\n"), 2, 22},
      {"name-repeated", module("global_u32 &x;\nglobal_u32 &x;\n"), 3, 12},
      {"name-repeated", rule_kernel("@a:\n@a:"), 5, 1},
      {"name-kind", rule_kernel("ld_global_u32 $s0, [&k];"), 4, 21},
      {"name-kind", rule_kernel("initfbar &k;"), 4, 10},
      {"register-name", rule_kernel("mov_b32 $x0, 1;"), 4, 9},
      {"register-name", rule_kernel("mov_b32 $s65536, 1;"), 4, 9},
      {"label-unknown", rule_kernel("br @x;"), 4, 4},
      {"instruction-unknown", rule_kernel("foo_u32 $s0, $s1;"), 4, 1},
      {"instruction-unknown", rule_kernel("cuvette:foo $s0, $s1;"), 4, 1},
      {"instruction-unknown", rule_kernel("amd_gcn_foo_f32 $s0;\namd_gcn_bar_u32 1;"), 4, 1},
      {"gcn-extension", rule_kernel("amd_gcn_min_f32 $s0, $s1, $s2;\namd_gcn_sleep_u32 1;"), 4, 1},
      {"mipmap-extension",
       rule_kernel("amd_mipmap_queryimage_2d_nummiplevels_u32_roimg $s0, $d1;", kImages), 5, 1},
      {"operation-unknown", rule_kernel("cmp_foo_b1_u32 $c0, $s0, $s1;"), 4, 5},
      {"operation-unknown", rule_kernel("atomic_foo_global_rlx_agent_u32 $s0, [$d0], 1;"), 4, 8},
      {"type-not-legal", rule_kernel("add_b32 $s0, $s1, $s2;"), 4, 5},
      {"type-not-legal", rule_kernel("add $s0, $s1, $s2;"), 4, 1},
      {"modifier-not-legal", rule_kernel("add_ftz_u32 $s0, $s1, $s2;"), 4, 9},
      {"modifier-not-legal", rule_kernel("add_u32_foo $s0, $s1, $s2;"), 4, 9},
      {"modifier-value", rule_kernel("ld_global_width(3)_u32 $s0, [$d0];"), 4, 11},
      {"modifier-value", rule_kernel("ld_global_equiv(256)_u32 $s0, [$d0];"), 4, 11},
      {"modifier-value", rule_kernel("ld_global_align(3)_u32 $s0, [$d0];"), 4, 11},
      {"memory-order", rule_kernel("atomic_ld_global_foo_agent_b32 $s0, [$d0];"), 4, 18},
      {"memory-scope", rule_kernel("atomic_ld_global_rlx_foo_b32 $s0, [$d0];"), 4, 22},
      {"operation-unknown", rule_kernel("queryimage_1d_foo_u32_roimg $s0, $d0;", kImages), 5, 15},
      {"operation-unknown", rule_kernel("signal_foo_rlx_b64_sig64 $d0, $d1;"), 4, 8},
      {"packing-control", rule_kernel("add_u8x4 $s0, $s1, $s2;"), 4, 5},
      {"extension-order", module("global_u32 &x;\nextension \"CORE\";\n"), 3, 1},
      {"loc", module("loc 4294967296;\n"), 2, 1},
      {"pad", module("pad 16384;\n"), 2, 1},
  };
}

std::vector<TextCase> module_cases() {
  return {
      {"output-arguments", module("function &f(arg_u32 %a, arg_u32 %b)()\n{\n};\n"), 2, 1},
      {"statement-order", rule_kernel("nop;\nrequireddim 1;"), 5, 1},
      {"statement-order", rule_kernel("nop;\nprivate_u32 %x;"), 5, 1},
      {"arg-block", rule_kernel("{\n}"), 5, 1},
      {"arg-block", rule_kernel("call &f()();", kFunction), 7, 1},
      {"arg-block-statement", rule_kernel("{\nret;\ncall &f()();\n}", kFunction), 8, 1},
      {"arg-block-statement", rule_kernel("{\nbr @x;\ncall &f()();\n}\n@x:", kFunction), 8, 4},
      {"variable-segment", module("arg_u32 &x;\n"), 2, 1},
      {"variable-segment", module("kernel &x(arg_u32 %a)\n{\n};\n"), 2, 11},
      {"variable-segment", rule_kernel("arg_u32 %x;"), 4, 1},
      {"variable-type", module("global_b1 &x;\n"), 2, 8},
      {"array-size", module("global_u32 &x[0];\n"), 2, 15},
      {"array-size", module("global_u32 &x[];\n"), 2, 1},
      {"variable-alignment", module("align(2) global_u32 &x;\n"), 2, 10},
      {"alignment", module("align(3) global_u32 &x;\n"), 2, 7},
      {"alignment", module("readonly_b8 &x[4] = {align(3), u32(1)};\n"), 2, 28},
      {"array-size", module("function &f()(arg_u32 %a[], arg_u32 %b)\n{\n};\n"), 2, 15},
      {"variable-alignment", module("function &f()(align(1) arg_u32 %a)\n{\n};\n"), 2, 24},
      {"const-variable", module("const global_u32 &x;\n"), 2, 7},
      {"const-variable", module("const group_u32 &x;\n"), 2, 7},
      {"agent-allocation", module("alloc(agent) group_u32 &x;\n"), 2, 14},
      {"declaration-mismatch", module("decl global_u32 &x;\nglobal_u64 &x;\n"), 3, 1},
      {"linkage-mismatch", module("decl prog global_u32 &x;\nglobal_u32 &x;\n"), 3, 1},
      {"definition-missing", module("decl global_u32 &x;\n"), 2, 6},
      {"register-budget", rule_kernel("mov_b1 $c128, 1;"), 4, 8},
      {"register-budget", rule_kernel("mov_b32 $s2048, 1;"), 4, 9},
      {"constant-expression", rule_kernel("mov_b64 $d0, addr(&g);", "group_u32 &g;\n"), 5, 14},
      {"array-constant", module("global_u32 &x[2] = u32[](u32[](1), 2);\n"), 2, 26},
      {"signal-constant", module("readonly_sig64 &x = sig64(1);\n"), 2, 27},
      {"aggregate", module("readonly_b8 &x[4] = {align(4)};\n"), 2, 21},
      {"constant-type", rule_kernel("add_u32 $s0, $s1, 0f3f800000;"), 4, 19},
      {"constant-type", rule_kernel("mov_f32 $s0, WAVESIZE;"), 4, 14},
      {"initialiser-place", module("group_u32 &x = 1;\n"), 2, 1},
      {"initialiser-type", module("readonly_b32 &x[1] = u32[](1);\n"), 2, 22},
      {"initialiser-size", module("readonly_u32 &x[2] = u32[](1);\n"), 2, 1},
      {"initialiser-agent", module("alloc(agent) global_u32 &x;\nglobal_u64 &p = addr(&x);\n"), 3,
       1},
      {"limit", module("global_u8 &x[1073741825];\n"), 2, 1},
      {"limit", module("global_b8 &x[] = {zero(1073741825)};\n"), 2, 1},
      {"limit", module("global_b8 &x[] = {zero(4611686018427387905)};\n"), 2, 19},
      {"array-size", module("global_u64 &x[18446744073709551615];\n"), 2, 1},
      {"extension-name", module("extension \"foo:bar\";\n"), 2, 1},
      {"extension-version", module("extension \"amd:gcn\":1:0;\nextension \"amd:gcn\":1:1;\n"), 3,
       1},
      {"extension-version", module("extension \"cuvette:mfma\":9:0;\n"), 2, 1},
      {"extension-core", module("extension \"CORE\":1:0;\n"), 2, 1},
      {"extension-core", module("extension \"CORE\";\nextension \"IMAGE\";\n"), 3, 1},
      {"image-extension", rule_kernel("imagefence;"), 4, 1},
      {"type-not-legal",
       "module &m:1:2:$full:$large:$default;\nprog kernel &k()\n{\ngridsize_u64 $d0, 0;\n};\n", 4,
       10},
      {"matrix-extension", rule_kernel("requirenopartialwavefronts;\n" + kMatrix), 5, 1},
      {"matrix-wavefronts", rule_kernel(kMatrix, "extension \"cuvette:mfma\";\n"), 5, 1},
      {"control-value", rule_kernel("requireddim 4;"), 4, 1},
      {"control-conflict", rule_kernel("requireddim 1;\nrequireddim 2;"), 5, 1},
      {"control-kernel",
       rule_kernel("{\ncall &f()();\n}", "function &f()()\n{\nrequirenopartialworkgroups;\n};\n"),
       4, 1},
      {"base-profile",
       "module &m:1:1:$base:$large:$default;\nprog kernel &k()\n{\nadd_f32 $s0, $s1, "
       "$s2;\n};\n",
       4, 1},
      {"base-profile", "module &m:1:1:$base:$large:$default;\nglobal_f64 &x;\n", 2, 1},
  };
}

std::vector<TextCase> instruction_cases() {
  return {
      {"machine-model", rule_kernel("signal_ld_rlx_b32_sig32 $s0, $d0;"), 4, 1},
      {"machine-model",
       "module &m:1:1:$full:$small:$default;\nprog kernel &k()\n{\n"
       "atomic_ld_global_rlx_agent_b64 $d0, [$s0];\n};\n",
       4, 1},
      {"address-size", rule_kernel("lda_group_u64 $d0, [0];"), 4, 1},
      {"segment-access", rule_kernel("lda_spill_u32 $s0, [0];"), 4, 1},
      {"address-size", rule_kernel("ld_global_u32 $s0, [$s1];"), 4, 21},
      {"segment-access", rule_kernel("st_kernarg_u32 $s0, [$d0];"), 4, 1},
      {"segment-access", rule_kernel("atomicnoret_add_private_rlx_wg_u32 [$s0], 1;"), 4, 1},
      {"operand-kind", rule_kernel("add_u32 1, $s0, $s1;"), 4, 9},
      {"operand-literal", rule_kernel("workitemid_u32 $s0, 3;"), 4, 21},
      {"register-size", rule_kernel("add_u32 $d0, $s0, $s1;"), 4, 9},
      {"vector-size", rule_kernel("combine_b64_b32 $d0, ($s0, $s1);"), 4, 1},
      {"vector-size", rule_kernel("activelanemask_b64_b1 $d0, 1;"), 4, 23},
      {"vector-destinations", rule_kernel("ld_v2_global_u32 ($s0, $s0), [$d0];"), 4, 24},
      {"address-segment", rule_kernel("ld_global_u32 $s0, [&x];", "group_u32 &x;\n"), 5, 20},
      {"address-unnamed", rule_kernel("ld_spill_u32 $s0, [$s1];"), 4, 19},
      {"address-unnamed", rule_kernel("st_arg_u32 $s0, [8];"), 4, 17},
      {"element-type", rule_kernel("unpack_s32_u8x4 $s0, $s1, 0;"), 4, 1},
      {"comparison", rule_kernel("cmp_lt_b1_b32 $c0, $s0, $s1;"), 4, 1},
      {"comparison", rule_kernel("cmp_ltu_b1_u32 $c0, $s0, $s1;"), 4, 1},
      {"conversion", rule_kernel("cvt_u32_u32 $s0, $s1;"), 4, 1},
      {"rounding", rule_kernel("cvt_near_u32_f32 $s0, $s1;"), 4, 1},
      {"rounding", rule_kernel("cvt_neari_f32_s32 $s0, $s1;"), 4, 1},
      {"saturation", rule_kernel("cvt_s32_u32 $s0, $s1;"), 4, 1},
      {"memory-order", rule_kernel("atomic_ld_global_screl_agent_b32 $s0, [$d0];"), 4, 1},
      {"memory-order", rule_kernel("memfence_rlx_agent;"), 4, 1},
      {"memory-scope", rule_kernel("atomic_ld_group_rlx_agent_b32 $s0, [$s1];"), 4, 1},
      {"handle-access",
       module("prog kernel &q(kernarg_sig64 %s)\n{\nld_kernarg_u64 $d0, [%s];\n};\n"), 4, 21},
      {"handle-segment", module(kImages + "group_roimg &x;\n"), 3, 1},
      {"signal-type", rule_kernel("signal_ld_rlx_b32_sig64 $s0, $d0;"), 4, 1},
      {"image-constant",
       module(kImages +
              "readonly_roimg &x = roimg(geometry = 1d, width = 4, channel_type = unorm_int8);\n"),
       3, 21},
      {"image-constant",
       module(kImages + "readonly_roimg &x = roimg(geometry = 1d, width = 4, height = 4, "
                        "channel_type = unorm_int8, channel_order = r);\n"),
       3, 1},
      {"sampler-constant",
       module(kImages + "readonly_samp &x = samp(coord = normalized, filter = nearest);\n"), 3, 20},
      {"sampler-constant",
       module(kImages + "readonly_samp &x = samp(coord = unnormalized, filter = nearest, "
                        "addressing = repeat);\n"),
       3, 1},
      {"image-coordinates",
       rule_kernel("ldimage_v4_1d_f32_roimg_s32 ($s0, $s1, $s2, $s3), $d0, $s4;", kImages), 5, 1},
      {"image-components", rule_kernel("ldimage_1d_f32_roimg_u32 $s0, $d0, $s4;", kImages), 5, 1},
      {"image-query", rule_kernel("queryimage_1d_height_u32_roimg $s0, $d0;", kImages), 5, 1},
      {"fbarrier-width", rule_kernel("fbarrier %b;\nwaitfbar_width(32) %b;"), 5, 1},
      {"argument-variable", rule_kernel("{\narg_u32 %x;\ncall &f()();\n}", kFunction), 8, 1},
      {"argument-variable",
       rule_kernel("{\narg_u32 %x;\nst_arg_u32 1, [%x];\ncall &f()(%x, %x);\n}",
                   "function &f()(arg_u32 %a, arg_u32 %b)\n{\n};\n"),
       10, 1},
      {"argument-access",
       rule_kernel("{\narg_u32 %x;\nld_arg_u32 $s0, [%x];\ncall &f()(%x);\n}",
                   "function &f()(arg_u32 %x)\n{\n};\n"),
       9, 1},
      {"argument-access", module("function &f()(arg_u32 %x)\n{\nst_arg_u32 1, [%x];\n};\n"), 4, 1},
      {"argument-match",
       rule_kernel("{\narg_u64 %x;\nst_arg_u64 1, [%x];\ncall &f()(%x);\n}",
                   "function &f()(arg_u32 %x)\n{\n};\n"),
       10, 1},
      {"call-target", rule_kernel("{\ncall &k()();\n}"), 5, 1},
      {"call-target", rule_kernel("{\nicall_u64 $d0()() &f;\n}", kFunction), 8, 1},
      {"indirect-function",
       module("group_u32 &g;\nindirect function &f()()\n{\nst_group_u32 1, [&g];\n};\n"), 5, 1},
  };
}

std::vector<TextCase> text_cases() {
  std::vector<TextCase> all = grammar_cases();
  for (auto part : {module_cases(), instruction_cases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Outcome judged(const std::string& text, const char* file = "t.hsail") {
  return parse_module(reinterpret_cast<const uint8_t*>(text.data()), text.size(), file);
}

TEST(RuleIds, Text) {
  for (const TextCase& c : text_cases()) {
    const Outcome outcome = judged(c.text);
    ASSERT_EQ(outcome.errors.size(), 1u)
        << c.id << "\n"
        << c.text << (outcome.ok() ? "" : outcome.errors[1 % outcome.errors.size()].str());
    const base::Error& e = outcome.errors[0];
    EXPECT_EQ(e.id, c.id) << c.text << e.str();
    EXPECT_EQ(e.where.line, c.line) << c.text << e.str();
    EXPECT_EQ(e.where.column, c.column) << c.text << e.str();
    EXPECT_EQ(e.str(), e.where.str() + ": error: " + e.what + " [" + c.id + "]");
  }
}

/// Modules that the validator refuses in text it refuses in BRIG, under the same name.
TEST(RuleIds, SameInBrig) {
  size_t compared = 0;
  for (const TextCase& c : text_cases()) {
    const Bytes brig = brig_of(c.text);
    if (brig.empty()) continue;  // the parser's
    const Outcome outcome = parse_module(brig.data(), brig.size(), "t.brig");
    ASSERT_FALSE(outcome.ok()) << c.text;
    EXPECT_EQ(outcome.errors[0].id, c.id) << c.text << outcome.errors[0].str();
    EXPECT_EQ(outcome.errors[0].where.line, 0u);
    EXPECT_NE(outcome.errors[0].where.offset, 0u) << c.text;
    ++compared;
  }
  EXPECT_GE(compared, 60u);
}

TEST(RuleIds, SeveralInOneRun) {
  const std::string text = module("arg_u32 &x;\nprog kernel &k()\n{\nadd_u32 $d0, $s0, $s1;\n};\n" +
                                  std::string("decl prog global_u32 &y;\nglobal_u32 &y;\n"));
  const std::vector<std::string> expected = {"variable-segment", "register-size",
                                             "linkage-mismatch"};
  const auto ids = [](const Outcome& outcome) {
    std::vector<std::string> all;
    for (const base::Error& e : outcome.errors) all.push_back(e.id);
    return all;
  };
  EXPECT_EQ(ids(judged(text)), expected);
  const Bytes brig = brig_of(text);
  EXPECT_EQ(ids(parse_module(brig.data(), brig.size(), "t.brig")), expected);
  const std::vector<std::string> of_parser = {"instruction-unknown", "name-unknown", "syntax"};
  EXPECT_EQ(ids(judged(rule_kernel("foo;\nld_global_u32 $s0, [&x];\nbr;"))), of_parser);
}

/// A module in BRIG; `edit` breaks it and returns the offset of the message.
struct BrigCase {
  const char* id;
  std::function<size_t(Bytes*)> edit;
};
const std::string kWhole =
    "//a comment\nmodule &m:1:2:$full:$large:$default;\ndecl prog global_u32 &g;\n"
    "global_u32 &x = 5;\npragma \"p\";\nfunction &f()()\n{\n};\nprog kernel &k()\n{\n"
    "ld_global_u32 $s0, [&g];\n{\ncall &f()();\n}\n};\nprog global_u32 &g;\n";

// Kinds of entries (18.3.12).
constexpr unsigned kArgBlockStart = 0x1001, kComment = 0x1002, kKernel = 0x1008, kModule = 0x100b,
                   kPragma = 0x100c, kVariable = 0x100e, kMem = 0x2008, kAddress = 0x3000,
                   kConstant = 0x3004;

/// Breaks the entry at `at` and tells of a place.
std::function<size_t(Bytes*)> at_entry(size_t section, unsigned kind, size_t n, size_t field,
                                       size_t size, uint64_t value, size_t place) {
  return [=](Bytes* b) {
    const size_t at = entry_at(*b, section, kind, n);
    set(b, at + field, value, size);
    return at + place;
  };
}
/// The first byte of the string that a field refers to becomes a %.
std::function<size_t(Bytes*)> in_string(unsigned kind, size_t n) {
  return [=](Bytes* b) {
    const size_t at = entry_at(*b, 1, kind, n);
    set(b, section_at(*b, 0) + get(*b, at + 4, 4) + 4, '%', 1);
    return at;
  };
}
std::function<size_t(Bytes*)> at_offset(size_t offset, size_t size, uint64_t value) {
  return [=](Bytes* b) {
    set(b, offset, value, size);
    return offset;
  };
}

std::vector<BrigCase> brig_cases() {
  return {
      {"version", at_offset(8, 4, 2)},
      {"brig-header", at_offset(16, 8, 32)},
      {"brig-header", at_offset(92, 4, 2)},
      {"brig-section", at_offset(104, 8, 8)},
      {"brig-entry", at_entry(1, kVariable, 1, 0, 2, 30, 0)},
      {"brig-entry", at_entry(1, kVariable, 1, 2, 2, 0x3000, 2)},
      {"brig-field", at_entry(1, kVariable, 1, 14, 1, 9, 14)},
      {"brig-field", at_entry(1, kVariable, 1, 27, 1, 1, 27)},
      {"brig-reference", at_entry(1, kVariable, 1, 4, 4, 5, 4)},
      {"brig-reference", at_entry(1, kVariable, 1, 8, 4, 6, 8)},
      {"brig-variable", at_entry(1, kVariable, 1, 25, 1, 3, 0)},
      {"brig-variable", at_entry(1, kVariable, 1, 26, 1, 3, 0)},
      {"brig-executable", at_entry(1, kKernel, 0, 8, 2, 1, 0)},
      {"brig-order", at_entry(1, kArgBlockStart, 0, 2, 2, 0x1000, 0)},
      {"brig-operand", at_entry(2, kConstant, 0, 4, 2, 0x10, 0)},
      {"brig-instruction", at_entry(1, kMem, 0, 15, 1, 0, 0)},
      {"module-header", at_entry(1, kModule, 0, 18, 1, 4, 0)},
      {"name-form", in_string(kVariable, 1)},
      {"brig-comment", in_string(kComment, 0)},
      {"pragma-operand",
       [](Bytes* b) {
         const size_t at = entry_at(*b, 1, kPragma);
         const size_t list = section_at(*b, 0) + get(*b, at + 4, 4) + 4;
         set(b, list, entry_at(*b, 2, kConstant) - section_at(*b, 2), 4);
         return at;
       }},
      {"brig-visibility",
       [](Bytes* b) {
         const size_t at = entry_at(*b, 2, kAddress);
         set(b, at + 4, entry_at(*b, 1, kVariable, 0) - section_at(*b, 1), 4);
         return at;
       }},
      {"brig-elf",
       [](Bytes* b) {
         *b = *write_brig(parse_text(kWhole, "t").module, BrigContainer::kElf64);
         constexpr size_t kSectionTable = 40;  // e_shoff of the System V ABI
         set(b, kSectionTable, b->size() + 1, 8);
         return kSectionTable;
       }},
  };
}

TEST(RuleIds, Brig) {
  for (const BrigCase& c : brig_cases()) {
    Bytes bytes = brig_of(kWhole);
    ASSERT_TRUE(parse_module(bytes.data(), bytes.size(), "m.brig").ok());
    const size_t place = c.edit(&bytes);
    const Outcome outcome = parse_module(bytes.data(), bytes.size(), "m.brig");
    ASSERT_FALSE(outcome.ok()) << c.id;
    EXPECT_EQ(outcome.errors[0].id, c.id) << outcome.errors[0].str();
    EXPECT_EQ(outcome.errors[0].where.offset, place) << outcome.errors[0].str();
  }
}

/// Errors that neither text nor a changed byte can have.
struct ModuleCase {
  const char* id;
  std::string text;
  std::function<void(Module*)> edit;
  uint32_t line, column;
};
std::vector<ModuleCase> changed_cases() {
  const auto inst = [](Module* m, Opcode opcode) -> Inst& {
    for (CodeEntry& e : m->code) {
      auto* found = std::get_if<Inst>(&e.body);
      if (found != nullptr && found->opcode == opcode) return *found;
    }
    throw std::runtime_error("no such instruction");
  };
  return {
      {"operand-count", rule_kernel("add_u32 $s0, $s1, $s2;"),
       [=](Module* m) { inst(m, Opcode::kAdd).operands.pop_back(); }, 4, 1},
      {"branch-target", rule_kernel("br @a;\n@a:", "function &f()()\n{\n@b:\n};\n"),
       [=](Module* m) {
         const auto label = std::find_if(m->code.begin(), m->code.end(),
                                         [](const auto& e) { return e.kind == Kind::kLabel; });
         m->operands[inst(m, Opcode::kBr).operands[0]].symbol =
             static_cast<CodeRef>(label - m->code.begin());
       },
       8, 4},
  };
}

TEST(RuleIds, ChangedModules) {
  for (const ModuleCase& c : changed_cases()) {
    Outcome parsed = parse_text(c.text, "t.hsail");
    ASSERT_TRUE(parsed.ok()) << parsed.errors[0].str();
    ASSERT_TRUE(validate(parsed.module).empty());
    c.edit(&parsed.module);
    const auto errors = validate(parsed.module);
    ASSERT_EQ(errors.size(), 1u) << c.id;
    EXPECT_EQ(errors[0].id, c.id) << errors[0].str();
    EXPECT_EQ(errors[0].where.line, c.line);
    EXPECT_EQ(errors[0].where.column, c.column);
  }
}

/// Two modules of one program.
struct LinkCase {
  const char* id;
  std::string first, second;
  uint32_t line, column;  ///< in the second; 0: the file as a whole
};
std::vector<LinkCase> link_cases() {
  const std::string head = "module &n:1:1:$full:$large:$default;\n";
  const std::string defined = "prog global_u32 &x;\n";
  return {
      {"program-modules", module(""), module(""), 0, 0},
      {"program-modules", module(""), "module &n:1:1:$base:$large:$default;\n", 0, 0},
      {"definition-repeated", module(defined), head + defined, 2, 6},
      {"declaration-mismatch", module(defined), head + "decl prog global_u64 &x;\n", 2, 11},
      {"indirect-function", module("prog function &g()()\n{\ngroup_u32 %x;\n};\n"),
       head +
           "decl prog function &g()();\nprog indirect function &f()()\n{\n{\ncall &g()();\n}\n};\n",
       0, 0},
  };
}

TEST(RuleIds, Programs) {
  for (const LinkCase& c : link_cases()) {
    const auto first = load_text(c.first, "first.hsail");
    const auto second = load_text(c.second, "second.hsail");
    ASSERT_TRUE(first.ok() && second.ok()) << c.id;
    const auto program = link({&*first, &*second});
    ASSERT_FALSE(program.ok()) << c.id;
    EXPECT_EQ(program.error().id, c.id) << program.error().str();
    if (c.line == 0) continue;
    EXPECT_EQ(program.error().where.file, "second.hsail");
    EXPECT_EQ(program.error().where.line, c.line);
    EXPECT_EQ(program.error().where.column, c.column);
  }
}

TEST(RuleIds, EveryOneIsProvoked) {
  std::set<std::string> provoked;
  for (const TextCase& c : text_cases()) provoked.insert(c.id);
  for (const BrigCase& c : brig_cases()) provoked.insert(c.id);
  for (const ModuleCase& c : changed_cases()) provoked.insert(c.id);
  for (const LinkCase& c : link_cases()) provoked.insert(c.id);
  std::set<std::string> known;
  for (const RuleRow& row : rules()) known.insert(std::string(row.id));
  EXPECT_EQ(provoked, known);
}

/// An identifier that was published stays, and means the same section.
TEST(RuleIds, Stable) {
  std::vector<csv::Row> published = csv::read_body("hsail/hsail_rules.csv");
  std::vector<csv::Row> found;
  std::set<std::string_view> seen;
  for (const RuleRow& row : rules()) {
    EXPECT_TRUE(seen.insert(row.id).second) << row.id;
    EXPECT_EQ(row.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos)
        << row.id;
    EXPECT_EQ(rule_id(row.rule), row.id);
    found.push_back({std::string(row.id), std::string(row.section)});
  }
  std::sort(published.begin(), published.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, published);
}

/// docs/reference/hsail_rules.md has a line for each rule, and no other ones.
TEST(RuleIds, Page) {
  const auto page = base::read_text(CUVETTE_SOURCE_DIR "/docs/reference/hsail_rules.md");
  ASSERT_TRUE(page.ok());
  std::string expected;
  for (const RuleRow& row : rules()) {
    expected += "| `" + std::string(row.id) + "` | " + std::string(row.section) + " | " +
                std::string(row.meaning) + " |\n";
  }
  std::string lines;
  std::istringstream text(*page);
  for (std::string line; std::getline(text, line);) {
    if (line.compare(0, 3, "| `") == 0) lines += line + "\n";
  }
  EXPECT_EQ(lines, expected);
}

}  // namespace
}  // namespace cuvette::hsail
