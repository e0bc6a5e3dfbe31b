// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cuvette::hsail {

namespace {

using std::string_view;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Literal bad(const char* problem) {
  return {Literal::Form::kBad, Type::kNone, 0, problem};
}

struct Format {
  Type type;
  int precision;  ///< with the hidden bit
  int emin;       ///< exponent of the smallest normal number
  int emax;
};
constexpr Format kHalf{Type::kF16, 11, -14, 15};
constexpr Format kSingle{Type::kF32, 24, -126, 127};
constexpr Format kDouble{Type::kF64, 53, -1022, 1023};

/// mantissa * 2^exponent, plus something below one unit when `sticky`, rounded to nearest even.
uint64_t round_to(const Format& f, uint64_t mantissa, int64_t exponent, bool sticky) {
  if (mantissa == 0) return 0;
  const int lead = 63 - std::countl_zero(mantissa);
  const int64_t value_exponent = exponent + lead;
  if (value_exponent > f.emax) {
    return static_cast<uint64_t>(2 * f.emax + 1) << (f.precision - 1);  // infinity
  }
  const int64_t unit = std::max<int64_t>(value_exponent, f.emin) - (f.precision - 1);
  const int64_t shift = unit - exponent;
  uint64_t kept = 0;
  if (shift <= 0) {
    kept = mantissa << -shift;  // fits: the leading bit lands at or below precision - 1
  } else if (shift <= 64) {
    kept = shift == 64 ? 0 : mantissa >> shift;
    const uint64_t half = uint64_t{1} << (shift - 1);
    const uint64_t rest = shift == 64 ? mantissa : mantissa & ((half << 1) - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  }
  // The hidden bit adds 1 to the exponent field; a carry out of the fraction does too.
  const int64_t field = std::max<int64_t>(value_exponent, f.emin) - f.emin;
  return kept + (static_cast<uint64_t>(field) << (f.precision - 1));
}

/// 0 or an infinity.
bool is_extreme(const Format& f, uint64_t bits) {
  return bits == 0 || bits == static_cast<uint64_t>(2 * f.emax + 1) << (f.precision - 1);
}

/// Digits without leading and trailing zeros, and the decimal point's place right of the first
/// digit.
struct Decimal {
  std::string digits;
  int64_t exponent = 0;
};

Decimal decimal_of(string_view text) {
  Decimal d;
  int64_t point = 0;
  bool fraction = false;
  size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    d.digits += text[i];
    if (!fraction) ++point;
  }
  int64_t written = 0;
  if (i < text.size()) {
    ++i;  // e
    const bool negative = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    for (; i < text.size(); ++i)
      written = std::min<int64_t>(written * 10 + (text[i] - '0'), 1 << 24);
    if (negative) written = -written;
  }
  const size_t leading = std::min(d.digits.find_first_not_of('0'), d.digits.size());
  d.digits.erase(0, leading);
  d.exponent = point - static_cast<int64_t>(leading) + written;
  while (!d.digits.empty() && d.digits.back() == '0') d.digits.pop_back();
  return d;
}

/// -1, 0, 1: the decimal text against the exact value of a double (both positive).
int compare_decimal(string_view text, double value) {
  char exact[1200];
  std::snprintf(exact, sizeof exact, "%.1080e", value);  // enough digits to be exact
  const Decimal a = decimal_of(text);
  const Decimal b = decimal_of(exact);
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return a.digits == b.digits ? 0 : (a.digits < b.digits ? -1 : 1);
}

/// f16 has no library conversion: take the nearest double and keep which side of it the text lies
/// on.
uint64_t decimal_half(string_view text, double nearest) {
  if (nearest == 0) return 0;
  if (std::isinf(nearest)) return 0x7c00;
  int exponent = 0;
  const double fraction = std::frexp(nearest, &exponent);
  uint64_t mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53)) << 2;
  const int side = compare_decimal(text, nearest);
  if (side < 0) --mantissa;
  return round_to(kHalf, mantissa, exponent - 55, side != 0);
}

const Format* format_of_suffix(char c) {
  switch (lower(c)) {
    case 'h':
      return &kHalf;
    case 'f':
      return &kSingle;
    case 'd':
      return &kDouble;
    default:
      return nullptr;
  }
}

Literal parse_decimal_float(string_view text) {
  size_t i = 0;
  size_t digits = 0;
  bool point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
    } else {
      ++digits;
    }
  }
  bool exponent = false;
  if (digits != 0 && i < text.size() && lower(text[i]) == 'e') {
    size_t j = i + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    if (j < text.size() && is_digit(text[j])) {
      exponent = true;
      while (j < text.size() && is_digit(text[j])) ++j;
      i = j;
    }
  }
  if (digits == 0 || (!point && !exponent)) return bad("malformed number");
  const string_view body = text.substr(0, i);
  const Format* format = &kDouble;
  if (i < text.size()) {
    format = format_of_suffix(text[i]);
    if (format == nullptr || i + 1 != text.size()) return bad("malformed floating-point literal");
  }
  std::string number(body);
  if (number[0] == '.') number.insert(0, "0");
  Literal result{Literal::Form::kFloat, format->type};
  const auto convert = [&number](auto value) {
    const auto end = std::from_chars(number.data(), number.data() + number.size(), value);
    if (end.ec == std::errc::result_out_of_range) {
      // The library leaves the value alone: tell overflow from underflow by the exponent.
      value = decimal_of(number).exponent > 0 ? INFINITY : 0;
    }
    return value;
  };
  if (format == &kSingle) {
    result.bits = std::bit_cast<uint32_t>(convert(0.0f));
  } else if (format == &kDouble) {
    result.bits = std::bit_cast<uint64_t>(convert(0.0));
  } else {
    result.bits = decimal_half(number, convert(0.0));
  }
  result.out_of_range = is_extreme(*format, result.bits) && !decimal_of(number).digits.empty();
  return result;
}

