// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/loose/token_rate.h"

namespace cuvette::compute_unit::loose {

/// The tags of a cache without anything else: which lines came in last. Fully associative, first in
/// first out: a line is there as long as fewer lines than the cache holds have come in after it.
/// Kept in a table with two places for a line, so that a line may be lost early, never kept late.
class Tags {
 public:
  Tags(uint64_t bytes, uint32_t line_bytes);

  /// True if the line is there; it is afterwards. `line`: address / line_bytes.
  bool find(uint64_t line) {
    const uint64_t place = place_of(line);
    Entry& first = table_[place];
    Entry& second = table_[place + 1];
    if (first.line == line && holds(first)) return true;
    if (second.line == line && holds(second)) return true;
    Entry& older = first.entered <= second.entered ? first : second;
    older = {line, ++entered_};
    return false;
  }
  /// Brings the line's places into the cache of the host, for a find() to come.
  void prefetch(uint64_t line) const { __builtin_prefetch(&table_[place_of(line)], 1); }
  void clear() { cleared_ = entered_; }
  unsigned line_shift() const { return shift_; }

 private:
  struct Entry {
    uint64_t line = ~uint64_t{0};
    uint64_t entered = 0;  // number of lines that had come in, itself included
  };
  uint64_t place_of(uint64_t line) const {
    return (line * 0x9e3779b97f4a7c15) >> 20 & mask_ & ~uint64_t{1};
  }
  bool holds(const Entry& e) const { return e.entered > cleared_ && e.entered + lines_ > entered_; }

  uint64_t lines_;
  unsigned shift_;
  uint64_t mask_;
  uint64_t entered_ = 0, cleared_ = 0;
  std::vector<Entry> table_;
};

/// The part of the way to memory that all compute units share: tags of the L2, what it serves in a
/// cycle, and the bandwidth of memory.
class SharedLevels {
 public:
  explicit SharedLevels(const LevelTiming& timing);

  /// A dispatch whose waves have not been seen yet has acquired: what the L2 held counts no more.
  void begin(uint32_t dispatch);
  /// True if the line of the L2 that holds the 64-byte block is there.
  bool find(uint64_t block) { return tags_.find(line_of(block)); }
  void prefetch(uint64_t block) const { tags_.prefetch(line_of(block)); }
  /// Serves so many blocks of 64 bytes from `at` on; `far` of them go on to memory. When the last
  /// one has been served.
  machine::Cycle serve(machine::Cycle at, unsigned blocks, unsigned far);

 private:
  uint64_t line_of(uint64_t block) const { return block >> (tags_.line_shift() - 6); }

  Tags tags_;
  TokenRate l2_, memory_;
  uint32_t l2_cost_, memory_cost_;  // of a block, in TokenRate::kUnit
  bool any_ = false;
  uint32_t newest_ = 0;
};

/// Blocks of 64 bytes that an access touches, by address / 64, each once; of an atomic one for
/// every lane.
struct Touched {
  std::vector<uint64_t> blocks;
};

/// Access of an instruction as time sees it.
struct AccessShape {
  bool write = false;
  bool atomic = false;  ///< done at the L2
  bool past_l1 = false;
};

/// Latency model of the accesses of one compute unit: by the level that the tags find each block of
/// 64 bytes in, and what the levels serve in a cycle.
class Levels {
 public:
  Levels(const LevelTiming& timing, std::shared_ptr<SharedLevels> shared);

  /// A vector instruction that asks the vector L1 from `at` on. When all are back. `far`: cycles to
  /// memory and back from behind the first level.
  machine::Cycle vector(machine::Cycle at, const Touched& touched, AccessShape shape,
                        machine::Cycle far);
  machine::Cycle scalar(machine::Cycle at, const Touched& touched, AccessShape shape,
                        machine::Cycle far);
  /// A line of code that is in no cache of this compute unit.
  machine::Cycle code(machine::Cycle at, uint64_t block, machine::Cycle far);
  /// Code that the instruction cache has.
  machine::Cycle fetch_cycles() const { return 2 * timing_.cluster_cycles + timing_.code_hit; }
  /// Latency of LevelTiming: where the description's own memory is.
  machine::Cycle memory_far() const { return near_ + timing_.memory_cycles; }

  void begin(uint32_t dispatch);
  void invalidate_vector() { vector_.clear(); }
  void invalidate_scalar() { scalar_.clear(); }

 private:
  /// Misses that a first level may have under way.
  struct Misses {
    uint32_t most = 1;
    uint64_t near_cost = 0, far_cost = 0;  // of one, in TokenRate::kUnit
    machine::Cycle far = 0;                // that far_cost is for
    TokenRate rate;
  };
  machine::Cycle below(machine::Cycle at, unsigned blocks, unsigned far_blocks, Misses& misses,
                       machine::Cycle far);

  LevelTiming timing_;
  machine::Cycle near_;  // to the L2 and back
  std::shared_ptr<SharedLevels> shared_;
  Tags vector_, scalar_;
  TokenRate vector_port_, scalar_port_;
  Misses vector_misses_, scalar_misses_;
};

}  // namespace cuvette::compute_unit::loose
