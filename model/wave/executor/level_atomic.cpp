// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <bit>

#include "wave/atomic.h"
#include "wave/executor/level_memory.h"
#include "wave/executor/level_piece.h"

// Atomics on one host level: lanes in ascending order, each on its place in the host.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using base::AtomicOp;

/// Operands of an atomic.
struct Update {
  uint64_t exec = 0;
  uint8_t* piece = nullptr;  ///< of the LDS, null where each lane has a place of its own
  Row64 offset;              ///< of each lane in the piece
  uint8_t* place[kLanes];
  const uint32_t *data, *compare;
  alignas(64) uint32_t old[2][kLanes];
  bool lds = false, returns = false;
};

template <class Word>
Word operand_of(const uint32_t* rows, unsigned lane) {
  Word x = rows[lane];
  if constexpr (sizeof(Word) == 8) x |= Word{rows[kLanes + lane]} << 32;
  return x;
}

/// change(before, data, compare) gives what memory holds afterwards. The LDS of a work-group is not
/// shared with other threads of the host.
template <bool Returns, class Word, class Change>
void update_piece(Update& u, Change change) {
  const auto update = [&](unsigned lane) {
    auto* const word = reinterpret_cast<Word*>(u.piece + u.offset.word[lane]);
    const Word before = *word;
    *word = static_cast<Word>(
        change(before, operand_of<Word>(u.data, lane), operand_of<Word>(u.compare, lane)));
    if constexpr (Returns) {
      u.old[0][lane] = static_cast<uint32_t>(before);
      if constexpr (sizeof(Word) == 8) u.old[1][lane] = static_cast<uint32_t>(before >> 32);
    }
  };
  if (u.exec == ~uint64_t{0}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) update(lane);
  } else {
    for (uint64_t rest = u.exec; rest != 0; rest &= rest - 1)
      update(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

/// The same wherever the lanes are. Device memory is shared with other threads of the host.
template <class Word, class Change>
void update_each(Update& u, Change change) {
  if (u.piece != nullptr) {
    return u.returns ? update_piece<true, Word>(u, change) : update_piece<false, Word>(u, change);
  }
  for (uint64_t rest = u.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    auto* const word = reinterpret_cast<Word*>(u.place[lane]);
    const auto data = operand_of<Word>(u.data, lane);
    const auto compare = operand_of<Word>(u.compare, lane);
    Word before = 0;
    if (u.lds) {
      before = *word;
      *word = static_cast<Word>(change(before, data, compare));
    } else {
      const std::atomic_ref<Word> shared(*word);
      before = shared.load();
      while (
          !shared.compare_exchange_weak(before, static_cast<Word>(change(before, data, compare)))) {
      }
    }
    u.old[0][lane] = static_cast<uint32_t>(before);
    if constexpr (sizeof(Word) == 8) u.old[1][lane] = static_cast<uint32_t>(before >> 32);
  }
}

template <class Word, AtomicOp Op>
bool update_as(AtomicOp op, Update& u) {
  if (op != Op) return false;
  update_each<Word>(u, [](Word before, Word data, Word compare) {
    return base::apply_integer_atomic(Op, before, data, compare, 8 * sizeof(Word));
  });
  return true;
}
template <class Word, AtomicOp... Ops>
bool update_by(AtomicOp op, Update& u) {
  return (update_as<Word, Ops>(op, u) || ...);
}

template <class Word>
void update(AtomicOp op, Update& u, AtomicFlush flush) {
  using A = AtomicOp;
  if (update_by<Word, A::Swap, A::CmpSwap, A::Add, A::Sub, A::SMin, A::UMin, A::SMax, A::UMax,
                A::And, A::Or, A::Xor, A::Inc, A::Dec>(op, u)) {
    return;
  }
  update_each<Word>(u, [&](Word before, Word data, Word compare) {
    return apply_atomic(op, before, data, compare, 8 * sizeof(Word), flush.in, flush.out);
  });
}

/// The place of every lane. False: the access is the reference's, and nothing has been done.
template <Space Kind>
CUVETTE_INLINE bool find_update(const MemoryShape& shape, const WaveState& wave, Context& c,
                                const Addresses& a, Update& u) {
  const unsigned bytes = shape.bytes;
  if (!is_lds<Kind>(a) && !c.memory->grants_atomics) return false;
  // Addresses that are not aligned, or may be written but not read, are the reference's.
  uint64_t crooked = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    crooked |= lanes_of(as<Signed>((a.delta[part] & (bytes - 1)) != 0)) << (part * kWidth);
  }
  if ((crooked & a.exec) != 0 || a.base % bytes != 0) return false;
  Location at;
  Places places;
  if (!locate<Kind>(shape, wave, c, a, true, at, places)) return false;
  const Row64 delta = row_of(a.delta);
  u.exec = a.exec;
  u.lds = is_lds<Kind>(a);
  u.returns = shape.returns;
  u.data = shape.data[0].at(wave);
  u.compare = shape.has_compare ? shape.compare.at(wave) : u.data;
  if (at.in_piece) {
    const uint32_t length = at.range.largest - at.range.least + bytes;
    if (!u.lds && c.memory->host_of(a.base + at.range.least, length, false) == nullptr) {
      return false;
    }
    if (u.lds) {
      u.piece = at.piece.host;
      CUVETTE_LANE_LOOP
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        u.offset.word[lane] = delta.word[lane] - at.range.least;
      }
      return true;
    }
    // A run of all lanes begins with the least. Disabled lanes have no place.
    CUVETTE_LANE_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      u.place[lane] = at.piece.host + (delta.word[lane] - at.range.least);
    }
    return true;
  }
  for (uint64_t rest = a.exec; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    if (c.memory->host_of(a.base + delta.word[lane], bytes, false) == nullptr) return false;
    u.place[lane] = places.host[lane];
  }
  return true;
}

