// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_rounds_scalars.h"

namespace cuvette::golden::steady {
namespace {

constexpr unsigned kMostRounds = 400, kLeastRounds = 6;

Salu compare_of(unsigned n) {
  return static_cast<Salu>(static_cast<unsigned>(Salu::EqI) + n);
}
bool is_minus(Salu what) {
  return what == Salu::SubU || what == Salu::SubI;
}

/// Ways to end a loop, tried until one ends after a good number of rounds.
class EndMaker {
 public:
  EndMaker(Random& random, State& state, const PartsMemory& memory)
      : random_(random), state_(state), memory_(memory) {}

  End wild() {
    for (unsigned tries = 0; tries < 60; ++tries) {
      End end = random_.percent(12) ? by_carry() : by_compare();
      end.again = random_.pick(2) == 0;
      measure(end);
      if (end.ends && end.rounds >= kLeastRounds && end.rounds <= kMostRounds) return end;
      // One that goes on for ever, or nearly.
      if (!end.ends && random_.percent(2)) return end;
    }
    return plain();
  }
  End plain() {
    const unsigned rounds = random_.rounds();
    state_.sgpr[kCounter] = rounds;
    End end;
    end.ops = counted({}).body;
    measure(end);
    return end;
  }

 private:
  static constexpr unsigned kLow = kEnd, kBound = kEnd + 2, kBy = kEnd + 4, kBoundBy = kEnd + 5;

  void measure(End& end) {
    State alone;
    alone.sgpr = state_.sgpr;
    const uint64_t round = end.ops.size() + 1;
    alone = evaluate({end.ops, end.again}, alone, memory_, (kMostRounds + 1) * round);
    end.ends = alone.next > end.ops.size() + 1;
    end.rounds = end.ends ? alone.instructions / round : random_.rounds();
  }
  uint32_t step() {
    if (random_.percent(40)) return 1;
    return random_.one_of<uint32_t>({1, 2, 3, 5, 7, 64, 1000, 1u << 24, 1u << 28, 0x7fffffff,
                                     0x80000000, 0xffffffff, 0xfffffffe, random_.bits()});
  }
  /// Near where something is special, or where it will be in some of the rounds.
  uint32_t start(uint32_t by) {
    const uint32_t in_a_while = by * random_.pick(target_ + target_ / 2);
    return random_.one_of<uint32_t>({0, 1, by * target_, 0u - by * target_, 0u - in_a_while,
                                     0x80000000 - in_a_while, 0x80000000, random_.bits()});
  }
  Salu update() { return random_.one_of({Salu::AddU, Salu::SubU, Salu::AddI, Salu::SubI}); }

  /// A counter of 32 or 64 bits; what is added to it in a round.
  uint64_t counter(Unit& out, unsigned low, unsigned by, bool wide) {
    state_.sgpr[by] = step();
    const Salu what = wide ? random_.one_of({Salu::AddU, Salu::SubU}) : update();
    const Operand amount = state_.sgpr[by] <= 64 && random_.pick(2) == 0
                               ? Operand{Operand::Constant, state_.sgpr[by]}
                               : s(by);
    out.push_back(scalar(what, low, s(low), amount));
    state_.set_pair(low, random_.pick(2));
    const uint64_t grows = is_minus(what) ? 0 - uint64_t{state_.sgpr[by]} : state_.sgpr[by];
    state_.sgpr[low] = start(static_cast<uint32_t>(grows));
    if (!wide) return grows;
    if (random_.pick(8) != 0) {
      out.push_back(
          scalar(is_minus(what) ? Salu::Subb : Salu::Addc, low + 1, s(low + 1), s(kZero)));
    }
    return grows;
  }
  End by_compare() {
    target_ = random_.rounds();
    const Salu what = compare_of(random_.pick(kCompares));
    const bool wide = what >= Salu::EqU64;
    End end;
    const uint64_t by = counter(end.ops, kLow, kBy, wide);
    uint64_t bound_by = 0;
    if (random_.percent(25)) bound_by = counter(end.ops, kBound, kBoundBy, wide);
    const uint64_t off = random_.one_of<uint64_t>({0, 0, 0, 1, ~uint64_t{0}, by, 3});
    state_.set_pair(kBound, state_.pair(kLow) + (by - bound_by) * target_ + off);
    Operand a = s(kLow), b = s(kBound);
    if (random_.pick(2) == 0) std::swap(a, b);
    const Op compare = scalar(what, 0, a, b);
    if (random_.percent(30)) {
      end.ops.insert(end.ops.begin(), compare);
      // The branch sees the compare, not the carry of the counter.
      if (random_.percent(70)) end.ops.push_back(compare);
    } else {
      end.ops.push_back(compare);
    }
    // What the bound or the counter says may be written once more in every round.
    if (random_.percent(20)) end.ops.push_back(scalar(Salu::Mov, kEnd + 6, s(kLow)));
    return end;
  }
  /// The branch sees a carry or a signed overflow.
  End by_carry() {
    target_ = random_.rounds();
    End end;
    counter(end.ops, kLow, kBy, random_.pick(2) == 0);
    return end;
  }

