// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Global alignment of two sequences with a linear gap penalty: the matrix of scores, (n + 1) x (n + 1), in tiles of
// 64x64. A dispatch makes the tiles of one diagonal, a work-group of 64 a tile, diagonal by diagonal in local memory.
enum { kTile = 64, kMatch = 3, kMismatch = -2, kGap = -4 };

__attribute__((reqd_work_group_size(kTile, 1, 1))) __kernel void needleman_wunsch(
    uint n, uint diagonal, uint first_tile, __global const uchar* down, __global const uchar* across,
    __global int* score) {
  __local int tile[kTile + 1][kTile + 1];
  __local uchar letters[kTile];
  const uint item = get_local_id(0);
  const uint tile_y = first_tile + get_group_id(0);
  const uint tile_x = diagonal - tile_y;
  const uint row0 = tile_y * kTile;
  const uint column0 = tile_x * kTile;
  const uint pitch = n + 1;
  // The edges come from the neighbours above and to the left.
  tile[0][item + 1] = score[row0 * pitch + column0 + item + 1];
  tile[item + 1][0] = score[(row0 + item + 1) * pitch + column0];
  if (item == 0) tile[0][0] = score[row0 * pitch + column0];
  letters[item] = down[row0 + item];
  const uchar letter = across[column0 + item];
  barrier(CLK_LOCAL_MEM_FENCE);
  // A work-item makes a column; it is one row behind its left neighbour.
  for (uint step = 0; step < 2 * kTile - 1; ++step) {
    const uint row = step - item;
    if (row < kTile) {
      const int pair = tile[row][item] + (letters[row] == letter ? kMatch : kMismatch);
      const int gap = max(tile[row][item + 1], tile[row + 1][item]) + kGap;
      tile[row + 1][item + 1] = max(pair, gap);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint row = 1; row <= kTile; ++row) score[(row0 + row) * pitch + column0 + item + 1] = tile[row][item + 1];
}
