// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <vector>

#include "valu_manual_parts.h"

// Binary16 and binary64 sums, minimum and maximum in three formats, integral values, fractions,
// exponents, conversions; compares of 16 and 64 bits; classes (Vega ISA 12.6 to 12.11).
namespace cuvette::valu_manual {
namespace {

bool starts(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

/// "v_add_f16" is "add" of "f16".
struct Name {
  std::string operation, type;
};
Name split(const std::string& mnemonic) {
  const size_t last = mnemonic.rfind('_');
  return {mnemonic.substr(2, last - 2), mnemonic.substr(last + 1)};
}

const Format* format_of(const std::string& type) {
  static const std::map<std::string, const Format*> table = {
      {"f16", &kHalf}, {"f32", &kSingle}, {"f64", &kDouble}};
  const auto found = table.find(type);
  return found == table.end() ? nullptr : found->second;
}

/// Two roundings. Subnormals are flushed whatever MODE says (Vega ISA 12.10, V_MAD_F16).
uint64_t mad(Numbers& n, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t result = 0;
  if (n.nan({a, b, c}, result)) return result;
  const uint64_t product = n.mul(a, b);
  return n.f.is_nan(product) ? product : n.add(product, c);
}

using Binary = uint64_t (*)(Numbers&, uint64_t, uint64_t, uint64_t);

struct Sum {
  unsigned sources;
  bool accumulates;
  Binary compute;
};

/// A subtraction leaves the sign of a NaN alone.
uint64_t subtract(Numbers& n, uint64_t a, uint64_t b) {
  return n.add(a, n.f.is_nan(b) ? b : b ^ n.f.sign());
}

const std::map<std::string, Sum>& sums() {
  using N = Numbers;
  using U = uint64_t;
  static const Binary fused = [](N& n, U a, U b, U c) { return n.fma(a, b, c); };
  static const std::map<std::string, Sum> table = {
      {"rcp", {1, false, [](N& n, U a, U, U) { return n.reciprocal(a); }}},
      {"sqrt", {1, false, [](N& n, U a, U, U) { return n.root(a, false); }}},
      {"rsq", {1, false, [](N& n, U a, U, U) { return n.root(a, true); }}},
      {"add", {2, false, [](N& n, U a, U b, U) { return n.add(a, b); }}},
      {"sub", {2, false, [](N& n, U a, U b, U) { return subtract(n, a, b); }}},
      // The NaN of source 0 goes before that of source 1 here too.
      {"subrev",
       {2, false,
        [](N& n, U a, U b, U) {
          U nan = 0;
          return n.nan({a, b}, nan) ? nan : n.add(a ^ n.f.sign(), b);
        }}},
      {"mul", {2, false, [](N& n, U a, U b, U) { return n.mul(a, b); }}},
      {"fma", {3, false, fused}},
      {"fma_legacy", {3, false, fused}},
      {"fmac", {3, true, fused}},
      {"mad", {3, false, mad}},
      {"mad_legacy", {3, false, mad}},
      {"madmk", {3, false, mad}},
      {"madak", {3, false, mad}},
      {"mac", {3, true, mad}},
      {"min", {2, false, [](N& n, U a, U b, U) { return n.extreme(a, b, false); }}},
      {"max", {2, false, [](N& n, U a, U b, U) { return n.extreme(a, b, true); }}},
      {"min3",
       {3, false, [](N& n, U a, U b, U c) { return n.extreme(n.extreme(a, b, false), c, false); }}},
      {"max3",
       {3, false, [](N& n, U a, U b, U c) { return n.extreme(n.extreme(a, b, true), c, true); }}},
      {"med3",
       {3, false,
        [](N& n, U a, U b, U c) {
          if (n.f.is_nan(a) || n.f.is_nan(b) || n.f.is_nan(c)) {
            return n.extreme(n.extreme(a, b, false), c, false);
          }
          // The median is one of the sources; only what comes out of it is flushed.
          const bool flushed = std::exchange(n.flush_out, false);
          const U largest = n.extreme(n.extreme(a, b, true), c, true);
          n.flush_out = flushed;
          // By value: zeros of both signs are equal here.
          if (n.order(largest, a) == 0) return n.extreme(b, c, true);
          if (n.order(largest, b) == 0) return n.extreme(a, c, true);
          return n.extreme(a, b, true);
        }}},
  };
  return table;
}

std::optional<Expected> sum(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const Name name = split(std::string(row.mnemonic));
  const Format* f = format_of(name.type);
  const auto found = sums().find(name.operation);
  if (f == nullptr || found == sums().end()) return std::nullopt;
  const bool single = f == &kSingle;
  // Operations of binary32 with other rules are not of this part.
  if (single && name.operation != "min3" && name.operation != "max3" && name.operation != "med3") {
    return std::nullopt;
  }
  Numbers n = numbers(*f, q.mode);
  if (name.operation[0] == 'm' && name.operation[1] == 'a' && name.operation != "max" &&
      name.operation != "max3") {
    n.flush_in = n.flush_out = true;
  }
  uint64_t x[3] = {};
  for (unsigned s = 0; s < found->second.sources; ++s) {
    const uint64_t word = s == 2 && found->second.accumulates ? l.old : l.src[s];
    x[s] = n.take(source(*f, row, q, word, s));
  }
  Expected e;
  const uint64_t result =
      n.output(found->second.compute(n, x[0], x[1], x[2]), q.modifiers.omod, q.modifiers.clamp);
  e.dst = f == &kHalf ? placed(row, q, result, l.old) : result;
  e.flags = n.flags;
  return e;
}

/// Zero times anything is +0. Other products and their sums round each.
std::optional<Expected> legacy(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  const bool adds = name == "v_mad_legacy_f32";
  if (!adds && name != "v_mul_legacy_f32") return std::nullopt;
  Numbers n = numbers(kSingle, q.mode);
  if (adds) n.flush_in = n.flush_out = true;
  uint64_t x[3] = {};
  for (unsigned s = 0; s < (adds ? 3u : 2u); ++s) {
    x[s] = n.take(source(kSingle, row, q, l.src[s], s));
  }
  const bool zero = kSingle.is_zero(x[0]) || kSingle.is_zero(x[1]);
  // A factor of zero takes no part: neither a signaling NaN nor a subnormal is reported.
  if (zero) n.flags = 0;
  uint64_t result = 0;
  if (adds) {
    result = zero ? n.add(0, x[2]) : mad(n, x[0], x[1], x[2]);
  } else if (!zero) {
    result = n.mul(x[0], x[1]);
  }
  Expected e;
  e.dst = n.output(result, q.modifiers.omod, q.modifiers.clamp);
  e.flags = n.flags;
  return e;
}

/// A source is a number of binary32, or a half by OP_SEL where OP_SEL_HI is set; neg_hi is abs.
/// V_MAD_MIX rounds twice and flushes subnormals of binary32; its results of binary16 are flushed
/// too, whatever MODE says (docs/reference/decisions.md D53).
std::optional<Expected> mix(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  const bool twice = starts(name, "v_mad_mix");
  if (!twice && !starts(name, "v_fma_mix")) return std::nullopt;
  const isa::Modifiers& m = q.modifiers;
  const bool narrow = name.substr(name.size() - 4) != "_f32";
  Numbers half = numbers(kHalf, q.mode), single = numbers(kSingle, q.mode);
  if (twice) single.flush_in = single.flush_out = half.flush_out = true;
  uint64_t x[3] = {};
  for (unsigned s = 0; s < 3; ++s) {
    const bool is_half = bit(m.op_sel_hi, s);
    const Format& f = is_half ? kHalf : kSingle;
    uint64_t bits = is_half && bit(m.op_sel, s) ? l.src[s] >> 16 : l.src[s];
    bits &= f.all();
    if (bit(m.neg_hi, s)) bits &= ~f.sign();
    if (bit(m.neg, s)) bits ^= f.sign();
    if (!is_half) {
      x[s] = single.take(bits);
      continue;
    }
    bits = half.take(bits);
    if (kHalf.is_nan(bits)) {
      x[s] = (bits & 0x8000) << 16 | kSingle.infinity() | (bits & 0x3ff) << 13;
    } else {
      mpfr_t value;
      mpfr_init2(value, 24);
      set(value, kHalf, bits);
      Numbers exact = single;
      x[s] = exact.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
      mpfr_clear(value);
    }
  }
  Expected e;
  const auto sum = [&] {
    return twice ? mad(single, x[0], x[1], x[2]) : single.fma(x[0], x[1], x[2]);
  };
  if (!narrow) {
    e.dst = single.output(sum(), 0, m.clamp);
    e.flags = single.flags | half.flags;
    return e;
  }
  // LLVM 19 selects these for fptrunc(fma(fpext, fpext, fpext)): a rounding to either format.
  uint64_t result = sum();
  if (kSingle.is_nan(result)) {
    result = (result >> 16 & 0x8000) | kHalf.infinity() | (result >> 13 & 0x3ff);
  } else {
    mpfr_t value;
    mpfr_init2(value, 24);
    set(value, kSingle, result);
    result = half.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
    mpfr_clear(value);
  }
  result = half.output(result, 0, m.clamp);
  e.dst = name.substr(5) == "_mixlo_f16" ? (l.old & 0xffff0000) | result
                                         : (l.old & 0xffff) | result << 16;
  e.flags = single.flags | half.flags;
  return e;
}

/// v_pk_..._f16
std::optional<Expected> packed(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  if (!starts(name, "v_pk_") || split(name).type != "f16") return std::nullopt;
  const auto found = sums().find(split(name).operation.substr(3));
  if (found == sums().end()) return std::nullopt;
  const bool vop3p = row.format == isa::Format::Vop3p;
  Expected e;
  for (const bool high : {false, true}) {
    Numbers n = numbers(kHalf, q.mode);
    const isa::Modifiers& m = q.modifiers;
    uint64_t x[3] = {};
    for (unsigned s = 0; s < found->second.sources; ++s) {
      const uint64_t word = s == 2 && found->second.accumulates ? l.old : l.src[s];
      const bool upper = vop3p ? bit(high ? m.op_sel_hi : m.op_sel, s) : high;
      x[s] = (upper ? word >> 16 : word) & 0xffff;
      if (vop3p && bit(high ? m.neg_hi : m.neg, s)) x[s] ^= kHalf.sign();
      x[s] = n.take(x[s]);
    }
    const uint64_t result = n.output(found->second.compute(n, x[0], x[1], x[2]), 0, m.clamp);
    e.dst |= result << (high ? 16 : 0);
    e.flags |= n.flags;
  }
  return e;
}

/// Integral values, fractional part, mantissa, exponent, scaling.
std::optional<Expected> parts(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const Name name = split(std::string(row.mnemonic));
  const Format* f = format_of(name.type);
  static const std::map<std::string, mpfr_rnd_t> integral = {
      {"trunc", MPFR_RNDZ}, {"ceil", MPFR_RNDU}, {"floor", MPFR_RNDD}, {"rndne", MPFR_RNDN}};
  const auto found = integral.find(name.operation);
  const bool fract = name.operation == "fract", mant = name.operation == "frexp_mant",
             ldexp = name.operation == "ldexp", exp = starts(name.operation, "frexp_exp_i");
  if (f == nullptr || (found == integral.end() && !fract && !mant && !ldexp && !exp)) {
    return std::nullopt;
  }
  Numbers n = numbers(*f, q.mode);
  const uint64_t x = n.take(source(*f, row, q, l.src[0], 0));
  const bool special = f->is_infinite(x) || f->is_zero(x);
  mpfr_t value;
  mpfr_init2(value, 64);
  if (!f->is_nan(x)) set(value, *f, x);
  uint64_t result = 0;
  Expected e;
  if (exp) {
    const bool number = !f->is_nan(x) && !special;
    const auto exponent = number ? static_cast<int32_t>(mpfr_get_exp(value)) : 0;
    const bool half = f == &kHalf;
    e.dst = half ? static_cast<uint16_t>(exponent) : static_cast<uint32_t>(exponent);
    if (f->is_signaling(x)) n.flags |= kInvalid;
  } else if (n.nan({x}, result)) {
    // As it is, quiet.
  } else if (found != integral.end()) {
    result = x;
    if (!special) {
      if (found->second == MPFR_RNDN) {
        mpfr_rint_roundeven(value, value, MPFR_RNDN);
      } else {
        mpfr_rint(value, value, found->second);
      }
      Numbers quiet = n;
      result = mpfr_zero_p(value) != 0
                   ? x & f->sign()
                   : quiet.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
    }
  } else if (fract) {
    if (f->is_infinite(x)) {
      result = n.invalid();
    } else {
      mpfr_t below;
      mpfr_init2(below, 64);
      mpfr_floor(below, value);
      result = n.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_sub(r, value, below, d); });
      mpfr_clear(below);
      if (f->magnitude(result) >= f->one()) result = f->one() - 1;
    }
  } else if (mant) {
    result = x;
    if (!special) {
      mpfr_set_exp(value, 0);
      result = n.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
    }
  } else {
    // Beyond 5000 nothing is left of any number, and MPFR keeps its own exponents.
    const long wanted =
        f == &kHalf ? static_cast<int16_t>(l.src[1]) : static_cast<int32_t>(l.src[1]);
    const long by = std::min(std::max(wanted, -5000L), 5000L);
    result = x;
    if (!special) {
      result = n.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_mul_2si(r, value, by, d); });
    }
  }
  mpfr_clear(value);
  if (!exp) {
    result = n.output(result, q.modifiers.omod, q.modifiers.clamp);
    e.dst = f == &kHalf ? placed(row, q, result, l.old) : result;
  }
  e.flags = n.flags;
  return e;
}

