// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/issue_order.h"

#include <vector>

#include "machine/policy_table.h"

namespace cuvette::compute_unit {
namespace {

class OldestFirst final : public IssueOrder {
 public:
  OldestFirst(unsigned, unsigned) {}
  uint64_t rank(const SlotWave& wave) const override { return wave.age; }
  void issued(const SlotWave&) override {}
};

/// Slots in turn, from the one behind the slot that issued first at the last turn on.
class RoundRobin final : public IssueOrder {
 public:
  RoundRobin(unsigned simds, unsigned slots) : slots_(slots), first_(simds) {}
  uint64_t rank(const SlotWave& wave) const override {
    return (wave.slot + slots_ - first_[wave.simd]) % slots_;
  }
  void issued(const SlotWave& wave) override { first_[wave.simd] = (wave.slot + 1) % slots_; }

 private:
  unsigned slots_;
  std::vector<unsigned> first_;  // slot, by SIMD
};

/// The wave that issued first at the last turn goes on as long as it can; of the others, the oldest
/// one goes first.
class GreedyThenOldest final : public IssueOrder {
 public:
  GreedyThenOldest(unsigned simds, unsigned) : greedy_(simds, kNobody) {}
  uint64_t rank(const SlotWave& wave) const override {
    return wave.age == greedy_[wave.simd] ? 0 : wave.age + 1;
  }
  void issued(const SlotWave& wave) override { greedy_[wave.simd] = wave.age; }

 private:
  static constexpr uint64_t kNobody = ~uint64_t{0};
  std::vector<uint64_t> greedy_;  // age, by SIMD
};

template <class Policy>
std::unique_ptr<IssueOrder> make(unsigned simds, unsigned slots) {
  return std::make_unique<Policy>(simds, slots);
}

struct Entry {
  const char* name;
  std::unique_ptr<IssueOrder> (*make)(unsigned simds, unsigned slots);
};

/// A new policy is a row of this table.
constexpr Entry kPolicies[] = {
    {"oldest_first", make<OldestFirst>},
    {"round_robin", make<RoundRobin>},
    {"greedy_then_oldest", make<GreedyThenOldest>},
};

}  // namespace

base::Result<std::unique_ptr<IssueOrder>> make_issue_order(const std::string& name, unsigned simds,
                                                           unsigned slots) {
  const Entry* const entry = machine::find_policy(kPolicies, name);
  if (entry == nullptr) return machine::unknown_policy(kPolicies, "issue_order", name);
  return entry->make(simds, slots);
}

}  // namespace cuvette::compute_unit
