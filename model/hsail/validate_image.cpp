// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/mipmap_table.h"
#include "hsail/validate_inst.h"

// Rules of image instructions beyond those of their operands (HSAIL PRM 7.2 to 7.5).
namespace cuvette::hsail {

namespace {

Finding check_access(const Module& m, const Inst& inst, Position at) {
  const bool reads = samples_image(inst.opcode);
  const Type t = inst.coord_type;
  if (reads ? t != Type::kS32 && t != Type::kF32 : t != Type::kU32) {
    return {Rule::kImageCoordinates,
            "the coordinates of '" + std::string(name(inst.opcode)) + "' are " +
                (reads ? "s32 or f32" : "u32"),
            at};
  }
  const Operand& data = m.operand(inst.operands[0]);
  const size_t count = data.kind == Kind::kOperandOperandList ? data.elements.size() : 1;
  if (is_depth_image(inst.geometry) && count != 1) {
    return {Rule::kImageComponents, "a depth image has one component, expected no _v4", at};
  }
  // As HSAILasm has it; 7.4 lets stimage have a constant.
  if (inst.opcode == Opcode::kMipmapStImageMip && count == 1 &&
      data.kind != Kind::kOperandRegister) {
    return {Rule::kOperandKind, "the component of a depth image is in a register", at};
  }
  if (!is_depth_image(inst.geometry) && count != 4) {
    return {Rule::kImageComponents,
            "a " + std::string(name(inst.geometry)) + " image has four components, needs _v4", at};
  }
  return {};
}

/// Table 7-11; levels: as HSAILasm has it.
Finding check_query(const Inst& inst, Position at) {
  const ImageGeometry g = inst.geometry;
  const bool there = inst.image_query == ImageQuery::kHeight  ? image_dimensions(g) >= 2
                     : inst.image_query == ImageQuery::kDepth ? image_dimensions(g) == 3
                     : inst.image_query == ImageQuery::kArray ? is_image_array(g)
                     : inst.image_query == ImageQuery::kNumMipLevels
                         ? g != ImageGeometry::k1db && !is_depth_image(g)
                         : true;
  if (there) return {};
  return {Rule::kImageQuery,
          "a " + std::string(name(g)) + " image has no property '" +
              std::string(name(inst.image_query)) + "'",
          at};
}

}  // namespace

Finding check_image(const Module& module, const CodeEntry& entry) {
  const Inst& inst = entry.as<Inst>();
  return entry.kind == Kind::kInstQueryImage ? check_query(inst, entry.at)
                                             : check_access(module, inst, entry.at);
}

}  // namespace cuvette::hsail
