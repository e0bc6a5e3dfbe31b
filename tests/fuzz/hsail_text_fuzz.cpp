// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as HSAIL text. Aborts when a module that is accepted does not print
// and parse back equal. Run: hsail_text_fuzz tests/kernels
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "hsail/text.h"
#include "hsail/validator.h"
#include "hsail/warnings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuvette::hsail;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Outcome outcome = parse_text(text, "fuzz");
  if (!outcome.ok() || !validate(outcome.module).empty()) return 0;
  (void)find_warnings(outcome.module);
  for (const auto floats : {FloatNotation::kBits, FloatNotation::kC99, FloatNotation::kDecimal}) {
    const Outcome again = parse_text(print(outcome.module, floats), "printed");
    if (!again.ok() || !same_module(outcome.module, again.module)) std::abort();
  }
  return 0;
}
