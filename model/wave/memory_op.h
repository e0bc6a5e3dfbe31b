// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/atomic_op.h"
#include "isa/instruction.h"
#include "wave/state.h"

namespace cuvette::wave {

/// Memory that an operation reaches, and the meaning of its addresses.
enum class MemorySpace : uint8_t {
  Global,  ///< per-lane byte addresses; also scratch and buffers, already swizzled to addresses
  Lds,     ///< byte offsets in the work-group's allocation
  Gds,     ///< byte offsets in the global data share; `sync` instead: no address
  Scalar,  ///< one address, address[0][0]; the lane masks count dwords: bit i is dword i, up to 16
};

/// AtomicReturn: the old value goes to registers.
enum class MemoryKind : uint8_t { Load, Store, Atomic, AtomicReturn };
constexpr bool is_atomic(MemoryKind kind) {
  return kind == MemoryKind::Atomic || kind == MemoryKind::AtomicReturn;
}

/// Extension of loaded bytes to register bits. D16: into one half of the register; a byte (`bytes`
/// 1) is zero-extended to 16 bits, or sign-extended with D16Signed*.
enum class LoadExtend : uint8_t {
  None,
  ZeroByte,
  SignByte,
  ZeroShort,
  SignShort,
  D16Low,
  D16High,
  D16SignedLow,
  D16SignedHigh
};

/// Texels between memory and registers (wave/memory/texel.h): `bytes` of an access are one element
/// in its stored form, registers hold up to four components. Codes are the hardware's (MI100 ISA
/// tables 32 and 45).
struct TexelConversion {
  enum class Mode : uint8_t {
    None,
    Convert,    ///< by format
    Raw,        ///< the element's own dwords, the last one zero-extended
    RawSigned,  ///< ... sign-extended
  };
  Mode mode = Mode::None;
  uint8_t data_format = 0, number_format = 0;  ///< codes of the buffer or image encoding
  uint8_t select[4] = {};  ///< DST_SEL: 0, 1 constants; 4 to 7 stored component R, G, B, A
  uint8_t mask = 0;        ///< components of the four that go to registers, packed in ascending
                           ///< order
  bool absent_alpha_is_one = false;  ///< a component the format lacks: 0; A is 1 for images
  bool d16 = false;                  ///< registers hold 16-bit values, two to a register
  bool high = false;                 ///< d16, one value: in bits 31:16
};

/// Transfer of a memory instruction's data to or from the LDS instead of registers: address[1] is
/// an LDS offset of one dword per lane.
enum class LdsTransfer : uint8_t { None, ToLds, FromLds };

/// Global wave sync (Vega ISA 12.15, opcodes 152 to 157) and the ordered count.
enum class SyncOp : uint8_t {
  None,
  Init,
  SemaphoreV,
  SemaphoreBulk,
  SemaphoreP,
  SemaphoreReleaseAll,
  Barrier,
  OrderedCount,  ///< data[0][lane] of the first lane is added, all lanes get the old value
};

struct Sampling;  // wave/memory/sampling.h

/// One memory instruction after address generation: everything a memory system needs, nothing about
/// how it works. Lanes outside `exec` take no part. The instruction has been issued when this
/// exists (store data was read, decisions.md D12); `complete` writes the returned data and must be
/// called for every operation, stores included (it records violations).
struct MemoryOp {
  MemorySpace space = MemorySpace::Global;
  MemoryKind kind = MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  const isa::Instruction* instruction = nullptr;

  uint64_t exec = 0;      ///< lanes that access memory
  uint64_t flat_lds = 0;  ///< lanes of a FLAT instruction whose address fell into the shared
                          ///< aperture: their `address` is an LDS offset
  uint64_t out_of_range =
      0;  ///< enabled lanes that failed a range check: loads give 0, stores vanish
  uint64_t partial[4] = {};  ///< lanes of exec whose dword i (of all accesses, counted through)
                             ///< failed a range check of its own: it is not touched and loads as 0
  uint64_t violation = 0;    ///< lanes that raise TRAPSTS.MEM_VIOL at completion
  uint64_t strayed = 0;      ///< those of them that FLAT's offset takes to another segment
  uint64_t moved = 0;        ///< lanes whose result is in `data` (Scalar: dwords in `scalar_data`)
                             ///< already and needs no memory: DS_PERMUTE and the like, S_MEMTIME
  uint64_t spread = 0;       ///< lanes that get the result of the one lane in `exec`: DS_APPEND
  uint8_t accesses = 1;      ///< 2 for the two-address LDS forms
  uint8_t bytes = 4;         ///< per lane and access; Scalar: of the whole access
  uint64_t address[2][kLanes] = {};  ///< byte addresses, by access and lane
  uint32_t data[4][kLanes] =
      {};  ///< stores and atomics; two-address stores: access i at data[i * dwords]
  uint32_t compare[2][kLanes] = {};  ///< CMPSWAP compare value, LDS second operand

  uint32_t scalar_data[16] = {};  ///< scalar stores and atomics (compare value in compare[i][0])

