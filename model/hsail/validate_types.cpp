// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/names.h"
#include "hsail/validate_inst.h"

// The types that a module may name at all (HSAIL PRM 4.13.3, 7.1.7, 7.1.8, 13.1.2, 16.2.1).
namespace cuvette::hsail {

Problem type_problem(const Module& module, Type type) {
  const ModuleHeader* header = module.header();
  if (header == nullptr) return {};
  const std::string quoted = "type '" + std::string(name(type)) + "'";
  if (header->profile == Profile::kBase && element_type(type) == Type::kF64) {
    return {Rule::kBaseProfile, "type 'f64' is not available in the base profile"};
  }
  const bool small = header->machine_model == MachineModel::kSmall;
  if (is_signal(type) && type != (small ? Type::kSig32 : Type::kSig64)) {
    return {Rule::kMachineModel, quoted + " does not belong to the machine model"};
  }
  if ((is_image(type) || type == Type::kSamp) && !has_extension(module, "IMAGE")) {
    return {Rule::kImageExtension, quoted + " needs the extension \"IMAGE\""};
  }
  return {};
}

Problem variable_type_problem(const Module& module, const Variable& v) {
  if (Problem p = type_problem(module, v.type)) return p;
  if (!is_image(v.type) && v.type != Type::kSamp) return {};
  switch (v.segment) {
    case Segment::kGlobal:
    case Segment::kReadonly:
    case Segment::kKernarg:
    case Segment::kArg:
      return {};
    default:
      return {Rule::kHandleSegment, "a variable of type '" + std::string(name(v.type)) +
                                        "' cannot be in segment '" + std::string(name(v.segment)) +
                                        "'"};
  }
}

Problem constant_type_problem(const Module& module, OperandRef ref) {
  const Operand& op = module.operand(ref);
  switch (op.kind) {
    case Kind::kOperandConstantBytes:
    case Kind::kOperandConstantImage:
    case Kind::kOperandConstantSampler:
      return type_problem(module, op.type);
    case Kind::kOperandConstantOperandList:
    case Kind::kOperandOperandList:
      break;
    default:
      return {};
  }
  if (Problem p = type_problem(module, op.type)) return p;
  for (const OperandRef element : op.elements) {
    if (Problem p = constant_type_problem(module, element)) return p;
  }
  return {};
}

}  // namespace cuvette::hsail
