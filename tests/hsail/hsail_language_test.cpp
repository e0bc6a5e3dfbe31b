// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Features of the language, row by row: pragmas, lexical rules, limits, rules of functions.
#include "hsail/brig.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::Ledger;

const char* const kLanguageModule = "module &m:1:0:$full:$large:$default;\n";

std::string language_error(const std::string& text) {
  const auto m = load_text(text, "t.hsail");
  return m.ok() ? "" : m.error().what;
}
bool accepts(const std::string& text) {
  return language_error(text).empty();
}
std::string language_in_kernel(const std::string& body) {
  return kLanguageModule + std::string("prog kernel &k(kernarg_u64 %a)\n{\n") + body + "\n};\n";
}

// --- Pragmas (13.4): kept as they are, in text and BRIG ---

struct PragmaRow {
  const char* ids;
  const char* operands;  ///< of the pragma, as print() writes them
  bool inside = false;   ///< stands in a code block
};

const PragmaRow kPragmas[] = {
    {"HL-268 HL-269", "\"hsa.loop.parallel\"", true},
    {"HL-270", "\"hsa.tools.profile.event.trigger\", 7, $s1, 3, \"note\", f64(0d3ff8000000000000)",
     true},
    {"HL-271 HL-272", "\"hsa.tools.debug.version\", 1, 2"},
    {"HL-273", "\"hsa.tools.debug.tool\", \"compiler 1.0\""},
    {"HL-274", "\"hsa.tools.debug.src\", 1, \"List\", 2, 3, 4"},
    {"HL-275",
     "\"hsa.tools.debug.src\", 2, \"CompileUnit\", 3, \"C99\", \"producer\", \"-O2\", 0, 4, 5, 6, "
     "0"},
    {"HL-276", "\"hsa.tools.debug.src\", 3, \"File\", \"a.cl\", \"/tmp\", 0, 0"},
    {"HL-277", "\"hsa.tools.debug.src\", 4, \"Text\", \"int x;\\n\""},
    {"HL-278", "\"hsa.tools.debug.src\", 5, \"Location\", 3, 10, 4, 0, 0"},
    {"HL-279", "\"hsa.tools.debug.src\", 6, \"Subprogram\", 2, 5, 18, \"main\", \"\", 1"},
    {"HL-280", "\"hsa.tools.debug.src\", 7, \"LexicalBlock\", 5"},
    {"HL-281", "\"hsa.tools.debug.src\", 8, \"Namespace\", 2, 5, \"std\""},
    {"HL-282",
     "\"hsa.tools.debug.src\", 9, \"GlobalVariable\", 2, 5, 13, \"x\", \"x\", \"\", 1, 1"},
    {"HL-283", "\"hsa.tools.debug.src\", 10, \"LocalVariable\", 6, 5, 13, \"y\", 0"},
    {"HL-284", "\"hsa.tools.debug.src\", 11, \"Subrange\", 2, 16, 0"},
    {"HL-285", "\"hsa.tools.debug.src\", 12, \"Enumerator\", 2, \"RED\", \"1\""},
    {"HL-286", "\"hsa.tools.debug.src\", 13, \"BasicType\", 2, 32, 32, \"int\", \"Signed\""},
    {"HL-287", "\"hsa.tools.debug.src\", 14, \"DerivedType\", 2, 64, 64, 13, \"Pointer\", 2"},
    {"HL-288", "\"hsa.tools.debug.src\", 15, \"IndexableType\", 2, 512, 32, 5, 13, 1, \"Array\""},
    {"HL-289", "\"hsa.tools.debug.src\", 16, \"CompositeType\", 2, 64, 32, 5, 1, \"Structure\""},
    {"HL-290", "\"hsa.tools.debug.src\", 17, \"EnumerationType\", 2, \"color\", 5, 1"},
    {"HL-291", "\"hsa.tools.debug.src\", 18, \"SubprogramType\", 2, 13, 1"},
    {"HL-292", "\"hsa.tools.debug.src\", 19, \"MacroDefine\", 3, \"f(x)\", \"x\""},
    {"HL-293", "\"hsa.tools.debug.src\", 20, \"MacroUndefine\", 4, \"f\""},
    {"HL-294", "\"hsa.tools.debug.src\", 21, \"MacroInclude\", 5, 3"},
    {"HL-295", "\"hsa.tools.debug.ref\", \"SourceLine\", 5", true},
    {"HL-296", "\"hsa.tools.debug.ref\", \"GlobalAddr\", 9, &x, 0"},
    {"HL-297", "\"hsa.tools.debug.ref\", \"GlobalImplicit\", 9, 23"},
    {"HL-298", "\"hsa.tools.debug.ref\", \"LocalAddr\", 10, %y, 0", true},
    {"HL-299", "\"hsa.tools.debug.ref\", \"LocalImplicit\", 10, 23", true},
    {"HL-300", "\"hsa.tools.debug.ref\", \"LocalRegister\", 10, $s3, 0", true},
    {"HL-301", "\"hsa.tools.debug.ref\", \"Subprogram\", 6, &k", true},
    {"HL-302", "\"hsa.tools.debug.expr\", 22, 0, \"Dereference\", 2"},
    {"HL-303", "\"hsa.tools.debug.expr\", 23, 0, \"Constu\", 100"},
    {"HL-304", "\"hsa.tools.debug.expr\", 24, 22, \"PlusUconst\", 8"},
    {"HL-305", "\"hsa.tools.debug.expr\", 25, 0, \"Fragment\", 0, 16"},
};

