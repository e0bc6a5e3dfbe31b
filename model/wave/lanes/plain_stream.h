// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/plain_float.h"
#include "wave/lanes/plain_memory.h"
#include "wave/stream.h"

// Streams (wave/stream.h) on one host level.
namespace cuvette::wave::lanes {
namespace {

/// Where a steady access of a dword per lane is in the host, looked up; null when that is not
/// known.
template <bool Store>
[[gnu::noinline]] CUVETTE_LEVEL uint8_t* far_place(const Prepared& p, const WaveState& wave,
                                                   const HostSlice& slice, uint64_t first,
                                                   HostSlice::Near& near) {
  constexpr uint32_t kSpan = kLanes * 4;
  const HostWindows::Window* const w = steady_piece(p, wave, slice, first, Store);
  if (w == nullptr) return nullptr;
  // A window does not leave what an aperture is told by, the upper half of the address.
  near = {w->first, w->end - w->first - kSpan + 1, w->host};
  return w->host + (first - w->first);
}

/// The same, looked for where the last one was.
template <bool Store>
CUVETTE_INLINE uint8_t* stream_place(const Prepared& p, const WaveState& wave, HostSlice& slice,
                                     size_t number) {
  const uint64_t first = steady_address(p, wave);
  HostSlice::Near& near = (Store ? slice.near_stores : slice.near_loads)[number];
  uint8_t* const host = first - near.first < near.room
                            ? near.host + (first - near.first)
                            : far_place<Store>(p, wave, slice, first, near);
  if (!Store && host != nullptr && p.trail != kNoTrail) {
    fetch_ahead<1>(host, slice.trails[p.trail], first);
    slice.trails[p.trail] = first;
  }
  return host;
}

CUVETTE_INLINE void load_replaced(const StreamGroup& g, WaveState& wave, uint8_t* const* place) {
  if (g.replaced == StreamGroup::kNoLoad) return;
  copy_all<1, false>(g.load[g.replaced], wave, place[g.replaced]);
}

/// The instruction and the store one by one, when all that is before them has been done.
CUVETTE_INLINE bool finish_stream(const StreamGroup& g, WaveState& wave, HostSlice& slice) {
  const Prepared* const last[] = {&g.op, &g.store};
  for (size_t n = 0; n < 2; ++n) {
    if (last[n]->run(*last[n], wave, slice)) continue;
    slice.pieces_done = g.pieces.size() - 2 + n;
    return false;
  }
  return true;
}

/// All results of a group. False: some are to be done over, nothing has been done.
template <HostOp Op, SourceShape Shape>
CUVETTE_INLINE bool stream_results(const FloatInputs& in, [[maybe_unused]] fp::Round round,
                                   Bits (&d)[kParts]) {
#if CUVETTE_VECTOR_BYTES == 16 && defined(__x86_64__)
  if constexpr (Op == HostOp::Fma) {
    HalfRow results;
    if (!wide_results<Op, Shape, true>(in, round, ~uint64_t{0}, results)) return false;
    __builtin_memcpy(d, results, sizeof d);
    if (!any_to_do_over(results)) return true;
    // Of an infinite sum, which is nothing invalid; the instruction itself may come much later.
    host::load_mxcsr(host::store_mxcsr(nullptr) & ~host::kInvalid);
    return false;
  } else
#endif
  {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      d[part] = float_part<Op, Shape, true>(in, part, uint64_t{0});
    }
    return !any_nan(d);
  }
}

template <HostOp Op, SourceShape Shape>
CUVETTE_LEVEL bool stream_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  const StreamGroup& g = *p.stream;
  if (slice.memory == nullptr || slice.memory->watched || slice.careful) {
    return run_pieces(g, wave, slice);
  }
  uint8_t* place[StreamGroup::kMostLoads];
  for (size_t n = 0; n < g.loads; ++n) {
    place[n] = stream_place<false>(g.load[n], wave, slice, (g.number + n) % HostSlice::kNears);
    if (place[n] == nullptr) return run_pieces(g, wave, slice);
  }
  uint8_t* const to = stream_place<true>(g.store, wave, slice, g.number % HostSlice::kNears);
  if (to == nullptr) return run_pieces(g, wave, slice);
  // What is loaded into the result's own register is not seen there.
  for (size_t n = 0; n < g.loads; ++n) {
    if (n != g.replaced) copy_all<1, false>(g.load[n], wave, place[n]);
  }
  for (size_t n = 0; n < g.others.size(); ++n) {
    if (g.others[n].run(g.others[n], wave, slice)) [[likely]]
      continue;
    // All that can decline are behind the loads.
    load_replaced(g, wave, place);
    slice.pieces_done = g.loads + n;
    return false;
  }
  FloatInputs in;
  take_inputs<Op, Shape>(g.op, wave, in);
  for (unsigned s = 0; s < kFloatSources<Op>; ++s) {
    if (g.from[s] != StreamGroup::kNoLoad) {
      in.source[s].first = reinterpret_cast<const uint32_t*>(place[g.from[s]]);
    }
  }
  Bits d[kParts];
  if (!stream_results<Op, Shape>(in, wave.s.mode.env_f32().round, d)) [[unlikely]] {
    load_replaced(g, wave, place);
    return finish_stream(g, wave, slice);
  }
  uint32_t* const dst = Prepared::row(wave, g.op.dst);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    store(dst + part * kWidth, d[part]);
    store(to + part * sizeof(Bits), d[part]);
  }
  return true;
}

