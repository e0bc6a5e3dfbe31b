// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Litmus kernels in HSAIL across queues, compute units, waves and lanes (memory_semantics.md
// "Litmus kernels"): engine ca shows the weak result where the order is missing or its scope too
// narrow, and no engine shows it where the order is there. The HSA memory model says which result
// is weak, not the model.
#include <map>

#include "litmus_programs.h"
#include "queue_rig.h"

namespace cuvette {
namespace {

using litmus::Form;
using litmus::Order;
using testing_support::FenceScope;
using testing_support::header;
using testing_support::QueueRig;

/// Places of the two roles.
enum class Place {
  Queues,  ///< dispatches of two queues, on two compute units
  Groups,  ///< work-groups of one dispatch, on two compute units
  Group,   ///< waves of one work-group
  Wave,    ///< halves of one wave
};
constexpr Place kPlaces[] = {Place::Queues, Place::Groups, Place::Group, Place::Wave};
const char* name(Place place) {
  constexpr const char* kNames[] = {"two queues", "two work-groups", "two waves", "one wave"};
  return kNames[static_cast<int>(place)];
}
constexpr const char* kScopes[] = {"", "wave", "wg", "agent", "system"};
/// The scope includes both roles.
bool enough(Place place, const std::string& scope) {
  if (scope.empty()) return false;
  if (scope == "wave") return place == Place::Wave;
  if (scope == "wg") return place == Place::Wave || place == Place::Group;
  return true;
}
bool across_units(Place place) {
  return place == Place::Queues || place == Place::Groups;
}

constexpr unsigned kTimings = 24;
constexpr uint64_t kWordsApart = 576;

class Litmus : public testing::TestWithParam<const char*> {
 protected:
  struct Arguments {
    uint64_t x, y, out;
    uint32_t role, delay0, delay1;
  };
  struct Pair {
    uint32_t first, second;
  };
  /// out of both roles, an entry for each work-item.
  struct Result {
    std::vector<Pair> role[2];
  };
  struct Tally {
    unsigned weak = 0;    ///< timings with a weak result of some work-item
    unsigned strong = 0;  ///< timings in which one role saw the other in the right order
  };

  bool ca() const { return std::string(GetParam()) == "ca"; }
  static std::string items(Place place) { return place == Place::Wave ? "32" : "64"; }
  const hsa::KernelInfo& kernel(const std::string& text) {
    auto& known = kernels_[text];
    if (known.descriptor == 0) known = rig_.kernel(text);
    return known;
  }

  /// One timing: the roles start with delays of (7 n) mod 64 and (5 n) mod 16 turns of a loop.
  /// `aliased`: y is x.
  Result run(const hsa::KernelInfo& kernel, Place place, unsigned timing, bool aliased) {
    Arguments a{};
    a.x = rig_.allocate(64 * kWordsApart);
    a.y = aliased ? a.x : rig_.allocate(64 * kWordsApart);
    a.out = rig_.allocate(2048);
    a.delay0 = 7 * timing % 64;
    a.delay1 = 5 * timing % 16;
    const auto submit = [&](unsigned queue, uint32_t grid, uint16_t group) {
      auto p = rig_.packet(kernel, grid, group, &a, sizeof a);
      // Fences of packets would act on every cache, whoever asks.
      p.header = header(hsa::PacketType::KernelDispatch, true, FenceScope::None,
                        queue == 0 ? FenceScope::System : FenceScope::None);
      rig_.submit(queue, p);
    };
    if (place == Place::Queues) {
      submit(0, 64, 64);
      a.role = 1;
      submit(1, 64, 64);
    } else {
      submit(0, place == Place::Wave ? 64 : 128, place == Place::Group ? 128 : 64);
    }
    rig_.run();
    flush();
    Result r;
    const unsigned count = place == Place::Wave ? 32 : 64;
    for (unsigned role = 0; role < 2; ++role) {
      for (unsigned i = 0; i < count; ++i) {
        r.role[role].push_back(rig_.read<Pair>(a.out + 1024 * role + 16 * i));
      }
    }
    return r;
  }
  /// Everything that was stored reaches memory.
  void flush() {
    hsa::BarrierPacket p;
    p.header = header(hsa::PacketType::BarrierAnd, true, FenceScope::None, FenceScope::System);
    rig_.submit(0, p);
    rig_.run();
  }
  template <class Weak, class Strong>
  Tally tally(const std::string& text, Place place, Weak&& weak, Strong&& strong,
              bool aliased = false) {
    Tally t;
    for (unsigned n = 0; n < kTimings; ++n) {
      const Result r = run(kernel(text), place, n, aliased);
      bool any_weak = false;
      bool any_strong = false;
      for (size_t i = 0; i < r.role[0].size(); ++i) {
        any_weak = any_weak || weak(r.role[0][i], r.role[1][i]);
        any_strong = any_strong || strong(r.role[0][i], r.role[1][i]);
      }
      t.weak += any_weak;
      t.strong += any_strong;
    }
    EXPECT_EQ(rig_.error(0), 0);
    EXPECT_EQ(rig_.error(1), 0);
    return t;
  }
  void judge(const std::string& what, const Tally& t, bool ordered, bool weak_on_ca) {
    std::printf("%-6s %-60s weak %2u, seen in order %2u of %u\n", GetParam(), what.c_str(), t.weak,
                t.strong, kTimings);
    if (ordered) {
      EXPECT_EQ(t.weak, 0u) << what;
    }
    if (ca() && !ordered) {
      EXPECT_EQ(t.weak != 0, weak_on_ca) << what;
    }
  }
  static std::string scope_name(const std::string& scope) {
    return scope.empty() ? "unordered" : "scope " + scope;
  }

