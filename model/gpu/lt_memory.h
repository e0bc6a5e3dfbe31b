// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <array>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

#include <tlm_utils/simple_target_socket.h>

#include "gpu/atomic_extension.h"
#include "gpu/doorbell_aperture.h"
#include "hsa/memory.h"

namespace cuvette::gpu {

/// Memory as a loosely timed TLM-2.0 target on a Backing: one socket per initiator, reads and
/// writes of any length with byte enables, atomics by AtomicExtension, transport_dbg, and DMI
/// wherever the backing has a host pointer. Never waits: `access` is added to the delay.
///
/// Reads give 0 for bytes that do not exist as long as one byte of every 64 does; everything else
/// that does not exist is an address error. Streaming is a burst error.
class LtMemory : public sc_core::sc_module {
 public:
  /// `backing` outlives the memory.
  LtMemory(const sc_core::sc_module_name& name, hsa::Backing& backing,
           const sc_core::sc_time& access, unsigned initiators);

  /// One per initiator; physical addresses.
  sc_core::sc_vector<tlm_utils::simple_target_socket<LtMemory, 64>> sockets;

  /// Stores into `doorbells` ring and reach no memory, so there is no DMI to what lies behind; who
  /// moves the doorbells calls invalidate_dmi().
  using Ring = std::function<void(const command_processor::Doorbell&)>;
  void connect_doorbells(const DoorbellAperture& doorbells, Ring ring) {
    doorbells_ = &doorbells;
    ring_ = std::move(ring);
  }

  /// Takes every DMI pointer back. Needed before a range of the backing is removed.
  void invalidate_dmi();

 private:
  void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  bool get_dmi(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& trans);
  bool copy(tlm::tlm_generic_payload& trans);
  bool perform(tlm::tlm_generic_payload& trans, AtomicExtension& atomic);
  bool is_direct(uint64_t address);
  uint8_t* place_of(uint64_t first, uint64_t bytes);

  hsa::Backing& backing_;
  sc_core::sc_time access_;
  const DoorbellAperture* doorbells_ = nullptr;
  Ring ring_;
  /// Pages of 4 KiB that were found in one place of the host, by their number: most DMI hints are
  /// about one of them. Each is a page number plus 1.
  std::array<uint64_t, 16> direct_{};
};

}  // namespace cuvette::gpu
