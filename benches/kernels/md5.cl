// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// MD5 (RFC 1321) of many messages of whole blocks of 64 bytes, one per work-item. Words of the messages lie
// interleaved: word w of message m at w * messages + m.
__constant uint kSines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
__constant uint kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint4 compress(uint4 state, const uint words[16]) {
  uint4 s = state;
#pragma unroll
  for (uint i = 0; i < 64; ++i) {
    const uint round = i / 16;
    uint mixed, word;
    if (round == 0) {
      mixed = bitselect(s.w, s.z, s.y);
      word = i;
    } else if (round == 1) {
      mixed = bitselect(s.z, s.y, s.w);
      word = (5 * i + 1) % 16;
    } else if (round == 2) {
      mixed = s.y ^ s.z ^ s.w;
      word = (3 * i + 5) % 16;
    } else {
      mixed = s.z ^ (s.y | ~s.w);
      word = 7 * i % 16;
    }
    const uint sum = s.x + mixed + kSines[i] + words[word];
    s = (uint4)(s.w, s.y + rotate(sum, kShifts[round][i % 4]), s.y, s.z);
  }
  return state + s;
}

__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void md5(uint messages, uint blocks,
                                                                   __global const uint* text,
                                                                   __global uint4* digests) {
  const uint id = get_global_id(0);
  if (id >= messages) return;
  uint4 state = (uint4)(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  uint words[16];
  for (uint block = 0; block < blocks; ++block) {
#pragma unroll
    for (uint i = 0; i < 16; ++i) words[i] = text[(block * 16 + i) * messages + id];
    state = compress(state, words);
  }
#pragma unroll
  for (uint i = 0; i < 16; ++i) words[i] = 0;
  words[0] = 0x80;
  words[14] = blocks * 512;
  digests[id] = compress(state, words);
}
