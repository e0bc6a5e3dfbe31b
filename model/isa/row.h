// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/semantic_id.h"  // generated: enum class SemanticId, one per distinct behaviour
#include "isa/target.h"

namespace cuvette::isa {

/// The instruction formats (Vega ISA 13). The spelling in tables and row ids is that of name_of().
enum class Format : uint8_t {
  Sop2,
  Sopk,
  Sop1,
  Sopc,
  Sopp,
  Smem,
  Vop2,
  Vop1,
  Vopc,
  Vintrp,
  Vop3a,
  Vop3b,
  Vop3p,
  Vop3pMai,
  Ds,
  Mubuf,
  Mtbuf,
  Mimg,
  Flat,
  Global,
  Scratch,
  Exp,
};
inline constexpr unsigned kFormats = 22;
std::string_view name_of(Format f);  ///< "SOP2", "VOP3P-MAI", ...

/// Type of an operand's bits: width of an inline constant, legal modifiers, sign extension.
enum class Type : uint8_t {
  None,
  B8,
  B16,
  I16,
  U16,
  F16,
  B32,
  I32,
  U32,
  F32,
  I24,
  U24,
  B64,
  I64,
  U64,
  F64,
  PkI16,
  PkU16,
  PkF16,
  PkF32,
  PkB32,
  B96,
  B128,
  B256,
  B512,
  Mask,  // Mask: one bit per lane, 64 bits
  Bf16,
  Fp8,
  I8,
  Raw,  // Raw: as many dwords as `dwords` says, no numeric meaning
  Bf8,
  Xf32,
};

/// Role of an operand: the registers it may live in and the field of the format that holds it.
enum class Role : uint8_t {
  None,
  Sdst,
  Ssrc0,
  Ssrc1,  // scalar formats
  Vdst,
  Src0,
  Vsrc1,
  Src1,
  Src2,      // vector formats (Src*: 9-bit field, Vsrc1: 8-bit VGPR field)
  SdstMask,  // VOP3B sdst, VOPC destination: VCC in the short forms, or an SGPR pair
  VccIn,     // VCC as carry or select; an SGPR pair in the src2 field of the VOP3 form
  Vcc,       // VCC in every form, not printed: written; read or both
  Addr,
  Data0,
  Data1,
  Vdata,
  Srsrc,
  Ssamp,
  Soffset,
  Saddr,
  Sbase,
  Sdata,  // memory formats
  Simm16,
  Label,
  Hwreg,
  Message,
  Waitcnt,
  Imm32,
  Attribute,
  ExportTarget,
  GprIdx,  // the enable bits of S_SET_GPR_IDX_ON and _MODE
  Export0,
  Export1,
  Export2,
  Export3,
  Adst,
  Asrc0,  // AccVGPRs of V_ACCVGPR_*
  Sreg0,  // the Ssrc0 field where only a register is legal
};

/// An operand of a row: place, type and access.
struct OperandSpec {
  Role role = Role::None;
  Type type = Type::None;
  uint8_t dwords = 0;  ///< 32-bit registers it spans; 0: no register
  bool read = false;   ///< an accumulator (v_mac, v_fmac) is both read and written
  bool write = false;
};

/// Unit that executes a row; also the counter class (Vega ISA 4.4).
enum class Unit : uint8_t {
  Salu,
  Smem,
  Valu,
  /// Transcendental vector instructions.
  Trans,
  Matrix,
  /// Buffers, images, GLOBAL and SCRATCH.
  Vmem,
  Flat,
  Lds,
  Gds,
  Export,
  Branch,
  Message,
  /// S_NOP, S_WAITCNT, S_BARRIER, S_ENDPGM and others that act on their wave.
  Wave
};

/// Facts of a row that are bits, not numbers.
enum RowFlag : uint32_t {
  kReadsScc = 1u << 0,
  kWritesScc = 1u << 1,
  kReadsVcc = 1u << 2,
  kWritesVcc = 1u << 3,
  kReadsExec = 1u << 4,
  kWritesExec = 1u << 5,
  kReadsM0 = 1u << 6,
  kWritesM0 = 1u << 7,
  kLoad = 1u << 8,
  kStore = 1u << 9,
  kAtomic = 1u << 10,      ///< any read-modify-write of memory
  kReturns = 1u << 11,     ///< DS atomics that return the value before
  kFloatModes = 1u << 12,  ///< obeys MODE rounding and denormals
  kBranch = 1u << 13,
  kEndsProgram = 1u << 14,
  kGraphicsOnly = 1u << 15,  ///< decodes; "not on a compute device"
  kNoClamp = 1u << 16,       ///< VOP3 form must not clamp
  kNoOmod = 1u << 17,        ///< VOP3 form takes no output modifier
  kNoAbsNeg = 1u << 18,      ///< VOP3 form takes neither abs nor neg
  kOpSel = 1u << 19,         ///< VOP3 form takes op_sel
  kMatrix = 1u << 20,        ///< matrix core: `matrix` holds the shape
  kSparse = 1u << 21,        ///< V_SMFMAC: A is 4:2 sparse
  kD16 = 1u << 22,           ///< 16 bits per component, lower half of the register
  kD16High = 1u << 23,       ///< the upper half
  kFormatted = 1u << 24,     ///< converts by the format of a resource
  kLdsDma = 1u << 25,        ///< can move memory to LDS: takes the lds bit, or is the LDS form
  kPlainName = 1u << 26,     ///< VOP1 and VOP2 rows printed without _e32
  kE64Name = 1u << 27,       ///< VOP3A rows printed with _e64
};

/// Shape of a matrix instruction (VOP3P-MAI rows), from tests/oracles/mfma/instructions.csv.
struct MatrixShape {
  /// Rows and columns of a block of D; blocks computed side by side.
  uint8_t m = 0, n = 0, blocks = 0;
  uint8_t passes = 0;                    ///< of 4 clocks; see passes_on()
  uint8_t passes_gfx942 = 0;             ///< 0: as elsewhere
  uint8_t k = 0;                         ///< columns of A and rows of B in a block
  Type a = Type::None, c = Type::None;   ///< element types of A, of C and D
  Type b = Type::None;                   ///< element type of B, not that of A for mixed FP8 and BF8
  bool cbsz_abid = false, blgp = false;  ///< the fields may be other than 0
};

/// Opcode, row or rule that a target does not have.
inline constexpr uint16_t kAbsent = 0xffff;

/// One instruction: the single place where mnemonic, opcodes, operands and behaviour meet. Rows
/// live for the whole program; identity is the address, order is the table's (index_of).
struct Row {
  Format format;
  std::string_view mnemonic;          ///< lower case, without _e32/_e64/_sdwa/_dpp suffix
  uint16_t opcode[kTargets];          ///< kAbsent where the target lacks it
  uint16_t vop3_opcode[kTargets];     ///< VOP1, VOP2, VOPC, VINTRP: the promoted form
  uint8_t sdwa_targets, dpp_targets;  ///< bit index_of(t) per target
  SemanticId semantic;                ///< behaviour; several rows may share one
  OperandSpec dst[2];
  OperandSpec src[4];
  Unit unit;
  uint32_t flags;      ///< RowFlag
  MatrixShape matrix;  ///< zero unless kMatrix
  uint16_t number;     ///< the opcode of the native form, the same on all targets that have it
  std::string_view mnemonic_gfx942;  ///< matrix rows renamed there, otherwise empty

