// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/memory/memory_port_monitor.h"

#include <algorithm>
#include <cstdio>

#include "base/atomic_op.h"
#include "memory/serve.h"

namespace cuvette::ip {
namespace {

using memory::kBlockBytes;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

constexpr size_t kRemembered = 1024;  // answered ids

std::string hex(uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Invalidate and Writeback are about no block.
bool has_block(MemOp op) {
  return op <= MemOp::AtomicReturn;
}

std::string atomic_error(const MemReq& r) {
  if (r.atomic > base::AtomicOp::CondXchg32) {
    return "atomic " + std::to_string(static_cast<unsigned>(r.atomic)) + " does not exist";
  }
  const unsigned bytes = r.atomic_bytes;
  if (bytes != 4 && bytes != 8) {
    return "atomic_bytes is " + std::to_string(bytes) + ", expected 4 or 8";
  }
  const auto first = static_cast<unsigned>(r.address % kBlockBytes);
  if (first + bytes > kBlockBytes) {
    return "the operand at " + hex(r.address) + " has bytes beyond its 64-byte block";
  }
  if (r.address % bytes != 0) {
    return "the operand at " + hex(r.address) + " is not aligned to " + std::to_string(bytes) +
           " bytes";
  }
  const uint64_t mask = ((uint64_t{1} << bytes) - 1) << first;
  if (r.byte_mask != mask) {
    return "byte_mask is " + hex(r.byte_mask) + ", the operand's is " + hex(mask);
  }
  return {};
}

}  // namespace

std::string request_error(const MemReq& r) {
  if (r.op > MemOp::Writeback) {
    return "op " + std::to_string(static_cast<unsigned>(r.op)) + " does not exist";
  }
  if (is_atomic(r.op)) return atomic_error(r);
  const auto first = static_cast<unsigned>(r.address % kBlockBytes);
  if (!has_block(r.op) || first == 0) return {};
  // Byte i of the message would be byte first + i of the block.
  if (r.byte_mask >> (kBlockBytes - first) != 0) {
    return "byte_mask " + hex(r.byte_mask) + " at " + hex(r.address) +
           " has bytes beyond its 64-byte block";
  }
  return "address " + hex(r.address) + " is not aligned to 64 bytes";
}

void MemoryPortMonitor::violate(const std::string& what) {
  if (failure_) return;
  failure_ = DeviceFailure{"protocol", "cycle " + std::to_string(now_) + ": " + what};
}

void MemoryPortMonitor::take(const MemReq& r) {
  refused_ = request_error(r);
  const bool again =
      std::any_of(open_.begin(), open_.end(), [&](const Open& o) { return o.id == r.id; });
  if (refused_.empty() && again) refused_ = "the id is under way already";
  if (!refused_.empty()) violate("request " + hex(r.id) + ": " + refused_);
  open_.push_back({r.id, r.address, r.op, counted_});
}

void MemoryPortMonitor::check(const MemResp& r) {
  const std::string who = "response " + hex(r.id) + ": ";
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.id == r.id; });
  if (found == open_.end()) {
    const bool before = std::find(answered_.begin(), answered_.end(), r.id) != answered_.end();
    violate(who + (before ? "the request has had its answer" : "no request has this id"));
    return;
  }
  const Open open = *found;
  if (has_block(open.op)) {
    const auto older = std::find_if(open_.begin(), found, [&](const Open& o) {
      return has_block(o.op) && o.address / kBlockBytes == open.address / kBlockBytes;
    });
    if (older != found) {
      violate(who + "before that of request " + hex(older->id) +
              ", which is older and of the same block " + hex(memory::block_address(open.address)));
    }
  }
  // A Writeback that failed names the block that could not be written.
  const bool fault = r.status == MemStatus::Fault;
  if (r.address != open.address && !(fault && open.op == MemOp::Writeback)) {
    violate(who + "address is " + hex(r.address) + ", the request's is " + hex(open.address));
  }
  if (is_store(open.op) && !fault && r.serial == 0) violate(who + "a store without a serial");
  if (!is_store(open.op) && r.serial != 0) {
    violate(who + "serial is " + std::to_string(r.serial) + ", the request is no store");
  }
  open_.erase(found);
  answered_.push_back(r.id);
  if (answered_.size() > kRemembered) answered_.pop_front();
}

void MemoryPortMonitor::cycle(machine::Cycle now, bool in_reset, const MemoryPortPins& pins) {
  now_ = now;
  request_channel_.cycle(in_reset, pins.request_valid, pins.request_ready, pins.request);
  response_channel_.cycle(in_reset, pins.response_valid, pins.response_ready, pins.response);
  for (const HandshakeMonitor* channel : {&request_channel_, &response_channel_}) {
    if (!channel->violation().empty()) violate(channel->violation());
  }
  request_moved_ = request_channel_.moved();
  response_moved_ = response_channel_.moved();
  if (in_reset) {
    open_.clear();
    answered_.clear();
    return;
  }
  if (pins.response_ready) ++counted_;
  // Answers first: one that moves at the edge that takes its request has been given too early.
  if (response_moved_) {
    response_ = contract::unpacked<memory::MemResp>(pins.response);
    check(response_);
  }
  if (request_moved_) {
    request_ = contract::unpacked<memory::MemReq>(pins.request);
    take(request_);
  }
  if (answer_within_ != 0 && !open_.empty() && counted_ - open_.front().taken_at > answer_within_) {
    violate("request " + hex(open_.front().id) + ": no answer within " +
            std::to_string(answer_within_) + " cycles");
  }
}

void MemoryPortMonitor::end() {
  if (open_.empty()) return;
  violate("request " + hex(open_.front().id) + ": no answer by the end, " +
          std::to_string(open_.size()) + " under way");
}

}  // namespace cuvette::ip
