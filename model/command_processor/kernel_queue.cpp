// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Packets of the kernel queue: it maps other queues into slots and takes them away, by the
// registers of those slots.
#include <algorithm>
#include <utility>

#include "command_processor/firmware.h"
#include "command_processor/pm4.h"
#include "command_processor/slots.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using pm4::address_of;
using pm4::queue_register;

namespace {

constexpr uint32_t kVmidMask = 0xf;
constexpr uint32_t kStatic = 2;  // MAP_QUEUES, queue_type: and low-latency static

}  // namespace

struct CommandProcessorTlm::MqdImage {
  std::array<uint32_t, pm4::kMqdDwords> words{};
  uint32_t& operator[](unsigned i) { return words[i]; }
  uint32_t operator[](unsigned i) const { return words[i]; }
};

/// Body: VMIDs, queues (two dwords), GWS, ordered append and GDS of the scheduler. Of them the
/// queues matter here, those that MAP_QUEUES may choose, and the VMIDs that run lists may.
Task CommandProcessorTlm::pm4_set_resources(QueueRun&, Pm4Run& run) {
  queue_mask_ = uint64_t{run.body[2]} << 32 | run.body[1];
  vmid_mask_ = static_cast<uint16_t>(run.body[0]);
  co_return;
}

/// After a reset every slot is empty, and nobody has said anything of resources.
void CommandProcessorTlm::forget_schedule() {
  queue_mask_ = list_slots_ = static_slots_ = 0;
  vmid_mask_ = process_vmids_ = 0;
  process_vmid_.reset();
}

/// Nothing is kept that could be old: translations are looked up for every access.
Task CommandProcessorTlm::pm4_invalidate_tlbs(QueueRun&, Pm4Run&) {
  co_return;
}

/// ACTIVE, doorbell control and VMID of every slot.
Task CommandProcessorTlm::look_at_slots(QueueRun& q, std::vector<uint32_t>& active,
                                        std::vector<uint32_t>& doorbells,
                                        std::vector<uint32_t>& vmids) {
  active.assign(kSlots, 0);
  doorbells.assign(kSlots, 0);
  vmids.assign(kSlots, 0);
  Operation* op = begin();
  ++op->left;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    const auto ask = [&](unsigned dword, uint32_t* out) {
      ask_register(*op, {0, q.number, bank_of(slot), queue_register(dword) * 4, false, 0}, out, 0);
    };
    ask(pm4::kMqdActive, &active[slot]);
    ask(pm4::kMqdDoorbell, &doorbells[slot]);
    ask(pm4::kMqdVmid, &vmids[slot]);
  }
  finish_part(op);
  co_await Await(op);
}

/// Not while a run list takes turns, which looks for slots as well.
Task CommandProcessorTlm::pm4_map_queues(QueueRun& q, Pm4Run& run) {
  co_await AwaitWhen(q, [&q] { return !q.list_moves; });
  q.list_moves = true;
  co_await map_queues(q, run);
  q.list_moves = false;
}

/// Body: what kind of queues and where, then doorbell, descriptor and write pointer of each.
Task CommandProcessorTlm::map_queues(QueueRun& q, Pm4Run& run) {
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
    co_await map_queue(q, run, 1 + i * kPerQueue);
  }
}

/// The queue described at run.body[at]; a slot that is taken or does not exist is an error.
Task CommandProcessorTlm::map_queue(QueueRun& q, Pm4Run& run, size_t at) {
  const uint32_t control = run.body[0];
  const bool named = field(control, 4, 2) == 0;
  const uint64_t address = address_of(run.body[at + 1], run.body[at + 2], 4);
  const uint64_t poll = address_of(run.body[at + 3], run.body[at + 4], 8);
  MqdImage image;
  co_await read_mqd(run, address, image);
  if (run.error != 0) co_return;
  std::vector<uint32_t> active, doorbells, vmids;
  co_await look_at_slots(q, active, doorbells, vmids);
  unsigned slot = kSlots;
  if (named) {
    const unsigned me = field(control, 18, 3);  // from 0
    if (me < 2) {
      slot = me * kSlotsPerEngine + field(control, 16, 2) * kQueuesPerPipe + field(control, 13, 3);
    }
    image[pm4::kMqdVmid] = (image[pm4::kMqdVmid] & ~kVmidMask) | field(control, 8, 4);
  } else {
    for (unsigned s = 0; s < kSlots && slot == kSlots; ++s) {
      if ((queue_mask_ >> s & 1) != 0 && (active[s] & kActive) == 0) slot = s;
    }
  }
  if (process_vmid_) {
    image[pm4::kMqdVmid] = (image[pm4::kMqdVmid] & ~kVmidMask) | *process_vmid_;
  }
  if (slot == kSlots || (active[slot] & kActive) != 0) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  image[pm4::kMqdDoorbell] = (image[pm4::kMqdDoorbell] & ~pm4::kDoorbellOffset) |
                             (run.body[at] & pm4::kDoorbellOffset) | pm4::kDoorbellEnable;
  image[pm4::kMqdPoll] = static_cast<uint32_t>(poll);
  image[pm4::kMqdPoll + 1] = static_cast<uint32_t>(poll >> 32);
  co_await load_queue(q, run, bank_of(slot), image);
  if (run.error != 0) co_return;
  const uint64_t mark = uint64_t{1} << slot;
  static_slots_ = field(control, 21, 3) >= kStatic ? static_slots_ | mark : static_slots_ & ~mark;
  // Of the list before, perhaps, whose queue somebody else has taken away.
  list_slots_ = process_vmid_ ? list_slots_ | mark : list_slots_ & ~mark;
  if (poll == 0) co_return;
  // Work may be waiting already: one look at the write pointer.
  const uint32_t bit = 1u << slot % kSlotsPerEngine;
  co_await write_register(q, bank_of(slot), pm4::kPollOnce * 4, bit);
}

