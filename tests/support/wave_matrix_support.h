// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/bits.h"
#include "isa/row.h"
#include "wave/lanes/host_level.h"
#include "wave/state.h"

// The layout oracle of the matrix instructions, and small integers in their element formats.
namespace cuvette::wave::testing {

/// Levels of the host's vector unit with code of their own for matrices; None: the reference.
inline constexpr lanes::HostLevel kMatrixLevels[] = {lanes::HostLevel::None, lanes::HostLevel::Avx2,
                                                     lanes::HostLevel::Avx512};

using isa::Target;
using isa::Type;

/// One line of a layout file.
struct Place {
  unsigned block, row, col, vgpr, lane, bit_lo, bit_hi;
};

inline std::vector<Place> read_layout(Target target, std::string_view mnemonic, char matrix) {
  const std::string path = std::string(CUVETTE_SOURCE_DIR) + "/tests/oracles/mfma/layout/" +
                           std::string(name_of(target)) + "/" + std::string(mnemonic) + "." +
                           matrix + ".csv";
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<Place> places;
  std::string line;
  std::getline(file, line);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  EXPECT_EQ(line, "matrix,block,row,col,vgpr,lane,bit_lo,bit_hi,note") << path;
  while (std::getline(file, line)) {
    Place p{};
    char name = 0;
    const int fields = std::sscanf(line.c_str(), "%c,%u,%u,%u,%u,%u,%u,%u", &name, &p.block, &p.row,
                                   &p.col, &p.vgpr, &p.lane, &p.bit_lo, &p.bit_hi);
    EXPECT_EQ(fields, 8) << path << ": " << line;
    EXPECT_EQ(name, matrix);
    places.push_back(p);
  }
  return places;
}

/// A small integer in a binary format with `exponent_bits` and `fraction_bits`.
inline uint64_t encode_integer(int value, unsigned exponent_bits, unsigned fraction_bits,
                               unsigned bias) {
  if (value == 0) return 0;
  const uint64_t sign = value < 0;
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
  unsigned top = 0;
  while (magnitude >> (top + 1) != 0) ++top;
  const uint64_t fraction =
      (magnitude << fraction_bits >> top) & ((uint64_t{1} << fraction_bits) - 1);
  return sign << (exponent_bits + fraction_bits) | uint64_t{top + bias} << fraction_bits | fraction;
}
inline uint64_t encode_as(Type type, int value) {
  switch (type) {
    case Type::I8:
      return static_cast<uint8_t>(value);
    case Type::I32:
      return static_cast<uint32_t>(value);
    case Type::F16:
      return encode_integer(value, 5, 10, 15);
    case Type::Bf16:
      return encode_integer(value, 8, 7, 127);
    case Type::Fp8:
      return encode_integer(value, 4, 3, 8);
    case Type::Bf8:
      return encode_integer(value, 5, 2, 16);
    case Type::F64:
      return encode_integer(value, 11, 52, 1023);
    default:
      return encode_integer(value, 8, 23, 127);
  }
}

inline void place_bits(std::vector<LaneRow>& rows, const Place& p, uint64_t bits) {
  if (p.bit_hi == 63) {
    rows[p.vgpr][p.lane] = base::lo32(bits);
    rows[p.vgpr + 1][p.lane] = base::hi32(bits);
    return;
  }
  rows[p.vgpr][p.lane] =
      static_cast<uint32_t>(base::insert_bits(rows[p.vgpr][p.lane], p.bit_hi, p.bit_lo, bits));
}
inline uint64_t taken_bits(const std::vector<LaneRow>& rows, const Place& p) {
  if (p.bit_hi == 63) return base::join32(rows[p.vgpr][p.lane], rows[p.vgpr + 1][p.lane]);
  return base::bits(rows[p.vgpr][p.lane], p.bit_hi, p.bit_lo);
}

}  // namespace cuvette::wave::testing
