// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Run lists: processes with their queues, all at once or in turn.
#include <algorithm>
#include <bit>
#include <utility>

#include "command_processor/pm4.h"
#include "command_processor/queue_scheduler.h"
#include "command_processor/slots.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using pm4::address_of;

namespace {

constexpr uint32_t kBad = hsa::kQueueErrorVendorPacket;
constexpr size_t kProcessDwords = 15, kProcessDwordsGfx90a = 20;
constexpr size_t kQueueDwords = 5;          // of MAP_QUEUES, behind the first
constexpr uint32_t kQuantumCycles = 16384;  // of process_quantum 1 (ours)
constexpr uint32_t kLookCycles = 1024;      // between two looks at whether the turns shall end

bool names_slot(uint32_t map_control) {
  return field(map_control, 4, 2) == 0;
}

}  // namespace

/// Body: address, size and flags of a list: processes, each with the MAP_QUEUES of its queues. It
/// takes the place of the one before, whose queues leave first.
Task QueueScheduler::run_list(QueueRun& q, Pm4Run& run) {
  const uint64_t address = address_of(run.body[0], run.body[1], 4);
  const uint32_t control = run.body[2];
  if ((control & pm4::kListValid) == 0 || (control & pm4::kListChain) != 0) {
    run.error = kBad;
    co_return;
  }
  std::vector<uint32_t> words(control & pm4::kIbSize);
  std::optional<uint64_t> fault;
  co_await read_in_turn(q.binding.vmid, address, words.data(), 4 * words.size(), fault);
  if (fault) {
    run.fault(*fault);
    co_return;
  }
  co_await end_turns(q);
  co_await clear_list(q);
  q.list = {};
  run.error = parse_list(words, address, q.list);
  if (run.error != 0) co_return;
  co_await map_next(q, run);
  const bool all = std::all_of(q.list.processes.begin(), q.list.processes.end(),
                               [](const RunList::Process& p) { return p.mapped; });
  if (run.error != 0 || all) co_return;
  if (!q.list.chained) {
    run.error = kBad;
    co_return;
  }
  q.turning = true;
  q.stop_turns = false;
  q.turns_task = take_turns(q);
  q.turns_task.start();
}

/// Queue error bits. A list that goes round ends with a RUN_LIST of itself.
uint32_t QueueScheduler::parse_list(const std::vector<uint32_t>& words, uint64_t address,
                                    RunList& list) {
  for (size_t at = 0; at < words.size();) {
    const uint32_t head = words[at++];
    const unsigned size = pm4::body_behind(head);
    if (size == pm4::kNoPacket || size > words.size() - at || list.chained) return kBad;
    const auto first = words.begin() + static_cast<ptrdiff_t>(at);
    const std::vector<uint32_t> body(first, first + size);
    at += size;
    if (size == 0 || pm4::opcode_of(head) == pm4::Opcode::Nop) continue;
    if (pm4::opcode_of(head) == pm4::Opcode::MapProcess) {
      if (size != kProcessDwords && size != kProcessDwordsGfx90a) return kBad;
      list.processes.emplace_back();
      list.processes.back().body = body;
    } else if (pm4::opcode_of(head) == pm4::Opcode::MapQueues && !list.processes.empty() &&
               size >= 1 + kQueueDwords) {
      RunList::Process& process = list.processes.back();
      process.maps.push_back(body);
      if (!names_slot(body[0])) process.slots_wanted += (size - 1) / kQueueDwords;
    } else if (pm4::opcode_of(head) == pm4::Opcode::RunList && size == 3 &&
               (body[2] & (pm4::kListValid | pm4::kListChain)) ==
                   (pm4::kListValid | pm4::kListChain) &&
               address_of(body[0], body[1], 4) == address) {
      list.chained = true;
    } else {
      return kBad;
    }
  }
  return 0;
}

/// The queues of the list leave, its VMIDs are free.
Task QueueScheduler::clear_list(QueueRun& q) {
  co_await slots_.take_away(q, slots_.of_list(), pm4::kDequeueSave);
  slots_.clear_list();
  process_vmids_ = 0;
  for (RunList::Process& p : q.list.processes) p.mapped = false;
}

