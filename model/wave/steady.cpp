// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/steady.h"

#include <algorithm>
#include <array>

#include "wave/lanes/lane0.h"
#include "wave/memory/prepared_memory.h"
#include "wave/scalar/full_exec.h"

namespace cuvette::wave {
namespace {

using isa::Operand;
using isa::OperandKind;

constexpr unsigned kRegisters = 256;

unsigned register_of(uint32_t offset) {
  return offset / static_cast<unsigned>(sizeof(LaneRow));
}

bool changes_exec(const Prepared& p) {
  if (scalar::keeps_full_exec(p.run)) return false;
  if (p.writes_exec || p.instruction->row->has(isa::kWritesExec)) return true;
  const auto names_exec = [](const Operand& o) {
    return o.kind == OperandKind::Sgpr && o.index + o.dwords > isa::kExecLo;
  };
  return std::any_of(std::begin(p.instruction->dst), std::end(p.instruction->dst), names_exec);
}

/// Finds the numbers that lane 0 says. A number is what one piece writes into a register, or what a
/// register holds that no piece has written. It starts with what loads and stores address, goes on
/// to what these are computed from, and starts again without a number that turns out to be
/// something else.
class Numbers {
 public:
  static constexpr size_t kOutside = ~size_t{0};
  struct Number {
    size_t piece = kOutside;  ///< that writes it
    unsigned r = 0;
    bool known = false;   ///< lane 0 says it
    bool barred = false;  ///< it does not
    uint32_t stride = 0;
  };

  Numbers(std::span<const Prepared> straight, SteadyCode::Rounds rounds) {
    const bool many = rounds == SteadyCode::Rounds::Many;
    holds_.fill(kOutside);
    first_.fill(kOutside);
    for (const Prepared& p : straight) {
      const size_t piece = pieces_.size();
      const auto compare = lanes::lane0_compare_of(p);
      pieces_.push_back({&p,
                         lanes::lane0_row(p),
                         compare ? compare->number : 0,
                         memory::addresses(p),
                         {},
                         numbers_.size()});
      for_registers(p, [&](unsigned r, bool, bool write) {
        if (!write) return;
        holds_[r] = numbers_.size();
        numbers_.push_back({piece, r});
      });
    }
    if (!many) holds_.fill(kOutside);
    // Once more round, for what is read.
    for (Piece& x : pieces_) {
      for_registers(*x.p, [&](unsigned r, bool read, bool) {
        if (!read) return;
        if (holds_[r] == kOutside) {
          first_[r] = holds_[r] = numbers_.size();
          numbers_.push_back({kOutside, r});
        }
        x.reads.push_back({r, holds_[r]});
      });
      size_t next = x.writes;
      for_registers(*x.p, [&](unsigned r, bool, bool write) {
        if (write) holds_[r] = next++;
      });
    }
    if (many) first_ = holds_;
    while (!settle()) {
    }
  }

  /// In the order of pieces, those from outside anywhere.
  const std::vector<Number>& all() const { return numbers_; }
  /// What register r holds when the body begins; null: something that it does not read.
  const Number* first(unsigned r) const {
    return first_[r] == kOutside ? nullptr : &numbers_[first_[r]];
  }

  /// The piece with its short cut. False: it has none.
  bool shorten(size_t piece, Prepared& p) const {
    const Piece& x = pieces_[piece];
    if (const Number* n = computed(x)) {
      p.run = x.sum.run;
      p.stride = n->stride;
      if (x.sum.kind == Kind::Sign) p.stride = numbers_[source_of(x, 1)].stride;
      return true;
    }
    if (compares(x)) {
      p.run = x.sum.run;
      p.stride = numbers_[source_of(x, x.number)].stride;
      return true;
    }
    if (!addressed(x)) return false;
    p.run = x.access.steady;
    return true;
  }

