// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Random kernels (hsail_kernels.h): the interpreter and the golden machine leave the same in every
// buffer. CUVETTE_TEST_KERNELS: how many; CUVETTE_TEST_FIRST_KERNEL: the first seed. One kernel
// runs on one target, one in four in the small machine model; kernels that once differed
// (random_kernels) run on all. A kernel that differs is reduced, and the rest printed;
// CUVETTE_TEST_REDUCE=0: the next one runs instead.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "engines.h"
#include "finalizer/finalize.h"
#include "finalizer_testing.h"
#include "hsail/text.h"
#include "hsail_forms.h"
#include "hsail_kernels.h"
#include "small_text.h"
#include "test_vectors.h"

namespace {

namespace engines = cuvette::engines;
namespace hsail = cuvette::hsail;
using cuvette::finalizer_testing::kTargets;
using cuvette::hsail_kernels::Kernel;
using engines::Bytes;

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

engines::Launch launch_of(uint64_t seed, uint32_t items, uint16_t group) {
  cuvette::hsail_forms::Source source(seed);
  Bytes input(4 * cuvette::hsail_kernels::kInputWords + 8);
  static constexpr char kLetters[] = "wefq";
  for (size_t at = 0; at + 8 <= input.size(); at += 8) {
    const char letter = kLetters[at / 8 % 4];
    uint64_t value = source.value(letter);
    if (letter != 'q') value |= source.value('w') << 32;
    std::memcpy(input.data() + at, &value, sizeof value);
  }
  return {"&k",
          {items, 1, 1},
          {group, 1, 1},
          {engines::buffer(0), engines::buffer(1), engines::buffer(2)},
          {input, Bytes(size_t{cuvette::hsail_kernels::kOutputBytes} * items),
           Bytes(4 * cuvette::hsail_kernels::kSharedWords)}};
}

/// First error, or empty.
std::string problem_of(const std::string& large, const engines::Launch& launch, const char* target,
                       bool small) {
  const auto text = small ? cuvette::small_text::small_text(large) : large;
  if (!text) return "no text for the small machine model";
  const auto module = hsail::load_text(*text, "random.hsail");
  if (!module) return "text: " + module.error().str();
  const auto expected = engines::run_interpreter(*module, launch);
  if (!expected.error.empty()) return "interpreter: " + expected.error;
  if (expected.undefined) return "interpreter: values that the HSAIL PRM leaves undefined";
  const auto golden = engines::run_golden(*module, launch, target);
  if (!golden.error.empty()) return "golden: " + golden.error;
  std::string differences;
  unsigned shown = 0;
  for (size_t b = 0; b < expected.buffers.size(); ++b) {
    for (size_t at = 0; at + 4 <= expected.buffers[b].size(); at += 4) {
      uint32_t e = 0, g = 0;
      std::memcpy(&e, expected.buffers[b].data() + at, 4);
      std::memcpy(&g, golden.buffers[b].data() + at, 4);
      if (e == g || shown == 6) continue;
      char message[128];
      std::snprintf(message, sizeof message, "buffer %zu +%zu: interpreter %08x, golden %08x\n", b,
                    at, e, g);
      differences += message;
      ++shown;
    }
  }
  return differences;
}

std::string problem_of(const Kernel& kernel, const char* target, bool small) {
  return problem_of(kernel.text(), launch_of(kernel.seed, kernel.items, kernel.group), target,
                    small);
}

/// The first word of a problem: reducing may move the place, not the kind.
std::string kind_of(const std::string& problem) {
  return problem.substr(0, problem.find(' '));
}

/// Launch that a kept kernel names: the seed of its input, work-items, work-group.
constexpr char kLaunch[] = "// Launch: ";

engines::Launch launch_in(const std::string& text) {
  const size_t at = text.find(kLaunch);
  if (at == std::string::npos) return launch_of(77, 200, 100);
  std::istringstream words(text.substr(at + sizeof kLaunch - 1));
  uint64_t seed = 0;
  uint32_t items = 0;
  uint16_t group = 0;
  words >> seed >> items >> group;
  return launch_of(seed, items, group);
}

void check(const Kernel& kernel, const char* target, bool small) {
  const std::string problem = problem_of(kernel, target, small);
  if (problem.empty()) return;
  if (setting("CUVETTE_TEST_REDUCE", 1) == 0) {
    ADD_FAILURE() << "seed " << kernel.seed << " on " << target << (small ? ", small model" : "")
                  << ": " << problem;
    return;
  }
  const Kernel rest = cuvette::hsail_kernels::reduced(kernel, [&](const Kernel& k) {
    return kind_of(problem_of(k, target, small)) == kind_of(problem);
  });
  ADD_FAILURE() << "seed " << kernel.seed << " on " << target << (small ? ", small model" : "")
                << ": " << problem << "\nreduced from " << kernel.pieces() << " pieces to "
                << rest.pieces() << ": " << problem_of(rest, target, small) << "\n"
                << kLaunch << kernel.seed << " " << kernel.items << " " << kernel.group << "\n"
                << rest.text();
}

TEST(EnginesKernels, RandomOnesAgree) {
  const uint64_t count = setting("CUVETTE_TEST_KERNELS", 30);
  const uint64_t first = setting("CUVETTE_TEST_FIRST_KERNEL", 1);
  std::map<std::string, unsigned> features;
  size_t pieces = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Kernel kernel = cuvette::hsail_kernels::random_kernel(seed);
    check(kernel, kTargets[seed % std::size(kTargets)], seed % 4 == 0);
    for (const std::string& f : kernel.features) ++features[f];
    pieces += kernel.pieces();
    // One reduced kernel at a time.
    if (testing::Test::HasFailure() && setting("CUVETTE_TEST_REDUCE", 1) != 0) break;
  }
  std::printf("%llu kernels from seed %llu, %zu pieces\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(first), pieces);
  for (const auto& [name, kernels] : features) std::printf("  %s: %u\n", name.c_str(), kernels);
  if (count < 120) return;
  EXPECT_EQ(features.size(), 25u);
  for (const auto& [name, kernels] : features) EXPECT_GE(kernels, count / 25) << name;
}

TEST(EnginesKernels, OnesThatOnceDiffered) {
  namespace fs = std::filesystem;
  std::set<fs::path> known;
  for (const auto& entry : fs::directory_iterator(CUVETTE_SOURCE_DIR "/tests/random_kernels")) {
    known.insert(entry.path());
  }
  EXPECT_GE(known.size(), 14u);
  size_t number = 0;
  for (const fs::path& path : known) {
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (size_t t = 0; t < std::size(kTargets); ++t) {
      if (!cuvette::test::in_turn(number, t, std::size(kTargets), 2)) continue;
      for (const bool small : {false, true}) {
        EXPECT_EQ(problem_of(text, launch_in(text), kTargets[t], small), "")
            << path.filename() << " " << kTargets[t] << (small ? ", small model" : "");
      }
    }
    ++number;
  }
}

/// The reduction keeps what makes a kernel fail, and little else.
TEST(EnginesKernels, ReductionKeepsTheCause) {
  unsigned tried = 0;
  for (uint64_t seed = 1; seed < 60; ++seed) {
    const Kernel kernel = cuvette::hsail_kernels::random_kernel(seed);
    if (kernel.text().find("switch") != std::string::npos) continue;
    const auto fails = [](const Kernel& k) {
      return k.text().find("wrapinc_global") != std::string::npos;
    };
    if (!fails(kernel)) continue;
    ++tried;
    const Kernel rest = cuvette::hsail_kernels::reduced(kernel, fails);
    EXPECT_TRUE(fails(rest));
    EXPECT_LE(rest.pieces(), 4u) << rest.text();  // it, and loops around it
    EXPECT_TRUE(hsail::load_text(rest.text(), "reduced.hsail").ok());
  }
  EXPECT_GT(tried, 3u);
}

}  // namespace
