// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "golden_plain_dispatch_run.h"

// Random straight-line kernels, and memory and dispatches that suit them.
namespace cuvette::golden::plain {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t below(uint64_t count) { return engine_() % count; }
  uint32_t word() { return static_cast<uint32_t>(engine_()); }
  bool percent(unsigned chance) { return below(100) < chance; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// The same for guards and what belongs to them.
struct GuardMix {
  bool any = false;
  unsigned early = 80;       ///< a guard in front of addresses
  unsigned more = 15;        ///< a further one around loads, operation and store
  unsigned ways = 15;        ///< to write EXEC and to leave, others than compilers'
  unsigned conditions = 20;  ///< others than those of one side of a bound
  unsigned wide = 15;        ///< 64 bits
  unsigned others = 8;       ///< the index is not what is compared
  unsigned scalar = 5;       ///< whole work-groups
  unsigned forms = 50;       ///< of indices and addresses, as clang has them
  unsigned targets = 30;     ///< others than gfx908
  unsigned room = 50;        ///< memory around what is used
};

/// How often something occurs, in percent.
struct Mix {
  unsigned groups = 2;       ///< of loads, operation and store, at most
  unsigned overlap = 35;     ///< a buffer begins close to another one
  unsigned cut = 8;          ///< memory ends somewhere, or is read-only there
  unsigned arguments = 6;    ///< stores hit the kernarg segment
  unsigned peek = 15;        ///< a scalar load from a buffer
  unsigned wrap = 20;        ///< numbers that wrap around or change their sign in the grid
  unsigned odd_stride = 25;  ///< of a work-group, that is not its size
  unsigned specials = 30;    ///< NaNs, infinities and subnormals here and there
  unsigned modes = 15;       ///< rounding and flushing
  unsigned slices = 20;      ///< short ones
  unsigned watchdog = 6;
  unsigned again = 20;  ///< several dispatches
  unsigned two_dimensions = 12;
  unsigned threads = 7;
  unsigned most_waves = 3000;
  GuardMix guard;
};

/// SGPRs and VGPRs of the kernels, behind the initial ones.
inline constexpr unsigned kPointers[] = {20, 22, 24}, kScale = 26, kStride = 27, kStart = 28,
                          kOther = 29, kGroup = 30, kScratch = 31, kGroupPointers[] = {32, 34, 36},
                          kMasks[] = {40, 42};
inline constexpr unsigned kIndex = 2, kAddresses[] = {4, 6, 8}, kData = 12;
/// Words of the kernarg segment: three pointers, then numbers.
inline constexpr unsigned kScaleWord = 6, kStrideWord = 7, kStartWord = 8, kOtherWord = 9;

/// The size of a work-group, and what its items and groups are multiplied with.
struct Shape {
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::array<uint16_t, 3> workgroup{64, 1, 1};
  std::array<uint32_t, 3> missing{};  ///< work-items of the last work-groups
  uint32_t stride = 64, start = 0, pitch = 1;
  std::array<uint64_t, 2> bounds{};  ///< arguments of guards
};

class KernelMaker {
 public:
  KernelMaker(Random& random, const Mix& mix, const Shape& shape)
      : random_(random), mix_(mix), shape_(shape) {}
  Kernel make();

 protected:
  struct Access {
    unsigned vgpr, base;
  };
  void add(const Op& op) { kernel_.ops.push_back(op); }
  void wait();
  void prologue();
  void group_offset();
  void falling_offset();
  void chosen_offset();
  void index();
  void second_dimension();
  Access address(unsigned n);
  Access based(unsigned n);
  Access per_group(unsigned n);
  Access summed(unsigned n);
  void round();
  unsigned load(const Access& at, unsigned d);
  void store(const Access& at, unsigned d);
  void peek();
  void scalar_of_group();
  unsigned operation(const std::vector<unsigned>& loaded);
  Source scalar();
  void modify(Op& op);

  Random& random_;
  const Mix& mix_;
  const Shape& shape_;
  Kernel kernel_;
  std::vector<Access> accesses_;
  std::vector<unsigned> scalars_;
  unsigned shift_ = 2;
  unsigned first_ = kIndex;  ///< VGPR of the index
};

/// A whole case of this seed.
Case random_case(uint64_t seed, const Mix& mix);

}  // namespace cuvette::golden::plain
