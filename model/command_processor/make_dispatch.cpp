// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/make_dispatch.h"

#include <cstring>

#include "command_processor/packet_check.h"

namespace cuvette::command_processor {
namespace {

constexpr uint32_t kTrapPresent = 1u << 6;  // COMPUTE_PGM_RSRC2.TRAP_PRESENT

}  // namespace

spi::Dispatch make_dispatch(const hsa::KernelDispatchPacket& p, const hsa::KernelDescriptor& kd,
                            const Preload& preload, const hsa::AmdQueue& queue,
                            const QueueBinding& binding, uint64_t packet_address, uint64_t index) {
  spi::Dispatch d;
  d.vmid = binding.vmid;
  d.queue_priority = binding.priority;
  d.packet_address = packet_address;
  d.dispatch_index = index;
  d.queue_address = binding.queue_address;
  d.kernel_object = p.kernel_object;
  d.entry = p.kernel_object + static_cast<uint64_t>(kd.kernel_code_entry_byte_offset);
  // Behind the loads for packet processors that do not preload.
  if (preload.count() != 0) d.entry += hsa::kPreloadEntryOffset;
  d.kernarg = p.kernarg_address;
  d.grid = {p.grid_size_x, p.grid_size_y, p.grid_size_z};
  d.workgroup = {p.workgroup_size_x, p.workgroup_size_y, p.workgroup_size_z};
  d.group_bytes = p.group_segment_size;
  d.private_bytes = p.private_segment_size;
  d.rsrc1 = kd.compute_pgm_rsrc1;
  d.rsrc2 = kd.compute_pgm_rsrc2;
  // Objects have it 0: whether a trap ends the wave is not theirs to say (LLVM AMDGPUUsage,
  // compute_pgm_rsrc2).
  d.rsrc2 |= kTrapPresent;
  d.tba = binding.trap_handler;
  d.tma = binding.trap_memory;
  d.doorbell = static_cast<uint16_t>(binding.doorbell % spi::kDoorbells);
  d.rsrc3 = kd.compute_pgm_rsrc3;
  d.properties = kd.kernel_code_properties | uint32_t{preload.word} << 16;
  d.user_data = preload.dwords;
  std::memcpy(d.scratch_descriptor.data(), queue.scratch_resource_descriptor,
              sizeof queue.scratch_resource_descriptor);
  d.scratch_base = queue.scratch_backing_memory_location;
  // All waves of the queue have places of one size.
  const ScratchRing ring = scratch_ring(queue);
  if (p.private_segment_size != 0) {
    d.scratch_bytes_per_wave = ring.bytes_per_wave;
    d.scratch_waves = ring.waves;
  }
  d.cu_mask = binding.cu_mask;
  return d;
}

AgentDispatch agent_dispatch_of(const hsa::KernelDispatchPacket& packet, uint32_t id,
                                uint32_t queue, uint8_t vmid) {
  hsa::AgentDispatchPacket p;
  std::memcpy(static_cast<void*>(&p), &packet, sizeof p);
  AgentDispatch d;
  d.id = id;
  d.queue = queue;
  d.type = p.type;
  d.vmid = vmid;
  d.return_address = p.return_address;
  std::memcpy(d.arg.data(), p.arg, sizeof p.arg);
  return d;
}

}  // namespace cuvette::command_processor