 private:
  struct Read {
    unsigned r;
    size_t number;
  };
  using Kind = lanes::Lane0Kind;
  static constexpr unsigned kSources = 3;
  struct Piece {
    const Prepared* p;
    lanes::Lane0Row sum;
    unsigned number = 0;           ///< kind Compare: the source that is looked at
    memory::VectorAddress access;  ///< steady null: none
    std::vector<Read> reads;
    size_t writes;  ///< its first number
  };

  /// fn(register, read, write) for what the instruction itself says. Rows of the general handlers
  /// may keep a half of what they write.
  template <class Fn>
  static void for_registers(const Prepared& p, Fn fn) {
    const bool keeps = p.run == run_lanes || p.instruction->row->format == isa::Format::Vop3pMai;
    const auto each = [&fn](const Operand& o, bool read, bool write) {
      if (o.kind != OperandKind::Vgpr) return;
      for (unsigned d = 0; d < o.dwords; ++d) fn(o.index + d, read, write);
    };
    for (const Operand& o : p.instruction->src) each(o, true, o.write);
    for (const Operand& o : p.instruction->dst) each(o, o.read || keeps, true);
  }

  /// Which number a piece reads in register r.
  static size_t reaching(const Piece& x, unsigned r) {
    for (const Read& read : x.reads) {
      if (read.r == r) return read.number;
    }
    return kOutside;
  }
  /// Which one source s is, or the low half of it.
  static size_t source_of(const Piece& x, unsigned s) {
    return reaching(x, register_of(x.p->src[s]));
  }
  static size_t high_of(const Piece& x, unsigned s) {
    return reaching(x, register_of(x.p->src[s]) + 1);
  }
  static bool is_register(const Piece& x, unsigned s) {
    return s < x.p->sources && !base::bit(x.p->scalars, s);
  }
  static bool is_pair(const Piece& x, unsigned s) { return x.p->instruction->src[s].dwords == 2; }
  /// Whether a piece writes a number that lane 0 may say.
  static bool sums(const Piece& x) {
    return x.sum.kind != Kind::None && x.sum.kind != Kind::Compare;
  }
  /// What a piece computes in lane 0; null: nothing.
  const Number* computed(const Piece& x) const {
    return sums(x) && numbers_[x.writes].known ? &numbers_[x.writes] : nullptr;
  }
  /// Whether it compares what lane 0 says.
  bool compares(const Piece& x) const {
    if (x.sum.kind != Kind::Compare || !numbers_[source_of(x, x.number)].known) return false;
    if (!is_pair(x, x.number)) return true;
    const Number& high = numbers_[high_of(x, x.number)];
    return high.known && high.stride == 0;
  }
  /// Whether it is a load or store at numbers that lane 0 says.
  bool addressed(const Piece& x) const {
    const auto& access = x.access;
    const auto is = [this](size_t n, uint32_t stride) {
      return numbers_[n].known && numbers_[n].stride == stride;
    };
    return access.steady != nullptr && is(source_of(x, 0), access.stride) &&
           (!access.wide || is(high_of(x, 0), 0));
  }

  /// One attempt. False: a number has been barred, and everything begins anew.
  bool settle() {
    for (Number& n : numbers_) n.known = false;
    for (const Piece& x : pieces_) {
      const auto& access = x.access;
      if (access.steady == nullptr) continue;
      // Both or none.
      const size_t low = source_of(x, 0), high = access.wide ? high_of(x, 0) : low;
      if (numbers_[low].barred || numbers_[high].barred) continue;
      if (!demand(low, access.stride) || (access.wide && !demand(high, 0))) return false;
    }
    return std::all_of(pieces_.begin(), pieces_.end(), [this](const Piece& x) { return check(x); });
  }

  bool bar(size_t n) {
    numbers_[n].barred = true;
    return false;
  }

