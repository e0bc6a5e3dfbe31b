// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>
#include <type_traits>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/payload.h"

/// Records that blocks exchange (dispatches, wave launches, ended waves), as TLM-2.0 transactions.
/// Every kind has a protocol type of its own, so a socket of another kind, or of the base protocol,
/// does not bind. A transaction is a write of one record at address 0: the data pointer is to the
/// record, valid during the call; delay is when it arrives. Targets take it at once, keep a copy
/// and never wait; nothing is answered but the response status.
namespace cuvette::gpu {

template <class Record>
struct RecordProtocol {
  static_assert(std::is_trivially_copyable_v<Record>, "a record is its bytes");
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

template <class Module, class Record>
using RecordInitiator = tlm_utils::simple_initiator_socket<Module, 64, RecordProtocol<Record>>;
template <class Module, class Record>
using RecordTarget = tlm_utils::simple_target_socket<Module, 64, RecordProtocol<Record>>;
template <class Module, class Record>
using TaggedRecordTarget =
    tlm_utils::simple_target_socket_tagged<Module, 64, RecordProtocol<Record>>;

/// Sockets that may stay unbound: nothing is sent then.
template <class Module, class Record>
using OptionalRecordInitiator =
    tlm_utils::simple_initiator_socket_optional<Module, 64, RecordProtocol<Record>>;
template <class Module, class Record>
using OptionalRecordTarget =
    tlm_utils::simple_target_socket_optional<Module, 64, RecordProtocol<Record>>;

/// Sends a record that arrives after `delay`, with `trans` as the payload: one that nobody uses,
/// without extensions.
template <class Socket, class Record>
void send_record(Socket& socket, tlm::tlm_generic_payload& trans, const Record& record,
                 sc_core::sc_time delay) {
  trans.set_command(tlm::TLM_WRITE_COMMAND);
  trans.set_address(0);
  // Nobody writes through the pointer of a write.
  trans.set_data_ptr(reinterpret_cast<unsigned char*>(const_cast<Record*>(&record)));
  trans.set_data_length(sizeof(Record));
  trans.set_streaming_width(sizeof(Record));
  trans.set_byte_enable_ptr(nullptr);
  trans.set_dmi_allowed(false);
  trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket->b_transport(trans, delay);
  sc_assert(trans.is_response_ok());
}
/// The same with a payload of its own.
template <class Socket, class Record>
void send_record(Socket& socket, const Record& record, sc_core::sc_time delay) {
  Payload payload;
  send_record(socket, *payload, record, delay);
}

/// The record of a transaction, and the response status; null for one that is not a write of one.
template <class Record>
const Record* record_of(tlm::tlm_generic_payload& trans) {
  if (!trans.is_write() || trans.get_address() != 0) {
    trans.set_response_status(trans.is_write() ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                               : tlm::TLM_COMMAND_ERROR_RESPONSE);
    return nullptr;
  }
  if (trans.get_data_length() != sizeof(Record) || trans.get_byte_enable_ptr() != nullptr) {
    trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return nullptr;
  }
  trans.set_response_status(tlm::TLM_OK_RESPONSE);
  return reinterpret_cast<const Record*>(trans.get_data_ptr());
}

}  // namespace cuvette::gpu
