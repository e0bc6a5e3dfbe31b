// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/memory_op.h"
#include "wave/operand.h"

// Parts shared by the memory instructions of all formats: a form (the operation at an address)
// and an addressing rule (per format, one file each).
namespace cuvette::wave::memory {

using Id = isa::SemanticId;

/// Operation of one instruction at its addresses.
struct Form {
  MemoryKind kind = MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  uint8_t bytes = 4;  ///< per lane and access; SMEM: of the whole access
  LoadExtend extend = LoadExtend::None;
  bool high = false;      ///< store takes bits 31:16 of its register
  uint8_t accesses = 1;   ///< 2: two addresses with an 8-bit offset each
  bool stride64 = false;  ///< offsets of two-address forms count 64 elements
  bool second = false;    ///< LDS atomic with a second operand in DATA1 (CMPST, MSKOR)
  bool add_tid = false;   ///< LDS address from M0 and the lane instead of a VGPR
  bool buffer = false;    ///< SMEM: SBASE is a resource descriptor
  bool scratch = false;   ///< SMEM: the SGPR offset counts 64 bytes
  uint8_t texels = 0;     ///< typed buffers: components in registers; `bytes` is that of registers
  bool d16 = false;       ///< typed buffers: 16-bit registers values (`high`: in bits 31:16)
  bool src2 = false;      ///< LDS atomic whose operand is in LDS, too
  bool count = false;     ///< DS_APPEND, DS_CONSUME: the operand is the number of enabled lanes
  LdsTransfer transfer = LdsTransfer::None;  ///< always; others by the LDS bit of the instruction
  unsigned dwords() const { return (bytes + 3u) / 4; }
};

/// Form of a behaviour; null when there is none.
const Form* find_form(Id id);

/// The source (destination) that fills a role; null when the row has none.
inline const isa::Operand* find_source(const isa::Instruction& i, isa::Role role) {
  for (unsigned n = 0; n < 4; ++n) {
    if (i.row->src[n].role == role) return &i.src[n];
  }
  return nullptr;
}
inline const isa::Operand* find_destination(const isa::Instruction& i, isa::Role role) {
  return i.row->dst[0].role == role ? &i.dst[0] : nullptr;
}

inline bool is_vector_register(const isa::Operand* operand) {
  return operand != nullptr && operand->is_vector();
}

/// Everything of `op` that is not an address: kind, widths, data, destination, policy bits.
/// `data` holds the stored value, `result` receives a load or an atomic's old value.
void fill_common(const WaveState& wave, const isa::Instruction& i, const Form& form,
                 const isa::Operand* data, const isa::Operand* result, MemoryOp& op);

/// Makes `op` access nothing, with the reason.
inline void refuse(MemoryOp& op, const char* reason) {
  op.refusal = reason;
  op.exec = 0;
}

/// True for an atomic at an address that is no multiple of its operand's size.
inline bool is_misaligned(const MemoryOp& op, uint64_t address) {
  return is_atomic(op.kind) && address % op.bytes != 0;
}

/// Takes lanes out of `exec` that failed a range check.
inline void reject(MemoryOp& op, uint64_t lanes, bool violation) {
  op.out_of_range |= lanes & op.exec;
  if (violation) op.violation |= lanes & op.exec;
  op.exec &= ~lanes;
}

// Address generation by format; `op` comes from fill_common. The instruction is one that
// memory_reason accepts.
void address_flat(const WaveState& wave, const isa::Instruction& i, const Form& form, MemoryOp& op);
void address_buffer(const WaveState& wave, const isa::Instruction& i, const Form& form,
                    MemoryOp& op);
void address_lds(const WaveState& wave, const isa::Instruction& i, const Form& form, MemoryOp& op);
/// DS_APPEND, DS_CONSUME.
void make_count_op(const WaveState& wave, const isa::Instruction& i, const Form& form,
                   MemoryOp& op);
/// Global wave sync and the ordered count: false for any other instruction.
bool make_sync_op(const WaveState& wave, const isa::Instruction& i, MemoryOp& op);
bool is_sync(Id id);
/// MIMG. Everything, also what fill_common does for other formats.
void make_image_op(const WaveState& wave, const isa::Instruction& i, MemoryOp& op);
bool is_image(Id id);
/// Moves between memory and LDS: where in LDS each lane's dword is (MI100 ISA 9.1.9). Lanes outside
/// the allocation take no part.
void address_transfer(const WaveState& wave, int32_t offset, LdsTransfer transfer, MemoryOp& op);
void make_scalar_op(const WaveState& wave, const isa::Instruction& i, const Form& form,
                    MemoryOp& op);

/// DS_PERMUTE, DS_BPERMUTE, DS_SWIZZLE: false for any other instruction.
bool make_lane_move(const WaveState& wave, const isa::Instruction& i, MemoryOp& op);
bool is_lane_move(Id id);
/// Moves the lanes: `out` gets their values.
bool move_lanes(const WaveState& wave, const isa::Instruction& i, LaneRow& out);
/// S_MEMTIME, S_MEMREALTIME.
bool make_clock_read(const WaveState& wave, const isa::Instruction& i, MemoryOp& op);
bool is_clock_read(Id id);

}  // namespace cuvette::wave::memory
