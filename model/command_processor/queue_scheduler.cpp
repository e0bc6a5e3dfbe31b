// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/queue_scheduler.h"

#include <array>

#include "command_processor/pm4.h"
#include "command_processor/slots.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using pm4::address_of;

/// Body: VMIDs, queues (two dwords), GWS, ordered append and GDS of the scheduler. The queues,
/// which MAP_QUEUES may choose from, and the VMIDs that run lists may use are taken over here.
Task QueueScheduler::set_resources(QueueRun&, Pm4Run& run) {
  slots_.set_usable(uint64_t{run.body[2]} << 32 | run.body[1]);
  vmid_mask_ = static_cast<uint16_t>(run.body[0]);
  co_return;
}

void QueueScheduler::forget() {
  slots_.forget();
  vmid_mask_ = process_vmids_ = 0;
}

/// Nothing is kept that could be old: translations are looked up for every access.
Task QueueScheduler::invalidate_tlbs(QueueRun&, Pm4Run&) {
  co_return;
}

/// Not while a run list takes turns, which looks for slots as well.
Task QueueScheduler::map_queues(QueueRun& q, Pm4Run& run) {
  co_await AwaitWhen(q, [&q] { return !q.list_moves; });
  q.list_moves = true;
  co_await slots_.map(q, run, std::nullopt);
  q.list_moves = false;
}

/// Body: action and selection, then doorbells or a PASID. Goes on when the queues are gone.
Task QueueScheduler::unmap_queues(QueueRun& q, Pm4Run& run) {
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
  HqdSlots::View view;
  co_await slots_.look(q, view);
  std::array<uint32_t, 16> pasids{};
  for (uint32_t i = 0; i < pasids.size() && selection == kOfProcess; ++i) {
    co_await me_.read_register(q.number, q.binding.bank, (pm4::kVmidLut + i) * 4, &pasids[i]);
  }
  std::vector<unsigned> leaving;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    // Its bank names its VMID as well.
    const uint32_t own = q.binding.bank & ~pm4::vmid_bank(kVmidMask);
    if (!view.is_active(slot) || bank_of(slot) == own) continue;
    bool chosen = selection == kEvery || selection == kNonStatic;
    for (unsigned i = 0; selection == kListed && i < listed; ++i) {
      chosen = chosen || ((view.doorbell[slot] ^ run.body[1 + i]) & pm4::kDoorbellOffset) == 0;
    }
    if (selection == kOfProcess) {
      chosen = pasids[view.vmid[slot] & kVmidMask] == field(run.body[1], 0, 16);
    }
    if (selection == kNonStatic && slots_.is_static(slot)) chosen = false;
    if (!chosen) continue;
    leaving.push_back(slot);
  }
  const uint32_t request = action == kReset     ? pm4::kDequeueReset
                           : action == kPreempt ? pm4::kDequeueSave
                                                : pm4::kDequeueDrain;
  co_await slots_.take_away(q, leaving, request);
}

/// Body: context and command, which queue, address and value of a fence. Everything before it is
/// over when it is taken, so commands differ in whether they write and whether they interrupt.
Task QueueScheduler::query_status(QueueRun& q, Pm4Run& run) {
  const uint32_t command = field(run.body[0], 30, 2);
  const uint64_t address = address_of(run.body[2], run.body[3], 8);
  const uint64_t value = uint64_t{run.body[5]} << 32 | run.body[4];
  if (command != 0 && !co_await me_.write(q.binding.vmid, address, &value, sizeof value)) {
    run.fault(address);
    co_return;
  }
  if (command == 0 || command == 3) notices_.raise(q, kQueryStatus, field(run.body[0], 0, 28));
}

}  // namespace cuvette::command_processor
