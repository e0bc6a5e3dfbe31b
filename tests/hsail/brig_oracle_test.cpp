// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Our BRIG against that of HSAILasm (HSAIL-Tools), byte for byte.
#include <algorithm>
#include <iostream>

#include "brig_bytes.h"
#include "brig_support.h"
#include "hsail/inst_table.h"
#include "hsail_forms.h"
#include "hsail_snippets.h"
#include "hsail_support.h"
#include "hsailasm.h"

namespace cuvette::hsail {
namespace {

using testing::Ledger;

const std::string kHeader = "module &m:1:0:$full:$large:$default;\n";

class BrigOracle : public testing::HsailAsm {
 protected:
  /// Equal BRIG; both disassemblies mean the same BRIG again.
  void compare(const std::string& text, const std::vector<uint8_t>& expected) {
    const Outcome outcome = parse_text(text, "ours");
    ASSERT_TRUE(outcome.ok()) << outcome.errors[0].str();
    const auto ours = write_brig(outcome.module);
    ASSERT_TRUE(ours.ok()) << ours.error().str();
    ASSERT_EQ(ours->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ((*ours)[i], expected[i]) << "at byte " << i;
    }
    EXPECT_EQ(testing::brig_problem(outcome.module), "");
    const auto read = load_module(expected.data(), expected.size(), "theirs.brig");
    ASSERT_TRUE(read.ok()) << read.error().str();
    const auto again = write_brig(*read);
    EXPECT_TRUE(again.ok() && *again == expected) << print(*read);
  }
};

TEST_F(BrigOracle, DemoKernels) {
  Ledger::cover("BR-001 BR-002 BR-003 BR-004 BR-005 BR-218 BR-219 BR-220 BR-222");
  for (const char* kernel : testing::kDemoKernels) {
    SCOPED_TRACE(kernel);
    auto text = base::read_text(testing::kernel_path(kernel));
    ASSERT_TRUE(text.ok());
    const auto expected = assembled(*text);
    ASSERT_FALSE(expected.empty()) << log();
    compare(*text, expected);
  }
}

TEST_F(BrigOracle, ElfContainers) {
  auto text = base::read_text(testing::kernel_path("saxpy"));
  ASSERT_TRUE(text.ok());
  const auto module = parse_text(*text, "saxpy").module;
  const auto raw = testing::brig_of(*text);
  for (const bool wide : {false, true}) {
    const auto expected = assembled(*text, wide ? "-bif64" : "-bif32");
    ASSERT_FALSE(expected.empty()) << log();
    const auto ours = write_brig(module, wide ? BrigContainer::kElf64 : BrigContainer::kElf32);
    ASSERT_TRUE(ours.ok());
    EXPECT_EQ(*ours, expected);
    EXPECT_TRUE(is_brig(expected.data(), expected.size()));
    const auto read = load_module(expected.data(), expected.size(), "elf");
    ASSERT_TRUE(read.ok()) << read.error().str();
    EXPECT_EQ(*write_brig(*read), raw);
  }
}

/// HSAILasm with debug information adds sections of its own: kept as they are.
TEST_F(BrigOracle, SectionsOfTools) {
  Ledger::cover("BR-006");
  auto text = base::read_text(testing::kernel_path("saxpy"));
  ASSERT_TRUE(text.ok());
  const auto expected = assembled(*text, "-g -include-source -brig");
  ASSERT_FALSE(expected.empty()) << log();
  const auto brig = read_brig(expected.data(), expected.size(), "debug.brig");
  ASSERT_TRUE(brig.ok()) << brig.error().str();
  ASSERT_FALSE(brig->sections.empty());
  const auto again = write_brig(*brig, BrigContainer::kRaw);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, expected);
}

TEST_F(BrigOracle, Snippets) {
  size_t compared = 0;
  for (const auto& snippet : testing::kSnippets) {
    SCOPED_TRACE(snippet.text);
    const std::string text = kHeader + snippet.text;
    const auto expected = assembled(text);
    if (expected.empty()) continue;  // newer than HSAIL 1:0
    ++compared;
    compare(text, expected);
  }
  std::cout << "equal to HSAILasm: " << compared << " of " << std::size(testing::kSnippets)
            << " language snippets, the others are refused by HSAILasm\n";
  EXPECT_EQ(compared, 21u);
}

/// The kinds of entries and constants in the forms the language has for them.
const char* const kTexts[] = {
    // comments, loc, pragma before and behind the module directive
    "/* one\n two\n   three */\n// four\nmodule &m:1:0:$full:$large:$default;\nloc 3 4 \"a.cl\";\n"
    "loc 5;\nloc 6 7 \"b.cl\";\npragma \"x\", \"y\", -4, 7, u8x4(4, 3, 2, 1), 1.5f, s32[](1, -2), "
    "WAVESIZE;\n",
    // declarations and definitions: references go to the definition
    "module &m:1:0:$full:$large:$near;\ndecl prog function &f(arg_u32 %r)(arg_u32 %x);\n"
    "decl prog global_u32 &g;\ndecl prog fbarrier &b;\nsignature &s(arg_u32)(arg_u32 %q, "
    "arg_f32);\nprog kernel &k()\n{\n\tld_global_u32 $s0, [&g];\n\t{\n\targ_u32 %r;\n\targ_u32 "
    "%x;\n\tst_arg_u32 $s0, [%x];\n\tcall &f(%r)(%x);\n\tld_arg_u32 $s0, [%r];\n\t}\n\tret;\n};\n"
    "prog global_u32 &g = 5;\nprog fbarrier &b;\nprog function &f(arg_u32 %r)(arg_u32 %x)\n{\n\t"
    "ld_arg_u32 $s0, [%x];\n\tst_arg_u32 $s0, [%r];\n\tret;\n};\ndecl prog indirect function "
    "&i()();\n",
    // initialisers
    "module &m:1:0:$full:$large:$zero;\nglobal_b32 &a = 0f3f800000;\nglobal_s32 &b = 5;\n"
    "global_s32 &c = -5;\nglobal_b128 &d = u32x4(1, 2, 3, 4);\nglobal_b8 &e[] = {u8(1), align(4), "
    "u16[](1, 2, 3, 4)};\nglobal_f32x2 &f[2] = f32x2[](f32x2(1.0f, 2.0f), f32x2(3.0f, 4.0f));\n"
    "alloc(agent) global_u64 &g;\nreadonly_u8 &h[3] = u8[](1, 2, 3);\nalign(16) const global_u32 "
    "&i = 7;\ndecl prog global_u32 &j[];\ngroup_u32 &k[5];\nprivate_u64 &l;\n",
    // control directives, labels, addresses and constants in instructions
    "module &m:1:0:$full:$large:$default;\nkernel &k(kernarg_u64 %a, align(8) kernarg_u8 %b[3])\n"
    "{\n\trequireddim 2;\n\trequiredworkgroupsize 32, 2, 1;\n\trequirenopartialworkgroups;\n\t"
    "maxflatworkgroupsize WAVESIZE;\n\tmaxflatgridsize 4096;\n\tgroup_u32 %g[4];\n\tspill_u32 "
    "%p;\n\tfbarrier %fb;\n\tmov_b32 $s0, 1.0f;\n\tmov_b32 $s0, -1;\n\tadd_s32 $s0, $s0, 5;\n\t"
    "add_s32 $s0, -5, $s0;\n\tadd_u32 $s0, $s0, -1;\n\tmov_b128 $q0, u32x4(1, 2, 3, 4);\n\t"
    "mov_b64 $d0, f32x2(1.0f, 2.0f);\n\tld_group_u32 $s0, [%g][$s1-8]; /* in\n\tbetween "
    "*/\n\tld_global_u32 $s0, [$d1-8];\n\tst_v2_global_u32 ($s0, 7), [$d0];\n\tsbr_u32 $s0 [@l, "
    "@m, @l];\n@l:\n\tcbr_b1 $c0, @m;\n\tret;\n\t// last\n@m:\n\tbr @l;\n};\n",
    // small machine model, base profile: 32-bit addresses
    "module &m:1:0:$base:$small:$default;\nglobal_u32 &x;\nkernel &k(kernarg_u32 %a)\n{\n\t"
    "ld_kernarg_u32 $s0, [%a];\n\tld_global_u32 $s1, [$s0-4];\n\tst_global_u32 $s1, "
    "[&x][$s0-4];\n\t"
    "ret;\n};\n",
};

TEST_F(BrigOracle, Entries) {
  Ledger::cover("BR-215 BR-216 BR-217");
  for (const char* text : kTexts) {
    SCOPED_TRACE(text);
    const auto expected = assembled(text);
    ASSERT_FALSE(expected.empty()) << log();
    compare(text, expected);
  }
}

TEST_F(BrigOracle, DisassembliesOfOurBrig) {
  std::vector<std::string> texts(std::begin(kTexts), std::end(kTexts));
  texts.erase(texts.begin());  // comments
  for (const char* kernel : testing::kDemoKernels) {
    auto text = base::read_text(testing::kernel_path(kernel));
    ASSERT_TRUE(text.ok());
    texts.push_back(testing::without_comments(*text));
  }
  for (std::string& text : texts) {
    SCOPED_TRACE(text);
    if (text.find("/*") != std::string::npos)
      text.replace(text.find("/*"), text.find("*/") + 2 - text.find("/*"), "");
    text = testing::without_comments(text);
    const auto ours = testing::brig_of(text);
    ASSERT_FALSE(ours.empty());
    const std::string back = disassembled(ours);
    ASSERT_FALSE(back.empty()) << log();
    const Outcome parsed = parse_text(back, "back");
    ASSERT_TRUE(parsed.ok()) << parsed.errors[0].str() << "\n" << back;
    EXPECT_EQ(*write_brig(parsed.module), ours) << back;
  }
}

/// Every form of hsail_forms with constants and with registers, a kernel each in one module.
TEST_F(BrigOracle, GeneratedForms) {
  using namespace hsail_forms;
  Source source(20251);
  std::string text = kHeader;
  size_t count = 0;
  size_t newer = 0;  // than HSAIL 1:0
  for (const auto& forms : {integer_forms(), float_forms(), compare_forms(), convert_forms(),
                            machine_forms(), rounding_forms()}) {
    for (const Form& form : forms) {
      std::string kernel = "prog kernel &k" + std::to_string(count) + "(kernarg_u64 %out)\n{\n";
      kernel += "ld_kernarg_align(8)_u64 $d0, [%out];\n";
      std::string arguments;
      for (size_t i = 0; i < form.operands.size(); ++i) {
        const char kind = form.operands[i];
        const std::string number = std::to_string(i + 1);
        char hex[32];
        std::snprintf(hex, sizeof hex, "0x%llx",
                      static_cast<unsigned long long>(source.value(kind)));
        if (kind == 'c') {
          kernel += "mov_b1 $c" + number + ", " + std::string(hex + 2) + ";\n";
        } else {
          kernel += (is_wide(kind) ? "mov_b64 $d" : "mov_b32 $s") + number + ", " + hex + ";\n";
        }
        arguments += (kind == 'c' ? ", $c" : is_wide(kind) ? ", $d" : ", $s") + number;
      }
      const char* to = form.result == 'c' ? "$c0" : is_wide(form.result) ? "$d9" : "$s0";
      kernel += form.opcode + " " + to + arguments + ";\nret;\n};\n";
      if (assembled(kHeader + kernel).empty()) {
        ++newer;
        continue;
      }
      text += kernel;
      ++count;
    }
  }
  const auto expected = assembled(text);
  ASSERT_FALSE(expected.empty()) << log();
  compare(text, expected);
  std::cout << "equal to HSAILasm: " << count << " generated forms, " << expected.size()
            << " bytes; refused by HSAILasm: " << newer << "\n";
  EXPECT_GT(count, 200u);
}

/// A statement for a row in format BASIC or MOD; empty for other rows.
std::string statement(const InstRow& row, Type type) {
  const bool basic = row.format == Kind::kInstBasic || row.format == Kind::kInstMod;
  if (!basic || (row.modifiers & kModNeedSat) != 0 || row.syntax == Syntax::kMatrix) return {};
  std::string text(name(row.opcode));
  if (row.syntax == Syntax::kArith && is_packed(type)) {
    text += (row.modifiers & kModPackOne) != 0 ? "_p" : "_pp";
  }
  const std::string same = std::string("$") + register_letter(register_kind(type)) + "1";
  if (type != Type::kNone) text += "_" + std::string(name(type));
  for (const char* c = row.operands; *c != 0; ++c) {
    const auto role = static_cast<Role>(*c);
    text += c == row.operands ? " " : ", ";
    if (role == Role::kDest || role == Role::kSource) {
      text += same;
    } else if (role == Role::kCondition) {
      text += is_packed(type) ? same : "$c1";
    } else if (role == Role::kFbarrier || role == Role::kFbarrierName) {
      text += "%f";
    } else {
      text += role == Role::kU32 ? "$s1" : "1";
    }
  }
  return text + ";";
}

/// Instructions that have the form MOD, and the roundings it may have, by opcode and type.
TEST_F(BrigOracle, FormsWithModifiers) {
  constexpr unsigned kMod = 0x200a, kRoundAt = 13;
  size_t tried = 0;
  size_t accepted = 0;
  for (const InstRow& row : inst_rows()) {
    Type first = Type::kNone;  // of format MOD both ends of a row are tried
    Type last = Type::kNone;
    for (unsigned n = 1; n < 128; ++n) {
      const auto t = static_cast<Type>(n);
      if (name(t).empty() || (row.types & type_bit(t)) == 0) continue;
      if (first == Type::kNone) first = t;
      last = t;
    }
    for (const Type type : {first, last}) {
      const std::string code = statement(row, type);
      if (code.empty() || (row.types != 0 && type == Type::kNone)) continue;
      const std::string text =
          kHeader + "extension \"IMAGE\";\nprog kernel &k()\n{\nfbarrier %f;\n";
      if (assembled(text + code + "\n};\n").empty()) continue;  // newer than HSAIL 1:0
      auto brig = testing::brig_of(text + code + "\n};\n");
      const Outcome parsed = parse_module(brig.data(), brig.size(), "t.brig");
      const auto inst = std::find_if(parsed.module.code.begin(), parsed.module.code.end(),
                                     [](const CodeEntry& e) { return is_instruction(e.kind); });
      ASSERT_NE(inst, parsed.module.code.end()) << code;
      const size_t at = inst->at.offset;
      if (inst->kind == Kind::kInstBasic) {  // the long form takes the word of a pad behind it
        brig = testing::brig_of(text + code + "\npad 0;\n};\n");
        testing::set(&brig, at, 16, 2);
        testing::set(&brig, at + 2, kMod, 2);
        testing::set(&brig, at + 12, 0, 4);
      }
      for (const unsigned round : {0, 1}) {
        testing::set(&brig, at + kRoundAt, round, 1);
        const bool ours = parse_module(brig.data(), brig.size(), "t.brig").ok();
        ASSERT_EQ(ours, accepts(brig)) << code << " round " << round << "\n" << log();
        ++tried;
        accepted += ours ? 1 : 0;
      }
      if (first == last || row.format == Kind::kInstBasic) break;
    }
  }
  std::cout << "form MOD: " << tried << " judged like HSAILasm, " << accepted << " accepted\n";
  EXPECT_GT(accepted, 80u);
}

}  // namespace
}  // namespace cuvette::hsail
