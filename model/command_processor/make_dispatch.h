// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "command_processor/command_processor.h"
#include "hsa/dispatch.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"

/// Dispatch record that the packet processor makes of a packet.
namespace cuvette::command_processor {

/// Kernel arguments that user SGPRs hold at the start (LLVM AMDGPUUsage, "Preloaded Kernel
/// Arguments").
struct Preload {
  uint16_t word = 0;  ///< of the descriptor
  std::array<uint32_t, hsa::kMaxUserSgprs> dwords{};

  unsigned count() const { return word & 0x7f; }
  uint64_t offset() const { return uint64_t{4} * (word >> 7); }  ///< bytes
};

/// The Dispatch of a kernel dispatch packet but for its id. `packet_address`: of the packet in the
/// ring; `index`: its number.
spi::Dispatch make_dispatch(const hsa::KernelDispatchPacket& packet,
                            const hsa::KernelDescriptor& kernel, const Preload& preload,
                            const hsa::AmdQueue& queue, const QueueBinding& binding,
                            uint64_t packet_address, uint64_t index);

/// The AgentDispatch of an agent dispatch packet, which has the size of every packet.
AgentDispatch agent_dispatch_of(const hsa::KernelDispatchPacket& packet, uint32_t id,
                                uint32_t queue, uint8_t vmid);

}  // namespace cuvette::command_processor
