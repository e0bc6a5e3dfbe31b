// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/packet_check.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bits.h"
#include "hsa/queue_error.h"
#include "hsa/signal.h"
#include "hsa/target.h"

namespace cuvette::command_processor {
namespace {

constexpr uint16_t kHeaderReserved = 0xe000;
constexpr uint32_t kMaxWorkgroup = 1024;
/// COMPUTE_TMPRING_SIZE.WAVESIZE: 13 bits in units of 1 KiB.
constexpr uint32_t kScratchGranule = 1024;
constexpr uint64_t kMaxScratchOfWave = uint64_t{8191} * kScratchGranule;
constexpr uint16_t kPropertyWave32 = 1 << 10;
constexpr uint16_t kMachineKindAmdgpu = 1;
constexpr unsigned kEntryAlignment = 256;  // COMPUTE_PGM_LO holds address bits 39:8

}  // namespace

uint32_t check_packet(const hsa::KernelDispatchPacket& p) {
  const hsa::PacketHeader header = hsa::decode_header(p.header);
  if ((p.header & kHeaderReserved) != 0) return hsa::kQueueErrorPacket;
  if (header.type > hsa::PacketType::BarrierOr) return hsa::kQueueErrorPacket;
  if (header.acquire > hsa::FenceScope::System || header.release > hsa::FenceScope::System) {
    return hsa::kQueueErrorPacket;
  }
  // The completion signal lies at the same place in every type.
  if (p.completion_signal % hsa::kSignalAlignment != 0) return hsa::kQueueErrorPacket;
  return 0;
}

uint32_t check_dispatch(const hsa::KernelDispatchPacket& p, const Config& config) {
  const unsigned dimensions = hsa::dimensions(p);
  const uint64_t items = uint64_t{p.workgroup_size_x} * p.workgroup_size_y * p.workgroup_size_z;
  // Bits 15:2 of setup are reserved; sizes of dimensions that are not there are 1.
  if (dimensions == 0 || dimensions > 3 || p.setup >> 2 != 0) return hsa::kQueueErrorDispatch;
  if (dimensions < 2 && (p.grid_size_y != 1 || p.workgroup_size_y != 1)) {
    return hsa::kQueueErrorDispatch;
  }
  if (dimensions < 3u && (p.grid_size_z != 1 || p.workgroup_size_z != 1)) {
    return hsa::kQueueErrorDispatch;
  }
  if (items == 0 || p.grid_size_x == 0 || p.grid_size_y == 0 || p.grid_size_z == 0) {
    return hsa::kQueueErrorDispatch;
  }
  if (items > kMaxWorkgroup) return hsa::kQueueErrorWorkgroupSize;
  if (p.group_segment_size > config.group_bytes) return hsa::kQueueErrorGroupMemory;
  if (scratch_bytes_per_wave(p.private_segment_size) > kMaxScratchOfWave) {
    return hsa::kQueueErrorScratch;
  }
  if (p.kernel_object == 0 || p.kernel_object % 64 != 0) return hsa::kQueueErrorCode;
  return 0;
}

/// It starts with version 1.n, machine kind 1 and the ISA's three numbers, where a descriptor has
/// three sizes and a reserved word.
bool is_kernel_code(const hsa::KernelDescriptor& k) {
  return k.group_segment_fixed_size == 1 && (k.kernarg_size & 0xffff) == kMachineKindAmdgpu &&
         k.kernarg_size >> 16 == 9;
}

uint32_t check_kernel(const hsa::KernelDescriptor& k, uint64_t address, isa::Target target) {
  const uint64_t entry = address + static_cast<uint64_t>(k.kernel_code_entry_byte_offset);
  if (entry % kEntryAlignment != 0) return hsa::kQueueErrorCode;
  if (is_kernel_code(k)) {
    const auto machine =
        hsa::target_from_isa_version(k.kernarg_size >> 16, k.reserved0 & 0xffff, k.reserved0 >> 16);
    const bool ours = machine && static_cast<unsigned>(machine->processor) == isa::index_of(target);
    return ours ? 0 : hsa::kQueueErrorCode;
  }
  const bool preloads =
      hsa::facts(static_cast<hsa::Processor>(isa::index_of(target))).kernarg_preload;
  const bool reserved = k.reserved0 != 0 || k.reserved3 != 0 ||
                        (k.kernarg_preload != 0 && !preloads) ||
                        std::any_of(std::begin(k.reserved1), std::end(k.reserved1),
                                    [](uint8_t byte) { return byte != 0; });
  if (reserved || (k.kernel_code_properties & kPropertyWave32) != 0) return hsa::kQueueErrorCode;
  return 0;
}

uint32_t check_vendor(const hsa::VendorPacket& packet) {
  const auto nonzero = [&](unsigned first, unsigned end) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&packet);
    return std::any_of(bytes + first, bytes + end, [](uint8_t byte) { return byte != 0; });
  };
  bool bad = true;
  if (packet.format == hsa::kVendorPm4Ib) {
    hsa::Pm4IbPacket p;
    std::memcpy(static_cast<void*>(&p), &packet, sizeof p);
    bad = nonzero(3, 4) || p.remaining_dwords != hsa::kPm4IbRemainingDwords || nonzero(24u, 56);
  } else if (packet.format == hsa::kVendorBarrierValue) {
    hsa::BarrierValuePacket p;
    std::memcpy(static_cast<void*>(&p), &packet, sizeof p);
    bad = nonzero(3, 8) || p.condition > 3u || nonzero(36, 56) ||
          p.signal % hsa::kSignalAlignment != 0;
  }
  return bad ? hsa::kQueueErrorVendorPacket : 0;
}

