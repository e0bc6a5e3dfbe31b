// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/four_phase.h"
#include "gpu/transfer.h"
#include "memory/memory.h"

/// Memory outside the GPU, behind one TLM-2.0 initiator socket (docs/gpu.md "Outside memory").
namespace cuvette::gpu {

/// Who hears what a MemorySocket says backwards.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  virtual void invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last) = 0;
  virtual tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) = 0;
};
/// May stay unbound when the GPU has its own memory.
using MemorySocket = tlm_utils::simple_initiator_socket_optional<MemoryClient, 64>;

struct OutsideCounters {
  uint64_t accesses = 0;          ///< transactions that went out, DMI apart
  uint64_t emulated_atomics = 0;  ///< the target ignored AtomicExtension: a read and a write
};

/// Engine ca: the memory block of the machine. Its core hands requests to
/// TransferOptions::outstanding SC_THREADs, which take them in order of their time and then of
/// their port, each one after the other, and may wait in the transport. A request, and those behind
/// it, wait for an earlier one to the same block. An answer is back `way_cycles` after the target
/// has given it.
///
/// `way_cycles` is at least the lookahead of the machine, so that an answer never comes into a
/// cycle that has already run.
class OutsideMemory final : public memory::Memory, public MemoryClient {
 public:
  OutsideMemory(unsigned ports, const sc_core::sc_time& period, uint32_t way_cycles,
                const TransferOptions& options);

  /// Spawns the threads: call it inside the construction of the module that has the socket.
  /// `answered` is called when an answer will be there at `at`.
  void start(MemorySocket& socket, std::function<void(machine::Cycle at)> answered);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  Port& port(unsigned index) override { return *ports_[index]; }
  Traffic traffic() const override { return traffic_; }

  bool busy() const { return !requests_.empty() || !under_way_.empty(); }
  const OutsideCounters& counters() const { return counters_; }

 private:
  struct Request {
    unsigned port = 0;
    machine::Cycle time = 0;
    memory::MemReq what;
  };
  struct Answer {
    unsigned port = 0;
    machine::Cycle time = 0;
    memory::MemResp what;
  };
  void run();
  void serve(const Request& request);
  void invalidate_dmi(sc_dt::uint64, sc_dt::uint64) override {}  // it asks for no pointers
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  sc_core::sc_time time_of(machine::Cycle cycle) const {
    return sc_core::sc_time::from_value(period_.value() * cycle);
  }

  sc_core::sc_time period_;
  uint32_t way_cycles_;
  TransferOptions options_;
  MemorySocket* socket_ = nullptr;
  std::unique_ptr<FourPhase> four_phase_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::deque<Request> requests_;
  std::deque<Answer> answers_;       // by time
  std::vector<uint64_t> under_way_;  // blocks
  uint64_t next_serial_ = 1;
  sc_core::sc_event asked_, served_;
  std::function<void(machine::Cycle)> answered_;
  OutsideCounters counters_;
  Traffic traffic_;
};

/// Engine lt: many initiators to one. Passes transactions and DMI through; an atomic operation goes
/// alone, with all others waiting, and when the target ignores AtomicExtension it is a read and a
/// write here, or done through a DMI pointer where the target grants one: nothing that comes
/// through the bus or by DMI gets in between.
class OutsideBus final : public sc_core::sc_module, public MemoryClient {
 public:
  /// `out` belongs to the module around and outlives the bus.
  OutsideBus(const sc_core::sc_module_name& name, unsigned initiators, MemorySocket& out);

  sc_core::sc_vector<tlm_utils::simple_target_socket<OutsideBus, 64>> sockets;

  const OutsideCounters& counters() const { return counters_; }

 private:
  void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  void alone(tlm::tlm_generic_payload& trans, AtomicExtension& atomic, sc_core::sc_time& delay);
  bool by_dmi(tlm::tlm_generic_payload& trans, const AtomicExtension& atomic);
  bool get_dmi(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& trans);
  void invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;

  MemorySocket& out_;
  bool exclusive_ = false;
  unsigned under_way_ = 0;  // transactions that are no atomics
  sc_core::sc_event left_;
  OutsideCounters counters_;
};

}  // namespace cuvette::gpu
