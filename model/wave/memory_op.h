// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/atomic_op.h"
#include "isa/instruction.h"
#include "wave/state.h"

namespace cuvette::wave {

enum class MemorySpace : uint8_t {
  Global,  ///< per-lane byte addresses; also scratch and buffers, already swizzled to addresses
  Lds,     ///< byte offsets in the work-group's allocation
  Gds,
  Scalar,  ///< one address, up to 16 dwords
};

enum class MemoryKind : uint8_t { Load, Store, Atomic, AtomicReturn };

/// How loaded bytes become register bits.
enum class LoadExtend : uint8_t { None, ZeroByte, SignByte, ZeroShort, SignShort, D16Low, D16High };

/// One memory instruction after address generation: everything a memory system needs, nothing about
/// how it works. Lanes outside `exec` take no part. The instruction has been issued when this
/// exists (store data was read, decisions.md D12); `complete` writes the returned data.
struct MemoryOp {
  MemorySpace space = MemorySpace::Global;
  MemoryKind kind = MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  const isa::Instruction* instruction = nullptr;

  uint64_t exec = 0;      ///< lanes that access memory
  uint64_t flat_lds = 0;  ///< lanes of a FLAT instruction whose address fell into the shared
                          ///< aperture: their `address` is an LDS offset
  uint64_t out_of_range =
      0;                 ///< enabled lanes that failed a range check: loads give 0, stores vanish
  uint8_t accesses = 1;  ///< 2 for the two-address LDS forms
  uint8_t bytes = 4;     ///< per lane and access
  uint64_t address[2][kLanes] = {};
  uint32_t data[4][kLanes] =
      {};  ///< stores and atomics; two-address stores: access i at data[i * dwords]
  uint32_t compare[2][kLanes] = {};  ///< CMPSWAP compare value, LDS second operand

  uint32_t scalar_data[16] = {};  ///< scalar stores

  LoadExtend extend = LoadExtend::None;
  isa::OperandKind dst_kind = isa::OperandKind::None;  ///< Vgpr, Agpr or Sgpr
  uint16_t dst = 0;
  uint8_t dst_dwords = 0;

  bool glc = false, slc = false, scc = false, nv = false;  ///< cache policy bits of the instruction
  bool counts_vm = false, counts_lgkm = false;             ///< which counters it raises
  uint8_t lgkm = 0;                                        ///< by how much (scalar: 1 or 2)
};

struct MemoryReply {
  uint32_t data[4][kLanes] =
      {};  ///< as MemoryOp::data; loads of two accesses: access i at data[i * dwords]
  uint32_t scalar_data[16] = {};
  uint64_t faulted = 0;  ///< lanes that touched unmapped memory (loads give 0)
};

/// Writes a load's or returning atomic's data to registers (lanes of op.exec | op.out_of_range).
void complete(WaveState& wave, const MemoryOp& op, const MemoryReply& reply);

/// Address generation: fills `op` from the instruction and the registers. False when this build has
/// no semantics for the instruction.
bool make_memory_op(const WaveState& wave, const isa::Instruction& instruction, MemoryOp& op);

}  // namespace cuvette::wave
