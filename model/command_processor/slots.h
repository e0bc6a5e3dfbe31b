// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "command_processor/pm4.h"

/// Slots of queues as the kernel queue counts them.
namespace cuvette::command_processor {

inline constexpr unsigned kSlots = 64;  ///< of both compute micro engines
inline constexpr unsigned kSlotsPerEngine = 32, kQueuesPerPipe = 8;
inline constexpr uint32_t kActive = 1;      ///< CP_HQD_ACTIVE
inline constexpr uint32_t kVmidMask = 0xf;  ///< CP_HQD_VMID

/// GRBM_GFX_CNTL of a slot, by its number: 32 per micro engine, 8 per pipe.
constexpr uint32_t bank_of(unsigned slot) {
  return pm4::bank(1 + slot / kSlotsPerEngine, slot / kQueuesPerPipe % 4, slot % kQueuesPerPipe);
}

constexpr uint32_t field(uint32_t word, unsigned low, unsigned bits) {
  return word >> low & ((1u << bits) - 1);
}

}  // namespace cuvette::command_processor
