// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/convert.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Conversions (Vega ISA 12.7, 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

/// Between formats.
template <class To, class From>
void convert(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of_conversion<To, From>(op);
  for_active(op, [&](unsigned lane) {
    out.put<To>(lane, fp::convert<To, From>(in.get<From>(0, lane), env), env);
  });
  result.flags = env.flags;
}

/// From integers: fn(word) gives the number.
template <class To, auto Fn>
void from_word(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<To>(op);
  for_active(op, [&](unsigned lane) {
    const uint32_t word = std::is_same_v<To, F16> ? in.raw().b16(0, lane) : in.raw().b32(0, lane);
    out.put<To>(lane, fp::from_int<To>(Fn(word), env), env);
  });
  result.flags = env.flags;
}

/// From a word of 16 bits.
template <auto Fn>
uint16_t from_word16(uint16_t word, Env& env) {
  return fp::from_int<F16>(Fn(uint32_t{word}), env);
}

template <unsigned N>
uint32_t byte_of(uint32_t word) {
  return (word >> (8 * N)) & 0xff;
}

/// Sixteenths of the signed low nibble: exact.
void off_i4(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<F32>(op);
  for_active(op, [&](unsigned lane) {
    const auto value = static_cast<int32_t>(base::sign_extend(in.raw().b32(0, lane) & 15, 4));
    Env exact;
    out.put<F32>(lane, fp::ldexp<F32>(fp::from_int<F32>(value, exact), -4, exact), env);
  });
  result.flags = env.flags;
}

/// Flags of a conversion to an integer: INEXACT only with CLAMP (Vega ISA 12.7 rows 3, 7, 8).
void report_to_int(const LaneOp& op, const Env& env, LaneResult& result) {
  const unsigned dropped = clamps(op) ? 0 : fp::kInexact;
  result.flags = static_cast<uint8_t>(env.flags & ~dropped);
}

/// To a saturated integer of Width bits; NaN gives 0.
template <class From, unsigned Width, bool Signed, fp::Round Direction = fp::Round::Zero>
void to_int(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  Sink out(op, result);
  Env env = env_of<From>(op);
  for_active(op, [&](unsigned lane) {
    const uint64_t value =
        fp::to_int<From>(in.get<From>(0, lane), Width, Signed, Direction, env, true);
    if constexpr (Width == 16) {
      out.b16(lane, static_cast<uint16_t>(value));
    } else {
      out.b32(lane, base::lo32(value));
    }
  });
  report_to_int(op, env, result);
}

/// floor(x + 0.5). The sum of a float and a half is exact in double as far as its floor can tell.
void rpi(const LaneOp& op, LaneResult& result) {
  constexpr uint64_t kHalf = 0x3fe0000000000000;
  const FloatSources in(op);
  Sink out(op, result);
  Env env = env_of<F32>(op);
  for_active(op, [&](unsigned lane) {
    const uint64_t x = fp::convert<F64, F32>(in.get<F32>(0, lane), env);
    Env exact;
    const uint64_t sum = fp::add<F64>(x, kHalf, exact);
    out.b32(lane, base::lo32(fp::to_int<F64>(sum, 32, true, fp::Round::MinusInf, env, true)));
  });
  report_to_int(op, env, result);
}

/// x * Scale rounded as MODE says for the format, x held in [-1, 1] or [0, 1] first; NaN gives 0.
template <class F, bool Signed>
uint16_t normalized(BitsOf<F> x, Env& env) {
  constexpr uint64_t kScale = Signed ? 0x40dfffc000000000 : 0x40efffe000000000;  // 2^15-1, 2^16-1
  constexpr uint64_t kOne = F64::kOne;
  Env exact;
  exact.flush_in = env.flush_in;
  uint64_t wide = fp::convert<F64, F>(x, exact);
  fp::raise(env, exact.flags);
  if (!fp::is_nan<F64>(wide)) {
    if (fp::magnitude<F64>(wide) > kOne) wide = fp::with_sign<F64>(fp::sign_of<F64>(wide), kOne);
    if (!Signed && fp::sign_of<F64>(wide)) wide = 0;
  }
  const uint64_t scaled = fp::mul<F64>(wide, kScale, exact);
  return static_cast<uint16_t>(fp::to_int<F64>(scaled, 16, Signed, env.round, env, true));
}

