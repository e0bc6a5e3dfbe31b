// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "finalizer/assembler.h"
#include "isa/decode.h"

// Instructions from text, for tests of the hazard rules.
namespace cuvette::testing {

inline std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::string word;
  for (char c : text + separator) {
    if (c != separator) {
      word += c;
    } else if (!word.empty()) {
      out.push_back(word);
      word.clear();
    }
  }
  return out;
}

/// Assembled by LLVM; instructions stand apart by semicolons.
inline std::vector<isa::Instruction> assemble(const std::string& text, isa::Target target) {
  const auto words = finalizer::assemble(words_of(text, ';'), std::string(isa::name_of(target)));
  EXPECT_TRUE(words.ok()) << text << " on " << isa::name_of(target);
  std::vector<isa::Instruction> out;
  if (!words.ok()) return out;
  const std::vector<uint32_t>& w = words.value();
  for (size_t at = 0; at < w.size();) {
    const isa::Decoded d = isa::decode(target, &w[at], w.size() - at);
    EXPECT_NE(d.status, isa::DecodeStatus::Illegal) << text;
    out.push_back(d.instruction);
    at += d.length;
  }
  return out;
}

}  // namespace cuvette::testing
