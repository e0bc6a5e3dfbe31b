// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/decode.h"

namespace cuvette::isa::test {

/// Kind of a known difference between this model and LLVM 19 about a word.
enum class Kind { None, Refused, Accepted, Text, Length };
const char* name_of(Kind kind);

/// tests/isa/isa_differences.csv. `kind` says how we differ from LLVM: we refuse what it takes,
/// accept what it refuses, or print another text. `match` is our reason (refused), our reserved
/// field, or the beginning of the mnemonic.
class Differences {
 public:
  struct Entry {
    std::string format, kind, match, reason;
    unsigned long used = 0;
  };

  static Differences load();
  bool covers(const std::string& format, Kind kind, const Decoded& ours);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace cuvette::isa::test
