// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "memory/mem_req.h"

namespace cuvette::ip {

/// The messages of a memory port as the packed structs mem_req_t and mem_resp_t of memory_pkg.sv:
/// the first member is the most significant. Bit b of the struct is bit b % 8 of byte b / 8; whole
/// words of 32 bits, so that a message has the size of a Verilated port, with 0 in what is left
/// over.
inline constexpr uint32_t kMemReqBits = 917;
inline constexpr uint32_t kMemRespBits = 769;

using MemReqMessage = std::array<uint8_t, (kMemReqBits + 31) / 32 * 4>;
using MemRespMessage = std::array<uint8_t, (kMemRespBits + 31) / 32 * 4>;

/// A member of a packed struct, by its name in SystemVerilog: bits [at, at + bits).
struct MessageField {
  const char* name;
  uint32_t at;
  uint32_t bits;
};
inline constexpr unsigned kMemReqFields = 19;
inline constexpr unsigned kMemRespFields = 6;
/// In the order of the struct.
std::array<MessageField, kMemReqFields> mem_req_fields();
std::array<MessageField, kMemRespFields> mem_resp_fields();

/// Values above the range of their field lose their upper bits.
MemReqMessage pack(const memory::MemReq& request);
MemRespMessage pack(const memory::MemResp& response);
/// Takes every bit pattern: `op` and `atomic` may have a value that is no enumerator.
memory::MemReq unpack(const MemReqMessage& message);
memory::MemResp unpack(const MemRespMessage& message);

}  // namespace cuvette::ip
