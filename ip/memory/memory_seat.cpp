// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/memory/memory_seat.h"

#include <algorithm>
#include <utility>

#include "memory/memory_model.h"
#include "memory/serve.h"

namespace cuvette::ip {

using machine::Cycle;
using memory::kBlockBytes;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;

namespace {

/// In the id of a write that loads a block.
constexpr uint64_t kLoad = uint64_t{1} << 63;

uint64_t block_address(uint64_t address) {
  return address & ~uint64_t{kBlockBytes - 1};
}
bool has_address(MemOp op) {
  return op != MemOp::Invalidate && op != MemOp::Writeback;
}

}  // namespace

MemorySeat::Inner::Inner(unsigned ports) {
  for (unsigned i = 0; i < ports; ++i) ports_.push_back(std::make_unique<Port>());
}

MemorySeat::MemorySeat(std::unique_ptr<PinDevice> device, const memory::Config& config,
                       const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : config_(config),
      inner_(config.ports),
      kit_(memory::kChannels, inner_, std::make_unique<memory::MemoryModel>(config),
           std::move(device), pin_channels(memory::kChannels, config.ports),
           {"memory", 0, 0, "memory"}, options, std::move(on_mismatch)),
      asked_(config.ports),
      own_(config.ports) {
  for (unsigned i = 0; i < config.ports; ++i) ports_.push_back(std::make_unique<Port>());
}

void MemorySeat::tick(Cycle now) {
  now_ = now;
  for (unsigned i = 0; i < ports_.size(); ++i) pass_requests(i, now);
  kit_.tick(now);
  for (unsigned i = 0; i < ports_.size(); ++i) pass_answers(i, now);
}

Cycle MemorySeat::next_event() const {
  Cycle next = kit_.next_event();
  for (const auto& port : ports_) next = std::min(next, port->request.next_event());
  for (const auto& own : own_) {
    if (!own.empty()) next = std::min(next, own.front().second - 1);
  }
  return std::max(next, now_ + 1);
}

bool MemorySeat::exists(uint64_t address, uint64_t mask) const {
  uint8_t byte = 0;
  std::array<uint8_t, kBlockBytes> whole;
  if (config_.backing->read(address, whole.data(), kBlockBytes)) return true;
  for (unsigned at = 0; at < kBlockBytes; ++at) {
    if ((mask >> at & 1) != 0 && !config_.backing->read(address + at, &byte, 1)) return false;
  }
  return true;
}

void MemorySeat::pass_requests(unsigned index, Cycle now) {
  machine::Channel<MemReq>& from = ports_[index]->request;
  machine::Channel<MemReq>& to = inner_.port(index).request;
  while (const MemReq* front = from.front(now)) {
    const MemReq request = *front;
    if (has_address(request.op)) {
      const uint64_t address = block_address(request.address);
      Block& block = blocks_[address];
      if (!exists(address, request.byte_mask)) {
        if (block.under_way != 0) return;  // behind older ones of its block
        MemResp answer = memory::serve(*config_.backing, request);
        answer.time = now + config_.latency_cycles;
        own_[index].emplace_back(answer, answer.time);
        traffic_.add(request);
        block.known = 0;
        from.drop(now);
        continue;
      }
      if (block.under_way == 0) load(block, address, index, now);
      ++block.under_way;
      if (request.op == MemOp::Write) {
        for (unsigned at = 0; at < kBlockBytes; ++at) {
          if ((request.byte_mask >> at & 1) != 0) block.data[at] = request.data[at];
        }
        block.known |= request.byte_mask;
      } else if (request.op != MemOp::Read) {
        block.known = 0;  // loaded again before it is asked for next
      }
    }
    traffic_.add(request);
    asked_[index][request.id] = request;
    to.push(request, now);
    from.drop(now);
  }
}

/// Bytes that host or loader have written since.
void MemorySeat::load(Block& block, uint64_t address, unsigned index, Cycle now) {
  MemReq write;
  std::array<uint8_t, kBlockBytes> bytes{};
  uint64_t there = 0;
  if (config_.backing->read(address, bytes.data(), kBlockBytes)) there = ~uint64_t{0};
  for (unsigned at = 0; there != ~uint64_t{0} && at < kBlockBytes; ++at) {
    if (config_.backing->read(address + at, &bytes[at], 1)) there |= uint64_t{1} << at;
  }
  for (unsigned at = 0; at < kBlockBytes; ++at) {
    const uint64_t bit = uint64_t{1} << at;
    if ((there & bit) == 0) continue;
    if ((block.known & bit) == 0 || block.data[at] != bytes[at]) write.byte_mask |= bit;
  }
  block.known = there;
  block.data = bytes;
  if (write.byte_mask == 0) return;
  write.id = kLoad | loads_++;
  write.op = MemOp::Write;
  write.time = now;
  write.address = address;
  write.data = bytes;
  inner_.port(index).request.push(write, now);
}

void MemorySeat::pass_answers(unsigned index, Cycle now) {
  machine::Channel<MemResp>& from = inner_.port(index).response;
  machine::Channel<MemResp>& to = ports_[index]->response;
  Cycle last = now + 1;
  while (!from.empty()) {
    const Cycle at = from.next_event();
    MemResp answer = from.pop(at);
    last = std::max(last, at);
    if ((answer.id & kLoad) != 0) continue;
    const auto found = asked_[index].find(answer.id);
    const MemReq request = found->second;
    asked_[index].erase(found);
    if (has_address(request.op)) {
      Block& block = blocks_[block_address(request.address)];
      --block.under_way;
      const bool stores = memory::is_store(request.op);
      if (stores ? answer.serial <= block.serial : answer.serial != 0) {
        kit_.fail("serial",
                  "response: serial " + std::to_string(answer.serial) + ", expected " +
                      (stores ? "more than " + std::to_string(block.serial) : std::string("0")));
      }
      if (stores) block.serial = answer.serial;
    }
    answer.time = last;
    to.push(answer, last);
  }
  for (auto& own = own_[index]; !own.empty() && own.front().second <= now + 1;) {
    to.push(own.front().first, std::max(last, own.front().second));
    own.pop_front();
  }
}

}  // namespace cuvette::ip
