// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/code_ranges.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cuvette::hsa {

void CodeRanges::add(std::vector<CodeRange> functions) {
  std::sort(functions.begin(), functions.end(), [](const CodeRange& a, const CodeRange& b) {
    return std::tie(a.begin, b.end, a.name) < std::tie(b.begin, a.end, b.name);
  });
  CodeRange* last = nullptr;
  for (CodeRange& f : functions) {
    if (f.end <= f.begin) continue;
    if (last != nullptr && f.begin < last->end) {
      last->end = std::max(last->end, f.end);
      continue;
    }
    const uint64_t begin = f.begin;
    last = &(by_begin_[begin] = std::move(f));
  }
}

void CodeRanges::remove(uint64_t begin, uint64_t end) {
  for (auto it = by_begin_.lower_bound(begin); it != by_begin_.end() && it->first < end;) {
    const auto next = std::next(it);
    gone_.push_back(by_begin_.extract(it));
    it = next;
  }
}

CodeExtent CodeRanges::at(uint64_t va) const {
  const auto next = by_begin_.upper_bound(va);
  CodeExtent gap;
  gap.end = next == by_begin_.end() ? ~uint64_t{0} : next->first;
  if (next == by_begin_.begin()) return gap;
  const CodeRange& before = std::prev(next)->second;
  if (va < before.end) return {before.begin, before.end, &before.name};
  gap.begin = before.end;
  return gap;
}

std::string past_end_text(const CodeExtent& from, const CodeExtent& into) {
  std::string text = from.name != nullptr ? fmt::format(
                                                "runs past the end of the code of '{}' at "
                                                "{:#x}",
                                                *from.name, from.end)
                                          : "runs on from code without a symbol";
  return text + (into.name != nullptr ? fmt::format(" into '{}'", *into.name)
                                      : " into what is no function");
}

std::string in_function(const CodeExtent& at) {
  return at.name != nullptr ? fmt::format(" in '{}'", *at.name) : std::string();
}

}  // namespace cuvette::hsa
