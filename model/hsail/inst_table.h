// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "hsail/module.h"
#include "hsail/names.h"
#include "hsail/rules.h"

/// The one table of instruction legality (HSAIL PRM chapters 5 to 11 and 18.7). Parser, printer,
/// validator and interpreter ask it; an instruction without a row is not supported by this layer.
namespace cuvette::hsail {

/// A set of types: scalar types by number, packed ones above.
using TypeSet = uint64_t;
/// The set of one type, which is no array.
constexpr TypeSet type_bit(Type t) {
  const unsigned pack = (number(t) & kTypePackMask) >> 5;
  const unsigned base = number(t) & kTypeBaseMask;
  return TypeSet{1} << (pack == 0 ? base : 24 + (pack - 1) * 11 + base - 1);
}
/// Members of a set that are packed when `like` is packed, otherwise the others; all when none is
/// left.
TypeSet types_like(TypeSet set, Type like);
/// The members in BRIG order, scalars first, as text ("u32 s32").
std::string list_types(TypeSet set);

/// Role of one place of the operand list; the letters of InstRow::operands.
enum class Role : char {
  kDest = 'd',          ///< register of the instruction type
  kSource = 's',        ///< register or constant of the instruction type
  kSourceOther = 't',   ///< register or constant of the source type
  kU32 = 'u',           ///< register or constant, u32 whatever the instruction type
  kCondition = 'c',     ///< register or constant, b1; packed cmov: unsigned of the same shape
  kDestMany = 'D',      ///< register, or as many in brackets as _vN says
  kSourceMany = 'S',    ///< register or constant, or as many in brackets as _vN says
  kDestVector = 'V',    ///< as many registers in brackets as _vN says, instruction type
  kSourceVector = 'W',  ///< as many values in brackets as _vN says, source type
  kAddress = 'm',       ///< memory operand of the instruction's segment
  kLabel = '@',         ///< label
  kLabels = 'L',        ///< [@a, @b] after the operand before it, without a comma
  kDimension = 'k',     ///< literal 0, 1 or 2
  kByte = 'b',          ///< literal 0 to 3
  kSelector = 'x',      ///< literal b32
  kExceptions = 'e',    ///< literal u32: a set of exceptions in its low 5 bits
  kSignal = 'h',        ///< register with a signal handle of the source type
  kTimeout = 'y',       ///< register or constant, u64
  kFbarrier = 'q',      ///< an fbarrier or a $s register with what ldf gave
  kFbarrierName = 'Q',  ///< an fbarrier
  kCallee = 'f',        ///< name of a function
  kRegister = 'r',      ///< register of the instruction type
  kFunctions = 'F',     ///< [&f, &g] after the arguments, without a comma
  kSignature = 'g',     ///< after the arguments, without a comma
  kArguments = 'a',     ///< (%x, ...)
  kImage = 'i',         ///< register with an image handle of the source type
  kSampler = 'p',       ///< register with a sampler handle
  kCoordinates = 'C',   ///< as many values of the coordinate type as the geometry has, in brackets
                        ///< when there are several
  // Extension cuvette:mfma (hsail/matrix_table.h).
  kMatrixDest = 'M',  ///< as many registers of the instruction type as there are, in brackets
  kMatrixA = 'A',     ///< register or constant with the elements of A
  kMatrixB = 'B',     ///< the same of B
  kMatrixC = 'N',     ///< as many values as results, in brackets, or one constant for all
  kThreeBits = '3',   ///< literal 0 to 7
  kFourBits = '4',    ///< literal 0 to 15
  // Extension amd:gcn (hsail/gcn_table.h).
  kSourceRegister = 'R',  ///< register
  kImmediate = 'l',       ///< constant or WAVESIZE
  kDestFour = 'O',        ///< four registers in brackets
  kSourceFour = 'I',      ///< four values in brackets
  // Extension amd:mipmap (hsail/mipmap_table.h).
  kGradient = 'G',  ///< as many values of f32 as the geometry has dimensions, in brackets when
                    ///< there are several
};

/// Syntax of the modifiers behind the mnemonic in text (19.2).
enum class Syntax : uint8_t {
  kPlain,         ///< type
  kArith,         ///< [_ftz] [_round] [_pack] [_sat] type
  kTwoTypes,      ///< type source-type
  kVector,        ///< _vN type source-type
  kCmp,           ///< _op [_ftz] [_pack] type source-type
  kCvt,           ///< [_ftz] [_round] [_pack] [_sat] type source-type
  kLoad,          ///< [_vN] [_segment] [_align] [_const] [_equiv] [_width] [_nt] type
  kStore,         ///< [_vN] [_segment] [_align] [_equiv] [_nt] type
  kAddress,       ///< [_segment] type
  kAtomic,        ///< _op [_segment] _order _scope [_equiv] type
  kFence,         ///< _order _scope
  kLane,          ///< [_vN] [_width] type [source-type]
  kBranch,        ///< [_width] type
  kBarrier,       ///< [_width]
  kBare,          ///< nothing
  kSegment,       ///< [_segment] [_nonull] type source-type
  kAlloca,        ///< [_align] type
  kSignal,        ///< _op [_wait-op] _order type signal-type
  kQueue,         ///< [_segment] _order type
  kFbarrier,      ///< [_width]
  kImage,         ///< [_v4] _geometry [_equiv] type image-type coordinate-type
  kQueryImage,    ///< _geometry _property type image-type
  kQuerySampler,  ///< _property type
  kMatrix,        ///< everything belongs to the opcode's name
  kUntyped,       ///< nothing: the row has one type
  kRegion,        ///< type: the segment is region
};

/// Modifiers a row allows or demands.
constexpr uint8_t kModFtz = 1;
constexpr uint8_t kModRound = 2;
constexpr uint8_t kModSat = 4;
constexpr uint8_t kModNeedSat = 8;  ///< only the _sat form exists for these types
// Packed types: one of the packing controls named has to be there (4.14).
constexpr uint8_t kModPackOne = 16;    ///< p, s
constexpr uint8_t kModPackTwo = 32;    ///< pp, ps, sp, ss
constexpr uint8_t kModPackSat = 64;    ///< each of these with _sat too
constexpr uint8_t kModPackPair = 128;  ///< pp

/// A row: one instruction with a set of types.
struct InstRow {
  const char* id;  ///< the row of the instruction checklist it covers; extensions: the name
  Opcode opcode;
  Kind format;  ///< kInstMod rows are written as kInstBasic when every modifier has its default
  Syntax syntax;
  TypeSet types;         ///< 0: no type
  TypeSet source_types;  ///< 0: no second type
  const char* operands;  ///< one Role per operand
  uint8_t modifiers;     ///< kMod*
  AtomicOp atomic;       ///< atomics and signals: the operation
  uint8_t image = 0;     ///< images: the geometry; queries: the property
  /// Operands with a type of their own; kNone: what the role says.
  std::array<Type, 5> operand_types{};
};

/// True if a row is for the operation, geometry or property that an instruction names.
bool names_fit(const InstRow& row, const Inst& inst);

/// Rows [first, last).
struct InstRows {
  const InstRow* first;
  const InstRow* last;
  const InstRow* begin() const { return first; }
  const InstRow* end() const { return last; }
};

/// All rows of the PRM, by opcode; those of vendor extensions are in hsail/gcn_table.h,
/// hsail/mipmap_table.h and hsail/matrix_table.h.
InstRows inst_rows();
/// The rows of one opcode; empty when the instruction is not supported.
InstRows inst_rows(Opcode opcode);

/// The row that allows an instruction's types and modifiers, or what is wrong with them.
struct RowMatch {
  const InstRow* row = nullptr;
  Problem problem;  ///< none when `row` is set
};
RowMatch match_row(const CodeEntry& entry);

/// Part of an instruction, allowed by the rows, that a module's version of HSAIL lacks
/// (decisions.md D62).
Problem version_problem(const ModuleHeader& header, const Inst& inst);

/// Error in the form MOD of an instruction that `row` allows: the opcodes that have it
/// are those with rows of that format (18.7.1), and it names no rounding exactly where there is
/// none (18.3.23). Empty when all is well.
std::string wrong_mod_form(const InstRow& row, const Inst& inst);

/// The role of an operand; kSource where the instruction has no row or fewer operands.
Role operand_role(const Inst& inst, size_t index);
/// The type that a constant has to have there.
Type operand_type(const Inst& inst, size_t index);

/// True for call, scall and icall.
constexpr bool is_call(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kScall || opcode == Opcode::kIcall;
}

/// The type of the condition of cmov: b1, or of a packed one unsigned elements of its shape (5.10).
Type condition_type(const Inst& inst);

/// Elements that a packing control takes (Tables 4-5, 4-6). kNone takes all of both sources.
struct PackControl {
  bool low_only;        ///< only the low element is computed, the rest of the destination stays
  bool broadcast_src0;  ///< the low element of src0 for all
  bool broadcast_src1;
  bool saturates;
};
PackControl pack_control(Pack pack);
/// True if the instruction is a scalar one applied to each element; shuffle, pack, lerp and the
/// like are not.
bool applies_to_elements(const Inst& inst);
/// The scalar instruction that a packed one applies to each element.
Inst element_inst(const Inst& packed);

/// The rounding a cvt without rounding modifier has (5.19.3, 5.19.4).
Round default_round(const Inst& cvt);

/// "cmp_lt_b1_u32": mnemonic with operation and types, for messages.
std::string inst_name(const Inst& inst);

}  // namespace cuvette::hsail
