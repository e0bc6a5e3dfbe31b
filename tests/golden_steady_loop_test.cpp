// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Code that walks through memory (wave/steady.h) at every level of the host against an evaluation
// lane by lane that shares nothing with it: random bodies of address arithmetic, loads and stores,
// with addresses that walk, that do not, that wrap around and that leave what is mapped; as loops,
// and run once by one wave after the other.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "isa/decode.h"
#include "steady_loop_run.h"

namespace cuvette::golden::steady {
namespace {

/// Random bodies.
class Generator {
 public:
  Generator(uint64_t seed, const PartsMemory& memory) : random_(seed), memory_(memory) {}

  std::vector<Op> body() {
    std::vector<Op> out;
    const unsigned accesses = 1 + pick(4);
    dwords_ = 1 + (pick(3) == 0 ? pick(4) : 0);
    for (unsigned n = 0; n < accesses; ++n) {
      out.push_back(access());
      if (pick(2) == 0) out.push_back(nothing(pick(2)));
      if (pick(3) == 0) out.push_back(valu(Do::Xor, data(), v(data()), v(data())));
      if (pick(3) == 0) add_floats(out);
    }
    const unsigned steps = 1 + pick(3);
    for (unsigned n = 0; n < steps; ++n) step(out);
    // Something that gets in the way, now and then.
    if (pick(6) == 0) out.push_back(valu(Do::Xor, data(), v(kOffset), v(kPointer)));
    if (pick(12) == 0) out.push_back(valu(Do::Xor, kPointer, v(kPointer), v(kSame)));
    if (pick(12) == 0) out.push_back(valu(Do::Mov, kOffset, v(data()), v(0)));
    if (pick(8) == 0) {
      out.push_back(scalar_add_to(kStep));
    }
    return out;
  }

  /// Like F32 instructions next to each other, which are done as one (wave::join_rows).
  void add_floats(std::vector<Op>& out) {
    constexpr Do kFloats[] = {Do::AddF, Do::SubF, Do::MulF, Do::Fmac};
    const Do what = kFloats[pick(4)];
    const bool scalar = pick(3) == 0;
    const unsigned count = 1 + pick(5);
    for (unsigned n = 0; n < count; ++n) {
      out.push_back(valu(what, data(), scalar ? s(kStep) : v(data()), v(data())));
    }
  }

  /// Loads, one F32 instruction on some of what they loaded, a store of what it makes, and things
  /// between them that are or are not in the way.
  std::vector<Op> streams() {
    std::vector<Op> out;
    dwords_ = 1;
    const unsigned groups = 1 + pick(3);
    for (unsigned n = 0; n < groups; ++n) {
      std::vector<unsigned> loaded;
      const unsigned loads = 1 + pick(3);
      for (unsigned k = 0; k < loads; ++k) {
        Op load = global(false);
        loaded.push_back(load.d);
        out.push_back(load);
        if (pick(4) == 0) out.push_back(scalar_add());
        if (pick(4) == 0) out.push_back(nothing(pick(2)));
      }
      if (pick(2) == 0) step(out);
      if (pick(4) == 0) out.push_back(scalar_add());
      const auto operand = [&] { return pick(4) == 0 ? data() : loaded[pick(loaded.size())]; };
      constexpr Do kFloats[] = {Do::AddF, Do::SubF, Do::MulF, Do::Fmac};
      const unsigned d = operand();
      const Operand a = pick(3) == 0 ? s(kStep) : v(operand());
      out.push_back(valu(kFloats[pick(4)], d, a, v(operand())));
      if (pick(6) == 0) out.push_back(nothing(pick(2)));
      Op store = global(true);
      if (pick(6) != 0) store.d = d;
      out.push_back(store);
    }
    step(out);
    return out;
  }

