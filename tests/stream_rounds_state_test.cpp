// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Many rounds at once (wave/stream_loop.h) and the instructions one by one: the same wherever the
// former stop, within a round, too. What a wave shows at its end hides most of that, as the next
// round writes every register again.
#include <string>

#include <gtest/gtest.h>

#include "stream_rounds_compiled.h"

namespace cuvette::golden::steady {
namespace {

/// A loop's rounds without its jump.
class StreamRoundsState : public SteadyCodeTest {
 protected:
  struct Case {
    State before;
    Program::Block* block = nullptr;
    const wave::SteadyCode* loop = nullptr;
  };

  StreamRoundsState() : SteadyCodeTest(rounds_layout()), program_(memory_.device, kTarget) {
    bytes_ = nice_memory(memory_);
  }

  /// As many rounds as were recorded and done at once, and pieces of one more.
  struct Done {
    uint64_t rounds = 0;
    size_t pieces = 0;
    bool at_once = false, declined = false;
  };

  /// The wave begins behind a first round, as short cuts want it.
  Done at_once(const Case& c, uint64_t most, State& after) {
    Wave w(kTarget, kVgprs, 0);
    start(w, c.before);
    MemoryPort port(memory_.device);
    wave::HostSlice slice(w.state.s);
    slice.memory = &port;
    slice.enter();
    Done done;
    if (run_straight(c, w, slice, 0, c.block->straight.size()) && c.loop->begin(w.state)) {
      wave::StreamRounds rounds(c.loop->streams());
      done = record(c, rounds, w, slice);
      if (rounds.steady() && !done.declined) {
        const wave::StreamRounds::End end = rounds.run(w.state, slice, most);
        done.at_once = end.rounds != 0 || end.piece != 0;
        done.rounds += end.rounds;
        done.pieces = c.loop->done(end.piece, 0);
      }
      c.loop->end(w.state, done.pieces == 0 ? c.block->straight.size() : done.pieces);
    }
    slice.leave();
    after = state_of(w);
    return done;
  }

  static Done record(const Case& c, wave::StreamRounds& rounds, Wave& w, wave::HostSlice& slice) {
    constexpr unsigned kMost = 5;
    Done done;
    while (done.rounds < kMost && !rounds.steady()) {
      if (!rounds.wants_record()) break;
      if (rounds.record(w.state, slice) != c.block->straight.size()) done.declined = true;
      if (done.declined) break;
      ++done.rounds;
    }
    return done;
  }

  bool one_by_one(const Case& c, const Done& done, State& after) {
    Wave w(kTarget, kVgprs, 0);
    start(w, c.before);
    MemoryPort port(memory_.device);
    wave::HostSlice slice(w.state.s);
    slice.memory = &port;
    slice.enter();
    bool good = true;
    for (uint64_t n = 0; n <= done.rounds && good; ++n) {
      good = run_straight(c, w, slice, 0, c.block->straight.size());
    }
    good = good && run_straight(c, w, slice, 0, done.pieces);
    slice.leave();
    after = state_of(w);
    return good;
  }

  void compare(unsigned seed, const steady::Case& made) {
    wave::lanes::limit_host_level(seed % 2 == 0 ? HostLevel::Avx2 : HostLevel::Avx512);
    const Code code = code_of(made.loop);
    ASSERT_TRUE(memory_.device.poke(code_, code.words.data(), 4 * code.words.size()).ok());
    program_.renew();
    Program::Block& block = program_.block(code_, *program_.at(code_));
    const Case c{made.before, &block, &program_.steady_loop(block)};
    State got, want;
    const Done done = c.loop->streams().empty() ? Done{} : at_once(c, 1 + seed % 300, got);
    if (done.at_once && one_by_one(c, done, want)) {
      ++many_;
      within_ += done.pieces != 0;
      // Flags of the round that was not done are there already.
      expect_same(want, got, "seed " + std::to_string(seed) + text_of(made.loop));
    }
    wave::lanes::limit_host_level(HostLevel::Avx512);
  }

  Program program_;
  unsigned many_ = 0, within_ = 0;

 private:
  void start(Wave& w, const State& before) {
    memory_.bytes = before.memory;
    memory_.put();
    w.state.s.sgpr = before.sgpr;
    w.state.s.scc = before.scc;
    w.state.s.mode.raw = wave::kDefaultMode;
    w.state.alloc.vgprs = kVgprs;
    w.state.alloc.shared_aperture = kAperture;
    std::copy(before.rows.begin(), before.rows.end(), w.state.v.arch);
  }
  State state_of(const Wave& w) {
    State state;
    state.rows.assign(w.state.v.arch, w.state.v.arch + kVgprs);
    state.sgpr = w.state.s.sgpr;
    state.scc = w.state.s.scc;
    state.memory = memory_.get();
    state.trapsts = w.state.s.trapsts;
    return state;
  }
  static bool run_straight(const Case& c, Wave& w, wave::HostSlice& slice, size_t from, size_t to) {
    for (size_t n = from; n < to; ++n) {
      const wave::Prepared& p = c.block->straight[n];
      if (!p.run(p, w.state, slice)) return false;
    }
    return true;
  }
};

TEST_F(StreamRoundsState, RandomLoops) {
  constexpr unsigned kCases = 12000;
  Mix mix;
  mix.share = 15;
  mix.accumulate = 10;
  mix.specials = 40;
  mix.overlap = 40;
  mix.odd_steps = 20;
  mix.leave = 5;
  mix.wild_end = 30;
  mix.scalars = 2;
  mix.wild_address = 15;
  for (unsigned seed = 0; seed < kCases && !HasFailure(); ++seed) {
    compare(seed, Loops(seed, mix, memory_, bytes_).make());
  }
  EXPECT_GT(many_, kCases / 8);
  EXPECT_GT(within_, kCases / 100);
}

TEST_F(StreamRoundsState, Compiled) {
  constexpr unsigned kCases = 2000;
  for (unsigned seed = 0; seed < kCases && !HasFailure(); ++seed) {
    compare(seed, compiled_loop(seed, memory_, bytes_));
  }
  EXPECT_GT(many_, kCases / 2);
  EXPECT_GT(within_, kCases / 100);
}

}  // namespace
}  // namespace cuvette::golden::steady
