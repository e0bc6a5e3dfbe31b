// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "wave/lanes/access.h"
#include "wave/lanes/families.h"
#if CUVETTE_LANES_LEVEL != 0
#include "wave/lanes/level_run.h"
#endif

// Loops over the lanes of a row for integer results, and saturation.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

inline int32_t as_i32(uint32_t v) {
  return static_cast<int32_t>(v);
}
inline int16_t as_i16(uint16_t v) {
  return static_cast<int16_t>(v);
}
inline uint32_t as_u32(int64_t v) {
  return static_cast<uint32_t>(v);
}
inline uint16_t as_u16(int64_t v) {
  return static_cast<uint16_t>(v);
}

/// The nearest value that T holds (CLAMP of integer operations, MI100 ISA 6.5).
template <class T>
constexpr T saturate(int64_t v) {
  return static_cast<T>(
      std::clamp<int64_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// fn(a), fn(a, b) or fn(a, b, c) of the first N sources.
template <unsigned N, class Fn, class A>
auto apply(Fn fn, A&& operand) {
  static_assert(N >= 1 && N <= 3);
  if constexpr (N == 1) {
    return fn(operand(0));
  } else if constexpr (N == 2) {
    return fn(operand(0), operand(1));
  } else {
    return fn(operand(0), operand(1), operand(2));
  }
}

/// A lane's result and its bit of the mask.
template <class T>
struct Marked {
  T value;
  bool mark;
};

/// The mask of fn(lane) for the enabled lanes alone, on every level: fn may raise flags.
template <class Fn>
void mark_active(const LaneOp& op, LaneResult& result, Fn fn) {
  for_active(op, [&](unsigned lane) { result.mask |= uint64_t{fn(lane)} << lane; });
}

#if CUVETTE_LANES_LEVEL == 0

// Results of fn(lane) for the enabled lanes.
template <class Fn>
void each32(const LaneOp& op, LaneResult& result, Fn fn) {
  Sink out(op, result);
  uint64_t rest = active(op);
  for (; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    out.b32(lane, fn(lane));
  }
}
template <OtherHalf Other = OtherHalf::Zero, class Fn>
void each16(const LaneOp& op, LaneResult& result, Fn fn) {
  Sink out(op, result);
  for_active(op, [&](unsigned lane) { out.b16(lane, fn(lane), Other); });
}
template <class Fn>
void each64(const LaneOp& op, LaneResult& result, Fn fn) {
  Sink out(op, result);
  for_active(op, [&](unsigned lane) { out.b64(lane, fn(lane)); });
}
template <class Fn>
void each_mark(const LaneOp& op, LaneResult& result, Fn fn) {
  mark_active(op, result, fn);
}
template <class Fn>
void each_marked32(const LaneOp& op, LaneResult& result, Fn fn) {
  Sink out(op, result);
  for_active(op, [&](unsigned lane) {
    const Marked<uint32_t> d = fn(lane);
    result.mask |= uint64_t{d.mark} << lane;
    out.b32(lane, d.value);
  });
}
template <class Fn>
void each_marked64(const LaneOp& op, LaneResult& result, Fn fn) {
  Sink out(op, result);
  for_active(op, [&](unsigned lane) {
    const Marked<uint64_t> d = fn(lane);
    result.mask |= uint64_t{d.mark} << lane;
    out.b64(lane, d.value);
  });
}

/// The bits of a mask, lane by lane.
class MaskBits {
 public:
  explicit MaskBits(uint64_t mask) : mask_(mask) {}
  uint32_t at(unsigned lane) const { return mask_ >> lane & 1; }

 private:
  uint64_t mask_;
};

/// A function on LaneOp of the kind above, to be compiled for every level.
template <LaneHandler Handler>
inline constexpr Row lane_row = Handler;
/// The same for VOP3P with its selects.
template <LaneHandler Handler>
inline constexpr Row packed_row = Handler;
/// The same with another one for CLAMP.
template <auto Fn, unsigned N>
void row32_of(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each32(op, result,
         [&](unsigned lane) { return apply<N>(Fn, [&](unsigned s) { return in.b32(s, lane); }); });
}
template <auto Wrap, auto Saturated, unsigned N>
void row32_clamp_of(const LaneOp& op, LaneResult& result) {
  clamps(op) ? row32_of<Saturated, N>(op, result) : row32_of<Wrap, N>(op, result);
}
/// A 32-bit result of N 32-bit sources.
template <unsigned N, auto Fn>
inline constexpr Row row32 = row32_of<Fn, N>;
/// The same with another function when CLAMP is set.
template <unsigned N, auto Wrap, auto Saturated>
inline constexpr Row row32_clamp = row32_clamp_of<Wrap, Saturated, N>;

#else

/// The enabled lanes of a result to a register.
CUVETTE_INLINE void put_parts(const LaneOp& op, uint32_t* dst, const Bits (&d)[kParts]) {
  if (op.exec == ~uint64_t{0}) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) store(dst + part * kWidth, d[part]);
    return;
  }
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    uint32_t* const to = dst + part * kWidth;
    store(to, blend(mask_of(op.exec, part * kWidth), load(to), d[part]));
  }
}
CUVETTE_INLINE void put_row(const LaneOp& op, uint32_t* dst, const uint32_t* row) {
  Bits d[kParts];
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) d[part] = load(row + part * kWidth);
  put_parts(op, dst, d);
}
/// Bit per lane whose word is not 0.
CUVETTE_INLINE uint64_t marks_of(const uint32_t* row) {
  uint64_t marks = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    marks |= lanes_of(load(row + part * kWidth) != 0) << (part * kWidth);
  }
  return marks;
}

