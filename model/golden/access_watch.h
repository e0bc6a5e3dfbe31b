// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "golden/access_map.h"
#include "golden/range_use.h"
#include "golden/snapshot.h"
#include "wave/state.h"

namespace cuvette::golden {

/// Sees the global memory accesses of the work-groups that one thread runs, in their turns, and
/// what else depends on the order of work-groups.
class AccessWatch {
 public:
  /// Notes what depends on the order, in order(), and names races.
  AccessWatch() = default;
  /// Watch of one thread among several: `stop` is set by the first thing that depends on the order.
  AccessWatch(Snapshot& snapshot, RangeUse& ranges, std::atomic<bool>& stop)
      : snapshot_(&snapshot), log_(&snapshot.add_log()), ranges_(&ranges), stop_(&stop) {}

  /// Nothing has been seen: a try of a dispatch begins.
  void start() {
    history_.clear();
    over_ = false;
  }
  /// Accesses are from now on those of `group`.
  void turn(uint64_t group, AccessMap& accesses) {
    group_ = group;
    map_ = &accesses;
  }
  /// The work-group has ended: its accesses against those of all that ended before. `accesses` is
  /// empty afterwards.
  void end(uint64_t group, AccessMap& accesses);

  /// Before the first access of a kind to a mapped range. False: loads from it need no touch().
  bool uses(uint64_t range, bool write) {
    if (ranges_ == nullptr) return true;
    if (!write) return ranges_->read(range);
    ranges_->change(range);
    return true;
  }
  /// Stores and atomics: before they happen.
  void touch(uint64_t address, unsigned bytes, bool write);
  /// Up to 64 bytes for every lane.
  void touch_lanes(uint64_t first, const uint32_t (&offset)[wave::kLanes], uint64_t lanes,
                   unsigned bytes, bool write);
  void atomic(uint64_t address, unsigned bytes, base::AtomicOp op, bool returns);
  /// An instruction does by itself.
  void depends_on_order(const char* what) {
    over_ = true;
    note_order(what);
  }
  /// True if an instruction was seen that depends on the order by itself: races are of no further
  /// use.
  bool over() const { return over_; }

  /// The first thing that depends on the order of work-groups; empty: nothing did.
  const std::string& order() const { return order_; }
  AccessMap& history() { return history_; }

  /// Bytes that a work-group changed while another accessed them, other than both by atomics. Kept
  /// where nothing stops the run; for the texts, in the order in which work-groups ended.
  uint64_t race_bytes() const { return race_bytes_; }
  const std::vector<std::string>& races() const { return races_; }

 private:
  struct Owner {
    uint64_t group = 0;
    LineAccess first;  // bytes that nobody had accessed in this way before
  };
  /// For `bytes` inside one block.
  AccessBlock& block_of(uint64_t address, unsigned bytes, bool write) {
    AccessBlock& block = map_->at(address >> AccessBlock::kShift);
    if (write) {
      keep(block,
           AccessBlock::lines_of(static_cast<unsigned>(address % AccessBlock::kBytes), bytes));
    }
    return block;
  }
  /// Before lines are written.
  void keep(AccessBlock& block, uint64_t lines) {
    if (snapshot_ != nullptr && (lines & ~block.saved) != 0) save(block, lines);
  }
  void save(AccessBlock& block, uint64_t lines);
  void note_order(const char* what);
  void name_races(uint64_t group, const AccessBlock& block);

  static constexpr size_t kMostTexts = 8;
  Snapshot* snapshot_ = nullptr;
  Snapshot::Log* log_ = nullptr;
  RangeUse* ranges_ = nullptr;
  std::atomic<bool>* stop_ = nullptr;
  uint64_t group_ = 0;
  AccessMap* map_ = nullptr;
  AccessMap history_;
  std::unordered_map<uint64_t, std::vector<Owner>> owners_;  // by address of the line
  bool over_ = false;
  std::string order_;
  uint64_t race_bytes_ = 0;
  std::vector<std::string> races_;
};

}  // namespace cuvette::golden
