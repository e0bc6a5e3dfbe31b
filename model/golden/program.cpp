// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/program.h"

#include <algorithm>

namespace cuvette::golden {

size_t DeviceCode::fetch(uint64_t pc, uint32_t* words, size_t count) const {
  size_t read = 0;
  while (read < count) {
    const auto t = memory_->space().translate(0, pc + 4 * read, hsa::Access::Execute);
    if (!t.ok()) break;
    const size_t here = std::min<uint64_t>(count - read, std::max<uint64_t>(t.bytes / 4, 1));
    size_t got = here;
    // Word by word where not all is there: the last instruction may end where memory does.
    if (!memory_->backing().read(t.pa, words + read, 4 * here)) {
      for (got = 0; got < here && memory_->backing().read(t.pa + 4 * got, words + read + got, 4);) {
        ++got;
      }
    }
    read += got;
    if (got < here) break;
  }
  const auto end = changed_.lower_bound(pc + 4 * read);
  for (auto it = changed_.lower_bound(pc); it != end; ++it)
    words[(it->first - pc) / 4] = it->second;
  return read;
}

}  // namespace cuvette::golden
