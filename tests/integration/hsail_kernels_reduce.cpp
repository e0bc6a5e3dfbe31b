// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "hsail_kernels.h"

namespace cuvette::hsail_kernels {

namespace {

using Kind = Piece::Kind;

/// Leaves out runs of pieces, from half of them down to one, the last ones first.
bool drop_runs(Kernel& kernel, std::vector<Piece>& pieces,
               const std::function<bool(const Kernel&)>& fails) {
  bool any = false;
  for (size_t length = (pieces.size() + 1) / 2; length > 0; length /= 2) {
    for (size_t end = pieces.size(); end > 0;) {
      const size_t start = end > length ? end - length : 0;
      const std::vector<Piece> before = pieces;
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(start),
                   pieces.begin() + static_cast<std::ptrdiff_t>(end));
      if (fails(kernel)) {
        any = true;
      } else {
        pieces = before;
      }
      end = start;
    }
  }
  return any;
}

/// Tries to leave out or to flatten pieces of all levels. True when something went.
bool shrink(Kernel& kernel, std::vector<Piece>& pieces,
            const std::function<bool(const Kernel&)>& fails) {
  bool any = drop_runs(kernel, pieces, fails);
  for (size_t i = pieces.size(); i-- > 0;) {
    const std::vector<Piece> before = pieces;
    const Piece& whole = before[i];
    if (whole.kind == Kind::If || whole.kind == Kind::Switch || whole.kind == Kind::Irreducible) {
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
      pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i), whole.inside.begin(),
                    whole.inside.end());
      if (!whole.inside.empty() && fails(kernel)) {
        any = true;
        continue;
      }
    }
    pieces = before;
    if (shrink(kernel, pieces[i].inside, fails)) any = true;
    if (shrink(kernel, pieces[i].other, fails)) any = true;
  }
  return any;
}

}  // namespace

Kernel reduced(Kernel kernel, const std::function<bool(const Kernel&)>& fails) {
  for (bool any = true; any;) {
    any = shrink(kernel, kernel.body, fails);
    for (auto& f : kernel.functions) any = shrink(kernel, f, fails) || any;
  }
  return kernel;
}

}  // namespace cuvette::hsail_kernels