template <class Fn>
CUVETTE_INLINE void each32(const LaneOp& op, LaneResult& result, Fn fn) {
  alignas(64) uint32_t d[kLanes];
  CUVETTE_WORD_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) d[lane] = fn(lane);
  put_row(op, result.dst[0], d);
}
template <OtherHalf Other = OtherHalf::Zero, class Fn>
CUVETTE_INLINE void each16(const LaneOp& op, LaneResult& result, Fn fn) {
  const uint32_t* const old = result.dst[0];
  each32(op, result, [&](unsigned lane) {
    const uint32_t d = static_cast<uint16_t>(fn(lane));
    return Other == OtherHalf::Keep ? (old[lane] & 0xffff0000) | d : d;
  });
}
template <class Fn>
CUVETTE_INLINE void each64(const LaneOp& op, LaneResult& result, Fn fn) {
  alignas(64) uint32_t low[kLanes], high[kLanes];
  CUVETTE_WIDE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint64_t d = fn(lane);
    low[lane] = base::lo32(d);
    high[lane] = base::hi32(d);
  }
  put_row(op, result.dst[0], low);
  put_row(op, result.dst[1], high);
}
template <class Fn>
CUVETTE_INLINE void each_mark(const LaneOp& op, LaneResult& result, Fn fn) {
  alignas(64) uint32_t mark[kLanes];
  CUVETTE_WORD_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) mark[lane] = fn(lane) ? ~0u : 0u;
  result.mask = marks_of(mark) & op.exec;
}
template <class Fn>
CUVETTE_INLINE void each_marked32(const LaneOp& op, LaneResult& result, Fn fn) {
  alignas(64) uint32_t d[kLanes], mark[kLanes];
  CUVETTE_WORD_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Marked<uint32_t> x = fn(lane);
    d[lane] = x.value;
    mark[lane] = x.mark ? ~0u : 0u;
  }
  result.mask = marks_of(mark) & op.exec;
  put_row(op, result.dst[0], d);
}
template <class Fn>
CUVETTE_INLINE void each_marked64(const LaneOp& op, LaneResult& result, Fn fn) {
  alignas(64) uint32_t low[kLanes], high[kLanes], mark[kLanes];
  CUVETTE_WIDE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Marked<uint64_t> x = fn(lane);
    low[lane] = base::lo32(x.value);
    high[lane] = base::hi32(x.value);
    mark[lane] = x.mark ? ~0u : 0u;
  }
  result.mask = marks_of(mark) & op.exec;
  put_row(op, result.dst[0], low);
  put_row(op, result.dst[1], high);
}

class MaskBits {
 public:
  CUVETTE_INLINE explicit MaskBits(uint64_t mask) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      store(word_ + part * kWidth, keep(mask_of(mask, part * kWidth), broadcast(1)));
    }
  }
  uint32_t at(unsigned lane) const { return word_[lane]; }

 private:
  alignas(64) uint32_t word_[kLanes];
};

template <LaneHandler Handler>
inline constexpr Row lane_row = [] {
  Row row;
  row.plain = level_function<Handler>;
  return row;
}();
template <LaneHandler Handler>
inline constexpr Row packed_row = [] {
  Row row = lane_row<Handler>;
  row.packed = true;
  return row;
}();

template <auto Fn, unsigned N>
CUVETTE_LEVEL void row32_of(const LaneOp& op, LaneResult& result) {
  const uint32_t* const a = op.src[0][0];
  const uint32_t* const b = op.src[N > 1 ? 1 : 0][0];
  const uint32_t* const c = op.src[N > 2 ? 2 : 0][0];
  each32(op, result, [&](unsigned lane) -> uint32_t {
    if constexpr (N == 1) return Fn(a[lane]);
    if constexpr (N == 2) return Fn(a[lane], b[lane]);
    if constexpr (N == 3) return Fn(a[lane], b[lane], c[lane]);
  });
}
template <unsigned N, auto Fn>
inline constexpr Row row32 = lane_row<row32_of<Fn, N>>;
template <unsigned N, auto Wrap, auto Saturated>
inline constexpr Row row32_clamp = [] {
  Row row = lane_row<row32_of<Wrap, N>>;
  row.clamped = level_function<row32_of<Saturated, N>>;
  return row;
}();

#endif

/// A 16-bit result of N 16-bit sources. Fn gives the exact value; it is wrapped, or saturated to T.
template <unsigned N, class T, auto Fn, OtherHalf Other>
CUVETTE_LEVEL void row16_of(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const bool clamp = clamps(op);
  each16<Other>(op, result, [&](unsigned lane) {
    const int64_t exact =
        apply<N>(Fn, [&](unsigned s) { return int64_t{static_cast<T>(in.b16(s, lane))}; });
    return clamp ? static_cast<uint16_t>(saturate<T>(exact)) : as_u16(exact);
  });
}
template <unsigned N, class T, auto Fn, OtherHalf Other = OtherHalf::Zero>
inline constexpr Row row16 = lane_row<row16_of<N, T, Fn, Other>>;

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
