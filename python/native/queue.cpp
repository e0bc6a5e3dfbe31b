// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <cuvette_registers.h>

namespace py = pybind11;

namespace cuvette::python {
namespace {

// HSA and Compute ABI: where things lie in packets, queues and signals.
constexpr unsigned kPacketBytes = 64, kQueueBytes = 256, kSignalBytes = 64;
constexpr uint32_t kInvalid = 1, kDispatch = 2;
constexpr uint32_t kBarrierBit = 1u << 8, kSystemFences = 2u << 9 | 2u << 11;
constexpr unsigned kQueueRing = 8, kQueueSize = 24, kQueueWriteIndex = 56, kQueueApertures = 64,
                   kQueueReadIndex = 128, kQueueBaseOffset = 136, kQueueScratch = 140,
                   kQueueProperties = 180, kQueueInactive = 192;
constexpr uint32_t kPointers64 = 2, kProfiling = 8;
constexpr unsigned kSignalValue = 8, kSignalMailbox = 16, kSignalEvent = 24, kSignalStart = 32,
                   kSignalEnd = 40;
constexpr unsigned kInactive = Queue::kPackets;  // number of the inactive signal
constexpr uint32_t kDoorbell = 10;
constexpr uint32_t kSharedAperture = 1u << 16, kPrivateAperture = 2u << 16;  // bits 63:32
constexpr uint64_t kPatience = 1'000'000'000'000;                            // cycles

template <class T>
void put(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class T>
T get(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Makes stores visible to the machine's thread before it goes on.
void publish() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

Queue::Queue(std::shared_ptr<Handle> handle) : handle_(std::move(handle)) {
  const uint32_t fine = CUVETTE_MEMORY_FINE_GRAINED;
  ring_ = handle_->attach(uint64_t{kPackets} * kPacketBytes, 0, fine);
  queue_ = handle_->attach(kQueueBytes, 0, fine | CUVETTE_MEMORY_WITHIN_4GIB);
  signals_ = handle_->attach((kPackets + 1) * uint64_t{kSignalBytes}, 0, fine);
  mailboxes_ = handle_->attach((kPackets + 1) * uint64_t{8}, 0, fine);
  activate();
}

void Queue::write_register(uint32_t offset, uint32_t value) {
  py::gil_scoped_release released;
  check(cuvette_register_write(handle_->get(), offset, value));
}

void Queue::activate() {
  for (unsigned i = 0; i < kPackets; ++i) put(ring_.memory->data() + i * kPacketBytes, kInvalid);
  for (unsigned i = 0; i <= kPackets; ++i) {
    uint8_t* const s = signal(i);
    put(s, uint64_t{1});  // a user signal
    put(s + kSignalValue, uint64_t{0});
    put(s + kSignalMailbox, mailboxes_.address + 8 * uint64_t{i});
    put(s + kSignalEvent, i + 1);
  }
  uint8_t* const q = queue_.memory->data();
  std::memset(q, 0, kQueueBytes);
  put(q + 4, uint32_t{1});  // takes kernel dispatches
  put(q + kQueueRing, ring_.address);
  put(q + kQueueSize, uint32_t{kPackets});
  put(q + kQueueApertures, kSharedAperture);
  put(q + kQueueApertures + 4, kPrivateAperture);
  put(q + kQueueBaseOffset, uint32_t{kQueueReadIndex});
  put(q + kQueueProperties, kPointers64 | kProfiling);
  put(q + kQueueInactive, signals_.address + kSignalBytes * uint64_t{kInactive});
  scratch_item_bytes_ = 0;
  first_ = next_;  // the ring begins again
  publish();

  write_register(CUVETTE_REG_CP_MEC_CNTL, 0);
  write_register(CUVETTE_REG_CP_PQ_STATUS, CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK);
  write_register(CUVETTE_REG_GRBM_GFX_CNTL, 1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_PQ_BASE, static_cast<uint32_t>(ring_.address >> 8));
  write_register(CUVETTE_REG_CP_HQD_PQ_BASE_HI, static_cast<uint32_t>(ring_.address >> 40));
  const uint64_t report = queue_.address + kQueueReadIndex;
  write_register(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, static_cast<uint32_t>(report));
  write_register(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, static_cast<uint32_t>(report >> 32));
  constexpr uint32_t kLog2Dwords = 10;  // 64 packets of 16 dwords
  write_register(CUVETTE_REG_CP_HQD_PQ_CONTROL,
                 (kLog2Dwords - 1) << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_AQL_CONTROL,
                 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
                 kDoorbell * 2 << CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET__SHIFT |
                     CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK);
  write_register(CUVETTE_REG_CP_HQD_ACTIVE, 1);
}

/// Fields of amd_queue_t from compute_tmpring_size on. Places for as many waves as fit into 64 MiB,
/// at least those of one work-group; they share them in turn.
void Queue::provide_scratch(uint32_t item_bytes) {
  constexpr uint32_t kFewestWaves = 16, kMostWaves = 512;
  const uint32_t wave_kib = (item_bytes * 64 + 1023) / 1024;
  const uint32_t waves = std::clamp((64u << 10) / wave_kib, kFewestWaves, kMostWaves);
  const uint64_t bytes = uint64_t{wave_kib} * 1024 * waves;
  const Block block = handle_->attach(bytes, 0, 0);
  uint8_t* const at = queue_.memory->data() + kQueueScratch;
  put(at, waves | wave_kib << 12);
  // The buffer descriptor: swizzled, dword by dword, 64 lanes.
  put(at + 4, static_cast<uint32_t>(block.address));
  put(at + 8, static_cast<uint32_t>(block.address >> 32 & 0xffff) | 1u << 31);
  put(at + 12, 0xffffffffu);
  put(at + 16, 0x00e80000u);
  put(at + 20, block.address);
  put(at + 28, bytes);
  put(at + 36, item_bytes);
  scratch_item_bytes_ = item_bytes;
}

uint64_t Queue::submit(const cuvette_kernel& kernel, const LaunchShape& shape,
                       const std::vector<std::string>& arguments) {
  if (error() != 0) throw CallFailed(CUVETTE_ERROR_CALL, "the queue has stopped");
  cuvette_launch launch{};
  launch.size = sizeof launch;
  launch.dimensions = shape.dimensions;
  std::copy(shape.grid.begin(), shape.grid.end(), launch.grid);
  std::copy(shape.workgroup.begin(), shape.workgroup.end(), launch.workgroup);
  std::copy(shape.offset.begin(), shape.offset.end(), launch.global_offset);
  launch.dynamic_group_bytes = shape.group_bytes;
  launch.queue = queue_.address;
  std::vector<cuvette_argument> given;
  given.reserve(arguments.size());
  for (const std::string& a : arguments) given.push_back({a.data(), a.size()});
  std::string segment(kernel.kernarg_bytes + size_t{1}, '\0');
  check(cuvette_kernarg(&kernel, &launch, given.data(), given.size(), segment.data(),
                        kernel.kernarg_bytes));

  const unsigned place = next_ % kPackets;
  Slot& slot = slots_[place];
  if (slot.packet != ~uint64_t{0}) wait(slot.packet, kPatience);
  if (error() != 0) throw CallFailed(CUVETTE_ERROR_CALL, "the queue has stopped");
  if (slot.kernarg_bytes < kernel.kernarg_bytes) {
    // Below 4 GiB: code of HSAIL's small machine model has short pointers.
    if (slot.kernarg_bytes != 0) handle_->detach(slot.kernarg.address);
    slot.kernarg = handle_->attach(std::max(kernel.kernarg_bytes, 256u), 0,
                                   CUVETTE_MEMORY_FINE_GRAINED | CUVETTE_MEMORY_BELOW_4GIB);
    slot.kernarg_bytes = static_cast<uint32_t>(slot.kernarg.bytes);
  }
  const uint32_t private_bytes =
      kernel.private_bytes + (kernel.dynamic_stack != 0 ? shape.stack_bytes : 0);
  if (private_bytes > scratch_item_bytes_) provide_scratch(private_bytes);

  if (kernel.kernarg_bytes != 0) {
    std::memcpy(slot.kernarg.memory->data(), segment.data(), kernel.kernarg_bytes);
  }
  slot.packet = next_;
  put(signal(place) + kSignalValue, uint64_t{1});
  put(signal(place) + kSignalStart, uint64_t{0});
  put(signal(place) + kSignalEnd, uint64_t{0});
  uint8_t* const packet = ring_.memory->data() + (next_ - first_) % kPackets * kPacketBytes;
  for (unsigned d = 0; d < 3; ++d) {
    put(packet + 4 + 2 * d, static_cast<uint16_t>(shape.workgroup[d]));
    put(packet + 12 + 4 * d, shape.grid[d]);
  }
  put(packet + 10, uint16_t{0});
  put(packet + 24, private_bytes);
  put(packet + 28, kernel.group_bytes + shape.group_bytes);
  put(packet + 32, kernel.kernel_object);
  put(packet + 40, slot.kernarg.address);
  put(packet + 48, uint64_t{0});
  put(packet + 56, signals_.address + kSignalBytes * uint64_t{place});
  const uint64_t index = next_ - first_;
  put(queue_.memory->data() + kQueueWriteIndex, index + 1);
  put(packet, kDispatch | kBarrierBit | kSystemFences | shape.dimensions << 16);  // valid now
  publish();
  {
    py::gil_scoped_release released;
    check(cuvette_doorbell(handle_->get(), kDoorbell, index));
  }
  return next_++;
}

Queue::State Queue::state(uint64_t packet) const {
  if (lost_.count(packet) != 0) return State::Lost;
  const unsigned place = packet % kPackets;
  if (slots_[place].packet != packet) return State::Done;  // its place has been given again
  publish();
  if (is_done(place)) return State::Done;
  if (error() == 0) return State::Running;
  return failed() == packet ? State::Failed : State::Lost;
}

bool Queue::is_done(unsigned place) const {
  return get<uint64_t>(signals_.memory->data() + place * kSignalBytes + kSignalValue) == 0;
}

/// Packets have the barrier bit: the first that is not over is the one that the queue has stopped
/// at.
std::optional<uint64_t> Queue::failed() const {
  if (error() == 0) return std::nullopt;
  publish();
  for (uint64_t packet = std::max(first_, next_ - std::min<uint64_t>(next_, kPackets));
       packet < next_; ++packet) {
    if (!is_done(packet % kPackets)) return packet;
  }
  return std::nullopt;
}

Queue::State Queue::wait(uint64_t packet, uint64_t most_cycles) {
  for (;;) {
    const State now = state(packet);
    if (now != State::Running) return now;
    check(
        handle_->wait([&](cuvette_machine* m) { return cuvette_wait_interrupt(m, most_cycles); }));
  }
}

PacketTimes Queue::times(uint64_t packet) const {
  const unsigned place = packet % kPackets;
  if (slots_[place].packet != packet) return {};
  const uint8_t* const s = signals_.memory->data() + place * kSignalBytes;
  return {get<uint64_t>(s + kSignalStart), get<uint64_t>(s + kSignalEnd)};
}

uint64_t Queue::error() const {
  publish();
  return get<uint64_t>(signals_.memory->data() + kInactive * kSignalBytes + kSignalValue);
}

void Queue::reset() {
  // Whoever asks for this no longer wants to know what the waves do.
  const Handle::Silence silence(*handle_);
  uint32_t active = 1;
  write_register(CUVETTE_REG_GRBM_GFX_CNTL, 1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT);
  write_register(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 2);
  constexpr unsigned kTries = 1000;
  for (unsigned tries = 0; tries < kTries && (active & 1) != 0; ++tries) {
    check(handle_->wait([](cuvette_machine* m) { return cuvette_advance(m, 1000); }));
    py::gil_scoped_release released;
    check(cuvette_register_read(handle_->get(), CUVETTE_REG_CP_HQD_ACTIVE, &active));
  }
  if ((active & 1) != 0) throw CallFailed(CUVETTE_ERROR_TIMEOUT, "the queue does not go away");
  write_register(CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL,
                 CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL__CLEAR_PROTECTION_FAULT_STATUS_ADDR__MASK);
  for (Slot& slot : slots_) {
    if (slot.packet != ~uint64_t{0} && state(slot.packet) != State::Done) lost_.insert(slot.packet);
  }
  activate();
}

}  // namespace cuvette::python
