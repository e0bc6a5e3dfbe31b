// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ip/traffic/requester.h"
#include "memory/memory_messages.h"

namespace cuvette::ip::traffic {

/// Coverage of memory requests: operations, atomics by width, scopes, memory types, byte masks, and
/// how they were answered.
class MemoryCoverage {
 public:
  /// All points that requests may reach; `stores`: others than reads, too.
  explicit MemoryCoverage(bool stores);

  void asked(const memory::MemReq& request);
  void answered(const memory::MemResp& response);
  const Coverage& points() const { return points_; }

 private:
  Coverage points_;
};

/// Name of an atomic operation: "fadd".
std::string text_of(base::AtomicOp op);

}  // namespace cuvette::ip::traffic
