// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Where lanes meet that have parted (HSAIL PRM 2.12), as cross-lane instructions see it, in control
// flow that machine code would have meet earlier: interpreter and golden on every target against
// what 2.12 says for each work-item.
#include <gtest/gtest.h>

#include "engines_testing.h"
#include "hsail_calls.h"
#include "test_vectors.h"

namespace {

namespace engines = cuvette::engines;
using cuvette::finalizer_testing::kTargets;
using cuvette::hsail_calls::call;
using cuvette::hsail_calls::program;

constexpr uint32_t kItems = 64;  // one wavefront

struct Shape {
  const char* name;
  std::string text;
  uint32_t (*expected)(uint32_t item);
};

/// Number of work-items of `items` that agree with `item` in the low bits, added up while the bits
/// become one, two and three.
uint32_t halving_groups(uint32_t item, uint32_t items) {
  uint32_t sum = 0;
  for (const uint32_t mask : {1u, 3u, 7u})
    for (uint32_t i = 0; i < items; ++i) sum += (i & mask) == (item & mask);
  return sum;
}

/// Three rounds, in each of which one more bit of the item parts the lanes. They meet behind the
/// loop, as one of the ways can leave it.
std::string halving_loop(const std::string& item, const std::string& sum) {
  return "mov_b32 $s12, 0;\nmov_b32 " + sum + ", 0;\n@head:\nshr_u32 $s13, " + item +
         ", $s12;\nand_b32 $s13, $s13, 1;\ncmp_eq_b1_u32 $c0, $s13, 0;\ncbr_b1 $c0, @even;\n"
         "cmp_gt_b1_u32 $c0, $s12, 5;\ncbr_b1 $c0, @left;\n@even:\n"
         "activelanecount_u32_b1 $s14, 1;\nadd_u32 " +
         sum + ", " + sum +
         ", $s14;\nadd_u32 $s12, $s12, 1;\ncmp_lt_b1_u32 $c0, $s12, 3;\ncbr_b1 $c0, @head;\n"
         "@left:\n";
}

/// Even items and, later, odd multiples of three come to @shared, which is not all that is left.
std::string either(const std::string& shared) {
  return "mov_b32 $s0, 0;\nand_b32 $s2, $s1, 1;\ncmp_eq_b1_u32 $c0, $s2, 0;\n"
         "cbr_b1 $c0, @shared;\nrem_u32 $s3, $s1, 3;\ncmp_eq_b1_u32 $c0, $s3, 0;\n"
         "cbr_b1 $c0, @shared;\nbr @end;\n@shared:\n" +
         shared + "@end:\n";
}

std::vector<Shape> shapes() {
  const std::string count = "activelanecount_u32_b1 $s0, 1;\n";
  return {
      {"condition of two parts", program("", either(count)),
       [](uint32_t i) -> uint32_t { return i % 2 == 0   ? 32
                                           : i % 3 == 0 ? 11
                                                        : 0; }},
      {"neighbours are not active",
       program("", either("xor_b32 $s4, $s1, 1;\n"
                          "activelanepermute_b32 $s0, $s1, $s4, 99, "
                          "0;\n")),
       [](uint32_t i) -> uint32_t { return i % 2 == 0 || i % 3 == 0 ? 99 : 0; }},
      {"all meet behind it",
       program("",
               either(count) + "activelanecount_u32_b1 $s5, 1;\nmad_u32 $s0, $s5, 1000, $s0;\n"),
       [](uint32_t i) {
         return 64000 + (i % 2 == 0 ? 32u : i % 3 == 0 ? 11u : 0u);
       }},
      // Lanes with one target stay together (8.1).
      {"switch with a shared tail",
       program("",
               "mov_b32 $s0, 0;\nand_b32 $s2, $s1, 3;\n"
               "sbr_u32 $s2 [@tail, @tail, @end, @other];\n@other:\nmov_b32 $s3, 1;\nbr "
               "@tail;\n@tail:\n" +
                   count + "@end:\n"),
       [](uint32_t i) -> uint32_t { return i % 4 < 2    ? 32
                                           : i % 4 == 2 ? 0
                                                        : 16; }},
      {"loop that is left in several rounds",
       program("",
               "mov_b32 $s2, 0;\nand_b32 $s3, $s1, 3;\n@head:\ncmp_eq_b1_u32 $c0, $s3, $s2;\n"
               "cbr_b1 $c0, @found;\nadd_u32 $s2, $s2, 1;\ncmp_lt_b1_u32 $c0, $s2, 3;\n"
               "cbr_b1 $c0, @head;\nmov_b32 $s0, 100;\nbr @end;\n@found:\n" +
                   count + "@end:\n"),
       [](uint32_t i) -> uint32_t { return i % 4 == 3 ? 100 : 16; }},
      {"groups that part in a loop", program("", halving_loop("$s1", "$s0")),
       [](uint32_t i) { return halving_groups(i, kItems); }},
      {"the same in a function",
       program("function &f(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s1, [%x];\n" +
                   halving_loop("$s1", "$s0") + "st_arg_align(4)_u32 $s0, [%r];\n};\n",
               "mov_b32 $s0, 7;\ncmp_ge_b1_u32 $c0, $s1, 40;\ncbr_b1 $c0, @skip;\n" +
                   call("call &f(%r)(%x);") + "@skip:\n"),
       [](uint32_t i) -> uint32_t { return i >= 40 ? 7 : halving_groups(i, 40); }},
      {"a function that counts, called by groups",
       program("function &f(arg_u32 %r)(arg_u32 %x)\n{\nactivelanecount_u32_b1 $s0, 1;\n"
               "st_arg_align(4)_u32 $s0, [%r];\n};\n",
               either(call("call &f(%r)(%x);"))),
       [](uint32_t i) -> uint32_t { return i % 2 == 0   ? 32
                                           : i % 3 == 0 ? 11
                                                        : 0; }},
      {"tangle in a loop",
       program("", "mov_b32 $s6, 0;\nmov_b32 $s7, 0;\n@again:\n" + either(count) +
                       "add_u32 $s6, $s6, $s0;\nadd_u32 $s7, $s7, 1;\n"
                       "activelanecount_u32_b1 $s5, 1;\nmad_u32 $s6, $s5, 1000, $s6;\n"
                       "shr_u32 $s8, $s1, 4;\ncmp_le_b1_u32 $c0, $s7, $s8;\n"
                       "cbr_b1 $c0, @again;\nmov_b32 $s0, $s6;\n"),
       [](uint32_t i) {
         uint32_t sum = 0;  // the items of each 16 go one round more
         for (uint32_t round = 0; round <= i / 16; ++round) {
           const uint32_t from = 16 * round;
           sum += 1000 * (64 - from);
           for (uint32_t j = from; j < 64 && (i % 2 == 0 || i % 3 == 0); ++j)
             sum += i % 2 == 0 ? j % 2 == 0 : j % 2 == 1 && j % 3 == 0;
         }
         return sum;
       }},
      // All meet at @second (every way leads there) and go on together.
      {"loop with two entries",
       program("",
               "mov_b32 $s2, 0;\nmov_b32 $s0, 0;\nand_b32 $s3, $s1, 1;\n"
               "cmp_eq_b1_u32 $c0, $s3, 0;\ncbr_b1 $c0, @second;\n@first:\n"
               "activelanecount_u32_b1 $s4, 1;\nadd_u32 $s0, $s0, $s4;\n@second:\n"
               "add_u32 $s2, $s2, 1;\ncmp_lt_b1_u32 $c0, $s2, 3;\ncbr_b1 $c0, @first;\n"),
       [](uint32_t i) -> uint32_t { return i % 2 == 0 ? 128 : 160; }},
      {"loop with two entries and no lanes",
       program("",
               "mov_b32 $s2, 0;\nmov_b32 $s0, 0;\nand_b32 $s3, $s1, 1;\n"
               "cmp_eq_b1_u32 $c0, $s3, 0;\ncbr_b1 $c0, @second;\n@first:\n"
               "add_u32 $s0, $s0, 1;\n@second:\nadd_u32 $s0, $s0, 16;\nadd_u32 $s2, $s2, 1;\n"
               "cmp_le_b1_u32 $c0, $s2, $s1;\ncbr_b1 $c0, @first;\n"),
       [](uint32_t i) { return 16 * (i + 1) + i + i % 2; }},
  };
}

engines::Launch launch() {
  return {"&k", {kItems, 1, 1}, {64, 1, 1}, {engines::buffer(0)}, {engines::Bytes(4 * kItems)}};
}

class EnginesLanes : public ::testing::TestWithParam<const char*> {};

TEST_P(EnginesLanes, MeetAtThePostDominator) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const auto out =
        engines::values_of<uint32_t>(engines::run_both(shape.text, launch(), GetParam()).at(0));
    for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(out[i], shape.expected(i)) << "item " << i;
  }
}

