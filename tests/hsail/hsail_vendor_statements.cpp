// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_vendor_statements.h"

#include <stdexcept>

#include "hsail/names.h"

namespace cuvette::hsail::testing {

namespace {

std::string reg(Type t, unsigned n) {
  return std::string("$") + register_letter(register_kind(t)) + std::to_string(n);
}

std::string constant_of(Type t) {
  switch (t) {
    case Type::kF16:
      return "1.5h";
    case Type::kF32:
      return "-2.5f";
    case Type::kF64:
      return "1.0e10";
    case Type::kS32:
    case Type::kS64:
      return "-3";
    case Type::kB128:
      return "u8x16(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)";
    default:
      return "200";
  }
}

/// `count` values in brackets, one alone without; a constant in place of the last one.
std::string list(Type t, unsigned first, unsigned count, bool constant) {
  std::string text;
  for (unsigned k = 0; k < count; ++k) {
    text += k == 0 ? "" : ", ";
    text += constant && k + 1 == count ? constant_of(t) : reg(t, first + k);
  }
  return count == 1 ? text : "(" + text + ")";
}

/// The forms that operand `i` may have.
std::vector<std::string> operand_forms(const InstRow& row, const Inst& inst, size_t i,
                                       unsigned vector) {
  const Role role = static_cast<Role>(row.operands[i]);
  const Type t = operand_type(inst, i);
  const auto n = static_cast<unsigned>(4 * i);
  const unsigned many = vector == 0 ? 1 : vector;
  switch (role) {
    case Role::kDest:
    case Role::kSourceRegister:
    case Role::kImage:
    case Role::kSampler:
      return {reg(t, n)};
    case Role::kSource: {
      std::vector<std::string> forms{reg(t, n), constant_of(t)};
      if (!is_float(t)) forms.push_back("WAVESIZE");
      return forms;
    }
    case Role::kImmediate:
      return {"27", "0x8123", "70000", "WAVESIZE"};
    case Role::kDestMany:
      return {list(t, n, many, false)};
    case Role::kSourceMany:
      // The component of a depth image has to be in a register.
      if (row.syntax == Syntax::kImage && many == 1) return {reg(t, n)};
      return {list(t, n, many, false), list(t, n, many, true)};
    case Role::kDestFour:
      return {list(t, n, 4, false)};
    case Role::kSourceFour:
      return {list(t, n, 4, false), list(t, n, 4, true)};
    case Role::kCoordinates:
      return {list(t, n, image_coordinates(inst.geometry), false),
              list(t, n, image_coordinates(inst.geometry), true)};
    case Role::kGradient:
      return {list(t, n, image_dimensions(inst.geometry), false),
              list(t, n, image_dimensions(inst.geometry), true)};
    case Role::kAddress:
      if (inst.segment == Segment::kGroup) return {"[%g]", "[$s30]", "[%g][$s30+4]"};
      return {"[$s30]", "[16]", "[$s30+4]", "[$s30-8]"};
    default:
      throw std::logic_error("a role without forms");
  }
}

/// The modifiers that a row may have, each list as it stands in text.
std::vector<std::vector<std::string>> modifier_forms(const InstRow& row) {
  const std::string operation(name(row.atomic));
  switch (row.syntax) {
    case Syntax::kArith:
      return {{}, {"ftz"}};
    case Syntax::kLoad:
      return {{"region"},
              {"v2", "region"},
              {"v3", "region", "align(4)"},
              {"v4", "region", "equiv(3)"},
              {"region", "align(8)", "equiv(255)", "width(64)"},
              {"region", "width(all)"},
              {"region", "width(WAVESIZE)"}};
    case Syntax::kStore:
      return {
          {"region"}, {"v2", "region"}, {"v3", "region", "align(4)"}, {"v4", "region", "equiv(3)"}};
    case Syntax::kAtomic: {
      std::vector<std::vector<std::string>> all;
      for (const char* order : {"rlx", "scacq", "screl", "scar"}) {
        for (const char* scope : {"wave", "wg"}) all.push_back({operation, "group", order, scope});
      }
      all.push_back({operation, "group", "rlx", "wg", "equiv(7)"});
      return all;
    }
    case Syntax::kImage: {
      const auto geometry = static_cast<ImageGeometry>(row.image);
      std::vector<std::string> plain{std::string(name(geometry))};
      if (!is_depth_image(geometry)) plain.insert(plain.begin(), "v4");
      std::vector<std::string> classed = plain;
      classed.push_back("equiv(9)");
      return {plain, classed};
    }
    case Syntax::kQueryImage: {
      std::vector<std::vector<std::string>> all;
      for (const char* geometry : {"1d", "2d", "3d", "1da", "2da"})
        all.push_back({geometry, std::string(name(static_cast<ImageQuery>(row.image)))});
      return all;
    }
    default:
      return {{}};
  }
}

bool has(TypeSet set, Type t) {
  return (set & type_bit(t)) != 0;
}

/// The types of a row as instructions have them.
std::vector<Inst> typed(const InstRow& row) {
  constexpr Type kImages[] = {Type::kRoimg, Type::kWoimg, Type::kRwimg};
  constexpr Type kCoordinates[] = {Type::kU32, Type::kS32, Type::kF32};
  const bool accesses = row.syntax == Syntax::kImage;
  std::vector<Inst> all;
  for (unsigned n = 1; n < 128; ++n) {
    Inst inst;
    inst.opcode = row.opcode;
    inst.type = static_cast<Type>(n);
    inst.atomic_op = row.atomic;
    if (row.syntax == Syntax::kAtomic) inst.segment = Segment::kGroup;
    if (name(inst.type).empty() || !has(row.types, inst.type)) continue;
    if (row.source_types == 0) {
      all.push_back(inst);
      continue;
    }
    if (accesses) inst.geometry = static_cast<ImageGeometry>(row.image);
    inst.image_query = static_cast<ImageQuery>(row.image);
    const bool samples = std::string(row.operands).find('p') != std::string::npos;
    for (const Type image : kImages) {
      inst.source_type = image;
      inst.coord_type = Type::kNone;
      if (!has(row.source_types, image)) continue;
      if (!accesses) all.push_back(inst);
      for (const Type coordinate : kCoordinates) {
        inst.coord_type = coordinate;
        if (accesses && samples == (coordinate != Type::kU32)) all.push_back(inst);
      }
    }
  }
  return all;
}

}  // namespace

std::string Statement::text() const {
  std::string all(name(opcode));
  for (const std::string& m : modifiers) all += "_" + m;
  for (const std::string& t : types) all += t.empty() ? "" : "_" + t;
  for (size_t i = 0; i < operands.size(); ++i) all += (i == 0 ? " " : ", ") + operands[i];
  return all + ";";
}

std::vector<Statement> statements_of(const InstRow& row) {
  std::vector<Statement> all;
  for (const Inst& inst : typed(row)) {
    for (const auto& modifiers : modifier_forms(row)) {
      const bool vectors = !modifiers.empty() && modifiers[0][0] == 'v';
      const unsigned vector = vectors ? static_cast<unsigned>(modifiers[0][1] - '0') : 0;
      std::vector<std::vector<std::string>> forms;
      for (size_t i = 0; row.operands[i] != 0; ++i)
        forms.push_back(operand_forms(row, inst, i, vector));
      Statement first{row.opcode, modifiers, {}, {}};
      if (row.syntax != Syntax::kUntyped) {
        for (const Type t : {inst.type, inst.source_type, inst.coord_type})
          if (t != Type::kNone) first.types.emplace_back(name(t));
      }
      for (const auto& f : forms) first.operands.push_back(f[0]);
      all.push_back(first);
      for (size_t i = 0; i < forms.size(); ++i) {
        for (size_t k = 1; k < forms[i].size(); ++k) {
          all.push_back(first);
          all.back().operands[i] = forms[i][k];
        }
      }
    }
  }
  return all;
}

}  // namespace cuvette::hsail::testing
