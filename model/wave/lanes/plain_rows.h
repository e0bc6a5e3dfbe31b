// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows of plain.h for one host level. Included by the file of that level, which has defined
// CUVETTE_LEVEL (the target attribute) and CUVETTE_INLINE (the same, always inlined).
#include "wave/lanes/host_unit.h"
#include "wave/lanes/plain.h"
#include "wave/operand.h"

// Results stay in host registers only when the loops over a row are unrolled.
#if defined(__clang__)
#define CUVETTE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CUVETTE_UNROLL _Pragma("GCC unroll 8")
#endif

namespace cuvette::wave::lanes {
namespace {

using host::sign_edit;
using host::SignEdit;

constexpr uint32_t kTwiceInfinity = 0xff000000;  // the bits of infinity without sign, doubled

/// A source: steps through a register, or one broadcast value without steps; abs and neg.
struct PlainSource {
  const uint32_t* first;
  unsigned step;
  SignEdit edit;
};

/// The sources of an instruction and room for those that are no registers.
template <class V>
struct PlainSources {
  PlainSource source[3];
  alignas(64) uint32_t copy[3][V::kWidth];
};

/// `Registers`: all sources are VGPRs without abs and neg.
template <class V, bool Registers>
CUVETTE_INLINE void take_sources(const Prepared& p, const WaveState& wave, PlainSources<V>& out) {
  CUVETTE_UNROLL
  for (unsigned s = 0; s < 3; ++s) {
    PlainSource& to = out.source[s];
    to = {Prepared::row(wave, p.src[s]), V::kWidth, {-1, 0}};
    if constexpr (!Registers) {
      to.edit = sign_edit(p.instruction->mod, s);
      if (base::bit(p.scalars, s)) {
        V::store(out.copy[s], V::broadcast(read_scalar32(wave, p.instruction->src[s])));
        to.first = out.copy[s];
        to.step = 0;
      }
    }
  }
}

/// Lanes of a source from `part` * kWidth on; disabled ones are zeros, which raise nothing.
template <class V, bool Registers, bool Full>
CUVETTE_INLINE typename V::Bits plain_operand(const PlainSource& from, unsigned part,
                                              uint64_t exec) {
  typename V::Bits x = V::load(from.first + part * (Registers ? V::kWidth : from.step));
  if constexpr (!Registers) x = V::edit(x, from.edit);
  if constexpr (!Full) x = V::keep(V::mask(exec, part * V::kWidth), x);
  return x;
}

template <class V, HostOp Op, bool Registers, bool Full>
CUVETTE_INLINE typename V::Bits plain_part(const PlainSources<V>& in, unsigned part,
                                           uint64_t exec) {
  const auto a = plain_operand<V, Registers, Full>(in.source[0], part, exec);
  const auto b = plain_operand<V, Registers, Full>(in.source[1], part, exec);
  if constexpr (Op == HostOp::Add) return V::add(a, b);
  if constexpr (Op == HostOp::Sub) return V::sub(a, b);
  if constexpr (Op == HostOp::Subrev) return V::sub(b, a);
  if constexpr (Op == HostOp::Mul) return V::mul(a, b);
  return V::fma(a, b, plain_operand<V, Registers, Full>(in.source[2], part, exec));
}

/// Once more, with the results in memory: some are NaNs. The host's flags do not change, they are
/// sticky.
template <class V, HostOp Op, bool Registers>
[[gnu::noinline]] CUVETTE_LEVEL Outcome plain_nans(const Prepared& p, WaveState& wave,
                                                   HostSlice& slice) {
  PlainSources<V> in;
  take_sources<V, Registers>(p, wave, in);
  alignas(64) uint32_t row[kLanes];
  uint64_t nan = 0;
  for (unsigned part = 0; part < kLanes / V::kWidth; ++part) {
    V::store(row + part * V::kWidth, plain_part<V, Op, Registers, false>(in, part, wave.s.exec()));
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    nan |= uint64_t{2 * row[lane] > kTwiceInfinity} << lane;
  }
  finish_with_nans(p, wave, slice, row, nan);
  return {};
}

/// All results are in host registers before the first is written: the destination may be a source,
/// and lanes with NaNs need their sources again. False, and nothing written, when there are NaNs.
template <class V, HostOp Op, bool Registers, bool Full>
CUVETTE_INLINE bool plain_parts(const PlainSources<V>& in, uint32_t* dst, uint64_t exec) {
  constexpr unsigned kParts = kLanes / V::kWidth;
  typename V::Bits d[kParts];
  typename V::Bits largest = V::broadcast(0);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    d[part] = plain_part<V, Op, Registers, Full>(in, part, exec);
    largest = V::max(largest, V::twice(d[part]));
  }
  if (V::any_above(largest, kTwiceInfinity)) [[unlikely]]
    return false;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    uint32_t* const to = dst + part * V::kWidth;
    if constexpr (!Full) {
      d[part] = V::blend(V::mask(exec, part * V::kWidth), V::load(to), d[part]);
    }
    V::store(to, d[part]);
  }
  return true;
}

/// Rare things are in functions of their own, so that the usual way needs no stack frame.
template <class V, HostOp Op, bool Registers>
CUVETTE_LEVEL Outcome plain(const Prepared& p, WaveState& wave, HostSlice& slice);

template <class V, HostOp Op, bool Registers>
[[gnu::noinline]] Outcome plain_first(const Prepared& p, WaveState& wave, HostSlice& slice) {
  slice.enter();
  return plain<V, Op, Registers>(p, wave, slice);
}

template <class V, HostOp Op, bool Registers>
CUVETTE_LEVEL Outcome plain(const Prepared& p, WaveState& wave, HostSlice& slice) {
  if (!slice.ready()) [[unlikely]]
    return plain_first<V, Op, Registers>(p, wave, slice);
  PlainSources<V> in;
  take_sources<V, Registers>(p, wave, in);
  uint32_t* const dst = Prepared::row(wave, p.dst);
  const uint64_t exec = wave.s.exec();
  const bool done = exec == ~uint64_t{0} ? plain_parts<V, Op, Registers, true>(in, dst, exec)
                                         : plain_parts<V, Op, Registers, false>(in, dst, exec);
  if (!done) [[unlikely]]
    return plain_nans<V, Op, Registers>(p, wave, slice);
  return {};
}

template <class V, bool Registers>
Prepared::Run plain_of(HostOp op) {
  switch (op) {
    case HostOp::Add:
      return plain<V, HostOp::Add, Registers>;
    case HostOp::Sub:
      return plain<V, HostOp::Sub, Registers>;
    case HostOp::Subrev:
      return plain<V, HostOp::Subrev, Registers>;
    case HostOp::Mul:
      return plain<V, HostOp::Mul, Registers>;
    case HostOp::Fma:
      return plain<V, HostOp::Fma, Registers>;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace cuvette::wave::lanes
