// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/bits.h"
#include "fp/arith.h"
#include "fp/compare.h"
#include "fp/convert.h"
#include "fp/integral.h"
#include "fp/reciprocal.h"
#include "hsail/exec.h"
#include "hsail/gcn_table.h"
#include "hsail/two_over_pi.h"

// The instructions of extension amd:gcn (hsail_gcn.md), from the ISA manuals' descriptions of
// the machine instructions that they are.
namespace cuvette::hsail {

namespace {

using fp::BitsOf;
using fp::Env;
using fp::F16;
using fp::F32;
using fp::F64;

/// One lane: up to three sources, unused ones of any value.
using Function = uint64_t (*)(uint64_t a, uint64_t b, uint64_t c, Env& env);

template <Function F>
void each(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  const uint64_t* x = c.slot(op.src[0]);
  const uint64_t* y = c.slot(op.src[1]);
  const uint64_t* z = c.slot(op.src[2]);
  Env env = op.env;
  c.each_lane([&](unsigned l) { d[l] = F(x[l], y[l], z[l], env); });
}

uint64_t madu(uint64_t a, uint64_t b, uint64_t c, Env&) {
  return (a & 0xffffffff) * (b & 0xffffffff) + c;
}
uint64_t mads(uint64_t a, uint64_t b, uint64_t c, Env&) {
  const int64_t product = int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b);
  return static_cast<uint64_t>(product) + c;
}

// --- Choices among two or three ---

enum class Choice { kLeast, kMiddle, kMost };

template <class T, Choice C>
uint64_t choose3(uint64_t a, uint64_t b, uint64_t c, Env&) {
  T sorted[] = {static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)};
  std::sort(std::begin(sorted), std::end(sorted));
  return static_cast<uint32_t>(sorted[static_cast<size_t>(C)]);
}
template <class T, Choice C>
uint64_t choose2(uint64_t a, uint64_t b, uint64_t, Env&) {
  const T x = static_cast<T>(a);
  const T y = static_cast<T>(b);
  return static_cast<uint32_t>(C == Choice::kLeast ? std::min(x, y) : std::max(x, y));
}

template <class F, Choice C>
uint64_t float2(uint64_t a, uint64_t b, uint64_t, Env& env) {
  const auto x = static_cast<BitsOf<F>>(a);
  const auto y = static_cast<BitsOf<F>>(b);
  return C == Choice::kLeast ? fp::min<F>(x, y, env) : fp::max<F>(x, y, env);
}
template <Choice C>
uint64_t float3(uint64_t a, uint64_t b, uint64_t c, Env& env) {
  return float2<F32, C>(float2<F32, C>(a, b, 0, env), c, 0, env);
}
/// The larger of what is left without a largest one, zeros being equal; with a NaN the least one.
uint64_t float_middle(uint64_t a, uint64_t b, uint64_t c, Env& env) {
  const auto nan = [](uint64_t x) { return fp::is_nan<F32>(static_cast<uint32_t>(x)); };
  if (nan(a) || nan(b) || nan(c)) return float3<Choice::kLeast>(a, b, c, env);
  const auto least_of = [&](uint64_t x, uint64_t y) {  // x >= y
    const auto order = fp::compare<F32>(static_cast<uint32_t>(x), static_cast<uint32_t>(y), env);
    return order != fp::Ordering::Less;
  };
  if (least_of(a, b) && least_of(a, c)) return float2<F32, Choice::kMost>(b, c, 0, env);
  if (least_of(b, a) && least_of(b, c)) return float2<F32, Choice::kMost>(a, c, 0, env);
  return float2<F32, Choice::kMost>(a, b, 0, env);
}

// --- Parts of numbers ---

