// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/brig_layout.h"

namespace cuvette::hsail {

namespace {

struct Structure {
  Kind kind;
  std::string_view name;
  size_t bytes;
};

/// 18.5 and 18.6.
constexpr Structure kStructures[] = {
    {Kind::kNone, "hsa_brig_directive_none_t", 4},
    {Kind::kArgBlockEnd, "hsa_brig_directive_arg_block_t", 4},
    {Kind::kArgBlockStart, "hsa_brig_directive_arg_block_t", 4},
    {Kind::kComment, "hsa_brig_directive_comment_t", 8},
    {Kind::kControl, "hsa_brig_directive_control_t", 12},
    {Kind::kExtension, "hsa_brig_directive_extension_t", 8},
    {Kind::kFbarrier, "hsa_brig_directive_fbarrier_t", 12},
    {Kind::kFunction, "hsa_brig_directive_executable_t", 28},
    {Kind::kIndirectFunction, "hsa_brig_directive_executable_t", 28},
    {Kind::kKernel, "hsa_brig_directive_executable_t", 28},
    {Kind::kLabel, "hsa_brig_directive_label_t", 8},
    {Kind::kLoc, "hsa_brig_directive_loc_t", 16},
    {Kind::kModule, "hsa_brig_directive_module_t", 20},
    {Kind::kPragma, "hsa_brig_directive_pragma_t", 8},
    {Kind::kSignature, "hsa_brig_directive_executable_t", 28},
    {Kind::kVariable, "hsa_brig_directive_variable_t", 28},
    {Kind::kExtensionVersion, "hsa_brig_directive_extension_version_t", 16},
    {Kind::kInstAddr, "hsa_brig_inst_addr_t", 16},
    {Kind::kInstAtomic, "hsa_brig_inst_atomic_t", 20},
    {Kind::kInstBasic, "hsa_brig_inst_basic_t", 12},
    {Kind::kInstBr, "hsa_brig_inst_br_t", 16},
    {Kind::kInstCmp, "hsa_brig_inst_cmp_t", 20},
    {Kind::kInstCvt, "hsa_brig_inst_cvt_t", 16},
    {Kind::kInstImage, "hsa_ext_brig_inst_image_t", 20},
    {Kind::kInstLane, "hsa_brig_inst_lane_t", 16},
    {Kind::kInstMem, "hsa_brig_inst_mem_t", 20},
    {Kind::kInstMemFence, "hsa_brig_inst_mem_fence_t", 16},
    {Kind::kInstMod, "hsa_brig_inst_mod_t", 16},
    {Kind::kInstQueryImage, "hsa_ext_brig_inst_query_image_t", 16},
    {Kind::kInstQuerySampler, "hsa_ext_brig_inst_query_sampler_t", 16},
    {Kind::kInstQueue, "hsa_brig_inst_queue_t", 16},
    {Kind::kInstSeg, "hsa_brig_inst_seg_t", 16},
    {Kind::kInstSegCvt, "hsa_brig_inst_seg_cvt_t", 16},
    {Kind::kInstSignal, "hsa_brig_inst_signal_t", 16},
    {Kind::kInstSourceType, "hsa_brig_inst_source_type_t", 16},
    {Kind::kOperandAddress, "hsa_brig_operand_address_t", 20},
    {Kind::kOperandAlign, "hsa_brig_operand_align_t", 8},
    {Kind::kOperandCodeList, "hsa_brig_operand_code_list_t", 8},
    {Kind::kOperandCodeRef, "hsa_brig_operand_code_ref_t", 8},
    {Kind::kOperandConstantBytes, "hsa_brig_operand_constant_bytes_t", 12},
    {Kind::kOperandConstantExpression, "hsa_brig_operand_constant_expression_t", 12},
    {Kind::kOperandConstantImage, "hsa_ext_brig_operand_constant_image_t", 44},
    {Kind::kOperandConstantOperandList, "hsa_brig_operand_constant_operand_list_t", 12},
    {Kind::kOperandConstantSampler, "hsa_ext_brig_operand_constant_sampler_t", 12},
    {Kind::kOperandOperandList, "hsa_brig_operand_operand_list_t", 8},
    {Kind::kOperandRegister, "hsa_brig_operand_register_t", 8},
    {Kind::kOperandString, "hsa_brig_operand_string_t", 8},
    {Kind::kOperandWavesize, "hsa_brig_operand_wavesize_t", 4},
    {Kind::kOperandZero, "hsa_brig_operand_zero_t", 12},
};

const Structure* find(Kind kind) {
  for (const Structure& s : kStructures) {
    if (s.kind == kind) return &s;
  }
  return nullptr;
}

/// The Io that only writes down what it passes.
class Describe {
 public:
  std::vector<BrigField> fields;

  template <class T>
  void field(std::string_view name, T&) {
    add(name, sizeof(T));
  }
  void bits(std::string_view name, uint8_t&, unsigned) { add(name, 1); }
  template <class T>
  void again(std::string_view name, T&) {
    add(name, sizeof(T));
  }
  void wide(std::string_view name, uint64_t&) { add(name, 8); }
  void type(std::string_view name, Type&, bool*) { add(name, 2); }
  void string(std::string_view name, std::string&) { add(name, 4); }
  void code(std::string_view name, CodeRef&) { add(name, 4); }
  void operand(std::string_view name, OperandRef&) { add(name, 4); }
  void codes(std::string_view name, std::vector<CodeRef>&) { add(name, 4); }
  void operands(std::string_view name, std::vector<OperandRef>&) { add(name, 4); }
  void reserved(size_t bytes) { add("", bytes); }

 private:
  void add(std::string_view name, size_t bytes) {
    fields.push_back({name, at_, bytes});
    at_ += bytes;
  }
  size_t at_ = kBrigBaseBytes;
};

}  // namespace

std::string_view structure_name(Kind kind) {
  const Structure* s = find(kind);
  return s == nullptr ? std::string_view() : s->name;
}

size_t structure_bytes(Kind kind) {
  const Structure* s = find(kind);
  return s == nullptr ? 0 : s->bytes;
}

std::vector<BrigField> structure_fields(Kind kind) {
  Describe io;
  if (is_operand(kind)) {
    Operand op;
    op.kind = kind;
    visit_operand(io, op);
  } else {
    CodeEntry entry{kind, {}, new_body(kind)};
    visit_entry(io, entry);
  }
  return io.fields;
}

decltype(CodeEntry::body) new_body(Kind kind) {
  if (is_instruction(kind)) return Inst{};
  if (is_executable(kind)) return Executable{};
  switch (kind) {
    case Kind::kComment:
      return Comment{};
    case Kind::kControl:
      return Control{};
    case Kind::kExtension:
    case Kind::kExtensionVersion:
      return Extension{};
    case Kind::kFbarrier:
      return Fbarrier{};
    case Kind::kLabel:
      return Label{};
    case Kind::kLoc:
      return Loc{};
    case Kind::kModule:
      return ModuleHeader{};
    case Kind::kPragma:
      return Pragma{};
    case Kind::kVariable:
      return Variable{};
    default:
      return Marker{};
  }
}

}  // namespace cuvette::hsail
