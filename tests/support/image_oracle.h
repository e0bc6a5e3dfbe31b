// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "hsail/brig_enums.h"

/// Images as HSAIL PRM 7.1 has them, written down once more for tests: tables 7-2 and 7-3, the
/// conversions of 7.1.4 and the pseudo code of 7.1.6. Registers hold bits of f32, s32 or u32.
namespace cuvette::image_oracle {

using hsail::ChannelOrder;
using hsail::ChannelType;
using Registers = std::array<uint32_t, 4>;

inline float as_float(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline uint32_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}

inline float half_value(uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const auto fraction = static_cast<float>(half & 1023);
  const float size = exponent == 31  ? std::numeric_limits<float>::infinity()
                     : exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

/// To the nearest, ties to even; no NaN.
inline uint32_t half_bits(float value) {
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(static_cast<double>(value));
  if (size >= 65520) return sign | 0x7c00;
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  // A carry out of the fraction counts the exponent up.
  return sign |
         (steps < 1024 ? steps : static_cast<uint32_t>(exponent + 15) * 1024 + (steps - 1024));
}

enum class Kind { kUnorm, kSnorm, kUnsigned, kSigned, kHalf, kFloat };

inline Kind kind_of(ChannelType channel) {
  switch (channel) {
    case ChannelType::kSnorm8:
    case ChannelType::kSnorm16:
      return Kind::kSnorm;
    case ChannelType::kSigned8:
    case ChannelType::kSigned16:
    case ChannelType::kSigned32:
      return Kind::kSigned;
    case ChannelType::kUnsigned8:
    case ChannelType::kUnsigned16:
    case ChannelType::kUnsigned32:
      return Kind::kUnsigned;
    case ChannelType::kHalf:
      return Kind::kHalf;
    case ChannelType::kFloat:
      return Kind::kFloat;
    default:
      return Kind::kUnorm;
  }
}

/// A format: what lies where in an element.
struct Format {
  ChannelOrder order{};
  ChannelType channel{};
  struct Component {
    char name;
    unsigned shift, bits;
  };

  bool srgb() const { return order >= ChannelOrder::kSrgb && order <= ChannelOrder::kSbgra; }
  bool depth() const { return order >= ChannelOrder::kDepth; }

  std::vector<Component> components() const {
    switch (channel) {
      case ChannelType::kUnorm565:
        return {{'r', 11, 5}, {'g', 5, 6}, {'b', 0, 5}};
      case ChannelType::kUnorm555:
        return {{'r', 10, 5}, {'g', 5, 5}, {'b', 0, 5}};
      case ChannelType::kUnorm101010:
        return {{'r', 20, 10}, {'g', 10, 10}, {'b', 0, 10}};
      default:
        break;
    }
    std::vector<Component> all;
    for (const char n : names())
      all.push_back({n, static_cast<unsigned>(all.size()) * width(), width()});
    return all;
  }
  unsigned bytes() const {
    if (order == ChannelOrder::kDepthStencil) return channel == ChannelType::kUnorm24 ? 4 : 8;
    if (channel == ChannelType::kUnorm101010) return 4;
    if (channel == ChannelType::kUnorm565 || channel == ChannelType::kUnorm555) return 2;
    return static_cast<unsigned>(names().size()) * width() / 8;
  }

  /// The four access components of an element.
  Registers load(const uint8_t* element) const {
    const Kind kind = kind_of(channel);
    const bool whole = kind == Kind::kSigned || kind == Kind::kUnsigned;
    Registers out{0, 0, 0, order == ChannelOrder::kA ? 0u : whole ? 1u : bits_of(1)};
    for (const Component& c : components()) {
      const uint32_t value = load_component(c, element);
      if (c.name == 'i') {
        out.fill(value);
      } else if (c.name == 'L') {
        out[0] = out[1] = out[2] = value;
      } else {
        out[index(c.name)] = value;
      }
    }
    return out;
  }

  void store(const Registers& in, uint8_t* element) const {
    const unsigned kept = order == ChannelOrder::kDepthStencil
                              ? bytes() - (channel == ChannelType::kUnorm24 ? 3 : 4)
                              : 0;
    std::fill_n(element, bytes() - kept, uint8_t{0});
    for (const Component& c : components()) {
      const uint64_t code = store_component(c, in[index(c.name)]);
      for (unsigned bit = 0; bit < c.bits; ++bit)
        if ((code >> bit & 1) != 0)
          element[(c.shift + bit) / 8] |= static_cast<uint8_t>(1u << (c.shift + bit) % 8);
    }
  }

  Registers border() const {
    const bool opaque = order == ChannelOrder::kR || order == ChannelOrder::kRg ||
                        order == ChannelOrder::kRgb || order == ChannelOrder::kSrgb ||
                        order == ChannelOrder::kLuminance;
    const Kind kind = kind_of(channel);
    const bool whole = kind == Kind::kSigned || kind == Kind::kUnsigned;
    return {0, 0, 0, !opaque ? 0 : whole ? 1u : bits_of(1)};
  }

 private:
  std::string names() const {
    switch (order) {
      case ChannelOrder::kA:
        return "a";
      case ChannelOrder::kRg:
      case ChannelOrder::kRgx:
        return "rg";
      case ChannelOrder::kRa:
        return "ra";
      case ChannelOrder::kSrgb:
      case ChannelOrder::kSrgbx:
        return "rgb";
      case ChannelOrder::kRgba:
      case ChannelOrder::kSrgba:
        return "rgba";
      case ChannelOrder::kBgra:
      case ChannelOrder::kSbgra:
        return "bgra";
      case ChannelOrder::kArgb:
        return "argb";
      case ChannelOrder::kAbgr:
        return "abgr";
      case ChannelOrder::kIntensity:
        return "i";
      case ChannelOrder::kLuminance:
        return "L";
      default:
        return "r";  // depth as well
    }
  }
  unsigned width() const {
    switch (channel) {
      case ChannelType::kSnorm8:
      case ChannelType::kUnorm8:
      case ChannelType::kSigned8:
      case ChannelType::kUnsigned8:
        return 8;
      case ChannelType::kUnorm24:
        return 24;
      case ChannelType::kSigned32:
      case ChannelType::kUnsigned32:
      case ChannelType::kFloat:
        return 32;
      default:
        return 16;
    }
  }
  static size_t index(char name) { return name == 'g' ? 1 : name == 'b' ? 2 : name == 'a' ? 3 : 0; }

  uint32_t load_component(const Component& c, const uint8_t* element) const {
    uint32_t code = 0;
    for (unsigned bit = 0; bit < c.bits; ++bit)
      code |= (element[(c.shift + bit) / 8] >> (c.shift + bit) % 8 & 1u) << bit;
    const auto as_signed = static_cast<int32_t>(code << (32 - c.bits)) >> (32 - c.bits);
    switch (kind_of(channel)) {
      case Kind::kUnorm: {
        const double top = std::ldexp(1.0, static_cast<int>(c.bits)) - 1;
        if (!srgb() || c.name == 'a') return bits_of(static_cast<float>(code / top));
        const long double s = code / 255.0L;
        return bits_of(
            static_cast<float>(s <= 0.04045L ? s / 12.92L : powl((s + 0.055L) / 1.055L, 2.4L)));
      }
      case Kind::kSnorm:
        return bits_of(static_cast<float>(
            std::max(as_signed / (std::ldexp(1.0, static_cast<int>(c.bits) - 1) - 1), -1.0)));
      case Kind::kSigned:
        return static_cast<uint32_t>(as_signed);
      case Kind::kHalf:
        return bits_of(half_value(code));
      default:
        return code;
    }
  }

  uint64_t store_component(const Component& c, uint32_t bits) const {
    const double value = as_float(bits);
    const double steps = std::ldexp(1.0, static_cast<int>(c.bits));
    const auto code = [&](double x) {
      return static_cast<uint64_t>(static_cast<int64_t>(std::nearbyint(x)));
    };
    switch (kind_of(channel)) {
      case Kind::kUnorm: {
        if (std::isnan(value)) return 0;
        const double inside = std::clamp(value, 0.0, 1.0);
        if (!srgb() || c.name == 'a') return code(inside * (steps - 1));
        const double s =
            inside < 0.0031308 ? inside * 12.92 : 1.055 * std::pow(inside, 1 / 2.4) - 0.055;
        return static_cast<uint64_t>(std::floor(s * 255 + 0.5));
      }
      case Kind::kSnorm:
        if (std::isnan(value)) return 0;
        return code(std::clamp(value * (steps / 2 - 1), -steps / 2, steps / 2 - 1));
      case Kind::kSigned:
        return code(
            std::clamp(static_cast<double>(static_cast<int32_t>(bits)), -steps / 2, steps / 2 - 1));
      case Kind::kUnsigned:
        return code(std::min(static_cast<double>(bits), steps - 1));
      case Kind::kHalf:
        return half_bits(as_float(bits));
      default:
        return bits;
    }
  }
};

/// Every format of table 7-4, those of depth images or the others.
inline std::vector<Format> formats(bool depth) {
  using T = ChannelType;
  const std::vector<T> all = {T::kSnorm8,     T::kSnorm16,    T::kUnorm8,   T::kUnorm16,
                              T::kSigned8,    T::kSigned16,   T::kSigned32, T::kUnsigned8,
                              T::kUnsigned16, T::kUnsigned32, T::kHalf,     T::kFloat};
  const std::vector<T> packed = {T::kUnorm565, T::kUnorm555, T::kUnorm101010};
  const std::vector<T> bytes = {T::kUnorm8, T::kSnorm8, T::kSigned8, T::kUnsigned8};
  const std::vector<T> linear = {T::kUnorm8,  T::kUnorm16, T::kSnorm8,
                                 T::kSnorm16, T::kHalf,    T::kFloat};
  using O = ChannelOrder;
  std::vector<Format> out;
  const auto add = [&out](std::initializer_list<O> orders, const std::vector<T>& types) {
    for (const O order : orders)
      for (const T type : types) out.push_back({order, type});
  };
  if (depth) {
    add({O::kDepth}, {T::kUnorm16, T::kUnorm24, T::kFloat});
    add({O::kDepthStencil}, {T::kUnorm24, T::kFloat});
    return out;
  }
  add({O::kA, O::kR, O::kRx, O::kRg, O::kRgx, O::kRa, O::kRgba}, all);
  add({O::kRgb, O::kRgbx}, packed);
  add({O::kBgra, O::kArgb, O::kAbgr}, bytes);
  add({O::kSrgb, O::kSrgbx, O::kSrgba, O::kSbgra}, {T::kUnorm8});
  add({O::kIntensity, O::kLuminance}, linear);
  return out;
}

// --- Coordinates (7.1.6) ---

struct Sampler {
  bool normalized = false, linear = false;
  unsigned addressing = 0;  ///< as BRIG numbers them
};

/// Target of a coordinate: an index, the border (-1), or nowhere defined.
using Index = std::optional<int64_t>;
constexpr int64_t kBorder = -1;

/// 7.1.6.2 for a coordinate that is no array index, already normalized.
inline Index addressing(long double c, uint32_t size, const Sampler& s) {
  if (!std::isfinite(c)) return std::nullopt;
  if (!s.normalized && s.addressing >= 3) return std::nullopt;
  const long double n = size;
  const long double down = floorl(c);
  if (down >= 0 && down <= n - 1) return static_cast<int64_t>(down);
  switch (s.addressing) {
    case 1:
      return static_cast<int64_t>(c < 0 ? 0 : n - 1);
    case 2:
      return kBorder;
    case 3:
      return static_cast<int64_t>(floorl(c - floorl(c / n) * n));
    case 4: {
      const long double mirrored = c < 0 ? -c - 1 : c;
      const auto tile = static_cast<int64_t>(floorl(mirrored / n));
      const auto at = static_cast<int64_t>(floorl(mirrored - static_cast<long double>(tile) * n));
      return tile % 2 != 0 ? static_cast<int64_t>(size) - 1 - at : at;
    }
    default:
      return std::nullopt;
  }
}

inline std::optional<uint32_t> layer(float c, uint32_t layers) {
  if (!std::isfinite(c)) return std::nullopt;
  const double at = std::nearbyint(static_cast<double>(c));
  return static_cast<uint32_t>(std::clamp(at, 0.0, layers - 1.0));
}

}  // namespace cuvette::image_oracle