template <class F>
uint64_t scale(uint64_t a, uint64_t b, uint64_t, Env& env) {
  return fp::ldexp<F>(static_cast<BitsOf<F>>(a), static_cast<int32_t>(b), env);
}
template <class F>
uint64_t exponent(uint64_t a, uint64_t, uint64_t, Env& env) {
  return static_cast<uint32_t>(fp::frexp_exp<F>(static_cast<BitsOf<F>>(a), env));
}
template <class F>
uint64_t mantissa(uint64_t a, uint64_t, uint64_t, Env& env) {
  return fp::frexp_mant<F>(static_cast<BitsOf<F>>(a), env);
}

/// 53 bits of 2 / pi: the b-th such group behind the point, further on by how far the exponent of a
/// large number is beyond 1077, at their place but for a factor of 2^128 where they would be lost.
uint64_t trig_preop(uint64_t a, uint64_t b, uint64_t, Env& env) {
  if (env.flush_in && fp::is_subnormal<F64>(a)) a = 0;
  const auto biased = static_cast<unsigned>(a >> 52 & 0x7ff);
  const unsigned skipped = static_cast<unsigned>(b & 31) * 53 + (biased > 1077 ? biased - 1077 : 0);
  const int place = -53 - static_cast<int>(skipped) + (biased >= 1968 ? 128 : 0);
  Env toward_zero = env;
  toward_zero.round = fp::Round::Zero;
  const uint64_t whole = fp::from_int<F64>(two_over_pi_bits(skipped, 53), toward_zero);
  return fp::ldexp<F64>(whole, place, toward_zero);
}

uint64_t bit_field_mask(uint64_t a, uint64_t b, uint64_t, Env&) {
  return static_cast<uint32_t>(base::low_mask(a & 31) << (b & 31));
}

// --- Sums of absolute differences ---

unsigned part(uint64_t x, unsigned n, unsigned bits) {
  return static_cast<unsigned>(x >> n * bits & base::low_mask(bits));
}
/// Sum of absolute differences of the four bytes of `a` and of the reference `b`; masked: except
/// where the reference is 0.
unsigned byte_differences(uint64_t a, uint64_t b, bool masked) {
  unsigned sum = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const int reference = static_cast<int>(part(b, n, 8));
    if (masked && reference == 0) continue;
    sum += static_cast<unsigned>(std::abs(static_cast<int>(part(a, n, 8)) - reference));
  }
  return sum;
}
uint64_t masked_sad(uint64_t a, uint64_t b, uint64_t c, Env&) {
  return static_cast<uint32_t>(byte_differences(a, b, true) + c);
}
/// Four windows of four bytes, each a byte further; sums of 16 bits.
template <bool Masked>
uint64_t four_sads(uint64_t a, uint64_t b, uint64_t c, Env&) {
  uint64_t all = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned sum = byte_differences(a >> 8 * n, b, Masked) + part(c, n, 16);
    all |= uint64_t{sum & 0xffff} << 16 * n;
  }
  return all;
}
/// The same with sums of 32 bits. All sources are read before a destination is written.
void four_masked_sads(ExecContext& c, const Op& op) {
  c.each_lane([&](unsigned l) {
    uint32_t sums[4];
    for (unsigned n = 0; n < 4; ++n) {
      const uint64_t window = c.slot(op.src[0])[l] >> 8 * n;
      sums[n] = byte_differences(window, c.slot(op.src[1])[l], true) +
                static_cast<uint32_t>(c.slot(op.src[2 + n])[l]);
    }
    for (unsigned n = 0; n < 4; ++n) c.slot(op.dest[n])[l] = sums[n];
  });
}
uint64_t halves_sad(uint64_t a, uint64_t b, uint64_t c, Env&) {
  uint64_t sum = c;
  for (unsigned n = 0; n < 2; ++n) {
    const unsigned x = part(a, n, 16);
    const unsigned y = part(b, n, 16);
    sum += std::max(x, y) - std::min(x, y);
  }
  return static_cast<uint32_t>(sum);
}
uint64_t words_sad(uint64_t a, uint64_t b, uint64_t c, Env&) {
  const auto x = static_cast<uint32_t>(a);
  const auto y = static_cast<uint32_t>(b);
  return static_cast<uint32_t>(std::max(x, y) - std::min(x, y) + c);
}

