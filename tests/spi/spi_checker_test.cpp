// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ip/lockstep/core_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/spi/spi_seat.h"
#include "spi/spi_model.h"

// The checker of wave launchers: ours behind pins is legal, and every way to go wrong is told under
// the name of its rule.
namespace cuvette {
namespace {

using machine::Cycle;
using spi::Dispatch;
using spi::DispatchDone;
using spi::WaveCommand;
using spi::WaveDone;
using spi::WaveLaunch;
using spi::WaveOrder;
using ::testing::HasSubstr;

/// Faults between the pins and our spi: each function may change a message, or keep it.
struct Tampering {
  std::function<bool(WaveLaunch&, unsigned& unit)> launch;
  std::function<bool(DispatchDone&)> done;
  std::function<bool(WaveOrder&)> order;
  std::function<bool(WaveCommand&)> command;
  std::function<bool(spi::SavedGroup&)> saved;
};

/// Our spi with errors.
class Tampered final : public spi::Spi {
 public:
  Tampered(const spi::Config& config, Tampering t) : inside_(config), t_(std::move(t)) {
    for (unsigned u = 0; u < config.compute_units; ++u) {
      units_.push_back(std::make_unique<ComputeUnitPort>());
    }
  }
  void tick(Cycle now) override {
    inside_.dispatch.take_all(dispatch);
    inside_.cancel.take_all(cancel);
    inside_.save.take_all(save);
    inside_.restore.take_all(restore);
    for (unsigned u = 0; u < units_.size(); ++u) {
      inside_.compute_unit(u).done.take_all(units_[u]->done);
    }
    inside_.tick(now);
    pass(inside_.dispatch_done, dispatch_done, t_.done, now);
    pass(inside_.wave_order, wave_order, t_.order, now);
    pass(inside_.saved, saved, t_.saved, now);
    // The gds is told of one wave a cycle.
    const Cycle wait = units_.size() == 1 ? 0 : 8 * units_.size();
    for (unsigned u = 0; u < units_.size(); ++u) {
      auto& from = inside_.compute_unit(u).launch;
      while (from.front(now) != nullptr) {
        WaveLaunch w = from.pop(now);
        unsigned unit = u;
        if (!t_.launch || t_.launch(w, unit)) units_[unit]->launch.push(w, now + 1 + wait);
      }
      // Behind the beats of a launch.
      pass(inside_.compute_unit(u).command, units_[u]->command, t_.command, now, wait + 8);
    }
  }
  Cycle next_event() const override { return 0; }
  unsigned compute_units() const override { return static_cast<unsigned>(units_.size()); }
  ComputeUnitPort& compute_unit(unsigned index) override { return *units_[index]; }

 private:
  template <class M>
  static void pass(machine::Channel<M>& from, machine::Channel<M>& to,
                   const std::function<bool(M&)>& act, Cycle now, Cycle delay = 0) {
    while (!from.empty() && from.next_event() <= now) {
      M message = from.pop(now);
      if (!act || act(message)) to.push(message, now + 1 + delay);
    }
  }
  spi::SpiModel inside_;
  Tampering t_;
  std::vector<std::unique_ptr<ComputeUnitPort>> units_;
};

spi::Config config_of(unsigned units) {
  spi::Config c;
  c.compute_units = units;
  c.launch_cycles = 6;  // a launch takes four beats
  return c;
}

std::unique_ptr<ip::PinDevice> device(const spi::Config& config, const Tampering& t) {
  using Device = ip::CoreDevice<spi::Spi>;
  const auto pins = ip::pin_channels(spi::kChannels, config.compute_units);
  const auto make = [config, t]() -> std::unique_ptr<spi::Spi> {
    return std::make_unique<Tampered>(config, t);
  };
  const auto bind = [](spi::Spi& core, Device& d) { spi::visit_channels(core, d); };
  return std::make_unique<ip::PinMonitor>(std::make_unique<Device>(make, bind, pins), pins);
}

constexpr uint64_t kArea = 0x20'0000;

/// A seat between a command processor and compute units whose waves last a while.
class Bench {
 public:
  explicit Bench(unsigned units, const Tampering& t = {}, uint32_t seed = 1)
      : config_(config_of(units)), seat_(device(config_, t), config_, {}, {}), random_(seed) {}