  /// A group with an address in it that wraps around after some rounds, which another load uses.
  std::vector<Op> stream_with_wrap(State& state) {
    const uint32_t shift = 0xffffe000;
    constexpr uint32_t kSteps[] = {256, 1024};
    state.set_pair(isa::kExecLo, ~uint64_t{0});
    state.set_pair(kBase, memory_.begin - shift);
    state.sgpr[kStep] = kSteps[pick(2)];
    state.sgpr[kCounter] = 20;
    dwords_ = 1;
    const uint32_t before_wrap = 128 + state.sgpr[kStep] * (1 + pick(4));  // some lanes do
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      state.rows[kOffset][lane] = shift + 4 * lane;
      state.rows[kOffset2][lane] = 0u - before_wrap + 4 * lane;
    }
    const auto at = [this](bool store, unsigned address, unsigned d) {
      Op op = global(store);
      op.based = true;
      op.a = v(address);
      op.d = d;
      op.offset = static_cast<int32_t>(4 * pick(8));
      return op;
    };
    const unsigned x = kData + pick(4), y = kData + 4 + pick(4);
    std::vector<Op> out = {at(false, kOffset, x), at(false, kOffset, y)};
    if (pick(2) == 0) std::swap(out[0], out[1]);
    if (pick(2) == 0) out.push_back(scalar_add_to(40));
    out.push_back(valu(Do::Add, kOffset2, s(kStep), v(kOffset2)));
    if (pick(2) == 0) out.push_back(scalar_add_to(41));
    out.push_back(valu(Do::Fmac, y, v(x), v(y)));
    out.push_back(at(true, kOffset, y));
    out.push_back(at(false, kOffset2, kData + 9));
    return out;
  }

  /// Addresses from the index of a lane, as compilers compute them, then accesses.
  std::vector<Op> indexed() {
    std::vector<Op> out;
    dwords_ = 1 + (pick(3) == 0 ? pick(4) : 0);
    const unsigned scale = pick(8) == 0 ? pick(5) : dwords_ == 4 ? 4 : dwords_ == 2 ? 3 : 2;
    const Operand by{Operand::Constant, scale};
    if (pick(2) == 0) out.push_back(valu(Do::Add, kIndex, s(kStep), v(kIndex)));
    if (pick(3) == 0) {
      out.push_back(valu(Do::Shl, kOffset, by, v(kIndex)));
    } else {
      out.push_back(valu(Do::Mov, kIndex + 1, {Operand::Constant, 0}, v(0)));
      if (pick(10) == 0) out.push_back(valu(Do::Mov, kIndex + 1, s(kStep), v(0)));
      const unsigned to = pick(2) == 0 ? kIndex : kSame;
      out.push_back(valu(Do::Shl64, to, by, v(kIndex)));
      for (const unsigned pointer : {kPointer, kPointer2}) {
        if (pick(3) == 0) continue;
        out.push_back(valu(Do::Mov, pointer + 1, s(kBase + 1), v(0)));
        if (pick(8) == 0) out.push_back(nothing(pick(2)));
        out.push_back(valu(Do::AddCo, pointer, s(kBase), v(to)));
        out.push_back(valu(Do::Addc, pointer + 1, v(to + 1), v(pointer + 1)));
      }
    }
    const unsigned accesses = 1 + pick(5);
    for (unsigned n = 0; n < accesses; ++n) {
      out.push_back(access());
      if (pick(3) == 0) out.push_back(valu(Do::Xor, data(), v(data()), v(data())));
      if (pick(12) == 0) out.push_back(valu(Do::Xor, data(), v(kOffset), v(kPointer + pick(2))));
      if (pick(12) == 0) out.push_back(valu(Do::Mov, kPointer + pick(2), v(data()), v(0)));
    }
    if (pick(4) == 0) step(out);
    return out;
  }

  State state() {
    State state;
    for (LaneRow& row : state.rows) {
      for (uint32_t& lane : row) lane = bits();
    }
    for (uint32_t& sgpr : state.sgpr) sgpr = bits();
    constexpr uint32_t kSteps[] = {0, 4, 256, 1024, 0xffffff00, 0x10000, 1};
    state.sgpr[kStep] = pick(8) == 0 ? bits() : kSteps[pick(std::size(kSteps))];
    state.sgpr[kCounter] = 1 + pick(40);
    state.sgpr[kOne] = 1;
    state.sgpr[kZero] = 0;
    state.set_pair(isa::kExecLo, pick(6) == 0 ? bits() : ~uint64_t{0});
    // Near the end of 32 bits, lanes and rounds wrap around.
    const uint64_t shift = pick(4) == 0 ? 0xffffff00u - pick(4096) : 0;
    state.set_pair(kBase, memory_.begin - shift);
    const uint64_t start = memory_.begin + place(PartsMemory::kBytes);
    walk(state, kPointer, start, true);
    walk(state, kPointer2, start + 4 * place(64), true);
    walk(state, kOffset, shift + place(PartsMemory::kBytes), false);
    walk(state, kOffset2, shift + place(PartsMemory::kBytes), false);
    walk(state, kLds, place(kLdsBytes), false);
    const uint32_t same = pick(2) == 0 ? 0 : static_cast<uint32_t>(memory_.begin >> 32);
    state.rows[kSame].fill(same);
    for (unsigned lane = 0; lane < kLanes; ++lane) state.rows[kIndex][lane] = lane;
    if (pick(10) == 0) state.rows[kIndex][pick(kLanes)] ^= 1;
    state.rows[kSame2].fill(state.sgpr[kStep]);
    if (pick(10) == 0) state.rows[kSame2][pick(kLanes)] ^= 4;
    return state;
  }

