// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tlm>
#include <utility>
#include <vector>

namespace cuvette::gpu {

/// A payload for one transaction, used again and again: making one allocates. Targets may wait, so
/// that several are in use at a time. Command, address, data, streaming width and byte enables are
/// those of the last user; the response status is TLM_INCOMPLETE_RESPONSE.
class Payload {
 public:
  Payload() {
    auto& free = pool();
    if (free.empty()) free.push_back(std::make_unique<tlm::tlm_generic_payload>());
    payload_ = std::move(free.back());
    free.pop_back();
    payload_->set_dmi_allowed(false);
    payload_->set_byte_enable_length(0);
    payload_->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  ~Payload() { pool().push_back(std::move(payload_)); }
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  tlm::tlm_generic_payload& operator*() { return *payload_; }

 private:
  static std::vector<std::unique_ptr<tlm::tlm_generic_payload>>& pool() {
    thread_local std::vector<std::unique_ptr<tlm::tlm_generic_payload>> free;
    return free;
  }
  std::unique_ptr<tlm::tlm_generic_payload> payload_;
};

}  // namespace cuvette::gpu