  void step() {
    seat_.tick(now_);
    for (unsigned u = 0; u < seat_.compute_units(); ++u) {
      auto& port = seat_.compute_unit(u);
      while (port.launch.front(now_) != nullptr) {
        const WaveLaunch w = port.launch.pop(now_);
        launches.push_back({u, w});
        ends_.emplace(now_ + 20 + random_() % 300, std::pair(u, w));
      }
      while (port.command.front(now_) != nullptr) {
        const WaveCommand c = port.command.pop(now_);
        if (c.action == spi::WaveAction::Save) begin_save(c.workgroup);
      }
    }
    for (; !ends_.empty() && ends_.begin()->first <= now_; ends_.erase(ends_.begin())) {
      const auto& [unit, w] = ends_.begin()->second;
      WaveDone over;
      over.id = w.id;
      over.simd = w.simd;
      over.slot = w.slot;
      over.dispatch = w.dispatch;
      over.workgroup = w.workgroup;
      over.saved = saving_.count(w.workgroup) != 0;
      over.first = over.saved && firsts_.count(w.id) != 0;
      over.error = fails && fails(w);
      if (over.error) over.error_code = 0x20, over.error_address = 0x1234;
      seat_.compute_unit(unit).done.push(over, now_ + 1);
    }
    while (seat_.dispatch_done.front(now_) != nullptr)
      done.push_back(seat_.dispatch_done.pop(now_));
    while (seat_.saved.front(now_) != nullptr) saved.push_back(seat_.saved.pop(now_));
    while (seat_.wave_order.front(now_) != nullptr) seat_.wave_order.drop(now_);
    ++now_;
  }
  /// Until every dispatch is over, or `cycles` have passed.
  void run(size_t dispatches, unsigned cycles = 100'000) {
    while (done.size() < dispatches && !mismatch() && cycles-- != 0) step();
    for (unsigned n = 0; n < 200 && !mismatch(); ++n) step();
  }
  void start(const Dispatch& d) { seat_.dispatch.push(d, now_ + 1); }
  void save(uint32_t dispatch) { seat_.save.push({dispatch, kArea, 0, 1 << 20, 100}, now_ + 1); }
  void restore(const spi::SavedGroup& group) { seat_.restore.push(group, now_ + 1); }
  void cancel(uint32_t dispatch) { seat_.cancel.push({dispatch}, now_ + 1); }
  bool can_start() { return seat_.dispatch.can_push(now_); }
  const std::optional<ip::BlockMismatch>& mismatch() { return seat_.kit().mismatch(); }
  ip::SpiSeat& seat() { return seat_; }
  std::mt19937& random() { return random_; }

  std::vector<std::pair<unsigned, WaveLaunch>> launches;
  std::vector<DispatchDone> done;
  std::vector<spi::SavedGroup> saved;
  std::function<bool(const WaveLaunch&)> fails;

 private:
  /// The lowest wave that is left has the LDS.
  void begin_save(uint32_t key) {
    saving_.insert(key);
    uint64_t lowest = ~uint64_t{0};
    for (const auto& [at, wave] : ends_) {
      if (wave.second.workgroup == key) lowest = std::min(lowest, wave.second.id);
    }
    firsts_.insert(lowest);
  }

