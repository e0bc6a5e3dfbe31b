// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// AES-128 in counter mode (FIPS 197, SP 800-38A), a block of 16 bytes per work-item. A round is four look-ups per
// column in a table of 256 words in local memory; the other three tables are its rotations. Columns are words with
// their first byte lowest.
enum { kRounds = 10, kGroup = 256 };

static uint mixed(__local const uint* table, uint a, uint b, uint c, uint d) {
  return table[a & 255] ^ rotate(table[b >> 8 & 255], 8u) ^ rotate(table[c >> 16 & 255], 16u) ^
         rotate(table[d >> 24], 24u);
}

// The second byte of an entry is the substitution alone.
static uint substituted(__local const uint* table, uint a, uint b, uint c, uint d) {
  return (table[a & 255] >> 8 & 0xff) | (table[b >> 8 & 255] & 0xff00) | (table[c >> 16 & 255] << 8 & 0xff0000) |
         (table[d >> 24] << 16 & 0xff000000);
}

__attribute__((reqd_work_group_size(kGroup, 1, 1))) __kernel void aes(uint blocks, uint4 nonce,
                                                                      __global const uint* table_in,
                                                                      __constant const uint4* keys,
                                                                      __global const uint4* in,
                                                                      __global uint4* out) {
  __local uint table[256];
  for (uint i = get_local_id(0); i < 256; i += kGroup) table[i] = table_in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint id = get_global_id(0);
  if (id >= blocks) return;
  uint4 s = nonce;
  s.w = as_uint(as_uchar4(id).wzyx);
  s ^= keys[0];
  for (uint round = 1; round < kRounds; ++round) {
    const uint4 t = s;
    s.x = mixed(table, t.x, t.y, t.z, t.w);
    s.y = mixed(table, t.y, t.z, t.w, t.x);
    s.z = mixed(table, t.z, t.w, t.x, t.y);
    s.w = mixed(table, t.w, t.x, t.y, t.z);
    s ^= keys[round];
  }
  uint4 last;
  last.x = substituted(table, s.x, s.y, s.z, s.w);
  last.y = substituted(table, s.y, s.z, s.w, s.x);
  last.z = substituted(table, s.z, s.w, s.x, s.y);
  last.w = substituted(table, s.w, s.x, s.y, s.z);
  out[id] = in[id] ^ last ^ keys[kRounds];
}
