// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <algorithm>
#include <cstdint>
#include <map>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include "base/stop_point.h"
#include "cache/cache.h"
#include "gpu/record.h"
#include "gpu/transfer.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "memory/memory_messages.h"

namespace cuvette::gpu {

/// Way of records into a channel of a core: none is visible before one that came earlier, whatever
/// the times of their senders.
template <class Record>
class Arrivals {
 public:
  explicit Arrivals(machine::Channel<Record>& channel) : channel_(&channel) {}
  void push(const Record& record, machine::Cycle at) {
    not_before(at);
    channel_->push(record, last_);
  }
  /// Records from now on are visible at `at` at the earliest.
  void not_before(machine::Cycle at) { last_ = std::max(last_, at); }

 private:
  machine::Channel<Record>* channel_;
  machine::Cycle last_ = 0;
};

/// A core as a loosely timed module: one SC_THREAD that ticks it up to a global quantum ahead of
/// the simulation, and one initiator socket that carries what its memory ports request. The shells
/// of the blocks (lt_blocks.h) add sockets for the records that blocks exchange.
///
/// Invalidate and Writeback are answered in the next cycle: there are no caches. Messages that come
/// late because the sender lags behind is seen at the core's next tick. Targets may wait in
/// b_transport.
class LtShell : public sc_core::sc_module {
 public:
  /// Form of the shell's accesses to memory.
  struct Options {
    bool dmi = false;          ///< reads and writes use DMI pointers where granted
    TransferOptions transfer;  ///< of accesses by b_transport or the four phases
  };
  /// `core` outlives the shell.
  LtShell(const sc_core::sc_module_name& name, machine::Core& core, const sc_core::sc_time& period,
          const Options& options);

  /// Requests of the ports given to carry().
  tlm_utils::simple_initiator_socket_optional<LtShell, 64> memory;

  /// The core's requests on `port` go through the socket. Before the simulation starts.
  void carry(cache::Cache::Port& port) { ports_.push_back({&port, 0}); }
  /// A message for the core has come.
  void wake() { wake_.notify(sc_core::SC_ZERO_TIME); }
  /// The thread stands still, and pauses the simulation, where `stop` says so between two ticks.
  /// Outlives the shell.
  void stop_by(base::StopPoint* stop) { stop_ = stop; }
  /// Later than every tick so far.
  machine::Cycle next_tick() const { return next_tick_; }
  virtual bool idle() const { return !working_ && core_.next_event() == machine::kNever; }

 protected:
  /// Called before every tick; ticks from `end` on wait for the simulation.
  virtual void before_tick(machine::Cycle /*end*/) {}
  /// Called after every tick: sends what the core has for others than memory.
  virtual void after_tick(machine::Cycle) {}
  const sc_core::sc_time& period() const { return period_; }
  /// Carries out a request of the core's that is sent at `delay` from now, which grows by the time
  /// it takes: by DMI where that is granted, else by transport.
  void access(const memory::MemReq& request, memory::MemResp& response, sc_core::sc_time& delay);
  /// The grant of DMI that holds `address`; null when there is none.
  const tlm::tlm_dmi* grant_at(uint64_t address) const;
  /// Number of DMI grants that have been taken back.
  uint64_t withdrawals() const { return withdrawals_; }
  /// For the transactions of the shell's thread, one at a time.
  tlm::tlm_generic_payload& payload() { return payload_; }
  /// sc_time_stamp(), without looking for the simulation.
  const sc_core::sc_time& now() const { return simcontext()->time_stamp(); }
  sc_core::sc_time time_of(machine::Cycle cycle) const {
    return sc_core::sc_time::from_value(period_.value() * cycle);
  }
  /// The first cycle not before `time`.
  machine::Cycle cycle_from(const sc_core::sc_time& time) const {
    return (time.value() + period_.value() - 1) / period_.value();
  }
  /// The cycle that the simulation is in.
  machine::Cycle this_cycle() const { return now().value() / period_.value(); }
  /// A record for the core that arrives in cycle `at`.
  template <class Record>
  void take(const Record& record, machine::Cycle at, Arrivals<Record>& to) {
    to.push(record, at);
    wake();
  }
  /// The same for the record of a transaction that has come by a socket.
  template <class Record>
  void take(tlm::tlm_generic_payload& trans, const sc_core::sc_time& delay, Arrivals<Record>& to) {
    if (const Record* record = record_of<Record>(trans)) {
      take(*record, cycle_from(now() + delay), to);
    }
  }
  /// Empties a channel of the core: calls `receive` with the cycle in which each record was sent,
  /// and the record.
  template <class Record, class Receive>
  static void drain(machine::Channel<Record>& from, Receive&& receive) {
    while (!from.empty()) {
      const machine::Cycle sent = from.next_event();
      receive(sent, *from.front(sent));
      from.drop(sent);
    }
  }
  /// Sends what is in a channel of the core by a socket, on a path of `cycles`. Nobody is at the
  /// other end of an optional socket that is not bound.
  template <class Record, class Socket>
  void send_all(machine::Channel<Record>& from, Socket& socket, machine::Cycle cycles = 0) {
    drain(from, [&](machine::Cycle sent, const Record& record) {
      if (socket.size() != 0) send_record(socket, payload_, record, until(sent + cycles));
    });
  }
  /// From now to the start of `cycle`; zero when that is past.
  sc_core::sc_time until(machine::Cycle cycle) const {
    const sc_dt::uint64 then = period_.value() * cycle;
    const sc_dt::uint64 before = now().value();
    return then > before ? sc_core::sc_time::from_value(then - before) : sc_core::SC_ZERO_TIME;
  }

 private:
  struct Served {
    cache::Cache::Port* port;
    machine::Cycle last;  // answer so far
  };
  void run();
  void look_at_time();
  void tick(machine::Cycle cycle);
  void serve(Served& served);
  bool by_dmi(const memory::MemReq& request, unsigned first, unsigned count,
              memory::MemResp& response, sc_core::sc_time& delay);
  void ask_for_dmi(const memory::MemReq& request);
  void drop_dmi(sc_dt::uint64 first, sc_dt::uint64 last);

  machine::Core& core_;
  sc_core::sc_time period_;
  Options options_;
  std::vector<Served> ports_;
  tlm::tlm_generic_payload payload_;
  base::StopPoint* stop_ = nullptr;
  bool working_ = false;  // in a tick, perhaps waiting for a target
  machine::Cycle next_tick_ = 0;
  struct Keeper : tlm_utils::tlm_quantumkeeper {
    const sc_core::sc_time& sync_point() const { return m_next_sync_point; }
  };
  Keeper keeper_;
  machine::Cycle now_cycle_ = 0;  // of the simulation
  machine::Cycle sync_from_ = 0;  // ticks from here on wait for the simulation
  sc_core::sc_event wake_;
  std::map<uint64_t, tlm::tlm_dmi> dmi_;  // by first address
  uint64_t withdrawals_ = 0;
};

}  // namespace cuvette::gpu
