// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/row.h"

namespace cuvette::isa {

/// Encoding of a row's instruction.
enum class Encoding : uint8_t {
  Native,   ///< the format of the row itself (e32 for VOP1/2/C)
  Literal,  ///< native with a 32-bit literal behind it
  Vop3,     ///< VOP1/2/C/VINTRP promoted to VOP3 (e64); rows of VOP3 are Native
  Sdwa,     ///< sub-dword addressing, VOP1/2/C with a second dword
  Dpp,      ///< data-parallel primitives, VOP1/2 with a second dword
};

/// Kind of an operand, and the meaning of Operand::index and Operand::value for it.
enum class OperandKind : uint8_t {
  None,       ///< the row or the encoding has no such operand
  Vgpr,       ///< index 0..255 (0..511 with the Acc part of a unified file never: Acc is Agpr)
  Agpr,       ///< accumulation register 0..255
  Sgpr,       ///< index = the 7-bit scalar code: SGPRs 0..101, FLAT_SCRATCH 102, XNACK_MASK 104,
              ///< VCC 106, TTMP 108..123, M0 124, EXEC 126 (MI100 ISA table 23)
  Special,    ///< 9-bit code 235..239 apertures and POPS, 251 VCCZ, 252 EXECZ, 253 SCC, 254 LDS
              ///< direct
  Inline,     ///< 9-bit code 128..208 integers, 240..248 floats; `value` holds the expansion
  Literal,    ///< `value` holds the 32 literal bits
  Immediate,  ///< SIMM16, offset, hwreg, message, ... in `value` (raw field bits, zero-extended)
  Off,        ///< SADDR absent
};

/// One operand of a decoded instruction.
struct Operand {
  OperandKind kind = OperandKind::None;
  Type type = Type::None;
  uint8_t dwords = 0;  ///< registers it spans; 0 where it is none
  uint16_t index = 0;  ///< register number or source code, see OperandKind
  /// Inline and Literal: the bits the instruction sees for an operand of `type`, before modifiers
  /// (F64 literals are shifted up, packed constants expanded as decisions.md D3c says).
  uint64_t value = 0;
  bool read = false, write = false;
  /// In registers with a value of each lane.
  bool is_vector() const { return kind == OperandKind::Vgpr || kind == OperandKind::Agpr; }
#if __cplusplus >= 202002L  // the header itself is C++17
  bool operator==(const Operand&) const = default;
#endif
};

/// Part of a register that SDWA reads or writes.
enum class SdwaSelect : uint8_t { Byte0, Byte1, Byte2, Byte3, Word0, Word1, Dword };
/// The other bits of an SDWA destination: 0, copies of the sign, or as before.
enum class SdwaUnused : uint8_t { Pad, SignExtend, Preserve };

/// Everything of a vector encoding that changes values. Bit i of a mask belongs to source i.
struct Modifiers {
  uint8_t abs = 0, neg = 0;  ///< of sources; for VOP3P, neg is neg_lo
  uint8_t neg_hi = 0;        ///< VOP3P; V_MAD_MIX, V_FMA_MIX: abs, once more
  uint8_t op_sel = 0;        ///< upper half of a source; bit 3: of the destination (VOP3)
  uint8_t op_sel_hi = 0;     ///< VOP3P
  uint8_t sext = 0;          ///< SDWA
  uint8_t omod = 0;          ///< 0 none, 1 *2, 2 *4, 3 /2
  bool clamp = false;        ///< of the result, by its type
  /// Parts of the sources that are read.
  SdwaSelect sdwa_src[2] = {SdwaSelect::Dword, SdwaSelect::Dword};
  SdwaSelect sdwa_dst = SdwaSelect::Dword;   ///< part of the destination that is written
  SdwaUnused sdwa_unused = SdwaUnused::Pad;  ///< bits of the destination beside that part
  uint16_t dpp_ctrl = 0;                     ///< DPP_CTRL as encoded (Vega ISA 13)
  /// Lanes written: bit per row of 16 lanes, bit per bank of 4 lanes in each row.
  uint8_t dpp_row_mask = 0xf, dpp_bank_mask = 0xf;
  bool dpp_bound_ctrl = false;           ///< lanes without a source read 0 and are written
  uint8_t cbsz = 0, abid = 0, blgp = 0;  ///< VOP3P-MAI (blgp negates A, B, C for gfx942 F64)
#if __cplusplus >= 202002L               // the header itself is C++17
  bool operator==(const Modifiers&) const = default;
#endif
};

/// Fields of memory formats; those that a format does not have are 0.
struct MemoryFields {
  int32_t offset = 0;  ///< bytes, signed where the format says so; DS: offset0 | offset1 << 8
  bool glc = false;    ///< gfx942: sc0
  bool slc = false;    ///< gfx942: nt
  bool scc = false;    ///< gfx90a scc; gfx942: sc1
  bool nv = false;     ///< non-volatile; no decoded instruction has it
  bool lds = false, gds = false;  ///< loads put their data into LDS; DS: of the GDS
  /// Buffers: the VGPR address has a byte offset, an index. Status dword behind the data (buffers
  /// and images); LOD warning (images).
  bool offen = false, idxen = false, tfe = false, lwe = false;
  bool acc = false;                      ///< data in AccVGPRs (gfx90a and later)
  bool soffset_en = false, imm = false;  ///< SMEM: an SGPR, `offset` is added
  uint8_t dfmt = 0, nfmt = 0;            ///< MTBUF: data format, number format
  uint8_t dmask = 0;                     ///< image components, bit 0 is red
  bool unorm = false, da = false, a16 = false, d16 = false;  ///< MIMG; `da`: array
  uint8_t export_enable = 0, export_target = 0;  ///< components, bit 0 first; EXP target 0 to 63
  bool export_done = false, export_vm = false, export_compressed = false;  ///< EXP
  uint8_t attribute = 0, attribute_channel = 0;  ///< VINTRP: number; 0 to 3 is x to w
#if __cplusplus >= 202002L                       // the header itself is C++17
  bool operator==(const MemoryFields&) const = default;
#endif
};

/// One decoded instruction. `row` says what it is; everything else what this instance has.
struct Instruction {
  const Row* row = nullptr;
  Target target = Target::Gfx908;
  Encoding encoding = Encoding::Native;
  uint8_t length = 0;      ///< dwords, 1 or 2
  uint32_t words[4] = {};  ///< `length` of them
  Operand dst[2];          ///< in the order of row->dst
  Operand src[4];          ///< in the order of row->src
  Modifiers mod;
  MemoryFields mem;

  SemanticId semantic() const { return row->semantic; }
};

}  // namespace cuvette::isa
