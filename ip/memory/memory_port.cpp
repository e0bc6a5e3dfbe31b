// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/memory/memory_port.h"

#include <algorithm>
#include <utility>

namespace cuvette::ip {
namespace {

using machine::Cycle;
using memory::MemReq;
using memory::MemResp;

/// One draw per question and cycle, so that the pattern does not depend on what the other side
/// does.
bool holds_back(std::mt19937_64& rng, unsigned of_256) {
  return (rng() & 0xff) < std::min(of_256, 255u);
}

}  // namespace

MemoryPortDriver::MemoryPortDriver(const Config& config)
    : config_(config), rng_(config.stalls.seed), monitor_(config.answer_within) {}

MemoryPortDriver::MemoryPortDriver(const Config& config, machine::Channel<MemReq>& requests,
                                   machine::Channel<MemResp>& responses)
    : MemoryPortDriver(config) {
  requests_ = &requests;
  responses_ = &responses;
}

std::optional<MemResp> MemoryPortDriver::pop() {
  if (answers_.empty()) return std::nullopt;
  const MemResp answer = answers_.front();
  answers_.pop_front();
  return answer;
}

bool MemoryPortDriver::idle() const {
  return queue_.empty() && !offered_ && monitor_.open() == 0 &&
         (requests_ == nullptr || requests_->empty());
}

void MemoryPortDriver::drive(Cycle now, bool in_reset, MemoryPortPins& pins) {
  now_ = now;
  in_reset_ = in_reset;
  const bool later = holds_back(rng_, config_.stalls.offer);
  const bool ready = !holds_back(rng_, config_.stalls.ready);
  if (!in_reset && !offered_ && !later) {
    if (!queue_.empty()) {
      offered_ = contract::pack(queue_.front());
      queue_.pop_front();
    } else if (requests_ != nullptr && requests_->front(now) != nullptr) {
      offered_ = contract::pack(requests_->pop(now));
    }
  }
  pins.request_valid = !in_reset && offered_.has_value();
  pins.request = offered_.value_or(MemReqMessage{});
  // A channel with a limit has to have room for what this cycle brings.
  pins.response_ready = !in_reset && ready && (responses_ == nullptr || responses_->can_push(now));
}

void MemoryPortDriver::clock(const MemoryPortPins& pins) {
  monitor_.cycle(now_, in_reset_, pins);
  if (monitor_.request() != nullptr) offered_.reset();
  if (monitor_.response() == nullptr) return;
  MemResp answer = *monitor_.response();
  answer.time = now_ + 1;
  if (responses_ != nullptr) {
    responses_->push(answer, answer.time);
  } else {
    answers_.push_back(answer);
  }
}

MemoryPortServer::MemoryPortServer(const Config& config, Handler handler)
    : config_(config),
      handler_(std::move(handler)),
      rng_(config.stalls.seed),
      monitor_(config.answer_within) {
  config_.latency_cycles = std::max<Cycle>(config_.latency_cycles, 1);
}

MemoryPortServer::MemoryPortServer(const Config& config, machine::Channel<MemReq>& requests,
                                   machine::Channel<MemResp>& responses)
    : MemoryPortServer(config, nullptr) {
  requests_ = &requests;
  responses_ = &responses;
}

void MemoryPortServer::drive(Cycle now, bool in_reset, MemoryPortPins& pins) {
  now_ = now;
  in_reset_ = in_reset;
  const bool later = holds_back(rng_, config_.stalls.offer);
  const bool ready = !holds_back(rng_, config_.stalls.ready);
  if (in_reset) {
    offered_.reset();
    due_.clear();
  } else if (!offered_ && !later) {
    if (!due_.empty() && due_.front().at <= now) {
      offered_ = contract::pack(due_.front().response);
      due_.pop_front();
    } else if (responses_ != nullptr && responses_->front(now) != nullptr) {
      offered_ = contract::pack(responses_->pop(now));
    }
  }
  pins.request_ready = !in_reset && ready && (requests_ == nullptr || requests_->can_push(now));
  pins.response_valid = offered_.has_value();
  pins.response = offered_.value_or(MemRespMessage{});
}

void MemoryPortServer::clock(const MemoryPortPins& pins) {
  monitor_.cycle(now_, in_reset_, pins);
  if (monitor_.response() != nullptr) offered_.reset();
  if (monitor_.request() == nullptr) return;
  MemReq request = *monitor_.request();
  request.time = now_ + 1;
  if (!monitor_.refused().empty()) {
    MemResp refusal;
    refusal.id = request.id;
    refusal.address = request.address;
    refusal.status = memory::MemStatus::Fault;
    due_.push_back({now_ + config_.latency_cycles, refusal});
  } else if (requests_ != nullptr) {
    requests_->push(request, request.time);
  } else {
    due_.push_back({now_ + config_.latency_cycles, handler_(request)});
  }
}

}  // namespace cuvette::ip
