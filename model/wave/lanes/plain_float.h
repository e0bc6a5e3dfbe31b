// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "wave/lanes/host_unit.h"
#include "wave/lanes/plain.h"
#include "wave/lanes/plain_sources.h"
#if CUVETTE_VECTOR_BYTES > 16
#include "wave/lanes/plain_careful.h"  // needs fused()
#endif

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
inline constexpr unsigned kFloatSources = Op == HostOp::Fma ? 3 : 2;

template <HostOp Op, SourceShape Shape>
CUVETTE_INLINE void take_inputs(const Prepared& p, const WaveState& wave, FloatInputs& out) {
  CUVETTE_UNROLL
  for (unsigned s = 0; s < kFloatSources<Op>; ++s) {
    out.source[s] = source_of<Shape>(p, wave, s);
    if constexpr (Shape == SourceShape::Any) out.edit[s] = sign_edit(p.instruction->mod, s);
  }
}

/// Lanes of a source from `part` * kWidth on; disabled ones are zeros, which raise nothing.
template <SourceShape Shape, bool Full>
CUVETTE_INLINE Bits float_operand(const FloatInputs& in, unsigned s, unsigned part, uint64_t exec) {
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
#if CUVETTE_VECTOR_BYTES > 16
  if constexpr (Op == HostOp::Fma) return fused(a, b, c);
#endif
}

template <HostOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE Bits float_part(const FloatInputs& in, unsigned part, uint64_t exec) {
  const Bits a = float_operand<Shape, Full>(in, 0, part, exec);
  const Bits b = float_operand<Shape, Full>(in, 1, part, exec);
  Bits c{};
  if constexpr (kFloatSources<Op> == 3) c = float_operand<Shape, Full>(in, 2, part, exec);
  return float_result<Op>(a, b, c);
}

/// Once more, with the results in memory: some are NaNs. The host's flags do not change, they are
/// sticky.
template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL void float_nans(const Prepared& p, WaveState& wave,
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
}

/// All results are in host registers before the first is written: the destination may be a source,
/// and lanes with NaNs need their sources again. False, and nothing written, when there are NaNs.
template <HostOp Op, SourceShape Shape, bool Full>
CUVETTE_INLINE bool float_parts(const FloatInputs& in, uint32_t* dst, uint64_t exec) {
  Bits d[kParts];
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    d[part] = float_part<Op, Shape, Full>(in, part, exec);
  }
  if (any_nan(d)) [[unlikely]]
    return false;
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

#if CUVETTE_VECTOR_BYTES > 16
/// On a host that is slow with subnormal numbers: lanes that have some are found by their bits and
/// done apart.
template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL bool float_row_careful(const Prepared& p, WaveState& wave,
                                                       HostSlice& slice) {
  const uint64_t exec = wave.s.exec();
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  alignas(64) uint32_t row[kLanes];
  uint64_t again = 0;
  uint32_t flags = 0;
  for (unsigned part = 0; part < kParts; ++part) {
    Bits x[3] = {};
    Signed small{}, large{};
    CUVETTE_UNROLL
    for (unsigned s = 0; s < kFloatSources<Op>; ++s) {
      constexpr bool kFactors = Op == HostOp::Fma || Op == HostOp::Mul;
      x[s] = float_operand<Shape, false>(in, s, part, exec);
      small |= careful::is_subnormal(x[s]);
      large |= careful::magnitude(x[s]) >=
               (kFactors && s < 2 ? careful::kFactorLimit : careful::kSumLimit);
    }
    Bits result;
    if (lanes_of(small) == 0) {
      result = float_result<Op>(x[0], x[1], x[2]);
    } else {
      const Signed easy = small & ~large;
      const auto r = careful::repair<Op>(easy, x[0], x[1], x[2]);
      const Bits others = float_result<Op>(careful::only(~small, x[0]), careful::only(~small, x[1]),
                                           careful::only(~small, x[2]));
      result = careful::choose(easy, r.result, others);
      again |= lanes_of((small & large) | (easy & r.open)) << part * kWidth;
      if (lanes_of(easy) != 0) flags |= fp::kInputDenormal;
      if (lanes_of(r.underflow) != 0) flags |= fp::kUnderflow;
      slice.met_subnormals = true;
    }
    again |= lanes_of(result + result > 0xff000000) << part * kWidth;
    store(row + part * kWidth, result);
  }
  wave.s.trapsts |= flags;
  if (again != 0) {
    finish_with_nans(p, wave, slice, row, again);
    return true;
  }
  uint32_t* const dst = Prepared::row(wave, p.dst);
  for (unsigned part = 0; part < kParts; ++part) {
    put<false>(dst, part, exec, load(row + part * kWidth));
  }
  return true;
}
#endif

/// Rare things are in functions of their own, so that the usual way needs no stack frame.
template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL bool float_row_partial(const Prepared& p, WaveState& wave,
                                                       HostSlice& slice) {
#if CUVETTE_VECTOR_BYTES > 16
  if (slice.careful) return float_row_careful<Op, Shape>(p, wave, slice);
#endif
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  if (!float_parts<Op, Shape, false>(in, Prepared::row(wave, p.dst), wave.s.exec())) {
    float_nans<Op, Shape>(p, wave, slice);
  }
  return true;
}

template <HostOp Op, SourceShape Shape>
CUVETTE_LEVEL bool float_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  if (wave.s.exec() != ~uint64_t{0} || slice.careful) [[unlikely]]
    return float_row_partial<Op, Shape>(p, wave, slice);
  FloatInputs in;
  take_inputs<Op, Shape>(p, wave, in);
  if (!float_parts<Op, Shape, true>(in, Prepared::row(wave, p.dst), 0)) [[unlikely]] {
    float_nans<Op, Shape>(p, wave, slice);
  }
  return true;
}

template <HostOp Op>
Prepared::Run float_row_of(SourceShape shape) {
  static constexpr std::array<Prepared::Run, kSourceShapes> kRows = {
      float_row<Op, SourceShape::Any>, float_row<Op, SourceShape::Registers>,
      float_row<Op, SourceShape::FirstScalar>};
  return kRows[static_cast<size_t>(shape)];
}

}  // namespace
}  // namespace cuvette::wave::lanes
