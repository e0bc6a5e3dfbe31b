// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "wave/lanes/host_unit.h"
#include "wave/lanes/plain.h"
#include "wave/lanes/plain_sources.h"
#include "wave/lanes/plain_wide.h"

// The F32 rows of plain.h on one host level.
namespace cuvette::wave::lanes {
namespace {

using host::sign_edit;
using host::SignEdit;

/// The sources of an instruction, with abs and neg.
struct FloatInputs {
  PlainSource source[3];
  SignEdit edit[3];
};

template <HostOp Op>
inline constexpr unsigned kFloatSources = Op == HostOp::Fma || Op == HostOp::Mad ? 3 : 2;

/// Whether the host can do it now: V_MAD flushes subnormal numbers, whatever MODE says.
template <HostOp Op>
CUVETTE_INLINE bool float_mode_fits(const WaveState& wave) {
  const Mode& mode = wave.s.mode;
  return Op != HostOp::Mad || !(mode.denorm_in_f32() || mode.denorm_out_f32());
}

template <HostOp Op, SourceShape Shape>
CUVETTE_INLINE void take_inputs(const Prepared& p, const WaveState& wave, FloatInputs& out) {
  CUVETTE_UNROLL
  for (unsigned s = 0; s < kFloatSources<Op>; ++s) {
    out.source[s] = source_of<Shape>(p, wave, s);
    if constexpr (Shape == SourceShape::Any) out.edit[s] = sign_edit(p.instruction->mod, s);
  }
}

/// Lanes of a source from `part` * kWidth on; disabled ones are zeros, which raise nothing.
template <SourceShape Shape, bool Full, class Exec>
CUVETTE_INLINE Bits float_operand(const FloatInputs& in, unsigned s, unsigned part,
                                  const Exec& exec) {
  Bits x = take(in.source[s], part);
  if constexpr (Shape == SourceShape::Any) {
    x = (x & static_cast<uint32_t>(in.edit[s].keep)) ^ static_cast<uint32_t>(in.edit[s].flip);
  }
  if constexpr (!Full) x = keep(mask_of(exec, part * kWidth), x);
  return x;
}

template <HostOp Op>
CUVETTE_INLINE Bits float_result(Bits a, Bits b, [[maybe_unused]] Bits c) {
  if constexpr (Op == HostOp::Add) return as<Bits>(as<Floats>(a) + as<Floats>(b));
  if constexpr (Op == HostOp::Sub) return as<Bits>(as<Floats>(a) - as<Floats>(b));
  if constexpr (Op == HostOp::Subrev) return as<Bits>(as<Floats>(b) - as<Floats>(a));
  if constexpr (Op == HostOp::Mul) return as<Bits>(as<Floats>(a) * as<Floats>(b));
  if constexpr (Op == HostOp::Mad) {
    const Floats product = as<Floats>(a) * as<Floats>(b);
    return as<Bits>(product + as<Floats>(c));
  }
#if CUVETTE_VECTOR_BYTES > 16
  if constexpr (Op == HostOp::Fma) return fused(a, b, c);
#endif
}

template <HostOp Op, SourceShape Shape, bool Full, class Exec>
CUVETTE_INLINE Bits float_part(const FloatInputs& in, unsigned part, const Exec& exec) {
  const Bits a = float_operand<Shape, Full>(in, 0, part, exec);
  const Bits b = float_operand<Shape, Full>(in, 1, part, exec);
  Bits c{};
  if constexpr (kFloatSources<Op> == 3) c = float_operand<Shape, Full>(in, 2, part, exec);
  return float_result<Op>(a, b, c);
}

/// Whether the host's flags are those of the model: of V_MAD with a NaN as the addend the model
/// sees the NaN alone, the host its product, too.
template <HostOp Op, SourceShape Shape, bool Full, class Exec>
CUVETTE_INLINE bool float_flags_fit(const FloatInputs& in, const Exec& exec) {
  if constexpr (Op != HostOp::Mad) return true;
  Bits addend[kParts];
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    addend[part] = float_operand<Shape, Full>(in, 2, part, exec);
  }
  return !any_nan(addend);
}

/// Once more, with the results in memory: some are NaNs. The host's flags do not change, they are
/// sticky.
template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL bool float_nans(const Prepared& p, WaveState& wave,
                                                HostSlice& slice) {
  constexpr uint32_t kTwiceInfinity = 0xff000000;  // the bits of infinity without sign, doubled
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  alignas(64) uint32_t row[kLanes];
  uint64_t nan = 0;
  for (unsigned part = 0; part < kParts; ++part) {
    store(row + part * kWidth, float_part<Op, Shape, false>(in, part, wave.s.exec()));
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    nan |= uint64_t{2 * row[lane] > kTwiceInfinity} << lane;
  }
  finish_with_nans(p, wave, slice, row, nan);
  return true;
}

/// All results are in host registers before the first is written: the destination may be a source,
/// and lanes with NaNs need their sources again. False, and nothing written, when there are NaNs.
template <HostOp Op, SourceShape Shape, bool Full, class Exec>
CUVETTE_INLINE bool float_parts(const FloatInputs& in, uint32_t* dst, Exec exec) {
  Bits d[kParts];
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    d[part] = float_part<Op, Shape, Full>(in, part, exec);
  }
  if (any_nan(d)) [[unlikely]]
    return false;
  if constexpr (!Full) forget_masks(exec);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    if constexpr (Full || Op == HostOp::Sub || Op == HostOp::Subrev) {
      put<Full>(dst, part, exec, d[part]);
    } else {
      put_beside_zeros(dst, part, exec, d[part]);  // 0 + 0, 0 * 0: +0 in every rounding mode
    }
  }
  return true;
}

