// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/context_save.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cuvette::command_processor {
namespace {

constexpr uint32_t kMark = 0x31565343;
constexpr size_t kHeaderDwords = 8, kDispatchDwords = 8, kGroupDwords = 2;
constexpr uint32_t kStackDwords = 0x8000 / 4;  // largest that the registers can say

constexpr uint64_t wide(const uint32_t* words) {
  return uint64_t{words[1]} << 32 | words[0];
}
void put_wide(std::vector<uint32_t>& words, uint64_t value) {
  words.push_back(static_cast<uint32_t>(value));
  words.push_back(static_cast<uint32_t>(value >> 32));
}

/// Its waves run, and nobody has asked to save them.
bool runs(const InFlight& e) {
  return e.waiting != nullptr && !e.asked && !e.grid &&
         hsa::decode_header(e.packet.header).type == hsa::PacketType::KernelDispatch;
}

}  // namespace

/// One after the other: what is left of the control stack and the save area is known when the one
/// before has been saved.
bool ContextSave::may_ask(const QueueRun& q) {
  if (q.restoring || q.failed || q.binding.save_area == 0) return false;
  bool one = false;
  for (const auto& entry : q.in_flight) {
    if (entry->asked && !entry->finished) return false;
    one = one || runs(*entry);
  }
  return one;
}

/// The earliest dispatch that runs. When it does not fit, it comes to its end.
void ContextSave::ask(QueueRun& q) {
  InFlight* entry = nullptr;
  for (const auto& e : q.in_flight) {
    if (runs(*e) && (entry == nullptr || e->index < entry->index)) entry = e.get();
  }
  entry->asked = true;
  size_t dwords = kHeaderDwords + kDispatchDwords;
  for (const SavedDispatch& s : q.saved) {
    dwords += kDispatchDwords + kGroupDwords * s.groups.size();
  }
  const size_t room = q.binding.stack_bytes / 4;
  if (dwords > room) return;
  spi::Save save;
  save.dispatch = entry->id;
  save.area = q.binding.save_area;
  save.from = q.save_end;
  save.to = q.binding.save_end;
  save.groups = static_cast<uint32_t>((room - std::min(room, dwords)) / kGroupDwords);
  me_.spi().save.push(save, me_.now() + 1);
}

void ContextSave::take_saved(QueueRun& q, const InFlight& launched) {
  SavedDispatch s;
  s.index = launched.index;
  std::memcpy(&s.head, &launched.packet, sizeof s.head);
  s.next_group = launched.done.next_group;
  if (const auto found = groups_.find(launched.id); found != groups_.end()) {
    s.groups = std::move(found->second);
  }
  // They come as their last waves ended, and go on as they had started.
  std::sort(s.groups.begin(), s.groups.end(),
            [](const spi::SavedGroup& a, const spi::SavedGroup& b) { return a.group < b.group; });
  q.save_end = std::max(q.save_end, launched.done.save_end);
  q.saved.push_back(std::move(s));
}

/// Writes the data that trap handlers have stored to memory, and the values they cannot know onto
/// the control stack.
Task ContextSave::store(QueueRun& q) {
  if (q.saved.empty() || q.reset || q.failed) co_return;
  FenceFault bad;
  co_await me_.fence(memory::MemOp::Writeback, Level::Near, bad);
  co_await me_.fence(memory::MemOp::Writeback, Level::Far, bad);
  if (bad.any) {
    co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, bad.address);
    co_return;
  }
  std::vector<uint32_t> words = {kMark, static_cast<uint32_t>(q.saved.size())};
  put_wide(words, q.read_index);
  words.push_back(q.save_begin);
  words.resize(kHeaderDwords);
  for (const SavedDispatch& s : q.saved) {
    const size_t end = words.size() + kDispatchDwords;
    put_wide(words, s.index);
    words.push_back(s.head);
    words.push_back(static_cast<uint32_t>(s.groups.size()));
    put_wide(words, s.next_group);
    words.resize(end);
    for (const spi::SavedGroup& g : s.groups) {
      words.push_back(g.group);
      words.push_back(uint32_t{g.place} << 16 | g.waves);
    }
  }
  const uint32_t offset = q.binding.stack_bytes - static_cast<uint32_t>(4 * words.size());
  const uint64_t base = q.binding.mqd_address + kControlStack + offset;
  const size_t bytes = 4 * words.size();
  for (size_t done = 0; done < bytes; done += memory::kBlockBytes) {
    const auto part = static_cast<unsigned>(std::min<size_t>(bytes - done, memory::kBlockBytes));
    if (!co_await me_.write(kKernelVmid, base + done, words.data() + done / 4, part)) {
      co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, base + done);
      co_return;
    }
  }
  q.stack_offset = offset;  // a stack that could not be written is not there
}