ScratchRing scratch_ring(const hsa::AmdQueue& q) {
  ScratchRing ring;
  if (q.scratch_backing_memory_location == 0) return ring;
  const uint64_t wave_size = base::bits(q.compute_tmpring_size, 24, 12) * kScratchGranule;
  ring.bytes_per_wave =
      wave_size != 0 ? wave_size : scratch_bytes_per_wave(q.scratch_workitem_byte_size);
  if (ring.bytes_per_wave == 0) return ring;
  const uint64_t waves = base::bits(q.compute_tmpring_size, 11, 0);
  const uint64_t held = q.scratch_backing_memory_byte_size / ring.bytes_per_wave;
  // WAVES may count more than the memory holds; a wave beyond it would be in foreign memory.
  ring.waves = static_cast<uint32_t>(
      std::min<uint64_t>(waves != 0 ? std::min(waves, held) : held, ~uint32_t{0}));
  return ring;
}

bool has_scratch(const hsa::KernelDispatchPacket& p, const hsa::AmdQueue& q) {
  if (p.private_segment_size == 0) return true;
  const uint64_t items = uint64_t{p.workgroup_size_x} * p.workgroup_size_y * p.workgroup_size_z;
  const ScratchRing ring = scratch_ring(q);
  return p.private_segment_size <= q.scratch_workitem_byte_size &&
         scratch_bytes_per_wave(p.private_segment_size) <= ring.bytes_per_wave &&
         (items + 63) / 64 <= ring.waves;
}

std::string scratch_text(uint32_t number, uint64_t index, const hsa::KernelDispatchPacket& p,
                         const hsa::AmdQueue& q) {
  const ScratchRing ring = scratch_ring(q);
  const uint64_t items = uint64_t{p.workgroup_size_x} * p.workgroup_size_y * p.workgroup_size_z;
  return fmt::format(
      "queue {}: packet {} of kernel object {:#x} wants {} bytes of scratch memory per work-item, "
      "{} waves of {} bytes in a work-group; amd_queue_t has scratch_workitem_byte_size {} and "
      "room "
      "for {} waves of {} bytes; the queue waits until there is more and its inactive signal, "
      "which "
      "holds 1, is 0",
      number, index, p.kernel_object, p.private_segment_size, (items + 63) / 64,
      scratch_bytes_per_wave(p.private_segment_size), q.scratch_workitem_byte_size, ring.waves,
      ring.bytes_per_wave);
}

uint64_t scratch_bytes_per_wave(uint32_t private_bytes) {
  return base::align_up(base::align_up(uint64_t{private_bytes}, 4) * 64, kScratchGranule);
}

}  // namespace cuvette::command_processor
