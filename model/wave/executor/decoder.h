// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <unordered_map>
#include <vector>

#include "wave/executor/memory_shape.h"
#include "wave/executor/micro_op.h"
#include "wave/executor/route.h"
#include "wave/lane_rows.h"

namespace cuvette::wave {

/// Front end of the decoded executor: makes micro-ops of instructions, and owns what they share,
/// constants as rows of 64 lanes among it. Micro-ops live no longer than their decoder. While it
/// decodes, other threads may run micro-ops that it made before.
class Decoder {
 public:
  /// `instruction` must stay where it is. MicroKind::None: only the reference executes it.
  MicroOp decode(const isa::Instruction& instruction);

  /// Constants of all micro-ops there are; later ones may need a later call.
  const LaneRow* constants() const { return constants_.load(std::memory_order_acquire); }

 private:
  bool take_source(const isa::Operand& operand, unsigned s, MicroOp& op);
  bool take_scalar(const isa::Operand& operand, unsigned s, MicroOp& op);
  uint32_t constant(uint64_t value);
  MicroOp decode_scalar(const isa::Instruction& instruction);
  MicroOp decode_vector(const isa::Instruction& instruction);
  MicroOp decode_matrix(const isa::Instruction& instruction);
  MicroOp decode_lanes(const isa::Instruction& instruction, isa::SemanticId semantic);
  bool choose_handler(const isa::Instruction& instruction, isa::SemanticId semantic, MicroOp& op);
  // decode_memory.cpp
  MicroOp decode_memory(const isa::Instruction& instruction);
  bool decode_scalar_memory(const isa::Instruction& instruction, MicroOp& op);
  bool decode_vector_memory(const isa::Instruction& instruction, MicroOp& op);

  std::atomic<const LaneRow*> constants_{nullptr};
  std::deque<LaneRows> rows_;  ///< the last has all of them; the others may still be in use
  uint32_t row_count_ = 0;
  std::unordered_map<uint64_t, uint32_t> places_;  ///< of 64-bit constants among them
  std::deque<MemoryShape> shapes_;
  std::deque<Route> routes_;
};

/// Registers up to `count` are needed.
inline void need(uint16_t& registers, unsigned count) {
  if (registers < count) registers = static_cast<uint16_t>(count);
}

// MODE bits with which the reference executes vector instructions, and others.
inline constexpr uint32_t kDebugging = 1u << 11;
inline constexpr uint32_t kTrapping = kDebugging | 0x1ffu << 12;  // and EXCP_EN
inline constexpr uint32_t kGprIndexing = 1u << 27;
inline constexpr uint32_t kSkipping = 1u << 28;

}  // namespace cuvette::wave
