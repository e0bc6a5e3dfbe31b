// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "sdma/transfer_job.h"

#include <algorithm>

namespace cuvette::sdma {

CopyJob::Piece CopyJob::next() const {
  const uint64_t from = src + row * src_pitch + slice * src_slice_pitch;
  const uint64_t to = dst + row * dst_pitch + slice * dst_slice_pitch;
  const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(row_bytes - done, kPieceBytes));
  // From the end where the destination begins inside of the source.
  const bool descending = to > from && to - from < row_bytes;
  const uint64_t offset = descending ? row_bytes - done - bytes : done;
  return {from + offset, to + offset, second_dst + offset, bytes};
}

bool CopyJob::advance(uint32_t bytes) {
  done += bytes;
  if (done < row_bytes) return false;
  done = 0;
  if (++row < rows) return false;
  row = 0;
  return ++slice >= slices;
}

}  // namespace cuvette::sdma