// --- Quotients that need not be exact (docs/reference/hsail_gcn.md) ---

uint64_t quotient(uint64_t a, uint64_t b, uint64_t, Env& env) {
  const auto reciprocal = fp::v_rcp<F32>(static_cast<uint32_t>(b), env);
  return fp::mul<F32>(static_cast<uint32_t>(a), reciprocal, env);
}
/// A divisor beyond 2^96 is made smaller by 2^32, one below 2^-96 larger, and so is the quotient.
uint64_t scaled_quotient(uint64_t a, uint64_t b, uint64_t, Env& env) {
  constexpr uint32_t kOne = 0x3f800000;
  constexpr uint32_t kSmaller = 0x2f800000;  // 2^-32
  constexpr uint32_t kLarger = 0x4f800000;   // 2^32
  constexpr uint32_t kLargest = 0x6f800000;  // 2^96
  constexpr uint32_t kLeast = 0x0f800000;    // 2^-96
  Env inner = env;
  inner.flush_in = inner.flush_out = false;
  const auto taken = [&](uint64_t x) {
    const auto bits = static_cast<uint32_t>(x);
    return env.flush_in && fp::is_subnormal<F32>(bits) ? bits & 0x80000000 : bits;
  };
  const uint32_t divisor = taken(b);
  const uint32_t size = fp::magnitude<F32>(divisor);
  const uint32_t factor = fp::is_nan<F32>(divisor) ? kOne
                          : size > kLargest        ? kSmaller
                          : size < kLeast          ? kLarger
                                                   : kOne;
  const auto scaled = fp::mul<F32>(divisor, factor, inner);
  const uint64_t raw = quotient(taken(a), scaled, 0, inner);
  const auto result = fp::mul<F32>(static_cast<uint32_t>(raw), factor, inner);
  return env.flush_out && fp::is_subnormal<F32>(result) ? result & 0x80000000 : result;
}

// --- Lanes ---

/// `from(lane)`: whose value; that of a lane which is not active counts as 0.
template <class From>
void exchange(ExecContext& c, const Op& op, From from) {
  const uint64_t* a = c.slot(op.src[0]);
  uint64_t taken[kMostLanes];
  c.each_lane([&](unsigned l) { taken[l] = c.mask.has(from(l)) ? a[from(l)] : 0; });
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([&](unsigned l) { d[l] = taken[l]; });
}
/// Inside of four lanes: two bits of the pattern for each.
void exchange_of_4(ExecContext& c, const Op& op) {
  const uint64_t pattern = c.slot(op.src[1])[c.mask.first()];
  exchange(c, op, [&](unsigned l) { return l / 4 * 4 + part(pattern, l % 4, 2); });
}
/// Inside of 32 lanes: the pattern keeps, sets and turns bits of the lane's number.
void exchange_of_32(ExecContext& c, const Op& op) {
  const uint64_t pattern = c.slot(op.src[1])[c.mask.first()];
  exchange(c, op, [&](unsigned l) {
    const unsigned kept = l % 32 & part(pattern, 0, 5);
    return l / 32 * 32 + ((kept | part(pattern, 1, 5)) ^ part(pattern, 2, 5));
  });
}

/// Sleep and priority change times alone, and the region's size is part of the program.
void no_effect(ExecContext&, const Op&) {}

