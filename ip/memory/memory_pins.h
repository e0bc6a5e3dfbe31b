// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ip/memory/memory_port_monitor.h"

/// MemoryPortPins to and from a Verilated module with one memory port under the names of
/// docs/reference/contracts.md. Templates, because each build of RTL has a class of its own.
namespace cuvette::ip {

/// A message and the port it travels on: both are whole words of 32 bits.
template <class Port, class Message>
void put_message(Port& port, const Message& message) {
  static_assert(sizeof(Port) == sizeof(Message), "the port has another width");
  std::memcpy(&port, message.data(), sizeof(Port));
}
template <class Port, class Message>
void get_message(const Port& port, Message& message) {
  static_assert(sizeof(Port) == sizeof(Message), "the port has another width");
  std::memcpy(message.data(), &port, sizeof(Port));
}

/// The module is a memory: a MemoryPortDriver's pins to it, then, when it has settled, its own
/// back.
template <class Model>
void to_memory(Model& model, const MemoryPortPins& pins) {
  model.request_valid_i = pins.request_valid;
  put_message(model.request_i, pins.request);
  model.response_ready_i = pins.response_ready;
}
template <class Model>
void from_memory(const Model& model, MemoryPortPins& pins) {
  pins.request_ready = model.request_ready_o != 0;
  pins.response_valid = model.response_valid_o != 0;
  get_message(model.response_o, pins.response);
}

/// The module is a requester: a MemoryPortServer's pins to it, then its own back.
template <class Model>
void to_requester(Model& model, const MemoryPortPins& pins) {
  model.request_ready_i = pins.request_ready;
  model.response_valid_i = pins.response_valid;
  put_message(model.response_i, pins.response);
}
template <class Model>
void from_requester(const Model& model, MemoryPortPins& pins) {
  pins.request_valid = model.request_valid_o != 0;
  get_message(model.request_o, pins.request);
  pins.response_ready = model.response_ready_o != 0;
}

}  // namespace cuvette::ip
