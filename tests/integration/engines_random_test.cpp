// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every scalar instruction form as machine code: one kernel per form, each work-item with operands
// of its own from memory. The interpreter and the golden machine must agree in every lane; any NaN
// equals any NaN.
#include <cstring>

#include <gmock/gmock.h>

#include "engines.h"
#include "finalizer/finalize.h"
#include "finalizer_testing.h"
#include "hsail_forms.h"
#include "small_text.h"
#include "test_vectors.h"

namespace {

namespace engines = cuvette::engines;
namespace forms = cuvette::hsail_forms;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;
using engines::Bytes;
using forms::Form;

constexpr uint64_t kSeed = 20011220;
constexpr uint32_t kLanes = 192;
constexpr size_t kOperandBytes = 32;  // four slots of eight bytes
constexpr size_t kFormsPerModule = 60;
constexpr size_t kShare = 2;  // targets of a module, all nightly

/// Kernel &name: out[i] = form(in[i][0], in[i][1], ...), eight bytes each.
std::string kernel_text(const Form& form, const std::string& name) {
  std::string text = "prog kernel &" + name +
                     "(kernarg_u64 %in, kernarg_u64 %out)\n{\n"
                     "workitemabsid_u32 $s20, 0;\ncvt_u64_u32 $d20, $s20;\n"
                     "ld_kernarg_align(8)_u64 $d21, [%in];\nshl_u64 $d22, $d20, 5;\n"
                     "add_u64 $d21, $d21, $d22;\n"
                     "ld_kernarg_align(8)_u64 $d23, [%out];\nshl_u64 $d22, $d20, 3;\n"
                     "add_u64 $d23, $d23, $d22;\n";
  std::string arguments;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const bool wide = forms::is_wide(form.operands[i]);
    const std::string number = std::to_string(i + 1);
    text += "ld_global_align(8)_" + std::string(wide ? "u64 $d" : "u32 $s") + number + ", [$d21+" +
            std::to_string(8 * i) + "];\n";
    if (form.operands[i] == 'c') text += "cmp_ne_b1_u32 $c" + number + ", $s" + number + ", 0;\n";
    arguments += (form.operands[i] == 'c' ? ", $c" : wide ? ", $d" : ", $s") + number;
  }
  const bool wide = forms::is_wide(form.result);
  text += form.opcode + (form.result == 'c' ? " $c0" : wide ? " $d0" : " $s0") + arguments + ";\n";
  if (form.result == 'c') text += "cvt_u32_b1 $s0, $c0;\n";
  if (form.result == 'f') text += "and_b32 $s0, $s0, 0xffff;\n";
  return text +
         (wide ? "st_global_align(8)_u64 $d0, [$d23];\n"
               : "st_global_align(8)_u32 $s0, [$d23];\n") +
         "ret;\n};\n";
}

uint64_t word_at(const Bytes& bytes, size_t at) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Bytes operands_of(const Form& form, forms::Source& source) {
  Bytes bytes(kLanes * kOperandBytes);
  for (size_t lane = 0; lane < kLanes; ++lane)
    for (size_t i = 0; i < form.operands.size(); ++i) {
      const uint64_t value = source.value(form.operands[i]);
      std::memcpy(bytes.data() + lane * kOperandBytes + 8 * i, &value, sizeof value);
    }
  return bytes;
}

/// The first lane that differs, with its operands; at most one message per form and target.
void compare(const Form& form, const engines::Launch& launch, const Bytes& expected,
             const Bytes& golden, const char* target) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t a = word_at(expected, 8 * lane);
    const uint64_t b = word_at(golden, 8 * lane);
    if (a == b || (forms::is_nan(form.result, a) && forms::is_nan(form.result, b))) continue;
    std::string text;
    for (size_t i = 0; i < form.operands.size(); ++i) {
      char hex[32];
      std::snprintf(hex, sizeof hex, " %llx",
                    static_cast<unsigned long long>(
                        word_at(launch.buffers[0], lane * kOperandBytes + 8 * i)));
      text += hex;
    }
    ADD_FAILURE() << target << " " << form.opcode << text << ": interpreter " << std::hex << a
                  << ", golden " << b << ", seed " << std::dec << kSeed << " lane " << lane;
    return;
  }
}