struct Row {
  Opcode opcode;
  Type type;
  Handler handler;
};
constexpr Choice kLeast = Choice::kLeast;
constexpr Choice kMiddle = Choice::kMiddle;
constexpr Choice kMost = Choice::kMost;
constexpr Row kRows[] = {
    {Opcode::kGcnMadu, Type::kB32, each<madu>},
    {Opcode::kGcnMads, Type::kB32, each<mads>},
    {Opcode::kGcnMax3, Type::kS32, each<choose3<int32_t, kMost>>},
    {Opcode::kGcnMax3, Type::kU32, each<choose3<uint32_t, kMost>>},
    {Opcode::kGcnMax3, Type::kF32, each<float3<kMost>>},
    {Opcode::kGcnMin3, Type::kS32, each<choose3<int32_t, kLeast>>},
    {Opcode::kGcnMin3, Type::kU32, each<choose3<uint32_t, kLeast>>},
    {Opcode::kGcnMin3, Type::kF32, each<float3<kLeast>>},
    {Opcode::kGcnMed3, Type::kS32, each<choose3<int32_t, kMiddle>>},
    {Opcode::kGcnMed3, Type::kU32, each<choose3<uint32_t, kMiddle>>},
    {Opcode::kGcnMed3, Type::kF32, each<float_middle>},
    {Opcode::kGcnFldexp, Type::kF16, each<scale<F16>>},
    {Opcode::kGcnFldexp, Type::kF32, each<scale<F32>>},
    {Opcode::kGcnFldexp, Type::kF64, each<scale<F64>>},
    {Opcode::kGcnFrexpExp, Type::kF16, each<exponent<F16>>},
    {Opcode::kGcnFrexpExp, Type::kF32, each<exponent<F32>>},
    {Opcode::kGcnFrexpExp, Type::kF64, each<exponent<F64>>},
    {Opcode::kGcnFrexpMant, Type::kF16, each<mantissa<F16>>},
    {Opcode::kGcnFrexpMant, Type::kF32, each<mantissa<F32>>},
    {Opcode::kGcnFrexpMant, Type::kF64, each<mantissa<F64>>},
    {Opcode::kGcnTrigPreop, Type::kF64, each<trig_preop>},
    {Opcode::kGcnBfm, Type::kB32, each<bit_field_mask>},
    {Opcode::kGcnSleep, Type::kU32, no_effect},
    {Opcode::kGcnPriority, Type::kU32, no_effect},
    {Opcode::kGcnRegionAlloc, Type::kB32, no_effect},
    {Opcode::kGcnMsad, Type::kB32, each<masked_sad>},
    {Opcode::kGcnQsad, Type::kB64, each<four_sads<false>>},
    {Opcode::kGcnMqsad, Type::kB64, each<four_sads<true>>},
    {Opcode::kGcnMqsad4, Type::kB32, four_masked_sads},
    {Opcode::kGcnSadw, Type::kB32, each<halves_sad>},
    {Opcode::kGcnSadd, Type::kB32, each<words_sad>},
    {Opcode::kGcnB4xchg, Type::kB32, exchange_of_4},
    {Opcode::kGcnB32xchg, Type::kB32, exchange_of_32},
    {Opcode::kGcnMax, Type::kS32, each<choose2<int32_t, kMost>>},
    {Opcode::kGcnMax, Type::kU32, each<choose2<uint32_t, kMost>>},
    {Opcode::kGcnMax, Type::kF16, each<float2<F16, kMost>>},
    {Opcode::kGcnMax, Type::kF32, each<float2<F32, kMost>>},
    {Opcode::kGcnMax, Type::kF64, each<float2<F64, kMost>>},
    {Opcode::kGcnMin, Type::kS32, each<choose2<int32_t, kLeast>>},
    {Opcode::kGcnMin, Type::kU32, each<choose2<uint32_t, kLeast>>},
    {Opcode::kGcnMin, Type::kF16, each<float2<F16, kLeast>>},
    {Opcode::kGcnMin, Type::kF32, each<float2<F32, kLeast>>},
    {Opcode::kGcnMin, Type::kF64, each<float2<F64, kLeast>>},
    {Opcode::kGcnDivRelaxed, Type::kF32, each<scaled_quotient>},
    {Opcode::kGcnDivRelaxedNarrow, Type::kF32, each<quotient>},
};

}  // namespace

Handler gcn_handler(const Inst& inst) {
  if (!is_gcn(inst.opcode)) return nullptr;
  for (const Row& row : kRows) {
    if (row.opcode == inst.opcode && row.type == inst.type) return row.handler;
  }
  return nullptr;
}

}  // namespace cuvette::hsail