Task ContextSave::load(QueueRun& q, PacketContext& t, std::vector<SavedDispatch>& dispatches) {
  const QueueBinding& b = q.binding;
  if (b.save_area == 0 || b.stack_offset >= b.stack_bytes) co_return;
  std::vector<uint32_t> words(std::min((b.stack_bytes - b.stack_offset) / 4, kStackDwords));
  const uint64_t base = b.mqd_address + kControlStack + b.stack_offset;
  std::optional<uint64_t> fault;
  co_await read_in_turn(kKernelVmid, base, words.data(), 4 * words.size(), fault);
  if (fault) {
    t.fault(*fault);
    co_return;
  }
  std::vector<SavedDispatch> all;
  const uint64_t next = words.size() < kHeaderDwords ? 0 : wide(&words[2]);
  bool good = words.size() >= kHeaderDwords && words[0] == kMark && next >= q.published &&
              next - q.published <= q.queue.hsa_queue.size;
  size_t at = kHeaderDwords;
  for (uint32_t i = 0; good && i < words[1]; ++i) {
    SavedDispatch s;
    good = words.size() - at >= kDispatchDwords &&
           (words.size() - at - kDispatchDwords) / kGroupDwords >= words[at + 3];
    if (!good) break;
    s.index = wide(&words[at]);
    s.head = words[at + 2];
    s.next_group = wide(&words[at + 4]);
    s.groups.resize(words[at + 3]);
    at += kDispatchDwords;
    uint64_t least = 0;  // each once, in order, and started
    for (spi::SavedGroup& g : s.groups) {
      g.group = words[at];
      g.place = static_cast<uint16_t>(words[at + 1] >> 16);
      g.waves = static_cast<uint16_t>(words[at + 1]);
      at += kGroupDwords;
      good = good && g.group >= least && g.group < s.next_group;
      least = uint64_t{g.group} + 1;
    }
    good = good && s.index >= q.published && s.index < next &&
           (all.empty() || s.index > all.back().index);
    all.push_back(std::move(s));
  }
  // The read index in memory is that of the first one that is not over.
  if (!good || all.empty() || all.front().index != q.published) {
    t.error = hsa::kQueueErrorPacket;
    co_return;
  }
  // Handlers read what others have stored, perhaps elsewhere.
  FenceFault bad;
  co_await me_.fence(memory::MemOp::Writeback, Level::Near, bad);
  co_await me_.fence(memory::MemOp::Invalidate, Level::Near, bad);
  if (bad.any) {  // the stack stays as it is
    t.fault(bad.address);
    co_return;
  }
  q.restoring = true;
  q.stack_offset = b.stack_bytes;
  q.save_begin = q.save_end = words[4];
  q.read_index = next;
  auto saved = all.begin();
  for (uint64_t i = q.published; i < next; ++i) {
    if (saved != all.end() && saved->index == i) {
      ++saved;
    } else {
      q.completed.insert(i);
    }
  }
  dispatches = std::move(all);
}

}  // namespace cuvette::command_processor