/// A whole number in [low, high] from `value`, cut; what lies outside is invalid.
int64_t held_integer(Numbers& n, mpfr_t value, long low, long high, bool tells_inexact) {
  const bool whole = mpfr_inf_p(value) != 0 || mpfr_integer_p(value) != 0;
  if (mpfr_inf_p(value) == 0) mpfr_trunc(value, value);
  if (mpfr_cmp_si(value, low) < 0 || mpfr_cmp_si(value, high) > 0) {
    n.flags |= kInvalid;
    return mpfr_cmp_si(value, low) < 0 ? low : high;
  }
  if (!whole && tells_inexact) n.flags |= kInexact;
  return mpfr_get_si(value, MPFR_RNDZ);
}

/// Between formats, and binary64 with 32-bit integers.
std::optional<Expected> convert(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  if (!starts(name, "v_cvt_")) return std::nullopt;
  const Name n = split(name);
  const std::string to = n.operation.substr(4);
  const Format *from_format = format_of(n.type), *to_format = format_of(to);
  const bool wide = n.type == "f64" || to == "f64";
  const bool integer_from = n.type == "i32" || n.type == "u32";
  const bool integer_to = to == "i32" || to == "u32";
  Expected e;
  mpfr_t value;
  if (from_format != nullptr && to_format != nullptr) {
    Numbers in = numbers(*from_format, q.mode), out = numbers(*to_format, q.mode);
    const uint64_t x = in.take(source(*from_format, row, q, l.src[0], 0));
    uint64_t result = 0;
    if (in.nan({x}, result)) {
      // Sign and the top of the payload.
      const uint64_t fraction = result & (from_format->smallest_normal() - 1);
      const int shift =
          static_cast<int>(to_format->fraction_bits) - static_cast<int>(from_format->fraction_bits);
      result = (from_format->negative(x) ? to_format->sign() : 0) | to_format->infinity() |
               (shift < 0 ? fraction >> -shift : fraction << shift);
    } else {
      mpfr_init2(value, 64);
      set(value, *from_format, x);
      result = out.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
      mpfr_clear(value);
    }
    result = out.output(result, q.modifiers.omod, q.modifiers.clamp);
    e.dst = result;
    e.flags = in.flags | out.flags;
    return e;
  }
  if (!wide) return std::nullopt;
  if (integer_from) {
    Numbers out = numbers(kDouble, q.mode);
    const auto word = static_cast<uint32_t>(l.src[0]);
    mpfr_init2(value, 64);
    if (n.type == "i32") {
      mpfr_set_si(value, static_cast<int32_t>(word), MPFR_RNDN);
    } else {
      mpfr_set_ui(value, word, MPFR_RNDN);
    }
    const uint64_t result =
        out.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
    mpfr_clear(value);
    e.dst = out.output(result, q.modifiers.omod, q.modifiers.clamp);
    e.flags = out.flags;
    return e;
  }
  if (!integer_to || from_format == nullptr) return std::nullopt;
  Numbers in = numbers(*from_format, q.mode);
  const uint64_t x = in.take(source(*from_format, row, q, l.src[0], 0));
  if (from_format->is_nan(x)) {
    in.flags |= kInvalid;
    e.flags = in.flags;
    return e;
  }
  mpfr_init2(value, 64);
  set(value, *from_format, x);
  const bool is_signed = to == "i32";
  e.dst = static_cast<uint32_t>(held_integer(in, value, is_signed ? INT32_MIN : 0L,
                                             is_signed ? INT32_MAX : long{UINT32_MAX},
                                             q.modifiers.clamp));
  mpfr_clear(value);
  e.flags = in.flags;
  return e;
}

