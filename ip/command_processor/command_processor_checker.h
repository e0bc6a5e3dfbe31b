// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "command_processor/command_processor.h"
#include "command_processor/make_dispatch.h"
#include "ip/command_processor/read_image.h"
#include "ip/common/translations.h"
#include "ip/lockstep/rule_checked.h"

namespace cuvette::ip {

/// Packet order checker of a command processor (docs/reference/command_processor.md "A user's
/// device"): sees what crosses its pins, knows packets, kernel descriptors and queues by what the
/// device has read of them, and names the rule that a dispatch, fence or write breaks. The number
/// and size of the device's reads, and the interleaving of queues, are its choice.
///
/// Queues of PM4 packets, and queues that go on with saved waves, choose what they write and in
/// what order; of them the messages to the spi are checked, and the form of every request.
class CommandProcessorChecker {
 public:
  using Finding = std::optional<Violation>;
  using Counters = command_processor::CommandProcessor::Counters;

  /// `near`, `far`: ports to caches.
  CommandProcessorChecker(const command_processor::Config& config, unsigned near, unsigned far);

  Finding taken(unsigned channel, unsigned port, const command_processor::QueueBinding& binding,
                machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const command_processor::QueueNumber& unbind,
                machine::Cycle now);
  Finding taken(unsigned, unsigned, const command_processor::Doorbell&, machine::Cycle) {
    return std::nullopt;
  }
  Finding taken(unsigned channel, unsigned port, const command_processor::Dequeue& dequeue,
                machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const command_processor::AgentDone& done,
                machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const command_processor::RegisterDone& done,
                machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const command_processor::RegisterLaunch& launch,
                machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const memory::MemResp& answer, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const memory::TranslateResponse& answer,
                machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const spi::DispatchDone& done, machine::Cycle now);
  Finding taken(unsigned, unsigned, const spi::SavedGroup&, machine::Cycle) { return std::nullopt; }
  Finding given(unsigned channel, unsigned port, command_processor::QueueNumber& bound,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, command_processor::Interrupt& interrupt,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, command_processor::QueueStatus& status,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, command_processor::AgentDispatch& packet,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, command_processor::RegisterAccess& access,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::MemReq& request, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::TranslateRequest& request,
                machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::Dispatch& dispatch, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::Cancel& cancel, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::Save& save, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::SavedGroup& group, machine::Cycle now);
  bool busy() const { return !queues_.empty(); }
  bool owes() const { return !owed().empty(); }
  std::string owed() const;
  Finding conclude() const { return std::nullopt; }
  uint64_t checked() const { return checked_; }

  unsigned near_ports() const { return static_cast<unsigned>(near_.size()); }
  unsigned far_ports() const { return static_cast<unsigned>(far_.size()); }
  const Counters& counters() const { return counters_; }
  std::vector<command_processor::QueueReport> queues() const;

 private:
  using Event = uint64_t;  ///< number of messages that have crossed the pins
  static constexpr Event kNotYet = ~Event{0};

  /// A packet's name in reports.
  static std::string packet_text(uint32_t queue, uint64_t index);

  /// A packet of an AQL queue.
  struct Packet {
    uint64_t index = 0;
    hsa::PacketHeader header;
    hsa::KernelDispatchPacket bytes;
    Event fetched = 0;          ///< its header was valid then
    Event taken = kNotYet;      ///< its header was given back
    Event complete = kNotYet;   ///< the work of the packet has been done
    Event published = kNotYet;  ///< the read index was written behind its completion
    bool started = false;       ///< dispatch or agent_dispatch was given
    bool signaled = false;
    bool failed = false;
    uint32_t id = 0;  ///< of the dispatch
  };
  struct Queue {
    command_processor::QueueBinding binding;
    bool free = false;  ///< PM4, restored or leaving: only its messages are checked
    bool leaves = false;
    bool failed = false;
    uint32_t error = 0;               ///< that it has to tell
    uint64_t next = 0;                ///< packet that is taken next
    bool opened = false;              ///< `next` is known
    uint64_t published = 0;           ///< read index in memory
    std::optional<Packet> fetched;    ///< the next one, valid
    std::vector<uint64_t> mailboxes;  ///< of signals that were decremented, to be written once
    std::deque<Packet> packets;       ///< taken, the oldest not complete first
  };
  /// Requests of one cache port.
  struct Fence {
    Event written_back = 0, asked_back = 0;  ///< answer, and request of it, of the last Writeback
    Event invalidated = 0, asked = 0;        ///< of the last Invalidate
  };

  Event event() { return ++events_; }
  bool open(Queue& queue);
  uint64_t slot(const Queue& queue, uint64_t index) const;
  std::optional<hsa::AmdQueue> object(const Queue& queue) const;
  std::optional<uint64_t> physical(const Queue& queue, uint64_t va) const {
    return va == 0 ? std::nullopt : translations_.physical(queue.binding.vmid, va);
  }
  void look_at_next(Queue& queue);
  Finding check_form(const memory::MemReq& request) const;
  Finding check_write(const memory::MemReq& request);
  Finding check_atomic(const memory::MemReq& request);
  Finding take_packet(uint32_t number, Queue& queue);
  Finding publish(Queue& queue, const memory::MemReq& request);
  Finding check_dispatch(uint32_t number, Queue& queue, spi::Dispatch& dispatch);
  bool acquired(const Packet& packet) const;
  bool released(const Packet& packet) const;
  bool is_written_freely(Queue& queue, uint64_t pa);
  void settle(Queue& queue);
  Packet* find_dispatch(uint32_t id, Queue** queue = nullptr);

  command_processor::Config config_;
  std::map<uint32_t, Queue> queues_;
  uint32_t next_number_ = 0;  ///< of the next binding: they count up from 0
  std::deque<uint32_t> to_bind_;
  bool any_free_ = false;  ///< some queue is or was free: writes may be its own
  ReadImage image_;
  Translations translations_;
  std::map<uint32_t, memory::TranslateRequest> translating_;
  std::unordered_map<uint64_t, memory::MemReq> asked_;  ///< memory port
  std::vector<Fence> near_, far_;
  std::map<std::pair<unsigned, uint64_t>, std::pair<memory::MemOp, Event>> fencing_;
  std::deque<command_processor::RegisterLaunch> launches_;
  std::map<uint32_t, uint32_t> grids_;     ///< dispatches from registers, and queue
  std::map<uint32_t, uint32_t> agents_;    ///< agent dispatches under way, by id, and queue
  std::map<uint32_t, uint32_t> accesses_;  ///< register accesses under way, by id, and queue
  Event events_ = 0;
  uint32_t sequence_ = 0;
  uint64_t checked_ = 0;
  Counters counters_;
};

}  // namespace cuvette::ip
