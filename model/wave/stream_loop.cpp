// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/stream_loop.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "wave/lanes/lane0.h"
#include "wave/lanes/plain.h"
#include "wave/lanes/steady_place.h"

namespace cuvette::wave {
namespace {

using isa::Operand;
using S = isa::SemanticId;
using Step = StreamLoop::Step;

constexpr S kCarriesIn[] = {S::s_addc_u32, S::s_subb_u32};  ///< scalar sums with SCC as a source
/// Comparisons, all of which follow from the order of two numbers.
constexpr S kCompares[] = {S::s_cmp_eq_i32, S::s_cmp_lg_i32, S::s_cmp_gt_i32, S::s_cmp_ge_i32,
                           S::s_cmp_lt_i32, S::s_cmp_le_i32, S::s_cmp_eq_u32, S::s_cmp_lg_u32,
                           S::s_cmp_gt_u32, S::s_cmp_ge_u32, S::s_cmp_lt_u32, S::s_cmp_le_u32};
constexpr S kWideCompares[] = {S::s_cmp_eq_u64, S::s_cmp_lg_u64};

template <size_t N>
bool is_among(const S (&some)[N], S semantic) {
  return std::find(std::begin(some), std::end(some), semantic) != std::end(some);
}

/// A source of a comparison.
uint64_t source_of(const Prepared& p, const WaveState& wave, unsigned s) {
  const uint32_t* const from = p.scalar_source(wave, s);
  return is_among(kWideCompares, p.instruction->semantic()) ? base::join32(from[0], from[1])
                                                            : from[0];
}

/// How often a number can grow without any of the 64 lanes' going past the middle or the end of its
/// type, where carries, overflows and orders change. Lane n holds `now` + n * stride.
template <class T>
uint64_t room_of(const Growing<T>& number, T stride = 0) {
  using Signed = std::make_signed_t<T>;
  constexpr T kMiddle = T{1} << (8 * sizeof(T) - 1);
  constexpr T kMostGrowth = kMiddle >> 2;
  const auto [now, by] = number;
  if (by == 0) return std::numeric_limits<uint64_t>::max();
  const bool falls = static_cast<Signed>(by) < 0;
  const T growth = falls ? T{0} - by : by;
  if (growth > kMostGrowth) return 0;
  if (falls) return (now < kMiddle ? now : now - kMiddle) / growth;
  const T last = std::min<T>(now < kMiddle ? kMiddle - 1 : ~T{0}, ~T{0} - (kLanes - 1) * stride);
  return now > last ? 0 : (last - now) / growth;
}

/// For how many rounds the order of two numbers stays what it is, with or without sign.
template <class T>
uint64_t rounds_alike(const Growing<T>& a, const Growing<T>& b) {
  if (a.now > b.now) return rounds_alike(b, a);
  using Signed = std::make_signed_t<T>;
  constexpr T kMiddle = T{1} << (8 * sizeof(T) - 1);
  // In this time numbers stay in their half of the range.
  const uint64_t room = std::min(room_of(a), room_of(b));
  if (a.now < kMiddle && b.now >= kMiddle) return room;
  const T between = b.now - a.now;
  const auto growth = static_cast<Signed>(b.by - a.by);
  if (between == 0) return growth == 0 ? room : 0;
  return growth >= 0 ? room : std::min<uint64_t>(room, (between - 1) / static_cast<T>(-growth));
}
Growing<uint32_t> low_half(const Growing<uint64_t>& x) {
  return {base::lo32(x.now), base::lo32(x.by)};
}

/// Where the sum of a step is.
uint32_t* place_of(const Step& step, WaveState& wave) {
  if (step.kind == Step::Kind::Lane0) return Prepared::row(wave, step.piece->dst);
  return &wave.s.sgpr[step.piece->dst / sizeof(uint32_t)];
}

/// What an instruction besides the streams is. Nothing: it does not belong in such a loop.
std::optional<Step::Kind> kind_of(const Prepared& p) {
  const S semantic = p.instruction->semantic();
  if (p.shortness == Shortness::Nothing) return Step::Kind::Other;
  const lanes::Lane0Kind lane0 = lanes::lane0_kind(p.run);
  if (lane0 == lanes::Lane0Kind::Sum) return Step::Kind::Lane0;
  // The high half of a pair is no sum of halves.
  if (lane0 != lanes::Lane0Kind::None) return std::nullopt;
  if (!is_direct_scalar(p)) return std::nullopt;
  if (is_among(kCompares, semantic) || is_among(kWideCompares, semantic)) {
    return Step::Kind::Compare;
  }
  if (!is_scalar_sum(p)) return std::nullopt;
  return Step::Kind::Sgpr;
}

unsigned mask_code(const Operand& mask) {
  return mask.index & ~1u;
}
/// SGPRs that a step writes, or reads as a mask: first and how many.
struct Sgprs {
  unsigned first = 0, count = 0;
  bool meets(const Sgprs& other) const {
    return first < other.first + other.count && other.first < first + count;
  }
};
Sgprs sum_of(const Step& step) {
  if (step.kind != Step::Kind::Sgpr) return {};
  return {step.piece->dst / static_cast<unsigned>(sizeof(uint32_t)), 1};
}
Sgprs mask_in_of(const Step& step) {
  const Prepared& p = *step.piece;
  if (!step.computes() || p.mask_in < 0) return {};
  return {mask_code(p.instruction->src[p.mask_in]), 2};
}
Sgprs mask_out_of(const Step& step) {
  const Prepared& p = *step.piece;
  if (!step.computes() || p.mask_out < 0) return {};
  return {mask_code(p.instruction->dst[p.mask_out]), 2};
}

/// Whether a step writes a scalar register that the instruction of a group reads.
bool writes_source(const Step& step, const StreamGroup& group) {
  const Prepared& op = group.op;
  for (unsigned s = 0; s < op.sources; ++s) {
    if (!base::bit(op.scalars, s) || base::bit(op.scalars, 4 + s)) continue;
    const Sgprs read{op.src[s] / static_cast<unsigned>(sizeof(uint32_t)), 1};
    if (read.meets(sum_of(step)) || read.meets(mask_out_of(step))) return true;
  }
  return false;
}

/// What a group writes: its loads, then its result.
unsigned writes_of(const StreamGroup& group) {
  return group.loads + 1u;
}
uint32_t written_by(const StreamGroup& group, size_t n) {
  return n < group.loads ? group.load[n].dst : group.op.dst;
}
/// Whether the instruction of a group reads a vector register for what none of its loads wrote.
bool reads_register(const StreamGroup& group, uint32_t offset) {
  const Prepared& op = group.op;
  for (unsigned s = 0; s < 3; ++s) {
    // Accumulators are source 2, beyond the operands.
    const bool source = s < op.sources || (s == 2 && op.src[2] == op.dst);
    if (!source || base::bit(op.scalars, s) || group.from[s] != StreamGroup::kNoLoad) continue;
    if (op.src[s] == offset) return true;
  }
  return false;
}

/// What only code behind the loop can see in a register.
bool is_unread(const StreamTurn& turn, size_t n) {
  return n != turn.group->replaced && !base::bit(turn.read, static_cast<unsigned>(n));
}

bool writes_register(const StreamGroup& group, const Step& step) {
  for (size_t n = 0; n < writes_of(group); ++n) {
    if (written_by(group, n) == step.piece->dst) return true;
  }
  return false;
}

}  // namespace

/// Carries come from the same round and are nothing else, so that they follow from the sums.
bool StreamLoop::carries_fit(const Step& step) const {
  const auto any = [this](auto is) { return std::any_of(steps_.begin(), steps_.end(), is); };
  const S semantic = step.piece->instruction->semantic();
  const auto sets_scc = [](const Step& s) {
    return s.computes() && s.kind != Step::Kind::Lane0 &&
           s.piece->instruction->semantic() != S::s_mov_b32;
  };
  if (is_among(kCarriesIn, semantic) && !any(sets_scc)) return false;
  const Sgprs in = mask_in_of(step), out = mask_out_of(step), sum = sum_of(step);
  if (in.count != 0 && !any([&](const Step& s) { return mask_out_of(s).meets(in); })) return false;
  return !any([&](const Step& s) {
    return sum.meets(mask_out_of(s)) || sum.meets(mask_in_of(s)) || sum_of(s).meets(in) ||
           sum_of(s).meets(out);
  });
}

void StreamLoop::add(const Prepared& piece) {
  const std::optional<Step::Kind> kind = kind_of(piece);
  fits_ = fits_ && kind && steps_.size() < kMostSteps;
  if (!fits_) return;
  const Step step{&piece, *kind, 0, groups_.size()};
  fits_ = !step.computes() || carries_fit(step);
  for (const Step& s : steps_) {
    const bool again = step.has_sum() && s.kind == step.kind && s.piece->dst == step.piece->dst;
    computes_once_ = computes_once_ && !again;
  }
  steps_.push_back(step);
  for (size_t g = 0; g < groups_.size(); ++g) meet(steps_.back(), g, false);
}

void StreamLoop::add(const StreamGroup& group, size_t piece) {
  fits_ = fits_ && accesses_.size() + group.loads < kMostPlaces &&
          steps_.size() + group.pieces.size() <= kMostSteps;
  if (!fits_) return;
  const size_t number = groups_.size();
  size_t access = accesses_.size();
  groups_.push_back({&group, piece, access});
  runs_.push_back(lanes::stream_rows(group.op).rounds);
  alike_ = alike_ && runs_.back() == runs_.front() && groups_.size() <= kMostTurns;
  for (size_t n = 0; n < group.loads; ++n) accesses_.push_back(&group.load[n]);
  accesses_.push_back(&group.store);
  for (Step& step : steps_) meet(step, number, true);
  const size_t before = group.pieces.size() - 2;  // of the instruction and the store
  for (size_t n = 0; n < group.pieces.size() && fits_; ++n) {
    const Prepared& p = group.pieces[n];
    if (n == before) {
      steps_.push_back({&p, Step::Kind::Other});
    } else if (n > before || is_steady(p, false)) {
      steps_.push_back({&p, Step::Kind::Access, access++});
    } else {
      // Its loads are before it, its instruction is behind.
      add(p);
      if (fits_) meet(steps_.back(), number, group.op.dst == p.dst);
    }
  }
  for (StreamTurn& g : groups_) {
    mark_read(g, group);
    mark_read(groups_.back(), *g.group);
  }
}

void StreamLoop::mark_read(StreamTurn& writer, const StreamGroup& reader) {
  for (unsigned n = 0; n < writes_of(*writer.group); ++n) {
    if (reads_register(reader, written_by(*writer.group, n))) writer.read |= 1u << n;
  }
}

/// What a step and a group have to know of each other. `later`: what the group writes into the
/// step's register it writes behind it.
void StreamLoop::meet(Step& step, size_t number, bool later) {
  const StreamGroup& group = *groups_[number].group;
  fits_ = fits_ && !writes_source(step, group);
  if (step.kind != Step::Kind::Lane0 || !writes_register(group, step)) return;
  computes_once_ = false;
  step.shared = std::min(step.shared, number);
  if (later) step.replaced = std::min(step.replaced, number);
}

bool StreamRounds::wants_record() {
  if (skip_ == 0) return true;
  --skip_;
  return false;
}

bool StreamRounds::see(const Step& step, WaveState& wave, Seen& seen) {
  const Prepared& p = *step.piece;
  bool same = seen.scc == wave.s.scc;
  seen.scc = wave.s.scc;
  if (p.mask_out >= 0) {
    const uint64_t mask = wave.s.pair(mask_code(p.instruction->dst[p.mask_out]));
    same = same && seen.mask == mask;
    seen.mask = mask;
  }
  if (!step.has_sum()) {
    seen.a.next(source_of(p, wave, 0));
    seen.b.next(source_of(p, wave, 1));
    return same;
  }
  return seen.word.next(*place_of(step, wave)) && same;
}

size_t StreamRounds::record(WaveState& wave, HostSlice& slice) {
  const std::vector<Step>& steps = loop_.steps();
  if (recorded_ == 0 && loop_.computes_once()) {
    // The round before is still there to be seen.
    for (size_t n = 0; n < steps.size(); ++n) {
      if (steps[n].computes()) see(steps[n], wave, seen_[n]);
    }
    ++recorded_;
  }
  bool same = true;
  for (size_t n = 0; n < steps.size(); ++n) {
    const Step& step = steps[n];
    const Prepared& p = *step.piece;
    if (step.kind == Step::Kind::Access) {
      address_[step.access].next(lanes::steady_address(p, wave));
    }
    if (!p.run(p, wave, slice)) {
      forget();
      return n;
    }
    if (step.computes()) same = see(step, wave, seen_[n]) && same;
  }
  ++recorded_;
  // The first differences are those to nothing.
  steady_ = same && recorded_ > 2;
  if (!steady_ && recorded_ > kMostRecorded) forget();
  return steps.size();
}

void StreamRounds::forget() {
  recorded_ = 0;
  steady_ = false;
  skip_ = next_skip_;
  next_skip_ = std::min(2 * next_skip_, kMostSkipped);
}

uint64_t StreamRounds::rounds_of(const Step& step, const Seen& seen, uint64_t most) {
  if (!step.has_sum()) {
    const bool wide = is_among(kWideCompares, step.piece->instruction->semantic());
    return std::min(most, wide ? rounds_alike(seen.a, seen.b)
                               : rounds_alike(low_half(seen.a), low_half(seen.b)));
  }
  const uint32_t stride = step.kind == Step::Kind::Lane0 ? step.piece->stride : 0;
  return std::min(most, room_of(seen.word, stride));
}

uint64_t StreamRounds::find_places(WaveState& wave, HostSlice& slice, uint64_t most) {
  StreamPieces pieces(*slice.memory);
  for (size_t n = 0; n < loop_.accesses().size() && most != 0; ++n) {
    const auto [now, by] = address_[n];
    most = find_place(*loop_.accesses()[n], wave, pieces, now + by, static_cast<int64_t>(by), most,
                      place_[n]);
  }
  return most;
}

bool StreamRounds::memory_keeps_registers() const {
  constexpr int64_t kSpan = kLanes * 4;
  const size_t count = loop_.accesses().size();
  const int64_t step = place_[0].step;
  const auto at = [this](size_t n) { return reinterpret_cast<intptr_t>(place_[n].host); };
  const auto apart = [](int64_t x) { return x >= kSpan || x <= -kSpan; };
  for (size_t n = 0; n < count; ++n) {
    if (place_[n].step != step) return false;
  }
  // Stores of the same round, and of the next one.
  const auto kept = [&](size_t n) {
    return std::all_of(loop_.groups().begin(), loop_.groups().end(), [&](const StreamTurn& g) {
      const size_t store = g.place + g.group->loads;
      const int64_t between = at(store) - at(n);
      return (n == store || apart(between)) && apart(between + step);
    });
  };
  return std::all_of(loop_.groups().begin(), loop_.groups().end(), [&](const StreamTurn& g) {
    for (unsigned n = 0; n < writes_of(*g.group); ++n) {
      if (is_unread(g, n) && !kept(g.place + n)) return false;
    }
    return true;
  });
}

void StreamRounds::load_registers(WaveState& wave, const StreamStop& stop) const {
  const auto load_group = [&](const StreamTurn& g) {
    for (unsigned n = 0; n < writes_of(*g.group); ++n) {
      if (!is_unread(g, n)) continue;
      const StreamPlace& from = place_[g.place + n];
      std::memcpy(Prepared::row(wave, written_by(*g.group, n)), from.host - from.step,
                  sizeof(LaneRow));
    }
  };
  const auto& groups = loop_.groups();
  const auto next = groups.begin() + static_cast<ptrdiff_t>(stop.turn);
  if (stop.rounds != 0) std::for_each(next, groups.end(), load_group);
  std::for_each(groups.begin(), next, load_group);
}

/// `later`: registers that nothing reads are written by load_registers().
StreamStop StreamRounds::run_groups(WaveState& wave, uint64_t rounds, bool later) {
  const unsigned registers = later ? 0 : ~0u;
  const std::span<const StreamTurn> groups = loop_.groups();
  const std::vector<StreamRun>& runs = loop_.runs();
  if (loop_.alike()) return runs[0](groups, wave, place_.data(), rounds, registers);
  for (uint64_t n = 0; n < rounds; ++n) {
    for (size_t g = 0; g < groups.size(); ++g) {
      const StreamStop stop = runs[g](groups.subspan(g, 1), wave, place_.data(), 1, registers);
      if (stop.rounds == 0) return {n, g};
    }
  }
  return {rounds, 0};
}

void StreamRounds::advance(uint64_t rounds) {
  for (size_t n = 0; n < loop_.steps().size(); ++n) {
    seen_[n].word.advance(rounds);
    seen_[n].a.advance(rounds);
    seen_[n].b.advance(rounds);
  }
  for (size_t n = 0; n < loop_.accesses().size(); ++n) address_[n].advance(rounds);
}

StreamStop StreamRounds::run_rounds(WaveState& wave, HostSlice& slice, uint64_t most) {
  for (size_t n = 0; n < loop_.steps().size(); ++n) {
    const Step& step = loop_.steps()[n];
    if (step.computes()) most = rounds_of(step, seen_[n], most);
  }
  StreamStop all;
  while (all.rounds < most) {
    const uint64_t now = find_places(wave, slice, most - all.rounds);
    if (now == 0) break;
    const bool later = memory_keeps_registers();
    const StreamStop stop = run_groups(wave, now, later);
    if (later) load_registers(wave, stop);
    advance(stop.rounds);
    all = {all.rounds + stop.rounds, stop.turn};
    if (stop.rounds < now) break;
  }
  return all;
}

void StreamRounds::write(const Step& step, const Seen& seen, WaveState& wave, bool sum) {
  wave.s.scc = seen.scc;
  if (step.has_sum() && sum) *place_of(step, wave) = seen.word.now;
  if (step.piece->mask_out >= 0) step.piece->write_mask(wave, seen.mask);
}

StreamRounds::End StreamRounds::run(WaveState& wave, HostSlice& slice, uint64_t most) {
  constexpr uint64_t kWorthIt = 16;
  if (slice.memory == nullptr || slice.memory->watched || slice.careful) {
    forget();
    return {};
  }
  const StreamStop stop = run_rounds(wave, slice, most);
  End end{stop.rounds, 0};
  // What groups have left in registers since stays.
  const std::vector<Step>& steps = loop_.steps();
  for (size_t n = 0; n < steps.size(); ++n) {
    const bool stays = steps[n].replaced != Step::kNever || steps[n].shared < stop.turn;
    if (steps[n].computes()) write(steps[n], seen_[n], wave, !stays);
  }
  // A round begun goes on where its groups end. One that has done none begins anew.
  if (stop.turn != 0) {
    end.piece = loop_.groups()[stop.turn].piece;
    advance(1);
    for (size_t n = 0; n < steps.size(); ++n) {
      if (!steps[n].computes() || steps[n].behind > stop.turn) continue;
      write(steps[n], seen_[n], wave, steps[n].replaced >= stop.turn);
    }
  }
  if (end.rounds >= kWorthIt) next_skip_ = kFirstSkip;
  forget();
  return end;
}

}  // namespace cuvette::wave