TEST(Language, PragmasAreKept) {
  for (const PragmaRow& row : kPragmas) {
    SCOPED_TRACE(row.operands);
    const std::string pragma = std::string("pragma ") + row.operands + ";";
    const std::string text =
        kLanguageModule + ("global_u32 &x;\n" + std::string(row.inside ? "" : pragma) +
                           "\nprog kernel &k()\n{\n\tprivate_u32 %y;\n@loop:\n" +
                           (row.inside ? pragma : "") + "\n\tcbr_b1 $c0, @loop;\n};\n");
    const auto m = load_text(text, "t.hsail");
    ASSERT_TRUE(m.ok()) << m.error().str();
    EXPECT_NE(print(*m).find(pragma), std::string::npos) << print(*m);
    const auto brig = write_brig(*m);
    ASSERT_TRUE(brig.ok());
    const auto back = load_module(brig->data(), brig->size(), "t.brig");
    ASSERT_TRUE(back.ok()) << back.error().str();
    EXPECT_TRUE(same_module(*m, *back));
    if (!HasFailure()) Ledger::cover(row.ids);
  }
}

// --- Lexical rules (4.4, 4.6, appendix A) ---

TEST(Language, Lexical) {
  // White space is space, tab, newline, vertical tab, form feed; anywhere between tokens.
  EXPECT_TRUE(accepts("module\t&m:1:0\v:$full:\f$large:\n$default\n;global_u32\n&x\t;"));
  EXPECT_TRUE(accepts(kLanguageModule + std::string("global_u32&x;global_u32&y[3];")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("global _u32 &x;")));
  if (!HasFailure()) Ledger::cover("HL-097 HL-096 HL-330");
  // Case matters in names and words.
  EXPECT_TRUE(accepts(kLanguageModule + std::string("global_u32 &x;\nglobal_u32 &X;\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("global_u32 &x;\nglobal_u32 &x;\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("GLOBAL_u32 &x;\n")));
  EXPECT_FALSE(accepts(language_in_kernel("ADD_u32 $s0, $s1, $s2;")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("global_u32 &x\xc3\xa9;\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("global_u32 &x; # no comment\n")));
  if (!HasFailure()) Ledger::cover("HL-095");
  // 1 to 1024 characters at least.
  for (const size_t length : {1u, 2u, 1023u, 1024u}) {
    const std::string name(length, 'a');
    const auto m = load_text(kLanguageModule + ("global_u32 &" + name + ";\n"), "t.hsail");
    ASSERT_TRUE(m.ok()) << length;
    EXPECT_NE(print(*m).find("&" + name + ";"), std::string::npos);
  }
  if (!HasFailure()) Ledger::cover("HL-351");
  // Equivalence classes 0 to 255.
  for (const unsigned n : {0u, 1u, 255u}) {
    EXPECT_TRUE(
        accepts(language_in_kernel("ld_global_equiv(" + std::to_string(n) + ")_u32 $s0, [$d0];")));
  }
  EXPECT_FALSE(accepts(language_in_kernel("ld_global_equiv(256)_u32 $s0, [$d0];")));
  if (!HasFailure()) Ledger::cover("HL-350");
}

/// Text and BRIG say the same (4.1).
TEST(Language, TwoFormats) {
  const std::string text = language_in_kernel("ld_kernarg_u64 $d0, [%a];\nst_global_u32 7, [$d0];");
  const auto m = load_text(text, "t.hsail");
  ASSERT_TRUE(m.ok());
  const auto brig = write_brig(*m);
  ASSERT_TRUE(brig.ok());
  const auto back = load_module(brig->data(), brig->size(), "t.brig");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(print(*m), print(*back));
  if (!HasFailure()) Ledger::cover("HL-055");
}

/// Module statements of every kind (4.3), and what is none.
TEST(Language, ModuleStatements) {
  EXPECT_TRUE(accepts(kLanguageModule +
                      std::string("extension \"CORE\";\npragma \"x\";\n// c\nglobal_u32 &v;\n"
                                  "fbarrier &fb;\nsignature &s()();\ndecl prog function &f()();\n"
                                  "decl prog indirect function &i()();\ndecl prog kernel &j();\n"
                                  "kernel &k()\n{\n};\nfunction &g()()\n{\n};\n"
                                  "indirect function &h()()\n{\n};\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("add_u32 $s0, $s1, $s2;\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("@l:\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("requireddim 1;\n")));
  if (!HasFailure()) Ledger::cover("HL-367");
}

// --- Segments and variables (2.8, 4.3.10, 6.1) ---

TEST(Language, SegmentRules) {
  // Kernarg is read only; arg and spill have no address; the flat form names no variable.
  EXPECT_FALSE(accepts(language_in_kernel("st_kernarg_u64 $d0, [%a];")));
  EXPECT_TRUE(accepts(language_in_kernel("lda_kernarg_u64 $d0, [%a];")));
  EXPECT_FALSE(accepts(language_in_kernel("ld_u64 $d0, [%a];")));
  EXPECT_FALSE(accepts(language_in_kernel("ld_global_u64 $d0, [%a];")));
  if (!HasFailure()) Ledger::cover("HL-021");
  EXPECT_FALSE(accepts(language_in_kernel("arg_u32 %x;")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("arg_u32 &x;\n")));
  EXPECT_FALSE(accepts(language_in_kernel("{ arg_u32 %x; lda_arg_u32 $s0, [%x]; }")));
  if (!HasFailure()) Ledger::cover("HL-024");
  // Signals of the other machine model.
  EXPECT_FALSE(accepts(language_in_kernel("mov_sig32 $s0, $s1;")));
  EXPECT_TRUE(accepts(language_in_kernel("mov_sig64 $d0, $d1;")));
  EXPECT_FALSE(accepts(language_in_kernel("signal_ld_rlx_b32_sig32 $s0, $d0;")));
  if (!HasFailure()) Ledger::cover("HL-035");
}

/// Constants by the places in which they may stand (Table 4-1).
TEST(Language, ConstantsByPlace) {
  const struct {
    const char* statement;
    bool good;
  } cases[] = {
      {"mov_b32 $s0, 7;", true},
      {"mov_b32 $s0, 1.0f;", true},
      {"mov_b32 $s0, 1.0;", false},
      {"mov_b32 $s0, f32(1.0f);", true},
      {"mov_b32 $s0, u32(1);", true},
      {"mov_b32 $s0, u8x4(1, 2, 3, 4);", true},
      {"mov_b32 $s0, u16(1);", false},
      {"mov_b64 $d0, u8x4(1, 2, 3, 4);", false},
      {"mov_u32 $s0, 7;", true},
      {"mov_u32 $s0, 1.0f;", false},
      {"mov_u32 $s0, u32(1);", true},
      {"mov_u32 $s0, s32(1);", false},
      {"mov_f32 $s0, 1.0f;", true},
      {"mov_f32 $s0, 7;", false},
      {"mov_f32 $s0, 1.0;", false},
      {"mov_f32 $s0, 1.0h;", false},
      {"mov_f64 $d0, 1.0;", true},
      {"mov_f64 $d0, 1.0f;", false},
      {"mov_f16 $s0, 1.0h;", true},
      {"mov_b128 $q0, 7;", false},
      {"mov_b128 $q0, u32x4(1, 2, 3, 4);", true},
      {"add_pp_u8x4 $s0, $s1, u8x4(1, 2, 3, 4);", true},
      {"add_pp_u8x4 $s0, $s1, s8x4(1, 2, 3, 4);", false},
      {"mov_b1 $c0, 1;", true},
      {"mov_b1 $c0, 1.0f;", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(accepts(language_in_kernel(c.statement)), c.good) << c.statement;
  if (!HasFailure()) Ledger::cover("HL-113 HL-131 HL-155");
}

/// Variables with a definition here and a declaration there (4.3.8).
TEST(Language, DeclarationsAndDefinitions) {
  EXPECT_TRUE(accepts(kLanguageModule + std::string("decl global_u32 &x;\nglobal_u32 &x;\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("decl global_u32 &x;\nglobal_s32 &x;\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("decl global_u32 &x;\nreadonly_u32 &x;\n")));
  EXPECT_FALSE(accepts(kLanguageModule + std::string("global_u32 &x;\nglobal_u32 &x;\n")));
  EXPECT_TRUE(accepts(kLanguageModule + std::string("decl global_u32 &x[];\nglobal_u32 &x[3];\n")));
  EXPECT_FALSE(
      accepts(kLanguageModule + std::string("decl global_u32 &x[2];\nglobal_u32 &x[3];\n")));
  EXPECT_FALSE(
      accepts(kLanguageModule + std::string("decl prog global_u32 &x;\nglobal_u32 &x;\n")));
  if (!HasFailure()) Ledger::cover("HL-080");
}

// --- Functions (chapter 10) ---

std::string with_functions(const std::string& call) {
  return kLanguageModule + ("function &f(arg_u32 %r)(arg_u32 %x)\n{\n\tst_arg_u32 1, [%r];\n};\n"
                            "function &v()(arg_u32 %n, align(8) arg_u32 %rest[])\n{\n};\n"
                            "prog indirect function &i(arg_u32 %r)(arg_u32 %x)\n{\n};\n"
                            "signature &s(arg_u32)(arg_u32 %x);\nprog kernel &k()\n{\n" +
                            call + "\n};\n");
}

TEST(Language, ArgumentsOfCalls) {
  EXPECT_TRUE(accepts(with_functions("{ arg_u32 %r; arg_u32 %x; call &f(%r)(%x); }")));
  EXPECT_FALSE(accepts(with_functions("{ arg_u32 %r; arg_u64 %x; call &f(%r)(%x); }")));
  EXPECT_FALSE(accepts(with_functions("{ arg_u32 %r; arg_f32 %x; call &f(%r)(%x); }")));
  EXPECT_FALSE(accepts(with_functions("{ arg_u32 %r; arg_u32 %x[1]; call &f(%r)(%x); }")));
  EXPECT_FALSE(accepts(with_functions("{ arg_u32 %r; align(8) arg_u32 %x; call &f(%r)(%x); }")));
  EXPECT_FALSE(accepts(with_functions("{ arg_u32 %x; call &f()(%x); }")));
  if (!HasFailure()) Ledger::cover("HL-241 HL-246");
  EXPECT_FALSE(
      accepts(kLanguageModule + std::string("function &two(arg_u32 %a, arg_u32 %b)()\n{\n};\n")));
  EXPECT_TRUE(accepts(with_functions("{ align(8) arg_u8 %x[64]; arg_u32 %n; arg_u32 %r; arg_u32 "
                                     "%y; align(8) arg_u32 %z[4]; call &v()(%n, %z); }")) == false)
      << "an argument of the block that the call does not use";
  // At least 64 bytes of arguments (appendix A).
  EXPECT_TRUE(accepts(kLanguageModule +
                      std::string("function &g()(arg_u8 %x[64])\n{\n};\nkernel &k()\n{\n{ "
                                  "arg_u8 %y[64]; call &g()(%y); }\n};\n")));
  if (!HasFailure()) Ledger::cover("HL-239 HL-353");
  // The last formal argument of a variadic function takes any size.
  for (const char* size : {"0", "1", "9"}) {
    const std::string call =
        std::string("{ arg_u32 %n; align(8) arg_u32 %z[") + size + "]; call &v()(%n, %z); }";
    EXPECT_EQ(accepts(with_functions(call)), size[0] != '0') << size;
  }
  EXPECT_FALSE(
      accepts(kLanguageModule + std::string("function &w()(arg_u32 %a[], arg_u32 %n)\n{\n};\n")));
  if (!HasFailure()) Ledger::cover("HL-245");
}

/// Names in a signature have no linkage and may be absent (4.12.5).
TEST(Language, SignatureArguments) {
  const auto m = load_text(
      kLanguageModule + std::string("signature &s(arg_u32)(arg_u64, arg_f32 %x);\n"), "t.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  unsigned arguments = 0;
  for (const CodeEntry& e : m->code) {
    const auto* v = std::get_if<Variable>(&e.body);
    if (v == nullptr) continue;
    EXPECT_EQ(v->linkage, Linkage::kNone);
    ++arguments;
  }
  EXPECT_EQ(arguments, 3u);
  if (!HasFailure()) Ledger::cover("HL-145");
}

// --- Profiles (16) ---

TEST(Language, BaseProfile) {
  const auto base = [](const std::string& body) {
    return "module &m:1:0:$base:$large:$default;\nprog kernel &k()\n{\n" + body + "\n};\n";
  };
  for (const char* refused :
       {"add_ftz_f64 $d0, $d1, $d2;", "mov_f64 $d0, $d1;", "add_f32 $s0, $s1, $s2;",
        "add_ftz_zero_f32 $s0, $s1, $s2;", "cvt_ftz_upi_s32_f32 $s0, $s1;",
        "enabledetectexceptions 1;", "enablebreakexceptions 1;", "private_f64 %x;",
        "min_f32 $s0, $s1, $s2;", "cmp_lt_b1_f32 $c0, $s1, $s2;"}) {
    EXPECT_FALSE(accepts(base(refused))) << refused;
  }
  for (const char* good :
       {"add_ftz_f32 $s0, $s1, $s2;", "neg_f32 $s0, $s1;", "nrcp_f32 $s0, $s1;",
        "cvt_ftz_s32_f32 $s0, $s1;", "cvt_ftz_zeroi_sat_s32_f32 $s0, $s1;", "cvt_f32_s32 $s0, $s1;",
        "add_u64 $d0, $d1, $d2;", "ld_global_f32 $s0, [$d0];", "add_ftz_f16 $s0, $s1, $s2;",
        "enabledetectexceptions 0;", "enablebreakexceptions 0x20;"}) {
    EXPECT_TRUE(accepts(base(good))) << good << " " << language_error(base(good));
  }
  if (!HasFailure()) Ledger::cover("HL-323");
}

}  // namespace
}  // namespace cuvette::hsail
