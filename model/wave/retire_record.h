// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction.h"
#include "wave/memory_op.h"
#include "wave/state.h"
#include "wave/written.h"

namespace cuvette::wave {

/// One vector register written by one instruction.
struct VectorWrite {
  isa::OperandKind kind = isa::OperandKind::Vgpr;  ///< Vgpr or Agpr
  uint16_t index = 0;                              ///< register number of the wave
  uint64_t lanes = 0;                              ///< written, perhaps with the value they had
  LaneRow data{};                                  ///< lanes outside `lanes` are zero
#if __cplusplus >= 202002L                         // the header itself is C++17
  bool operator==(const VectorWrite&) const = default;
#endif
};

/// One scalar location whose value changed, by scalar operand code (isa/registers.h); SCC has code
/// kScc.
struct ScalarWrite {
  uint16_t code = 0;        ///< 0 to 127, or kScc
  uint32_t value = 0;       ///< new one
#if __cplusplus >= 202002L  // the header itself is C++17
  bool operator==(const ScalarWrite&) const = default;
#endif
};

/// Scope of the observers that an access is made for (sc0 and sc1 of gfx942; GLC and SCC
/// before).
enum class AccessScope : uint8_t { Wave, Workgroup, Agent, System };

/// Contiguous bytes of one lane's access (scalar accesses: lane 0). An access of which dwords are
/// out of range or interleaved with other lanes' (scratch), or of more than 16 bytes (scalar), is
/// several. The accesses of an instruction take effect in the order listed: lanes ascending.
struct MemoryAccess {
  uint8_t lane = 0;
  MemorySpace space = MemorySpace::Global;
  MemoryKind kind = MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  uint8_t size = 0;                                        ///< bytes
  bool glc = false, slc = false, scc = false, nv = false;  ///< policy bits of the instruction
  AccessScope scope = AccessScope::Wave;
  bool fault = false;          ///< the lane touched memory that is not there: loads give 0
  uint8_t memory_type = 0;     ///< of the page, hsa::MemoryType; 0 in LDS
  uint64_t address = 0;        ///< byte address; in LDS the offset in the work-group's allocation
  uint8_t bytes[16] = {};      ///< loaded, stored, or the operand of an atomic and, behind it, its
                               ///< second operand (compare value) where the operation has one
  uint8_t old_bytes[16] = {};  ///< returned by an atomic
  uint64_t serial = 0;  ///< serialization index of stores and atomics of global memory, from 1; 0
                        ///< where the engine does not keep one
#if __cplusplus >= 202002L  // the header itself is C++17
  bool operator==(const MemoryAccess&) const = default;
#endif
};

/// Everything an instruction did, at the time its effects are complete: for a load that is when the
/// data is written. The unit of comparison between golden, the engines and a device under test.
///
/// Vector writes are sorted by kind and index, scalar writes by code.
struct RetireRecord {
  uint64_t wave = 0;             ///< spi::WaveLaunch::id
  uint64_t order = 0;            ///< issue index within the wave, from 0
  uint64_t pc = 0;               ///< byte address of the instruction
  isa::Instruction instruction;  ///< words and decoded form; isa::text() gives the text
  uint64_t exec = 0;             ///< before the instruction
  std::vector<VectorWrite> vector_writes;
  std::vector<ScalarWrite> scalar_writes;
  std::vector<MemoryAccess> accesses;
  uint32_t mode = 0;     ///< MODE after
  uint32_t status = 0;   ///< STATUS after, as S_GETREG gives it
  uint32_t trapsts = 0;  ///< after
  uint8_t flags = 0;     ///< fp::Flag raised by this vector instruction
  uint8_t trap = 0;      ///< id of S_TRAP; no handler is entered
};

/// Scalar locations that differ, by code.
std::vector<ScalarWrite> scalar_changes(const ScalarState& before, const ScalarState& after);
/// The rows of `set` as they are in `file` now, appended.
void append_writes(const WrittenSet& set, const VectorFile& file, std::vector<VectorWrite>& out);
/// The accesses of an operation that has been carried out, appended; serials and memory types are
/// left 0.
void append_accesses(const MemoryOp& op, const MemoryReply& reply, std::vector<MemoryAccess>& out);

}  // namespace cuvette::wave
