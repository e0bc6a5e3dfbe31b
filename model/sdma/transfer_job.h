// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuvette::sdma {

/// Bytes that move at a time, at most.
inline constexpr uint32_t kPieceBytes = 4096;

/// A copy of `slices` times `rows` rows of bytes, and how far it has come. A row that overlaps its
/// own destination is copied as through a buffer; rows follow each other by ascending number.
struct CopyJob {
  uint64_t src = 0, dst = 0;  ///< virtual addresses of the first row
  uint64_t second_dst = 0;
  /// The bytes go to `second_dst`, too.
  bool has_second = false;
  uint64_t row_bytes = 0, rows = 1, slices = 1;
  uint64_t src_pitch = 0, dst_pitch = 0;              ///< bytes from row to row
  uint64_t src_slice_pitch = 0, dst_slice_pitch = 0;  ///< bytes from slice to slice
  uint64_t row = 0, slice = 0, done = 0;              ///< next one; done: bytes of this row

  /// Bytes to move at once, in one row.
  struct Piece {
    uint64_t src = 0, dst = 0, second_dst = 0;
    uint32_t bytes = 0;
  };
  /// The piece to move next; in one row.
  Piece next() const;
  /// Counts `bytes` as moved. True when nothing is left.
  bool advance(uint32_t bytes);
};

/// A fill of `left` bytes from virtual address `dst` on with the lower `element` bytes of
/// `pattern`, 1, 2 or 4; both are multiples of it.
struct FillJob {
  uint64_t dst = 0, left = 0;
  uint32_t pattern = 0;
  uint32_t element = 1;
};

/// Data of a packet that go to memory.
struct WriteJob {
  uint64_t dst = 0;
  uint64_t at = 0, left = 0;  ///< dwords: from the start of the packet; to move
};

/// Values of 8 bytes that grow: `value | mask`, `value + increment | mask`, ...
struct CountJob {
  /// `left`: values.
  uint64_t dst = 0, left = 0, value = 0, increment = 0, mask = 0;
};

}  // namespace cuvette::sdma
