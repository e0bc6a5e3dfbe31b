// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>
#include <vector>

#include "hsail/module.h"

/// Layout of BRIG (HSAIL PRM 18.2 to 18.6). The fields of each entry are named
/// once, in file order, by visit_entry and visit_operand; reader, writer and the layout queries
/// below walk over them with their own `Io`:
///
///     io.field(name, value)       an enumerator or number of 1, 2 or 4 bytes
///     io.bits(name, value, mask)  a byte of flags
///     io.again(name, value)       a second copy of a value: must be equal
///     io.wide(name, value)        64 bits as two words (18.3.29)
///     io.type(name, type, array)  18.3.28; array is null where none may stand
///     io.string(name, text)       offset of bytes in hsa_data
///     io.code(name, ref)          offset in hsa_code
///     io.operand(name, ref)       offset in hsa_operand
///     io.codes, io.operands       offset in hsa_data of a list of such offsets
///     io.reserved(bytes)          zero
namespace cuvette::hsail {

// Module header (18.3.18): byte offsets.
constexpr std::string_view kBrigMagic = "HSA BRIG";
constexpr size_t kBrigMajorAt = 8;
constexpr size_t kBrigMinorAt = 12;
constexpr size_t kBrigByteCountAt = 16;
constexpr size_t kBrigHashAt = 24;
constexpr size_t kBrigHashBytes = 64;
constexpr size_t kBrigReservedAt = 88;
constexpr size_t kBrigSectionCountAt = 92;
constexpr size_t kBrigSectionIndexAt = 96;
constexpr size_t kBrigHeaderBytes = 104;

// Section header (18.3.25): byte offsets.
constexpr size_t kSectionByteCountAt = 0;
constexpr size_t kSectionHeaderBytesAt = 8;
constexpr size_t kSectionNameLengthAt = 12;
constexpr size_t kSectionNameAt = 16;

constexpr std::string_view kBrigSectionNames[] = {"hsa_data", "hsa_code", "hsa_operand"};
constexpr size_t kBrigStandardSections = 3;  ///< those of kBrigSectionNames
constexpr size_t kBrigAlignment = 16;        ///< of sections and of the whole
constexpr size_t kBrigLargestEntry = 65532;  ///< 18.3.6: 16-bit sizes, multiples of 4
constexpr size_t kBrigBaseBytes = 4;         ///< 18.3.6: byte_count, kind
constexpr size_t kOffsetHighAt = 16;         ///< in an address: the high word of offset (18.6.2)

/// One past the largest enumerator, for the check of values read.
template <class T>
struct EnumEnd;
template <>
struct EnumEnd<Opcode> : std::integral_constant<unsigned, kOpcodeCount> {};
template <>
struct EnumEnd<Segment> : std::integral_constant<unsigned, 9> {};
template <>
struct EnumEnd<Linkage> : std::integral_constant<unsigned, 5> {};
template <>
struct EnumEnd<Allocation> : std::integral_constant<unsigned, 4> {};
template <>
struct EnumEnd<MachineModel> : std::integral_constant<unsigned, 2> {};
template <>
struct EnumEnd<Profile> : std::integral_constant<unsigned, 2> {};
template <>
struct EnumEnd<RegisterKind> : std::integral_constant<unsigned, 4> {};
template <>
struct EnumEnd<Alignment> : std::integral_constant<unsigned, 10> {};
template <>
struct EnumEnd<Width> : std::integral_constant<unsigned, 35> {};
template <>
struct EnumEnd<Round> : std::integral_constant<unsigned, 22> {};
template <>
struct EnumEnd<Pack> : std::integral_constant<unsigned, 13> {};
template <>
struct EnumEnd<Compare> : std::integral_constant<unsigned, 28> {};
template <>
struct EnumEnd<AtomicOp> : std::integral_constant<unsigned, 21> {};
template <>
struct EnumEnd<MemoryOrder> : std::integral_constant<unsigned, 5> {};
template <>
struct EnumEnd<MemoryScope> : std::integral_constant<unsigned, 6> {};
template <>
struct EnumEnd<ControlDirective> : std::integral_constant<unsigned, 12> {};
template <>
struct EnumEnd<ExpressionOp> : std::integral_constant<unsigned, 5> {};
template <>
struct EnumEnd<ImageGeometry> : std::integral_constant<unsigned, 8> {};
template <>
struct EnumEnd<ChannelOrder> : std::integral_constant<unsigned, 20> {};
template <>
struct EnumEnd<ChannelType> : std::integral_constant<unsigned, 16> {};
template <>
struct EnumEnd<ImageQuery> : std::integral_constant<unsigned, 6> {};
template <>
struct EnumEnd<SamplerQuery> : std::integral_constant<unsigned, 3> {};
template <>
struct EnumEnd<SamplerAddressing> : std::integral_constant<unsigned, 5> {};
template <>
struct EnumEnd<SamplerCoord> : std::integral_constant<unsigned, 2> {};
template <>
struct EnumEnd<SamplerFilter> : std::integral_constant<unsigned, 2> {};

/// The structure of an entry ("hsa_brig_inst_mem_t"); empty for numbers that are no kind.
std::string_view structure_name(Kind kind);
/// Its size in bytes without later extensions; 0 for numbers that are no kind.
size_t structure_bytes(Kind kind);

/// A field of an entry.
struct BrigField {
  std::string_view name;  ///< "" for reserved bytes
  size_t offset;          ///< from the start of the entry
  size_t bytes;
};
/// The fields of an entry behind byte_count and kind.
std::vector<BrigField> structure_fields(Kind kind);

template <class Io>
void visit_inst(Io& io, Kind kind, Inst& i) {
  io.field("opcode", i.opcode);
  io.type("type", i.type, nullptr);
  io.operands("operands", i.operands);
  switch (kind) {
    case Kind::kInstAddr:
    case Kind::kInstSeg:
      io.field("segment", i.segment);
      io.reserved(3);
      break;
    case Kind::kInstAtomic:
      io.field("segment", i.segment);
      io.field("memory_order", i.order);
      io.field("memory_scope", i.scope);
      io.field("atomic_operation", i.atomic_op);
      io.field("equiv_class", i.equiv_class);
      io.reserved(3);
      break;
    case Kind::kInstBr:
      io.field("width", i.width);
      io.reserved(3);
      break;
    case Kind::kInstCmp:
      io.type("source_type", i.source_type, nullptr);
      io.bits("modifier", i.modifier, kAluFtz | kAluIntegerSat);
      io.field("compare", i.compare);
      io.field("pack", i.pack);
      io.reserved(3);
      break;
    case Kind::kInstCvt:
      io.type("source_type", i.source_type, nullptr);
      io.bits("modifier", i.modifier, kAluFtz | kAluIntegerSat);
      io.field("round", i.round);
      break;
    case Kind::kInstImage:
      io.type("image_type", i.source_type, nullptr);
      io.type("coord_type", i.coord_type, nullptr);
      io.field("geometry", i.geometry);
      io.field("equiv_class", i.equiv_class);
      io.reserved(2);
      break;
    case Kind::kInstQueryImage:
      io.type("image_type", i.source_type, nullptr);
      io.field("geometry", i.geometry);
      io.field("query", i.image_query);
      break;
    case Kind::kInstQuerySampler:
      io.field("query", i.sampler_query);
      io.reserved(3);
      break;
    case Kind::kInstLane:
      io.type("source_type", i.source_type, nullptr);
      io.field("width", i.width);
      io.reserved(1);
      break;
    case Kind::kInstMem:
      io.field("segment", i.segment);
      io.field("align", i.align);
      io.field("equiv_class", i.equiv_class);
      io.field("width", i.width);
      io.bits("modifier", i.modifier, kMemConst | kMemNonTemporal);
      io.reserved(3);
      break;
    case Kind::kInstMemFence:
      io.field("memory_order", i.order);
      io.field("global_segment_memory_scope", i.scope);
      io.again("group_segment_memory_scope", i.scope);
      io.reserved(1);
      break;
    case Kind::kInstMod:
      io.bits("modifier", i.modifier, kAluFtz | kAluIntegerSat);
      io.field("round", i.round);
      io.field("pack", i.pack);
      io.reserved(1);
      break;
    case Kind::kInstQueue:
      io.field("segment", i.segment);
      io.field("memory_order", i.order);
      io.reserved(2);
      break;
    case Kind::kInstSegCvt:
      io.type("source_type", i.source_type, nullptr);
      io.field("segment", i.segment);
      io.bits("modifier", i.modifier, kSegCvtNoNull);
      break;
    case Kind::kInstSignal:
      io.type("signal_type", i.source_type, nullptr);
      io.field("memory_order", i.order);
      io.field("signal_operation", i.atomic_op);
      break;
    case Kind::kInstSourceType:
      io.type("source_type", i.source_type, nullptr);
      io.reserved(2);
      break;
    default:  // kInstBasic
      break;
  }
}

template <class Io>
void visit_directive(Io& io, Kind, Marker&) {
  (void)io;  // kind kNone brings words to skip: reader and writer handle them
}
template <class Io>
void visit_directive(Io& io, Kind, ModuleHeader& d) {
  io.string("name", d.name);
  io.field("hsail_major", d.major);
  io.field("hsail_minor", d.minor);
  io.field("profile", d.profile);
  io.field("machine_model", d.machine_model);
  io.field("default_float_round", d.default_round);
  io.reserved(1);
}
template <class Io>
void visit_directive(Io& io, Kind, Executable& d) {
  io.string("name", d.name);
  io.field("out_arg_count", d.out_arg_count);
  io.field("in_arg_count", d.in_arg_count);
  io.code("first_in_arg", d.first_in_arg);
  io.code("first_code_block_entry", d.first_code_block_entry);
  io.code("next_module_entry", d.next_module_entry);
  io.bits("modifier", d.modifier, kExecutableDefinition);
  io.field("linkage", d.linkage);
  io.reserved(2);
}
template <class Io>
void visit_directive(Io& io, Kind, Variable& d) {
  io.string("name", d.name);
  io.operand("init", d.init);
  io.type("type", d.type, &d.is_array);
  io.field("segment", d.segment);
  io.field("align", d.align);
  io.wide("dim", d.dim);
  io.bits("modifier", d.modifier, kVariableDefinition | kVariableConst);
  io.field("linkage", d.linkage);
  io.field("allocation", d.allocation);
  io.reserved(1);
}
template <class Io>
void visit_directive(Io& io, Kind, Fbarrier& d) {
  io.string("name", d.name);
  io.bits("modifier", d.modifier, kVariableDefinition);
  io.field("linkage", d.linkage);
  io.reserved(2);
}
template <class Io>
void visit_directive(Io& io, Kind, Label& d) {
  io.string("name", d.name);
}
template <class Io>
void visit_directive(Io& io, Kind, Control& d) {
  io.field("control", d.control);
  io.reserved(2);
  io.operands("operands", d.operands);
}
template <class Io>
void visit_directive(Io& io, Kind, Pragma& d) {
  io.operands("operands", d.operands);
}
template <class Io>
void visit_directive(Io& io, Kind kind, Extension& d) {
  io.string("name", d.name);
  if (kind != Kind::kExtensionVersion) return;
  io.field("extension_major", d.major);
  io.field("extension_minor", d.minor);
}
template <class Io>
void visit_directive(Io& io, Kind, Comment& d) {
  io.string("name", d.text);
}
template <class Io>
void visit_directive(Io& io, Kind, Loc& d) {
  io.string("filename", d.file);
  io.field("line", d.line);
  io.field("column", d.column);
}
template <class Io>
void visit_directive(Io& io, Kind kind, Inst& i) {
  visit_inst(io, kind, i);
}

/// The body that belongs to a kind, with default values.
decltype(CodeEntry::body) new_body(Kind kind);

template <class Io>
void visit_entry(Io& io, CodeEntry& entry) {
  std::visit([&](auto& body) { visit_directive(io, entry.kind, body); }, entry.body);
}

template <class Io>
void visit_operand(Io& io, Operand& op) {
  switch (op.kind) {
    case Kind::kOperandAddress:
      io.code("symbol", op.symbol);
      io.operand("reg", op.reg);
      io.wide("offset", op.offset);
      break;
    case Kind::kOperandAlign:
      io.field("align", op.align);
      io.reserved(3);
      break;
    case Kind::kOperandCodeList:
      io.codes("elements", op.codes);
      break;
    case Kind::kOperandCodeRef:
      io.code("ref", op.symbol);
      break;
    case Kind::kOperandConstantBytes:
      io.type("type", op.type, &op.is_array);
      io.reserved(2);
      io.string("bytes", op.bytes);
      break;
    case Kind::kOperandConstantExpression:
      io.type("type", op.type, nullptr);
      io.field("expression_operation", op.expression);
      io.operands("operands", op.elements);
      break;
    case Kind::kOperandConstantImage: {
      ImageConstant& image = op.image.make();
      io.type("type", op.type, nullptr);
      io.field("geometry", image.geometry);
      io.field("channel_order", image.order);
      io.field("channel_type", image.channel);
      io.reserved(3);
      io.wide("width", image.width);
      io.wide("height", image.height);
      io.wide("depth", image.depth);
      io.wide("array", image.array);
      break;
    }
    case Kind::kOperandConstantSampler:
      io.type("type", op.type, nullptr);
      io.field("coord", op.sampler.coord);
      io.field("filter", op.sampler.filter);
      io.field("addressing", op.sampler.addressing);
      io.reserved(3);
      break;
    case Kind::kOperandConstantOperandList:
      io.type("type", op.type, &op.is_array);
      io.reserved(2);
      io.operands("elements", op.elements);
      break;
    case Kind::kOperandOperandList:
      io.operands("elements", op.elements);
      break;
    case Kind::kOperandRegister:
      io.field("reg_kind", op.reg_kind);
      io.field("reg_num", op.reg_num);
      break;
    case Kind::kOperandString:
      io.string("string", op.bytes);
      break;
    case Kind::kOperandZero:
      io.wide("zero_byte_count", op.offset);
      break;
    default:  // kOperandWavesize
      break;
  }
}

}  // namespace cuvette::hsail
