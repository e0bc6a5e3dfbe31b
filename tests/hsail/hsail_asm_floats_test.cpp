// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// HSAILasm reads the floating-point constants of every notation as we do.
#include "brig_support.h"
#include "hsail_floats.h"
#include "hsail_support.h"
#include "hsailasm.h"

namespace cuvette::hsail {
namespace {

class AsmFloats : public testing::HsailAsm {
 protected:
  void compare(const std::string& text) {
    const Outcome outcome = parse_text(text, "ours");
    ASSERT_TRUE(outcome.ok()) << outcome.errors[0].str();
    const auto ours = write_brig(outcome.module);
    ASSERT_TRUE(ours.ok());
    for (const FloatNotation floats : testing::kNotations) {
      const std::string printed = print(outcome.module, floats);
      EXPECT_TRUE(assembled(printed) == *ours) << log() << printed.substr(0, 2000);
    }
  }
};

TEST_F(AsmFloats, Values) {
  for (const auto& type : testing::kFloatTypes) {
    SCOPED_TRACE(type.name);
    compare(testing::floats_module(type, testing::float_values(type, 10000)));
  }
}

TEST_F(AsmFloats, Kernels) {
  size_t compared = 0;
  for (const std::string& file : testing::kernel_files()) {
    SCOPED_TRACE(file);
    const auto text = base::read_text(file);
    ASSERT_TRUE(text.ok());
    if (assembled(*text).empty()) continue;  // newer than HSAIL 1:0, or not in HSAILasm's tables
    ++compared;
    compare(*text);
  }
  EXPECT_GE(compared, 8u);
}

}  // namespace
}  // namespace cuvette::hsail