/// 16-bit integers to and from halves, packing, and the odd ones.
std::optional<Expected> repack(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  const isa::Modifiers& m = q.modifiers;
  Expected e;
  if (name == "v_pack_b32_f16") {
    for (unsigned s = 0; s < 2; ++s) e.dst |= source(kHalf, row, q, l.src[s], s) << 16 * s;
    return e;
  }
  if (name == "v_cvt_f16_u16" || name == "v_cvt_f16_i16") {
    Numbers n = numbers(kHalf, q.mode);
    const auto word = static_cast<uint16_t>(l.src[0]);
    const long x = name == "v_cvt_f16_u16" ? long{word} : long{static_cast<int16_t>(word)};
    const uint64_t result = n.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set_si(r, x, d); });
    e.dst = n.output(result, m.omod, m.clamp);
    e.flags = n.flags;
    return e;
  }
  if (name == "v_cvt_off_f32_i4") {
    Numbers n = numbers(kSingle, q.mode);
    const long field = static_cast<long>(l.src[0] & 15);
    const long x = field < 8 ? field : field - 16;
    const uint64_t result =
        n.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set_si_2exp(r, x, -4, d); });
    e.dst = n.output(result, m.omod, m.clamp);
    e.flags = n.flags;
    return e;
  }
  const bool rpi = name == "v_cvt_rpi_i32_f32";
  if (!rpi && name != "v_cvt_u16_f16" && name != "v_cvt_i16_f16") return std::nullopt;
  const Format& f = rpi ? kSingle : kHalf;
  Numbers n = numbers(f, q.mode);
  const uint64_t x = n.take(source(f, row, q, l.src[0], 0));
  if (f.is_nan(x)) {
    n.flags |= kInvalid;
  } else {
    mpfr_t value;
    mpfr_init2(value, 300);
    set(value, f, x);
    const bool whole = mpfr_inf_p(value) != 0 || mpfr_integer_p(value) != 0;
    if (rpi) {
      mpfr_add_d(value, value, 0.5, MPFR_RNDN);
      if (mpfr_inf_p(value) == 0) mpfr_floor(value, value);
      e.dst = static_cast<uint32_t>(held_integer(n, value, INT32_MIN, INT32_MAX, false));
      if (!whole && m.clamp && (n.flags & kInvalid) == 0) n.flags |= kInexact;
    } else if (name == "v_cvt_u16_f16") {
      e.dst = static_cast<uint16_t>(held_integer(n, value, 0, UINT16_MAX, m.clamp));
    } else {
      e.dst = static_cast<uint16_t>(held_integer(n, value, INT16_MIN, INT16_MAX, m.clamp));
    }
    mpfr_clear(value);
  }
  e.flags = n.flags;
  return e;
}

