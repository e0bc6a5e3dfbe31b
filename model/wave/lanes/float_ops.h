// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "fp/format.h"
#include "fp/modifiers.h"
#include "wave/lanes/integer_ops.h"
#if CUVETTE_LANES_LEVEL != 0
#include "wave/lanes/level_convert.h"
#include "wave/lanes/level_half.h"
#include "wave/lanes/level_half_table.h"
#include "wave/lanes/quick_exp.h"
#endif

// Floating-point operands and results of one lane: select, abs, neg; round, omod, clamp (MI100
// ISA 6.2).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

using fp::BitsOf;
using fp::Env;
using fp::F16;
using fp::F32;
using fp::F64;

/// The environment MODE gives operations of a format; F16 and F64 share theirs.
template <class F>
Env env_of(const LaneOp& op) {
  return std::is_same_v<F, F32> ? op.mode.env_f32() : op.mode.env_f16_f64();
}

/// A conversion takes operands as the source format's fields say and rounds as the result's do.
template <class To, class From>
Env env_of_conversion(const LaneOp& op) {
  Env env = env_of<To>(op);
  env.flush_in = env_of<From>(op).flush_in;
  return env;
}

/// Reads operands with abs and neg applied: sign-bit edits after the select, also on NaNs.
class FloatSources {
 public:
  explicit FloatSources(const LaneOp& op)
      : in_(op), abs_(op.instruction->mod.abs), neg_(op.instruction->mod.neg) {}

  template <class F>
  BitsOf<F> get(unsigned s, unsigned lane) const {
    BitsOf<F> x{};
    if constexpr (std::is_same_v<F, F16>) {
      x = in_.b16(s, lane);
    } else if constexpr (std::is_same_v<F, F32>) {
      x = in_.b32(s, lane);
    } else {
      x = in_.b64(s, lane);
    }
    if (base::bit(abs_, s)) x = fp::abs<F>(x);
    if (base::bit(neg_, s)) x = fp::neg<F>(x);
    return x;
  }
  const Sources& raw() const { return in_; }

 private:
  Sources in_;
  unsigned abs_, neg_;
};

/// Writes rounded results: omod, clamp, then the destination.
class FloatSink {
 public:
  FloatSink(const LaneOp& op, LaneResult& result)
      : out_(op, result),
        omod_(static_cast<fp::Omod>(op.instruction->mod.omod)),
        clamp_(clamps(op)),
        dx10_(op.mode.dx10_clamp()) {}

  template <class F>
  BitsOf<F> finished(BitsOf<F> x, Env& env) const {
    x = fp::apply_omod<F>(x, omod_, env);
    return clamp_ ? fp::apply_clamp<F>(x, dx10_) : x;
  }
  /// `env` is the one MODE gives F: its flush_out and ieee bits decide about omod.
  template <class F>
  void put(unsigned lane, BitsOf<F> x, Env& env, OtherHalf other = OtherHalf::Zero) {
    x = finished<F>(x, env);
    if constexpr (std::is_same_v<F, F16>) {
      out_.b16(lane, x, other);
    } else if constexpr (std::is_same_v<F, F32>) {
      out_.b32(lane, x);
    } else {
      out_.b64(lane, x);
    }
  }
  template <class F>
  BitsOf<F> old(unsigned lane) const {
    if constexpr (std::is_same_v<F, F64>) {
      return out_.old64(lane);
    } else {
      return static_cast<BitsOf<F>>(out_.old32(lane));
    }
  }
  Sink& raw() { return out_; }

 private:
  Sink out_;
  fp::Omod omod_;
  bool clamp_, dx10_;
};

/// The environment of V_MAD and V_MAC: subnormals are flushed whatever MODE says.
inline Env flushing(const Env& env) {
  Env inner = env;
  inner.flush_in = inner.flush_out = true;
  return inner;
}

/// D = fn(S0, ..., env) in format F for N sources, lane after lane.
template <class F, unsigned N, auto Fn, OtherHalf Other = OtherHalf::Zero>
void soft_float(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<F>(op);
  for_active(op, [&](unsigned lane) {
    const auto get = [&](unsigned s) { return in.get<F>(s, lane); };
    if constexpr (N == 1) {
      out.put<F>(lane, Fn(get(0), env), env, Other);
    } else if constexpr (N == 2) {
      out.put<F>(lane, Fn(get(0), get(1), env), env, Other);
    } else {
      out.put<F>(lane, Fn(get(0), get(1), get(2), env), env, Other);
    }
  });
  result.flags = env.flags;
}