/// Descriptors lie in the kernel's address space.
Task CommandProcessorTlm::read_mqd(Pm4Run& run, uint64_t address, MqdImage& image) {
  constexpr uint8_t kKernel = 0;
  auto* bytes = reinterpret_cast<uint8_t*>(image.words.data());
  for (size_t done = 0; done < sizeof image.words; done += memory::kBlockBytes) {
    if (!co_await read(kKernel, address + done, bytes + done, memory::kBlockBytes)) {
      run.fault(address + done);
      co_return;
    }
  }
}

/// All registers of the image in order, ACTIVE last.
Task CommandProcessorTlm::load_queue(QueueRun& q, Pm4Run& run, uint32_t bank,
                                     const MqdImage& image) {
  Operation* op = begin();
  ++op->left;
  const auto put = [&](uint32_t dword, uint32_t value) {
    ask_register(*op, {0, q.number, bank, dword * 4, true, value}, nullptr, 0);
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
  finish_part(op);
  if (!co_await Await(op)) run.error = hsa::kQueueErrorVendorPacket;
}

/// Body: action and selection, then doorbells or a PASID. Goes on when the queues are gone.
Task CommandProcessorTlm::pm4_unmap_queues(QueueRun& q, Pm4Run& run) {
  enum Action : uint32_t { kPreempt, kReset, kDisable, kPreemptNoUnmap };
  enum Selection : uint32_t { kListed, kOfProcess, kEvery, kNonStatic };
  const uint32_t control = run.body[0];
  const uint32_t action = field(control, 0, 2);
  const uint32_t selection = field(control, 4, 2);
  const unsigned listed = field(control, 29, 3);
  const bool compute = field(control, 26, 3) == 0 && field(control, 2, 2) == 0;
  if (!compute || action == kPreemptNoUnmap || (selection == kListed && listed > 4)) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  co_await end_turns(q);
  std::vector<uint32_t> active, doorbells, vmids;
  co_await look_at_slots(q, active, doorbells, vmids);
  std::array<uint32_t, 16> pasids{};
  for (uint32_t i = 0; i < pasids.size() && selection == kOfProcess; ++i) {
    co_await read_register(q, q.binding.bank, (pm4::kVmidLut + i) * 4, &pasids[i]);
  }
  std::vector<unsigned> leaving;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    // Its bank names its VMID as well.
    const uint32_t own = q.binding.bank & ~pm4::vmid_bank(kVmidMask);
    if ((active[slot] & kActive) == 0 || bank_of(slot) == own) continue;
    bool chosen = selection == kEvery || selection == kNonStatic;
    for (unsigned i = 0; selection == kListed && i < listed; ++i) {
      chosen = chosen || ((doorbells[slot] ^ run.body[1 + i]) & pm4::kDoorbellOffset) == 0;
    }
    if (selection == kOfProcess) {
      chosen = pasids[vmids[slot] & kVmidMask] == field(run.body[1], 0, 16);
    }
    if (selection == kNonStatic && (static_slots_ >> slot & 1) != 0) chosen = false;
    if (!chosen) continue;
    leaving.push_back(slot);
  }
  const uint32_t request = action == kReset     ? pm4::kDequeueReset
                           : action == kPreempt ? pm4::kDequeueSave
                                                : pm4::kDequeueDrain;
  co_await take_away(q, leaving, request);
}

/// All are asked, then all are waited for. Those are saved that switch by saving; others drain.
Task CommandProcessorTlm::take_away(QueueRun& q, const std::vector<unsigned>& slots,
                                    uint32_t request) {
  for (const unsigned slot : slots) {
    uint32_t asked = request;
    if (request == pm4::kDequeueSave) {
      uint32_t state = 0;
      co_await read_register(q, bank_of(slot), queue_register(pm4::kMqdPersistent) * 4, &state);
      if ((state & pm4::kSwitchBySaving) == 0) asked = pm4::kDequeueDrain;
    }
    co_await write_register(q, bank_of(slot), queue_register(pm4::kMqdDequeue) * 4, asked);
  }
  for (const unsigned slot : slots) {
    for (uint32_t still = kActive; (still & kActive) != 0 && !q.reset;) {
      co_await read_register(q, bank_of(slot), queue_register(pm4::kMqdActive) * 4, &still);
      if ((still & kActive) != 0) co_await delay(config_.poll_cycles);
    }
    static_slots_ &= ~(uint64_t{1} << slot);
    list_slots_ &= ~(uint64_t{1} << slot);
  }
}

/// Body: context and command, which queue, address and value of a fence. Everything before it is
/// over when it is taken, so commands differ in whether they write and whether they interrupt.
Task CommandProcessorTlm::pm4_query_status(QueueRun& q, Pm4Run& run) {
  const uint32_t command = field(run.body[0], 30, 2);
  const uint64_t address = address_of(run.body[2], run.body[3], 8);
  const uint64_t value = uint64_t{run.body[5]} << 32 | run.body[4];
  if (command != 0 && !co_await write(q.binding.vmid, address, &value, sizeof value)) {
    run.fault(address);
    co_return;
  }
  if (command == 0 || command == 3) raise(q, kQueryStatus, field(run.body[0], 0, 28));
}

}  // namespace cuvette::command_processor
