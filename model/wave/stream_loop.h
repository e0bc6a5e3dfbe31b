// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wave/stream.h"

// Loops of nothing but streams: many rounds at once, without the scalar instructions between them.
//
// Everything such a loop computes besides its streams is a sum of what it computed before and of
// numbers that never change, modulo 2^32. Where all of it has grown by the same amounts twice in a
// row, it will grow by them for ever, until a number wraps around: with x' = A x + b for all
// results of a round, x' - x = x - y is A (x - y) = x - y. Carries are the same as long as nothing
// wraps.
namespace cuvette::wave {

/// A number and how much it grows in a round.
template <class T>
struct Growing {
  T now = 0, by = 0;
  void advance(uint64_t rounds) { now += static_cast<T>(rounds) * by; }
  /// The next round's. Returns whether it has grown by as much as the last time.
  bool next(T x) {
    const T grown = x - now;
    const bool same = grown == by;
    now = x;
    by = grown;
    return same;
  }
};

/// The code of a loop, as far as it is one of these.
class StreamLoop {
 public:
  static constexpr size_t kMostSteps = 32, kMostPlaces = 32;

  /// What comes next in the round; the pieces and groups must stay where they are. After something
  /// that does not belong in such a loop it is empty().
  void add(const Prepared& piece);
  void add(const StreamGroup& group, size_t piece);
  bool empty() const { return !fits_ || groups_.empty(); }

  /// An instruction.
  struct Step {
    enum class Kind : uint8_t {
      Other,    ///< nothing to look at
      Access,   ///< load or store of a group
      Sgpr,     ///< a sum in an SGPR
      Lane0,    ///< one in a VGPR, for all lanes in lane 0
      Compare,  ///< of two numbers, in SCC
    };
    const Prepared* piece = nullptr;
    Kind kind = Kind::Other;
    size_t access = 0;  ///< which one, of accesses_
    size_t behind = 0;  ///< so many groups have begun when it is done
    /// Groups that write its vector register, too: the first one of all, and behind it.
    static constexpr size_t kNever = ~size_t{0};
    size_t shared = kNever, replaced = kNever;

    bool has_sum() const { return kind == Kind::Sgpr || kind == Kind::Lane0; }
    bool computes() const { return has_sum() || kind == Kind::Compare; }
  };
  /// Whether a round leaves in every register what its step has computed.
  bool computes_once() const { return computes_once_; }
  /// Whether a call of one of runs() does all groups.
  bool alike() const { return alike_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<StreamTurn>& groups() const { return groups_; }
  const std::vector<StreamRun>& runs() const { return runs_; }  ///< per group
  /// Per group its loads, then its store.
  const std::vector<const Prepared*>& accesses() const { return accesses_; }

 private:
  bool carries_fit(const Step& step) const;
  void meet(Step& step, size_t group, bool later);
  static void mark_read(StreamTurn& writer, const StreamGroup& reader);

  bool fits_ = true, computes_once_ = true, alike_ = true;
  std::vector<Step> steps_;
  std::vector<StreamTurn> groups_;
  std::vector<StreamRun> runs_;
  std::vector<const Prepared*> accesses_;
};

/// Rounds of one wave in a StreamLoop.
class StreamRounds {
 public:
  /// `loop` must not be empty.
  explicit StreamRounds(const StreamLoop& loop) : loop_(loop) {}

  /// Whether the next round is to be done by record().
  bool wants_record();
  /// One round, instruction by instruction. Returns how many of them were done.
  size_t record(WaveState& wave, HostSlice& slice);

  /// Whether the rounds to come will do what the recorded ones did.
  bool steady() const { return steady_; }
  /// Where many rounds ended: behind `rounds` whole ones, before a piece of SteadyCode::pieces().
  struct End {
    uint64_t rounds = 0;
    size_t piece = 0;
  };
  /// When steady(), after record(): up to `most` rounds that all end as the recorded one did, and
  /// the beginning of one more. Everything is as if they had been done one by one.
  End run(WaveState& wave, HostSlice& slice, uint64_t most);

 private:
  struct Seen {
    Growing<uint32_t> word;  ///< of a sum
    Growing<uint64_t> a, b;  ///< of a comparison
    uint64_t mask = 0;
    bool scc = false;
  };
  static constexpr uint64_t kFirstSkip = 4, kMostSkipped = 4096;
  static constexpr unsigned kMostRecorded = 6;

  /// What a step has done. Returns whether it was what it did in the round before, but for growth.
  static bool see(const StreamLoop::Step& step, WaveState& wave, Seen& seen);
  static void write(const StreamLoop::Step& step, const Seen& seen, WaveState& wave, bool sum);
  /// How many of the next `most` rounds see the same of a step.
  static uint64_t rounds_of(const StreamLoop::Step& step, const Seen& seen, uint64_t most);
  /// How many of them stay where all accesses of the next round are, and where that is.
  uint64_t find_places(WaveState& wave, HostSlice& slice, uint64_t most);
  /// Whether registers that are not read can be loaded from memory behind many rounds: no store
  /// goes where what they hold came from or went to.
  bool memory_keeps_registers() const;
  /// So they are: as groups left them, the ones before `stop` in the round that ended there.
  void load_registers(WaveState& wave, const StreamStop& stop) const;
  StreamStop run_groups(WaveState& wave, uint64_t rounds, bool later);
  StreamStop run_rounds(WaveState& wave, HostSlice& slice, uint64_t most);
  void advance(uint64_t rounds);
  /// Begins anew, some rounds later.
  void forget();

  const StreamLoop& loop_;
  unsigned recorded_ = 0;                       ///< rounds in a row
  bool steady_ = false;                         ///< the last one was as the one before
  uint64_t skip_ = 0, next_skip_ = kFirstSkip;  ///< rounds without record()
  std::array<Seen, StreamLoop::kMostSteps> seen_;
  std::array<Growing<uint64_t>, StreamLoop::kMostPlaces> address_;
  std::array<StreamPlace, StreamLoop::kMostPlaces> place_;
};

}  // namespace cuvette::wave
