// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/cache/block_history.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

// The order in which the bytes of a block go below, against every order that stores may have.
namespace cuvette::ip {
namespace {

/// Stores to one byte whose order is open as far as ports and answers leave it open.
class Orders {
 public:
  /// Store number `stores()`, taken at `now`; `any`: its value is not known.
  void take(unsigned port, uint8_t value, bool any, Stamp now) {
    const auto n = static_cast<unsigned>(stores_.size());
    stores_.push_back({port, value, any, kNotYet});
    std::set<std::vector<unsigned>> longer;
    for (const std::vector<unsigned>& order : orders_) {
      for (size_t at = order.size() + 1; at-- != 0;) {
        std::vector<unsigned> with = order;
        with.insert(with.begin() + static_cast<std::ptrdiff_t>(at), n);
        longer.insert(with);
        // It comes behind those of its port and those that were answered.
        if (at != 0 && (stores_[order[at - 1]].port == port || stores_[order[at - 1]].over < now)) {
          break;
        }
      }
    }
    orders_ = longer;
  }
  void answer(unsigned store, Stamp now) { stores_[store].over = now; }
  /// False: in no order may `value` be sent.
  bool send(uint8_t value) {
    std::set<std::vector<unsigned>> left;
    for (const std::vector<unsigned>& order : orders_) {
      for (size_t at = 0; at < order.size(); ++at) {
        const Store& store = stores_[order[at]];
        if (!store.any && store.value != value) continue;
        left.insert({order.begin() + static_cast<std::ptrdiff_t>(at) + 1, order.end()});
      }
    }
    orders_ = left;
    return !left.empty();
  }
  bool must_follow(unsigned store) const {
    return std::all_of(orders_.begin(), orders_.end(), [&](const std::vector<unsigned>& order) {
      return std::find(order.begin(), order.end(), store) != order.end();
    });
  }
  size_t stores() const { return stores_.size(); }

 private:
  struct Store {
    unsigned port;
    uint8_t value;
    bool any;
    Stamp over;  ///< when it was answered
  };
  std::vector<Store> stores_;
  std::set<std::vector<unsigned>> orders_ = {{}};  ///< unsent stores, in every order
};

constexpr unsigned kAt = 5;

VersionPointer store(BlockHistory& history, unsigned port, uint8_t value, bool any, Stamp now) {
  auto version = std::make_shared<Version>();
  version->kind = any ? Version::Kind::Atomic : Version::Kind::Store;
  version->port = port;
  version->born = now;
  version->mask = version->dirty = uint64_t{1} << kAt;
  version->any = any;
  if (!any) version->values.emplace_back()[kAt] = value;
  history.add_store(version);
  return version;
}

void answer(BlockHistory& history, const VersionPointer& version, Stamp now) {
  version->answered = now;
  history.answered(version);
  history.forget_dead();
}

TEST(BlockHistory, SendsWhatSomeOrderAllows) {
  std::mt19937 random(1);
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  unsigned refused = 0, sent = 0, due = 0;
  for (unsigned n = 0; n < 20'000; ++n) {
    Orders orders;
    BlockHistory history;
    std::vector<VersionPointer> versions;
    std::vector<std::vector<unsigned>> open(3);  // by port, oldest first
    Stamp now = 1;
    for (unsigned event = 0; event < 24; ++event) {
      ++now;
      const unsigned port = below(3), kind = below(5);
      if (kind < 2 && versions.size() < 7) {
        const auto value = static_cast<uint8_t>(below(3));
        const bool any = below(5) == 0;
        open[port].push_back(static_cast<unsigned>(orders.stores()));
        orders.take(port, value, any, now);
        versions.push_back(store(history, port, value, any, now));
      } else if (kind < 4 && !open[port].empty()) {
        const unsigned first = open[port].front();
        open[port].erase(open[port].begin());
        orders.answer(first, now);
        answer(history, versions[first], now);
      } else if (kind == 4) {
        const auto value = static_cast<uint8_t>(below(3));
        const bool legal = orders.send(value);
        ASSERT_EQ(!history.send(kAt, value, now).empty(), legal) << "history " << n;
        if (!legal) {
          ++refused;
          break;
        }
        ++sent;
      }
      for (unsigned v = 0; v < versions.size(); ++v) {
        if (versions[v]->dirty == 0) continue;
        ++due;
        ASSERT_TRUE(orders.must_follow(v)) << "history " << n << ", store " << v;
      }
    }
  }
  EXPECT_GT(refused, 1'000u);
  EXPECT_GT(sent, 10'000u);
  EXPECT_GT(due, 10'000u);
}

/// What an unknown value that raced with others leaves open does not stay open: later values decide
/// it, although each of them may have been the unknown one.
TEST(BlockHistory, ForgetsWhatIsOver) {
  BlockHistory history;
  Stamp now = 1;
  const VersionPointer first = store(history, 0, 1, false, ++now);
  const VersionPointer unknown[] = {store(history, 1, 0, true, ++now),
                                    store(history, 0, 0, true, ++now)};
  for (const VersionPointer& v : {first, unknown[0], unknown[1]}) answer(history, v, ++now);
  for (unsigned n = 0; n < 100; ++n) {
    const auto value = static_cast<uint8_t>(10 + n);
    const VersionPointer version = store(history, n % 2, value, false, ++now);
    answer(history, version, ++now);
    EXPECT_FALSE(history.send(kAt, value, ++now).empty());
    history.forget_dead();
    EXPECT_LE(history.versions().size(), 6u);
  }
  EXPECT_EQ(history.versions().size(), 1u);
  EXPECT_TRUE(history.send(kAt, 10, ++now).empty());
}

VersionPointer fill(BlockHistory& history, uint8_t value, Stamp asked, Stamp came) {
  auto version = std::make_shared<Version>();
  version->kind = Version::Kind::Fill;
  version->born = came;
  version->clean = asked;
  version->mask = uint64_t{1} << kAt;
  version->values.emplace_back()[kAt] = value;
  history.add_fill(version);
  return version;
}

/// A store that went below after a fill was asked for is newer than it, although the fill came
/// later: who sees the fill may see the store next. One that went below before is over.
TEST(BlockHistory, AStoreIsNewerThanAFillThatWasAskedForBefore) {
  BlockHistory history;
  const VersionPointer newer = store(history, 0, 7, false, 2);
  constexpr Stamp kSent = 5, kLater = 8;
  EXPECT_EQ(history.send(kAt, 7, kSent).size(), 1u);
  const auto see = [&](uint8_t value, Stamp now) {
    history.observe(history.visible(1, uint64_t{1} << kAt, now, 0), kAt, value);
  };
  fill(history, 1, kSent - 1, kSent + 1);
  see(1, kSent + 2);
  EXPECT_NE(newer->mask, 0u);
  fill(history, 1, kLater, kLater + 1);
  history.versions()[1]->mask = 0;  // the older fill
  see(1, kLater + 2);
  EXPECT_EQ(newer->mask, 0u);
}

}  // namespace
}  // namespace cuvette::ip
