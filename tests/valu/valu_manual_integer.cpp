// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>

#include "valu_manual.h"

// 16-bit integers, packed integers, dot products and packing (Vega ISA 12.6 to 12.10).
namespace cuvette::valu_manual {
namespace {

__extension__ using Wide = __int128;

bool ends(const std::string& text, const char* with) {
  const std::string end(with);
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool bit(unsigned word, unsigned at) {
  return (word >> at & 1) != 0;
}

int64_t half(uint64_t word, bool high, bool is_signed) {
  const auto h = static_cast<uint16_t>(high ? word >> 16 : word);
  return is_signed ? int64_t{static_cast<int16_t>(h)} : int64_t{h};
}

int64_t held(int64_t x, int64_t low, int64_t high) {
  return std::min(std::max(x, low), high);
}

/// The middle one of three.
int64_t middle(int64_t a, int64_t b, int64_t c) {
  return a + b + c - std::min({a, b, c}) - std::max({a, b, c});
}

using Operation = std::function<int64_t(int64_t, int64_t, int64_t)>;

/// Function of a 16-bit operation on exact values, by the middle of its name.
const Operation* short_operation(const std::string& name) {
  static const std::map<std::string, Operation> table = {
      {"add", [](int64_t a, int64_t b, int64_t) { return a + b; }},
      {"sub", [](int64_t a, int64_t b, int64_t) { return a - b; }},
      {"subrev", [](int64_t a, int64_t b, int64_t) { return b - a; }},
      {"mul_lo", [](int64_t a, int64_t b, int64_t) { return a * b; }},
      {"mad", [](int64_t a, int64_t b, int64_t c) { return a * b + c; }},
      {"mad_legacy", [](int64_t a, int64_t b, int64_t c) { return a * b + c; }},
      {"lshlrev", [](int64_t a, int64_t b, int64_t) { return b << (a & 15); }},
      {"lshrrev", [](int64_t a, int64_t b, int64_t) { return b >> (a & 15); }},
      {"ashrrev", [](int64_t a, int64_t b, int64_t) { return b >> (a & 15); }},
      {"min", [](int64_t a, int64_t b, int64_t) { return std::min(a, b); }},
      {"max", [](int64_t a, int64_t b, int64_t) { return std::max(a, b); }},
      {"min3", [](int64_t a, int64_t b, int64_t c) { return std::min({a, b, c}); }},
      {"max3", [](int64_t a, int64_t b, int64_t c) { return std::max({a, b, c}); }},
      {"med3", middle},
  };
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

uint16_t short_result(int64_t exact, bool is_signed, bool clamp) {
  if (clamp) exact = is_signed ? held(exact, INT16_MIN, INT16_MAX) : held(exact, 0, UINT16_MAX);
  return static_cast<uint16_t>(exact);
}

/// v_OPERATION_i16, _u16, _b16
std::optional<Expected> single(const isa::Row& row, const std::string& name, const valu::Request& q,
                               const Lane& l) {
  if (!ends(name, "_i16") && !ends(name, "_u16") && !ends(name, "_b16")) return std::nullopt;
  const Operation* operation = short_operation(name.substr(2, name.size() - 6));
  if (operation == nullptr) return std::nullopt;
  const bool is_signed = ends(name, "_i16");
  const unsigned sel = row.has(isa::kOpSel) ? q.modifiers.op_sel : 0;
  const int64_t x = half(l.src[0], bit(sel, 0), is_signed);
  const int64_t y = half(l.src[1], bit(sel, 1), is_signed);
  const int64_t z = half(l.src[2], bit(sel, 2), is_signed);
  const uint16_t result = short_result((*operation)(x, y, z), is_signed, q.modifiers.clamp);
  // The other half of the destination: kept by the instructions that say so and beside a high
  // half, otherwise 0.
  const bool keeps = name == "v_mad_u16" || name == "v_mad_i16";
  Expected e;
  if (bit(sel, 3)) {
    e.dst = uint32_t{result} << 16 | (l.old & 0xffff);
  } else {
    e.dst = result | (keeps ? l.old & 0xffff0000 : 0);
  }
  return e;
}

/// v_pk_OPERATION_i16, _u16, _b16
std::optional<Expected> packed(const std::string& name, const valu::Request& q, const Lane& l) {
  if (name.rfind("v_pk_", 0) != 0) return std::nullopt;
  if (!ends(name, "_i16") && !ends(name, "_u16") && !ends(name, "_b16")) return std::nullopt;
  const Operation* operation = short_operation(name.substr(5, name.size() - 9));
  if (operation == nullptr) return std::nullopt;
  const bool is_signed = ends(name, "_i16");
  uint32_t result = 0;
  for (const bool high : {false, true}) {
    const unsigned sel = high ? q.modifiers.op_sel_hi : q.modifiers.op_sel;
    const int64_t exact =
        (*operation)(half(l.src[0], bit(sel, 0), is_signed), half(l.src[1], bit(sel, 1), is_signed),
                     half(l.src[2], bit(sel, 2), is_signed));
    result |= uint32_t{short_result(exact, is_signed, q.modifiers.clamp)} << (high ? 16 : 0);
  }
  Expected e;
  e.dst = result;
  return e;
}

uint32_t word_result(Wide exact, bool is_signed, bool clamp) {
  if (clamp) {
    const Wide low = is_signed ? Wide{INT32_MIN} : Wide{0};
    const Wide high = is_signed ? Wide{INT32_MAX} : Wide{UINT32_MAX};
    exact = std::min(std::max(exact, low), high);
  }
  return static_cast<uint32_t>(static_cast<uint64_t>(exact));
}

/// Products of parts of `width` bits and a word.
std::optional<Expected> dot(const std::string& name, const valu::Request& q, const Lane& l) {
  const bool accumulates = name.rfind("v_dot", 0) == 0 && name[6] == 'c';
  if (name.rfind("v_dot", 0) != 0 || ends(name, "_f16")) return std::nullopt;
  const unsigned parts = static_cast<unsigned>(name[5] - '0'), width = 32 / parts;
  const bool is_signed = name.find("_i32_") != std::string::npos;
  const auto part = [&](uint64_t word, unsigned n) {
    const uint64_t field = word >> (n * width) & ((uint64_t{1} << width) - 1);
    const bool negative = is_signed && (field >> (width - 1) & 1) != 0;
    return negative ? static_cast<int64_t>(field) - (int64_t{1} << width)
                    : static_cast<int64_t>(field);
  };
  const uint64_t addend = accumulates ? l.old : l.src[2];
  Wide sum = is_signed ? Wide{static_cast<int32_t>(addend)} : Wide{static_cast<uint32_t>(addend)};
  const bool selects = parts == 2 && !accumulates;
  for (unsigned n = 0; n < parts; ++n) {
    const unsigned sel = n == 0 ? q.modifiers.op_sel : q.modifiers.op_sel_hi;
    const unsigned a = selects ? (sel & 1) : n, b = selects ? (sel >> 1 & 1) : n;
    sum += Wide{part(l.src[0], a)} * part(l.src[1], b);
  }
  Expected e;
  e.dst = word_result(sum, is_signed, q.modifiers.clamp);
  return e;
}

/// Sums of differences of four bytes at four places, two of them in a pass, each added to a word;
/// bytes of S1 that are 0 take no part.
std::optional<Expected> wide_differences(const std::string& name, const valu::Request& q,
                                         const Lane& l) {
  if (name != "v_mqsad_u32_u8") return std::nullopt;
  Expected e;
  for (unsigned n = 0; n < 2; ++n) {
    int64_t sum = static_cast<uint32_t>(l.src[2] >> 32 * n);
    for (unsigned k = 0; k < 4; ++k) {
      const auto a = static_cast<int64_t>(l.src[0] >> 8 * (2 * q.pass + n + k) & 0xff);
      const auto b = static_cast<int64_t>(l.src[1] >> 8 * k & 0xff);
      if (b != 0) sum += a < b ? b - a : a - b;
    }
    if (q.modifiers.clamp) sum = held(sum, 0, UINT32_MAX);
    e.dst |= static_cast<uint64_t>(static_cast<uint32_t>(sum)) << 32 * n;
  }
  return e;
}

/// Sums of differences of four bytes at four places; masked: bytes of S1 that are 0 take no part.
std::optional<Expected> differences(const std::string& name, const valu::Request& q,
                                    const Lane& l) {
  const bool masked = name[2] == 'm';
  if (name != "v_qsad_pk_u16_u8" && name != "v_mqsad_pk_u16_u8") return std::nullopt;
  Expected e;
  for (unsigned n = 0; n < 4; ++n) {
    int64_t sum = half(l.src[2] >> 16 * n, false, false);
    for (unsigned k = 0; k < 4; ++k) {
      const auto a = static_cast<int64_t>(l.src[0] >> 8 * (n + k) & 0xff);
      const auto b = static_cast<int64_t>(l.src[1] >> 8 * k & 0xff);
      if (masked && b == 0) continue;
      sum += a < b ? b - a : a - b;
    }
    if (q.modifiers.clamp) sum = held(sum, 0, UINT16_MAX);
    e.dst |= static_cast<uint64_t>(sum & 0xffff) << 16 * n;
  }
  return e;
}

}  // namespace

std::optional<Expected> integers(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  const auto a = static_cast<uint32_t>(l.src[0]), b = static_cast<uint32_t>(l.src[1]);
  Expected e;
  if (name == "v_cvt_pk_u16_u32") {
    e.dst = std::min(a, 0xffffu) | std::min(b, 0xffffu) << 16;
    return e;
  }
  if (name == "v_cvt_pk_i16_i32") {
    const auto x = held(static_cast<int32_t>(a), INT16_MIN, INT16_MAX);
    const auto y = held(static_cast<int32_t>(b), INT16_MIN, INT16_MAX);
    e.dst = static_cast<uint16_t>(x) | uint32_t{static_cast<uint16_t>(y)} << 16;
    return e;
  }
  if (name == "v_sat_pk_u8_i16") {
    const int64_t x = held(half(a, false, true), 0, 255), y = held(half(a, true, true), 0, 255);
    e.dst = static_cast<uint64_t>(x | y << 8);
    return e;
  }
  if (name == "v_mad_u32_u16" || name == "v_mad_i32_i16") {
    const bool is_signed = name == "v_mad_i32_i16";
    const unsigned sel = q.modifiers.op_sel;
    const auto c = static_cast<uint32_t>(l.src[2]);
    const Wide z = is_signed ? Wide{static_cast<int32_t>(c)} : Wide{c};
    e.dst = word_result(Wide{half(a, bit(sel, 0), is_signed)} * half(b, bit(sel, 1), is_signed) + z,
                        is_signed, q.modifiers.clamp);
    return e;
  }
  if (auto done = packed(name, q, l)) return done;
  if (auto done = dot(name, q, l)) return done;
  if (auto done = differences(name, q, l)) return done;
  if (auto done = wide_differences(name, q, l)) return done;
  return single(row, name, q, l);
}

}  // namespace cuvette::valu_manual