template <bool Signed>
void cvt_norm(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  Sink out(op, result);
  Env env = env_of<F16>(op);
  for_active(op, [&](unsigned lane) {
    out.b16(lane, normalized<F16, Signed>(in.get<F16>(0, lane), env));
  });
  result.flags = env.flags;
}

template <class F, bool Signed>
void pack_norm(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  Sink out(op, result);
  Env env = env_of<F>(op);
  for_active(op, [&](unsigned lane) {
    const uint32_t lo = normalized<F, Signed>(in.get<F>(0, lane), env);
    const uint32_t hi = normalized<F, Signed>(in.get<F>(1, lane), env);
    out.b32(lane, lo | (hi << 16));
  });
  result.flags = env.flags;
}

/// Always toward zero, so that overflow gives the largest finite number. OMOD and CLAMP change each
/// half (decisions.md D40).
void pack_rtz_f16(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of_conversion<F16, F32>(op);
  env.round = fp::Round::Zero;
  for_active(op, [&](unsigned lane) {
    const uint32_t lo = out.finished<F16>(fp::convert<F16, F32>(in.get<F32>(0, lane), env), env);
    const uint32_t hi = out.finished<F16>(fp::convert<F16, F32>(in.get<F32>(1, lane), env), env);
    out.raw().b32(lane, lo | (hi << 16));
  });
  result.flags = env.flags;
}

/// Byte S1[1:0] of S2, or of the destination, replaced by S0 as an unsigned byte. The manual names
/// no rounding: MODE's is taken, so that the default is HSAIL packcvt (HSAIL PRM 5.15.2).
template <bool Accumulate>
void pack_u8(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  Sink out(op, result);
  Env env = env_of<F32>(op);
  for_active(op, [&](unsigned lane) {
    const uint64_t value = fp::to_int<F32>(in.get<F32>(0, lane), 8, false, env.round, env, true);
    const unsigned shift = 8 * (in.raw().b32(1, lane) & 3);
    const uint32_t rest = Accumulate ? out.old32(lane) : in.raw().b32(2, lane);
    out.b32(lane, base::lo32(base::insert_bits(rest, shift + 7, shift, value)));
  });
  result.flags = env.flags;
}

/// An 8-bit float is the low byte of the operand, or the byte an SDWA select names.
template <class From>
void from_fp8(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  FloatSink out(op, result);
  Env env = env_of<F32>(op);
  for_active(op, [&](unsigned lane) {
    const auto x = static_cast<uint8_t>(in.b32(0, lane));
    Env exact;
    out.put<F32>(lane, fp::convert<F32, From>(x, exact), env);
  });
  result.flags = env.flags;
}

/// Two of them, from the low half or the half an SDWA select names.
template <class From>
void from_fp8_pair(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const FloatSink out(op, result);
  Env env = env_of<F32>(op);
  for_active(op, [&](unsigned lane) {
    const uint32_t word = in.b32(0, lane);
    Env exact;
    const uint32_t lo = fp::convert<F32, From>(static_cast<uint8_t>(word), exact);
    const uint32_t hi = fp::convert<F32, From>(static_cast<uint8_t>(word >> 8), exact);
    result.dst[0][lane] = out.finished<F32>(lo, env);
    result.dst[1][lane] = out.finished<F32>(hi, env);
  });
  result.flags = env.flags;
}

