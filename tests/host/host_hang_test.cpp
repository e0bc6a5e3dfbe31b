// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Hangs behind cuvette.h, on every engine: the waits, in words and as numbers;
// watchdogs; waits cancelled from a thread, a callback and a signal handler, inside a quantum too;
// later use of the machine; and that a replay of the log meets all of it again.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "host_process.h"

namespace {

using namespace cuvette_test;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr uint64_t kForEver = 1'000'000'000'000;
// Longest time in which a wait ends after cuvette_cancel. Other work on the host may come in
// between, so the best of some tries counts.
constexpr std::chrono::milliseconds kPromised(100);

// The first wave of a work-group goes round, the second waits for it. gfx908, llvm-mc 19.
const std::vector<uint32_t> kSpin = {
    0x7e000500,  // v_readfirstlane_b32 s0, v0
    0xbf078000,  // s_cmp_lg_u32 s0, 0
    0xbf850001,  // s_cbranch_scc1 2f
    0xbf82ffff,  // 1: s_branch 1b
    0xbf8a0000,  // 2: s_barrier
    0xbf810000,  // s_endpgm
};
constexpr uint64_t kSpinLoop = 12, kSpinBehindBarrier = 20;  // bytes from the entry
// Goes round until a word of memory is not 0.
const std::vector<uint32_t> kPoll = {
    0xc0060080, 0x00000000,  // s_load_dwordx2 s[2:3], s[0:1], 0x0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0x7e000280,              // v_mov_b32 v0, 0
    0xdc518000, 0x01020000,  // 1: global_load_dword v1, v0, s[2:3] glc
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0x7e080501,              // v_readfirstlane_b32 s4, v1
    0xbf068004,              // s_cmp_eq_u32 s4, 0
    0xbf85fffa,              // s_cbranch_scc1 1b
    0xbf810000,              // s_endpgm
};

class HostHang : public testing::TestWithParam<const char*> {
 protected:
  void open(cuvette_options o) {
    machine_ = std::make_unique<Machine>(o);
    m().write(CUVETTE_REG_CP_MEC_CNTL, 0);
    m().hear_doorbells();
    process_ = std::make_unique<Process>(m(), 0, false);
    process_->set_signals(1);
    process_->activate(0, 20, kRing, kQueue);
  }
  void open() { open(options(GetParam())); }
  const Machine& m() const { return *machine_; }
  const Process& p() const { return *process_; }
  /// kSpin by one work-group of two waves, as packet `index`.
  void spin(unsigned index = 0) const {
    p().load(kSpin, 0, 0x00ac0040, 0, 0);
    p().write_body(kRing, index, 128, 0);
    p().put_word(p().at(kRing, 64 * index + 4), 128 | 1 << 16);
    p().put_word(p().at(kRing, 64 * index + 24), 0);
    submit(index);
  }
  /// kPoll of `word_`.
  void poll() {
    word_ = m().allocate(64, CUVETTE_MEMORY_FINE_GRAINED);
    p().load(kPoll, 0, 0x00ac0040, 4, 8);  // kernarg in s[0:1]
    p().put(p().at(kArguments), word_);
    p().write_body(kRing, 0, 1, p().at(kArguments));
    p().put_word(p().at(kRing, 24), 0);
    submit(0);
  }
  void submit(unsigned index) const {
    p().put_word(p().at(kRing, 64 * index), Process::kHeader);
    EXPECT_EQ(cuvette_doorbell(m(), 20, index), CUVETTE_OK);
  }
  uint64_t entry() const { return p().at(kCode, kCodeOffset); }

