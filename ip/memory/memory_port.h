// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <random>

#include "ip/memory/memory_port_monitor.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "memory/memory_messages.h"

/// Transactors of one memory port between the messages of the model and pins (memory.md). Time
/// is in clock cycles. One cycle `now`:
///
///   1. drive(now, in_reset, pins) sets the side's own pins. They depend on earlier cycles only.
///   2. The caller copies them to its model, settles it, and copies the model's pins back
///      (ip/memory/memory_pins.h does both).
///   3. clock(pins) takes what moves at the rising edge that ends the cycle; then the model's edge.
///
/// `now` grows by one per call. In reset valid and ready are low; a reset forgets the requests that
/// are under way, and the owner of channels behind a transactor empties them. An error that a
/// MemoryPortMonitor finds on the pins is failure(); work goes on after it.
namespace cuvette::ip {

/// Rate at which a side holds back, in a pattern that the seed fixes. Counts are cycles of 256, 255
/// at most.
struct MemoryPortStalls {
  uint64_t seed = 0;   ///< equal seeds give equal patterns
  unsigned offer = 0;  ///< a message that waits is not offered yet; one on offer stays
  unsigned ready = 0;  ///< ready is low
};

/// The model is master, pins lead to an RTL memory.
class MemoryPortDriver {
 public:
  struct Config {
    MemoryPortStalls stalls;
    machine::Cycle answer_within = 10'000;  ///< see MemoryPortMonitor
  };

  /// Requests come by push(), answers are taken by pop().
  explicit MemoryPortDriver(const Config& config);
  /// Requests come from one channel, answers go to the other: the two of a memory::Memory::Port.
  /// They outlive the driver.
  MemoryPortDriver(const Config& config, machine::Channel<memory::MemReq>& requests,
                   machine::Channel<memory::MemResp>& responses);

  /// Behind everything that waits. A request that memory.md forbids is sent and is a failure.
  void push(const memory::MemReq& request) { queue_.push_back(request); }
  /// The oldest answer that has not been taken. Its `time` is the cycle after the edge it moved at.
  std::optional<memory::MemResp> pop();

  void drive(machine::Cycle now, bool in_reset, MemoryPortPins& pins);
  void clock(const MemoryPortPins& pins);

  /// True when no request waits or is under way.
  bool idle() const;
  /// Ends the cycles: a request without an answer is a failure now.
  void end() { monitor_.end(); }
  const std::optional<DeviceFailure>& failure() const { return monitor_.failure(); }

 private:
  Config config_;
  machine::Channel<memory::MemReq>* requests_ = nullptr;
  machine::Channel<memory::MemResp>* responses_ = nullptr;
  std::mt19937_64 rng_;
  MemoryPortMonitor monitor_;
  machine::Cycle now_ = 0;
  bool in_reset_ = true;
  std::deque<memory::MemReq> queue_;
  std::optional<MemReqMessage> offered_;
  std::deque<memory::MemResp> answers_;
};

/// An RTL master's requests come on pins, the model is the memory.
class MemoryPortServer {
 public:
  struct Config {
    MemoryPortStalls stalls;
    /// Latency of answers that a handler gives: from the cycle whose end takes the request to the
    /// one that offers the answer, at least 1.
    machine::Cycle latency_cycles = 1;
    machine::Cycle answer_within = 10'000;  ///< see MemoryPortMonitor
  };
  /// Called once per legal request, in order of arrival. Id and address of what it returns have to
  /// be the request's.
  using Handler = std::function<memory::MemResp(const memory::MemReq&)>;

  MemoryPortServer(const Config& config, Handler handler);
  /// Legal requests go to one channel, visible in the cycle after the edge they moved at; answers
  /// come from the other. The two of a memory::Memory::Port, whose owner ticks it in every cycle
  /// `now`; before or after this server makes no difference. They outlive the server.
  MemoryPortServer(const Config& config, machine::Channel<memory::MemReq>& requests,
                   machine::Channel<memory::MemResp>& responses);

  /// A request that breaks memory.md, or whose id is under way already, is a failure, is
  /// answered with Fault and reaches no memory.
  void drive(machine::Cycle now, bool in_reset, MemoryPortPins& pins);
  void clock(const MemoryPortPins& pins);

  /// True when every request has its answer.
  bool idle() const { return monitor_.open() == 0; }
  /// Ends the cycles: a request without an answer is a failure now.
  void end() { monitor_.end(); }
  const std::optional<DeviceFailure>& failure() const { return monitor_.failure(); }

 private:
  struct Due {
    machine::Cycle at;
    memory::MemResp response;
  };

  Config config_;
  Handler handler_;
  machine::Channel<memory::MemReq>* requests_ = nullptr;
  machine::Channel<memory::MemResp>* responses_ = nullptr;
  std::mt19937_64 rng_;
  MemoryPortMonitor monitor_;
  machine::Cycle now_ = 0;
  bool in_reset_ = true;
  std::deque<Due> due_;  ///< in order of time
  std::optional<MemRespMessage> offered_;
};

}  // namespace cuvette::ip