 private:
  unsigned pick(uint64_t n) { return static_cast<unsigned>(random_() % n); }
  uint32_t bits() { return static_cast<uint32_t>(random_()); }
  unsigned data() { return kData + pick(kLastData - kData); }
  uint64_t place(uint64_t range) { return random_() % range & ~uint64_t{3}; }

  void walk(State& state, unsigned r, uint64_t first, bool wide) {
    const unsigned stride = pick(12) == 0 ? 4 * (1 + pick(4)) : 4 * dwords_;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const uint64_t here = first + uint64_t{stride} * lane;
      state.rows[r][lane] = static_cast<uint32_t>(here);
      if (wide) state.rows[r + 1][lane] = static_cast<uint32_t>(here >> 32);
    }
    if (pick(12) == 0) state.rows[r][pick(kLanes)] += 4;
  }

  Op scalar_add() {
    constexpr unsigned kOthers = 40;  // SGPRs that nothing else reads
    return scalar_add_to(pick(4) == 0 ? (pick(2) == 0 ? kStep : kBase) : kOthers + pick(8));
  }
  Op scalar_add_to(unsigned d) { return scalar(Salu::AddU, d, s(d), s(kOne)); }
  Op global(bool store) {
    Op op = access();
    while (op.lds) op = access();
    op.store = store;
    op.dwords = 1;
    return op;
  }
  Op access() {
    Op op;
    op.kind = Op::Memory;
    op.store = pick(3) == 0;
    op.dwords = pick(8) == 0 ? 1 + pick(4) : dwords_;
    op.d = kData + pick(kLastData - kData);
    switch (pick(5)) {
      case 0:
        op.lds = true;
        op.a = v(kLds);
        break;
      case 1:
      case 2:
        op.based = true;
        op.a = v(pick(3) == 0 ? kOffset2 : kOffset);
        break;
      default:
        op.a = v(pick(3) == 0 ? kPointer2 : kPointer);
    }
    if (pick(2) == 0) op.offset = static_cast<int32_t>(4 * pick(500));
    // Data that is an address.
    if (op.store && pick(10) == 0) op.d = op.a.value;
    if (!op.store && pick(20) == 0) op.d = op.a.value;
    return op;
  }
  /// A register walks on.
  void step(std::vector<Op>& out) {
    const Operand by = pick(3) == 0   ? v(kSame2)
                       : pick(3) == 0 ? Operand{Operand::Constant, 4}
                                      : s(kStep);
    switch (pick(5)) {
      case 0:
        out.push_back(valu(Do::Add, kLds, by, v(kLds)));
        break;
      case 1:
        out.push_back(pick(2) == 0 ? valu(Do::Subrev, kOffset, by, v(kOffset))
                                   : valu(Do::Add, kOffset, by, v(kOffset)));
        break;
      case 2: {  // one from the other
        out.push_back(valu(Do::Add, kOffset2, by, v(kOffset)));
        out.push_back(valu(Do::Add, kOffset, by, v(kOffset)));
        break;
      }
      case 3: {
        pair(out, kPointer2, by, kPointer);
        pair(out, kPointer, by, kPointer);
        break;
      }
      default:
        pair(out, kPointer, by, kPointer);
    }
  }
  void pair(std::vector<Op>& out, unsigned d, Operand by, unsigned from) {
    const bool minus = pick(4) == 0;
    const unsigned mask = pick(3) == 0 ? kMask : kVcc;
    Op low = valu(minus ? Do::SubrevCo : Do::AddCo, d, by, v(from));
    Op high = valu(minus ? Do::Subbrev : Do::Addc, d + 1, {Operand::Constant, 0}, v(from + 1));
    low.mask = high.mask = mask;
    out.push_back(low);
    if (pick(3) == 0) out.push_back(nothing(pick(2)));
    if (pick(4) == 0) out.push_back(valu(Do::Mov, data(), s(kStep), v(0)));
    out.push_back(high);
  }

  std::mt19937_64 random_;
  const PartsMemory& memory_;
  unsigned dwords_ = 1;
};

class GoldenSteadyCode : public SteadyCodeTest {
 protected:
  static constexpr unsigned kCases = 3000;