/// One turn of StreamRun. False, and nothing done, when there are NaNs. `Registers`: some are
/// written.
template <HostOp Op, SourceShape Shape, bool Registers>
CUVETTE_INLINE bool stream_turn(const StreamTurn& turn, WaveState& wave, const FloatInputs& known,
                                StreamPlace* place, [[maybe_unused]] unsigned registers) {
  const StreamGroup& g = *turn.group;
  FloatInputs in = known;
  CUVETTE_UNROLL
  for (unsigned s = 0; s < kFloatSources<Op>; ++s) {
    // Said once more where the compiler sees it.
    if constexpr (Shape != SourceShape::Any) {
      in.source[s].scalar = Shape == SourceShape::FirstScalar && s == 0;
    }
    if (g.from[s] != StreamGroup::kNoLoad) {
      in.source[s].first = reinterpret_cast<const uint32_t*>(place[g.from[s]].host);
    }
  }
  Bits d[kParts];
  if (!stream_results<Op, Shape>(in, wave.s.mode.env_f32().round, d)) [[unlikely]]
    return false;
  for (size_t l = 0; l < g.loads; ++l) {
    StreamPlace& from = place[l];
    if constexpr (Registers) {
      if (base::bit(registers, l) && l != g.replaced) {
        copy_all<1, false>(g.load[l], wave, from.host);
      }
    }
    fetch_piece<1>(reinterpret_cast<uintptr_t>(from.host) +
                   ahead_of(static_cast<uint64_t>(from.step)));
    from.host += from.step;
  }
  StreamPlace& to = place[g.loads];
  if constexpr (Registers) {
    if (base::bit(registers, g.loads)) {
      uint32_t* const dst = Prepared::row(wave, g.op.dst);
      CUVETTE_UNROLL
      for (unsigned part = 0; part < kParts; ++part) store(dst + part * kWidth, d[part]);
    }
  }
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) store(to.host + part * sizeof(Bits), d[part]);
  to.host += to.step;
  return true;
}

/// One group keeps in host registers where it is.
template <HostOp Op, SourceShape Shape, bool Registers>
CUVETTE_LEVEL StreamStop stream_rounds_of_one(const StreamTurn& turn, WaveState& wave,
                                              StreamPlace* place, uint64_t rounds,
                                              unsigned registers) {
  FloatInputs in;
  take_inputs<Op, Shape>(turn.group->op, wave, in);
  uint64_t n = 0;
  while (n < rounds &&
         stream_turn<Op, Shape, Registers>(turn, wave, in, place + turn.place, registers)) {
    ++n;
  }
  return {n, 0};
}

template <HostOp Op, SourceShape Shape, bool Registers>
CUVETTE_LEVEL StreamStop stream_rounds_of_many(std::span<const StreamTurn> turns, WaveState& wave,
                                               StreamPlace* place, uint64_t rounds,
                                               unsigned registers) {
  FloatInputs in[kMostTurns];
  for (size_t t = 0; t < turns.size(); ++t) take_inputs<Op, Shape>(turns[t].group->op, wave, in[t]);
  for (uint64_t n = 0; n < rounds; ++n) {
    for (size_t t = 0; t < turns.size(); ++t) {
      StreamPlace* const there = place + turns[t].place;
      const unsigned written = registers | turns[t].read;
      if (!stream_turn<Op, Shape, Registers>(turns[t], wave, in[t], there, written)) return {n, t};
    }
  }
  return {rounds, 0};
}

/// StreamRun.
template <HostOp Op, SourceShape Shape>
CUVETTE_LEVEL StreamStop stream_rounds(std::span<const StreamTurn> turns, WaveState& wave,
                                       StreamPlace* place, uint64_t rounds, unsigned registers) {
  unsigned any = registers;
  for (const StreamTurn& turn : turns) any |= turn.read;
  if (turns.size() == 1) {
    return any != 0 ? stream_rounds_of_one<Op, Shape, true>(turns[0], wave, place, rounds, any)
                    : stream_rounds_of_one<Op, Shape, false>(turns[0], wave, place, rounds, 0);
  }
  return any != 0 ? stream_rounds_of_many<Op, Shape, true>(turns, wave, place, rounds, registers)
                  : stream_rounds_of_many<Op, Shape, false>(turns, wave, place, rounds, 0);
}

template <HostOp Op>
StreamRows stream_rows_of(SourceShape shape) {
  static constexpr std::array<StreamRows, kSourceShapes> kRows = {{
      {stream_row<Op, SourceShape::Any>, stream_rounds<Op, SourceShape::Any>},
      {stream_row<Op, SourceShape::Registers>, stream_rounds<Op, SourceShape::Registers>},
      {stream_row<Op, SourceShape::FirstScalar>, stream_rounds<Op, SourceShape::FirstScalar>},
  }};
  return kRows[static_cast<size_t>(shape)];
}

}  // namespace
}  // namespace cuvette::wave::lanes
