// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The testbench's memory: one array behind two target sockets, for the GPU and for somebody else.
#include <cstdint>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

namespace embedding {

struct MemoryOptions {
  bool four_phase = false;   ///< answers nb_transport_fw in four phases, never at once
  bool byte_enables = true;  ///< otherwise they get TLM_BYTE_ENABLE_ERROR_RESPONSE
  bool dmi = false;          ///< grants pointers to 4 KiB pages
  sc_core::sc_time latency = sc_core::sc_time(30, sc_core::SC_NS);
};

class MemoryTarget : public sc_core::sc_module {
 public:
  static constexpr unsigned kPorts = 2;

  /// `bytes` of memory from address `base` on, all 0.
  MemoryTarget(const sc_core::sc_module_name& name, uint64_t base, size_t bytes,
               const MemoryOptions& options);

  sc_core::sc_vector<tlm_utils::simple_target_socket_tagged<MemoryTarget, 64>> ports;

  /// Moves the bytes elsewhere: pointers given out are called back, and what they point to is
  /// filled with a pattern, so that whoever still uses one is found out.
  void move();

  unsigned masked() const { return masked_; }    ///< writes with byte enables
  unsigned refused() const { return refused_; }  ///< of them
  unsigned pointers() const { return pointers_; }
  size_t moves() const { return moved_.size(); }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Port {
    bool responding = false;
    sc_core::sc_event free, ended;
  };
  void b_transport(int port, Payload& trans, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(int port, Payload& trans, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void answer(int port, Payload& trans);
  bool get_dmi(int port, Payload& trans, tlm::tlm_dmi& dmi);
  tlm::tlm_response_status serve(Payload& trans);

  uint64_t base_;
  MemoryOptions options_;
  std::unique_ptr<std::vector<uint8_t>> bytes_;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> moved_;  // kept: stale pointers stay pointers
  Port state_[kPorts];
  unsigned masked_ = 0, refused_ = 0, pointers_ = 0;
};

}  // namespace embedding