Literal parse_hex_float(string_view text) {
  uint64_t mantissa = 0;
  int64_t exponent = 0;
  bool sticky = false;
  bool point = false;
  size_t digits = 0;
  size_t i = 2;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    const int digit = hex_digit(text[i]);
    if (digit < 0) break;
    ++digits;
    if (mantissa >> 58 == 0) {
      mantissa = mantissa << 4 | static_cast<uint64_t>(digit);
      if (point) exponent -= 4;
    } else {
      sticky = sticky || digit != 0;
      if (!point) exponent += 4;
    }
  }
  if (digits == 0 || i >= text.size() || lower(text[i]) != 'p') return bad("malformed number");
  ++i;
  const bool negative = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  if (i >= text.size() || !is_digit(text[i])) return bad("missing exponent in a hexadecimal float");
  int64_t written = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    written = std::min<int64_t>(written * 10 + (text[i] - '0'), 1 << 24);
  }
  exponent += negative ? -written : written;
  const Format* format = &kDouble;
  if (i < text.size()) {
    format = format_of_suffix(text[i]);
    if (format == nullptr || i + 1 != text.size()) return bad("malformed floating-point literal");
  }
  Literal result{Literal::Form::kFloat, format->type,
                 round_to(*format, mantissa, exponent, sticky)};
  result.out_of_range = mantissa != 0 && is_extreme(*format, result.bits);
  return result;
}

Literal parse_bit_pattern(string_view text) {
  const Format* format = format_of_suffix(text[1]);
  const size_t digits = type_bytes(format->type) * 2;
  uint64_t bits = 0;
  for (const char c : text.substr(2)) {
    if (hex_digit(c) < 0) return bad("malformed IEEE bit pattern");
    bits = bits << 4 | static_cast<uint64_t>(hex_digit(c));
  }
  if (text.size() != digits + 2) {
    return bad("an IEEE bit pattern has 4 (0h), 8 (0f) or 16 (0d) hexadecimal digits");
  }
  return {Literal::Form::kFloat, format->type, bits, nullptr};
}

Literal parse_integer(string_view text) {
  unsigned base = 10;
  if (text.size() > 1 && text[0] == '0') {
    base = lower(text[1]) == 'x' ? 16 : 8;
    text.remove_prefix(base == 16 ? 2 : 1);
  }
  if (text.empty()) return bad("malformed number");
  uint64_t value = 0;
  for (const char c : text) {
    const int digit = hex_digit(c);
    if (digit < 0 || digit >= static_cast<int>(base)) return bad("malformed number");
    const uint64_t next = value * base + static_cast<uint64_t>(digit);
    if (value > (UINT64_MAX - static_cast<uint64_t>(digit)) / base) {
      return bad("integer literal needs more than 64 bits");
    }
    value = next;
  }
  return {Literal::Form::kInteger, Type::kNone, value, nullptr};
}

}  // namespace

Literal parse_literal(string_view text) {
  if (text.size() > 1 && text[0] == '0') {
    const char second = lower(text[1]);
    if (second == 'h' || second == 'f' || second == 'd') return parse_bit_pattern(text);
    if (second == 'x') {
      const bool is_float = text.find_first_of(".pP") != string_view::npos;
      return is_float ? parse_hex_float(text) : parse_integer(text);
    }
  }
  const bool digits_only = std::all_of(text.begin(), text.end(), is_digit);
  return digits_only ? parse_integer(text) : parse_decimal_float(text);
}

std::optional<std::string> parse_string(string_view literal) {
  if (literal.size() < 2) return std::nullopt;
  const string_view text = literal.substr(1, literal.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i >= text.size()) return std::nullopt;
    const char c = text[i];
    static constexpr string_view kNames = "abfnrtv\\'\"?";
    static constexpr string_view kValues = "\a\b\f\n\r\t\v\\'\"?";
    if (const size_t which = kNames.find(c); which != string_view::npos) {
      out += kValues[which];
    } else if (c >= '0' && c <= '7') {
      unsigned value = 0;
      for (size_t n = 0; n < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++n, ++i) {
        value = value * 8 + static_cast<unsigned>(text[i] - '0');
      }
      --i;
      if (value > UINT8_MAX) return std::nullopt;
      out += static_cast<char>(value);
    } else if ((c == 'x' || c == 'X') && i + 1 < text.size() && hex_digit(text[i + 1]) >= 0) {
      unsigned value = 0;
      while (i + 1 < text.size() && hex_digit(text[i + 1]) >= 0) {
        value = value * 16 + static_cast<unsigned>(hex_digit(text[++i]));
        if (value > UINT8_MAX) return std::nullopt;
      }
      out += static_cast<char>(value);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::string quote_string(string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\%03o", static_cast<unsigned char>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace cuvette::hsail
