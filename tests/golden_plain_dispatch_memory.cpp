// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "golden_plain_dispatch_eval.h"

namespace cuvette::golden::plain {

void sort_and_join(std::vector<Interval>& ranges, uint64_t gap) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> out;
  for (const Interval& next : ranges) {
    if (!out.empty() && next.begin <= out.back().end + gap) {
      out.back().end = std::max(out.back().end, next.end);
    } else {
      out.push_back(next);
    }
  }
  ranges = std::move(out);
}

void Memory::add(uint64_t va, uint64_t bytes, hsa::Access permitted) {
  pieces.push_back({va, bytes, chunks.size(), 0, permitted});
  chunks.push_back({va, std::vector<uint8_t>(bytes)});
}

void Memory::sort() {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.va < b.va; });
}

const Piece* Memory::find(uint64_t va) const {
  const auto holds = [va](const Piece& p) { return va - p.va < p.bytes; };
  if (last_ < pieces.size() && holds(pieces[last_])) return &pieces[last_];
  const auto after =
      std::upper_bound(pieces.begin(), pieces.end(), va,
                       [](uint64_t address, const Piece& p) { return address < p.va; });
  if (after == pieces.begin() || !holds(after[-1])) return nullptr;
  return &after[-1];
}

/// Joins what is close to the last one.
void Memory::note(uint64_t va, unsigned bytes) {
  constexpr uint64_t kClose = 4096;
  if (!missing->empty()) {
    Interval& last = missing->back();
    if (va + kClose >= last.begin && va <= last.end + kClose) {
      last.begin = std::min(last.begin, va);
      last.end = std::max(last.end, va + bytes);
      return;
    }
  }
  missing->push_back({va, va + bytes});
}

/// Bytes that are in one piece. Null: they are not; `absent` is the first that is not there, if
/// any.
uint8_t* Memory::place(uint64_t va, unsigned bytes, bool write, std::optional<uint64_t>& absent) {
  const auto wanted = write ? hsa::Access::Write : hsa::Access::Read;
  for (unsigned n = 0; n < bytes; ++n) {
    const Piece* const piece = find(va + n);
    if (piece == nullptr || !hsa::includes(piece->permitted, wanted)) {
      absent = va + n;
      return nullptr;
    }
    last_ = static_cast<size_t>(piece - pieces.data());
    if (n == 0 && piece->bytes - (va - piece->va) >= bytes) {
      return &chunks[piece->chunk].bytes[piece->offset + (va - piece->va)];
    }
  }
  return nullptr;
}

bool Memory::read(uint64_t va, void* out, unsigned bytes, uint64_t* failed) {
  std::optional<uint64_t> absent;
  const uint8_t* const there = place(va, bytes, false, absent);
  if (there != nullptr) {
    std::memcpy(out, there, bytes);
    return true;
  }
  if (absent && missing != nullptr) {
    note(va, bytes);
    std::memset(out, 0, bytes);
    return true;
  }
  if (absent) {
    if (failed != nullptr) *failed = *absent;
    return false;
  }
  for (unsigned n = 0; n < bytes; ++n) read(va + n, static_cast<uint8_t*>(out) + n, 1);
  return true;
}

bool Memory::write(uint64_t va, const void* data, unsigned bytes, uint64_t* failed) {
  std::optional<uint64_t> absent;
  uint8_t* const there = place(va, bytes, true, absent);
  if (there != nullptr) {
    std::memcpy(there, data, bytes);
    return true;
  }
  if (absent && missing != nullptr) {
    note(va, bytes);
    return true;
  }
  if (absent) {
    if (failed != nullptr) *failed = *absent;
    return false;
  }
  for (unsigned n = 0; n < bytes; ++n) write(va + n, static_cast<const uint8_t*>(data) + n, 1);
  return true;
}

}  // namespace cuvette::golden::plain
