// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <cstdint>
#include <functional>
#include <map>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include "cache/cache.h"
#include "machine/core.h"
#include "memory/mem_req.h"

namespace cuvette::gpu {

/// A core as a loosely timed module: one SC_THREAD that ticks it up to a global quantum ahead of
/// the simulation, and one initiator socket that carries what its memory ports request.
///
/// Invalidate and Writeback are answered in the next cycle: there are no caches. What comes late
/// because the sender lags behind is seen at the core's next tick.
class LtShell : public sc_core::sc_module {
 public:
  /// `core` outlives the shell. `dmi`: reads and writes use DMI pointers where granted.
  LtShell(const sc_core::sc_module_name& name, machine::Core& core, const sc_core::sc_time& period,
          bool dmi);

  tlm_utils::simple_initiator_socket_optional<LtShell, 64> memory;

  /// The core's requests on `port` go through the socket. Before the simulation starts.
  void carry(cache::Cache::Port& port) { ports_.push_back({&port, 0}); }
  /// Called after every tick: carries what the core sent elsewhere and wakes the receivers.
  void after(std::function<void(machine::Cycle now)> f) { after_ = std::move(f); }
  /// A message for the core has come.
  void wake() { wake_.notify(sc_core::SC_ZERO_TIME); }
  /// Later than every tick so far.
  machine::Cycle next_tick() const { return next_tick_; }
  bool idle() const { return core_.next_event() == machine::kNever; }

 private:
  struct Served {
    cache::Cache::Port* port;
    machine::Cycle last;  // answer so far
  };
  void run();
  void tick(machine::Cycle now);
  void serve(Served& served);
  memory::MemResp access(const memory::MemReq& request, sc_core::sc_time& delay);
  bool by_dmi(const memory::MemReq& request, unsigned first, unsigned count,
              memory::MemResp& response, sc_core::sc_time& delay);
  bool by_transport(const memory::MemReq& request, unsigned first, unsigned count,
                    memory::MemResp& response, sc_core::sc_time& delay);
  bool atomic(const memory::MemReq& request, memory::MemResp& response, sc_core::sc_time& delay);
  void ask_for_dmi(tlm::tlm_generic_payload& trans);
  void drop_dmi(sc_dt::uint64 first, sc_dt::uint64 last);
  sc_core::sc_time time_of(machine::Cycle cycle) const {
    return sc_core::sc_time::from_value(period_.value() * cycle);
  }
  /// The first cycle not before `time`.
  machine::Cycle cycle_from(const sc_core::sc_time& time) const {
    return (time.value() + period_.value() - 1) / period_.value();
  }

  machine::Core& core_;
  sc_core::sc_time period_;
  bool use_dmi_;
  std::vector<Served> ports_;
  std::function<void(machine::Cycle)> after_;
  machine::Cycle next_tick_ = 0;
  tlm_utils::tlm_quantumkeeper keeper_;
  sc_core::sc_event wake_;
  std::map<uint64_t, tlm::tlm_dmi> dmi_;  // by first address
};

}  // namespace cuvette::gpu
