// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Local alignment of one query with many targets, affine gaps: the best score of each. A work-item has one target and
// keeps a row of scores in private memory; letters of the targets lie interleaved.
enum { kLongest = 64, kMatch = 5, kMismatch = -3, kOpen = 8, kExtend = 1 };

__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void smith_waterman(uint targets, uint length,
                                                                             uint query_length,
                                                                             __constant const uchar* query,
                                                                             __global const uchar* letters,
                                                                             __global int* best) {
  const uint id = get_global_id(0);
  if (id >= targets) return;
  int above[kLongest];    // scores of the row before
  int vertical[kLongest]; // those that end with a gap in the query
  for (uint i = 0; i < query_length; ++i) {
    above[i] = 0;
    vertical[i] = -kOpen;
  }
  int top = 0;
  for (uint row = 0; row < length; ++row) {
    const uchar letter = letters[row * targets + id];
    int corner = 0;
    int left = 0;
    int horizontal = -kOpen;
    for (uint i = 0; i < query_length; ++i) {
      vertical[i] = max(vertical[i] - kExtend, above[i] - kOpen);
      horizontal = max(horizontal - kExtend, left - kOpen);
      const int pair = corner + (query[i] == letter ? kMatch : kMismatch);
      corner = above[i];
      left = max(max(pair, 0), max(vertical[i], horizontal));
      above[i] = left;
      top = max(top, left);
    }
  }
  best[id] = top;
}
