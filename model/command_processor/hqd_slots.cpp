// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/hqd_slots.h"

#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using pm4::address_of;
using pm4::queue_register;

namespace {
constexpr uint32_t kStatic = 2;  // MAP_QUEUES, queue_type: and low-latency static
}  // namespace

/// ACTIVE, doorbell control and VMID of every slot.
Task HqdSlots::look(QueueRun& q, View& view) {
  view = {};
  Operation* op = me_.begin();
  me_.hold(*op);
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    const auto ask = [&](unsigned dword, uint32_t* out) {
      me_.ask_register(*op, {0, q.number, bank_of(slot), queue_register(dword) * 4, false, 0}, out);
    };
    ask(pm4::kMqdActive, &view.active[slot]);
    ask(pm4::kMqdDoorbell, &view.doorbell[slot]);
    ask(pm4::kMqdVmid, &view.vmid[slot]);
  }
  me_.finish_part(*op);
  co_await Await(op);
}

Task HqdSlots::map(QueueRun& q, Pm4Run& run, std::optional<uint8_t> process_vmid) {
  constexpr size_t kPerQueue = 5;
  const uint32_t control = run.body[0];
  const unsigned queues = field(control, 29, 3);
  const bool compute = field(control, 26, 3) == 0 && field(control, 2, 2) == 0;
  if (!compute || field(control, 4, 2) > 1 || queues == 0 ||
      run.body.size() != 1 + queues * kPerQueue) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  for (size_t i = 0; i < queues && run.error == 0; ++i) {
    co_await map_one(q, run, 1 + i * kPerQueue, process_vmid);
  }
}

/// The queue described at run.body[at]; a slot that is taken or does not exist is an error.
Task HqdSlots::map_one(QueueRun& q, Pm4Run& run, size_t at, std::optional<uint8_t> process_vmid) {
  const uint32_t control = run.body[0];
  const bool named = field(control, 4, 2) == 0;
  const uint64_t address = address_of(run.body[at + 1], run.body[at + 2], 4);
  const uint64_t poll = address_of(run.body[at + 3], run.body[at + 4], 8);
  MqdImage image;
  co_await read_mqd(run, address, image);
  if (run.error != 0) co_return;
  View view;
  co_await look(q, view);
  unsigned slot = kSlots;
  if (named) {
    const unsigned me = field(control, 18, 3);  // from 0
    if (me < 2) {
      slot = me * kSlotsPerEngine + field(control, 16, 2) * kQueuesPerPipe + field(control, 13, 3);
    }
    image[pm4::kMqdVmid] = (image[pm4::kMqdVmid] & ~kVmidMask) | field(control, 8, 4);
  } else {
    for (unsigned s = 0; s < kSlots && slot == kSlots; ++s) {
      if (is_free(view, s)) slot = s;
    }
  }
  if (process_vmid) {
    image[pm4::kMqdVmid] = (image[pm4::kMqdVmid] & ~kVmidMask) | *process_vmid;
  }
  if (slot == kSlots || view.is_active(slot)) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  image[pm4::kMqdDoorbell] = (image[pm4::kMqdDoorbell] & ~pm4::kDoorbellOffset) |
                             (run.body[at] & pm4::kDoorbellOffset) | pm4::kDoorbellEnable;
  image[pm4::kMqdPoll] = static_cast<uint32_t>(poll);
  image[pm4::kMqdPoll + 1] = static_cast<uint32_t>(poll >> 32);
  co_await load(q, run, bank_of(slot), image);
  if (run.error != 0) co_return;
  const uint64_t mark = uint64_t{1} << slot;
  static_ = field(control, 21, 3) >= kStatic ? static_ | mark : static_ & ~mark;
  // The slot may have been of the list before, whose queue somebody else has taken away.
  list_ = process_vmid ? list_ | mark : list_ & ~mark;
  if (poll == 0) co_return;
  // Work may be waiting already: one look at the write pointer.
  const uint32_t bit = 1u << slot % kSlotsPerEngine;
  co_await me_.write_register(q.number, bank_of(slot), pm4::kPollOnce * 4, bit);
}

/// Descriptors lie in the kernel's address space.
Task HqdSlots::read_mqd(Pm4Run& run, uint64_t address, MqdImage& image) {
  std::optional<uint64_t> fault;
  co_await read_in_turn(kKernelVmid, address, image.words.data(), sizeof image.words, fault);
  if (fault) run.fault(*fault);
}

/// All registers of the image in order, ACTIVE last.
Task HqdSlots::load(QueueRun& q, Pm4Run& run, uint32_t bank, const MqdImage& image) {
  Operation* op = me_.begin();
  me_.hold(*op);
  const auto put = [&](uint32_t dword, uint32_t value) {
    me_.ask_register(*op, {0, q.number, bank, dword * 4, true, value});
  };
  // Without the initiator, which would start a grid.
  for (unsigned i = pm4::kMqdCompute + 1; i < pm4::kMqdCompute + pm4::kMqdComputeCount; ++i) {
    if (pm4::compute_register(i) != 0) put(pm4::compute_register(i), image[i]);
  }
  for (unsigned i = 0; i < pm4::kMqdUserDataCount; ++i) {
    put(pm4::kUserData + i, image[pm4::kMqdUserData + i]);
  }
  for (unsigned i = pm4::kMqdQueue; i < pm4::kMqdQueue + pm4::kMqdQueueCount; ++i) {
    put(queue_register(i), i == pm4::kMqdActive || i == pm4::kMqdDequeue ? 0 : image[i]);
  }
  put(queue_register(pm4::kMqdActive), kActive);
  me_.finish_part(*op);
  if (!co_await Await(op)) run.error = hsa::kQueueErrorVendorPacket;
}

Task HqdSlots::take_away(QueueRun& q, const std::vector<unsigned>& slots, uint32_t request) {
  for (const unsigned slot : slots) {
    uint32_t asked = request;
    if (request == pm4::kDequeueSave) {
      uint32_t state = 0;
      co_await me_.read_register(q.number, bank_of(slot), queue_register(pm4::kMqdPersistent) * 4,
                                 &state);
      if ((state & pm4::kSwitchBySaving) == 0) asked = pm4::kDequeueDrain;
    }
    co_await me_.write_register(q.number, bank_of(slot), queue_register(pm4::kMqdDequeue) * 4,
                                asked);
  }
  for (const unsigned slot : slots) {
    for (uint32_t still = kActive; (still & kActive) != 0 && !q.reset;) {
      co_await me_.read_register(q.number, bank_of(slot), queue_register(pm4::kMqdActive) * 4,
                                 &still);
      if ((still & kActive) != 0) co_await me_.delay(me_.config().poll_cycles);
    }
    static_ &= ~(uint64_t{1} << slot);
    list_ &= ~(uint64_t{1} << slot);
  }
}

bool HqdSlots::is_free(const View& view, unsigned slot) const {
  return (usable_ >> slot & 1) != 0 && !view.is_active(slot);
}

unsigned HqdSlots::count_free(const View& view) const {
  unsigned count = 0;
  for (unsigned s = 0; s < kSlots; ++s) {
    if (is_free(view, s)) ++count;
  }
  return count;
}

std::vector<unsigned> HqdSlots::of_list() const {
  std::vector<unsigned> slots;
  for (unsigned s = 0; s < kSlots; ++s) {
    if ((list_ >> s & 1) != 0) slots.push_back(s);
  }
  return slots;
}

}  // namespace cuvette::command_processor