  State state(Generator& generator) const {
    State before = generator.state();
    before.memory = bytes_;
    before.lds = lds_;
    return before;
  }
  void judge(unsigned seed, const std::vector<Op>& body, const State& before, unsigned waves) {
    Judgement how;
    how.waves = waves;
    // Slices that end anywhere, and one for all.
    if (seed % 2 == 0) how.slice[static_cast<size_t>(HostLevel::Avx512)] = 1 + seed % 97;
    SteadyCodeTest::judge(seed, counted(body), before, how);
  }
};

TEST_F(GoldenSteadyCode, RandomLoops) {
  for (unsigned n = 0; n < kCases && !HasFailure(); ++n) {
    Generator generator(n, memory_);
    const std::vector<Op> body = generator.body();
    judge(n, body, state(generator), 1);
  }
  // As many as keep the test from testing something else.
  EXPECT_GT(loops_, kCases / 2);
  EXPECT_GT(clean_, kCases / 4);
}

TEST_F(GoldenSteadyCode, RandomStreams) {
  for (unsigned n = 0; n < kCases && !HasFailure(); ++n) {
    Generator generator(2 * kCases + n, memory_);
    const std::vector<Op> body = generator.streams();
    judge(n, body, state(generator), 1);
  }
  EXPECT_GT(streams_, kCases / 4);
  EXPECT_GT(clean_, kCases / 4);
}

/// Something within a group declines when what is before it has been done.
TEST_F(GoldenSteadyCode, StreamsThatDecline) {
  constexpr unsigned kStreams = 200;
  for (unsigned n = 0; n < kStreams && !HasFailure(); ++n) {
    Generator generator(4 * kCases + n, memory_);
    State before = state(generator);
    const std::vector<Op> body = generator.stream_with_wrap(before);
    judge(n, body, before, 1);
  }
  EXPECT_EQ(streams_, kStreams);
}

/// Waves that run it once: the first ones as it stands, then with short cuts.
TEST_F(GoldenSteadyCode, RandomPieces) {
  constexpr unsigned kPieces = 800, kWaves = 10;
  for (unsigned n = 0; n < kPieces && !HasFailure(); ++n) {
    Generator generator(kCases + n, memory_);
    const std::vector<Op> body = generator.indexed();
    State before = state(generator);
    before.sgpr[kCounter] = 1;
    judge(n, body, before, kWaves);
  }
  EXPECT_GT(onces_, kPieces / 10);
  EXPECT_GT(clean_, kPieces / 4);
}

/// Short cuts are taken: other lanes of a pointer stand still until the end.
TEST(GoldenSteadyLoop, LaneZeroWalks) {
  const isa::Instruction move = [] {
    std::vector<uint32_t> words;
    Op op;
    op.what = Do::Add;
    op.d = kOffset;
    op.a = s(kStep);
    op.b = v(kOffset);
    append_op(op, words);
    return isa::decode(kTarget, words.data(), words.size()).instruction;
  }();
  const isa::Instruction load = [] {
    std::vector<uint32_t> words;
    Op op;
    op.kind = Op::Memory;
    op.based = true;
    op.d = kData;
    op.a = v(kOffset);
    append_op(op, words);
    return isa::decode(kTarget, words.data(), words.size()).instruction;
  }();
  const std::vector<wave::Prepared> straight = {wave::prepare(move), wave::prepare(load)};
  const wave::SteadyCode loop(straight, wave::SteadyCode::Rounds::Many);
  ASSERT_EQ(loop.pieces().size(), 2u);
  Wave w(kTarget, kVgprs, 0);
  w.state.s.set_exec(~uint64_t{0});
  w.state.s.sgpr[kStep] = 1000;
  LaneRow& row = w.state.v.arch[kOffset];
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = 8 + 4 * lane;
  ASSERT_TRUE(loop.begin(w.state));
  wave::HostSlice slice(w.state.s);
  ASSERT_TRUE(loop.pieces()[0].run(loop.pieces()[0], w.state, slice));
  EXPECT_EQ(row[0], 1008u);
  EXPECT_EQ(row[1], 12u);
  loop.end(w.state, 1);
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(row[lane], 1008 + 4 * lane);
  // What does not walk, wraps around, or is not for all lanes.
  row[5] += 4;
  EXPECT_FALSE(loop.begin(w.state));
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = 0xffffff80 + 4 * lane;
  EXPECT_FALSE(loop.begin(w.state));
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = 4 * lane;
  EXPECT_TRUE(loop.begin(w.state));
  w.state.s.set_exec(~uint64_t{0} >> 1);
  EXPECT_FALSE(loop.begin(w.state));
}

}  // namespace
}  // namespace cuvette::golden::steady
