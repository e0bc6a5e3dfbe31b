// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

#include <mpfr.h>

#include "valu_oracle_parts.h"

namespace cuvette::valu_oracle {
namespace {

Expected sum(const std::string& name, const Settings& s, const Sources& in) {
  /// Value: two roundings.
  static const std::map<std::string, bool> names = {
      {"v_add_f32", false}, {"v_sub_f32", false},  {"v_subrev_f32", false}, {"v_mul_f32", false},
      {"v_fma_f32", false}, {"v_fmac_f32", false}, {"v_fmamk_f32", false},  {"v_fmaak_f32", false},
      {"v_mad_f32", true},  {"v_mac_f32", true},   {"v_madmk_f32", true},   {"v_madak_f32", true}};
  const bool two_roundings = names.at(name);
  const bool accumulates = name == "v_fmac_f32" || name == "v_mac_f32";
  Float f(s, two_roundings);
  const uint32_t a = f.take(f.modified(in.word(0), 0));
  const uint32_t b = f.take(f.modified(in.word(1), 1));
  Expected out;
  uint32_t r = 0;
  if (name == "v_add_f32") {
    if (!f.nan({a, b}, r)) r = f.rounded(a, kOne, b);
  } else if (name == "v_sub_f32") {
    if (!f.nan({a, b}, r)) r = f.rounded(a, kOne, b ^ kSign);
  } else if (name == "v_subrev_f32") {
    if (!f.nan({a, b}, r)) r = f.rounded(b, kOne, a ^ kSign);
  } else if (name == "v_mul_f32") {
    if (!f.nan({a, b}, r)) r = f.rounded(a, b, (a ^ b) & kSign);
  } else {
    const uint32_t c = f.take(f.modified(accumulates ? in.old : in.word(2), 2));
    if (!f.nan({a, b, c}, r)) {
      if (two_roundings) {
        const uint32_t product = f.rounded(a, b, (a ^ b) & kSign);
        r = is_nan(product) ? product : f.rounded(product, kOne, c);
      } else {
        r = f.rounded(a, b, c);
      }
    }
  }
  out.dst = f.output(r);
  out.flags = f.flags;
  return out;
}

Expected min_max(const std::string& name, const Settings& s, const Sources& in) {
  const bool maximum = name == "v_max_f32";
  Float f(s, false);
  const uint32_t a = f.take(f.modified(in.word(0), 0));
  const uint32_t b = f.take(f.modified(in.word(1), 1));
  Expected out;
  uint32_t r;
  if (s.ieee && (is_signaling(a) || is_signaling(b))) {
    f.flags |= kInvalid;
    r = (is_signaling(a) ? a : b) | 0x00400000;
  } else {
    if (is_nan(a)) {
      r = b;
    } else if (is_nan(b)) {
      r = a;
    } else if (as_float(a) == as_float(b)) {
      r = ((a & kSign) != 0) != maximum ? a : b;  // -0 < +0
    } else {
      r = (as_float(a) < as_float(b)) != maximum ? a : b;
    }
    if (is_subnormal(r) && f.flush_out) {
      f.flags |= kUnderflow | kInexact;
      r &= kSign;
    }
  }
  out.dst = f.output(r);
  out.flags = f.flags;
  return out;
}

/// Conversions and roundings to integral values; false when the mnemonic is none of them.
bool convert(const std::string& name, const Settings& s, const Sources& in, Expected& out) {
  Float f(s, false);
  const uint32_t word = in.word(0);
  if (name.rfind("v_cvt_f32_", 0) == 0) {
    const std::string from = name.substr(10);
    if (from != "i32" && from != "u32" && from.rfind("ubyte", 0) != 0) return false;
    static mpfr_t r;
    static const bool ready = [] {
      mpfr_init2(r, 24);
      return true;
    }();
    static_cast<void>(ready);
    const mpfr_rnd_t round = mpfr_round_of(s.round);
    const int ternary = from == "i32" ? mpfr_set_si(r, static_cast<int32_t>(word), round)
                        : from == "u32"
                            ? mpfr_set_ui(r, word, round)
                            : mpfr_set_ui(r, word >> (8 * (from.back() - '0')) & 0xff, round);
    if (ternary != 0) f.flags |= kInexact;
    out.dst = f.output(word == 0 ? 0 : as_bits(mpfr_get_flt(r, MPFR_RNDN)));
    out.flags = f.flags;
    return true;
  }
  const bool to_i32 = name == "v_cvt_i32_f32" || name == "v_cvt_flr_i32_f32";
  const bool to_u32 = name == "v_cvt_u32_f32";
  static const std::map<std::string, double (*)(double)> rounds = {
      {"v_trunc_f32", [](double x) { return std::trunc(x); }},
      {"v_ceil_f32", [](double x) { return std::ceil(x); }},
      {"v_floor_f32", [](double x) { return std::floor(x); }},
      {"v_rndne_f32", [](double x) { return std::nearbyint(x); }}};
  const auto found = rounds.find(name);
  if (!to_i32 && !to_u32 && found == rounds.end()) return false;
  const uint32_t x = f.take(f.modified(word, 0));
  const double value = static_cast<double>(as_float(x));
  if (found != rounds.end()) {
    uint32_t r = 0;
    if (!f.nan({x}, r)) {
      // The sign of a zero is that of the operand, which the C functions keep.
      r = as_bits(static_cast<float>(found->second(value)));
    }
    out.dst = f.output(r);
  } else if (std::isnan(value)) {
    f.flags |= kInvalid;
    out.dst = 0;
  } else {
    const double whole = name == "v_cvt_flr_i32_f32" ? std::floor(value) : std::trunc(value);
    const double low = to_i32 ? -2147483648.0 : 0.0;
    const double high = to_i32 ? 2147483647.0 : 4294967295.0;
    if (whole < low || whole > high) {
      f.flags |= kInvalid;
    } else if (whole != value && s.clamp) {
      f.flags |= kInexact;
    }
    const double held = std::min(std::max(whole, low), high);
    out.dst = static_cast<uint32_t>(static_cast<int64_t>(held));
  }
  out.flags = f.flags;
  return true;
}

/// Bits: 0 less, 1 equal, 2 greater, 3 unordered.
unsigned float_condition(const std::string& c) {
  static const std::map<std::string, unsigned> table = {
      {"f", 0},    {"lt", 1},   {"eq", 2},   {"le", 3},  {"gt", 4},   {"lg", 5},
      {"ge", 6},   {"o", 7},    {"u", 8},    {"nge", 9}, {"nlg", 10}, {"ngt", 11},
      {"nle", 12}, {"neq", 13}, {"nlt", 14}, {"tru", 15}};
  return table.at(c);
}

Expected compare(const std::string& condition, const std::string& type, const Settings& s,
                 const Sources& in) {
  Expected out;
  out.writes = false;
  out.has_mask = true;
  if (type == "f32") {
    Float f(s, false);
    const float a = as_float(f.take(f.modified(in.word(0), 0)));
    const float b = as_float(f.take(f.modified(in.word(1), 1)));
    const unsigned relation = std::isnan(a) || std::isnan(b) ? 8 : a < b ? 1 : a == b ? 2 : 4;
    if (is_signaling(in.word(0)) || is_signaling(in.word(1)) || (s.clamp && relation == 8)) {
      f.flags |= kInvalid;
    }
    out.mask = (relation & float_condition(condition)) != 0;
    if (condition != "f" && condition != "tru") out.flags = f.flags;
    return out;
  }
  static const std::map<std::string, unsigned> table = {{"f", 0},  {"lt", 1}, {"eq", 2}, {"le", 3},
                                                        {"gt", 4}, {"ne", 5}, {"ge", 6}, {"t", 7}};
  if (type != "i32" && type != "u32") throw std::out_of_range("compare of " + type);
  const int64_t a = type == "i32" ? int64_t{static_cast<int32_t>(in.word(0))} : in.word(0);
  const int64_t b = type == "i32" ? int64_t{static_cast<int32_t>(in.word(1))} : in.word(1);
  out.mask = ((a < b ? 1u : a == b ? 2u : 4u) & table.at(condition)) != 0;
  return out;
}

/// {result, carry} of an exact sum in 64 bits.
Expected carry(int64_t exact, bool clamp) {
  Expected out;
  out.has_mask = true;
  out.mask = exact < 0 || exact > int64_t{0xffffffff};
  out.dst = static_cast<uint32_t>(exact);
  if (clamp && out.mask) out.dst = exact < 0 ? 0 : 0xffffffff;
  return out;
}

using Integer = std::function<uint32_t(uint32_t, uint32_t, uint32_t)>;
int32_t s32(uint32_t x) {
  return static_cast<int32_t>(x);
}

int32_t median(int32_t a, int32_t b, int32_t c) {
  std::vector<int32_t> v = {a, b, c};
  std::sort(v.begin(), v.end());
  return v[1];
}
uint32_t low_ones(uint32_t width) {
  return static_cast<uint32_t>((uint64_t{1} << width) - 1);
}
/// {a, b} moved right.
uint32_t aligned(uint32_t a, uint32_t b, uint32_t count) {
  return count > 63 ? 0 : static_cast<uint32_t>(((uint64_t{a} << 32) | b) >> count);
}
int64_t signed24(uint32_t x) {
  return s32(x << 8) >> 8;
}
uint64_t unsigned24(uint32_t x) {
  return x % (1u << 24);
}
uint32_t high_word(int64_t x) {
  return static_cast<uint32_t>(x >> 32);
}
uint32_t low_word(int64_t x) {
  return static_cast<uint32_t>(x);
}
/// Bit position of the highest one counted from bit 31, -1 without one.
uint32_t from_top(uint32_t x) {
  for (unsigned i = 0; i < 32; ++i) {
    if ((x >> (31 - i) & 1) != 0) return i;
  }
  return ~0u;
}
uint32_t from_bottom(uint32_t x) {
  for (unsigned i = 0; i < 32; ++i) {
    if ((x >> i & 1) != 0) return i;
  }
  return ~0u;
}
uint32_t mirrored(uint32_t x) {
  uint32_t y = 0;
  for (unsigned i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}
uint32_t signed_bits(uint32_t x, uint32_t offset, uint32_t width) {
  if (width == 0) return 0;
  const uint32_t moved = static_cast<uint32_t>(s32(x) >> offset);
  return static_cast<uint32_t>(s32(moved << (32 - width)) >> (32 - width));
}

const std::map<std::string, Integer>& integers() {
  using U = uint32_t;
  static const std::map<std::string, Integer> table = {
      {"v_mov_b32", [](U a, U, U) { return a; }},
      {"v_not_b32", [](U a, U, U) { return ~a; }},
      {"v_and_b32", [](U a, U b, U) { return a & b; }},
      {"v_or_b32", [](U a, U b, U) { return a | b; }},
      {"v_xor_b32", [](U a, U b, U) { return a ^ b; }},
      {"v_xnor_b32", [](U a, U b, U) { return ~(a ^ b); }},
      {"v_lshlrev_b32", [](U a, U b, U) { return b << (a % 32); }},
      {"v_lshrrev_b32", [](U a, U b, U) { return b >> (a % 32); }},
      {"v_ashrrev_i32", [](U a, U b, U) { return static_cast<U>(s32(b) >> (a % 32)); }},
      {"v_min_i32", [](U a, U b, U) { return s32(a) < s32(b) ? a : b; }},
      {"v_max_i32", [](U a, U b, U) { return s32(a) < s32(b) ? b : a; }},
      {"v_min_u32", [](U a, U b, U) { return a < b ? a : b; }},
      {"v_max_u32", [](U a, U b, U) { return a < b ? b : a; }},
      {"v_mul_lo_u32", [](U a, U b, U) { return a * b; }},
      {"v_mul_hi_u32", [](U a, U b, U) { return static_cast<U>(uint64_t{a} * b >> 32); }},
      {"v_mul_hi_i32", [](U a, U b, U) { return high_word(int64_t{s32(a)} * s32(b)); }},

      {"v_lshl_add_u32", [](U a, U b, U c) { return (a << (b % 32)) + c; }},
      {"v_add_lshl_u32", [](U a, U b, U c) { return (a + b) << (c % 32); }},
      {"v_add3_u32", [](U a, U b, U c) { return a + b + c; }},
      {"v_lshl_or_b32", [](U a, U b, U c) { return (a << (b % 32)) | c; }},
      {"v_and_or_b32", [](U a, U b, U c) { return (a & b) | c; }},
      {"v_or3_b32", [](U a, U b, U c) { return a | b | c; }},
      {"v_xad_u32", [](U a, U b, U c) { return (a ^ b) + c; }},
      {"v_bfe_u32", [](U a, U b, U c) { return (a >> (b % 32)) & low_ones(c % 32); }},
      {"v_bfe_i32", [](U a, U b, U c) { return signed_bits(a, b % 32, c % 32); }},
      {"v_bfi_b32", [](U a, U b, U c) { return (a & b) | (~a & c); }},
      {"v_alignbit_b32", [](U a, U b, U c) { return aligned(a, b, c % 32); }},
      {"v_alignbyte_b32", [](U a, U b, U c) { return aligned(a, b, c % 32 * 8); }},

      {"v_min3_i32", [](U a, U b, U c) { return U(std::min({s32(a), s32(b), s32(c)})); }},
      {"v_max3_i32", [](U a, U b, U c) { return U(std::max({s32(a), s32(b), s32(c)})); }},
      {"v_med3_i32", [](U a, U b, U c) { return U(median(s32(a), s32(b), s32(c))); }},
      {"v_min3_u32", [](U a, U b, U c) { return std::min({a, b, c}); }},
      {"v_max3_u32", [](U a, U b, U c) { return std::max({a, b, c}); }},
      {"v_med3_u32",
       [](U a, U b, U c) { return a + b + c - std::min({a, b, c}) - std::max({a, b, c}); }},

      {"v_bfrev_b32", [](U a, U, U) { return mirrored(a); }},
      {"v_ffbh_u32", [](U a, U, U) { return from_top(a); }},
      {"v_ffbl_b32", [](U a, U, U) { return from_bottom(a); }},
      {"v_ffbh_i32", [](U a, U, U) { return from_top(s32(a) < 0 ? ~a : a); }},
      {"v_bcnt_u32_b32", [](U a, U b, U) { return U(__builtin_popcount(a)) + b; }},
      {"v_bfm_b32", [](U a, U b, U) { return low_ones(a % 32) << (b % 32); }},

      {"v_mul_u32_u24", [](U a, U b, U) { return U(unsigned24(a) * unsigned24(b)); }},
      {"v_mul_hi_u32_u24", [](U a, U b, U) { return U(unsigned24(a) * unsigned24(b) >> 32); }},
      {"v_mul_i32_i24", [](U a, U b, U) { return low_word(signed24(a) * signed24(b)); }},
      {"v_mul_hi_i32_i24", [](U a, U b, U) { return high_word(signed24(a) * signed24(b)); }},
      {"v_mad_u32_u24", [](U a, U b, U c) { return U(unsigned24(a) * unsigned24(b)) + c; }},
      {"v_mad_i32_i24", [](U a, U b, U c) { return low_word(signed24(a) * signed24(b)) + c; }},
  };
  return table;
}

__extension__ using Int128 = __int128;

/// 64-bit results; false when the mnemonic is no such instruction.
bool wide(const std::string& name, const Sources& in, Expected& out) {
  const uint64_t a = in.src[0], b = in.src[1], c = in.src[2];
  if (name == "v_mov_b64") {
    out.dst = a;
  } else if (name == "v_lshlrev_b64") {
    out.dst = b << (a % 64);
  } else if (name == "v_lshrrev_b64") {
    out.dst = b >> (a % 64);
  } else if (name == "v_ashrrev_i64") {
    out.dst = static_cast<uint64_t>(static_cast<int64_t>(b) >> (a % 64));
  } else if (name == "v_lshl_add_u64") {
    out.dst = (a << (b % 8)) + c;
  } else if (name == "v_mad_u64_u32" || name == "v_mad_i64_i32") {
    const bool is_signed = name == "v_mad_i64_i32";
    const Int128 exact = is_signed
                             ? Int128{s32(in.word(0))} * s32(in.word(1)) + static_cast<int64_t>(c)
                             : Int128{in.word(0)} * in.word(1) + c;
    out.dst = static_cast<uint64_t>(exact);
    out.has_mask = true;
    out.mask = (exact >> 64 & 1) != 0;
  } else {
    return false;
  }
  return true;
}

Expected add(const std::string& name, const Settings& s, const Sources& in) {
  const int64_t a = in.word(0), b = in.word(1), c = in.mask;
  if (name == "v_add_i32" || name == "v_sub_i32") {
    const int64_t x = s32(in.word(0)), y = s32(in.word(1));
    int64_t exact = name == "v_add_i32" ? x + y : x - y;
    if (s.clamp) exact = std::min<int64_t>(std::max<int64_t>(exact, INT32_MIN), INT32_MAX);
    Expected out;
    out.dst = static_cast<uint32_t>(exact);
    return out;
  }
  static const std::map<std::string, std::function<int64_t(int64_t, int64_t, int64_t)>> table = {
      {"v_add_u32", [](int64_t x, int64_t y, int64_t) { return x + y; }},
      {"v_sub_u32", [](int64_t x, int64_t y, int64_t) { return x - y; }},
      {"v_subrev_u32", [](int64_t x, int64_t y, int64_t) { return y - x; }},
      {"v_add_co_u32", [](int64_t x, int64_t y, int64_t) { return x + y; }},
      {"v_sub_co_u32", [](int64_t x, int64_t y, int64_t) { return x - y; }},
      {"v_subrev_co_u32", [](int64_t x, int64_t y, int64_t) { return y - x; }},
      {"v_addc_co_u32", [](int64_t x, int64_t y, int64_t z) { return x + y + z; }},
      {"v_subb_co_u32", [](int64_t x, int64_t y, int64_t z) { return x - y - z; }},
      {"v_subbrev_co_u32", [](int64_t x, int64_t y, int64_t z) { return y - x - z; }},
  };
  Expected out = carry(table.at(name)(a, b, c), s.clamp);
  if (name.find("_co_") == std::string::npos) out.has_mask = out.mask = false;
  return out;
}

}  // namespace

uint32_t Settings::mode() const {
  return round | denorm << 4 | (dx10_clamp ? 1u << 8 : 0) | (ieee ? 1u << 9 : 0);
}

std::string Settings::str() const {
  return "round " + std::to_string(round) + " denorm " + std::to_string(denorm) + " dx10 " +
         std::to_string(dx10_clamp) + " ieee " + std::to_string(ieee) + " abs " +
         std::to_string(abs) + " neg " + std::to_string(neg) + " omod " + std::to_string(omod) +
         " clamp " + std::to_string(clamp);
}

Expected expected(const std::string& name, const Settings& s, const Sources& in) {
  if (name.rfind("v_cmp", 0) == 0) {
    const size_t first = name.find('_', 2) + 1;
    const size_t last = name.rfind('_');
    return compare(name.substr(first, last - first), name.substr(last + 1), s, in);
  }
  if (name == "v_min_f32" || name == "v_max_f32") return min_max(name, s, in);
  Expected converted;
  if (convert(name, s, in, converted) || divide(name, s, in, converted) ||
      bytes(name, s, in, converted)) {
    return converted;
  }
  if (name.size() > 4 && name.substr(name.size() - 4) == "_f32") return sum(name, s, in);
  if (name == "v_cndmask_b32") {
    Expected out;
    const Float f(s, false);
    out.dst = in.mask ? f.modified(in.word(1), 1) : f.modified(in.word(0), 0);
    return out;
  }
  Expected out;
  if (wide(name, in, out)) return out;
  const auto simple = integers().find(name);
  if (simple == integers().end()) return add(name, s, in);
  out.dst = simple->second(in.word(0), in.word(1), in.word(2));
  return out;
}

uint32_t corner_word(std::mt19937_64& random) {
  static constexpr uint32_t kCorners[] = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
      0x80800000, 0x00800001, 0x00ffffff, 0x01000000, 0x3f000000, 0x3f800000, 0xbf800000,
      0x3f7fffff, 0x3f800001, 0x40000000, 0x4b800000, 0x7f7fffff, 0xff7fffff, 0x7f7ffffe,
      0x7f000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001,
      0xff812345, 0x7fffffff, 0xffffffff, 0x7ffffffe, 0x80000002, 0x00000020, 0x0000001f};
  const uint64_t r = random();
  const auto word = static_cast<uint32_t>(random());
  switch (r % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      return kCorners[(r >> 8) % std::size(kCorners)];
    case 4:
      return word & 0x807fffff;  // subnormal
    case 5:
      return (word & 0x80ffffff);  // subnormal or smallest normal
    case 6:
      return (word & 0x81ffffff) | 0x7e000000;  // large, infinite or NaN
    case 7:
      return (word & 0x80000000) | (0x1f800000 + static_cast<uint32_t>(r >> 40) * 4);  // 2^-64
    case 8:
    case 9:
      return (word & 0x83ffffff) | 0x3c000000;  // around one
    case 10:
      return word & ~0u << (r >> 8 & 31);  // few significant bits
    case 11:
      return static_cast<uint32_t>(r >> 32) & 0xff;
    default:
      return word;
  }
}

Sources corner_sources(const std::string& mnemonic, std::mt19937_64& random) {
  Sources in;
  for (uint64_t& x : in.src) x = corner_word(random);
  in.old = corner_word(random);
  const uint64_t r = random();
  in.mask = (r & 1) != 0;
  const auto few = static_cast<uint32_t>(r >> 32 & 7);
  if ((r >> 8 & 7) == 0) in.src[1] = in.word(0) ^ (few & 1) << 31 ^ few >> 1;
  if ((r >> 12 & 7) < 2) {
    // An addend close to minus the product, so that almost everything cancels.
    const float product = as_float(in.word(0)) * as_float(in.word(1));
    in.src[2] = in.old = as_bits(-product) + few;
  }
  if (mnemonic == "v_div_scale_f32") {
    // Source 0 is one of the other two; quotients near the bounds of the branches.
    static constexpr uint32_t kApart[] = {96, 95, 97, 126, 125, 127, 149, 150, 151, 1};
    if ((r >> 16 & 1) != 0) {
      const uint32_t den = (in.word(1) & ~0x7f800000u) | static_cast<uint32_t>(r >> 24 & 255) << 23;
      const uint32_t apart = kApart[(r >> 40) % std::size(kApart)];
      const uint32_t field = (den >> 23) + ((r >> 17 & 1) != 0 ? apart : 0u - apart);
      in.src[1] = den;
      in.src[2] = (in.word(2) & ~0x7f800000u) | (field & 255) << 23;
      if ((r >> 50 & 3) == 0) {
        // The quotient that rounds up to the smallest normal number.
        in.src[1] = den & 0xff800000;
        in.src[2] = (((den >> 23 & 255) - 127) & 255) << 23 | 0x7fffff;
      }
    }
    if ((r >> 18 & 7) != 0) in.src[0] = in.src[1 + (r >> 21 & 1)];
  }
  // 64-bit operands by instruction: bit per source.
  static const std::map<std::string, unsigned> wide_operands = {
      {"v_mov_b64", 1},      {"v_lshlrev_b64", 2}, {"v_lshrrev_b64", 2}, {"v_ashrrev_i64", 2},
      {"v_lshl_add_u64", 5}, {"v_mad_u64_u32", 4}, {"v_mad_i64_i32", 4}};
  const auto found = wide_operands.find(mnemonic);
  for (unsigned i = 0; found != wide_operands.end() && i < 3; ++i) {
    if ((found->second >> i & 1) != 0) in.src[i] |= uint64_t{corner_word(random)} << 32;
  }
  return in;
}

}  // namespace cuvette::valu_oracle
