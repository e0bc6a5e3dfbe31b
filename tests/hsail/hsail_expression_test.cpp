// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Constants that loading makes (HSAIL PRM 4.8.1, 4.8.4, 18.6.7): addr() and null pointers in text,
// BRIG and the validator. Their values: tests/dispatches/constants.yaml.
#include "hsail/brig.h"
#include "hsail/device_port.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::Ledger;

const std::string kExpressionModule = "module &m:1:2:$full:$large:$default;\n";
const std::string kNames =
    "global_u32 &x[4];\nreadonly_u32 &r;\nalloc(agent) global_u32 &a;\n"
    "decl prog kernel &kern(kernarg_u64 %in);\ndecl prog indirect function &ifunc()();\n"
    "function &direct()()\n{\n};\n";

std::string expression_error(const std::string& text) {
  const auto m = load_text(kExpressionModule + kNames + text, "t.hsail");
  return m.ok() ? "" : m.error().what;
}
std::string expression_in_kernel(const std::string& body) {
  return "prog kernel &k()\n{\n" + body + "\n};\n";
}

/// Text, BRIG and text again say the same.
void expect_kept(const std::string& text) {
  const auto m = load_text(kExpressionModule + kNames + text, "t.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str() << "\n" << text;
  const std::string printed = print(*m);
  const auto again = load_text(printed, "printed.hsail");
  ASSERT_TRUE(again.ok()) << again.error().str() << "\n" << printed;
  EXPECT_TRUE(same_module(*m, *again)) << printed;
  EXPECT_EQ(print(*again), printed);
  const auto bytes = write_brig(*m);
  ASSERT_TRUE(bytes.ok());
  const Outcome back = parse_module(bytes->data(), bytes->size(), "t.brig");
  ASSERT_TRUE(back.ok()) << back.errors[0].str();
  EXPECT_EQ(print(back.module), printed);
}

TEST(Expressions, Initialisers) {
  // The PRM's own examples in 4.8.1 and 4.8.4.
  for (const char* text :
       {"global_u64 &p = addr(&x);\n", "global_u64 &p = addr(&x + 4);\n",
        "global_u64 &p = addr(&x - 4);\n", "global_u64 &y1 = addr(&y1);\n",
        "global_b8 &y2 = addr(&y2);\n", "global_s64 &p = addr(&x + 0x10);\n",
        "alloc(agent) global_u64 &p = addr(&kern);\n",
        "alloc(agent) global_u64 &p = addr(&ifunc);\n", "readonly_u64 &p = addr(&r);\n",
        "alloc(agent) global_u64 &p = addr(&a);\n", "global_s8 &q[3] = s8[](0, s8(nullptr), -1);\n",
        "global_s32 &q[4] = s32[](0, -1, nullptr, addr(&x + 8));\n",
        "global_u64 &q[] = u64[](addr(&x), u64(addr(&x + 4)));\n",
        "global_b32 &q[2] = {u32(nullptr), u32(addr(&x))};\n",
        "global_b8 &q[24] = {u8(1), align(8), u64[](addr(&x), 5)};\n"}) {
    EXPECT_EQ(expression_error(text), "") << text;
    expect_kept(text);
  }
  if (!HasFailure()) Ledger::cover("HL-116");
  for (const char* text :
       {"global_u64 &p = nullptr;\n", "global_u64 &p = u64(nullptr);\n",
        "alloc(agent) global_u32 &p = nullptr_group;\n",
        "alloc(agent) global_u32 &p = nullptr_private;\n",
        "alloc(agent) global_u64 &p = nullptr_kernarg;\n", "global_b16 &p = nullptr;\n",
        "global_b16 &p = s16(nullptr);\n", "readonly_u32 &p = nullptr_group;\n"}) {
    EXPECT_EQ(expression_error(text), "") << text;
    expect_kept(text);
  }
  if (!HasFailure()) Ledger::cover("HL-118");
}

TEST(Expressions, Operands) {
  for (const char* body :
       {"mov_u64 $d0, addr(&x + 4);", "mov_b64 $d0, addr(&x);", "mov_u64 $d0, addr(&kern);",
        "mov_u64 $d0, addr(&ifunc);", "mov_u32 $s0, nullptr_group;", "add_u64 $d0, $d0, addr(&r);",
        "cmp_eq_b1_s64 $c0, $d0, nullptr;", "st_global_u64 addr(&x), [$d0];",
        "mov_u32 $s0, u32(nullptr_private);"}) {
    EXPECT_EQ(expression_error(expression_in_kernel(body)), "") << body;
    expect_kept(expression_in_kernel(body));
  }
  if (!HasFailure()) Ledger::cover("HL-117");
}

TEST(Expressions, Refused) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {"global_u64 &p = addr(&kern + 8);\n", "no displacement"},
      {"alloc(agent) global_u64 &p = addr(&ifunc + 8);\n", "no displacement"},
      {"global_u64 &p = addr(&kern);\n", "need alloc(agent)"},
      {"global_u64 &p = addr(&r);\n", "need alloc(agent)"},
      {"global_u64 &p = addr(&a);\n", "need alloc(agent)"},
      {"global_u64 &p[1] = u64[](addr(&a));\n", "need alloc(agent)"},
      {"global_b64 &p[1] = {u64(addr(&a))};\n", "need alloc(agent)"},
      {"global_u32 &p = nullptr_group;\n", "need alloc(agent)"},
      {"global_u64 &p = addr(&direct);\n", "'&direct' is none"},
      {"global_u64 &p = addr(&nobody);\n", "is not declared"},
      {"global_f32 &p = addr(&x);\n", "is not valid here"},
      {"global_f64 &p = nullptr;\n", "is not valid here"},
      {"global_u64 &p = addr(&x * 4);\n", "'+', '-' or ')'"},
      {"global_u64 &p = addr(x);\n", "(&name)"},
      {"global_u64 &p = nullptr_spill;\n", "an operand"},
      {expression_in_kernel("mov_b1 $c0, nullptr;"), "is not valid here"},
      {expression_in_kernel("mov_f32 $s0, nullptr;"), "is not valid here"},
      {expression_in_kernel("group_u32 %g; mov_u32 $s0, addr(%g);"), "(&name)"},
      {expression_in_kernel("mov_u32 $s0, u64(addr(&x));"), "is not valid here"},
  };
  for (const auto& c : cases) {
    const std::string error = expression_error(c.text);
    EXPECT_NE(error.find(c.message), std::string::npos) << c.text << error;
  }
}

