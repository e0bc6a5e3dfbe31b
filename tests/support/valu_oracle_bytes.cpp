// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "valu_oracle_parts.h"

// Bytes and halves: arrays of numbers in place of fields of words.
namespace cuvette::valu_oracle {
namespace {

template <class T>
std::vector<int64_t> parts(uint64_t word, unsigned count) {
  std::vector<int64_t> out;
  for (unsigned n = 0; n < count; ++n) {
    out.push_back(static_cast<T>(word >> (8 * sizeof(T) * n)));
  }
  return out;
}
template <class T>
uint32_t packed(const std::vector<int64_t>& values) {
  uint32_t out = 0;
  for (size_t n = 0; n < values.size(); ++n) {
    const int64_t held = std::clamp<int64_t>(values[n], std::numeric_limits<T>::min(),
                                             std::numeric_limits<T>::max());
    const T part = static_cast<T>(held);
    std::memcpy(reinterpret_cast<char*>(&out) + n * sizeof(T), &part, sizeof(T));
  }
  return out;
}

template <class T>
int64_t differences(uint32_t a, uint32_t b, bool masked) {
  const auto x = parts<T>(a, 4 / sizeof(T)), y = parts<T>(b, 4 / sizeof(T));
  int64_t sum = 0;
  for (size_t n = 0; n < x.size(); ++n) {
    if (!masked || y[n] != 0) sum += std::abs(x[n] - y[n]);
  }
  return sum;
}

uint32_t permuted(uint32_t a, uint32_t b, uint32_t c) {
  const auto bytes = parts<uint8_t>(uint64_t{a} << 32 | b, 8);
  const auto halves = parts<int16_t>(uint64_t{a} << 32 | b, 4);
  std::vector<int64_t> out;
  for (const int64_t select : parts<uint8_t>(c, 4)) {
    const auto n = static_cast<size_t>(select);
    out.push_back(n < 8 ? bytes[n] : n < 12 ? (halves[n - 8] < 0 ? 255 : 0) : n == 12 ? 0 : 255);
  }
  return packed<uint8_t>(out);
}

}  // namespace

bool bytes(const std::string& name, const Settings& s, const Sources& in, Expected& out) {
  const uint32_t a = in.word(0), b = in.word(1), c = in.word(2);
  int64_t sum = 0;
  if (name == "v_sad_u8") {
    sum = differences<uint8_t>(a, b, false);
  } else if (name == "v_sad_hi_u8") {
    sum = differences<uint8_t>(a, b, false) * 65536;
  } else if (name == "v_msad_u8") {
    sum = differences<uint8_t>(a, b, true);
  } else if (name == "v_sad_u16") {
    sum = differences<uint16_t>(a, b, false);
  } else if (name == "v_sad_u32") {
    sum = differences<uint32_t>(a, b, false);
  } else {
    if (name == "v_lerp_u8") {
      auto x = parts<uint8_t>(a, 4);
      for (size_t n = 0; n < 4; ++n) {
        x[n] = (x[n] + parts<uint8_t>(b, 4)[n] + parts<uint8_t>(c, 4)[n] % 2) / 2;
      }
      out.dst = packed<uint8_t>(x);
    } else if (name == "v_perm_b32") {
      out.dst = permuted(a, b, c);
    } else if (name == "v_mbcnt_lo_u32_b32" || name == "v_mbcnt_hi_u32_b32") {
      const unsigned first = name == "v_mbcnt_lo_u32_b32" ? 0 : 32;
      uint32_t count = b;
      for (unsigned n = 0; n < 32; ++n) count += first + n < in.lane ? a >> n & 1 : 0;
      out.dst = count;
    } else if (name == "v_cvt_pk_u16_u32") {
      out.dst = packed<uint16_t>({int64_t{a}, int64_t{b}});
    } else if (name == "v_cvt_pk_i16_i32") {
      out.dst = packed<int16_t>({static_cast<int32_t>(a), static_cast<int32_t>(b)});
    } else if (name == "v_sat_pk_u8_i16") {
      out.dst = packed<uint8_t>(parts<int16_t>(a, 2));
    } else {
      return false;
    }
    return true;
  }
  sum += c;
  out.dst = static_cast<uint32_t>(s.clamp ? std::min<int64_t>(sum, 0xffffffff) : sum);
  return true;
}

}  // namespace cuvette::valu_oracle
