// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_rounds_compiled.h"

#include <cstring>

namespace cuvette::golden::steady {
namespace {

// VGPRs: the offset of a lane, the high halves of two arrays, pairs for addresses and data.
constexpr unsigned kWay = 2, kHighs = 9, kPairs = 12, kPairCount = 6;
constexpr uint64_t kArrays[] = {0x30000, 0x6e000};  // in the long piece of rounds_layout()

class Compiled {
 public:
  Compiled(uint64_t seed, const PartsMemory& memory) : random_(seed), memory_(memory) {}

  Case make(const std::vector<uint8_t>& bytes) {
    State& state = out_.before;
    for (LaneRow& row : state.rows) {
      for (uint32_t& lane : row) lane = random_.nice_float();
    }
    for (uint32_t& sgpr : state.sgpr) sgpr = random_.bits();
    for (unsigned n = 0; n < 4; ++n) state.sgpr[kFloats + n] = random_.nice_float();
    state.set_pair(isa::kExecLo, ~uint64_t{0});
    const End end = make_end(random_, state, memory_, random_.percent(20));
    const auto rounds = static_cast<uint32_t>(end.rounds);
    step_ = random_.one_of<uint32_t>({256, 256, 512, 4 * random_.pick(256), 1024});
    if (uint64_t{step_} * rounds > 0x38000) step_ = 256;
    state.sgpr[kSteps] = step_;
    set_up(state, rounds);
    const unsigned groups = 1 + random_.pick(3);
    for (unsigned n = 0; n < groups; ++n) add_group(n == groups - 1);
    body().insert(body().end(), end.ops.begin(), end.ops.end());
    out_.loop.again = end.again;
    state.memory = bytes;
    if (random_.percent(70)) spoil(state, rounds);
    out_.how.limit =
        random_.percent(20) || !end.ends ? 1 + random_.pick(rounds * body().size()) : kNoLimit;
    if (random_.percent(20)) out_.how.slice[3] = 1 + random_.pick(400);
    return std::move(out_);
  }

 private:
  Unit& body() { return out_.loop.body; }

  Op access(bool store, unsigned address, unsigned d, int32_t offset) {
    Op op;
    op.offset = offset;
    op.kind = Op::Memory;
    op.store = store;
    op.a = v(address);
    op.d = d;
    return op;
  }
  unsigned pair() { return kPairs + 2 * random_.pick(kPairCount); }

  void set_up(State& state, uint32_t rounds) {
    // Low halves may wrap around: the arrays are on both sides of a multiple of 4 GiB.
    const uint32_t way = random_.percent(30) ? 0xfffff000 - step_ * random_.pick(rounds) : 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      state.rows[kWay][lane] = way + 4 * lane;
      state.rows[kWay + 1][lane] = 0;
    }
    for (unsigned n = 0; n < 2; ++n) {
      const uint64_t base = memory_.begin + kArrays[n] + 4 * random_.pick(64) - way;
      state.set_pair(kBases + 2 * n, base);
      state.rows[kHighs + n].fill(static_cast<uint32_t>(base >> 32));
    }
  }

  /// The pair at `to` becomes the address in an array.
  void add_address(unsigned array, unsigned to) {
    const unsigned mask = random_.one_of({kVcc, kVcc, kMask});
    body().push_back(valu(Do::AddCo, to, s(kBases + 2 * array), v(kWay), mask));
    body().push_back(valu(Do::Addc, to + 1, v(kHighs + array), v(kWay + 1), mask));
  }

  void add_step() {
    const unsigned mask = random_.one_of({kVcc, kMask});
    body().push_back(valu(Do::AddCo, kWay, s(kSteps), v(kWay), mask));
    body().push_back(valu(Do::Addc, kWay + 1, {Operand::Constant, 0}, v(kWay + 1), mask));
  }

  /// Loads at `from` and `to`, one or the other first; the store is to `to`.
  void add_group(bool last) {
    const unsigned from = pair();
    unsigned to = pair();
    while (to == from) to = pair();
    if (random_.percent(50)) {
      add_address(0, from);
      add_address(1, to);
    } else {
      add_address(1, to);
      add_address(0, from);
    }
    unsigned x = random_.percent(60) ? from + random_.pick(2) : pair();
    unsigned y = random_.percent(60) ? from + random_.pick(2) : pair() + 1;
    const auto taken = [to](unsigned r) { return r == to || r == to + 1; };
    while (taken(x)) x = pair();
    while (taken(y) || y == x) y = pair() + random_.pick(2);
    const bool step_inside = last && random_.percent(50);
    const auto offset = static_cast<int32_t>(random_.one_of<unsigned>({0, 4 * random_.pick(500)}));
    body().push_back(access(false, from, x, offset));
    body().push_back(access(false, to, y, offset));
    if (step_inside) add_step();
    const Do what = random_.one_of({Do::Fmac, Do::Fmac, Do::AddF, Do::MulF});
    body().push_back(valu(what, y, s(kFloats + random_.pick(4)), v(x)));
    body().push_back(access(true, to, y, offset));
    if (last && !step_inside) add_step();
  }

  /// Numbers that give NaNs.
  void spoil(State& state, uint32_t rounds) {
    for (unsigned n = 1 + random_.pick(4); n > 0; --n) {
      const uint64_t at = kArrays[random_.pick(2)] + 4 * random_.pick(step_ * rounds / 4 + 64);
      const uint32_t value = random_.special_float();
      std::memcpy(&state.memory[at], &value, sizeof value);
    }
  }

  Random random_;
  const PartsMemory& memory_;
  Case out_;
  uint32_t step_ = 0;
};

}  // namespace

Case compiled_loop(uint64_t seed, const PartsMemory& memory, const std::vector<uint8_t>& bytes) {
  return Compiled(seed, memory).make(bytes);
}

}  // namespace cuvette::golden::steady