/// D = fn(S0, S1, D, env): the destination is the third operand.
template <class F, auto Fn>
void soft_accumulate(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<F>(op);
  for_active(op, [&](unsigned lane) {
    const BitsOf<F> d = Fn(in.get<F>(0, lane), in.get<F>(1, lane), out.old<F>(lane), env);
    out.put<F>(lane, d, env);
  });
  result.flags = env.flags;
}

/// A row that every level leaves to the reference.
template <class F, unsigned N, auto Fn, OtherHalf Other = OtherHalf::Zero>
inline constexpr Row row_float = soft_float<F, N, Fn, Other>;
template <class F, auto Fn>
inline constexpr Row row_accumulate = soft_accumulate<F, Fn>;

// Rows with a host-FPU lane function (host_ops.h) or one on bit patterns (quick_ops.h) beside Soft,
// the loop of their reference.
#if CUVETTE_LANES_LEVEL == 0
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_row = Soft;
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_accumulate = Soft;
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_row64 = Soft;
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_accumulate64 = Soft;
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_packed = Soft;
template <class F, class Quick, unsigned N, LaneHandler Soft>
inline constexpr Row quick = Soft;

/// Functions of one F16, or of a word of 16 bits.
template <auto Fn, LaneHandler Soft>
inline constexpr Row row_half = Soft;
template <auto Fn, LaneHandler Soft>
inline constexpr Row row_word16 = Soft;

struct HostAdd;
struct HostSub;
struct HostSubrev;
struct HostMul;
struct HostMad;
struct HostFma;
struct HostRcp;
struct HostSqrt;
struct HostFract;
enum class Toward : uint8_t { Zero, Plus, Minus, Even };
template <class F, bool Max>
struct QuickExtreme;
template <class F>
struct QuickMedian;
template <class F, unsigned Accepted>
struct QuickCompare;
template <class F, Toward Direction>
struct QuickIntegral;
template <class F>
struct QuickLdexp;
template <class F>
struct QuickMantissa;
template <class F>
struct QuickExponent;
template <class F, bool Signed, bool Down>
struct QuickToInt;
template <class F>
struct QuickClass;
struct QuickWiden;
struct QuickDouble;
struct QuickExp2;
struct QuickLog2;
template <unsigned Quarters>
struct QuickSine;
template <class F>
struct QuickFixup;
#else
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_row = host_float_row<Op, N, false, Mode, Soft>();
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_accumulate = host_float_row<Op, N, true, Mode, Soft>();
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_row64 = host_double_row<Op, N, false, Mode, Soft>();
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_accumulate64 = host_double_row<Op, N, true, Mode, Soft>();
template <class Op, unsigned N, HostMode Mode, LaneHandler Soft>
inline constexpr Row host_packed = host_packed_row<Op, N, Mode, Soft>();
template <class F, class Quick, unsigned N, LaneHandler Soft>
inline constexpr Row quick = quick_float_row<F, Quick, N, Soft>();
template <auto Fn, LaneHandler>
inline constexpr Row row_half = half_table<Fn, true>();
template <auto Fn, LaneHandler>
inline constexpr Row row_word16 = half_table<Fn, false>();
#endif

// Rows of F16, where the host converts F16.
#if CUVETTE_LANES_LEVEL == 0 || CUVETTE_VECTOR_BYTES == 16
template <class Op, unsigned N, LaneHandler Soft, OtherHalf Other = OtherHalf::Zero>
inline constexpr Row host_half = Soft;
template <class Op, bool Both, LaneHandler Soft>
inline constexpr Row host_half_accumulate = Soft;
template <class Op, unsigned N, LaneHandler Soft>
inline constexpr Row host_packed_half = Soft;

template <class Op>
struct HalfBy;
struct HalfMad;
struct HalfFma;
template <bool Max>
struct HalfExtreme;
#else
template <class Op, unsigned N, LaneHandler Soft, OtherHalf Other = OtherHalf::Zero>
inline constexpr Row host_half = host_half_row<Op, N, false, false, Other, Soft>();
template <class Op, bool Both, LaneHandler Soft>
inline constexpr Row host_half_accumulate =
    host_half_row<Op, 3, true, Both, OtherHalf::Zero, Soft>();
template <class Op, unsigned N, LaneHandler Soft>
inline constexpr Row host_packed_half = host_packed_half_row<Op, N, Soft>();
#endif

/// The row of Fn on an F16.
template <BitsOf<F16> (*Fn)(BitsOf<F16>, Env&)>
inline constexpr Row half_function = row_half<Fn, soft_float<F16, 1, Fn>>;

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
