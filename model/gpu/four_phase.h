// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>

namespace cuvette::gpu {

/// Blocking transport made of the four phases of the base protocol (IEEE 1666-2011 15.2): who calls
/// b_transport, from an SC_THREAD, has nb_transport done with the target and waits meanwhile. Calls
/// may overlap; their requests reach the target one at a time in the order of the calls, responses
/// come back in any order, and each is ended in the moment it begins.
class FourPhase final : public tlm::tlm_fw_transport_if<> {
 public:
  /// `target` outlives this; what it calls backwards has to go to nb_transport_bw() here.
  explicit FourPhase(tlm::tlm_fw_transport_if<>& target);
  ~FourPhase() override;

  void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return target_.nb_transport_fw(trans, phase, delay);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) override {
    return target_.get_direct_mem_ptr(trans, dmi);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& trans) override {
    return target_.transport_dbg(trans);
  }

 private:
  /// A transaction on its way, kept until the target has let go of it.
  struct Transaction;
  class Pool;
  struct Step {
    sc_core::sc_time at;
    tlm::tlm_phase phase;
  };

  void take_request_channel();
  void give_request_channel();
  bool step(Transaction& t, const tlm::tlm_phase& phase);

  tlm::tlm_fw_transport_if<>& target_;
  std::unique_ptr<Pool> pool_;
  uint64_t last_ticket_ = 0, served_ticket_ = 0;  // turns on the request channel
  sc_core::sc_event request_free_;
};

}  // namespace cuvette::gpu