  struct Hang {
    std::string text;
    std::vector<cuvette_hang_queue> queues{16};
    std::vector<cuvette_hang_wave> waves{16};
  };
  Hang hang() const {
    Hang h;
    h.text.resize(8192);
    cuvette_hang r{};
    r.size = sizeof r;
    r.text = h.text.data();
    r.text_bytes = h.text.size();
    r.queues = h.queues.data();
    r.queue_size = sizeof(cuvette_hang_queue);
    r.queue_room = h.queues.size();
    r.waves = h.waves.data();
    r.wave_size = sizeof(cuvette_hang_wave);
    r.wave_room = h.waves.size();
    EXPECT_EQ(cuvette_hang_report(m(), &r), CUVETTE_OK) << cuvette_error_text();
    h.text.resize(h.text.find('\0'));
    h.queues.resize(std::min(r.queue_count, h.queues.size()));
    h.waves.resize(std::min(r.wave_count, h.waves.size()));
    return h;
  }
  /// The queue of a slot goes away with its waves.
  void remove(unsigned slot) const {
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, Process::slot_bits(slot));
    m().write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 2);
    uint32_t active = 1;
    // On lt compute units may be ahead by a quantum, and hear of it when time has come so far. On
    // golden a kernel that spins in another queue goes on, many instructions in a cycle.
    const uint64_t cycles = std::string(GetParam()) == "golden" ? 500 : 50'000;
    for (int i = 0; i < 100 && active != 0; ++i) {
      ASSERT_EQ(cuvette_advance(m(), cycles), CUVETTE_OK) << cuvette_error_text();
      ASSERT_EQ(cuvette_register_read(m(), CUVETTE_REG_CP_HQD_ACTIVE, &active), CUVETTE_OK);
    }
    ASSERT_EQ(active, 0u);
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
  }
  /// Resets the queue of slot 0, which comes again with an empty ring.
  void reset() const {
    remove(0);
    for (unsigned slot = 0; slot < 64; ++slot) p().put(p().at(kRing) + 64 * slot, 1);
    p().set_signals(1);
    p().activate(0, 20, kRing, kQueue);
  }
  /// A kernel that stores a word runs to its end.
  void expect_works() const {
    p().load_put();
    const uint64_t word = p().at(kOut), bell = p().at(kOut, 64);
    const uint64_t kernarg = p().at(kArguments);
    p().put(kernarg, word);
    p().put(kernarg + 8, 0x600d);
    p().put(kernarg + 16, bell);
    p().put(kernarg + 24, 77);
    p().submit(0, 1, kernarg);
    EXPECT_EQ(cuvette_doorbell(m(), 20, 0), CUVETTE_OK);
    ASSERT_EQ(cuvette_run_until_idle(m(), 1'000'000), CUVETTE_OK) << cuvette_error_text();
    EXPECT_EQ(p().left(), 0u);
    EXPECT_EQ(p().word(word), 0x600du);
  }
  /// Time that the wait `wait` lasts after `cancel`, which is called beside it when `after` has
  /// passed.
  template <class Wait>
  Clock::duration cancelled_wait(Wait wait, std::chrono::milliseconds after = 60ms) const {
    Clock::time_point asked;
    std::atomic<bool> waits{false};
    std::thread other([&] {
      while (!waits) std::this_thread::yield();
      std::this_thread::sleep_for(after);
      asked = Clock::now();
      EXPECT_EQ(cuvette_cancel(m()), CUVETTE_OK);
    });
    waits = true;
    EXPECT_EQ(wait(), CUVETTE_ERROR_CANCELLED);
    const auto over = Clock::now();
    other.join();
    return over - asked;
  }
  void close() {
    process_.reset();
    machine_.reset();
  }

  std::unique_ptr<Machine> machine_;
  std::unique_ptr<Process> process_;
  uint64_t word_ = 0;  ///< that a kernel polls
};

