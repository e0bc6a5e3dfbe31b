// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace cuvette::hsa {

/// Reasons for which a queue stopped: bits the packet processor stores in queue_inactive_signal.
/// The numbers are those the public ROCr runtime decodes.
inline constexpr uint32_t kQueueErrorScratch = 1;      ///< more scratch memory is needed
inline constexpr uint32_t kQueueErrorDispatch = 2;     ///< a grid or work-group size is not legal
inline constexpr uint32_t kQueueErrorGroupMemory = 4;  ///< group segment too large
inline constexpr uint32_t kQueueErrorCode = 8;     ///< kernel_object null, misaligned or foreign
inline constexpr uint32_t kQueueErrorPacket = 32;  ///< unknown or malformed packet
inline constexpr uint32_t kQueueErrorWorkgroupSize = 64;  ///< more than 1024 work-items
inline constexpr uint32_t kQueueErrorResources = 128;     ///< registers that no compute unit has
inline constexpr uint32_t kQueueErrorVendorPacket = 256;  ///< malformed AMD vendor packet
inline constexpr uint32_t kQueueErrorMemoryFault = 0x20000000;
inline constexpr uint32_t kQueueErrorIllegalInstruction = 0x40000000;
inline constexpr uint32_t kQueueErrorException = 0x80000000;  ///< trap without a handler

/// Words for one of these codes; nothing for others.
std::string_view queue_error_text(uint64_t code);

}  // namespace cuvette::hsa
