// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "hsa/address_space.h"
#include "machine/channel.h"
#include "memory/memory_messages.h"

/// For devices in C++ (ip/core_dut.h) around a core that translates addresses by a call: on pins
/// the answer comes cycles later.
namespace cuvette::ip::dut {

/// Coroutine on a thread of its own: work that can be suspended in the middle of a call. Only one
/// of the two sides runs at a time.
class Suspended {
 public:
  Suspended() : thread_([this] { loop(); }) {}
  ~Suspended() { stop(); }
  Suspended(const Suspended&) = delete;
  Suspended& operator=(const Suspended&) = delete;

  /// Begins `work`. True when it is done, false when it has suspended itself.
  bool start(std::function<void()> work) {
    hand_over([&] { work_ = std::move(work); });
    return !suspended_;
  }
  /// Goes on behind suspend(); as start().
  bool resume() {
    hand_over([] {});
    return !suspended_;
  }
  bool suspended() const { return suspended_; }
  /// Ends work that is suspended, and the thread: before what the work uses goes away.
  void stop() {
    if (!thread_.joinable()) return;
    hand_over([this] { ends_ = true; });
    thread_.join();
  }

  /// Called by the work: gives control back to who called start() or resume(). False: the work is
  /// to end as soon as it can.
  bool suspend() {
    if (ends_) return false;
    suspended_ = true;
    give_back();
    suspended_ = false;
    return !ends_;
  }

 private:
  template <class Before>
  void hand_over(Before before) {
    std::unique_lock lock(mutex_);
    before();
    inside_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !inside_; });
  }
  /// On the own thread: until the other side hands over again.
  void give_back() {
    std::unique_lock lock(mutex_);
    inside_ = false;
    changed_.notify_all();
    changed_.wait(lock, [this] { return inside_; });
  }
  void loop() {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return inside_; });
    }
    while (!ends_) {
      work_();
      if (ends_) break;
      give_back();
    }
    std::unique_lock lock(mutex_);
    inside_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_ = [] {};
  bool inside_ = false, suspended_ = false, ends_ = false;
  std::thread thread_;
};

/// Address space on pins, for a core that translates by a call: the question is sent, and the core
/// stands still until the answer is there. Answers are kept.
class PinAddressSpace final : public hsa::AddressSpace {
 public:
  /// The channels translate_request and translate_response of the device.
  mutable machine::Channel<memory::TranslateRequest> questions{machine::kUnbounded};
  mutable machine::Channel<memory::TranslateResponse> answers{machine::kUnbounded};

  /// One clock cycle: `work`, which may translate, or what is left of that of an earlier cycle.
  /// True when it is done, false when it waits for an answer.
  bool run(machine::Cycle now, std::function<void()> work) {
    now_ = now;
    if (!core_.suspended()) return core_.start(std::move(work));
    return answers.front(now) != nullptr && core_.resume();
  }
  bool waits() const { return core_.suspended(); }
  /// Answers a question that is under way, and all later ones, with a fault. The owner calls it
  /// before the core is destroyed.
  void stop() { core_.stop(); }

  hsa::Translation translate(uint32_t vmid, uint64_t va, hsa::Access access) const override {
    for (const Known& k : known_) {
      if (k.vmid != vmid || k.access != access || va < k.first || va - k.first >= k.found.bytes) {
        continue;
      }
      hsa::Translation t = k.found;
      t.pa += va - k.first;
      t.bytes -= va - k.first;
      return t;
    }
    hsa::Translation t;
    questions.push({next_id_++, vmid, va, access}, now_ + 1);
    if (!core_.suspend()) {
      t.fault = hsa::Fault::Unmapped;
      return t;
    }
    const memory::TranslateResponse answer = answers.pop(now_);
    t.pa = answer.pa;
    t.bytes = answer.bytes;
    t.type = static_cast<hsa::MemoryType>(answer.type);
    t.fault = answer.fault;
    if (t.ok()) known_.push_back({vmid, access, va, t});
    return t;
  }

 private:
  struct Known {
    uint32_t vmid;
    hsa::Access access;
    uint64_t first;
    hsa::Translation found;
  };
  mutable std::vector<Known> known_;
  mutable uint32_t next_id_ = 0;
  mutable Suspended core_;
  machine::Cycle now_ = 0;
};

}  // namespace cuvette::ip::dut
