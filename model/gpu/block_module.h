// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "gpu/record.h"
#include "machine/channel.h"
#include "machine/contract.h"
#include "machine/core.h"

namespace cuvette::gpu {

/// Channels of a block that are no members of its class but are connected to it: none by default.
template <class Core>
struct ConnectedPorts {
  explicit ConnectedPorts(Core&) {}
  template <class V>
  void visit(V&&) {}
};

/// A block alone as a SystemC module: a TLM-2.0 socket for every channel of its contract and every
/// port, and one process that ticks the core in the cycles in which it has anything to do.
///
/// A message is one transaction of RecordProtocol (gpu/record.h): a channel to the block is a
/// target socket, one from the block an initiator socket, which must be bound. A sender waits in
/// b_transport while the channel is full, so that it has to be a thread then; a receiver must not
/// wait. Messages are visible to the core in the first cycle at or after their time; messages of
/// the block are sent in the cycle in which they are visible.
template <class Core>
class BlockModule : public sc_core::sc_module {
 public:
  /// `channels`: kChannels of the block. A period of 0 is a fatal report.
  template <size_t kCount>
  BlockModule(const sc_core::sc_module_name& name, const contract::ChannelInfo (&channels)[kCount],
              std::unique_ptr<Core> core, const sc_core::sc_time& period)
      : sc_module(name),
        core_(std::move(core)),
        connected_(*core_),
        infos_(channels),
        period_(period) {
    if (period == sc_core::SC_ZERO_TIME) SC_REPORT_FATAL(this->name(), "a period of 0 s");
    visit_channels(*core_, Build{*this});
    connected_.visit(Build{*this});
    sc_core::sc_spawn_options options;
    sc_core::sc_spawn([this] { run(); }, "run", &options);
  }

  /// The socket of a channel to the block. An unknown name, or another message, is a fatal report.
  template <class M>
  auto& in(const std::string& channel, unsigned port = 0) {
    return find<InEnd<M>>(channel, port).socket;
  }
  /// The socket of a channel from the block.
  template <class M>
  auto& out(const std::string& channel, unsigned port = 0) {
    return find<OutEnd<M>>(channel, port).socket;
  }
  Core& core() { return *core_; }
  const sc_core::sc_time& period() const { return period_; }

 private:
  struct End {
    End(unsigned c, unsigned p) : channel(c), port(p) {}
    virtual ~End() = default;
    virtual machine::Cycle next_event() const = 0;
    /// Sends what is visible.
    virtual void send(machine::Cycle) {}
    unsigned channel, port;
  };
  template <class M>
  struct InEnd final : End {
    InEnd(BlockModule& o, unsigned c, unsigned p, const char* name, machine::Channel<M>& to)
        : End(c, p), owner(o), into(to), socket(name) {
      socket.register_b_transport(this, &InEnd::take);
    }
    void take(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
      const M* record = record_of<M>(trans);
      if (record == nullptr) return;
      const M message = *record;
      machine::Cycle now = owner.cycle_at(sc_core::sc_time_stamp());
      while (!into.can_push(now)) {
        sc_core::wait(owner.ticked_);
        now = owner.cycle_at(sc_core::sc_time_stamp());
      }
      last = std::max({last, now, owner.cycle_at(sc_core::sc_time_stamp() + delay)});
      into.push(message, last);
      owner.wake_.notify(sc_core::SC_ZERO_TIME);
    }
    machine::Cycle next_event() const override { return into.next_event(); }
    BlockModule& owner;
    machine::Channel<M>& into;
    machine::Cycle last = 0;
    tlm_utils::simple_target_socket<InEnd, 64, RecordProtocol<M>> socket;
  };
  template <class M>
  struct OutEnd final : End {
    OutEnd(unsigned c, unsigned p, const char* name, machine::Channel<M>& from)
        : End(c, p), source(from), socket(name) {}
    machine::Cycle next_event() const override { return source.next_event(); }
    void send(machine::Cycle now) override {
      while (const M* message = source.front(now)) {
        send_record(socket, *message, sc_core::SC_ZERO_TIME);
        source.drop(now);
      }
    }
    machine::Channel<M>& source;
    tlm_utils::simple_initiator_socket<OutEnd, 64, RecordProtocol<M>> socket;
  };
  struct Build {
    BlockModule& owner;
    template <class M>
    void in(unsigned channel, unsigned port, machine::Channel<M>& to) {
      owner.ends_.push_back(
          std::make_unique<InEnd<M>>(owner, channel, port, name(channel, port).c_str(), to));
    }
    template <class M>
    void out(unsigned channel, unsigned port, machine::Channel<M>& from) {
      owner.ends_.push_back(
          std::make_unique<OutEnd<M>>(channel, port, name(channel, port).c_str(), from));
    }
    std::string name(unsigned channel, unsigned port) const {
      const contract::ChannelInfo& info = owner.infos_[channel];
      return info.parameter != 0 || info.count > 1 ? info.name + ("_" + std::to_string(port))
                                                   : info.name;
    }
  };

  template <class Wanted>
  Wanted& find(const std::string& channel, unsigned port) {
    for (const auto& end : ends_) {
      if (infos_[end->channel].name != channel || end->port != port) continue;
      if (auto* found = dynamic_cast<Wanted*>(end.get())) return *found;
    }
    const std::string what =
        "no such channel with this message: " + channel + ", port " + std::to_string(port);
    SC_REPORT_FATAL(name(), what.c_str());
    std::abort();
  }
  /// The first cycle not before a time.
  machine::Cycle cycle_at(const sc_core::sc_time& time) const {
    return (time.value() + period_.value() - 1) / period_.value();
  }
  void run() {
    for (;;) {
      machine::Cycle next = core_->next_event();
      for (const auto& end : ends_) next = std::min(next, end->next_event());
      const machine::Cycle now = cycle_at(sc_core::sc_time_stamp());
      const machine::Cycle at = std::max(next, next_tick_);
      if (next == machine::kNever) {
        sc_core::wait(wake_);
      } else if (at > now) {
        const auto time = sc_core::sc_time::from_value(period_.value() * at);
        sc_core::wait(time - sc_core::sc_time_stamp(), wake_);
      } else {
        core_->tick(now);
        next_tick_ = now + 1;
        for (const auto& end : ends_) end->send(now);
        ticked_.notify(sc_core::SC_ZERO_TIME);
      }
    }
  }

  std::unique_ptr<Core> core_;
  ConnectedPorts<Core> connected_;
  const contract::ChannelInfo* infos_;
  sc_core::sc_time period_;
  std::vector<std::unique_ptr<End>> ends_;
  sc_core::sc_event wake_, ticked_;
  machine::Cycle next_tick_ = 0;
};

}  // namespace cuvette::gpu