TEST_P(HostHang, TheReportSaysWhoWaitsForWhat) {
  auto o = options(GetParam());
  o.watchdog_cycles = 50'000;
  open(o);
  EXPECT_THAT(hang().text, HasSubstr("queue 0 (doorbell 20, VMID 0"));
  spin();
  // A second queue waits for the first one's completion signal.
  p().activate(1, 21, kOtherRing, kOtherQueue);
  p().put(p().at(kOtherRing, 8), p().at(kSignals));
  p().put_word(p().at(kOtherRing), 3);  // barrier-AND
  EXPECT_EQ(cuvette_doorbell(m(), 21, 0), CUVETTE_OK);
  ASSERT_EQ(cuvette_wait_interrupt(m(), kForEver), CUVETTE_ERROR_WATCHDOG);
  EXPECT_THAT(cuvette_error_text(), HasSubstr("watchdog"));

  const Hang h = hang();
  ASSERT_EQ(h.queues.size(), 2u) << h.text;
  const auto& first = h.queues[0];
  EXPECT_EQ(first.queue, 0u);
  EXPECT_EQ(first.doorbell, 20u);
  EXPECT_EQ(first.state, CUVETTE_QUEUE_RUNNING);
  EXPECT_EQ(first.under_way, 1u);
  EXPECT_EQ(first.packet, 0u);
  EXPECT_EQ(first.kernel_object, p().at(kCode));
  EXPECT_EQ(first.completion_signal, p().at(kSignals));
  const auto& second = h.queues[1];
  EXPECT_EQ(second.state, CUVETTE_QUEUE_WAITING);
  EXPECT_EQ(second.wait_address, p().at(kSignals));
  EXPECT_EQ(second.wait_value, 1);
  EXPECT_EQ(second.under_way, 0u);

  ASSERT_EQ(h.waves.size(), 2u) << h.text;
  const bool ordered = h.waves[0].at_barrier == 0;
  const auto& round = h.waves[ordered ? 0 : 1];
  const auto& waits = h.waves[ordered ? 1 : 0];
  EXPECT_EQ(round.pc, entry() + kSpinLoop) << h.text;
  EXPECT_EQ(round.at_barrier, 0u);
  EXPECT_THAT(round.instruction, HasSubstr("s_branch"));
  EXPECT_EQ(waits.pc, entry() + kSpinBehindBarrier) << h.text;
  EXPECT_EQ(waits.at_barrier, 1u);
  EXPECT_THAT(waits.waits_for, HasSubstr("barrier"));
  for (const auto& w : h.waves) {
    EXPECT_EQ(w.queue, 0u);
    EXPECT_EQ(w.packet, 0u);
    EXPECT_EQ(w.compute_unit == CUVETTE_NONE, std::string(GetParam()) == "golden");
  }
  EXPECT_THAT(h.text, ContainsRegex("queue 1 .*packet 0 waits for signal 0x[0-9a-f]+, which is 1"));
  EXPECT_THAT(h.text, ContainsRegex("packet 0: kernel 0x[0-9a-f]+, 2 waves resident"));
  EXPECT_THAT(h.text, HasSubstr("s_branch"));

  // A wave of an earlier caller is shorter, room for one is room for one, null is not wanted.
  cuvette_hang_wave one;
  std::fill_n(reinterpret_cast<char*>(&one), sizeof one, 0x55);
  cuvette_hang r{};
  r.size = sizeof r;
  r.waves = &one;
  r.wave_size = offsetof(cuvette_hang_wave, pc);
  r.wave_room = 1;
  EXPECT_EQ(cuvette_hang_report(m(), &r), CUVETTE_OK);
  EXPECT_EQ(r.wave_count, 2u);
  EXPECT_EQ(r.queue_count, 2u);
  EXPECT_EQ(one.pc, 0x5555555555555555u);
  r.wave_size = 0;
  EXPECT_EQ(cuvette_hang_report(m(), &r), CUVETTE_ERROR_ARGUMENT);
  EXPECT_EQ(cuvette_hang_report(m(), nullptr), CUVETTE_ERROR_ARGUMENT);
}

TEST_P(HostHang, CancelEndsEveryWaitAtOnceAndTheMachineGoesOn) {
  open();
  spin();
  Clock::duration best = std::chrono::hours(1);
  for (int i = 0; i < 5; ++i) {
    best = std::min(best, cancelled_wait([&] { return cuvette_wait_interrupt(m(), kForEver); }));
  }
  EXPECT_LT(best, kPromised) << "wait for an interrupt";
  EXPECT_THAT(cuvette_error_text(), HasSubstr("cancelled"));
  best = std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) {
    best = std::min(best, cancelled_wait([&] { return cuvette_advance(m(), kForEver); }));
  }
  EXPECT_LT(best, kPromised) << "advance";
  EXPECT_EQ(hang().waves.size(), 2u);
  reset();
  EXPECT_EQ(hang().waves.size(), 0u);
  expect_works();
}

