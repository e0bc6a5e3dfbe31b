// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Warnings about legal code that can hardly be meant, and code that must get none.
#include <filesystem>

#include "base/file.h"
#include "hsail/warnings.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

const std::string kWarningsHead =
    "module &m:1:0:$full:$large:$default;\nprog global_u32 &g[4];\n"
    "prog function &f(arg_u32 %r)(arg_u32 %x)\n{\n ld_arg_u32 $s0, [%x];\n"
    " st_arg_u32 $s0, [%r];\n};\n";
constexpr uint32_t kFirst = 10;  // line of the first statement of a body

/// "line:column id" of each, one behind another.
std::string warnings_of(const std::string& body) {
  const auto module =
      load_text(kWarningsHead + "prog kernel &k(kernarg_u64 %o)\n{\n" + body + "\n};\n", "t");
  if (!module) return module.error().str();
  std::string all;
  for (const base::Error& w : find_warnings(*module)) {
    EXPECT_EQ(w.where.file, "t");
    all += (all.empty() ? "" : ", ") + std::to_string(w.where.line - kFirst) + ":" +
           std::to_string(w.where.column) + " " + w.id;
  }
  return all;
}

TEST(Warnings, RegistersThatNothingWrites) {
  EXPECT_EQ(warnings_of("add_u32 $s1, $s0, 1;"), "0:14 register-unset");
  EXPECT_EQ(warnings_of("add_u32 $s1, $s1, 1;"), "0:14 register-unset");
  EXPECT_EQ(warnings_of("st_global_u32 1, [$d0];"), "0:19 register-unset");
  EXPECT_EQ(warnings_of("st_v2_global_u32 ($s0, $s1), [&g];\nst_global_u32 $s0, [&g];"),
            "0:19 register-unset, 0:24 register-unset");
  EXPECT_EQ(warnings_of("cbr_b1 $c0, @x;\n@x:\nret;"), "0:8 register-unset");
  // Another kind of register with the same number.
  EXPECT_EQ(warnings_of("mov_b64 $d0, 1;\nmov_b32 $s1, $s0;"), "1:14 register-unset");
  // A destination is not read: the result of an atomic, of a load.
  EXPECT_EQ(warnings_of("atomic_add_global_rlx_agent_u32 $s0, [&g], 1;\nmov_b32 $s1, $s0;"), "");
  EXPECT_EQ(warnings_of("ld_v2_global_u32 ($s0, $s1), [&g];\nadd_u32 $s0, $s0, $s1;"), "");
}

TEST(Warnings, RegistersThatSomeWayWrites) {
  EXPECT_EQ(warnings_of("cmp_eq_b1_u32 $c0, 1, 1;\ncbr_b1 $c0, @x;\nmov_b32 $s0, 1;\n@x:\n"
                        "st_global_u32 $s0, [&g];"),
            "");
  // A later round has what the one before wrote.
  EXPECT_EQ(warnings_of("mov_b32 $s1, 0;\n@loop:\ncmp_eq_b1_u32 $c0, $s1, 0;\ncbr_b1 $c0, @past;\n"
                        "st_global_u32 $s0, [&g];\n@past:\nmov_b32 $s0, 5;\nadd_u32 $s1, $s1, 1;\n"
                        "cmp_lt_b1_u32 $c0, $s1, 3;\ncbr_b1 $c0, @loop;"),
            "");
  // Behind the only way: not what a branch skips.
  EXPECT_EQ(warnings_of("br @x;\n@y:\nmov_b32 $s0, 1;\nret;\n@x:\nst_global_u32 $s0, [&g];\n"
                        "mov_b32 $s1, 0;\nsbr_u32 $s1 [@z, @y];\n@z:\nret;"),
            "5:15 register-unset");
}

TEST(Warnings, CodeWithoutAWayToIt) {
  EXPECT_EQ(warnings_of("ret;\nmov_b32 $s0, $s1;\nmov_b32 $s1, 1;"), "1:1 unreachable");
  EXPECT_EQ(warnings_of("br @x;\nmov_b32 $s0, 1;\n@y:\nmov_b32 $s0, 2;\n@x:\nret;"),
            "1:1 unreachable");
  // Code that generators leave behind a return or a branch.
  EXPECT_EQ(warnings_of("br @x;\nret;\n@x:\nret;\nbr @x;"), "");
  EXPECT_EQ(warnings_of("mov_b32 $s0, 1;\nsbr_u32 $s0 [@x, @y];\n@x:\nmov_b32 $s1, 1;\n@y:\nret;"),
            "");
}

TEST(Warnings, DivisionsByZero) {
  EXPECT_EQ(warnings_of("div_u32 $s0, 5, 0;"), "0:17 division-by-zero");
  EXPECT_EQ(warnings_of("rem_s64 $d0, 5, 0;"), "0:17 division-by-zero");
  EXPECT_EQ(warnings_of("div_u32 $s0, 5, 256;"), "");
  EXPECT_EQ(warnings_of("div_f32 $s0, 1.0f, 0.0f;"), "");
}

TEST(Warnings, AddressesOutsideTheirVariable) {
  EXPECT_EQ(warnings_of("st_global_u32 1, [&g][12];"), "");
  EXPECT_EQ(warnings_of("st_global_u32 1, [&g][16];"), "0:18 address-outside");
  EXPECT_EQ(warnings_of("st_global_u32 1, [&g][-4];"), "0:18 address-outside");
  EXPECT_EQ(warnings_of("st_v2_global_u32 (1, 2), [&g][8];"), "");
  EXPECT_EQ(warnings_of("st_v2_global_u32 (1, 2), [&g][12];"), "0:26 address-outside");
  EXPECT_EQ(warnings_of("ld_kernarg_u64 $d0, [%o][4];"), "0:21 address-outside");
  // A register may bring it back.
  EXPECT_EQ(warnings_of("mov_b64 $d0, -16;\nst_global_u32 1, [&g][$d0+16];"), "");
}

TEST(Warnings, CallsReadNoRegisters) {
  EXPECT_EQ(warnings_of("{\narg_u32 %r;\narg_u32 %x;\nst_arg_u32 1, [%x];\ncall &f(%r)(%x);\n"
                        "ld_arg_u32 $s0, [%r];\n}\nst_global_u32 $s0, [&g];"),
            "");
}

TEST(Warnings, AreNotMoreThanAPersonReads) {
  std::string body;
  for (unsigned i = 0; i < 100; ++i) body += "div_u32 $s0, 5, 0;\n";
  const auto module =
      load_text(kWarningsHead + "prog kernel &k(kernarg_u64 %o)\n{\n" + body + "};\n", "t");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(find_warnings(*module).size(), kMaxWarnings);
}

/// Kernels that do what they should.
TEST(Warnings, OurKernelsHaveNone) {
  unsigned read = 0;
  for (const char* folder : {"/tests/kernels", "/examples"}) {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(std::string(CUVETTE_SOURCE_DIR) + folder)) {
      if (file.path().extension() != ".hsail") continue;
      const auto text = base::read_text(file.path().string());
      ASSERT_TRUE(text.ok());
      const auto module = load_text(*text, file.path().string());
      if (!module) continue;
      ++read;
      for (const base::Error& w : find_warnings(*module)) ADD_FAILURE() << w.str();
    }
  }
  EXPECT_GE(read, 8u);
}

}  // namespace
}  // namespace cuvette::hsail
