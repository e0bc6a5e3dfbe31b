// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/box.h"
#include "hsail/brig_enums.h"

/// HSAIL module in memory, shaped like BRIG (HSAIL PRM chapter 18): a flat list of code entries
/// (directives and instructions in text order) and a list of operands, joined by indices. The
/// contents of BRIG's data section (names, byte strings, lists) sit in the entries as values.
///
/// Index 0 of both lists is reserved (Kind::kNone), so that 0 means "none" as in BRIG.
namespace cuvette::hsail {

using CodeRef = uint32_t;     ///< index into Module::code, 0 is none
using OperandRef = uint32_t;  ///< index into Module::operands, 0 is none

/// Bytes of the largest variable that is run; larger ones are errors, not allocations.
constexpr uint64_t kLargestVariable = uint64_t{1} << 30;
/// Bytes of the largest aggregate constant that is read.
constexpr uint64_t kLargestAggregate = uint64_t{1} << 62;

/// The bits that a set of exceptions has (HSAIL PRM 12.1); others are not looked at.
constexpr uint32_t kAllExceptions = 0x1f;

/// Place in the source text (from 1). Modules that come from BRIG have 0:0 and the entry's offset
/// in the file.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
  uint64_t offset = 0;
  uint32_t file = 0;  ///< in a linked module: into Module::more_files, from 1
  bool operator==(const Position&) const = default;
};

/// "line 7", or "offset 0x1c" in BRIG, for messages.
std::string place_text(const Position& at);

/// 18.5.1.11. Entry kind kModule; exactly one per module.
struct ModuleHeader {
  std::string name;  ///< with "&"
  uint32_t major = kHsailMajor;
  uint32_t minor = 0;
  Profile profile = Profile::kFull;
  MachineModel machine_model = MachineModel::kLarge;
  Round default_round = Round::kFloatDefault;  ///< kFloatDefault, kFloatNear or kFloatZero
  bool operator==(const ModuleHeader&) const = default;
};

/// 18.5.1.5. Entry kinds kKernel, kFunction, kIndirectFunction, kSignature. The entries after it:
/// output arguments, input arguments, code block, all kVariable/statement entries up to
/// next_module_entry.
struct Executable {
  std::string name;
  uint16_t out_arg_count = 0;
  uint16_t in_arg_count = 0;
  CodeRef first_in_arg = 0;  ///< also without input arguments: the entry behind the output ones
  CodeRef first_code_block_entry = 0;  ///< the entry behind the arguments
  CodeRef next_module_entry = 0;       ///< Module::code.size() when it is the last
  uint8_t modifier = 0;                ///< kExecutableDefinition
  Linkage linkage = Linkage::kModule;
  bool is_definition() const { return (modifier & kExecutableDefinition) != 0; }
  bool operator==(const Executable&) const = default;
};

/// 18.5.1.14. Variables, kernel and function arguments. Entry kind kVariable.
struct Variable {
  std::string name;         ///< "&x" at module scope, "%x" below; may be empty in a signature
  OperandRef init = 0;      ///< constant operand, 0 without initialiser
  Type type = Type::kNone;  ///< element type (never the array bit)
  bool is_array = false;    ///< the BRIG array bit
  Segment segment = Segment::kNone;
  Alignment align = Alignment::kNone;
  uint64_t dim = 0;      ///< elements of an array; 0 for scalars and unsized arrays
  uint8_t modifier = 0;  ///< kVariableDefinition, kVariableConst
  Linkage linkage = Linkage::kNone;
  Allocation allocation = Allocation::kNone;
  bool is_definition() const { return (modifier & kVariableDefinition) != 0; }
  bool operator==(const Variable&) const = default;
};

/// 18.5.1.8.
struct Fbarrier {
  std::string name;
  uint8_t modifier = 0;  ///< kVariableDefinition
  Linkage linkage = Linkage::kNone;
  bool operator==(const Fbarrier&) const = default;
};

/// 18.5.1.9. name with "@".
struct Label {
  std::string name;
  bool operator==(const Label&) const = default;
};

/// 18.5.1.4. Operands are constant bytes or wavesize.
struct Control {
  ControlDirective control = ControlDirective::kNone;
  std::vector<OperandRef> operands;
  bool operator==(const Control&) const = default;
};

/// 18.5.1.13. First operand is the pragma's string.
struct Pragma {
  std::vector<OperandRef> operands;
  bool operator==(const Pragma&) const = default;
};

/// 18.5.1.6 and 18.5.1.7 (kind kExtensionVersion).
struct Extension {
  std::string name;
  uint32_t major = 0;
  uint32_t minor = 0;
  bool operator==(const Extension&) const = default;
};

/// 18.5.1.3. One line with its "//".
struct Comment {
  std::string text;
  bool operator==(const Comment&) const = default;
};

/// 18.5.1.10. `file` repeats the last one given when the text omits it.
struct Loc {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 1;
  bool operator==(const Loc&) const = default;
};

/// Kinds kArgBlockStart, kArgBlockEnd (no fields) and kNone, the `pad` directive (words to skip).
struct Marker {
  uint32_t pad_words = 0;
  bool operator==(const Marker&) const = default;
};