/// One tangle in which lanes part at `depth` places and meet at as many others, one in another:
/// both ways of each branch lead into the inner one.
std::string deep_tangle(unsigned depth) {
  std::string in, out;
  for (unsigned k = 0; k < depth; ++k) {
    const std::string n = std::to_string(k), inner = std::to_string(k + 1);
    const std::string bit = "shr_u32 $s2, $s1, " + std::to_string(k % 6) + ";\nand_b32 $s2, $s2, ";
    in += bit + "1;\ncmp_eq_b1_u32 $c0, $s2, 0;\ncbr_b1 $c0, @x" + n + ";\n";
    out = "@x" + n + ":\nadd_u32 $s0, $s0, " + n + ";\n" + bit +
          "3;\ncmp_eq_b1_u32 $c0, $s2, 2;\ncbr_b1 $c0, @b" + inner + ";\nbr @m" + n + ";\n" +
          (k == 0 ? ""
                  : "@b" + n + ":\nactivelanecount_u32_b1 $s3, 1;\nmad_u32 $s0, $s0, 3, $s3;\n") +
          "@m" + n + ":\nadd_u32 $s0, $s0, 1;\n" +
          (k == 0 ? "" : "br @m" + std::to_string(k - 1) + ";\n") + out;
  }
  const std::string last = std::to_string(depth);
  // The outermost place to meet comes last.
  const std::string core = "@b" + last +
                           ":\nactivelanecount_u32_b1 $s3, 1;\nadd_u32 $s0, $s0, $s3;\n"
                           "br @m" +
                           std::to_string(depth - 1) + ";\n";
  return program("", "mov_b32 $s0, 0;\n" + in + core + out + "br @done;\n@done:\n");
}

TEST_P(EnginesLanes, AnyNumberOfPlacesToMeet) {
  for (const unsigned depth : {3u, 31u, 33u, 70u}) {
    // How lanes meet again is the same on every target.
    if (depth == 70 && GetParam() != kTargets[0] && !cuvette::test::whole()) continue;
    SCOPED_TRACE(depth);
    const auto out = engines::values_of<uint32_t>(
        engines::run_both(deep_tangle(depth), launch(), GetParam()).at(0));
    EXPECT_NE(out[0], out[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(AllTargets, EnginesLanes, ::testing::ValuesIn(kTargets));

}  // namespace
