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

  /// A wave in the middle of a slice.
  struct Running {
    Running(const State& before, PartsMemory& memory) : port(memory.device) {
      wave.group = &group;
      set_up(wave, before, 0, memory);
      slice.memory = &port;
      slice.enter();
    }
    Workgroup group;
    Wave wave{kTarget, kVgprs, 0};
    MemoryPort port;
    wave::HostSlice slice{wave.state.s};
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
    Running r(c.before, memory_);
    Done done;
    if (run_straight(c, r, c.block->straight.size()) && c.loop->begin(r.wave.state)) {
      wave::StreamRounds rounds(c.loop->streams());
      done = record(c, rounds, r);
      if (rounds.steady() && !done.declined) {
        const wave::StreamRounds::End end = rounds.run(r.wave.state, r.slice, most);
        done.at_once = end.rounds != 0 || end.piece != 0;
        done.rounds += end.rounds;
        done.pieces = c.loop->done(end.piece, 0);
      }
      c.loop->end(r.wave.state, done.pieces == 0 ? c.block->straight.size() : done.pieces);
    }
    r.slice.leave();
    after = state_of(r.wave, memory_);
    return done;
  }

  static Done record(const Case& c, wave::StreamRounds& rounds, Running& r) {
    constexpr unsigned kMost = 5;
    Done done;
    while (done.rounds < kMost && !rounds.steady()) {
      if (!rounds.wants_record()) break;
      if (rounds.record(r.wave.state, r.slice) != c.block->straight.size()) done.declined = true;
      if (done.declined) break;
      ++done.rounds;
    }
    return done;
  }

  bool one_by_one(const Case& c, const Done& done, State& after) {
    Running r(c.before, memory_);
    bool good = true;
    for (uint64_t n = 0; n <= done.rounds && good; ++n) {
      good = run_straight(c, r, c.block->straight.size());
    }
    good = good && run_straight(c, r, done.pieces);
    r.slice.leave();
    after = state_of(r.wave, memory_);
    return good;
  }

  Case prepare(const Loop& loop, const State& before) {
    const Code code = code_of(loop);
    EXPECT_TRUE(memory_.device.poke(code_, code.words.data(), 4 * code.words.size()).ok());
    program_.renew();
    Program::Block& block = program_.block(code_, *program_.at(code_));
    return {before, &block, &program_.steady_loop(block)};
  }
  void compare(unsigned seed, const steady::Case& made) {
    wave::lanes::limit_host_level(seed % 2 == 0 ? HostLevel::Avx2 : HostLevel::Avx512);
    const Case c = prepare(made.loop, made.before);
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
  static bool run_straight(const Case& c, Running& r, size_t count) {
    for (size_t n = 0; n < count; ++n) {
      const wave::Prepared& p = c.block->straight[n];
      if (!p.run(p, r.wave.state, r.slice)) return false;
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
  RecordProperty("many", static_cast<int>(many_));
  RecordProperty("within", static_cast<int>(within_));
  EXPECT_GT(many_, kCases / 8);
  EXPECT_GT(within_, kCases / 100);
}

TEST_F(StreamRoundsState, Compiled) {
  constexpr unsigned kCases = 2000;
  for (unsigned seed = 0; seed < kCases && !HasFailure(); ++seed) {
    compare(seed, compiled_loop(seed, memory_, bytes_));
  }
  RecordProperty("many", static_cast<int>(many_));
  RecordProperty("within", static_cast<int>(within_));
  EXPECT_GT(many_, kCases / 2);
  EXPECT_GT(within_, kCases / 100);
}

/// A carry that comes from the round before says nothing about the next one.
TEST_F(StreamRoundsState, CarriesOfTheRoundBefore) {
  const auto access = [](bool store, unsigned d) {
    Op op;
    op.kind = Op::Memory;
    op.store = store;
    op.a = v(kPointer);
    op.d = d;
    return op;
  };
  for (const unsigned mask : {kVcc, kMask, 0u}) {
    const Op low = valu(Do::AddCo, kPointer, s(kSteps), v(kPointer), mask);
    const Op high = valu(Do::Addc, kPointer + 1, {Operand::Constant, 0}, v(kPointer + 1), mask);
    const std::vector<Op> group = {access(false, kData), access(false, kData + 1),
                                   valu(Do::Fmac, kData, s(kFloats), v(kData + 1)),
                                   access(true, kData)};
    const Op sum = scalar(Salu::AddU, kFree, s(kFree), s(kOne));
    std::vector<Op> good = {sum, low, high}, late = {sum, high, low};
    good.insert(good.end(), group.begin(), group.end());
    late.insert(late.end(), group.begin(), group.end());
    EXPECT_FALSE(prepare(counted(good), {}).loop->streams().empty()) << mask;
    const Case c = prepare(counted(late), {});
    EXPECT_FALSE(c.loop->empty()) << mask;
    EXPECT_TRUE(c.loop->streams().empty()) << mask;
  }
}

}  // namespace
}  // namespace cuvette::golden::steady