/// 18.5.2. One struct for all formats: the entry's kind says which fields are meaningful, the
/// others keep their defaults. Operands: destination first, as in 18.7.
struct Inst {
  Opcode opcode = Opcode::kNop;
  Type type = Type::kNone;              ///< destination type (source type where there is no other)
  std::vector<OperandRef> operands;     ///< `call`: out-args list, callee, in-args list
  Type source_type = Type::kNone;       ///< CMP CVT LANE SEG_CVT SOURCE_TYPE; SIGNAL: signal type
  Segment segment = Segment::kNone;     ///< ADDR ATOMIC MEM QUEUE SEG SEG_CVT
  uint8_t modifier = 0;                 ///< kAlu* for CMP CVT MOD; kMem* for MEM
  Round round = Round::kNone;           ///< CVT MOD
  Pack pack = Pack::kNone;              ///< CMP MOD
  Compare compare = Compare::kEq;       ///< CMP
  Width width = Width::kNone;           ///< BR LANE MEM
  Alignment align = Alignment::kNone;   ///< MEM
  uint8_t equiv_class = 0;              ///< ATOMIC IMAGE MEM
  AtomicOp atomic_op = AtomicOp::kAdd;  ///< ATOMIC SIGNAL
  MemoryOrder order = MemoryOrder::kNone;  ///< ATOMIC MEM_FENCE QUEUE SIGNAL
  MemoryScope scope = MemoryScope::kNone;  ///< ATOMIC; MEM_FENCE: the global and group scope
  // IMAGE, QUERY_IMAGE, QUERY_SAMPLER: source_type is the image's type.
  Type coord_type = Type::kNone;                           ///< IMAGE
  ImageGeometry geometry = ImageGeometry::k1d;             ///< IMAGE QUERY_IMAGE
  ImageQuery image_query = ImageQuery::kWidth;             ///< QUERY_IMAGE
  SamplerQuery sampler_query = SamplerQuery::kAddressing;  ///< QUERY_SAMPLER
  bool operator==(const Inst&) const = default;
};

/// A directive or an instruction.
struct CodeEntry {
  Kind kind = Kind::kNone;
  Position at;
  std::variant<Marker, ModuleHeader, Executable, Variable, Fbarrier, Label, Control, Pragma,
               Extension, Comment, Loc, Inst>
      body;

  template <class T>
  const T& as() const {
    return std::get<T>(body);
  }
  template <class T>
  T& as() {
    return std::get<T>(body);
  }
};

/// The properties of an image or sampler constant (7.1.7, 7.1.8, 18.6.14, 18.6.15).
struct ImageConstant {
  ImageGeometry geometry = ImageGeometry::k1d;
  ChannelOrder order = ChannelOrder::kA;
  ChannelType channel = ChannelType::kSnorm8;
  uint64_t width = 0, height = 0, depth = 0, array = 0;  ///< 0 where the geometry has none
  bool operator==(const ImageConstant&) const = default;
};
/// The properties of a sampler constant.
struct SamplerConstant {
  SamplerCoord coord = SamplerCoord::kUnnormalized;
  SamplerFilter filter = SamplerFilter::kNearest;
  SamplerAddressing addressing = SamplerAddressing::kUndefined;
  bool operator==(const SamplerConstant&) const = default;
};

/// 18.6. As for Inst, the kind says which fields are meaningful.
struct Operand {
  Kind kind = Kind::kNone;
  Position at;
  RegisterKind reg_kind = RegisterKind::kControl;  ///< kOperandRegister
  uint16_t reg_num = 0;                            ///< kOperandRegister
  CodeRef symbol = 0;   ///< kOperandAddress: variable; kOperandCodeRef: what it names
  OperandRef reg = 0;   ///< kOperandAddress: register operand
  uint64_t offset = 0;  ///< kOperandAddress: byte offset, two's complement; kOperandZero: bytes
  std::vector<CodeRef> codes;        ///< kOperandCodeList
  std::vector<OperandRef> elements;  ///< kOperandOperandList, kOperandConstantOperandList,
                                     ///< kOperandConstantExpression
  Type type = Type::kNone;           ///< constants; array constants carry is_array
  bool is_array = false;             ///< kOperandConstantBytes, kOperandConstantOperandList
  std::string bytes;                 ///< kOperandConstantBytes: little endian; kOperandString: text
  ExpressionOp expression = ExpressionOp::kNullPtrFlat;  ///< kOperandConstantExpression
  Alignment align = Alignment::kNone;                    ///< kOperandAlign
  base::Box<ImageConstant> image;                        ///< kOperandConstantImage
  SamplerConstant sampler;                               ///< kOperandConstantSampler
};

/// A module, or several linked ones (hsail/link.h).
struct Module {
  std::string file;                     ///< for messages; not part of the module's meaning
  std::vector<std::string> more_files;  ///< of the modules linked to the first (hsail/link.h)
  std::vector<CodeEntry> code{1};
  std::vector<Operand> operands{1};

  /// The module directive, or nullptr in a module that failed to parse.
  const ModuleHeader* header() const;
  /// Machine model of the module directive; large without one.
  MachineModel machine_model() const;
  /// The kernel of that name ("&k"), a definition when there is one; 0 when absent.
  CodeRef find_kernel(const std::string& name) const;
  /// Definitions of kernels in text order.
  std::vector<CodeRef> kernels() const;
  const Operand& operand(OperandRef ref) const { return operands[ref]; }
  /// The file that a position is in.
  const std::string& file_of(const Position& at) const {
    return at.file == 0 || at.file > more_files.size() ? file : more_files[at.file - 1];
  }
  /// The value of a constant-bytes operand of up to 8 bytes, zero-extended.
  uint64_t constant(OperandRef ref) const;
};

/// Same meaning entry by entry: positions and the numbering or sharing of operands do not matter.
bool same_module(const Module& a, const Module& b);

}  // namespace cuvette::hsail