TEST_P(HostHang, CancelComesInsideAQuantumToo) {
  auto o = options(GetParam());
  o.quantum = 2'000'000'000;
  open(o);
  spin();
  Clock::duration best = std::chrono::hours(1);
  for (int i = 0; i < 5; ++i) {
    best = std::min(best, cancelled_wait([&] { return cuvette_wait_interrupt(m(), kForEver); }));
  }
  EXPECT_LT(best, kPromised);
  EXPECT_LT(m().cycle(), 2'000'000'000u);
}

/// Dispatches of another queue that have not begun go the same way.
TEST_P(HostHang, WhatIsBehindAHangGoesWithItsQueue) {
  open();
  p().activate(1, 21, kOtherRing, kOtherQueue);
  spin();
  cancelled_wait([&] { return cuvette_wait_interrupt(m(), kForEver); });
  p().write_body(kOtherRing, 0, 64, 0);
  p().put_word(p().at(kOtherRing, 24), 0);
  p().put_word(p().at(kOtherRing), Process::kHeader);
  EXPECT_EQ(cuvette_doorbell(m(), 21, 0), CUVETTE_OK);
  EXPECT_EQ(cuvette_advance(m(), 5000), CUVETTE_OK);
  const Hang h = hang();
  EXPECT_EQ(h.queues.at(1).under_way, 1u) << h.text;
  remove(1);
  reset();
  EXPECT_TRUE(hang().waves.empty()) << hang().text;
  expect_works();
}

TEST_P(HostHang, WithoutAWaitTheNextOneIsCancelled) {
  open();
  EXPECT_EQ(cuvette_cancel(m()), CUVETTE_OK);
  EXPECT_EQ(cuvette_advance(m(), 100), CUVETTE_ERROR_CANCELLED);
  EXPECT_EQ(m().cycle(), 0u);
  EXPECT_EQ(cuvette_advance(m(), 100), CUVETTE_OK);
  EXPECT_EQ(m().cycle(), 100u);
  EXPECT_EQ(cuvette_cancel(nullptr), CUVETTE_ERROR_ARGUMENT);
}

/// Stores of a host while the machine stands still are seen by the kernel that stood.
TEST_P(HostHang, AKernelThatWasCancelledGoesOn) {
  open();
  poll();
  cancelled_wait([&] { return cuvette_run_until_idle(m(), kForEver); });
  EXPECT_EQ(p().left(), 1u);
  m().write64(word_, 1);
  ASSERT_EQ(cuvette_run_until_idle(m(), 1'000'000), CUVETTE_OK) << cuvette_error_text();
  EXPECT_EQ(p().left(), 0u);
  EXPECT_EQ(p().error(), 0u);
}

cuvette_machine* interrupted = nullptr;

TEST_P(HostHang, CancelFromASignalHandler) {
  open();
  spin();
  interrupted = m();
  std::signal(SIGALRM, [](int) { cuvette_cancel(interrupted); });
  itimerval in_60_ms{};
  in_60_ms.it_value.tv_usec = 60'000;
  ASSERT_EQ(setitimer(ITIMER_REAL, &in_60_ms, nullptr), 0);
  EXPECT_EQ(cuvette_wait_interrupt(m(), kForEver), CUVETTE_ERROR_CANCELLED);
  std::signal(SIGALRM, SIG_DFL);
}

TEST_P(HostHang, CancelFromACallback) {
  auto o = options(GetParam());
  o.quantum = 10;  // golden runs a kernel between two borders: the interrupt is told before
  o.on_interrupt = [](void*, cuvette_machine* machine, const cuvette_interrupt*) {
    EXPECT_EQ(cuvette_cancel(machine), CUVETTE_OK);
  };
  open(o);
  spin();
  EXPECT_EQ(cuvette_doorbell(m(), 99, 1), CUVETTE_OK);  // nobody's: an interrupt
  EXPECT_EQ(cuvette_advance(m(), kForEver), CUVETTE_ERROR_CANCELLED);
}

TEST_P(HostHang, AWatchdogInSecondsOfTheHost) {
  auto o = options(GetParam());
  o.watchdog_seconds = 0.3;
  open(o);
  // An idle machine is no hang, however long the wait.
  EXPECT_EQ(cuvette_advance(m(), kForEver / 10), CUVETTE_OK);
  spin();
  const auto start = Clock::now();
  EXPECT_EQ(cuvette_wait_interrupt(m(), kForEver), CUVETTE_ERROR_WATCHDOG);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(300));
  EXPECT_EQ(hang().waves.size(), 2u);
  // Again: it has not got on.
  EXPECT_EQ(cuvette_wait_interrupt(m(), kForEver), CUVETTE_ERROR_WATCHDOG);
  close();
  o.watchdog_seconds = -1;
  cuvette_machine* none = nullptr;
  EXPECT_EQ(cuvette_open(&o, &none), CUVETTE_ERROR_ARGUMENT);
}

