// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) of many messages of whole blocks of 64 bytes, one per work-item. The words of a message lie
// together, as its bytes do.
__constant uint kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint right(uint x, uint n) {
  return rotate(x, 32 - n);
}

static void compress(uint state[8], uint w[16]) {
  uint s[8];
  for (uint i = 0; i < 8; ++i) s[i] = state[i];
  for (uint step = 0; step < 64; step += 16) {
#pragma unroll
    for (uint i = 0; i < 16; ++i) {
      if (step > 0) {
        const uint early = w[(i + 1) % 16];
        const uint late = w[(i + 14) % 16];
        w[i] += (right(early, 7) ^ right(early, 18) ^ early >> 3) + w[(i + 9) % 16] +
                (right(late, 17) ^ right(late, 19) ^ late >> 10);
      }
      const uint big1 = right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25);
      const uint big0 = right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22);
      const uint t = s[7] + big1 + bitselect(s[6], s[5], s[4]) + kRound[step + i] + w[i];
      const uint majority = bitselect(s[0], s[1], s[2] ^ s[0]);
      for (uint k = 7; k > 0; --k) s[k] = s[k - 1];
      s[4] += t;
      s[0] = t + big0 + majority;
    }
  }
  for (uint i = 0; i < 8; ++i) state[i] += s[i];
}

static uint big_endian(uint x) {
  return as_uint(as_uchar4(x).wzyx);
}

__attribute__((reqd_work_group_size(64, 1, 1))) __kernel void sha256(uint messages, uint blocks,
                                                                     __global const uint* text,
                                                                     __global uint* digests) {
  const uint id = get_global_id(0);
  if (id >= messages) return;
  uint state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint words[16];
  for (uint block = 0; block < blocks; ++block) {
    for (uint i = 0; i < 16; ++i) words[i] = big_endian(text[(id * blocks + block) * 16 + i]);
    compress(state, words);
  }
  for (uint i = 1; i < 15; ++i) words[i] = 0;
  words[0] = 0x80000000;
  words[15] = blocks * 512;
  compress(state, words);
  for (uint i = 0; i < 8; ++i) digests[id * 8 + i] = big_endian(state[i]);
}