/// Two 8-bit floats into the half that op_sel[3] names; the other half stays. Nearest even.
template <class To>
void pack_fp8(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  const bool high = base::bit(op.instruction->mod.op_sel, 3);
  Env env = env_of<F32>(op);
  env.round = fp::Round::NearestEven;
  env.flush_out = false;
  env.fp16_ovfl = op.mode.fp16_ovfl();
  for_active(op, [&](unsigned lane) {
    const uint32_t lo = fp::convert<To, F32>(in.get<F32>(0, lane), env);
    const uint32_t hi = fp::convert<To, F32>(in.get<F32>(1, lane), env);
    uint32_t& d = result.dst[0][lane];
    d = high ? (d & 0xffff) | (lo << 16) | (hi << 24) : (d & 0xffff0000) | lo | (hi << 8);
  });
  result.flags = env.flags;
}

/// One 8-bit float, rounded with the random bits of S1, into the byte op_sel[3:2] names; the other
/// bytes stay.
template <class To>
void stochastic_fp8(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  const unsigned shift = 8u * (op.instruction->mod.op_sel >> 2 & 3u);
  Env env = env_of<F32>(op);
  env.fp16_ovfl = op.mode.fp16_ovfl();
  for_active(op, [&](unsigned lane) {
    const uint32_t random = op.src[1][0][lane];
    const uint32_t value = fp::convert_stochastic<To>(in.get<F32>(0, lane), random, env);
    uint32_t& d = result.dst[0][lane];
    d = base::lo32(base::insert_bits(d, shift + 7, shift, value));
  });
  result.flags = env.flags;
}

constexpr auto kUnsigned = [](uint32_t word) { return word; };
constexpr auto kSigned = [](uint32_t word) { return as_i32(word); };
constexpr auto kSigned16 = [](uint32_t word) { return as_i16(static_cast<uint16_t>(word)); };

// With functions of their own on every level (level_convert.h).
#if CUVETTE_LANES_LEVEL == 0
template <class Op, HostMode Mode, LaneHandler Soft>
constexpr Row kFromInt = Soft;
template <bool Signed, LaneHandler Soft>
constexpr Row kIntToDouble = Soft;
template <LaneHandler Soft>
constexpr Row kNarrow = Soft;
template <LaneHandler Soft>
constexpr Row kHalve = Soft;
template <LaneHandler Soft>
constexpr Row kHalvePair = Soft;
template <class From, LaneHandler Soft>
constexpr Row kFromFp8 = Soft;
template <class From, LaneHandler Soft>
constexpr Row kFromFp8Pair = Soft;
struct HostFromSigned;
struct HostFromUnsigned;
template <unsigned N>
struct HostFromByte;
#else
template <class Op, HostMode Mode, LaneHandler Soft>
constexpr Row kFromInt = host_integer_row<Op, Mode, Soft>();
template <bool Signed, LaneHandler Soft>
constexpr Row kIntToDouble = lane_row<int_to_double<Signed>>;
template <LaneHandler Soft>
constexpr Row kNarrow = edited_row<narrow<Soft>, HostMode::F32>();
#if CUVETTE_VECTOR_BYTES > 16
template <LaneHandler Soft>
constexpr Row kHalve = edited_row<halve<Soft>, HostMode::F64>();
template <LaneHandler Soft>
constexpr Row kHalvePair = edited_row<halve_pair<Soft>, HostMode::F64>();
#else
template <LaneHandler Soft>
constexpr Row kHalve{};
template <LaneHandler Soft>
constexpr Row kHalvePair{};
#endif
template <class From, LaneHandler>
constexpr Row kFromFp8 = lane_row<widen_fp8<From>>;
template <class From, LaneHandler>
constexpr Row kFromFp8Pair = lane_row<widen_fp8_pair<From>>;
#endif

template <class F, bool Signed, LaneHandler Soft>
constexpr Row kToInt = quick<F, QuickToInt<F, Signed, false>, 1, Soft>;

