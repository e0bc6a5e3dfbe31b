// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/level_float.h"

// Loops over the lanes of a level for F64 arithmetic: a number's halves are in two registers.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// The numbers of kWidth lanes in two vectors, in an order that costs little.
struct Pair {
  Bits first, second;
};
#if CUVETTE_VECTOR_BYTES == 64
#define CUVETTE_FOURS(a, b, c, d) \
  a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12
#elif CUVETTE_VECTOR_BYTES == 32
#define CUVETTE_FOURS(a, b, c, d) a, b, c, d, a + 4, b + 4, c + 4, d + 4
#else
#define CUVETTE_FOURS(a, b, c, d) a, b, c, d
#endif
constexpr int kOther = CUVETTE_VECTOR_BYTES / 4;
CUVETTE_INLINE Pair join(Bits low, Bits high) {
  return {__builtin_shufflevector(low, high, CUVETTE_FOURS(0, kOther, 1, kOther + 1)),
          __builtin_shufflevector(low, high, CUVETTE_FOURS(2, kOther + 2, 3, kOther + 3))};
}
CUVETTE_INLINE Bits low_of(Pair x) {
  return __builtin_shufflevector(x.first, x.second, CUVETTE_FOURS(0, 2, kOther, kOther + 2));
}
CUVETTE_INLINE Bits high_of(Pair x) {
  return __builtin_shufflevector(x.first, x.second, CUVETTE_FOURS(1, 3, kOther + 1, kOther + 3));
}
#undef CUVETTE_FOURS

/// The sources of an operation on doubles, the last of them perhaps the destination.
template <class Op, unsigned N, bool Accumulates>
class DoubleInputs {
 public:
  CUVETTE_INLINE DoubleInputs(const LaneOp& op, const LaneResult& result) : op_(op) {
    for (unsigned s = 0; s < N; ++s) {
      low_[s] = op.src[s][0];
      high_[s] = op.src[s][1];
    }
    if (!Accumulates) return;
    low_[N - 1] = result.dst[0];
    high_[N - 1] = result.dst[1];
  }
  CUVETTE_INLINE Pair get(unsigned s, unsigned part) const {
    const Mask mask = mask_of(op_.exec, part * kWidth);
    Bits high = load(high_[s] + part * kWidth);
    if (!Accumulates || s + 1 < N) high = SignEdit(op_.instruction->mod, s).of(high);
    high = OpTraits<Op>::kIdleOnes ? blend(mask, broadcast(0x3ff00000), high) : keep(mask, high);
    return join(keep(mask, load(low_[s] + part * kWidth)), high);
  }

 private:
  const LaneOp& op_;
  const uint32_t *low_[N], *high_[N];
};

template <class Op, unsigned N>
CUVETTE_INLINE Bits double_of(Bits x, [[maybe_unused]] Bits y, [[maybe_unused]] Bits z) {
  if constexpr (N == 1) return as<Bits>(Op::of(as<Doubles>(x)));
  if constexpr (N == 2) return as<Bits>(Op::of(as<Doubles>(x), as<Doubles>(y)));
  if constexpr (N == 3) {
    return as<Bits>(Op::of(as<Doubles>(x), as<Doubles>(y), as<Doubles>(z)));
  }
}
template <class Op, unsigned N, bool Accumulates>
CUVETTE_INLINE Pair double_part(const DoubleInputs<Op, N, Accumulates>& in, unsigned part) {
  const Pair a = in.get(0, part);
  Pair b{}, c{};
  if constexpr (N > 1) b = in.get(1, part);
  if constexpr (N > 2) c = in.get(2, part);
  return {double_of<Op, N>(a.first, b.first, c.first),
          double_of<Op, N>(a.second, b.second, c.second)};
}

template <class Op, unsigned N, bool Accumulates, SoftRow Soft>
CUVETTE_LEVEL void double_row(const LaneOp& op, LaneResult& result) {
  const DoubleInputs<Op, N, Accumulates> in(op, result);
  Bits low[kParts], high[kParts];
  Signed nan{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Pair d = double_part<Op, N, Accumulates>(in, part);
    low[part] = low_of(d);
    high[part] = high_of(d);
    // Doubled without its sign, an infinity has no bit below the exponent.
    const Bits above = high[part] + high[part] + as<Bits>(as<Signed>(low[part] != 0) & 1);
    nan |= as<Signed>(above > 0xffe00000);
  }
  if (lanes_of(nan) != 0) [[unlikely]] {
    uint32_t rows[2][kLanes];
    std::memcpy(rows[0], low, sizeof rows[0]);
    std::memcpy(rows[1], high, sizeof rows[1]);
    uint64_t over = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const uint32_t above = 2 * rows[1][lane] + (rows[0][lane] != 0 ? 1 : 0);
      over |= uint64_t{above > 0xffe00000} << lane;
    }
    drop_invalid();
    do_over(op, result, over & op.exec, rows[0], rows[1], Soft);
    return;
  }
  put_parts(op, result.dst[0], low);
  put_parts(op, result.dst[1], high);
}

/// The level's row for an F64 operation.
template <class Op, unsigned N, bool Accumulates, HostMode Mode, SoftRow Soft>
constexpr Row host_double_row() {
  if constexpr (OpTraits<Op>::kHost) {
    Row row;
    row.plain = row.edited = level_function<double_row<Op, N, Accumulates, Soft>, Mode>;
    row.mode = Mode;
    return row;
  }
  return {};
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
