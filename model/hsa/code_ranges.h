// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cuvette::hsa {

/// A range of memory that straight-line execution may neither leave nor enter: a function of a
/// loaded object, or what lies between functions.
struct CodeExtent {
  uint64_t begin = 0;
  uint64_t end = 0;  ///< exclusive
  /// Name of the function, one object per function. Null: between functions, or not loaded.
  const std::string* name = nullptr;

  bool contains(uint64_t va) const { return va - begin < end - begin; }
};

/// Loaded code: [begin, end) and its name.
struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;  ///< exclusive
  std::string name;
};

/// Addresses of the functions of loaded objects. A function may be entered anywhere by a
/// jump; straight-line execution that leaves it or comes into it has run past the end of some code.
class CodeRanges {
 public:
  /// Functions of an object, those that overlap (names for one thing, parts of another) as one
  /// under the first name.
  void add(std::vector<CodeRange> functions);
  /// Removes the functions that begin in [begin, end); their names stay, because waves may still be
  /// in them.
  void remove(uint64_t begin, uint64_t end);
  /// The function at `va`, or the gap there.
  CodeExtent at(uint64_t va) const;
  const std::map<uint64_t, CodeRange>& all() const { return by_begin_; }

 private:
  std::map<uint64_t, CodeRange> by_begin_;
  std::vector<std::map<uint64_t, CodeRange>::node_type> gone_;
};

/// True if straight-line execution that comes from `from` into `into` has run past the end of code.
/// One function may have several extents (pages); between two gaps nobody knows.
inline bool runs_past_end(const CodeExtent& from, const CodeExtent& into) {
  return from.name != into.name;
}
/// Message for that case: "runs past the end of the code of 'k' into 'other'".
std::string past_end_text(const CodeExtent& from, const CodeExtent& into);
/// " in 'k'", nothing where no function is known.
std::string in_function(const CodeExtent& at);

}  // namespace cuvette::hsa
