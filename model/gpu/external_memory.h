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

/// Memory outside the GPU, behind one TLM-2.0 initiator socket (gpu.md "External memory").
namespace cuvette::gpu {

/// Client of a MemorySocket: receives the backward calls of the memory. A socket has one, which
/// tells others.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// DMI pointers into [first, last] are invalid from now on.
  virtual void invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last) = 0;
  virtual tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) = 0;
};
/// May stay unbound when the GPU has its own memory.
using MemorySocket = tlm_utils::simple_initiator_socket_optional<MemoryClient, 64>;

/// Counters of external memory since construction.
struct ExternalMemoryCounters {
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
class ExternalMemory final : public memory::Memory, public MemoryClient {
 public:
  ExternalMemory(unsigned ports, const sc_core::sc_time& period, uint32_t way_cycles,
                 const TransferOptions& options);

  /// Spawns the threads: call it inside the construction of the module that has the socket.
  /// `answered` is called when an answer will be there at `at`. `sharer`: uses the socket as well
  /// and is called when its pointers become invalid; null: none.
  void start(MemorySocket& socket, MemoryClient* sharer,
             std::function<void(machine::Cycle at)> answered);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  Port& port(unsigned index) override { return *ports_[index]; }
  Traffic traffic() const override { return traffic_; }

  /// Requests wait or are under way.
  bool busy() const { return !requests_.empty() || !under_way_.empty(); }
  const ExternalMemoryCounters& counters() const { return counters_; }

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
  void invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  sc_core::sc_time time_of(machine::Cycle cycle) const {
    return sc_core::sc_time::from_value(period_.value() * cycle);
  }

  sc_core::sc_time period_;
  uint32_t way_cycles_;
  TransferOptions options_;
  MemorySocket* socket_ = nullptr;
  MemoryClient* sharer_ = nullptr;
  std::unique_ptr<FourPhase> four_phase_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::deque<Request> requests_;
  std::deque<Answer> answers_;       // by time
  std::vector<uint64_t> under_way_;  // blocks
  uint64_t next_serial_ = 1;
  sc_core::sc_event asked_, served_;
  std::function<void(machine::Cycle)> answered_;
  ExternalMemoryCounters counters_;
  Traffic traffic_;
};

/// Arbiter of several initiators for one memory socket. Passes transactions and DMI through; an
/// atomic operation goes alone, with all others waiting, and when the target ignores
/// AtomicExtension it is a read and a write here, or done through a DMI pointer where the target
/// grants one: nothing that comes through the bus or by DMI gets in between.
class ExternalMemoryBus final : public sc_core::sc_module, public MemoryClient {
 public:
  /// `out` belongs to the module around and outlives the bus.
  ExternalMemoryBus(const sc_core::sc_module_name& name, unsigned initiators, MemorySocket& out);
  /// Becomes the client of `out`. Otherwise the client passes on what invalidate_dmi() takes.
  void listen() { out_.register_invalidate_direct_mem_ptr(this, &MemoryClient::invalidate_dmi); }
  void invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last) override;

  /// One for each initiator.
  sc_core::sc_vector<tlm_utils::simple_target_socket<ExternalMemoryBus, 64>> sockets;

  const ExternalMemoryCounters& counters() const { return counters_; }

 private:
  void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  void alone(tlm::tlm_generic_payload& trans, AtomicExtension& atomic, sc_core::sc_time& delay);
  bool by_dmi(tlm::tlm_generic_payload& trans, const AtomicExtension& atomic);
  bool get_dmi(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& trans);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;

  MemorySocket& out_;
  bool exclusive_ = false;
  unsigned under_way_ = 0;  // transactions that are no atomics
  sc_core::sc_event left_;
  ExternalMemoryCounters counters_;
};

}  // namespace cuvette::gpu