/// Half a piece of a source, from lane `first` on.
template <SourceShape Shape, bool Full>
CUVETTE_INLINE Doubles wide_operand(const FloatInputs& in, unsigned s, unsigned first,
                                    uint64_t exec) {
  const PlainSource& from = in.source[s];
  HalfBits x = from.scalar ? HalfBits{} + *from.first : load_half(from.first + first);
  if constexpr (Shape == SourceShape::Any) {
    x = (x & static_cast<uint32_t>(in.edit[s].keep)) ^ static_cast<uint32_t>(in.edit[s].flip);
  }
  if constexpr (!Full) x = keep_half(exec, first, x);
  return widened(x);
}

template <HostOp Op, SourceShape Shape, bool Full, bool Down>
CUVETTE_INLINE void wide_results(const FloatInputs& in, uint64_t exec, HalfRow& out) {
  CUVETTE_UNROLL
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    const Doubles x = wide_operand<Shape, Full>(in, 0, first, exec);
    const Doubles y = wide_operand<Shape, Full>(in, 1, first, exec);
    Doubles d;
    if constexpr (Op == HostOp::Fma) {
      const Doubles z = wide_operand<Shape, Full>(in, 2, first, exec);
      d = sum_to_odd<Down>(x, y, z);
    } else {
      d = x * y;
    }
    out[first / kHalf] = as<HalfBits>(__builtin_convertvector(d, HalfFloats));
  }
}

/// By way of F64 (plain_wide.h). False: rounding has no such way.
template <HostOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE bool wide_results(const FloatInputs& in, fp::Round round, uint64_t exec,
                                 HalfRow& out) {
  if (Op == HostOp::Fma && !has_wide_sums(round)) return false;
  if (kWideSumsDown && round == fp::Round::MinusInf) {
    wide_results<Op, Shape, Full, kWideSumsDown>(in, exec, out);
  } else {
    wide_results<Op, Shape, Full, false>(in, exec, out);
  }
  return true;
}

template <HostOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE void wide_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  const uint64_t exec = wave.s.exec();
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  HalfRow results;
  if (!wide_results<Op, Shape, Full>(in, wave.s.mode.env_f32().round, exec, results)) {
    finish_with_nans(p, wave, slice, LaneRow{}.data(), exec);
    return;
  }
  if (any_to_do_over(results)) [[unlikely]] {
    uint32_t row[kLanes];
    __builtin_memcpy(row, results, sizeof row);
    finish_with_nans(p, wave, slice, row, exec & to_do_over(row));
    return;
  }
  CUVETTE_UNROLL
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    uint32_t* const to = Prepared::row(wave, p.dst) + first;
    HalfBits x = results[first / kHalf];
    if constexpr (!Full) x |= keep_half(~exec, first, load_half(to));  // disabled lanes have +0
    __builtin_memcpy(to, &x, sizeof x);
  }
}
template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL bool float_row_wide(const Prepared& p, WaveState& wave,
                                                    HostSlice& slice) {
  if (wave.s.exec() == ~uint64_t{0}) {
    wide_row<Op, Shape, true>(p, wave, slice);
  } else {
    wide_row<Op, Shape, false>(p, wave, slice);
  }
  return true;
}

