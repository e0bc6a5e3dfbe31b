// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "steady_loop_ops.h"

// What loops of golden_stream_rounds_test.cpp do with SGPRs: how they end, and arithmetic beside
// the streams.
namespace cuvette::golden::steady {

class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}

  unsigned pick(uint64_t n) { return static_cast<unsigned>(random_() % n); }
  bool percent(unsigned chance) { return pick(100) < chance; }
  uint32_t bits() { return static_cast<uint32_t>(random_()); }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[pick(list.size())];
  }
  /// 10 to 400, of each magnitude as many.
  unsigned rounds();
  /// Of a magnitude that neither overflows nor cancels.
  uint32_t nice_float() { return (bits() & 0x807fffff) | (126 + pick(3)) << 23; }
  /// NaNs of both kinds, infinities, zeros, subnormals, the greatest.
  uint32_t special_float();

 private:
  std::mt19937_64 random_;
};

/// Instructions that belong together, in their order.
using Unit = std::vector<Op>;

// SGPRs: steps and moving bases of pointers, those of the loop's end, numbers for floats, and free
// ones.
inline constexpr unsigned kBases = 34, kSteps = 42, kFloats = 46, kEnd = 50, kFree = 60,
                          kFreeEnd = 96;

/// The end of a loop without its branch.
struct End {
  Unit ops;
  bool again = true;  ///< as in Loop
  uint64_t rounds = 0;
  bool ends = true;  ///< by itself, not only after `rounds` by a limit
};
/// Counters are set in `state`. Not wild: one that goes down to 0 by 1.
End make_end(Random& random, State& state, const PartsMemory& memory, bool wild);

/// Scalar arithmetic that looks like nothing in particular.
class Scalars {
 public:
  Scalars(Random& random, State& state, unsigned rounds)
      : random_(random), state_(state), rounds_(rounds) {}

  /// What grows by the same amount in every round, or not at all; carries now and then.
  Unit steady();
  /// What does not, or not for long.
  Unit unsteady();
  /// A compare whose outcome changes in one of the rounds, and mostly what reads it.
  Unit compare();

 private:
  unsigned fresh(unsigned count);
  unsigned sum_register(uint32_t by);
  uint32_t step();
  uint32_t start(uint32_t by);
  Unit add(unsigned d, Operand by);
  Unit sum();
  Unit wide_sum();
  Unit copy();
  Unit quadratic();
  Unit alternating();
  Unit rotation();
  Unit doubling();
  Unit delayed();
  Unit fibonacci();
  Unit changing_float();
  Unit mask_write();
  Unit changing_step();

  Random& random_;
  State& state_;
  unsigned rounds_;
  unsigned free_ = kFree;
  unsigned last_ = kFree;  ///< a register that some unit before wrote
};

}  // namespace cuvette::golden::steady
