// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// PM4 packets that the compute micro engine takes from an indirect buffer (names and bits of the
/// public MEC headers; tests/ledger/gfx9_packets.csv).
namespace cuvette::command_processor::pm4 {

enum class Opcode : uint8_t {
  Nop = 0x10,
  WriteData = 0x37,
  WaitRegMem = 0x3c,
  IndirectBuffer = 0x3f,
  CopyData = 0x40,
  ReleaseMem = 0x49,
  AcquireMem = 0x58,
};

/// Type-3 header: bits 31:30 = 3, 29:16 body dwords - 1, 15:8 opcode.
constexpr uint32_t header(Opcode opcode, unsigned body) {
  return 3u << 30 | (body - 1) << 16 | static_cast<uint32_t>(opcode) << 8;
}
constexpr unsigned type_of(uint32_t word) {
  return word >> 30;
}
constexpr unsigned body_of(uint32_t word) {
  return (word >> 16 & 0x3fff) + 1;
}
constexpr Opcode opcode_of(uint32_t word) {
  return static_cast<Opcode>(word >> 8 & 0xff);
}
/// The filler of one dword, and the NOP whose count says the same.
constexpr uint32_t kFiller = 0x80000000;
constexpr unsigned kNopAlone = 0x4000;

/// INDIRECT_BUFFER, last dword.
constexpr uint32_t kIbSize = 0xfffff;  ///< dwords
constexpr uint32_t kIbChain = 1 << 20;
constexpr uint32_t kIbValid = 1 << 23;

/// ACQUIRE_MEM, coher_cntl.
constexpr uint32_t kAcquireVectorL1 = 1 << 22 | 1 << 15;  ///< all lines, volatile lines
constexpr uint32_t kAcquireScalar = 1 << 27 | 1 << 28;    ///< the same of the scalar cache
constexpr uint32_t kAcquireInstruction = 1 << 29;
constexpr uint32_t kAcquireScalarWriteback = 1 << 30;
constexpr uint32_t kAcquireL2Writeback = 1 << 18;
constexpr uint32_t kAcquireL2Invalidate = 1 << 23;

/// RELEASE_MEM, first dword of the body.
constexpr uint32_t kReleaseL2Writeback = 1 << 15;
constexpr uint32_t kReleaseVectorL1 = 1 << 16 | 1 << 12;
constexpr uint32_t kReleaseL2Invalidate = 1 << 17 | 1 << 13;

}  // namespace cuvette::command_processor::pm4