constexpr Entry kEntries[] = {
    {S::v_cvt_f16_f32, kHalve<convert<F16, F32>>},
    {S::v_cvt_f32_f16, quick<F32, QuickWiden, 1, convert<F32, F16>>},
    {S::v_cvt_f32_f64, kNarrow<convert<F32, F64>>},
    {S::v_cvt_f64_f32, quick<F32, QuickDouble, 1, convert<F64, F32>>},
    {S::v_cvt_f32_i32, kFromInt<HostFromSigned, HostMode::F32, from_word<F32, kSigned>>},
    {S::v_cvt_f32_u32, kFromInt<HostFromUnsigned, HostMode::F32, from_word<F32, kUnsigned>>},
    {S::v_cvt_f64_i32, kIntToDouble<true, from_word<F64, kSigned>>},
    {S::v_cvt_f64_u32, kIntToDouble<false, from_word<F64, kUnsigned>>},
    {S::v_cvt_f16_u16, row_word16<from_word16<kUnsigned>, from_word<F16, kUnsigned>>},
    {S::v_cvt_f16_i16, row_word16<from_word16<kSigned16>, from_word<F16, kSigned16>>},
    {S::v_cvt_f32_ubyte0, kFromInt<HostFromByte<0>, HostMode::None, from_word<F32, byte_of<0>>>},
    {S::v_cvt_f32_ubyte1, kFromInt<HostFromByte<1>, HostMode::None, from_word<F32, byte_of<1>>>},
    {S::v_cvt_f32_ubyte2, kFromInt<HostFromByte<2>, HostMode::None, from_word<F32, byte_of<2>>>},
    {S::v_cvt_f32_ubyte3, kFromInt<HostFromByte<3>, HostMode::None, from_word<F32, byte_of<3>>>},
    {S::v_cvt_off_f32_i4, off_i4},
    {S::v_cvt_i32_f32, kToInt<F32, true, to_int<F32, 32, true>>},
    {S::v_cvt_u32_f32, kToInt<F32, false, to_int<F32, 32, false>>},
    {S::v_cvt_i32_f64, kToInt<F64, true, to_int<F64, 32, true>>},
    {S::v_cvt_u32_f64, kToInt<F64, false, to_int<F64, 32, false>>},
    {S::v_cvt_i16_f16, kToInt<F16, true, to_int<F16, 16, true>>},
    {S::v_cvt_u16_f16, kToInt<F16, false, to_int<F16, 16, false>>},
    {S::v_cvt_flr_i32_f32,
     quick<F32, QuickToInt<F32, true, true>, 1, to_int<F32, 32, true, fp::Round::MinusInf>>},
    {S::v_cvt_rpi_i32_f32, rpi},
    {S::v_cvt_norm_i16_f16, row_half<normalized<F16, true>, cvt_norm<true>>},
    {S::v_cvt_norm_u16_f16, row_half<normalized<F16, false>, cvt_norm<false>>},
    {S::v_cvt_pknorm_i16_f32, pack_norm<F32, true>},
    {S::v_cvt_pknorm_u16_f32, pack_norm<F32, false>},
    {S::v_cvt_pknorm_i16_f16, pack_norm<F16, true>},
    {S::v_cvt_pknorm_u16_f16, pack_norm<F16, false>},
    {S::v_cvt_pkrtz_f16_f32, kHalvePair<pack_rtz_f16>},
    {S::v_cvt_pk_u8_f32, pack_u8<false>},
    {S::v_cvt_pkaccum_u8_f32, pack_u8<true>},
    {S::v_cvt_f32_fp8, kFromFp8<fp::FP8, from_fp8<fp::FP8>>},
    {S::v_cvt_f32_bf8, kFromFp8<fp::BF8, from_fp8<fp::BF8>>},
    {S::v_cvt_pk_f32_fp8, kFromFp8Pair<fp::FP8, from_fp8_pair<fp::FP8>>},
    {S::v_cvt_pk_f32_bf8, kFromFp8Pair<fp::BF8, from_fp8_pair<fp::BF8>>},
    {S::v_cvt_pk_fp8_f32, pack_fp8<fp::FP8>},
    {S::v_cvt_pk_bf8_f32, pack_fp8<fp::BF8>},
    {S::v_cvt_sr_fp8_f32, stochastic_fp8<fp::FP8>},
    {S::v_cvt_sr_bf8_f32, stochastic_fp8<fp::BF8>},
};

}  // namespace

EntryList float_convert() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
