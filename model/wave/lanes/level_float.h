// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

#include "fp/env.h"
#include "wave/lanes/access.h"
#include "wave/lanes/host_ops.h"
#include "wave/lanes/integer_ops.h"
#include "wave/lanes/quick_ops.h"

// Loops over the lanes of a level for F32 and F64 results. The host's numbers are those of fp but
// for NaNs: lanes with a NaN result are done over by the row's lane function on bit patterns. Every
// invalid operation gives a NaN, so the host's invalid flag belongs to the row at hand and is
// dropped; its other flags are never raised by a lane whose result is a NaN, except for a subnormal
// operand, which fp reports as well.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// A row's lane function as the loops call it: results of the enabled lanes, flags in the result.
using SoftRow = LaneHandler;

/// abs and neg as sign-bit edits: x = (x & keep) ^ flip.
struct SignEdit {
  uint32_t keep = ~0u, flip = 0;
  CUVETTE_INLINE SignEdit(const isa::Modifiers& mod, unsigned s) {
    constexpr uint32_t kSign = 0x80000000u;
    keep = base::bit(mod.abs, s) ? ~kSign : ~0u;
    flip = base::bit(mod.neg, s) ? kSign : 0u;
  }
  CUVETTE_INLINE Bits of(Bits x) const { return (x & keep) ^ flip; }
};

/// Results in `low` and, of F64, `high`, but those of the lanes `over`, which `soft` does.
CUVETTE_INLINE void do_over(const LaneOp& op, LaneResult& result, uint64_t over,
                            const uint32_t* low, const uint32_t* high, SoftRow soft) {
  LaneOp rest = op;
  rest.exec = over;
  do_soft(soft, rest, result);
  for (uint64_t good = op.exec & ~over; good != 0; good &= good - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(good));
    result.dst[0][lane] = low[lane];
    if (high != nullptr) result.dst[1][lane] = high[lane];
  }
}

#if defined(__x86_64__)
/// Takes back that the host has met an invalid operation.
[[gnu::noinline]] inline void drop_invalid() {
  uint32_t mxcsr = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
  mxcsr &= ~1u;
  asm volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}
#else
inline void drop_invalid() {}
#endif

/// The sources of an operation on floats: registers, the third of them perhaps the destination.
template <class Op, unsigned N, bool Edited, bool Accumulates>
class FloatInputs {
 public:
  CUVETTE_INLINE FloatInputs(const LaneOp& op, const LaneResult& result) : op_(op) {
    for (unsigned s = 0; s < N; ++s) row_[s] = op.src[s][0];
    if (Accumulates) row_[N - 1] = result.dst[0];
  }
  CUVETTE_INLINE Bits get(unsigned s, unsigned part) const {
    const Mask mask = mask_of(op_.exec, part * kWidth);
    Bits x = load(row_[s] + part * kWidth);
    if constexpr (Edited) {
      if (!Accumulates || s + 1 < N) x = SignEdit(op_.instruction->mod, s).of(x);
    }
    return OpTraits<Op>::kIdleOnes ? blend(mask, broadcast(0x3f800000), x) : keep(mask, x);
  }

 private:
  const LaneOp& op_;
  const uint32_t* row_[N];
};

template <class Op, unsigned N, bool Edited, bool Accumulates>
CUVETTE_INLINE Bits float_part(const FloatInputs<Op, N, Edited, Accumulates>& in, unsigned part) {
  const auto a = as<Floats>(in.get(0, part));
  if constexpr (N == 1) return as<Bits>(Op::of(a));
  if constexpr (N == 2) return as<Bits>(Op::of(a, as<Floats>(in.get(1, part))));
  if constexpr (N == 3) {
    return as<Bits>(Op::of(a, as<Floats>(in.get(1, part)), as<Floats>(in.get(2, part))));
  }
}

