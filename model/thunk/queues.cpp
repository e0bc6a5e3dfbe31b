// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/queues.h"

#include <algorithm>
#include <chrono>

#include "hsa/queue.h"

namespace cuvette::thunk {
namespace {

using Clock = std::chrono::steady_clock;

/// Longest time, by the host's clock, in which a queue that sleeps may complete the work under way,
/// and in which it may cancel it.
constexpr auto kPatience = std::chrono::milliseconds(200);
constexpr auto kCancelling = std::chrono::seconds(2);
constexpr machine::Cycle kLook = 1000;  // cycles between two looks

bool is_there(Engine& engine, uint32_t number) {
  const auto queues = engine.queues();
  return std::any_of(queues.begin(), queues.end(),
                     [number](const auto& q) { return q.queue == number; });
}

bool goes_within(Engine& engine, uint32_t number, Clock::duration time) {
  const auto end = Clock::now() + time;
  while (is_there(engine, number)) {
    if (engine.idle() || engine.broken_off() || Clock::now() > end) return false;
    engine.run(kLook);
  }
  return true;
}

}  // namespace

QueueTable::QueueTable(uint64_t* doorbells, uint64_t* pointers, Recorder& recorder)
    : doorbells_(doorbells), pointers_(pointers), recorder_(recorder) {
  std::fill_n(doorbells, spi::kDoorbells, kSilent);
}

std::optional<uint32_t> QueueTable::take_doorbell() {
  if (queues_.size() >= spi::kDoorbells - 1) return std::nullopt;
  do {
    last_ = last_ % (spi::kDoorbells - 1) + 1;  // 0 belongs to nobody
  } while (queues_.count(last_) != 0);
  __atomic_store_n(doorbells_ + last_, kSilent, __ATOMIC_RELAXED);
  return last_;
}

std::optional<uint32_t> QueueTable::create_sdma(Engine& engine, const SdmaRequest& request) {
  const auto index = take_doorbell();
  if (!index) return std::nullopt;
  __atomic_store_n(sdma_read_pointer(*index), 0, __ATOMIC_RELAXED);
  __atomic_store_n(sdma_write_pointer(*index), 0, __ATOMIC_RELAXED);
  sdma::Ring ring;
  ring.base = request.ring;
  ring.bytes = request.bytes;
  ring.read_report = reinterpret_cast<uint64_t>(sdma_read_pointer(*index));
  const auto number = engine.sdma().bind(ring, request.kind);
  if (!number) return std::nullopt;
  Entry& entry = queues_[*index];
  entry.sdma = request;
  entry.number = *number;
  entry.bound = true;
  return index;
}

bool QueueTable::is_sdma(uint64_t id) const {
  const auto found = queues_.find(id);
  return found != queues_.end() && found->second.sdma.has_value();
}

bool QueueTable::update_sdma(Engine& engine, uint64_t id, uint64_t ring, uint64_t bytes) {
  Entry& entry = queues_[id];
  sdma::Engines& engines = engine.sdma();
  engines.sleep(entry.number, true);
  if (ring == 0) return true;
  if (ring != entry.sdma->ring || bytes != entry.sdma->bytes) {
    if (!engines.move(entry.number, ring, bytes)) return false;
    entry.sdma->ring = ring;
    entry.sdma->bytes = bytes;
  }
  engines.sleep(entry.number, false);
  return true;
}

std::optional<uint32_t> QueueTable::create(Engine& engine, const Request& request) {
  if (!take_doorbell()) return std::nullopt;
  Entry& entry = queues_[last_];
  entry.binding.queue_address = request.queue_address;
  entry.binding.doorbell = last_;
  entry.binding.priority = request.priority;
  entry.binding.ring_address = request.ring;
  entry.binding.ring_packets = request.packets;
  entry.binding.trap_handler = request.trap_handler;
  entry.binding.trap_memory = request.trap_memory;
  bind(engine, entry);
  return last_;
}

void QueueTable::bind(Engine& engine, Entry& entry) {
  entry.number = engine.bind(entry.binding);
  entry.bound = true;
  entry.heard = kSilent;
  recorder_.add_queue(entry.number, entry.binding.ring_address, entry.binding.ring_packets);
}

void QueueTable::unbind(Engine& engine, Entry& entry, bool drain) {
  if (!entry.bound) return;
  entry.bound = false;
  if (entry.sdma) {
    engine.sdma().unbind(entry.number);
    return;
  }
  if (drain) engine.unbind(entry.number, false);
  if (!drain || !goes_within(engine, entry.number, kPatience)) {
    engine.unbind(entry.number, true);
    goes_within(engine, entry.number, kCancelling);
  }
  recorder_.remove_queue(entry.number);
}

void QueueTable::destroy(Engine& engine, uint64_t id) {
  unbind(engine, queues_[id], false);
  queues_.erase(id);
  if (gws_owner_ == id) gws_owner_ = 0;
}

bool QueueTable::assign_gws(uint64_t id, bool assign) {
  if (gws_owner_ != (assign ? 0 : id)) return false;
  gws_owner_ = assign ? id : 0;
  return true;
}

void QueueTable::update(Engine& engine, uint64_t id, uint64_t ring, uint32_t packets,
                        uint8_t priority) {
  Entry& entry = queues_[id];
  unbind(engine, entry, true);
  entry.binding.ring_address = ring;
  entry.binding.ring_packets = packets;
  entry.binding.priority = priority;
  if (ring != 0) bind(engine, entry);
}

void QueueTable::set_mask(Engine& engine, uint64_t id, const spi::CuMask& mask) {
  Entry& entry = queues_[id];
  unbind(engine, entry, true);
  entry.binding.cu_mask = mask;
  if (entry.binding.ring_address != 0) bind(engine, entry);
}

bool QueueTable::poll(Engine& engine) {
  bool rang = false;
  for (auto& [id, entry] : queues_) {
    if (!entry.bound) continue;
    const uint64_t value = __atomic_load_n(doorbells_ + id, __ATOMIC_ACQUIRE);
    if (value == entry.heard) continue;
    entry.heard = value;
    if (value == kSilent) continue;
    rang = true;
    if (entry.sdma) {
      engine.sdma().ring(entry.number, value);
      continue;
    }
    (void)engine.ring(entry.binding.doorbell, value);
  }
  return rang;
}

uint64_t QueueTable::queue_address(uint32_t number) const {
  for (const auto& [id, entry] : queues_) {
    if (entry.bound && !entry.sdma && entry.number == number) return entry.binding.queue_address;
  }
  return 0;
}

}  // namespace cuvette::thunk
