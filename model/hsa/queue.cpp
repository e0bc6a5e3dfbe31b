// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/queue.h"

#include <vector>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

constexpr uint32_t kMaxPackets = 1 << 20;
constexpr uint64_t kQueueAlignment = 64;
constexpr uint64_t kWriteIndex = offsetof(AmdQueue, write_dispatch_id);
constexpr uint64_t kReadIndex = offsetof(AmdQueue, read_dispatch_id);

base::Error at(const char* action, uint64_t queue, const AccessResult& result) {
  return base::Error(fmt::format("{} of queue {:#x}: {}", action, queue, result.str()));
}

bool good_size(uint32_t packets) {
  return base::is_power_of_two(packets) && packets <= kMaxPackets;
}

}  // namespace

base::Result<Queue> Queue::create(DeviceMemory& memory, const Config& config) {
  if (!good_size(config.size)) {
    return base::Error(
        fmt::format("queue of {} packets, expected a power of two up to 2^20", config.size));
  }
  DeviceMemory::Options options;
  options.type = page_type(Grain::Fine);
  options.name = "a queue's ring";
  auto ring = memory.allocate(uint64_t{config.size} * kPacketBytes, options);
  if (!ring) return ring.error();
  options.name = "a queue";
  options.alignment = kQueueAlignment;
  options.place = Place::Within4Gib;
  auto address = memory.allocate(sizeof(AmdQueue), options);
  if (!address) return address.error();

  const std::vector<KernelDispatchPacket> empty(config.size);
  if (auto r = memory.write(*ring, empty.data(), empty.size() * kPacketBytes); !r) {
    return at("packet ring", *address, r);
  }
  AmdQueue contents;
  contents.hsa_queue.type = static_cast<uint32_t>(config.type);
  contents.hsa_queue.features = kQueueFeatureKernelDispatch;
  contents.hsa_queue.base_address = *ring;
  contents.hsa_queue.doorbell_signal = config.doorbell_signal;
  contents.hsa_queue.size = config.size;
  contents.hsa_queue.id = config.id;
  contents.group_segment_aperture_base_hi = config.group_segment_aperture_base_hi;
  contents.private_segment_aperture_base_hi = config.private_segment_aperture_base_hi;
  contents.max_cu_id = config.max_cu_id;
  contents.max_wave_id = config.max_wave_id;
  contents.queue_properties = kQueueIsPtr64;
  if (auto r = memory.write_value(*address, contents); !r) return at("amd_queue_t", *address, r);
  return open(memory, *address);
}

base::Result<Queue> Queue::open(DeviceMemory& memory, uint64_t address) {
  Queue queue(memory, address);
  if (address % kQueueAlignment != 0) {
    return base::Error(fmt::format("queue at {:#x}, expected 64-byte alignment", address));
  }
  HsaQueue hsa;
  if (auto r = memory.read_value(address, &hsa); !r) return at("contents", address, r);
  if (!good_size(hsa.size)) {
    return base::Error(fmt::format("queue {:#x} of {} packets, expected a power of two up to 2^20",
                                   address, hsa.size));
  }
  if (hsa.base_address % kPacketBytes != 0) {
    return base::Error(fmt::format("packet ring {:#x} of queue {:#x}, expected 64-byte alignment",
                                   hsa.base_address, address));
  }
  uint8_t probe = 0;
  for (uint64_t end : {hsa.base_address, hsa.base_address + hsa.size * kPacketBytes - 1}) {
    if (auto r = memory.read_value(end, &probe); !r) return at("packet ring", address, r);
  }
  queue.ring_ = hsa.base_address;
  queue.size_ = hsa.size;
  queue.doorbell_signal_ = hsa.doorbell_signal;
  return queue;
}

base::Result<AmdQueue> Queue::contents() const {
  AmdQueue out;
  if (auto r = memory_->read_value(address_, &out); !r) return at("contents", address_, r);
  return out;
}

base::Result<uint64_t> Queue::load_write_index() const {
  uint64_t index = 0;
  if (auto r = memory_->load_acquire(address_ + kWriteIndex, 8, &index); !r) {
    return at("write index", address_, r);
  }
  return index;
}

base::Status Queue::store_write_index(uint64_t index) {
  if (auto r = memory_->store_release(address_ + kWriteIndex, 8, index); !r) {
    return at("write index", address_, r);
  }
  return {};
}

base::Result<uint64_t> Queue::add_write_index(uint64_t count) {
  uint64_t old = 0;
  if (auto r = memory_->atomic(address_ + kWriteIndex, 8, AtomicOp::Add, count, 0, &old); !r) {
    return at("write index", address_, r);
  }
  return old;
}

base::Result<uint64_t> Queue::cas_write_index(uint64_t expected, uint64_t desired) {
  uint64_t old = 0;
  if (auto r =
          memory_->atomic(address_ + kWriteIndex, 8, AtomicOp::CmpSwap, desired, expected, &old);
      !r) {
    return at("write index", address_, r);
  }
  return old;
}

base::Result<uint64_t> Queue::load_read_index() const {
  uint64_t index = 0;
  if (auto r = memory_->load_acquire(address_ + kReadIndex, 8, &index); !r) {
    return at("read index", address_, r);
  }
  return index;
}

base::Status Queue::store_read_index(uint64_t index) {
  if (auto r = memory_->store_release(address_ + kReadIndex, 8, index); !r) {
    return at("read index", address_, r);
  }
  return {};
}

base::Status Queue::publish(uint64_t index, const void* packet) {
  auto now = header(index);
  if (!now) return now.error();
  if (now->type != PacketType::Invalid) {
    return base::Error(fmt::format("slot of packet {} of queue {:#x} is in use, expected INVALID",
                                   index, address_));
  }
  const uint64_t slot = packet_address(index);
  const auto* bytes = static_cast<const uint8_t*>(packet);
  if (auto r = memory_->write(slot + 4, bytes + 4, kPacketBytes - 4); !r) {
    return at("packet", address_, r);
  }
  uint32_t first = 0;
  for (unsigned i = 0; i < 4; ++i) first |= uint32_t{bytes[i]} << (8 * i);
  if (auto r = memory_->store_release(slot, 4, first); !r) return at("packet", address_, r);
  return {};
}

base::Result<uint64_t> Queue::submit(const void* packet) {
  auto write = load_write_index();
  if (!write) return write;
  for (;;) {
    auto read = load_read_index();
    if (!read) return read;
    if (*write - *read >= size_) {
      return base::Error(fmt::format("queue {:#x} of {} packets is full", address_, size_));
    }
    auto seen = cas_write_index(*write, *write + 1);
    if (!seen) return seen;
    if (*seen == *write) break;
    write = seen;
  }
  if (auto status = publish(*write, packet); !status) return status.error();
  return write;
}

base::Result<PacketHeader> Queue::header(uint64_t index) const {
  uint64_t word = 0;
  if (auto r = memory_->load_acquire(packet_address(index), 4, &word); !r) {
    return at("packet", address_, r);
  }
  return decode_header(static_cast<uint16_t>(word));
}

base::Status Queue::read_packet(uint64_t index, void* packet) const {
  if (auto r = memory_->read(packet_address(index), packet, kPacketBytes); !r) {
    return at("packet", address_, r);
  }
  return {};
}

base::Status Queue::retire(uint64_t index) {
  if (auto r = memory_->store_release(packet_address(index), 4, kInvalidHeader); !r) {
    return at("packet", address_, r);
  }
  return {};
}

}  // namespace cuvette::hsa