template <class Op, unsigned N, bool Edited, bool Accumulates, SoftRow Soft>
CUVETTE_LEVEL void float_row(const LaneOp& op, LaneResult& result) {
  const FloatInputs<Op, N, Edited, Accumulates> in(op, result);
  if constexpr (std::is_same_v<Op, HostMad>) {
    // With a NaN as the addend fp sees the NaN alone, the host its product, too.
    Bits addend[kParts];
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) addend[part] = in.get(2, part);
    if (any_nan(addend)) [[unlikely]] {
      return do_soft(Soft, op, result);
    }
  }
  Bits d[kParts];
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    d[part] = float_part<Op, N, Edited, Accumulates>(in, part);
  }
  if (any_nan(d)) [[unlikely]] {
    constexpr uint32_t kTwiceInfinity = 0xff000000;
    uint32_t row[kLanes];
    std::memcpy(row, d, sizeof row);
    uint64_t over = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      over |= uint64_t{2 * row[lane] > kTwiceInfinity} << lane;
    }
    drop_invalid();
    do_over(op, result, over & op.exec, row, nullptr, Soft);
    return;
  }
  put_parts(op, result.dst[0], d);
}

/// The level's row for an F32 operation.
template <class Op, unsigned N, bool Accumulates, HostMode Mode, SoftRow Soft>
constexpr Row host_float_row() {
  if constexpr (OpTraits<Op>::kHost) {
    Row row;
    row.plain = level_function<float_row<Op, N, false, Accumulates, Soft>, Mode>;
    row.edited = level_function<float_row<Op, N, true, Accumulates, Soft>, Mode>;
    row.mode = Mode;
    row.clamps_float = true;
    return row;
  }
  return {};
}

/// One of two F32 results: the selects pick the dword of each source and the sign it has.
template <class Op, unsigned N>
CUVETTE_INLINE Bits packed_part(const LaneOp& op, bool high, unsigned part) {
  const isa::Modifiers& mod = op.instruction->mod;
  const Mask mask = mask_of(op.exec, part * kWidth);
  Bits x[3];
  CUVETTE_UNROLL
  for (unsigned s = 0; s < N; ++s) {
    const uint32_t* const row = op.src[s][base::bit(high ? mod.op_sel_hi : mod.op_sel, s) ? 1 : 0];
    const uint32_t flip = base::bit(high ? mod.neg_hi : mod.neg, s) ? 0x80000000u : 0u;
    x[s] = keep(mask, load(row + part * kWidth) ^ flip);
  }
  if constexpr (N == 2) return as<Bits>(Op::of(as<Floats>(x[0]), as<Floats>(x[1])));
  if constexpr (N == 3) {
    return as<Bits>(Op::of(as<Floats>(x[0]), as<Floats>(x[1]), as<Floats>(x[2])));
  }
}

/// VOP3P on F32: both results are there before one is written.
template <class Op, unsigned N, SoftRow Soft>
CUVETTE_LEVEL void packed_row_of(const LaneOp& op, LaneResult& result) {
  Bits low[kParts], high[kParts];
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    low[part] = packed_part<Op, N>(op, false, part);
    high[part] = packed_part<Op, N>(op, true, part);
  }
  if (any_nan(low) || any_nan(high)) [[unlikely]] {
    drop_invalid();
    return do_soft(Soft, op, result);
  }
  put_parts(op, result.dst[0], low);
  put_parts(op, result.dst[1], high);
}
template <class Op, unsigned N, HostMode Mode, SoftRow Soft>
constexpr Row host_packed_row() {
  if constexpr (OpTraits<Op>::kHost) {
    Row row;
    row.plain = level_function<packed_row_of<Op, N, Soft>, Mode>;
    row.mode = Mode;
    row.packed = true;
    return row;
  }
  return {};
}

/// A source of a quick row: F16, F32 or, in two registers, F64; with abs and neg.
template <class F>
class QuickSource {
 public:
  CUVETTE_INLINE QuickSource(const LaneOp& op, unsigned s, bool integer) {
    row_[0] = op.src[s][0];
    row_[1] = op.src[s][1];
    const isa::Modifiers& mod = op.instruction->mod;
    if (!integer && base::bit(mod.abs, s)) keep_ = F::kMagnitudeMask;
    if (!integer && base::bit(mod.neg, s)) flip_ = F::kSignBit;
  }
  CUVETTE_INLINE WordOf<F> at(unsigned lane) const {
    WordOf<F> x = row_[0][lane];
    if constexpr (sizeof x == 8) x |= WordOf<F>{row_[1][lane]} << 32;
    if constexpr (F::kBits == 16) x &= 0xffff;
    return (x & keep_) ^ flip_;
  }
  /// An integer, of operations on F16 one of 16 bits.
  CUVETTE_INLINE uint32_t word_at(unsigned lane) const {
    const uint32_t x = row_[0][lane];
    return F::kBits == 16 ? static_cast<uint32_t>(static_cast<int16_t>(x)) : x;
  }