void check(const std::vector<Form>& all) {
  forms::Source source(kSeed);
  unsigned compared = 0;
  for (size_t first = 0; first < all.size(); first += kFormsPerModule) {
    const size_t last = std::min(all.size(), first + kFormsPerModule);
    // One module of four in the small machine model.
    const size_t turn = first / kFormsPerModule;
    const bool small = turn % 4 == kSeed % 4;
    std::string text = "module &m:1:0:$full:$large:$default;\n";
    std::vector<Form> some;
    for (size_t i = first; i < last; ++i) {
      some.push_back(forms::restricted(all[i]));
      text += kernel_text(some.back(), "k" + std::to_string(i - first));
    }
    const cuvette::hsail::Module module =
        load(small ? cuvette::small_text::small_text(text).value() : text);
    std::vector<engines::Launch> launches;
    std::vector<engines::Outcome> expected;
    for (size_t i = 0; i < some.size(); ++i) {
      launches.push_back({"&k" + std::to_string(i),
                          {kLanes, 1, 1},
                          {64, 1, 1},
                          {engines::buffer(0), engines::buffer(1)},
                          {operands_of(some[i], source), Bytes(8 * kLanes)}});
      expected.push_back(engines::run_interpreter(module, launches.back()));
      EXPECT_EQ(expected.back().error, "") << some[i].opcode;
      EXPECT_FALSE(expected.back().undefined) << some[i].opcode;
    }
    for (size_t n = 0; n < std::size(kTargets); ++n) {
      const char* const target = kTargets[n];
      if (!cuvette::test::in_turn(turn, n, std::size(kTargets), kShare)) continue;
      auto object = cuvette::finalizer::finalize(module, {target, 5});
      ASSERT_TRUE(object.ok()) << object.error().str();
      for (size_t i = 0; i < some.size(); ++i) {
        const auto golden = engines::run_golden_object(module, *object, launches[i], target);
        EXPECT_EQ(golden.error, "") << target << " " << some[i].opcode;
        if (!golden.error.empty()) continue;
        compare(some[i], launches[i], expected[i].buffers[1], golden.buffers[1], target);
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, all.size() * (cuvette::test::whole() ? std::size(kTargets) : kShare));
}

TEST(EnginesRandom, Integer) {
  check(forms::integer_forms());
}
TEST(EnginesRandom, Float) {
  check(forms::float_forms());
}
TEST(EnginesRandom, Machine) {
  check(forms::machine_forms());
}
TEST(EnginesRandom, Rounding) {
  check(forms::rounding_forms());
}
TEST(EnginesRandom, Compare) {
  check(forms::compare_forms());
}
TEST(EnginesRandom, Convert) {
  check(forms::convert_forms());
}

// Extension cuvette:mfma, on the targets that have a matrix core: half of the modules in the small
// machine model.
TEST(EnginesRandom, Matrix) {
  using cuvette::hsail::MatrixTarget;
  forms::Source source(kSeed);
  size_t compared = 0;
  for (const auto& [target, name] : {std::pair{MatrixTarget::kGfx908, "gfx908"},
                                     {MatrixTarget::kGfx90a, "gfx90a"},
                                     {MatrixTarget::kGfx942, "gfx942"}}) {
    for (const bool small : {false, true}) {
      const auto all = forms::matrix_forms(target, kSeed + small, 1);
      std::string text = "module &m:1:0:$full:$large:$default;\nextension \"cuvette:mfma\";\n";
      for (const forms::MatrixForm& form : all) text += form.kernel;
      const auto module = load(small ? cuvette::small_text::small_text(text).value() : text);
      auto object = cuvette::finalizer::finalize(module, {name, 5});
      ASSERT_TRUE(object.ok()) << object.error().str();
      for (size_t i = 0; i < all.size(); ++i) {
        std::vector<uint32_t> words(64 * all[i].input_words);
        for (uint32_t& word : words) word = source.matrix_word();
        Bytes input(4 * words.size());
        std::memcpy(input.data(), words.data(), input.size());
        const engines::Launch launch{"&m" + std::to_string(i),
                                     {64, 1, 1},
                                     {64, 1, 1},
                                     {engines::buffer(0), engines::buffer(1)},
                                     {input, Bytes(4 * 64 * all[i].output_words)}};
        const auto expected = engines::run_interpreter(module, launch, name);
        const auto golden = engines::run_golden_object(module, *object, launch, name);
        EXPECT_EQ(expected.error + golden.error, "") << name << " " << all[i].statement;
        EXPECT_EQ(golden.buffers, expected.buffers)
            << name << " seed " << kSeed + small << ": " << all[i].statement;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 2u * 93);
}

}  // namespace
