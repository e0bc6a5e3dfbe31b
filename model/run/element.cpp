// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/element.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/bits.h"
#include "fp/convert.h"
#include "fp/env.h"
#include "fp/format.h"

namespace cuvette::run {
namespace {

struct Facts {
  std::string_view name;
  uint8_t bytes;
  bool is_float;
  bool is_signed;
};
constexpr std::array<Facts, 11> kFacts{{{"u8", 1, false, false},
                                        {"s8", 1, false, true},
                                        {"u16", 2, false, false},
                                        {"s16", 2, false, true},
                                        {"u32", 4, false, false},
                                        {"s32", 4, false, true},
                                        {"u64", 8, false, false},
                                        {"s64", 8, false, true},
                                        {"f16", 2, true, true},
                                        {"f32", 4, true, true},
                                        {"f64", 8, true, true}}};
const Facts& facts(Element type) {
  return kFacts[static_cast<size_t>(type)];
}

bool has_hex_prefix(const std::string& text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/// Sign and magnitude as one ordered integer, so that neighbours differ by one.
int64_t ordered(Element type, uint64_t bits) {
  const unsigned width = size_of(type) * 8;
  const uint64_t sign = uint64_t{1} << (width - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::optional<Element> element_from_name(std::string_view name) {
  for (size_t i = 0; i < kFacts.size(); ++i) {
    if (kFacts[i].name == name) return static_cast<Element>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Element type) {
  return facts(type).name;
}
unsigned size_of(Element type) {
  return facts(type).bytes;
}
bool is_float(Element type) {
  return facts(type).is_float;
}

bool written_as_bits(Element type, const std::string& text) {
  return is_float(type) && has_hex_prefix(text);
}

base::Result<uint64_t> parse_element(Element type, const std::string& text) {
  const base::Error wrong(fmt::format("expected a {} number, found '{}'", name_of(type), text));
  if (text.empty()) return wrong;
  char* end = nullptr;
  errno = 0;
  const unsigned width = size_of(type) * 8;
  if (has_hex_prefix(text)) {
    const uint64_t bits = std::strtoull(text.c_str(), &end, 16);
    if (errno != 0 || *end != 0 || (bits & ~base::low_mask(width)) != 0) return wrong;
    return bits;
  }
  if (is_float(type)) {
    std::string lower;
    for (const char c : text)
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool special = lower == "nan" || lower == "inf" || lower == "+inf" || lower == "-inf";
    if (!special && lower.find_first_not_of("0123456789.+-e") != std::string::npos) return wrong;
    if (type == Element::F32) {  // one rounding, not two
      const float value = std::strtof(text.c_str(), &end);
      if (*end != 0) return wrong;
      return std::bit_cast<uint32_t>(value);
    }
    const double value = std::strtod(text.c_str(), &end);
    if (*end != 0) return wrong;
    return element_from_double(type, value);
  }
  if (facts(type).is_signed) {
    const int64_t value = std::strtoll(text.c_str(), &end, 10);
    const int64_t highest = static_cast<int64_t>(base::low_mask(width - 1));
    if (errno != 0 || *end != 0 || value > highest || value < -highest - 1) return wrong;
    return static_cast<uint64_t>(value) & base::low_mask(width);
  }
  if (text[0] == '-') return wrong;
  const uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (errno != 0 || *end != 0 || value > base::low_mask(width)) return wrong;
  return value;
}

uint64_t load_element(Element type, const uint8_t* bytes) {
  const auto as = [bytes](auto value) {
    std::memcpy(&value, bytes, sizeof value);
    return uint64_t{value};
  };
  switch (size_of(type)) {
    case 1:
      return as(uint8_t{});
    case 2:
      return as(uint16_t{});
    case 4:
      return as(uint32_t{});
    default:
      return as(uint64_t{});
  }
}

void store_element(Element type, uint64_t bits, uint8_t* bytes) {
  std::memcpy(bytes, &bits, size_of(type));
}

uint64_t element_from_double(Element type, double value) {
  switch (type) {
    case Element::F64:
      return std::bit_cast<uint64_t>(value);
    case Element::F32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case Element::F16: {
      fp::Env env;
      return fp::convert<fp::F16, fp::F64>(std::bit_cast<uint64_t>(value), env);
    }
    default:
      break;
  }
  const uint64_t mask = base::low_mask(size_of(type) * 8);
  return (value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                    : static_cast<uint64_t>(value)) &
         mask;
}

double element_to_double(Element type, uint64_t bits) {
  switch (type) {
    case Element::F64:
      return std::bit_cast<double>(bits);
    case Element::F32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Element::F16: {
      fp::Env env;
      return std::bit_cast<double>(fp::convert<fp::F64, fp::F16>(static_cast<uint16_t>(bits), env));
    }
    default:
      break;
  }
  if (facts(type).is_signed) return static_cast<double>(base::sign_extend(bits, size_of(type) * 8));
  return static_cast<double>(bits);
}

std::string print_element(Element type, uint64_t bits) {
  const unsigned digits = size_of(type) * 2;
  if (is_float(type)) {
    return fmt::format("{} (0x{:0{}x})", element_to_double(type, bits), bits, digits);
  }
  if (facts(type).is_signed) {
    return fmt::format("{} (0x{:0{}x})", base::sign_extend(bits, size_of(type) * 8), bits, digits);
  }
  return fmt::format("{} (0x{:0{}x})", bits, bits, digits);
}

bool is_nan(Element type, uint64_t bits) {
  return is_float(type) && std::isnan(element_to_double(type, bits));
}

uint64_t ulp_distance(Element type, uint64_t a, uint64_t b) {
  constexpr uint64_t kFar = std::numeric_limits<uint64_t>::max();
  if (a == b) return 0;
  const double x = element_to_double(type, a);
  const double y = element_to_double(type, b);
  if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y)) return kFar;
  const int64_t oa = ordered(type, a);
  const int64_t ob = ordered(type, b);
  return oa > ob ? static_cast<uint64_t>(oa) - static_cast<uint64_t>(ob)
                 : static_cast<uint64_t>(ob) - static_cast<uint64_t>(oa);
}

}  // namespace cuvette::run