 private:
  const uint32_t* row_[2];
  WordOf<F> keep_ = ~WordOf<F>{0}, flip_ = 0;
};

/// Results of a quick row before they are written.
template <class Word>
struct QuickResult {
  alignas(64) Word d[kLanes];
  alignas(64) uint32_t odd[kLanes], inexact[kLanes];
};

template <class F, class Quick, unsigned N, class Word>
CUVETTE_INLINE void quick_lane(const QuickSource<F> (&in)[3], unsigned lane,
                               QuickResult<Word>& out) {
  bool is_odd = false, is_inexact = false;
  Word d = 0;
  if constexpr (Quick::kInexact) d = Quick::of(is_odd, is_inexact, in[0].at(lane));
  if constexpr (N == 1 && !Quick::kInexact) d = Quick::of(is_odd, in[0].at(lane));
  if constexpr (N == 2 && Quick::kIntegers != 0) {
    d = static_cast<Word>(Quick::of(is_odd, in[0].at(lane), in[1].word_at(lane)));
  }
  if constexpr (N == 2 && Quick::kIntegers == 0) {
    d = static_cast<Word>(Quick::of(is_odd, in[0].at(lane), in[1].at(lane)));
  }
  if constexpr (N == 3) d = Quick::of(is_odd, in[0].at(lane), in[1].at(lane), in[2].at(lane));
  if constexpr (F::kBits == 16 && !Quick::kMask) d &= 0xffff;
  out.d[lane] = d;
  out.odd[lane] = is_odd ? ~0u : 0u;
  if constexpr (Quick::kInexact) out.inexact[lane] = is_inexact && !is_odd ? ~0u : 0u;
}

/// Rows without rounding (quick_ops.h): Quick::of(odd, sources...) gives a lane's result.
template <class F, class Quick, unsigned N, SoftRow Soft>
CUVETTE_LEVEL void quick_row(const LaneOp& op, LaneResult& result) {
  constexpr bool kWide =
      (sizeof(WordOf<F>) == 8 && Quick::kFloat && !Quick::kMask) || Quick::kWidens;
  using Word = std::conditional_t<kWide, uint64_t, uint32_t>;
  const QuickSource<F> in[3] = {{op, 0, base::bit(Quick::kIntegers, 0)},
                                {op, 1, base::bit(Quick::kIntegers, 1)},
                                {op, 2, base::bit(Quick::kIntegers, 2)}};
  QuickResult<Word> out;
  if constexpr (sizeof(WordOf<F>) == 4 && !kWide && !Quick::kInexact) {
    CUVETTE_WORD_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) quick_lane<F, Quick, N>(in, lane, out);
  } else {
    CUVETTE_LANE_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) quick_lane<F, Quick, N>(in, lane, out);
  }
  const uint64_t over = marks_of(out.odd) & op.exec;
  const bool rounded = Quick::kInexact && (marks_of(out.inexact) & op.exec) != 0;
  if constexpr (Quick::kMask) {
    if (over != 0) return do_soft(Soft, op, result);
    result.mask = marks_of(out.d) & op.exec;
    return;
  } else if constexpr (kWide) {
    if (over == 0) return each64(op, result, [&](unsigned lane) { return out.d[lane]; });
    alignas(64) uint32_t half[2][kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      half[0][lane] = base::lo32(out.d[lane]);
      half[1][lane] = base::hi32(out.d[lane]);
    }
    do_over(op, result, over, half[0], half[1], Soft);
  } else {
    if (over != 0) {
      do_over(op, result, over, out.d, nullptr, Soft);
    } else {
      put_row(op, result.dst[0], out.d);
    }
    if (rounded) result.flags |= fp::kInexact;
  }
}

template <class F, class Quick, unsigned N, SoftRow Soft>
constexpr Row quick_float_row() {
  Row row = lane_row<quick_row<F, Quick, N, Soft>>;
  if (!base::bit(Quick::kIntegers, 0)) row.edited = row.plain;
  row.clamps_float = !Quick::kMask && Quick::kFloat && !Quick::kWidens && F::kBits == 32;
  return row;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