/// Tells who watches.
CUVETTE_LEVEL void tell_atomic(const MemoryShape& shape, uint64_t base, const Row64& delta,
                               uint64_t exec, Context& c) {
  for (; exec != 0; exec &= exec - 1) {
    c.memory->touch_atomic(base + delta.word[first_lane(exec)], shape.bytes, shape.atomic,
                           shape.returns);
  }
}

CUVETTE_INLINE void write_old(const MemoryShape& shape, const WaveState& wave, const Addresses& a,
                              const Update& u) {
  uint32_t* const rows = shape.data[1].at(wave);
  for (unsigned d = 0; d < shape.dwords(); ++d) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned first = part * kWidth;
      uint32_t* const row = rows + d * kLanes + first;
      const Bits x = keep(mask_of(a.exec, first), load(u.old[d] + first));
      store(row, blend(mask_of(a.exec | a.zeros, first), load(row), x));
    }
  }
}

}  // namespace

template <Space Kind>
CUVETTE_LEVEL bool update_lanes(const MicroOp& p, WaveState& wave, Context& c) {
  const MemoryShape& shape = *p.memory;
  if (c.memory == nullptr) return false;
  if (wave.s.exec() == 0) return true;
  Addresses a;
  if (!find_addresses<Kind>(shape, wave, 0, a) || a.plane != 4) return false;
  Update u;
  if (a.exec != 0) {
    if (!find_update<Kind>(shape, wave, c, a, u)) return false;
    if (!u.lds && c.memory->watched) tell_atomic(shape, a.base, row_of(a.delta), a.exec, c);
    const bool l2 = flushes_in_l2(wave.target);
    const AtomicFlush flush = u.lds ? flush_of(shape.atomic, wave.s.mode) : AtomicFlush{l2, l2};
    if (shape.bytes == 8) {
      update<uint64_t>(shape.atomic, u, flush);
    } else {
      update<uint32_t>(shape.atomic, u, flush);
    }
  }
  if (shape.returns) write_old(shape, wave, a, u);
  return true;
}

void put_atomics(LevelTable& table) {
  table.update = {update_lanes<Space::Global>, update_lanes<Space::Flat>,
                  update_lanes<Space::Scratch>, update_lanes<Space::Buffer>,
                  update_lanes<Space::Lds>};
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