/// 7.1.7: arrays of handles, by themselves and in aggregates.
TEST(Expressions, ArraysOfHandles) {
  const std::string image =
      "roimg(geometry = 1d, width = 4, channel_type = float, channel_order = r)";
  const std::string sampler = "samp(coord = normalized, filter = linear, addressing = repeat)";
  const std::string extension = "extension \"IMAGE\";\n";
  for (const std::string& text : {"readonly_roimg &i[2] = roimg[](" + image + ", " + image + ");\n",
                                  "readonly_b8 &i[32] = {u32(1), align(8), samp[](" + sampler +
                                      ", " + sampler + "), " + image + "};\n"}) {
    const auto m = load_text(kExpressionModule + extension + text, "t.hsail");
    ASSERT_TRUE(m.ok()) << m.error().str();
    const auto again = load_text(print(*m), "t.hsail");
    ASSERT_TRUE(again.ok()) << again.error().str();
    EXPECT_TRUE(same_module(*m, *again));
    const auto bytes = write_brig(*m);
    ASSERT_TRUE(bytes.ok());
    const Outcome back = parse_module(bytes->data(), bytes->size(), "t.brig");
    ASSERT_TRUE(back.ok()) << back.errors[0].str();
    EXPECT_TRUE(same_module(*m, back.module));
  }
}

}  // namespace
}  // namespace cuvette::hsail
