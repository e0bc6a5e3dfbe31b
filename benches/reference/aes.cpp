// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// AES-128 in counter mode byte by byte, as FIPS 197 describes the cipher: arithmetic in GF(2^8), no
// tables but the substitution, which is computed. The example of FIPS 197 appendix B is tried
// first.
#include <array>
#include <cstdio>
#include <cstdlib>

#include "case.h"

namespace {

using suite::Random;
using Block = std::array<uint8_t, 16>;
using Keys = std::array<Block, 11>;

uint8_t times(uint8_t a, uint8_t b) {
  unsigned product = 0;
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((b >> bit & 1) != 0) product ^= unsigned{a} << bit;
  }
  for (unsigned bit = 14; bit >= 8; --bit) {
    if ((product >> bit & 1) != 0) product ^= 0x11bu << (bit - 8);
  }
  return static_cast<uint8_t>(product);
}

std::array<uint8_t, 256> substitution() {
  std::array<uint8_t, 256> out{};
  for (unsigned x = 0; x < 256; ++x) {
    unsigned inverse = 0;
    for (unsigned candidate = 1; candidate < 256 && x != 0; ++candidate) {
      if (times(static_cast<uint8_t>(x), static_cast<uint8_t>(candidate)) == 1) inverse = candidate;
    }
    unsigned y = 0x63;
    for (unsigned turn = 0; turn < 5; ++turn) y ^= (inverse << turn | inverse >> (8 - turn)) & 0xff;
    out[x] = static_cast<uint8_t>(y);
  }
  return out;
}

const std::array<uint8_t, 256>& box() {
  static const auto kBox = substitution();
  return kBox;
}

Keys expand(const Block& key) {
  Keys keys{};
  keys[0] = key;
  uint8_t constant = 1;
  for (unsigned round = 1; round < keys.size(); ++round) {
    for (unsigned i = 0; i < 16; ++i) {
      uint8_t before = i < 4 ? box()[keys[round - 1][12 + (i + 1) % 4]] : keys[round][i - 4];
      if (i == 0) before = static_cast<uint8_t>(before ^ constant);
      keys[round][i] = static_cast<uint8_t>(keys[round - 1][i] ^ before);
    }
    constant = times(constant, 2);
  }
  return keys;
}

void add(Block& state, const Block& other) {
  for (unsigned i = 0; i < 16; ++i) state[i] = static_cast<uint8_t>(state[i] ^ other[i]);
}

Block encrypt(Block state, const Keys& keys) {
  add(state, keys[0]);
  for (unsigned round = 1; round <= 10; ++round) {
    Block shifted;
    for (unsigned i = 0; i < 16; ++i) shifted[i] = box()[state[(i + 4 * (i % 4)) % 16]];
    state = shifted;
    for (unsigned column = 0; column < 16 && round < 10; column += 4) {
      for (unsigned row = 0; row < 4; ++row) {
        const auto at = [&](unsigned k) { return shifted[column + (row + k) % 4]; };
        state[column + row] =
            static_cast<uint8_t>(times(at(0), 2) ^ times(at(1), 3) ^ at(2) ^ at(3));
      }
    }
    add(state, keys[round]);
  }
  return state;
}

void check_example() {
  const Block key{0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                  0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
  const Block in{0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
  const Block out{0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                  0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};
  if (encrypt(in, expand(key)) == out) return;
  std::fprintf(stderr, "suite_reference: error: the example of FIPS 197 does not come out\n");
  std::exit(2);
}

}  // namespace

SUITE_REFERENCE(aes) {
  check_example();
  Random random(44);
  Block key;
  for (uint8_t& byte : key) byte = static_cast<uint8_t>(random.below(256));
  const Keys keys = expand(key);
  const auto in = random.bytes(c["blocks"] * 16);
  std::vector<uint8_t> out, key_bytes;
  for (const Block& k : keys) key_bytes.insert(key_bytes.end(), k.begin(), k.end());
  for (uint32_t i = 0; i < c["blocks"]; ++i) {
    Block block{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (unsigned byte = 0; byte < 4; ++byte)
      block[15 - byte] = static_cast<uint8_t>(i >> 8 * byte);
    const Block stream = encrypt(block, keys);
    for (unsigned byte = 0; byte < 16; ++byte)
      out.push_back(static_cast<uint8_t>(in[i * 16 + byte] ^ stream[byte]));
  }
  // Contribution of a byte of the first row to its column: 2, 1, 1, 3 times its substitution.
  std::vector<uint32_t> table;
  for (const uint8_t s : box())
    table.push_back(times(s, 2) | s * 0x10100u | uint32_t{times(s, 3)} << 24);
  c.write("keys.bin", key_bytes);
  c.write("table.bin", table);
  c.write("in.bin", in);
  c.write("out.bin", out);
}
