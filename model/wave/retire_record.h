// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/instruction.h"
#include "wave/memory_op.h"
#include "wave/state.h"

namespace cuvette::wave {

/// One vector register written by one instruction.
struct VectorWrite {
  isa::OperandKind kind = isa::OperandKind::Vgpr;  ///< Vgpr or Agpr
  uint16_t index = 0;                              ///< register number of the wave
  uint64_t lanes = 0;
  LaneRow data{};  ///< lanes outside `lanes` are zero
};

/// One scalar location written, by scalar operand code (isa/registers.h); SCC has code kScc.
struct ScalarWrite {
  uint16_t code = 0;
  uint32_t value = 0;
};

/// One lane's access of a memory instruction (scalar accesses: lane 0).
struct MemoryAccess {
  uint8_t lane = 0;
  MemorySpace space = MemorySpace::Global;
  MemoryKind kind = MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  uint8_t size = 0;  ///< bytes
  bool glc = false, slc = false, scc = false;
  uint8_t memory_type = 0;  ///< of the page, hsa::MemoryType
  uint64_t address = 0;
  uint8_t bytes[16] = {};      ///< loaded, stored, or the operand of an atomic
  uint8_t old_bytes[16] = {};  ///< returned by an atomic
  uint64_t serial = 0;         ///< serialization index of stores and atomics; 0 for loads
};

/// Everything an instruction did, at the time its effects are complete: for a load that is when the
/// data is written. The unit of comparison between golden, the engines and a device under test.
struct RetireRecord {
  uint64_t wave = 0;   ///< spi::WaveLaunch::id
  uint64_t order = 0;  ///< issue index within the wave, from 0
  uint64_t pc = 0;
  isa::Instruction instruction;  ///< words and decoded form; isa::text() gives the text
  uint64_t exec = 0;             ///< before the instruction
  std::vector<VectorWrite> vector_writes;
  std::vector<ScalarWrite> scalar_writes;
  std::vector<MemoryAccess> accesses;
  uint32_t trapsts = 0;  ///< after
  uint8_t flags = 0;     ///< fp::Flag raised by this instruction
  uint8_t trap = 0;      ///< trap id entered, 0 for none
};

}  // namespace cuvette::wave