#if CUVETTE_VECTOR_BYTES > 16
/// Sums take no assist.
template <HostOp Op>
inline constexpr bool kMayBeSlow = Op == HostOp::Fma || Op == HostOp::Mul;

/// Whether an enabled lane has a subnormal operand.
template <HostOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE bool any_subnormal(const FloatInputs& in, uint64_t exec) {
  Subnormals found{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    CUVETTE_UNROLL
    for (unsigned s = 0; s < kFloatSources<Op>; ++s) {
      found |= subnormals_of(float_operand<Shape, Full>(in, s, part, exec));
    }
  }
  return lanes_of(found) != 0;
}
/// The short way of a row while the host keeps away from subnormal numbers.
template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL bool float_row_careful(const Prepared& p, WaveState& wave,
                                                       HostSlice& slice) {
  const uint64_t exec = wave.s.exec();
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  const bool slow = exec == ~uint64_t{0} ? any_subnormal<Op, Shape, true>(in, exec)
                                         : any_subnormal<Op, Shape, false>(in, exec);
  if (slow) CUVETTE_TAIL return float_row_wide<Op, Shape>(p, wave, slice);
  if (!float_parts<Op, Shape, false>(in, Prepared::row(wave, p.dst), exec)) [[unlikely]]
    CUVETTE_TAIL return float_nans<Op, Shape>(p, wave, slice);
  return true;
}
#else
template <HostOp Op>
inline constexpr bool kMayBeSlow = false;
#endif

/// Rare things are in functions of their own, so that the usual way needs no stack frame.
template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL bool float_row_partial(const Prepared& p, WaveState& wave,
                                                       HostSlice& slice) {
  if constexpr (kMayBeSlow<Op>) {
    if (slice.careful) CUVETTE_TAIL return float_row_careful<Op, Shape>(p, wave, slice);
  }
  if (!float_mode_fits<Op>(wave)) CUVETTE_TAIL return run_lanes(p, wave, slice);
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  if (!float_flags_fit<Op, Shape, false>(in, wave.s.exec())) [[unlikely]]
    CUVETTE_TAIL return run_lanes(p, wave, slice);
  if (!float_parts<Op, Shape, false>(in, Prepared::row(wave, p.dst), wave.s.exec())) [[unlikely]]
    CUVETTE_TAIL return float_nans<Op, Shape>(p, wave, slice);
  return true;
}

template <HostOp Op, SourceShape Shape>
CUVETTE_LEVEL bool float_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  if (wave.s.exec() != ~uint64_t{0} || (kMayBeSlow<Op> && slice.careful) ||
      !float_mode_fits<Op>(wave)) [[unlikely]]
    CUVETTE_TAIL return float_row_partial<Op, Shape>(p, wave, slice);
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  if (!float_flags_fit<Op, Shape, true>(in, uint64_t{0})) [[unlikely]]
    CUVETTE_TAIL return run_lanes(p, wave, slice);
  if (!float_parts<Op, Shape, true>(in, Prepared::row(wave, p.dst), 0)) [[unlikely]]
    CUVETTE_TAIL return float_nans<Op, Shape>(p, wave, slice);
  return true;
}

template <HostOp Op, SourceShape Shape>
constexpr Prepared::Run float_row_for() {
#if CUVETTE_VECTOR_BYTES == 16
  if constexpr (Op == HostOp::Fma) {
    return float_row_wide<Op, Shape>;
  } else
#endif
  {
    return float_row<Op, Shape>;
  }
}
template <HostOp Op>
Prepared::Run float_row_of(SourceShape shape) {
  static constexpr std::array<Prepared::Run, kSourceShapes> kRows = {
      float_row_for<Op, SourceShape::Any>(), float_row_for<Op, SourceShape::Registers>(),
      float_row_for<Op, SourceShape::FirstScalar>()};
  return kRows[static_cast<size_t>(shape)];
}

}  // namespace
}  // namespace cuvette::wave::lanes
