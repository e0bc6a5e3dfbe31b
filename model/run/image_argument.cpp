// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/image_argument.h"

#include <fmt/format.h>

#include "hsail/image_constant.h"
#include "hsail/names.h"

namespace cuvette::run {
namespace {

using base::Result;
using base::Status;
using base::Yaml;

/// The enumerator that a key names.
template <class T, class Find>
Status take(const Yaml& node, const char* key, Find find, T& field) {
  auto value = node.need(key);
  if (!value) return value.error();
  auto text = value->text();
  if (!text) return text.error();
  const auto found = find(*text);
  if (!found) return value->error(fmt::format("'{}' is not a value of '{}'", *text, key));
  field = *found;
  return {};
}

/// A size in elements that the geometry has, or 0.
Status take_size(const Yaml& node, const char* key, bool present, uint64_t& field) {
  constexpr uint64_t kLargest = 1 << 20;
  auto value = node.get(key);
  if (!value) return present ? node.error(fmt::format("key '{}' is missing", key)) : Status();
  if (!present) return value->error(fmt::format("the geometry has no '{}'", key));
  auto number = value->unsigned_in(1, kLargest);
  if (!number) return number.error();
  field = *number;
  return {};
}

Status take_number(const Yaml& node, const char* key, uint64_t least, uint64_t most,
                   uint64_t& field) {
  field = least;
  auto value = node.get(key);
  if (!value) return {};
  auto number = value->unsigned_in(least, most);
  if (!number) return number.error();
  field = *number;
  return {};
}

}  // namespace

Result<hsa::Image> image_of(const Yaml& node, uint64_t buffer_bytes, uint64_t& offset) {
  hsail::ImageConstant c;
  if (auto s = take(node, "geometry", hsail::find_geometry, c.geometry); !s.ok()) return s.error();
  if (auto s = take(node, "order", hsail::find_channel_order, c.order); !s.ok()) return s.error();
  if (auto s = take(node, "type", hsail::find_channel_type, c.channel); !s.ok()) return s.error();
  if (!hsail::is_image_format(c.geometry, c.order, c.channel)) {
    return node.error("the geometry has no images of this order and type");
  }
  const unsigned dimensions = hsail::image_dimensions(c.geometry);
  for (const auto& s : {take_size(node, "width", true, c.width),
                        take_size(node, "height", dimensions >= 2, c.height),
                        take_size(node, "depth", dimensions == 3, c.depth),
                        take_size(node, "array", hsail::is_image_array(c.geometry), c.array)}) {
    if (!s.ok()) return s.error();
  }
  hsa::Image image = hsail::image_of(c);
  if (auto levels = node.get("levels")) {
    auto number = levels->unsigned_in(1, hsa::most_levels(image));
    if (!number) return number.error();
    image.levels = static_cast<uint32_t>(*number);
  }
  const uint64_t element = hsa::element_bytes(image.order, image.channel);
  if (auto s = take_number(node, "row_pitch", image.width * element, UINT32_MAX, image.row_pitch);
      !s.ok()) {
    return s.error();
  }
  if (auto s =
          take_number(node, "slice_pitch", image.row_pitch * hsa::rows_before(image, image.levels),
                      UINT64_MAX, image.slice_pitch);
      !s.ok()) {
    return s.error();
  }
  if (image.row_pitch % element != 0 || image.slice_pitch % image.row_pitch != 0) {
    return node.error("the row pitch is no multiple of an element, or the slice pitch of a row");
  }
  if (auto s = take_number(node, "offset", 0, buffer_bytes, offset); !s.ok()) return s.error();
  if (image.slice_pitch > buffer_bytes || hsa::data_bytes(image) > buffer_bytes - offset) {
    return node.error(
        fmt::format("the image has {} bytes behind byte {} of its buffer, which has {}",
                    hsa::data_bytes(image), offset, buffer_bytes));
  }
  if (auto s = node.finish(); !s.ok()) return s.error();
  return image;
}

Result<hsa::Sampler> sampler_of(const Yaml& node) {
  hsail::Operand op;
  op.kind = hsail::Kind::kOperandConstantSampler;
  op.type = hsail::Type::kSamp;
  hsail::SamplerConstant& c = op.sampler;
  if (auto s = take(node, "coord", hsail::find_sampler_coord, c.coord); !s.ok()) return s.error();
  if (auto s = take(node, "filter", hsail::find_filter, c.filter); !s.ok()) return s.error();
  if (auto s = take(node, "addressing", hsail::find_addressing, c.addressing); !s.ok()) {
    return s.error();
  }
  if (const hsail::Problem problem = hsail::opaque_constant_problem(op)) {
    return node.error(problem.what);
  }
  if (auto s = node.finish(); !s.ok()) return s.error();
  return hsail::sampler_of(c);
}

}  // namespace cuvette::run