  /// Number n is to have a stride, with all that it is computed from.
  bool demand(size_t n, uint32_t stride) {
    Number& number = numbers_[n];
    if (number.barred) return false;
    if (number.known) return number.stride == stride || bar(n);
    number.known = true;
    number.stride = stride;
    if (number.piece == kOutside) return true;
    const Piece& x = pieces_[number.piece];
    if (!sums(x)) return bar(n);
    // The high half follows from what the low one is computed from.
    if (n != x.writes) return stride == 0 || bar(n);
    const bool good = x.sum.kind == Kind::Sign ? demand_sign(n) : demand_sources(n);
    // The high half is computed with it, also for nobody.
    const bool whole = x.sum.kind != Kind::PairSum || (good && demand(n + 1, 0));
    return (good && whole) || bar(n);
  }

  /// Of the sign of a number, whatever its stride is for others.
  bool demand_sign(size_t n) const {
    const Piece& x = pieces_[numbers_[n].piece];
    return numbers_[n].stride == 0 && is_register(x, 1) && numbers_[source_of(x, 1)].known;
  }

  /// Whether a source of a piece may have a stride, for a result of that stride.
  static bool walks(const Piece& x, unsigned s, uint32_t stride) {
    const int8_t shift = x.sum.shift[s];
    return is_register(x, s) && shift >= 0 && (stride >> shift) << shift == stride;
  }
  /// Whether number n may have a stride other than 0, as far as is seen in `steps` steps.
  bool may_walk(size_t n, uint32_t stride, unsigned steps) const {
    const Number& number = numbers_[n];
    if (number.barred || number.known) return !number.barred && number.stride == stride;
    if (number.piece == kOutside || steps == 0) return true;
    const Piece& x = pieces_[number.piece];
    if (!sums(x) || n != x.writes) return false;
    for (unsigned s = 0; s < kSources; ++s) {
      if (!walks(x, s, stride)) continue;
      if (may_walk(source_of(x, s), stride >> x.sum.shift[s], steps - 1)) return true;
    }
    return false;
  }
  /// The source that has the stride of number n, which is not 0: of several ones the number itself
  /// that walks on, or one that is computed here. kSources: none.
  unsigned find_walking(size_t n) const {
    constexpr unsigned kSteps = 4;
    const uint32_t stride = numbers_[n].stride;
    const Piece& x = pieces_[numbers_[n].piece];
    unsigned walking = kSources, best = 0;
    for (unsigned s = 0; s < kSources; ++s) {
      if (!walks(x, s, stride)) continue;
      const size_t from = source_of(x, s);
      if (!may_walk(from, stride >> x.sum.shift[s], kSteps)) continue;
      const unsigned rank = from == n ? 2 : numbers_[from].piece != kOutside ? 1 : 0;
      if (walking != kSources && rank <= best && (rank != 1 || best != 1)) continue;
      walking = s;
      best = rank;
    }
    return walking;
  }

  /// Of the piece that computes number n.
  bool demand_sources(size_t n) {
    const uint32_t stride = numbers_[n].stride;
    const Piece& x = pieces_[numbers_[n].piece];
    const unsigned walking = stride != 0 ? find_walking(n) : kSources;
    if (stride != 0 && walking == kSources) return false;
    for (unsigned s = 0; s < kSources; ++s) {
      if (!is_register(x, s)) continue;
      if (!demand(source_of(x, s), s == walking ? stride >> x.sum.shift[s] : 0)) return false;
      if (is_pair(x, s) && !demand(high_of(x, s), 0)) return false;
    }
    return true;
  }

  /// Nobody else reads a number that is in lane 0 alone.
  bool check(const Piece& x) {
    if (x.sum.kind == Kind::PairSum && numbers_[x.writes].known != numbers_[x.writes + 1].known) {
      return bar(numbers_[x.writes].known ? x.writes : x.writes + 1);
    }
    if (computed(x) != nullptr || compares(x)) return true;
    const bool quick = addressed(x);
    const unsigned low = register_of(x.p->src[0]);
    bool good = true;
    for (const Read& read : x.reads) {
      const Number& n = numbers_[read.number];
      if (!n.known || n.piece == kOutside) continue;
      const bool address = quick && (read.r == low || (x.access.wide && read.r == low + 1));
      if (!address || x.access.stores(read.r)) good = bar(read.number);
    }
    return good;
  }

