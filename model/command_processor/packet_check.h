// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "command_processor/command_processor.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"

/// Packets that the packet processor refuses before anything happens. Every function gives queue
/// error bits (hsa/queue_error.h), 0 for a good packet.
namespace cuvette::command_processor {

/// Reserved bits, fence scopes that do not exist, unknown types, a misaligned completion signal.
uint32_t check_packet(const hsa::KernelDispatchPacket& packet);
/// Dimensions, sizes, segments.
uint32_t check_dispatch(const hsa::KernelDispatchPacket& packet, const Config& config);
/// The kernel object that was read from `address`: a descriptor, or the start of an
/// amd_kernel_code_t, which has the same fields at the same places.
uint32_t check_kernel(const hsa::KernelDescriptor& kernel, uint64_t address, isa::Target target);
/// Reserved fields of an AMD vendor packet.
uint32_t check_vendor(const hsa::VendorPacket& packet);

/// An amd_kernel_code_t, not a descriptor.
bool is_kernel_code(const hsa::KernelDescriptor& kernel);

/// Scratch memory of one wave: a dword per lane at least, in steps of 1 KiB.
uint64_t scratch_bytes_per_wave(uint32_t private_bytes);

/// Scratch memory of a queue: for so many waves at a time. WAVES and WAVESIZE of
/// compute_tmpring_size count where they are not 0, otherwise scratch_workitem_byte_size and
/// scratch_backing_memory_byte_size.
struct ScratchRing {
  uint64_t bytes_per_wave = 0;
  uint32_t waves = 0;
};
ScratchRing scratch_ring(const hsa::AmdQueue& queue);
/// A wave has as much as the packet asks for, and a work-group finds room for all of its waves.
bool has_scratch(const hsa::KernelDispatchPacket& packet, const hsa::AmdQueue& queue);
/// Message for a packet for which it is not so.
std::string scratch_text(uint32_t number, uint64_t index, const hsa::KernelDispatchPacket& packet,
                         const hsa::AmdQueue& queue);

}  // namespace cuvette::command_processor