  Random& random_;
  State& state_;
  const PartsMemory& memory_;
  unsigned target_ = 1;
};

}  // namespace

unsigned Random::rounds() {
  const unsigned least = 10u << pick(6);
  return std::min(least + pick(least), kMostRounds);
}

uint32_t Random::special_float() {
  switch (pick(8)) {
    case 0:
    case 1:
      return 0x7fc00000 | (bits() & 0x803fffff);  // quiet
    case 2:
      return 0x7f800001 | (bits() & 0x803ffffe);  // signaling
    case 3:
    case 4:
      return 0x7f800000 | (bits() & 0x80000000);
    case 5:
      return bits() & 0x80000000;
    case 6:
      return bits() & 0x807fffff;
    default:
      return 0x7f7fffff | (bits() & 0x80000000);
  }
}

End make_end(Random& random, State& state, const PartsMemory& memory, bool wild) {
  state.sgpr[kOne] = 1;
  state.sgpr[kZero] = 0;
  EndMaker maker(random, state, memory);
  return wild ? maker.wild() : maker.plain();
}

Unit Scalars::steady() {
  switch (random_.pick(4)) {
    case 0:
    case 1:
      return sum();
    case 2:
      return wide_sum();
    default:
      return copy();
  }
}

Unit Scalars::unsteady() {
  switch (random_.pick(9)) {
    case 0:
      return quadratic();
    case 1:
      return alternating();
    case 2:
      return rotation();
    case 3:
      return doubling();
    case 4:
      return delayed();
    case 5:
      return fibonacci();
    case 6:
      return changing_float();
    case 7:
      return mask_write();
    default:
      return changing_step();
  }
}

Unit Scalars::compare() {
  const Salu what = compare_of(random_.pick(kCompares));
  const uint32_t by = step();
  const unsigned x = fresh(4), bound = x + 2;
  state_.set_pair(x, start(by));
  Unit out = add(x, s(sum_register(by)));
  const bool moves = random_.percent(25);
  const uint32_t bound_by = moves ? step() : 0;
  const uint64_t in_a_while = uint64_t{by} - bound_by;
  state_.set_pair(bound, state_.pair(x) + in_a_while * random_.pick(rounds_));
  if (moves) out.push_back(scalar(Salu::AddU, bound, s(bound), s(sum_register(bound_by))));
  Operand a = s(x), b = s(bound);
  if (random_.pick(2) == 0) std::swap(a, b);
  out.push_back(scalar(what, 0, a, b));
  if (random_.percent(20)) return out;
  const unsigned t = random_.percent(15) ? kSteps + random_.pick(4) : fresh(1);
  const Salu reader = random_.one_of({Salu::Addc, Salu::Subb});
  out.push_back(scalar(reader, t, s(t), random_.pick(2) == 0 ? s(kZero) : s(last_)));
  if (random_.pick(3) == 0) out.push_back(scalar(Salu::AddU, t, s(t), s(kOne)));
  return out;
}

unsigned Scalars::fresh(unsigned count) {
  free_ = (free_ + 1) & ~1u;  // pairs begin at even ones
  if (free_ + count > kFreeEnd) free_ = kFree;
  const unsigned first = free_;
  free_ += count;
  for (unsigned n = 0; n < count; ++n) state_.sgpr[first + n] = random_.bits();
  return first;
}

/// One that holds `by`.
unsigned Scalars::sum_register(uint32_t by) {
  const unsigned out = fresh(1);
  state_.sgpr[out] = by;
  return out;
}

uint32_t Scalars::step() {
  return random_.one_of<uint32_t>(
      {0, 1, 1, 2, 4, 256, 1u << 20, 0x80000000, 0xffffffff, 0xffffff00, random_.bits()});
}

/// Mostly where a carry or a signed overflow comes in one of the rounds.
uint32_t Scalars::start(uint32_t by) {
  const uint32_t in_a_while = by * random_.pick(rounds_);
  return random_.one_of<uint32_t>(
      {0, random_.bits(), 0u - in_a_while, 0x80000000 - in_a_while, 0x7fffffff - in_a_while});
}

Unit Scalars::add(unsigned d, Operand by) {
  const Salu what = random_.one_of({Salu::AddU, Salu::AddI, Salu::SubU, Salu::SubI});
  last_ = d;
  if (!is_minus(what) && random_.percent(30)) return {scalar(what, d, by, s(d))};
  return {scalar(what, d, s(d), by)};
}

Unit Scalars::sum() {
  const uint32_t by = step();
  const unsigned d = fresh(1);
  state_.sgpr[d] = start(by);
  Unit out = add(d, s(sum_register(by)));
  // Reads whatever carry there is.
  if (random_.percent(20)) {
    const unsigned t = fresh(1);
    out.push_back(scalar(random_.one_of({Salu::Addc, Salu::Subb}), t, s(t), s(kZero)));
  }
  return out;
}

Unit Scalars::wide_sum() {
  const uint32_t by = step();
  const unsigned d = fresh(2), step = fresh(2);
  state_.sgpr[d] = start(by);
  state_.set_pair(step, random_.pick(2) == 0 ? by : uint64_t{random_.bits()} << 32 | by);
  last_ = d + 1;
  if (random_.pick(3) == 0) {
    return {scalar(Salu::SubU, d, s(d), s(step)), scalar(Salu::Subb, d + 1, s(d + 1), s(step + 1))};
  }
  return {scalar(Salu::AddU, d, s(d), s(step)), scalar(Salu::Addc, d + 1, s(d + 1), s(step + 1))};
}

Unit Scalars::copy() {
  const unsigned d = fresh(1), from = random_.one_of({last_, kBases, kSteps, kCounter, kEnd, kVcc});
  if (random_.pick(2) == 0) return {scalar(Salu::Mov, d, s(from))};
  return {scalar(random_.one_of({Salu::AddU, Salu::SubU}), d, s(from), s(fresh(1)))};
}

Unit Scalars::quadratic() {
  const unsigned a = fresh(1), b = fresh(1);
  // Differences that repeat after two or four rounds among them.
  const uint32_t by = random_.one_of<uint32_t>({1, 4, 1u << 31, 1u << 30, 1u << 29, 0});
  state_.sgpr[a] = random_.one_of<uint32_t>({0, 1, random_.bits()});
  Unit out = {scalar(Salu::AddU, a, s(a), s(sum_register(by))), scalar(Salu::AddU, b, s(b), s(a))};
  if (random_.pick(3) == 0) {
    const unsigned c = fresh(1);
    out.push_back(scalar(Salu::AddU, c, s(c), s(b)));
  }
  if (random_.pick(2) == 0) std::swap(out[0], out[1]);
  return out;
}

Unit Scalars::alternating() {
  const unsigned x = fresh(1), y = fresh(1), total = fresh(1);
  // It stands still where twice x is y.
  if (random_.pick(4) == 0) state_.sgpr[y] = 2 * state_.sgpr[x];
  return {scalar(Salu::SubU, x, s(y), s(x)), scalar(Salu::AddU, total, s(total), s(x))};
}

Unit Scalars::rotation() {
  const unsigned count = 2 + random_.pick(5), first = fresh(count + 1);
  // All the same but one: what is added up seems to grow by the same amount for some rounds.
  const uint32_t same = random_.bits();
  for (unsigned n = 0; n < count; ++n) state_.sgpr[first + n] = same;
  if (random_.pick(8) != 0) state_.sgpr[first + random_.pick(count)] += 1 + random_.pick(2);
  Unit out = {scalar(Salu::Mov, first + count, s(first))};
  for (unsigned n = 0; n < count; ++n) {
    out.push_back(scalar(Salu::Mov, first + n, s(first + n + 1)));
  }
  const unsigned total = fresh(1);
  out.push_back(scalar(Salu::AddU, total, s(total), s(first)));
  return out;
}

Unit Scalars::doubling() {
  const unsigned x = fresh(1);
  // Stands still from some round on.
  state_.sgpr[x] = random_.bits() << random_.one_of<unsigned>({0, 20, 28, 30, 31});
  return {scalar(random_.one_of({Salu::AddU, Salu::AddI}), x, s(x), s(x))};
}

/// Registers that begin to move one after the other.
Unit Scalars::delayed() {
  const unsigned count = 2 + random_.pick(5), first = fresh(count + 1);
  for (unsigned n = 0; n < count; ++n) state_.sgpr[first + n] = 0;
  Unit out;
  for (unsigned n = 0; n + 1 < count; ++n) {
    out.push_back(scalar(Salu::Mov, first + n, s(first + n + 1)));
  }
  const uint32_t by = step();
  out.push_back(scalar(Salu::AddU, first + count - 1, s(first + count - 1), s(sum_register(by))));
  out.push_back(scalar(Salu::AddU, first + count, s(first + count), s(first)));
  return out;
}

Unit Scalars::fibonacci() {
  const unsigned a = fresh(2), b = a + 1;
  if (random_.pick(3) == 0) state_.set_pair(a, 0);
  return {scalar(Salu::AddU, a, s(a), s(b)), scalar(Salu::AddU, b, s(b), s(a))};
}

Unit Scalars::changing_float() {
  const unsigned f = kFloats + random_.pick(2);
  switch (random_.pick(3)) {
    case 0:  // the next number
      return {scalar(Salu::AddU, f, s(f), s(kOne))};
    case 1: {  // another one, and back
      const unsigned t = fresh(2);
      state_.sgpr[t + 1] = random_.percent(20) ? random_.special_float() : random_.nice_float();
      return {scalar(Salu::Mov, t, s(f)), scalar(Salu::Mov, f, s(t + 1)),
              scalar(Salu::Mov, t + 1, s(t))};
    }
    default: {  // what never changes, written in every round
      const unsigned t = fresh(1);
      state_.sgpr[t] = random_.nice_float();
      return {scalar(Salu::Mov, f, s(t))};
    }
  }
}

Unit Scalars::mask_write() {
  const unsigned d = random_.one_of<unsigned>({kVcc, kVcc, kMask, kMask + 2}) + random_.pick(2);
  switch (random_.pick(3)) {
    case 0:
      return {scalar(Salu::Mov, d, random_.pick(2) == 0 ? s(kZero) : s(last_))};
    case 1:
      return {scalar(Salu::AddU, d, s(d), s(fresh(1)))};
    default: {  // what a carry was
      const unsigned t = fresh(1);
      return {scalar(Salu::AddU, t, s(t), s(d))};
    }
  }
}

/// A pointer's step changes in one round, or in all.
Unit Scalars::changing_step() {
  const unsigned step = kSteps + random_.pick(4);
  if (random_.percent(30)) return {scalar(Salu::AddU, step, s(step), s(sum_register(4)))};
  const unsigned x = fresh(2);
  state_.sgpr[x] = 0;
  state_.sgpr[x + 1] = random_.pick(rounds_);
  return {scalar(Salu::AddU, x, s(x), s(kOne)), scalar(Salu::EqU, 0, s(x), s(x + 1)),
          scalar(Salu::Addc, step, s(step), s(kZero))};
}

}  // namespace cuvette::golden::steady