/// S1 names classes: signaling NaN, quiet NaN, then from minus infinity to infinity.
Expected classes(const Format& f, const isa::Row& row, const valu::Request& q, const Lane& l) {
  const uint64_t x = source(f, row, q, l.src[0], 0);
  unsigned at = 0;
  if (f.is_nan(x)) {
    at = f.is_signaling(x) ? 0 : 1;
  } else {
    const unsigned from_zero = f.is_infinite(x) ? 3 : f.is_zero(x) ? 0 : f.is_subnormal(x) ? 1 : 2;
    at = f.negative(x) ? 5 - from_zero : 6 + from_zero;
  }
  Expected e;
  e.mask = bit(l.src[1], at);
  return e;
}

}  // namespace

std::optional<Expected> compares(const isa::Row& row, const valu::Request& q, const Lane& l) {
  std::string name(row.mnemonic);
  if (!starts(name, "v_cmp_") && !starts(name, "v_cmpx_")) return std::nullopt;
  name = name.substr(name.find('_', 2) + 1);
  const std::string condition = name.substr(0, name.find('_'));
  const std::string type = name.substr(name.find('_') + 1);
  const Format* f = format_of(type);
  Expected e;
  if (condition == "class" && f != nullptr) {
    e = classes(*f, row, q, l);
  } else if (f != nullptr) {
    // Bits: less, equal, greater, unordered.
    static const std::vector<std::string> conditions = {"f",   "lt",  "eq",  "le",  "gt",  "lg",
                                                        "ge",  "o",   "u",   "nge", "nlg", "ngt",
                                                        "nle", "neq", "nlt", "tru"};
    Numbers n = numbers(*f, q.mode);
    const uint64_t a = n.take(source(*f, row, q, l.src[0], 0));
    const uint64_t b = n.take(source(*f, row, q, l.src[1], 1));
    const int order = n.order(a, b);
    const unsigned relation = order == 2 ? 3 : static_cast<unsigned>(order + 1);
    if (f->is_signaling(a) || f->is_signaling(b) || (q.modifiers.clamp && order == 2)) {
      n.flags |= kInvalid;
    }
    unsigned number = 0;
    while (number < 16 && conditions[number] != condition) ++number;
    e.mask = bit(number, relation);
    if (number != 0 && number != 15) e.flags = n.flags;
  } else {
    static const std::vector<std::string> conditions = {"f",  "lt", "eq", "le",
                                                        "gt", "ne", "ge", "t"};
    const bool wide = type == "i64" || type == "u64";
    const bool is_signed = type[0] == 'i';
    const unsigned width = wide ? 64 : type.find("16") != std::string::npos ? 16 : 32;
    // Signed values keep their order when the sign bit is turned.
    const uint64_t turn = is_signed ? uint64_t{1} << (width - 1) : 0;
    const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    const uint64_t a = (l.src[0] & all) ^ turn, b = (l.src[1] & all) ^ turn;
    unsigned number = 0;
    while (number < 8 && conditions[number] != condition) ++number;
    e.mask = bit(number, a < b ? 0 : a == b ? 1 : 2);
  }
  e.writes = false;
  e.has_mask = true;
  return e;
}

std::optional<Expected> floats(const isa::Row& row, const valu::Request& q, const Lane& l) {
  if (auto done = packed(row, q, l)) return done;
  if (auto done = legacy(row, q, l)) return done;
  if (auto done = mix(row, q, l)) return done;
  if (auto done = sum(row, q, l)) return done;
  if (auto done = parts(row, q, l)) return done;
  if (auto done = repack(row, q, l)) return done;
  return convert(row, q, l);
}

std::optional<Expected> expected(const isa::Row& row, const valu::Request& q, const Lane& l) {
  if (auto done = compares(row, q, l)) return done;
  if (auto done = floats(row, q, l)) return done;
  if (auto done = others(row, q, l)) return done;
  if (auto done = functions(row, q, l)) return done;
  if (auto done = division(row, q, l)) return done;
  if (auto done = bytes(row, q, l)) return done;
  return integers(row, q, l);
}

}  // namespace cuvette::valu_manual
