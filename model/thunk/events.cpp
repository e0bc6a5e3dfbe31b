// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/events.h"

#include <algorithm>

namespace cuvette::thunk {

EventTable::EventTable(uint64_t* mailboxes) : mailboxes_(mailboxes) {
  std::fill_n(mailboxes, kMost, kEmpty);
}

/// Whoever waits has been woken, even if another one of them goes on first. Who has looked at what
/// the event stands for and is about to wait would miss a signal that went to the others alone.
void EventTable::signal(Event& event) {
  event.signaled = true;
  for (Watch* w : event.watches) w->woken = true;
  changed_.notify_all();
}

/// Empties the mailbox for the next time.
void EventTable::raise(Event& event) {
  signal(event);
  __atomic_store_n(mailboxes_ + event.shown.EventId, kEmpty, __ATOMIC_RELEASE);
}

EventTable::Event* EventTable::find(const HsaEvent* event) {
  const auto found = by_handle_.find(event);
  return found == by_handle_.end() ? nullptr : found->second;
}

HsaEvent* EventTable::create(const HsaEventDescriptor& descriptor, bool manual_reset,
                             bool signaled) {
  const std::lock_guard lock(mutex_);
  if (events_.size() >= kMost - 1) return nullptr;
  do {
    last_id_ = last_id_ % (kMost - 1) + 1;  // mailbox 0 belongs to nobody
  } while (events_.count(last_id_) != 0);
  const uint32_t id = last_id_;
  auto made = std::make_unique<Event>();
  made->manual = manual_reset;
  made->signaled = signaled;
  HsaEvent& e = made->shown;
  e.EventId = id;
  e.EventData.EventType = descriptor.EventType;
  e.EventData.EventData.SyncVar = descriptor.SyncVar;
  e.EventData.HWData1 = id;
  e.EventData.HWData2 = reinterpret_cast<uint64_t>(mailboxes_ + id);
  e.EventData.HWData3 = id;
  by_handle_[&e] = made.get();
  events_[id] = std::move(made);
  return &e;
}

bool EventTable::destroy(HsaEvent* event) {
  const std::lock_guard lock(mutex_);
  const Event* e = find(event);
  if (e == nullptr) return false;
  for (Watch* w : e->watches) w->event = nullptr;
  by_handle_.erase(event);
  events_.erase(e->shown.EventId);
  changed_.notify_all();
  return true;
}

bool EventTable::is_live(const HsaEvent* event) {
  const std::lock_guard lock(mutex_);
  return find(event) != nullptr;
}

void EventTable::set(HsaEvent* event, bool signaled) {
  const std::lock_guard lock(mutex_);
  Event* e = find(event);
  if (e == nullptr) return;
  if (signaled) return signal(*e);
  e->signaled = false;
}

size_t EventTable::waiters(const HsaEvent* event) {
  const std::lock_guard lock(mutex_);
  const Event* e = find(event);
  return e == nullptr ? 0 : e->watches.size();
}

void EventTable::raise(uint32_t id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = events_.find(id); found != events_.end()) {
    raise(*found->second);
  } else {
    for (auto& [any, e] : events_) {
      if (__atomic_load_n(mailboxes_ + any, __ATOMIC_ACQUIRE) != kEmpty) raise(*e);
    }
  }
}

void EventTable::raise_memory_fault(const HsaMemoryAccessFault& fault) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, e] : events_) {
    if (e->shown.EventData.EventType != HSA_EVENTTYPE_MEMORY) continue;
    e->fault = fault;
    e->has_fault = true;
    signal(*e);
  }
}

void EventTable::raise_hardware_exception() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, e] : events_) {
    if (e->shown.EventData.EventType == HSA_EVENTTYPE_HW_EXCEPTION) signal(*e);
  }
}

bool EventTable::has_memory_events() {
  const std::lock_guard lock(mutex_);
  return std::any_of(events_.begin(), events_.end(), [](const auto& e) {
    return e.second->shown.EventData.EventType == HSA_EVENTTYPE_MEMORY;
  });
}

HSAKMT_STATUS EventTable::wait(HsaEvent* const* events, uint32_t count, bool all,
                               uint32_t milliseconds) {
  std::unique_lock lock(mutex_);
  std::vector<Watch> watches(count);
  for (uint32_t i = 0; i < count; ++i) {
    Watch& w = watches[i];
    w.event = find(events[i]);
    if (w.event == nullptr) continue;
    w.woken = w.event->signaled;
    w.event->watches.push_back(&w);
  }
  for (Watch& w : watches) {
    if (w.event != nullptr && !w.event->manual) w.event->signaled = false;
  }
  const auto is_destroyed = [](const Watch& w) { return w.event == nullptr; };
  const auto is_woken = [](const Watch& w) { return w.woken; };
  const auto is_over = [&] {
    if (std::any_of(watches.begin(), watches.end(), is_destroyed)) return true;
    return all ? std::all_of(watches.begin(), watches.end(), is_woken)
               : std::any_of(watches.begin(), watches.end(), is_woken);
  };
  bool in_time = true;
  if (milliseconds == HSA_EVENTTIMEOUT_INFINITE) {
    changed_.wait(lock, is_over);
  } else {
    in_time = changed_.wait_for(lock, std::chrono::milliseconds(milliseconds), is_over);
  }
  const bool gone = std::any_of(watches.begin(), watches.end(), is_destroyed);
  for (Watch& w : watches) {
    if (w.event == nullptr) continue;
    Event& e = *w.event;
    std::erase(e.watches, &w);
    if (!w.woken) continue;
    if (!in_time || gone) {  // nobody has been told
      e.signaled = true;
      continue;
    }
    if (e.has_fault) e.shown.EventData.EventData.MemoryAccessFault = e.fault;
    e.has_fault = false;
  }
  if (gone) return HSAKMT_STATUS_WAIT_FAILURE;
  return in_time ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_WAIT_TIMEOUT;
}

}  // namespace cuvette::thunk
