// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

/// Tables of policies: arrays whose elements have a `name`, as machine descriptions give it
/// (docs/howto/add_policy.md).
namespace cuvette::machine {

/// The entry with a name; null: there is none.
template <class Entry, size_t kCount>
constexpr const Entry* find_policy(const Entry (&table)[kCount], const std::string& name) {
  for (const Entry& entry : table) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

/// "unknown KIND 'NAME', expected a, b or c", with the names of the table.
template <class Entry, size_t kCount>
base::Error unknown_policy(const Entry (&table)[kCount], const std::string& kind,
                           const std::string& name) {
  std::string names = table[0].name;
  for (size_t n = 1; n < kCount; ++n) {
    names += n + 1 == kCount ? " or " : ", ";
    names += table[n].name;
  }
  return base::Error("unknown " + kind + " '" + name + "', expected " + names);
}

}  // namespace cuvette::machine
