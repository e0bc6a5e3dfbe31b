// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "base/bits.h"
#include "fp/convert.h"
#include "hsa/image.h"

namespace cuvette::hsail {

namespace {

bool is_srgb(ChannelOrder order) {
  return order >= ChannelOrder::kSrgb && order <= ChannelOrder::kSbgra;
}

enum class Encoding : uint8_t { kSnorm, kUnorm, kSigned, kUnsigned, kFloat };

/// Layout of one component in memory.
struct Field {
  Encoding encoding;
  unsigned shift;  ///< from the first bit of the element
  unsigned bits;
};

Encoding encoding_of(ChannelType channel) {
  if (channel <= ChannelType::kSnorm16) return Encoding::kSnorm;
  if (channel <= ChannelType::kUnorm101010) return Encoding::kUnorm;
  if (channel <= ChannelType::kSigned32) return Encoding::kSigned;
  return channel <= ChannelType::kUnsigned32 ? Encoding::kUnsigned : Encoding::kFloat;
}

/// Component `index` of the memory components (Table 7-3).
Field field_of(ChannelType channel, unsigned index) {
  constexpr uint8_t kBits[] = {8, 16, 8, 16, 24, 5, 5, 10, 8, 16, 32, 8, 16, 32, 16, 32};
  const unsigned bits = kBits[static_cast<size_t>(channel)];
  switch (channel) {
    case ChannelType::kUnorm555:
      return {Encoding::kUnorm, 10 - 5 * index, 5};
    case ChannelType::kUnorm565:
      return {Encoding::kUnorm, index == 0 ? 11u : index == 1 ? 5u : 0u, index == 1 ? 6u : 5u};
    case ChannelType::kUnorm101010:
      return {Encoding::kUnorm, 20 - 10 * index, 10};
    default:
      return {encoding_of(channel), bits * index, bits};
  }
}

/// Up to 32 bits of a little-endian string of bits.
uint32_t get_bits(const uint8_t* bytes, unsigned shift, unsigned bits) {
  uint64_t value = 0;
  for (unsigned i = shift / 8; i <= (shift + bits - 1) / 8; ++i) {
    value |= uint64_t{bytes[i]} << (8 * (i - shift / 8));
  }
  return static_cast<uint32_t>(value >> shift % 8 & base::low_mask(bits));
}
void set_bits(uint8_t* bytes, unsigned shift, unsigned bits, uint64_t value) {
  for (unsigned i = 0; i < bits; ++i) {
    uint8_t& byte = bytes[(shift + i) / 8];
    const auto mask = static_cast<uint8_t>(1u << (shift + i) % 8);
    byte = static_cast<uint8_t>((value >> i & 1) != 0 ? byte | mask : byte & ~mask);
  }
}

/// 7.1.4.1.2, in and out from 0 to 1. pow of the host's library: its last bit is far below the
/// half step that the PRM allows.
double srgb_to_linear(double s) {
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}
double linear_to_srgb(double v) {
  return v < 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055;
}

/// To an integer, ties to even, whatever the host's rounding mode.
double round_even(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

/// To the nearest f32.
double rounded(double value) {
  fp::Env env;
  const uint32_t bits = fp::convert<fp::F32, fp::F64>(std::bit_cast<uint64_t>(value), env);
  return std::bit_cast<double>(fp::convert<fp::F64, fp::F32>(bits, env));
}

double decode(const Field& f, uint32_t raw, bool srgb) {
  fp::Env env;
  const auto top = static_cast<double>(base::low_mask(f.bits));
  const auto signed_top = static_cast<double>(base::low_mask(f.bits - 1));
  switch (f.encoding) {
    case Encoding::kUnorm:
      return rounded(srgb ? srgb_to_linear(raw / top) : raw / top);
    case Encoding::kSnorm:
      return rounded(
          std::max(static_cast<double>(base::sign_extend(raw, f.bits)) / signed_top, -1.0));
    case Encoding::kSigned:
      return static_cast<double>(base::sign_extend(raw, f.bits));
    case Encoding::kUnsigned:
      return raw;
    default:
      return std::bit_cast<double>(
          f.bits == 16 ? fp::convert<fp::F64, fp::F16>(static_cast<uint16_t>(raw), env)
                       : fp::convert<fp::F64, fp::F32>(raw, env));
  }
}

uint64_t encode(const Field& f, double value, bool srgb) {
  fp::Env env;
  const auto top = static_cast<double>(base::low_mask(f.bits));
  const auto signed_top = static_cast<double>(base::low_mask(f.bits - 1));
  if (f.encoding == Encoding::kFloat) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return f.bits == 16 ? fp::convert<fp::F16, fp::F64>(bits, env)
                        : fp::convert<fp::F32, fp::F64>(bits, env);
  }
  if (std::isnan(value)) return 0;
  double low = 0;
  double high = top;
  double scaled = value;
  if (f.encoding == Encoding::kSnorm || f.encoding == Encoding::kSigned) {
    low = -signed_top - 1;
    high = signed_top;
  }
  if (f.encoding == Encoding::kSnorm) scaled = value * signed_top;
  if (f.encoding == Encoding::kUnorm) scaled = value * top;
  if (srgb) scaled = std::floor(linear_to_srgb(std::clamp(value, 0.0, 1.0)) * top + 0.5);
  const double rounded = round_even(std::clamp(scaled, low, high));
  return static_cast<uint64_t>(static_cast<int64_t>(rounded)) & base::low_mask(f.bits);
}

}  // namespace

Type access_type(ChannelType channel) {
  const Encoding e = encoding_of(channel);
  return e == Encoding::kSigned ? Type::kS32 : e == Encoding::kUnsigned ? Type::kU32 : Type::kF32;
}

Texel load_texel(ChannelOrder order, ChannelType channel, const uint8_t* element) {
  Texel texel{0, 0, 0, order == ChannelOrder::kA ? 0.0 : 1.0};
  const std::string_view names = hsa::memory_components(static_cast<uint8_t>(order));
  for (unsigned i = 0; i < names.size(); ++i) {
    const Field f = field_of(channel, i);
    const size_t component = std::string_view("rgba").find(names[i]);
    texel[component] =
        decode(f, get_bits(element, f.shift, f.bits), is_srgb(order) && component < 3);
  }
  if (order == ChannelOrder::kIntensity) texel.fill(texel[0]);
  if (order == ChannelOrder::kLuminance) texel[1] = texel[2] = texel[0];
  return texel;
}

unsigned stored_bytes(ChannelOrder order, ChannelType channel) {
  if (order == ChannelOrder::kDepthStencil) return channel == ChannelType::kUnorm24 ? 3 : 4;
  return hsa::element_bytes(static_cast<uint8_t>(order), static_cast<uint8_t>(channel));
}

void store_texel(ChannelOrder order, ChannelType channel, const Texel& texel, uint8_t* element) {
  std::fill_n(element, stored_bytes(order, channel), uint8_t{0});
  const std::string_view names = hsa::memory_components(static_cast<uint8_t>(order));
  for (unsigned i = 0; i < names.size(); ++i) {
    const Field f = field_of(channel, i);
    const size_t component = std::string_view("rgba").find(names[i]);
    set_bits(element, f.shift, f.bits,
             encode(f, texel[component], is_srgb(order) && component < 3));
  }
}

Texel border_color(ChannelOrder order) {
  switch (order) {
    case ChannelOrder::kR:
    case ChannelOrder::kRg:
    case ChannelOrder::kRgb:
    case ChannelOrder::kSrgb:
    case ChannelOrder::kLuminance:
      return {0, 0, 0, 1};
    default:
      return {0, 0, 0, 0};
  }
}

}  // namespace cuvette::hsail