TEST_P(HostHang, AWatchdogLeavesAloneWhatGetsOn) {
  auto o = options(GetParam());
  o.watchdog_cycles = 100'000;
  open(o);
  EXPECT_EQ(cuvette_advance(m(), 10'000'000), CUVETTE_OK) << "idle";
  p().load_put();
  for (unsigned i = 0; i < 60; ++i) {
    put_by_kernel(p(), i, p().at(kOut), i, p().at(kOut, 64), i);
    EXPECT_EQ(cuvette_doorbell(m(), 20, i), CUVETTE_OK);
  }
  EXPECT_EQ(cuvette_run_until_idle(m(), 100'000'000), CUVETTE_OK) << cuvette_error_text();
  EXPECT_EQ(p().word(p().at(kOut)), 59u);
  // A signal that nobody sets is a hang, too.
  p().put(p().at(kRing, 60 * 64 + 8), p().at(kSignals));
  p().set_signals(1);
  p().put_word(p().at(kRing, 60 * 64), 3);
  EXPECT_EQ(cuvette_doorbell(m(), 20, 60), CUVETTE_OK);
  EXPECT_EQ(cuvette_wait_interrupt(m(), kForEver), CUVETTE_ERROR_WATCHDOG);
  const Hang h = hang();
  EXPECT_EQ(h.queues.at(0).wait_address, p().at(kSignals)) << h.text;
  EXPECT_EQ(h.queues.at(0).next_packet, 60u);
  EXPECT_TRUE(h.waves.empty());
}

/// Cancels come when the host likes; the log says where the machine stood.
TEST_P(HostHang, AReplayStandsStillAtTheSamePlaces) {
  const std::string log = testing::TempDir() + "/host_hang_" + GetParam() + ".log";
  auto o = options(GetParam());
  o.log = log.c_str();
  // The watchdog is a hundred times as far as the cancels, however busy the host.
  o.watchdog_cycles = std::string(GetParam()) == "ca" ? 20'000'000 : 100'000'000;
  o.quantum = 1'000'000;
  open(o);
  spin();
  for (int i = 0; i < 2; ++i) {
    cancelled_wait([&] { return cuvette_wait_interrupt(m(), kForEver); }, 5ms);
    m().write64(p().at(kPlain), m().cycle());
  }
  EXPECT_EQ(cuvette_wait_interrupt(m(), kForEver), CUVETTE_ERROR_WATCHDOG);
  reset();
  expect_works();
  close();
  const std::string command = std::string(CUVETTE_PROGRAM " run --replay-host ") + log;
  EXPECT_EQ(std::system(command.c_str()), 0);
  // Another place is another run, once the machine has got on.
  const std::string other = log + ".other";
  const std::string edit =
      "sed -e '0,/^X 0x/s/^\\(X 0x[^ ]*\\) [^ ]*/\\1 3/' -e 's/^E \\([^ ]*\\) .*/E \\1 -/' " + log +
      " > " + other;
  ASSERT_EQ(std::system(edit.c_str()), 0);
  const std::string again =
      std::string(CUVETTE_PROGRAM " run --replay-host ") + other + " > " + other + ".out";
  EXPECT_EQ(WEXITSTATUS(std::system(again.c_str())), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, HostHang, testing::Values("golden", "lt", "ca"),
                         [](const auto& c) { return std::string(c.param); });

}  // namespace
