// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A kernel by one call: cuvette_run_kernel.
#include "launch_queue.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "cuvette_registers.h"
#include "handle.h"
#include "hsa/queue_error.h"

namespace cuvette::c_interface {
namespace {

// HSA and Compute ABI: where things lie in packets, queues and signals.
constexpr unsigned kPackets = 4, kPacketBytes = 64, kQueueBytes = 256, kSignalBytes = 64;
constexpr uint32_t kInvalid = 1, kDispatch = 2;
constexpr uint32_t kBarrierBit = 1u << 8, kSystemFences = 2u << 9 | 2u << 11;
constexpr unsigned kQueueRing = 8, kQueueSize = 24, kQueueWriteIndex = 56, kQueueApertures = 64,
                   kQueueReadIndex = 128, kQueueBaseOffset = 136, kQueueScratch = 140,
                   kQueueProperties = 180, kQueueInactive = 192;
constexpr uint32_t kPointers64 = 2;
constexpr unsigned kSignalValue = 8, kSignalMailbox = 16, kSignalEvent = 24;
constexpr unsigned kCompletion = 0, kInactive = 1;  // signals
constexpr uint32_t kDoorbell = CUVETTE_DOORBELLS - 1;
constexpr uint32_t kSlot = 3u << CUVETTE_REG_GRBM_GFX_CNTL__PIPEID__SHIFT |
                           1u << CUVETTE_REG_GRBM_GFX_CNTL__MEID__SHIFT |
                           7u << CUVETTE_REG_GRBM_GFX_CNTL__QUEUEID__SHIFT;
constexpr uint64_t kSlice = 100'000;  // cycles between two looks at the signals

/// The first status that is not CUVETTE_OK, of calls that are made until then.
#define CUVETTE_EACH(call)                                               \
  if (const int status_of_call = (call); status_of_call != CUVETTE_OK) { \
    return status_of_call;                                               \
  }

template <class T>
void place(std::vector<uint8_t>& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

int LaunchQueue::allocate(uint64_t bytes, uint32_t flags, uint64_t& address) {
  return cuvette_memory_allocate(machine_, bytes, 0, flags, &address);
}

int LaunchQueue::write(uint64_t address, const void* data, size_t bytes) {
  return cuvette_memory_write(machine_, address, data, bytes);
}

/// The slot of the queue, or none, for registers that belong to slots.
int LaunchQueue::select(bool own) {
  return cuvette_register_write(machine_, CUVETTE_REG_GRBM_GFX_CNTL, own ? kSlot : 0);
}

int LaunchQueue::prepare() {
  if (ring_ == 0) {
    constexpr uint32_t kFine = CUVETTE_MEMORY_FINE_GRAINED;
    CUVETTE_EACH(allocate(uint64_t{kPackets} * kPacketBytes, kFine, ring_));
    CUVETTE_EACH(allocate(kQueueBytes, kFine | CUVETTE_MEMORY_WITHIN_4GIB, queue_));
    CUVETTE_EACH(allocate(2 * uint64_t{kSignalBytes}, kFine, signals_));
    CUVETTE_EACH(allocate(2 * sizeof(uint64_t), kFine, mailboxes_));
  }
  return active_ ? int{CUVETTE_OK} : activate();
}

int LaunchQueue::activate() {
  for (unsigned i = 0; i < kPackets; ++i) {
    CUVETTE_EACH(put(ring_ + uint64_t{i} * kPacketBytes, kInvalid));
  }
  for (const unsigned i : {kCompletion, kInactive}) {
    const uint64_t signal = signals_ + uint64_t{i} * kSignalBytes;
    CUVETTE_EACH(put(signal, uint64_t{1}));  // a user signal
    CUVETTE_EACH(put(signal + kSignalValue, uint64_t{0}));
    CUVETTE_EACH(put(signal + kSignalMailbox, mailboxes_ + 8 * uint64_t{i}));
    CUVETTE_EACH(put(signal + kSignalEvent, i + 1));
  }
  std::vector<uint8_t> q(kQueueBytes);
  place(q, 4, uint32_t{1});  // takes kernel dispatches
  place(q, kQueueRing, ring_);
  place(q, kQueueSize, uint32_t{kPackets});
  place(q, kQueueApertures, static_cast<uint32_t>(machine_->shared_aperture >> 32));
  place(q, kQueueApertures + 4, static_cast<uint32_t>(machine_->private_aperture >> 32));
  place(q, kQueueBaseOffset, uint32_t{kQueueReadIndex});
  place(q, kQueueProperties, kPointers64);
  place(q, kQueueInactive, signals_ + uint64_t{kInactive} * kSignalBytes);
  CUVETTE_EACH(write(queue_, q.data(), q.size()));
  scratch_item_bytes_ = 0;
  next_ = 0;

  const uint64_t report = queue_ + kQueueReadIndex;
  const std::pair<uint32_t, uint64_t> registers[] = {
      {CUVETTE_REG_CP_MEC_CNTL, 0},
      {CUVETTE_REG_CP_PQ_STATUS, CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK},
      {CUVETTE_REG_CP_HQD_PQ_BASE, ring_ >> 8},
      {CUVETTE_REG_CP_HQD_PQ_BASE_HI, ring_ >> 40},
      {CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, report},
      {CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, report >> 32},
      // 2 << 5 dwords: 4 packets of 16.
      {CUVETTE_REG_CP_HQD_PQ_CONTROL, 5u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT},
      {CUVETTE_REG_CP_HQD_AQL_CONTROL, 1u << CUVETTE_REG_CP_HQD_AQL_CONTROL__CONTROL0__SHIFT},
      {CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
       kDoorbell * 2 << CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET__SHIFT |
           CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK},
      {CUVETTE_REG_CP_HQD_ACTIVE, 1}};
  CUVETTE_EACH(select(true));
  for (const auto& [offset, value] : registers) {
    CUVETTE_EACH(cuvette_register_write(machine_, offset, static_cast<uint32_t>(value)));
  }
  active_ = true;
  return select(false);
}

/// Its waves end where they are; the slot is free for the next queue.
int LaunchQueue::take_away() {
  constexpr unsigned kTries = 1000;
  uint32_t active = 1;
  CUVETTE_EACH(select(true));
  CUVETTE_EACH(cuvette_register_write(machine_, CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 2));
  for (unsigned tries = 0; tries < kTries && (active & 1) != 0; ++tries) {
    CUVETTE_EACH(cuvette_advance(machine_, machine_->quantum));
    CUVETTE_EACH(cuvette_register_read(machine_, CUVETTE_REG_CP_HQD_ACTIVE, &active));
  }
  CUVETTE_EACH(select(false));
  if ((active & 1) != 0) return fail(CUVETTE_ERROR_TIMEOUT, "the queue does not go away");
  active_ = false;
  return cuvette_register_write(
      machine_, CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL,
      CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL__CLEAR_PROTECTION_FAULT_STATUS_ADDR__MASK);
}

/// Fields of amd_queue_t from compute_tmpring_size on. Places for as many waves as fit into 64 MiB,
/// at least those of one work-group; they share them in turn.
int LaunchQueue::provide_scratch(uint32_t item_bytes) {
  if (item_bytes <= scratch_item_bytes_) return CUVETTE_OK;
  constexpr uint32_t kFewestWaves = 16, kMostWaves = 512;
  constexpr uint32_t kMostKib = (1u << 13) - 1;  // WAVESIZE of COMPUTE_TMPRING_SIZE
  if (item_bytes > kMostKib * 1024 / 64) {
    return fail(CUVETTE_ERROR_MEMORY, "the kernel wants " + std::to_string(item_bytes) +
                                          " bytes of private memory for a work-item, expected " +
                                          std::to_string(kMostKib * 1024 / 64) + " at most");
  }
  const uint32_t wave_kib = (item_bytes * 64 + 1023) / 1024;
  const uint32_t waves = std::clamp((64u << 10) / wave_kib, kFewestWaves, kMostWaves);
  const uint64_t bytes = uint64_t{wave_kib} * 1024 * waves;
  if (scratch_ != 0) CUVETTE_EACH(cuvette_memory_free(machine_, scratch_));
  scratch_ = 0;
  CUVETTE_EACH(allocate(bytes, 0, scratch_));
  std::vector<uint8_t> fields(40);
  place(fields, 0, waves | wave_kib << 12);
  // The buffer descriptor: swizzled, dword by dword, 64 lanes.
  place(fields, 4, static_cast<uint32_t>(scratch_));
  place(fields, 8, static_cast<uint32_t>(scratch_ >> 32 & 0xffff) | 1u << 31);
  place(fields, 12, 0xffffffffu);
  place(fields, 16, 0x00e80000u);
  place(fields, 20, scratch_);
  place(fields, 28, bytes);
  place(fields, 36, item_bytes);
  CUVETTE_EACH(write(queue_ + kQueueScratch, fields.data(), fields.size()));
  scratch_item_bytes_ = item_bytes;
  return CUVETTE_OK;
}

/// Below 4 GiB: code of HSAIL's small machine model has short pointers.
int LaunchQueue::provide_kernarg(uint32_t bytes) {
  if (bytes <= kernarg_bytes_) return CUVETTE_OK;
  if (kernarg_ != 0) CUVETTE_EACH(cuvette_memory_free(machine_, kernarg_));
  kernarg_ = kernarg_bytes_ = 0;
  const uint32_t room = std::max(bytes, 256u);
  CUVETTE_EACH(allocate(room, CUVETTE_MEMORY_FINE_GRAINED | CUVETTE_MEMORY_BELOW_4GIB, kernarg_));
  kernarg_bytes_ = room;
  return CUVETTE_OK;
}

/// Those that nobody has taken yet.
int LaunchQueue::new_reports(std::string& text) {
  host::Call call;
  call.kind = host::CallKind::Reports;
  CUVETTE_EACH(make_call(machine_, call));
  text = std::move(call.text);
  return CUVETTE_OK;
}

std::string LaunchQueue::take_earlier_reports() {
  const std::lock_guard lock(reports_mutex_);
  return std::exchange(earlier_reports_, {});
}

int LaunchQueue::await(const cuvette_kernel& kernel, uint64_t most_cycles) {
  for (uint64_t left = most_cycles;;) {
    uint64_t value = 0, error = 0;
    CUVETTE_EACH(cuvette_memory_read(machine_, signals_ + kSignalValue, &value, sizeof value));
    if (value == 0) return CUVETTE_OK;
    CUVETTE_EACH(cuvette_memory_read(machine_, signals_ + kSignalBytes + kSignalValue, &error,
                                     sizeof error));
    if (error != 0) {
      std::string words;
      CUVETTE_EACH(new_reports(words));
      if (!words.empty() && words.back() == '\n') words.pop_back();
      if (words.empty()) words = hsa::queue_error_text(error);
      CUVETTE_EACH(take_away());
      std::array<char, 256> name{};
      cuvette_kernel same{};
      same.size = sizeof same;
      CUVETTE_EACH(cuvette_kernel_at(kernel.object, kernel.index, &same, name.data(), name.size()));
      std::array<char, 24> bits{};
      std::snprintf(bits.data(), bits.size(), "0x%llx", static_cast<unsigned long long>(error));
      return fail(CUVETTE_ERROR_KERNEL, "kernel '" + std::string(name.data()) +
                                            "' has failed, error bits " + bits.data() +
                                            (words.empty() ? "" : ": " + words));
    }
    if (left == 0) {
      CUVETTE_EACH(take_away());
      return fail(CUVETTE_ERROR_TIMEOUT, "the kernel has not ended within the cycles given");
    }
    const uint64_t slice = std::min(left, kSlice);
    left -= slice;
    const int status = cuvette_wait_interrupt(machine_, slice);
    if (status != CUVETTE_OK && status != CUVETTE_ERROR_TIMEOUT) {
      // What hangs stays for cuvette_hang_report; the next dispatch begins with a new queue.
      active_ = false;
      return status;
    }
  }
}

int LaunchQueue::run(const cuvette_kernel& kernel, const cuvette_launch& launch,
                     const cuvette_argument* arguments, size_t count, uint64_t most_cycles) {
  if (lost_.exchange(false)) active_ = false;
  if (ring_ != 0 && !active_) CUVETTE_EACH(take_away());
  CUVETTE_EACH(prepare());
  std::string earlier;
  CUVETTE_EACH(new_reports(earlier));
  if (!earlier.empty()) {
    const std::lock_guard lock(reports_mutex_);
    earlier_reports_ += earlier;
  }
  cuvette_launch full = launch;
  full.queue = queue_;
  std::vector<uint8_t> segment(kernel.kernarg_bytes + size_t{1});
  CUVETTE_EACH(
      cuvette_kernarg(&kernel, &full, arguments, count, segment.data(), kernel.kernarg_bytes));
  CUVETTE_EACH(provide_kernarg(kernel.kernarg_bytes));
  CUVETTE_EACH(provide_scratch(kernel.private_bytes));
  if (kernel.kernarg_bytes != 0) {
    CUVETTE_EACH(write(kernarg_, segment.data(), kernel.kernarg_bytes));
  }
  CUVETTE_EACH(put(signals_ + kSignalValue, uint64_t{1}));
  std::vector<uint8_t> packet(kPacketBytes);
  for (unsigned d = 0; d < 3; ++d) {
    place(packet, 4 + 2 * d, static_cast<uint16_t>(launch.workgroup[d]));
    place(packet, 12 + 4 * d, launch.grid[d]);
  }
  place(packet, 24, kernel.private_bytes);
  place(packet, 28, kernel.group_bytes + launch.dynamic_group_bytes);
  place(packet, 32, kernel.kernel_object);
  place(packet, 40, kernarg_);
  place(packet, 56, signals_);
  const uint64_t at = ring_ + next_ % kPackets * kPacketBytes;
  CUVETTE_EACH(write(at + 4, packet.data() + 4, packet.size() - 4));
  CUVETTE_EACH(put(queue_ + kQueueWriteIndex, next_ + 1));
  CUVETTE_EACH(put(at, kDispatch | kBarrierBit | kSystemFences | launch.dimensions << 16));
  CUVETTE_EACH(cuvette_doorbell(machine_, kDoorbell, next_));
  ++next_;
  return await(kernel, most_cycles);
}

}  // namespace cuvette::c_interface

using namespace cuvette::c_interface;

extern "C" int cuvette_run_kernel(const cuvette_kernel* kernel, const cuvette_launch* launch,
                                  const cuvette_argument* arguments, size_t count,
                                  uint64_t most_cycles) {
  return guarded([&] {
    if (kernel == nullptr || kernel->size != sizeof *kernel || kernel->object == nullptr) {
      return wrong_argument("the kernel is not one of cuvette_find_kernel");
    }
    if (launch == nullptr || launch->size != sizeof *launch || launch->queue != 0) {
      return wrong_argument("the launch is missing, of another version, or has a queue");
    }
    cuvette_machine* const machine = kernel->object->machine;
    if (machine->port->in_own_thread()) {
      return fail(CUVETTE_ERROR_CALL, "not inside a callback");
    }
    const std::lock_guard lock(machine->launch_mutex);
    return machine->launches.run(*kernel, *launch, arguments, count, most_cycles);
  });
}
