// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "finalizer/finalize.h"
#include "hsail/text.h"

/// Shared by the finalizer's tests.
namespace cuvette::finalizer_testing {

inline constexpr const char* kTargets[] = {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"};

/// A kernel &k with the argument %out in $d0 and `body` in between.
inline std::string kernel(const std::string& body) {
  return "module &m:1:0:$full:$large:$default;\n"
         "prog kernel &k(kernarg_u64 %out)\n{\n"
         "ld_kernarg_align(8)_u64 $d0, [%out];\n" +
         body + "\nret;\n};\n";
}

/// Translation of the text before load(), where a test has one (engines.cpp).
inline std::function<std::string(const std::string&)> translate_text;

inline hsail::Module load(const std::string& given, const std::string& file = "test.hsail") {
  const std::string text = translate_text ? translate_text(given) : given;
  auto module = hsail::load_text(text, file);
  if (!module) {
    ADD_FAILURE() << module.error().str() << "\n" << text;
    return {};
  }
  return std::move(module).value();
}

}  // namespace cuvette::finalizer_testing
