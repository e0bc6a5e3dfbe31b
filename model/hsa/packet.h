// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// AQL packets as they lie in a queue's ring: 64 bytes each, little-endian (HSA Runtime,
/// "Architected Queuing Language"; Compute ABI, section "AQL").
namespace cuvette::hsa {

enum class PacketType : uint8_t {
  VendorSpecific = 0,
  Invalid = 1,  ///< the slot belongs to the producer; the packet processor leaves it alone
  KernelDispatch = 2,
  BarrierAnd = 3,
  AgentDispatch = 4,
  BarrierOr = 5,
};

enum class FenceScope : uint8_t { None = 0, Agent = 1, System = 2 };

/// The 16-bit header word. Bits 15:13 are reserved and 0.
struct PacketHeader {
  PacketType type = PacketType::Invalid;  ///< bits 7:0
  bool barrier = false;                   ///< bit 8: wait for all earlier packets of the queue
  FenceScope acquire = FenceScope::None;  ///< bits 10:9: before the active phase
  FenceScope release = FenceScope::None;  ///< bits 12:11: before the packet completes
};

constexpr uint16_t encode(PacketHeader h) {
  return static_cast<uint16_t>(
      static_cast<unsigned>(h.type) | (static_cast<unsigned>(h.barrier) << 8) |
      (static_cast<unsigned>(h.acquire) << 9) | (static_cast<unsigned>(h.release) << 11));
}

/// Field values as they are; a type above 5 or a scope of 3 does not name an enumerator.
constexpr PacketHeader decode_header(uint16_t word) {
  PacketHeader h;
  h.type = static_cast<PacketType>(word & 0xff);
  h.barrier = ((word >> 8) & 1) != 0;
  h.acquire = static_cast<FenceScope>((word >> 9) & 3);
  h.release = static_cast<FenceScope>((word >> 11) & 3);
  return h;
}

constexpr size_t kPacketBytes = 64;
/// The header of a slot that the producer owns.
constexpr uint16_t kInvalidHeader = encode(PacketHeader{});

struct KernelDispatchPacket {
  uint16_t header = kInvalidHeader;
  uint16_t setup = 0;  ///< bits 1:0: number of dimensions, 1 to 3
  uint16_t workgroup_size_x = 0;
  uint16_t workgroup_size_y = 0;
  uint16_t workgroup_size_z = 0;
  uint16_t reserved0 = 0;
  uint32_t grid_size_x = 0;  ///< work-items
  uint32_t grid_size_y = 0;
  uint32_t grid_size_z = 0;
  uint32_t private_segment_size = 0;  ///< bytes per work-item
  uint32_t group_segment_size = 0;    ///< bytes per work-group, static and dynamic
  uint64_t kernel_object = 0;         ///< address of the kernel descriptor or amd_kernel_code_t
  uint64_t kernarg_address = 0;
  uint64_t reserved2 = 0;
  uint64_t completion_signal = 0;  ///< signal handle, 0: none
};

struct AgentDispatchPacket {
  uint16_t header = kInvalidHeader;
  uint16_t type = 0;
  uint32_t reserved0 = 0;
  uint64_t return_address = 0;
  uint64_t arg[4] = {};
  uint64_t reserved2 = 0;
  uint64_t completion_signal = 0;
};

/// Barrier-AND waits until every dependency is 0, barrier-OR until one is. A handle of 0 counts as
/// satisfied for AND and is ignored for OR.
struct BarrierPacket {
  uint16_t header = kInvalidHeader;
  uint16_t reserved0 = 0;
  uint32_t reserved1 = 0;
  uint64_t dep_signal[5] = {};
  uint64_t reserved2 = 0;
  uint64_t completion_signal = 0;
};

struct VendorPacket {
  uint16_t header = kInvalidHeader;
  uint8_t format = 0;  ///< AMD sub-format
  uint8_t payload[61] = {};
};
constexpr uint8_t kVendorPm4Ib = 1;
constexpr uint8_t kVendorBarrierValue = 2;

/// Runs a buffer of PM4 packets: an INDIRECT_BUFFER packet inside an AQL packet.
struct Pm4IbPacket {
  uint16_t header = kInvalidHeader;
  uint16_t format = kVendorPm4Ib;
  uint32_t jump[4] = {};
  uint32_t remaining_dwords = 10;  ///< of the slot behind this field
  uint32_t reserved[8] = {};
  uint64_t completion_signal = 0;
};
constexpr uint32_t kPm4IbRemainingDwords = 10;

enum class Condition : uint32_t { Equal = 0, NotEqual = 1, Less = 2, GreaterEqual = 3 };

/// Waits until (signal value & mask) compares to `value`, both signed. A handle of 0 counts as
/// satisfied.
struct BarrierValuePacket {
  uint16_t header = kInvalidHeader;
  uint8_t format = kVendorBarrierValue;
  uint8_t reserved = 0;
  uint32_t reserved0 = 0;
  uint64_t signal = 0;
  int64_t value = 0;
  int64_t mask = -1;
  uint32_t condition = 0;  ///< Condition
  uint32_t reserved1 = 0;
  uint64_t reserved2 = 0;
  uint64_t reserved3 = 0;
  uint64_t completion_signal = 0;
};

constexpr unsigned dimensions(const KernelDispatchPacket& packet) {
  return packet.setup & 3u;
}

static_assert(sizeof(KernelDispatchPacket) == kPacketBytes, "AQL packets are 64 bytes");
static_assert(sizeof(AgentDispatchPacket) == kPacketBytes, "AQL packets are 64 bytes");
static_assert(sizeof(BarrierPacket) == kPacketBytes, "AQL packets are 64 bytes");
static_assert(sizeof(VendorPacket) == kPacketBytes, "AQL packets are 64 bytes");
static_assert(sizeof(Pm4IbPacket) == kPacketBytes, "AQL packets are 64 bytes");
static_assert(sizeof(BarrierValuePacket) == kPacketBytes, "AQL packets are 64 bytes");
static_assert(offsetof(Pm4IbPacket, completion_signal) == 56, "layout");
static_assert(offsetof(BarrierValuePacket, condition) == 32, "layout");
static_assert(offsetof(BarrierValuePacket, completion_signal) == 56, "layout");
static_assert(offsetof(KernelDispatchPacket, grid_size_x) == 12, "layout");
static_assert(offsetof(KernelDispatchPacket, kernel_object) == 32, "layout");
static_assert(offsetof(KernelDispatchPacket, completion_signal) == 56, "layout");
static_assert(offsetof(AgentDispatchPacket, completion_signal) == 56, "layout");
static_assert(offsetof(BarrierPacket, completion_signal) == 56, "layout");

}  // namespace cuvette::hsa
