// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::sdma {

/// Bits `high` to `low`, both included, of a dword of a packet, counted from its header.
struct Field {
  uint8_t dword = 0, low = 0, high = 0;  ///< bits 0 to 31

  constexpr uint32_t mask() const {
    return (high - low == 31 ? ~0u : (1u << (high - low + 1)) - 1) << low;
  }
  constexpr uint32_t get(const uint32_t* packet) const { return (packet[dword] & mask()) >> low; }
};

/// Use of a field by the engine (docs/reference/sdma.md).
enum class Use : uint8_t {
  Key,      ///< tells which packet it is
  Used,     ///< has an effect
  Zero,     ///< another value than 0 is refused by name
  Any,      ///< every value means the same
  Refused,  ///< the packet is refused by name
};

enum class Packet : uint8_t;

/// A row of model/sdma/packets.csv.
struct Row {
  Packet packet;
  const char* name;  ///< of the packet
  int op = -1;       ///< -1: not known by an op
  int sub_op = -1;   ///< -1: the packet has none
  Field field;
  const char* field_name = nullptr;
  Use use = Use::Used;
};

}  // namespace cuvette::sdma
