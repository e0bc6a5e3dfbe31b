// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "ip/common/device_failure.h"
#include "ip/common/handshake_monitor.h"
#include "machine/core.h"
#include "memory/memory_messages.h"

namespace cuvette::ip {

using MemReqMessage = contract::Pins<memory::MemReq>;
using MemRespMessage = contract::Pins<memory::MemResp>;

/// The pins of one memory port in one clock cycle: channels `request` and `response` of
/// docs/reference/memory.md. A message means something while its valid is high only.
struct MemoryPortPins {
  bool request_valid = false, request_ready = false;
  bool response_valid = false, response_ready = false;
  MemReqMessage request{};
  MemRespMessage response{};
};

/// Rule of docs/reference/memory.md that a request breaks; empty: none.
std::string request_error(const memory::MemReq& request);

/// Monitor of one memory port, whatever its two sides are, without knowledge of data: the rules of
/// valid and ready on both channels; requests that request_error() takes and whose id is unique
/// among those under way; for every request one answer with its id and address, in order of arrival
/// among those to one 64-byte block; a serial where there has to be one. The first violation stays.
class MemoryPortMonitor {
 public:
  /// An answer later than `answer_within` cycles after its request counts as lost; cycles in which
  /// the requester does not take answers do not count. 0: only end() looks.
  explicit MemoryPortMonitor(machine::Cycle answer_within = 0) : answer_within_(answer_within) {}

  /// One clock cycle, just before the rising edge that ends cycle `now`. A reset forgets the
  /// requests under way.
  void cycle(machine::Cycle now, bool in_reset, const MemoryPortPins& pins);
  /// Ends the cycles: every request has to have its answer.
  void end();

  /// Request that moved at the edge that ends the last cycle, or null.
  const memory::MemReq* request() const { return request_moved_ ? &request_ : nullptr; }
  const memory::MemResp* response() const { return response_moved_ ? &response_ : nullptr; }
  /// Reason why the last request may not be answered from memory; empty: it may.
  const std::string& refused() const { return refused_; }

  /// Requests without an answer.
  size_t open() const { return open_.size(); }
  /// Text "cycle <n>: ..." under field "protocol".
  const std::optional<DeviceFailure>& failure() const { return failure_; }

 private:
  struct Open {
    uint64_t id, address;
    memory::MemOp op;
    uint64_t taken_at;  ///< in cycles that count
  };

  void violate(const std::string& what);
  void take(const memory::MemReq& request);
  void check(const memory::MemResp& response);

  machine::Cycle answer_within_;
  machine::Cycle now_ = 0;
  uint64_t counted_ = 0;  ///< cycles in which an answer could move
  HandshakeMonitor request_channel_{"request"}, response_channel_{"response"};
  bool request_moved_ = false, response_moved_ = false;
  memory::MemReq request_;
  memory::MemResp response_;
  std::string refused_;
  std::deque<Open> open_;          ///< in order of arrival
  std::deque<uint64_t> answered_;  ///< the last ids, to tell a second answer from a wrong id
  std::optional<DeviceFailure> failure_;
};

}  // namespace cuvette::ip