  QueueRig rig_{GetParam()};
  std::map<std::string, hsa::KernelInfo> kernels_;
};

constexpr auto kOldData = [](const auto&, const auto& reader) {
  return reader.first == 1 && reader.second == 0;
};
constexpr auto kNewData = [](const auto&, const auto& reader) {
  return reader.first == 1 && reader.second == 1;
};

TEST_P(Litmus, MessagePassing) {
  for (const Place place : kPlaces) {
    for (const Form form : {Form::Fence, Form::Atomic}) {
      for (const std::string scope : kScopes) {
        if (scope.empty() && form == Form::Atomic) continue;
        const std::string text = message_passing({scope, form}, litmus::kGlobalFlag, items(place));
        const Tally t = tally(text, place, kOldData, kNewData);
        judge(std::string("message passing, ") + name(place) + ", " + scope_name(scope) +
                  (form == Form::Atomic ? ", atomics" : ", fences"),
              t, enough(place, scope),
              // Without any order the finalizer is free to exchange the accesses, and does.
              across_units(place) || (place == Place::Group && scope.empty()));
        // Halves of a wave run one after the other, the reader first.
        if (enough(place, scope) && place != Place::Wave) {
          EXPECT_GT(t.strong, 0u);
        }
      }
    }
  }
}

TEST_P(Litmus, MessagePassingWithOneSideOrdered) {
  for (const bool acquire : {false, true}) {
    Order order{"agent", Form::Fence, !acquire, acquire};
    const std::string text = message_passing(order, litmus::kGlobalFlag, "64");
    const Tally t = tally(text, Place::Queues, kOldData, kNewData);
    // Stores of one wave reach the L2 in their order (docs): what is missing without the release
    // cannot be seen.
    judge(std::string("message passing, two queues, ") +
              (acquire ? "acquire without release" : "release without acquire"),
          t, false, !acquire);
  }
}

TEST_P(Litmus, MessagePassingThroughGroupMemory) {
  for (const std::string scope : {"", "wave", "wg", "agent"}) {
    const std::string text =
        message_passing({scope, Form::Fence}, litmus::kGroupFlag, items(Place::Group));
    const Tally t = tally(text, Place::Group, kOldData, kNewData);
    judge("message passing, two waves, flag in group memory, " + scope_name(scope), t,
          enough(Place::Group, scope), scope.empty());
    if (enough(Place::Group, scope)) {
      EXPECT_EQ(t.strong, kTimings);
    }
  }
}

TEST_P(Litmus, StoreBuffering) {
  const auto weak = [](const auto& a, const auto& b) { return a.first == 0 && b.first == 0; };
  const auto strong = [](const auto& a, const auto& b) { return a.first == 1 || b.first == 1; };
  for (const Place place : kPlaces) {
    for (const std::string scope : kScopes) {
      const std::string text = litmus::store_buffering({scope, Form::Fence}, items(place));
      const Tally t = tally(text, place, weak, strong);
      judge(std::string("store buffering, ") + name(place) + ", " + scope_name(scope), t,
            enough(place, scope), across_units(place));
      if (enough(place, scope)) {
        EXPECT_EQ(t.strong, kTimings);
      }
    }
  }
}

TEST_P(Litmus, Coherence) {
  const auto weak = [](const auto&, const auto& reader) { return reader.second < reader.first; };
  const auto strong = [](const auto&, const auto& reader) {
    return reader.first != 0 && reader.second >= reader.first;
  };
  for (const Place place : kPlaces) {
    for (const std::string scope : kScopes) {
      const Tally t = tally(litmus::coherence({scope, Form::Fence}, false, items(place)), place,
                            weak, strong, true);
      judge(std::string("coherence, ") + name(place) + ", plain load, " + scope_name(scope), t,
            enough(place, scope),
            // An atomic load of the agent drops the line of the L1: once the finalizer keeps the
            // loads in their order, the second one cannot be older.
            place != Place::Wave && scope.empty());
    }
    const Tally t =
        tally(litmus::coherence({"", Form::Fence}, true, items(place)), place, weak, strong, true);
    judge(std::string("coherence, ") + name(place) + ", atomic loads alone", t, true, false);
  }
}

/// A dispatch of one queue stores, a dispatch of another behind a barrier-AND on its signal loads,
/// on both compute units, which had read the words before.
TEST_P(Litmus, FencesOfPackets) {
  const hsa::KernelInfo& copy = kernel(litmus::copy());
  const FenceScope scopes[] = {FenceScope::None, FenceScope::Agent, FenceScope::System};
  const char* const names[] = {"none", "agent", "system"};
  // The acquire is in the header of the consumer, or in that of the barrier before it.
  for (const bool in_barrier : {false, true}) {
    for (size_t acquire = 0; acquire < 3; ++acquire) {
      for (size_t release = 0; release < 3; ++release) {
        Tally t;
        unsigned host_weak = 0;
        for (unsigned n = 0; n < 4; ++n) {
          Arguments a{};
          a.x = rig_.allocate(64 * kWordsApart);
          a.out = rig_.allocate(8192);
          a.role = 1;
          auto warm = rig_.packet(copy, 128, 64, &a, sizeof a);
          warm.header =
              header(hsa::PacketType::KernelDispatch, true, FenceScope::None, FenceScope::None);
          rig_.submit(1, warm);
          rig_.run();
          a.role = 0;
          auto producer = rig_.packet(copy, 64, 64, &a, sizeof a);
          producer.header =
              header(hsa::PacketType::KernelDispatch, true, FenceScope::None, scopes[release]);
          producer.completion_signal = rig_.signal(1);
          hsa::BarrierPacket barrier;
          barrier.header =
              header(hsa::PacketType::BarrierAnd, true,
                     in_barrier ? scopes[acquire] : FenceScope::None, FenceScope::None);
          barrier.dep_signal[0] = producer.completion_signal;
          a.role = 1;
          a.out += 4096;
          auto consumer = rig_.packet(copy, 128, 64, &a, sizeof a);
          consumer.header =
              header(hsa::PacketType::KernelDispatch, true,
                     in_barrier ? FenceScope::None : scopes[acquire], FenceScope::None);
          rig_.submit(1, barrier);
          rig_.submit(1, consumer);
          rig_.submit(0, producer);
          rig_.run();
          bool host_old = false;
          for (unsigned i = 0; i < 64; ++i) {
            host_old = host_old || rig_.read<uint32_t>(a.x + kWordsApart * i) == 0;
          }
          host_weak += host_old;
          flush();
          bool old = false;
          for (unsigned role = 1; role < 3; ++role) {
            for (unsigned i = 0; i < 64; ++i) {
              old = old || rig_.read<uint32_t>(a.out + 1024 * role + 16 * i) == 0;
            }
          }
          t.weak += old;
          t.strong += !old;
        }
        const std::string what = std::string("packets, release ") + names[release] + ", acquire " +
                                 names[acquire] + (in_barrier ? " of the barrier" : "");
        std::printf("%-6s %-60s weak %u, host weak %u of 4\n", GetParam(), what.c_str(), t.weak,
                    host_weak);
        if (acquire > 0 && release > 0) {
          EXPECT_EQ(t.weak, 0u) << what;
        }
        if (release == 2) {
          EXPECT_EQ(host_weak, 0u) << what;
        }
        if (!ca()) continue;
        // Vector stores pass the first-level cache: what a missing release leaves behind is in the
        // L2, where the agent sees it and the host does not. A system acquire writes back too.
        EXPECT_EQ(t.weak != 0, acquire == 0) << what;
        EXPECT_EQ(host_weak != 0, release != 2 && acquire != 2) << what;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Litmus, testing::Values("ca", "lt", "golden"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace cuvette
