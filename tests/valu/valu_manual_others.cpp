// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_manual_parts.h"

// Cube maps, dot products of halves, conversion toward zero and to normalized integers (Vega ISA
// 12.6, 12.9, 12.10).
namespace cuvette::valu_manual {
namespace {

uint64_t magnitude_of(uint64_t x) {
  return kSingle.magnitude(x);
}

/// Faces of a cube by the coordinate of the largest magnitude; z wins ties, then y. Cases that the
/// manual leaves open are not answered: NaNs, and whether a coordinate that is passed on is
/// flushed.
std::optional<Expected> cube(const std::string& name, const valu::Request& q, const Lane& l) {
  if (name.rfind("v_cube", 0) != 0) return std::nullopt;
  Numbers n = numbers(kSingle, q.mode);
  uint64_t x[3] = {};
  for (unsigned s = 0; s < 3; ++s) {
    uint64_t bits = l.src[s] & kSingle.all();
    if (bit(q.modifiers.abs, s)) bits &= ~kSingle.sign();
    if (bit(q.modifiers.neg, s)) bits ^= kSingle.sign();
    x[s] = n.take(bits);
    const bool passes_on = name == "v_cubesc_f32" || name == "v_cubetc_f32";
    if (kSingle.is_nan(x[s]) || (passes_on && x[s] != bits)) return std::nullopt;
  }
  const uint64_t ax = magnitude_of(x[0]), ay = magnitude_of(x[1]), az = magnitude_of(x[2]);
  const unsigned major = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
  const bool below = kSingle.negative(x[major]) && !kSingle.is_zero(x[major]);
  const auto minus = [](uint64_t bits) { return bits ^ kSingle.sign(); };
  const std::string what = name.substr(6, 2);
  uint64_t result = 0;
  if (what == "id") {
    constexpr uint64_t kFaces[] = {0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000};
    result = kFaces[2 * major + (below ? 1 : 0)];
  } else if (what == "sc") {
    result = major == 2   ? below ? minus(x[0]) : x[0]
               : major == 1 ? x[0]
             : below      ? x[2]
                          : minus(x[2]);
  } else if (what == "tc") {
    result = major != 1 ? minus(x[1]) : below ? minus(x[2]) : x[2];
  } else {
    result = n.mul(x[major], 0x40000000);
  }
  Expected e;
  e.dst = n.output(result, q.modifiers.omod, q.modifiers.clamp);
  e.flags = n.flags;
  return e;
}

/// A half as a number of binary32.
uint64_t widened(uint64_t bits) {
  if (kHalf.is_nan(bits)) {
    return (bits & 0x8000) << 16 | kSingle.infinity() | (bits & 0x3ff) << 13;
  }
  mpfr_t value;
  mpfr_init2(value, 24);
  set(value, kHalf, bits);
  Numbers exact;
  exact.f = kSingle;
  const uint64_t out = exact.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
  mpfr_clear(value);
  return out;
}

/// Two fused steps, the low elements first (valu.md: the manuals give no order). Whatever MODE
/// says, a subnormal addend is +0, and so is a subnormal half on gfx90a, where others take it as it
/// is (docs/reference/decisions.md D52).
std::optional<Expected> dot(const isa::Row& row, const std::string& name, const valu::Request& q,
                            const Lane& l) {
  const bool accumulates = name == "v_dot2c_f32_f16";
  if (!accumulates && name != "v_dot2_f32_f16") return std::nullopt;
  const isa::Modifiers& m = q.modifiers;
  const bool vop3p = row.format == isa::Format::Vop3p;
  Numbers half = numbers(kHalf, q.mode), n = numbers(kSingle, q.mode);
  half.flush_in = false;
  n.flush_out = true;
  uint64_t sum = (accumulates ? l.old : l.src[2]) & kSingle.all();
  if (vop3p && bit(m.neg, 2)) sum ^= kSingle.sign();
  if (kSingle.is_subnormal(sum)) sum = 0;
  for (const bool high : {false, true}) {
    uint64_t x[2] = {};
    for (unsigned s = 0; s < 2; ++s) {
      const bool upper = vop3p ? bit(high ? m.op_sel_hi : m.op_sel, s) : high;
      x[s] = (upper ? l.src[s] >> 16 : l.src[s]) & 0xffff;
      if (vop3p && bit(high ? m.neg_hi : m.neg, s)) x[s] ^= kHalf.sign();
      if (l.target == isa::Target::Gfx90a && kHalf.is_subnormal(x[s])) x[s] = 0;
      x[s] = widened(half.take(x[s]));
    }
    sum = n.fma(x[0], x[1], sum);
  }
  Expected e;
  e.dst = n.output(sum, 0, m.clamp);
  e.flags = n.flags | half.flags;
  return e;
}

/// Toward zero whatever MODE says; modifiers change each half.
std::optional<Expected> toward_zero(const std::string& name, const valu::Request& q,
                                    const Lane& l) {
  if (name != "v_cvt_pkrtz_f16_f32") return std::nullopt;
  Numbers in = numbers(kSingle, q.mode), out = numbers(kHalf, q.mode);
  out.round = 3;
  Expected e;
  for (unsigned s = 0; s < 2; ++s) {
    uint64_t bits = l.src[s] & kSingle.all(), result = 0;
    if (bit(q.modifiers.abs, s)) bits &= ~kSingle.sign();
    if (bit(q.modifiers.neg, s)) bits ^= kSingle.sign();
    bits = in.take(bits);
    if (in.nan({bits}, result)) {
      result = (result >> 16 & 0x8000) | kHalf.infinity() | (result >> 13 & 0x3ff);
    } else {
      mpfr_t value;
      mpfr_init2(value, 24);
      set(value, kSingle, bits);
      result = out.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, value, d); });
      mpfr_clear(value);
    }
    result = out.output(result, q.modifiers.omod, q.modifiers.clamp);
    e.dst |= result << 16 * s;
  }
  e.flags = in.flags | out.flags;
  return e;
}

