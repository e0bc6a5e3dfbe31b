// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/image_constant.h"

#include <utility>

#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

/// A set of channel types.
constexpr uint32_t bit(ChannelType type) {
  return 1u << static_cast<unsigned>(type);
}
constexpr uint32_t kNormalized8 = bit(ChannelType::kSnorm8) | bit(ChannelType::kUnorm8);
constexpr uint32_t kNormalized =
    kNormalized8 | bit(ChannelType::kSnorm16) | bit(ChannelType::kUnorm16);
constexpr uint32_t kIntegers8 = bit(ChannelType::kSigned8) | bit(ChannelType::kUnsigned8);
constexpr uint32_t kIntegers = kIntegers8 | bit(ChannelType::kSigned16) |
                               bit(ChannelType::kSigned32) | bit(ChannelType::kUnsigned16) |
                               bit(ChannelType::kUnsigned32);
constexpr uint32_t kFloating = bit(ChannelType::kHalf) | bit(ChannelType::kFloat);
constexpr uint32_t kPackedFormats =
    bit(ChannelType::kUnorm555) | bit(ChannelType::kUnorm565) | bit(ChannelType::kUnorm101010);

/// Tables 7-2 and 7-4.
uint32_t channel_types(ChannelOrder order) {
  switch (order) {
    case ChannelOrder::kA:
    case ChannelOrder::kR:
    case ChannelOrder::kRx:
    case ChannelOrder::kRg:
    case ChannelOrder::kRgx:
    case ChannelOrder::kRa:
    case ChannelOrder::kRgba:
      return kNormalized | kIntegers | kFloating;
    case ChannelOrder::kRgb:
    case ChannelOrder::kRgbx:
      return kPackedFormats;
    case ChannelOrder::kBgra:
    case ChannelOrder::kArgb:
    case ChannelOrder::kAbgr:
      return kNormalized8 | kIntegers8;
    case ChannelOrder::kSrgb:
    case ChannelOrder::kSrgbx:
    case ChannelOrder::kSrgba:
    case ChannelOrder::kSbgra:
      return bit(ChannelType::kUnorm8);
    case ChannelOrder::kIntensity:
    case ChannelOrder::kLuminance:
      return kNormalized | kFloating;
    case ChannelOrder::kDepth:
      return bit(ChannelType::kUnorm16) | bit(ChannelType::kUnorm24) | bit(ChannelType::kFloat);
    case ChannelOrder::kDepthStencil:
      return bit(ChannelType::kUnorm24) | bit(ChannelType::kFloat);
  }
  return 0;
}

/// 18.6.14: above zero where the geometry has the dimension, otherwise zero.
std::string size_problem(const char* what, uint64_t size, bool present) {
  if (present && size == 0) return std::string("the ") + what + " is missing or 0";
  return !present && size != 0 ? std::string("the geometry has no ") + what : "";
}

bool is_depth_order(ChannelOrder order) {
  return order == ChannelOrder::kDepth || order == ChannelOrder::kDepthStencil;
}

std::string no_image(const ImageConstant& image) {
  return "no " + std::string(name(image.geometry)) + " image has channel order " +
         std::string(name(image.order)) + " and channel type " + std::string(name(image.channel));
}

std::string image_problem(const ImageConstant& image) {
  const ImageGeometry g = image.geometry;
  if (is_depth_order(image.order) != is_depth_image(g)) return no_image(image);
  for (const std::string& problem : {size_problem("width", image.width, true),
                                     size_problem("height", image.height, image_dimensions(g) >= 2),
                                     size_problem("depth", image.depth, image_dimensions(g) == 3),
                                     size_problem("array size", image.array, is_image_array(g))}) {
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace

bool is_image_format(ImageGeometry geometry, ChannelOrder order, ChannelType channel) {
  return (channel_types(order) & bit(channel)) != 0 &&
         is_depth_order(order) == is_depth_image(geometry);
}

std::string unsupported_image(const ImageConstant& image) {
  if (!is_image_format(image.geometry, image.order, image.channel)) return no_image(image);
  const std::pair<const char*, uint64_t> sizes[] = {{"width", image.width},
                                                    {"height", image.height},
                                                    {"depth", image.depth},
                                                    {"array size", image.array}};
  for (const auto& [what, size] : sizes)
    if (size > UINT32_MAX) return std::string("the ") + what + " is above 4294967295";
  return "";
}

Problem opaque_constant_problem(const Operand& op) {
  const std::string type(name(op.type));
  if (op.kind == Kind::kOperandConstantImage) {
    return {Rule::kImageConstant,
            is_image(op.type) ? image_problem(*op.image) : "type '" + type + "' is no image type"};
  }
  if (op.type != Type::kSamp) {
    return {Rule::kSamplerConstant, "type '" + type + "' is no sampler type"};
  }
  // Linear filters on unnormalised coordinates are accepted: 18.6.15 forbids what Table 7-6 allows.
  if (op.sampler.coord == SamplerCoord::kUnnormalized &&
      op.sampler.addressing >= SamplerAddressing::kRepeat) {
    return {Rule::kSamplerConstant, "addressing " + std::string(name(op.sampler.addressing)) +
                                        " needs normalized coordinates"};
  }
  return {};
}

hsa::Image image_of(const ImageConstant& c) {
  const auto at_least_one = [](uint64_t n) { return static_cast<uint32_t>(n == 0 ? 1 : n); };
  hsa::Image image;
  image.geometry = static_cast<uint8_t>(c.geometry);
  image.order = static_cast<uint8_t>(c.order);
  image.channel = static_cast<uint8_t>(c.channel);
  image.width = at_least_one(c.width);
  image.height = at_least_one(c.height);
  image.depth = at_least_one(c.depth);
  image.array = at_least_one(c.array);
  return image;
}

hsa::Sampler sampler_of(const SamplerConstant& c) {
  return {static_cast<uint8_t>(c.coord), static_cast<uint8_t>(c.filter),
          static_cast<uint8_t>(c.addressing)};
}

std::string opaque_constant_text(const Operand& op) {
  std::string text(name(op.type));
  const auto add = [&text](const char* key, const std::string& value) {
    text += std::string(text.back() == '(' ? "" : ", ") + key + " = " + value;
  };
  text += "(";
  if (op.kind == Kind::kOperandConstantSampler) {
    add("coord", std::string(name(op.sampler.coord)));
    add("filter", std::string(name(op.sampler.filter)));
    add("addressing", std::string(name(op.sampler.addressing)));
    return text + ")";
  }
  const ImageConstant& image = *op.image;
  add("geometry", std::string(name(image.geometry)));
  add("width", std::to_string(image.width));
  if (image.height != 0) add("height", std::to_string(image.height));
  if (image.depth != 0) add("depth", std::to_string(image.depth));
  if (image.array != 0) add("array", std::to_string(image.array));
  add("channel_type", std::string(name(image.channel)));
  add("channel_order", std::string(name(image.order)));
  return text + ")";
}

}  // namespace cuvette::hsail