  /// Lanes of `swizzled` find consecutive elements of their data `element_stride` bytes apart
  /// (scratch, swizzled buffers); everybody else's bytes are contiguous. See byte_address.
  uint64_t swizzled = 0;
  uint32_t element_bytes = 4;   ///< a power of two
  uint32_t element_stride = 0;  ///< bytes
  uint32_t element_origin = 0;  ///< address of an element's first byte, modulo element_bytes

  LoadExtend extend = LoadExtend::None;
  TexelConversion texel;
  /// SRC2 forms: the operand is read from LDS (GDS) at address[1], not from `data`.
  bool operand_in_lds = false;
  LdsTransfer transfer = LdsTransfer::None;
  SyncOp sync = SyncOp::None;
  uint8_t sync_resource = 0;     ///< number of the resource, 0 to 63; OrderedCount: counter, 0 to 3
  bool ordered_release = false;  ///< OrderedCount: later waves may go on
  /// Sampled images: which elements to fetch; null for everything else.
  std::shared_ptr<Sampling> sampling;
  isa::OperandKind dst_kind = isa::OperandKind::None;  ///< Vgpr, Agpr or Sgpr
  uint16_t dst = 0;           ///< first register, number in its file (Sgpr: code)
  uint8_t dst_dwords = 0;     ///< registers written; 0: none
  bool status_dword = false;  ///< TFE: the last of dst_dwords is the fail status, always 0

  const char* refusal = "";  ///< make_memory_op returned false: why

  uint32_t mode = 0;  ///< the MODE register at issue (float atomics in LDS, decisions.md D8)
  bool glc = false, slc = false, scc = false, nv = false;  ///< cache policy bits of the instruction
  bool counts_vm = false, counts_lgkm = false;             ///< counters that it raises
  uint8_t lgkm = 0;  ///< by how much (scalar: 1 or 2); 0 when it does not

  /// Lanes whose destination registers are written.
  uint64_t written_lanes() const { return spread != 0 ? spread : exec | out_of_range | moved; }
  /// Address of byte `byte` of a lane's access.
  uint64_t byte_address(unsigned access, unsigned lane, unsigned byte) const {
    const uint64_t first = address[access][lane];
    if ((swizzled >> lane & 1) == 0) return first + byte;
    const uint64_t inside = (first - element_origin) & (element_bytes - 1);
    const uint64_t position = inside + byte;
    return first - inside + position / element_bytes * element_stride +
           (position & (element_bytes - 1));
  }
  /// "store of 4 bytes": what a lane (Scalar: the wave) asks of memory, for messages.
  std::string what() const {
    const char* name = kind == MemoryKind::Load    ? "load"
                       : kind == MemoryKind::Store ? "store"
                                                   : "atomic";
    const auto count = space == MemorySpace::Scalar && kind != MemoryKind::Atomic &&
                               kind != MemoryKind::AtomicReturn
                           ? 4u * static_cast<unsigned>(__builtin_popcountll(exec))
                           : unsigned{bytes};
    return std::string(name) + " of " + std::to_string(count) + (count == 1 ? " byte" : " bytes");
  }
  /// Address of the first lane of `violation`, of its first access that is out of range.
  uint64_t first_violation() const {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(violation));
    const bool first_is_good = accesses == 2 && (partial[0] >> lane & 1) == 0;
    const bool second = first_is_good && (partial[bytes / 4] >> lane & 1) != 0;
    return address[second ? 1 : 0][lane];
  }
  /// False when the dword holding byte `byte` of a lane's access is out of range on its own.
  bool byte_in_range(unsigned access, unsigned lane, unsigned byte) const {
    const unsigned dword = access * ((bytes + 3u) / 4) + byte / 4;
    return dword >= 4 || (partial[dword] >> lane & 1) == 0;
  }
};

/// Answer of the memory system to a MemoryOp, to be given to complete().
struct MemoryReply {
  uint32_t data[4][kLanes] =
      {};  ///< as MemoryOp::data; loads of two accesses: access i at data[i * dwords]
  uint32_t scalar_data[16] = {};
  uint64_t faulted = 0;  ///< lanes that touched unmapped memory (loads give 0)
};

/// Value of destination dword `dword` that lane `lane` of a load gets, `old` being the register's
/// bits.
uint32_t loaded_value(const MemoryOp& op, const MemoryReply& reply, unsigned lane, unsigned dword,
                      uint32_t old, bool sramecc);

/// Writes a load's or returning atomic's data to registers (lanes of op.exec | op.out_of_range |
/// op.moved) and accumulates TRAPSTS.MEM_VIOL.
void complete(WaveState& wave, const MemoryOp& op, const MemoryReply& reply);

/// Message for `violation`: its kind and place in the first lane, and the lanes that have one.
std::string violation_text(const MemoryOp& op);

/// Address generation: fills `op` from the instruction and the registers. False when there are no
/// semantics for the instruction or for what its descriptors ask for; op.refusal says why.
bool make_memory_op(const WaveState& wave, const isa::Instruction& instruction, MemoryOp& op);

/// Reason why make_memory_op refuses all instructions of a row; empty when it does not.
const char* memory_reason(const isa::Row& row);

}  // namespace cuvette::wave
