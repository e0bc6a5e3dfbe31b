// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// PM4 packets that the compute micro engine takes from a ring or an indirect buffer (names and
/// bits of the public MEC headers; tests/ledger/gfx9_packets.csv).
namespace cuvette::command_processor::pm4 {

enum class Opcode : uint8_t {
  Nop = 0x10,
  DispatchDirect = 0x15,
  DispatchIndirect = 0x16,
  CondExec = 0x22,
  WriteData = 0x37,
  WaitRegMem = 0x3c,
  IndirectBuffer = 0x3f,
  CopyData = 0x40,
  EventWrite = 0x46,
  ReleaseMem = 0x49,
  AcquireMem = 0x58,
  SetShReg = 0x76,
  SetUconfigReg = 0x79,
  InvalidateTlbs = 0x98,
  SetResources = 0xa0,
  MapProcess = 0xa1,
  MapQueues = 0xa2,
  UnmapQueues = 0xa3,
  QueryStatus = 0xa4,
  RunList = 0xa5,
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

/// Dwords of the body behind a header word; kNoPacket: it is none.
inline constexpr unsigned kNoPacket = ~0u;
constexpr unsigned body_behind(uint32_t word) {
  if (word == kFiller) return 0;
  if (type_of(word) != 3) return kNoPacket;
  return opcode_of(word) == Opcode::Nop && body_of(word) == kNopAlone ? 0 : body_of(word);
}

/// An address in two dwords, without the bits below its alignment.
inline uint64_t address_of(uint32_t low, uint32_t high, uint32_t alignment) {
  return (uint64_t{high} << 32 | low) & ~uint64_t{alignment - 1};
}

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

/// EVENT_WRITE, event_type.
enum class Event : uint8_t {
  CacheFlush = 0x06,
  CsPartialFlush = 0x07,
  CacheFlushAndInvalidate = 0x16,
};

/// Dwords of the register aperture: windows of SET_SH_REG and SET_UCONFIG_REG.
inline constexpr uint32_t kShRegisters = 0x2c00, kShRegistersEnd = 0x3000;
inline constexpr uint32_t kUconfigRegisters = 0xc000, kUconfigRegistersEnd = 0x10000;
inline constexpr uint32_t kRegisterAddress = 0x3ffff;                   ///< dwords
inline constexpr uint32_t kDispatchInitiator = 0x2e00, kDimX = 0x2e01;  ///< COMPUTE_*

/// The memory queue descriptor (v9_mqd), dwords: images of COMPUTE_DISPATCH_INITIATOR and up, of
/// COMPUTE_USER_DATA_0 and up, of CP_MQD_BASE_ADDR and up, and where registers of these lie.
inline constexpr unsigned kMqdDwords = 256;  ///< the rest is reserved
inline constexpr unsigned kMqdCompute = 1, kMqdComputeCount = 42;
inline constexpr unsigned kMqdUserData = 65, kMqdUserDataCount = 16;
inline constexpr uint32_t kUserData = 0x2e40;
inline constexpr unsigned kMqdReadIndex = 96;
inline constexpr unsigned kMqdQueue = 128, kMqdQueueCount = 56;
inline constexpr uint32_t kQueueRegisters = 0x3245;
inline constexpr unsigned kMqdActive = 130, kMqdVmid = 131, kMqdReadPointer = 138, kMqdPoll = 141,
                          kMqdDoorbell = 143, kMqdDequeue = 152, kMqdStackOffset = 174,
                          kMqdStateOffset = 176, kMqdWritePointer = 182;
inline constexpr unsigned kMqdPersistent = 132;
constexpr uint32_t queue_register(unsigned mqd_dword) {
  return kQueueRegisters + mqd_dword - kMqdQueue;
}
/// Register of dword `index` of the image of COMPUTE_*; 0: gfx9 has none there (trap handlers, what
/// restores waves).
constexpr uint32_t compute_register(unsigned index) {
  const unsigned i = index - kMqdCompute;
  if ((i >= 14 && i <= 17) || i == 37) return 0;
  return kDispatchInitiator + (i < 37 ? i : i - 1);
}
/// CP_PQ_WPTR_POLL_CNTL1: one look at the write pointers in memory.
inline constexpr uint32_t kPollOnce = 0x3084;
/// Bits of those registers.
inline constexpr uint32_t kDoorbellOffset = 0x0ffffffc;
inline constexpr uint32_t kDoorbellEnable = 1u << 30;
inline constexpr uint32_t kDequeueDrain = 1, kDequeueReset = 2, kDequeueSave = 3;
inline constexpr uint32_t kSwitchBySaving = 1u << 30;  ///< CP_HQD_PERSISTENT_STATE.QSWITCH_MODE
/// GRBM_GFX_CNTL: pipe 1:0, micro engine 3:2, VMID 7:4, queue 10:8.
constexpr uint32_t bank(unsigned me, unsigned pipe, unsigned queue) {
  return pipe | me << 2 | queue << 8;
}
/// IH_VMID_0_LUT and up, one dword each.
inline constexpr uint32_t kVmidLut = 0x10a0;

/// RUN_LIST, last dword: size as of an indirect buffer.
constexpr uint32_t kListChain = 1 << 20;
constexpr uint32_t kListValid = 1 << 23;
/// Registers that MAP_PROCESS writes for a VMID: those of its bank, and the pair of its page
/// tables.
inline constexpr uint32_t kShMemBases = 0x230a, kShMemConfig = 0x230d;
inline constexpr uint32_t kTrapHandler = 0x231c, kTrapMemory = 0x231e;  ///< low, high
inline constexpr uint32_t kPageTableBase = 0x28eb;  ///< of VMID 0: low, high, then the next VMID
constexpr uint32_t vmid_bank(unsigned vmid) {
  return vmid << 4;
}

}  // namespace cuvette::command_processor::pm4