  spi::Config config_;
  ip::SpiSeat seat_;
  std::mt19937 random_;
  std::multimap<Cycle, std::pair<unsigned, WaveLaunch>> ends_;
  std::set<uint32_t> saving_;  // keys of work-groups
  std::set<uint64_t> firsts_;  // waves
  Cycle now_ = 1;
};

/// Five work-groups of two waves.
Dispatch dispatch(uint32_t id = 3) {
  Dispatch d;
  d.id = id;
  d.vmid = 2;
  d.kernarg = 0x1'2345'6780;
  d.entry = 0x8000;
  d.grid = {128 * 5 - 7, 1, 1};
  d.workgroup = {128, 1, 1};
  d.group_bytes = 3000;
  d.rsrc1 = 5 | 3u << 6;                   // 24 VGPRs, 32 SGPRs
  d.rsrc2 = 2u << 1 | 1u << 7 | 1u << 11;  // two user SGPRs, work-group id x, work-item id y
  d.properties = 1u << 3;                  // kernarg pointer
  return d;
}

TEST(SpiChecker, OurSpiIsLegal) {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    for (const unsigned units : {1u, 3u, 6u}) {
      SCOPED_TRACE(std::to_string(units) + " compute units, seed " + std::to_string(seed));
      Bench bench(units, {}, seed);
      std::mt19937& random = bench.random();
      constexpr unsigned kDispatches = 12;
      for (unsigned n = 0; n < kDispatches && !bench.mismatch(); ++n) {
        Dispatch d = dispatch(n + 1);
        d.grid = {1 + static_cast<uint32_t>(random() % 3000),
                  1 + static_cast<uint32_t>(random() % 2), 1};
        d.workgroup = {static_cast<uint16_t>(64 * (1 + random() % 5)), 1, 1};
        d.group_bytes = static_cast<uint32_t>(random() % 20'000);
        d.rsrc1 = static_cast<uint32_t>(random() % 40) | static_cast<uint32_t>(random() % 6) << 6;
        if (random() % 4 == 0 && units > 1) d.cu_mask = {0x5, 0xffff, 0xffff, 0, 0, 0, 0, 0};
        if (random() % 3 == 0) {
          d.private_bytes = 64;
          d.scratch_bytes_per_wave = 4096;
          d.scratch_base = 0x7'0000'0000;
          d.scratch_waves = 40;
        }
        if (random() % 8 == 0) d.grid[0] = 0;  // malformed
        while (!bench.can_start() && !bench.mismatch()) bench.step();
        bench.start(d);
        if (random() % 5 == 0) bench.cancel(n + 1);
        for (unsigned pause = static_cast<unsigned>(random() % 500); pause != 0; --pause) {
          bench.step();
        }
      }
      bench.run(kDispatches);
      bench.seat().kit().conclude();
      ASSERT_FALSE(bench.mismatch()) << bench.mismatch()->report;
      EXPECT_EQ(bench.done.size(), kDispatches);
      EXPECT_GT(bench.launches.size(), 30u);
      EXPECT_EQ(bench.seat().counters().waves, bench.launches.size());
      EXPECT_GT(bench.seat().kit().compared(), 20 * bench.launches.size());
    }
  }
}

/// A tampered spi breaks `rule`, with `words` in the report.
void expect_rule(const Tampering& t, const std::string& rule, const std::string& words,
                 unsigned units = 1, const std::function<void(Bench&)>& more = {}) {
  SCOPED_TRACE(rule + ": " + words);
  for (const bool good : {true, false}) {
    Bench bench(units, good ? Tampering() : t);
    bench.start(dispatch());
    if (more) more(bench);
    bench.run(1, good ? 100'000 : 20'000);
    bench.seat().kit().conclude();
    if (good) {
      EXPECT_FALSE(bench.mismatch()) << bench.mismatch()->report;
      continue;
    }
    ASSERT_TRUE(bench.mismatch());
    EXPECT_EQ(bench.mismatch()->field, rule) << bench.mismatch()->report;
    EXPECT_THAT(bench.mismatch()->report, HasSubstr(words));
  }
}

/// Changes launches.
Tampering launch(const std::function<void(WaveLaunch&)>& f) {
  Tampering t;
  t.launch = [f](WaveLaunch& w, unsigned&) {
    f(w);
    return true;
  };
  return t;
}

TEST(SpiChecker, Placement) {
  const auto second_group = [](const WaveLaunch& w) { return (w.id >> 4) % 16 == 1; };
  expect_rule(launch([&](WaveLaunch& w) {
                if (second_group(w)) w.lds_base = 512;
              }),
              "lds",
              "wave 0 of work-group 1 of dispatch 3: bytes 512 to 3511, which overlap bytes 0 to "
              "2999 of work-group 0 of dispatch 3");
  expect_rule(launch([&](WaveLaunch& w) {
                if (w.wave_in_group == 1) w.lds_base += 4096;
              }),
              "lds", "other waves of the work-group from 0 on");
  expect_rule(launch([](WaveLaunch& w) { w.lds_base += 4; }), "lds", "expected a multiple of 512");
  expect_rule(launch([](WaveLaunch& w) { w.lds_base = 63488; }), "lds",
              "bytes 63488 to 66559, of 65536");
  expect_rule(launch([](WaveLaunch& w) { w.simd = w.slot = 0; }), "slot",
              "SIMD 0 slot 0 has a wave");
  expect_rule(launch([](WaveLaunch& w) { w.slot = 10; }), "slot", "expected below 4 and 10");
  expect_rule(launch([](WaveLaunch& w) { w.vgpr_base = 0; }), "vgprs",
              "rows 0 to 23, which overlap those of SIMD 0 slot 0");
  expect_rule(launch([](WaveLaunch& w) { w.vgpr_base = 236; }), "vgprs", "rows 236 to 259, of 256");
  expect_rule(launch([](WaveLaunch& w) { w.vgpr_base += 2; }), "vgprs", "expected a multiple of 4");
  expect_rule(launch([](WaveLaunch& w) { w.acc_base = 4; }), "accvgprs", "which overlap");
  expect_rule(launch([](WaveLaunch& w) { w.sgpr_base = 16; }), "sgprs", "which overlap");
  expect_rule(launch([](WaveLaunch& w) { w.workgroup = 7; }), "key",
              "which another work-group has");
  expect_rule(launch([](WaveLaunch& w) { w.workgroup = w.wave_in_group; }), "key",
              "other waves of the work-group have 0");
}

TEST(SpiChecker, Values) {
  expect_rule(launch([](WaveLaunch& w) { w.pc += 4; }), "values",
              "field pc: expected 0x8000, the device gives 0x8004");
  expect_rule(launch([](WaveLaunch& w) { w.exec >>= 1; }), "values", "field exec");
  expect_rule(launch([](WaveLaunch& w) { w.sgpr[2] ^= 1; }), "values", "field sgpr, element 2");
  expect_rule(launch([](WaveLaunch& w) { w.vgpr[1][9] = 77; }), "values",
              "field vgpr, row 1, element 9: expected 0x0, the device gives 0x4d");
  expect_rule(launch([](WaveLaunch& w) { w.vgpr_count += 4; }), "values", "field vgpr_count");
  expect_rule(launch([](WaveLaunch& w) { w.scratch_base += 16; }), "scratch", "expected 0x0");
  const auto with_scratch = [](Bench& b) {
    Dispatch d = dispatch(4);
    d.private_bytes = 8;
    d.scratch_base = 0x10000;
    d.scratch_bytes_per_wave = 512;
    d.scratch_waves = 20;
    b.start(d);
    b.run(2);
  };
  const auto of_second = [](const WaveLaunch& w) { return w.dispatch == 4; };
  expect_rule(launch([&](WaveLaunch& w) {
                if (of_second(w)) w.scratch_base += 512 * 11;
              }),
              "scratch", "is none of 20 places of 512 bytes", 1, with_scratch);
  expect_rule(launch([&](WaveLaunch& w) {
                if (of_second(w)) w.scratch_base = 0x10000 + 512 * 3;
              }),
              "scratch", "is that of wave 0 of work-group 0 of dispatch 4", 1, with_scratch);
}

TEST(SpiChecker, WorkGroupsStartOnceInOrderAndWhole) {
  Tampering torn;
  torn.launch = [](WaveLaunch& w, unsigned& unit) {
    if (w.wave_in_group == 1) unit = 0;
    return true;
  };
  expect_rule(torn, "once", "which has started before", 3);
  expect_rule(launch([](WaveLaunch& w) { w.id ^= 1; }), "values", "field id");
  Tampering untold;
  untold.order = [](WaveOrder& o) { return o.ended; };
  expect_rule(untold, "wave order", "of which the gds has not been told");
  Tampering loses;
  loses.launch = [](WaveLaunch& w, unsigned&) { return w.wave_in_group != 1; };
  expect_rule(loses, "together", "between waves of work-group 0 of dispatch 3");
  Tampering skips;
  skips.launch = [](WaveLaunch& w, unsigned&) { return (w.id >> 4) % 16 != 1; };
  expect_rule(skips, "order", "work-group 2 of dispatch 3 has started before work-group 1");
  const auto masked = [](Bench& b) {
    Dispatch d = dispatch(4);
    d.cu_mask = {0x6, 0, 0, 0, 0, 0, 0, 0};
    b.run(1);
    b.start(d);
    b.run(2);
  };
  Tampering outside;
  outside.launch = [](WaveLaunch& w, unsigned& unit) {
    if (w.dispatch == 4) unit = 0;
    return true;
  };
  expect_rule(outside, "mask", "on compute unit 0, which is not in its mask", 3, masked);
  expect_rule(launch([](WaveLaunch& w) { w.dispatch = 9; }), "dispatch", "which is not under way");
}

TEST(SpiChecker, Ends) {
  Tampering early;
  early.done = [](DispatchDone& d) {
    d.id = 8;
    return true;
  };
  expect_rule(early, "done", "dispatch 8 is not under way");
  Tampering fails;
  fails.done = [](DispatchDone& d) {
    d.error = true;
    d.error_code = 128;
    return true;
  };
  expect_rule(fails, "error", "ends with error code 128 address 0x0 pc 0x0, expected no error");
  Tampering hides;
  hides.done = [](DispatchDone& d) {
    d.error = false;
    return true;
  };
  expect_rule(hides, "error", "ends with no error, expected error code 32 address 0x1234", 1,
              [](Bench& b) { b.fails = [](const WaveLaunch& w) { return w.wave_in_group == 1; }; });
  Tampering silent;
  silent.done = [](DispatchDone&) { return false; };
  expect_rule(silent, "missing", "no message in 10000 cycles, no end of dispatch 3");
  Tampering stuck;
  stuck.launch = [](WaveLaunch&, unsigned&) { return false; };
  expect_rule(stuck, "missing",
              "no message in 10000 cycles, no wave of work-group 0 of dispatch 3");
  Tampering deaf;
  deaf.order = [](WaveOrder& o) { return !o.ended; };
  expect_rule(deaf, "missing", "the gds has not been told of the end of a wave");
  Tampering twice;
  twice.order = [](WaveOrder& o) {
    o.ended = false;
    return true;
  };
  expect_rule(twice, "wave order", "begins twice");
  Tampering unkind;
  unkind.command = [](WaveCommand&) { return false; };
  expect_rule(unkind, "command", "was cancelled, and compute unit 0 has not been told", 1,
              [](Bench& b) {
                for (unsigned n = 0; n < 30; ++n) b.step();
                b.cancel(3);
              });
  Tampering cruel;
  cruel.command = [](WaveCommand& c) {
    c.action = spi::WaveAction::Halt;
    return true;
  };
  expect_rule(cruel, "command", "expected one after its cancel or save", 1, [](Bench& b) {
    for (unsigned n = 0; n < 30; ++n) b.step();
    b.cancel(3);
  });
}

/// Twelve work-groups, of which some have started when the dispatch is saved.
Dispatch handled() {
  Dispatch d = dispatch();
  d.tba = 0x9000;
  d.grid[0] = 128 * 12;
  d.group_bytes = 16'000;  // four at a time
  return d;
}

TEST(SpiChecker, SavedWorkGroupsGoOn) {
  Bench bench(1);
  bench.start(handled());
  for (unsigned n = 0; n < 100; ++n) bench.step();
  bench.save(3);
  bench.run(1);
  ASSERT_FALSE(bench.mismatch()) << bench.mismatch()->report;
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_TRUE(bench.done[0].saved);
  ASSERT_FALSE(bench.saved.empty());
  const size_t before = bench.launches.size();
  std::sort(bench.saved.begin(), bench.saved.end(),
            [](const auto& a, const auto& b) { return a.group < b.group; });
  for (const auto& group : bench.saved) bench.restore(group);
  Dispatch again = handled();
  again.save_area = kArea;
  again.next_group = bench.done[0].next_group;
  bench.start(again);
  bench.run(2);
  bench.seat().kit().conclude();
  ASSERT_FALSE(bench.mismatch()) << bench.mismatch()->report;
  EXPECT_EQ(bench.done.size(), 2u);
  EXPECT_GT(bench.launches.size(), before);
}

TEST(SpiChecker, SavedWorkGroupsAreJudged) {
  const auto run = [](const Tampering& t) {
    Bench bench(1, t);
    bench.start(handled());
    for (unsigned n = 0; n < 100; ++n) bench.step();
    bench.save(3);
    bench.run(1, 20'000);
    return bench.mismatch();
  };
  Tampering outside;
  outside.command = [](WaveCommand& c) {
    c.room += 1 << 20;
    return true;
  };
  Tampering others;
  others.saved = [](spi::SavedGroup& g) {
    g.waves ^= 1;
    return true;
  };
  for (const auto& [t, rule] : {std::pair(outside, "room"), std::pair(others, "saved")}) {
    const auto wrong = run(t);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->field, rule) << wrong->report;
  }
}

/// A dispatch that has not started its last work-group keeps the compute units of its mask.
TEST(SpiChecker, EarlierDispatchesGoFirst) {
  // Two dispatches are there; the device begins with the first, or with the second. The first may
  // have a list of a single work-group, of these waves: the last one of the grid, which has one.
  const auto run = [](bool ahead, uint16_t list = 0) {
    ip::SpiChecker checker(config_of(1));
    Dispatch first = dispatch(3);
    if (list != 0) {
      first.grid[0] = 128 * 5 - 64;
      first.next_group = 5;
      static_cast<void>(checker.taken(6, 0, spi::SavedGroup{3, 4, 0, list}, 1));
    }
    static_cast<void>(checker.taken(0, 0, first, 1));
    static_cast<void>(checker.taken(0, 0, dispatch(4), 1));
    const auto plan = spi::plan(dispatch(ahead ? 4 : 3), isa::Target::Gfx908);
    WaveLaunch w = spi::initial_state(*plan, isa::Target::Gfx908, 0, 0, 0, false);
    WaveOrder order{w.id, w.dispatch, false};
    EXPECT_FALSE(checker.given(3, 0, order, 2));
    EXPECT_FALSE(checker.given(7, 0, w, 2));
    WaveLaunch next = spi::initial_state(*plan, isa::Target::Gfx908, 0, 1, 1, false);
    next.simd = 1;
    order.wave = next.id;
    EXPECT_FALSE(checker.given(3, 0, order, 6));
    return checker.given(7, 0, next, 6);
  };
  EXPECT_FALSE(run(false));
  const auto wrong = run(true);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->rule, "dispatch order");
  EXPECT_THAT(wrong->what, HasSubstr("for which dispatch 3 waits, which is earlier"));
  EXPECT_TRUE(run(true, 1));
  EXPECT_FALSE(run(true, 2)) << "a list that cannot go on keeps nothing";
}

}  // namespace
}  // namespace cuvette
