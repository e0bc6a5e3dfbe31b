// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "hsail/image_constant.h"
#include "hsail/parser.h"

// Image instructions and constants (HSAIL PRM chapter 7).
namespace cuvette::hsail {

namespace {

/// Gives `field` the enumerator of a name; false when there is none.
template <class T>
bool take_name(const std::optional<T>& found, T* field) {
  if (found) *field = *found;
  return found.has_value();
}

}  // namespace

bool Parser::image_modifiers(const Pieces& p, size_t* at, Syntax syntax, Inst* inst,
                             unsigned* vector) {
  const auto text = [&] { return *at < p.size() ? p[*at].text : std::string_view{}; };
  const auto here = [&] { return *at < p.size() ? p[*at].at : p.back().at; };
  if (syntax == Syntax::kQuerySampler) {
    if (!take_name(find_sampler_query(text()), &inst->sampler_query)) {
      return fail(Rule::kOperationUnknown, here(),
                  "expected a sampler property (addressing, coord, filter)");
    }
    ++*at;
    return true;
  }
  if (syntax == Syntax::kImage && text() == "v4") {
    *vector = 4;
    ++*at;
  }
  if (!take_name(find_geometry(text()), &inst->geometry)) {
    return fail(Rule::kOperationUnknown, here(),
                "expected an image geometry (1d, 2d, 3d, 1da, 2da, 1db, 2ddepth, 2dadepth)");
  }
  ++*at;
  if (syntax == Syntax::kQueryImage) {
    const bool levels = inst->opcode == Opcode::kMipmapQueryImage;
    if (!take_name(find_image_query(text()), &inst->image_query) ||
        levels != (inst->image_query == ImageQuery::kNumMipLevels)) {
      return fail(Rule::kOperationUnknown, here(),
                  levels ? "expected the property nummiplevels"
                         : "expected an image property (width, height, depth, array, channelorder, "
                           "channeltype)");
    }
    ++*at;
    return true;
  }
  if (text() == "equiv") {
    if (p[*at].argument != Piece::Argument::kNumber || p[*at].value > 255) {
      return fail(Rule::kModifierValue, p[*at].at, "'equiv' takes a number from 0 to 255");
    }
    inst->equiv_class = static_cast<uint8_t>(p[*at].value);
    ++*at;
  }
  return true;
}

bool Parser::coordinates(const Inst& inst, size_t index, OperandRef* ref) {
  const bool steps = operand_role(inst, index) == Role::kGradient;
  const unsigned count = steps ? image_dimensions(inst.geometry) : image_coordinates(inst.geometry);
  const Type type = operand_type(inst, index);
  return count == 1 ? operand(type, ref) : vector(type, count, ref);
}

/// `roimg(...)`, or an array of them, the type being the next token.
bool Parser::opaque_constant(Type type, Operand* op) {
  skip();
  op->type = type;
  op->is_array = accept('[');
  if (!op->is_array) return opaque_properties(op);
  op->kind = Kind::kOperandConstantOperandList;
  if (!expect(']', "after '['") || !expect('(', "after '[]'")) return false;
  uint64_t size = 0;
  do {
    Operand element;
    element.at = token().at;
    element.type = type;
    if (token().kind != TokenKind::kWord || find_type(token().text) != type) {
      return unexpected("a constant '" + std::string(name(type)) + "(...)'");
    }
    skip();
    if (!opaque_properties(&element)) return false;
    op->elements.push_back(add_operand(std::move(element)));
    size += type_bytes(type);
  } while (accept(','));
  op->offset = size;
  return expect(')', "after the constant");
}

bool Parser::opaque_properties(Operand* op) {
  const bool sampler = op->type == Type::kSamp;
  const Rule rule = sampler ? Rule::kSamplerConstant : Rule::kImageConstant;
  op->kind = sampler ? Kind::kOperandConstantSampler : Kind::kOperandConstantImage;
  if (!expect('(', "after '" + std::string(name(op->type)) + "'")) return false;
  ImageConstant image;
  std::set<std::string, std::less<>> seen;
  do {
    const Position at = token().at;
    const std::string key(token().text);
    if (!seen.insert(key).second)
      return fail(rule, at, "the property '" + key + "' is given twice");
    skip();
    if (!expect('=', "after '" + key + "'")) return false;
    const std::string_view value = token().text;
    SamplerConstant& s = op->sampler;
    uint64_t* size = sampler           ? nullptr
                     : key == "width"  ? &image.width
                     : key == "height" ? &image.height
                     : key == "depth"  ? &image.depth
                     : key == "array"  ? &image.array
                                       : nullptr;
    if (size != nullptr) {
      if (!number(size, "a number of elements")) return false;
      continue;
    }
    const bool good =
        sampler
            ? (key == "coord" && take_name(find_sampler_coord(value), &s.coord)) ||
                  (key == "filter" && take_name(find_filter(value), &s.filter)) ||
                  (key == "addressing" && take_name(find_addressing(value), &s.addressing))
            : (key == "geometry" && take_name(find_geometry(value), &image.geometry)) ||
                  (key == "channel_order" && take_name(find_channel_order(value), &image.order)) ||
                  (key == "channel_type" && take_name(find_channel_type(value), &image.channel));
    if (!good) {
      return fail(rule, at,
                  sampler ? "expected coord, filter or addressing = one of their values"
                          : "expected geometry, width, height, depth, array, channel_type or "
                            "channel_order = one of their values");
    }
    skip();
  } while (accept(','));
  const auto needed = sampler
                          ? std::vector<std::string>{"coord", "filter", "addressing"}
                          : std::vector<std::string>{"geometry", "channel_type", "channel_order"};
  for (const std::string& key : needed) {
    if (seen.count(key) == 0) return fail(rule, op->at, "the property '" + key + "' is missing");
  }
  if (!sampler) op->image = image;
  return expect(')', "after the properties");
}

}  // namespace cuvette::hsail