  std::vector<Piece> pieces_;
  std::vector<Number> numbers_;
  /// Number per register: at the end of the body, and when it begins.
  std::array<size_t, kRegisters + 32> holds_, first_;
};

}  // namespace

SteadyCode::SteadyCode(std::span<const Prepared> straight, Rounds rounds) : rounds_(rounds) {
  const lanes::HostRows* const rows = lanes::host_rows();
  if (rows == nullptr || std::any_of(straight.begin(), straight.end(), changes_exec)) return;
  const Numbers numbers(straight, rounds);
  std::vector<Prepared> body(straight.begin(), straight.end());
  size_t shortened = 0;
  uint8_t trail = 0;
  for (size_t n = 0; n < body.size(); ++n) {
    if (!numbers.shorten(n, body[n])) continue;
    ++shortened;
    const bool follows = rounds == Rounds::Many && body[n].instruction->row->has(isa::kLoad);
    body[n].trail = follows ? trail++ % HostSlice::kTrails : kNoTrail;
  }
  for (unsigned r = 0; r < kRegisters; ++r) {
    std::vector<Write> writes;
    bool lane0 = false;
    for (const Numbers::Number& n : numbers.all()) {
      if (n.r != r || n.piece == Numbers::kOutside) continue;
      writes.push_back({{Prepared::offset_of(r), n.stride}, n.known, n.piece});
      lane0 = lane0 || n.known;
    }
    if (lane0) {
      writes_.insert(writes_.end(), writes.begin(), writes.end());
      if (writes.back().lane0) last_.push_back(writes.back().to);
    }
    const Numbers::Number* const first = numbers.first(r);
    if (first != nullptr && first->known) {
      first_.push_back({Prepared::offset_of(r), first->stride});
    }
  }
  // What looking at a register and putting it right costs, a short cut saves.
  if (shortened > (rounds == Rounds::Many ? 0 : first_.size() + last_.size()))
    body_ = std::move(body);
  group();
}

void SteadyCode::group() {
  size_t loads = 0;
  for (size_t n = 0; n < body_.size();) {
    begins_.push_back(n);
    auto found = find_stream(std::span(body_).subspan(n));
    if (!found) {
      if (rounds_ == Rounds::Many) streams_.add(body_[n]);
      pieces_.push_back(body_[n++]);
      continue;
    }
    groups_.push_back(std::make_unique<StreamGroup>(std::move(*found)));
    if (rounds_ == Rounds::Many) streams_.add(*groups_.back(), pieces_.size());
    groups_.back()->number = loads;
    loads += groups_.back()->loads;
    pieces_.push_back(stream_piece(*groups_.back()));
    n += groups_.back()->pieces.size();
  }
  join_rows(pieces_);
}

bool SteadyCode::begin(const WaveState& wave) const {
  if (empty() || wave.s.exec() != ~uint64_t{0}) return false;
  const lanes::HostRows& rows = *lanes::host_rows();
  return std::all_of(first_.begin(), first_.end(), [&](const Register& r) {
    return rows.walks(Prepared::row(wave, r.offset), r.stride);
  });
}

void SteadyCode::end(WaveState& wave, size_t count) const {
  const lanes::HostRows& rows = *lanes::host_rows();
  if (count == body_.size()) {
    for (const Register& r : last_) rows.walk(Prepared::row(wave, r.offset), r.stride);
    return;
  }
  for (size_t i = 0; i < writes_.size();) {
    // The last write counts: in this round, or else in the one before.
    size_t last = i, next = i;
    for (; next < writes_.size() && writes_[next].to.offset == writes_[i].to.offset; ++next) {
      if (writes_[next].piece < count) last = next;
    }
    const bool written = writes_[i].piece < count;
    if (!written) last = next - 1;
    const Write& w = writes_[last];
    if (w.lane0 && (written || rounds_ == Rounds::Many)) {
      rows.walk(Prepared::row(wave, w.to.offset), w.to.stride);
    }
    i = next;
  }
}

}  // namespace cuvette::wave