  bool has(RowFlag f) const { return (flags & f) != 0; }
  /// Mnemonic of the target; the row need not be on it.
  std::string_view mnemonic_on(Target t) const {
    return t == Target::Gfx942 && !mnemonic_gfx942.empty() ? mnemonic_gfx942 : mnemonic;
  }
  bool on(Target t) const { return opcode[index_of(t)] != kAbsent; }
};

/// All rows, in table order.
/// Rows in table order, from `first`.
struct RowList {
  const Row* first;
  uint32_t count;
  const Row* begin() const { return first; }
  const Row* end() const { return first + count; }
};
RowList rows();
/// Passes (4 clocks each) of a matrix row on a target; 0 for other rows.
constexpr unsigned passes_on(const Row& row, Target t) {
  const bool own = t == Target::Gfx942 && row.matrix.passes_gfx942 != 0;
  return own ? row.matrix.passes_gfx942 : row.matrix.passes;
}
/// Position of a row in rows(): the number that identifies an instruction in RTL packages and logs.
uint32_t index_of(const Row& row);
/// "VOP2.1.V_ADD_F32": the row id of tests/ledger/isa_opcodes.csv.
std::string row_id(const Row& row);
/// Null when there is none. A mnemonic is unique inside a format.
const Row* find_row(std::string_view mnemonic, Format format);

/// Numbers of executions of rows, in table order; rows without any are left out.
using RowCounts = std::vector<std::pair<const Row*, uint64_t>>;
/// Makes it so of counts in any order, several to a row.
void put_in_order(RowCounts& counts);

}  // namespace cuvette::isa