/// x in [-1, 1] or [0, 1] times 32767 or 65535 as an integer, rounded as MODE says for its format;
/// a NaN is invalid and gives 0. With CLAMP or OP_SEL: not answered.
std::optional<Expected> normalized(const std::string& name, const valu::Request& q, const Lane& l) {
  const bool pair = name.rfind("v_cvt_pknorm_", 0) == 0;
  if (!pair && name.rfind("v_cvt_norm_", 0) != 0) return std::nullopt;
  if (q.modifiers.clamp || q.modifiers.op_sel != 0) return std::nullopt;
  const bool is_signed = name.find("_i16_") != std::string::npos;
  const Format& format = name.compare(name.size() - 3, 3, "f16") == 0 ? kHalf : kSingle;
  Numbers in = numbers(format, q.mode);
  Expected e;
  for (unsigned s = 0; s < (pair ? 2u : 1u); ++s) {
    uint64_t bits = l.src[s] & format.all();
    if (bit(q.modifiers.abs, s)) bits &= ~format.sign();
    if (bit(q.modifiers.neg, s)) bits ^= format.sign();
    bits = in.take(bits);
    if (format.is_nan(bits)) {
      in.flags |= kInvalid;
      continue;
    }
    mpfr_t x, whole;
    mpfr_init2(x, 64);
    mpfr_init2(whole, 64);
    set(x, format, bits);
    const long lowest = is_signed ? -1 : 0;
    if (mpfr_cmp_si(x, lowest) < 0) mpfr_set_si(x, lowest, MPFR_RNDN);
    if (mpfr_cmp_si(x, 1) > 0) mpfr_set_si(x, 1, MPFR_RNDN);
    mpfr_mul_si(x, x, is_signed ? 32767 : 65535, MPFR_RNDN);
    if (in.round == 0) {
      mpfr_roundeven(whole, x);
    } else {
      mpfr_rint(whole, x, in.direction());
    }
    if (!mpfr_equal_p(whole, x)) in.flags |= kInexact;
    e.dst |= (static_cast<uint64_t>(mpfr_get_si(whole, MPFR_RNDN)) & 0xffff) << 16 * s;
    mpfr_clear(x);
    mpfr_clear(whole);
  }
  e.flags = in.flags;
  return e;
}

/// Two numbers of binary32 in register pairs: OP_SEL and NEG are of the low result, OP_SEL_HI and
/// NEG_HI of the high one. The move has its low result from source 0, its high one from source 1.
std::optional<Expected> pair(const std::string& name, const valu::Request& q, const Lane& l) {
  const isa::Modifiers& m = q.modifiers;
  const auto word = [&](unsigned s, unsigned select) {
    return l.src[s] >> (bit(select, s) ? 32 : 0) & kSingle.all();
  };
  Expected e;
  if (name == "v_pk_mov_b32") {
    e.dst = word(0, m.op_sel) | word(1, m.op_sel) << 32;
    return e;
  }
  const bool adds = name == "v_pk_add_f32", fuses = name == "v_pk_fma_f32";
  if (!adds && !fuses && name != "v_pk_mul_f32") return std::nullopt;
  Numbers n = numbers(kSingle, q.mode);
  for (unsigned high = 0; high < 2; ++high) {
    uint64_t x[3] = {};
    for (unsigned s = 0; s < (fuses ? 3u : 2u); ++s) {
      x[s] = word(s, high != 0 ? m.op_sel_hi : m.op_sel);
      if (bit(high != 0 ? m.neg_hi : m.neg, s)) x[s] ^= kSingle.sign();
      x[s] = n.take(x[s]);
    }
    const uint64_t result = adds    ? n.add(x[0], x[1])
                            : fuses ? n.fma(x[0], x[1], x[2])
                                    : n.mul(x[0], x[1]);
    e.dst |= n.output(result, 0, m.clamp) << 32 * high;
  }
  e.flags = n.flags;
  return e;
}

}  // namespace

std::optional<Expected> others(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  if (auto done = cube(name, q, l)) return done;
  if (auto done = dot(row, name, q, l)) return done;
  if (auto done = normalized(name, q, l)) return done;
  if (auto done = pair(name, q, l)) return done;
  return toward_zero(name, q, l);
}

}  // namespace cuvette::valu_manual
