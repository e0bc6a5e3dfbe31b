// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cuvette::wave::memory {
namespace {

/// Past this no image has texels, and integers of 32 bits still hold the fixed-point position.
constexpr double kFar = 4194304.0;

int64_t floor_mod(int64_t a, int64_t n) {
  const int64_t r = a % n;
  return r < 0 ? r + n : r;
}

}  // namespace

Sampler read_sampler(const WaveState& wave, unsigned code) {
  const unsigned first = scalar_in_range(wave, code, 4) ? code : 0;
  const uint64_t w0 = read_code64(wave, first), w1 = read_code64(wave, first + 2);
  const auto get = [](uint64_t word, unsigned hi, unsigned lo) {
    return static_cast<uint8_t>(base::bits(word, hi, lo));
  };
  Sampler s;
  for (unsigned axis = 0; axis < 3; ++axis) {
    s.clamp[axis] = static_cast<Clamp>(get(w0, 3 * axis + 2, 3 * axis));
  }
  s.aniso_ratio = get(w0, 11, 9);
  s.compare = get(w0, 14, 12);
  s.unnormalized = base::bit(w0, 15);
  s.truncates = base::bit(w0, 27);
  s.reduce = get(w0, 30, 29);
  s.min_lod = static_cast<int32_t>(base::bits(w0, 43, 32));
  s.max_lod = static_cast<int32_t>(base::bits(w0, 55, 44));
  s.lod_bias = static_cast<int32_t>(base::sign_extend(base::bits(w1, 13, 0), 14));
  s.mag_filter = get(w1, 21, 20);
  s.min_filter = get(w1, 23, 22);
  s.z_filter = get(w1, 25, 24);
  s.mip_filter = get(w1, 27, 26);
  s.border_type = get(w1, 63, 62);
  return s;
}

const char* sampler_reason(const Sampler& s) {
  const bool anisotropic = s.mag_filter >= 2 || s.min_filter >= 2;
  if (anisotropic && s.aniso_ratio != 0) {
    return "S# max aniso ratio (bits 11:9) with an anisotropic filter: not modelled";
  }
  if (s.border_type == 3) {
    return "S# border color type (bits 127:126) 3: there is no border color table";
  }
  if (s.reduce == 3) return "S# filter mode (bits 30:29) 3 is reserved";
  if (s.z_filter == 3 || s.mip_filter == 3) {
    return "S# z or mip filter (bits 91:88) 3 is reserved";
  }
  return "";
}

int32_t clamp_index(int64_t i, uint32_t size, Clamp clamp) {
  const int64_t n = size;
  switch (clamp) {
    case Clamp::Wrap:
      return static_cast<int32_t>(floor_mod(i, n));
    case Clamp::Mirror: {
      const int64_t m = floor_mod(i, 2 * n);
      return static_cast<int32_t>(m < n ? m : 2 * n - 1 - m);
    }
    case Clamp::MirrorOnceLastTexel:
    case Clamp::MirrorOnceHalfBorder:
    case Clamp::MirrorOnceBorder:
      if (i < 0) i = -1 - i;
      break;
    default:
      break;
  }
  if (clamp == Clamp::LastTexel || clamp == Clamp::MirrorOnceLastTexel) {
    return static_cast<int32_t>(std::clamp<int64_t>(i, 0, n - 1));
  }
  return i < 0 || i >= n ? -1 : static_cast<int32_t>(i);
}

AxisTaps axis_taps(AxisPosition p, Clamp clamp, bool truncates) {
  const uint32_t size = p.size;
  double position = std::isnan(p.texels) ? 0 : std::clamp(p.texels, -kFar, kFar);
  const bool mirror_half = clamp == Clamp::MirrorOnceHalfBorder;
  const bool half = clamp == Clamp::HalfBorder || mirror_half;
  if (half)
    position =
        std::clamp(mirror_half ? std::fabs(position) : position, 0.0, static_cast<double>(size));
  AxisTaps taps;
  if (p.linear) position -= 0.5;
  const auto fixed = static_cast<int64_t>(std::floor(position * 256 + (truncates ? 0 : 0.5)));
  if (!p.linear) {
    // Half of the border texel is never the nearest one.
    if (half) clamp = Clamp::LastTexel;
    taps.index[0] = clamp_index((fixed >> 8) + p.offset, size, clamp);
    return taps;
  }
  const auto fraction = static_cast<uint32_t>(fixed & 255);
  for (int k = 0; k < 2; ++k) {
    taps.index[k] = clamp_index((fixed >> 8) + p.offset + k, size, clamp);
  }
  taps.weight[0] = 256 - fraction;
  taps.weight[1] = fraction;
  return taps;
}

int32_t level_of_detail(double square) {
  constexpr int32_t kLowest = -(16 << 8), kHighest = 31 << 8;
  if (!(square > 0)) return kLowest;
  if (std::isinf(square)) return kHighest;
  int exponent = 0;
  double mantissa = 2 * std::frexp(square, &exponent);  // [1, 2)
  // log2(sqrt(x)) with eight fraction bits is log2(x) with seven, read with eight.
  int32_t log = exponent - 1;
  for (int bit = 0; bit < 7; ++bit) {
    mantissa *= mantissa;
    const bool high = mantissa >= 2;
    if (high) mantissa /= 2;
    log = log * 2 + (high ? 1 : 0);
  }
  return std::clamp(log, kLowest, kHighest);
}

int32_t to_fixed8(uint32_t f32) {
  const double value = std::bit_cast<float>(f32);
  if (std::isnan(value)) return 0;
  return static_cast<int32_t>(std::floor(std::clamp(value, -32768.0, 32767.0) * 256 + 0.5));
}

}  // namespace cuvette::wave::memory
