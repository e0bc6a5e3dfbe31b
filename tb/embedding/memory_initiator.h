// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The second initiator's way to memory: by b_transport, or in four phases.
#include <cstdint>
#include <systemc>
#include <tlm>

#include <tlm_utils/simple_initiator_socket.h>

namespace embedding {

class MemoryInitiator : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  MemoryInitiator(const sc_core::sc_module_name& name, bool four_phase)
      : sc_module(name), socket("socket"), four_phase_(four_phase) {
    socket.register_nb_transport_bw(this, &MemoryInitiator::nb_transport_bw);
  }
  tlm_utils::simple_initiator_socket<MemoryInitiator, 64> socket;

  /// In pieces of at most 64 bytes, never across a multiple of 64. From a thread. False: refused.
  bool read(uint64_t address, void* data, unsigned bytes) {
    return access(tlm::TLM_READ_COMMAND, address, static_cast<uint8_t*>(data), bytes);
  }
  bool write(uint64_t address, const void* data, unsigned bytes) {
    return access(tlm::TLM_WRITE_COMMAND, address,
                  const_cast<uint8_t*>(static_cast<const uint8_t*>(data)), bytes);
  }
  template <class T>
  T get(uint64_t address) {
    T value{};
    read(address, &value, sizeof value);
    return value;
  }
  template <class T>
  bool put(uint64_t address, const T& value) {
    return write(address, &value, sizeof value);
  }

 private:
  bool access(tlm::tlm_command command, uint64_t address, uint8_t* data, unsigned bytes) {
    bool good = true;
    for (unsigned done = 0; done < bytes;) {
      const auto room = static_cast<unsigned>(64 - (address + done) % 64);
      const unsigned piece = bytes - done < room ? bytes - done : room;
      good = transport(command, address + done, data + done, piece) && good;
      done += piece;
    }
    return good;
  }

  bool transport(tlm::tlm_command command, uint64_t address, uint8_t* data, unsigned bytes) {
    auto* t = new tlm::tlm_generic_payload(this);
    t->acquire();
    t->set_command(command);
    t->set_address(address);
    t->set_data_ptr(data);
    t->set_data_length(bytes);
    t->set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (four_phase_) {
      phases(*t, delay);
    } else {
      socket->b_transport(*t, delay);
    }
    wait(delay);
    const bool good = t->is_response_ok();
    t->release();
    return good;
  }

  /// Sends one transaction at a time, so only the response has to be waited for. Answers that a
  /// target gives at once are not expected here.
  void phases(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (socket->nb_transport_fw(t, phase, delay) != tlm::TLM_ACCEPTED) {
      SC_REPORT_FATAL("embedding", "the target was to accept and answer later");
    }
    wait(responded_);
    phase = tlm::END_RESP;
    delay = sc_core::SC_ZERO_TIME;
    (void)socket->nb_transport_fw(t, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                     sc_core::sc_time&) {
    if (phase == tlm::BEGIN_RESP) responded_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }
  void free(tlm::tlm_generic_payload* trans) override { delete trans; }

  bool four_phase_;
  sc_core::sc_event responded_;
};

}  // namespace embedding
