// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache/replacement.h"

#include <algorithm>
#include <vector>

#include "base/bits.h"
#include "machine/policy_table.h"

namespace cuvette::cache {
namespace {

/// True least recently used, by the time of the last use of each line.
class Lru final : public Replacement {
 public:
  explicit Lru(const ReplacementShape& shape)
      : ways_(shape.ways), last_use_(shape.sets * shape.ways) {}
  void touch(size_t line) override { last_use_[line] = ++clock_; }
  unsigned victim(size_t set) override {
    const auto first = last_use_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
    return static_cast<unsigned>(std::min_element(first, first + ways_) - first);
  }

 private:
  uint32_t ways_;
  uint64_t clock_ = 0;
  std::vector<uint64_t> last_use_;
};

/// Pseudo least recently used by a binary tree over the ways of a set: node 1 is the root, the sons
/// of node n are 2 n and 2 n + 1, leaf ways + w is way w. A node that is set says that its higher
/// half was used less recently; a use turns all nodes above the way away from it.
/// rtl/cache/cache_replacement.sv has the same tree.
class TreePlru final : public Replacement {
 public:
  explicit TreePlru(const ReplacementShape& shape)
      : ways_(shape.ways), nodes_(shape.sets * shape.ways) {}
  void touch(size_t line) override {
    const size_t way = line & (ways_ - 1);
    uint8_t* const node = &nodes_[line - way];
    for (size_t below = ways_ + way; below > 1; below /= 2) node[below / 2] = below % 2 == 0;
  }
  unsigned victim(size_t set) override {
    const uint8_t* const node = &nodes_[set * ways_];
    unsigned at = 1;
    while (at < ways_) at = 2 * at + node[at];
    return at - ways_;
  }

 private:
  uint32_t ways_;               // a power of two
  std::vector<uint8_t> nodes_;  // by set; the first of each is not used
};

/// Each way with the same probability, whatever was used: the upper bits of SplitMix64 (Steele,
/// Lea, Flood 2014).
class Random final : public Replacement {
 public:
  explicit Random(const ReplacementShape& shape) : ways_(shape.ways), state_(shape.seed) {}
  void touch(size_t) override {}
  unsigned victim(size_t) override { return static_cast<unsigned>((next() >> 32) * ways_ >> 32); }

 private:
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  uint32_t ways_;
  uint64_t state_;
};

template <class Policy>
std::unique_ptr<Replacement> make(const ReplacementShape& shape) {
  return std::make_unique<Policy>(shape);
}

enum class Ways : uint8_t { Any, PowerOfTwo };
enum class Draws : uint8_t { No, Yes };  // from the seed
struct Entry {
  const char* name;
  std::unique_ptr<Replacement> (*make)(const ReplacementShape& shape);
  Ways ways;
  Draws draws;
};

/// A new policy is a row of this table.
constexpr Entry kPolicies[] = {
    {"lru", make<Lru>, Ways::Any, Draws::No},
    {"tree_plru", make<TreePlru>, Ways::PowerOfTwo, Draws::No},
    {"random", make<Random>, Ways::Any, Draws::Yes},
};

}  // namespace

base::Result<std::unique_ptr<Replacement>> make_replacement(const std::string& name,
                                                            const ReplacementShape& shape) {
  const Entry* const entry = machine::find_policy(kPolicies, name);
  if (entry == nullptr) return machine::unknown_policy(kPolicies, "replacement", name);
  if (entry->ways == Ways::PowerOfTwo && !base::is_power_of_two(shape.ways)) {
    return base::Error("replacement '" + name +
                       "' expects a power of two as the number of ways, found " +
                       std::to_string(shape.ways));
  }
  return entry->make(shape);
}

bool replacement_draws(const std::string& name) {
  const Entry* const entry = machine::find_policy(kPolicies, name);
  return entry != nullptr && entry->draws == Draws::Yes;
}

uint64_t seed_of(const Config& config) {
  return config.replacement_seed + (uint64_t{config.index} << 8) +
         static_cast<uint64_t>(config.role);
}

}  // namespace cuvette::cache