/// As many processes as there are VMIDs and slots for, from the one whose turn it is.
Task QueueScheduler::map_next(QueueRun& q, Pm4Run& run) {
  RunList& list = q.list;
  for (size_t i = 0; i < list.processes.size() && run.error == 0; ++i) {
    RunList::Process& process = list.processes[list.next];
    if (process.mapped || (vmid_mask_ & ~process_vmids_ & 0xffffu) == 0) break;
    if (process.slots_wanted != 0) {
      HqdSlots::View view;
      co_await slots_.look(q, view);
      if (slots_.count_free(view) < process.slots_wanted) {
        // Alone it would not fit either.
        if (process_vmids_ == 0) run.error = kBad;
        break;
      }
    }
    run.body = process.body;
    uint8_t vmid = 0;
    co_await map_process(q, run, vmid);
    for (size_t m = 0; m < process.maps.size() && run.error == 0; ++m) {
      run.body = process.maps[m];
      co_await slots_.map(q, run, vmid);
    }
    process.mapped = true;
    list.next = (list.next + 1) % list.processes.size();
  }
  if (process_vmids_ == 0 && !list.processes.empty()) run.error = kBad;  // without any VMID
}

/// Time slices: what is mapped leaves, with its waves if it can, and the next ones come.
Task QueueScheduler::take_turns(QueueRun& q) {
  Pm4Run run;
  while (!q.stop_turns && run.error == 0) {
    uint32_t quantum = 1;
    for (const RunList::Process& p : q.list.processes) {
      if (p.mapped) quantum = std::max(quantum, field(p.body[0], 25, 7));
    }
    uint32_t left = quantum * kQuantumCycles;
    for (; left != 0 && !q.stop_turns; left -= kLookCycles) co_await me_.delay(kLookCycles);
    co_await AwaitWhen(q, [&q] { return !q.list_moves || q.stop_turns; });
    if (q.stop_turns) break;
    q.list_moves = true;
    co_await clear_list(q);
    if (!q.stop_turns) co_await map_next(q, run);
    q.list_moves = false;
  }
  if (run.error != 0) co_await notices_.fail(q, run.error, run.error_address);
  q.turning = false;
}

/// Ends the turns of queues: waiting ones stay out, mapped ones stay mapped.
Task QueueScheduler::end_turns(QueueRun& q) {
  q.stop_turns = true;
  co_await AwaitWhen(q, [&q] { return !q.turning; });
}

/// Body: PASID, root of the page tables, SH_MEM_BASES and CONFIG, trap handler and memory, then
/// what means nothing here; 20 dwords from gfx90a on. The process gets the first VMID that is left.
Task QueueScheduler::map_process(QueueRun& q, Pm4Run& run, uint8_t& process_vmid) {
  const std::vector<uint32_t> b = run.body;
  const auto vmid = static_cast<unsigned>(std::countr_zero(vmid_mask_ & ~process_vmids_ & 0xffffu));
  process_vmids_ = static_cast<uint16_t>(process_vmids_ | 1u << vmid);
  process_vmid = static_cast<uint8_t>(vmid);
  const std::pair<uint32_t, uint32_t> values[] = {
      {pm4::kVmidLut + vmid, field(b[0], 0, 16)},
      {pm4::kPageTableBase + 2 * vmid, b[1]},
      {pm4::kPageTableBase + 2 * vmid + 1, b[2]},
      {pm4::kShMemBases, b[3]},
      {pm4::kShMemConfig, b[4]},
      {pm4::kTrapHandler, b[5]},
      {pm4::kTrapHandler + 1, b[6]},
      {pm4::kTrapMemory, b[7]},
      {pm4::kTrapMemory + 1, b[8]},
  };
  for (const auto& [dword, value] : values) {
    if (!co_await me_.write_register(q.number, pm4::vmid_bank(vmid), dword * 4, value)) {
      run.error = kBad;
      co_return;
    }
  }
}

}  // namespace cuvette::command_processor
