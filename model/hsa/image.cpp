// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/image.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/bits.h"
#include "hsa/image_descriptor.h"

namespace cuvette::hsa {

namespace {

constexpr uint32_t kImageMark = 0x474d4948;    // "HIMG"
constexpr uint32_t kSamplerMark = 0x4d415348;  // "HSAM"
constexpr unsigned kImageMarkWord = 13;
constexpr unsigned kSamplerMarkWord = 5;
constexpr uint8_t kGeometry1db = 5;         // BRIG geometry
constexpr uint8_t kOrderDepthStencil = 19;  // the last channel order
constexpr uint8_t kTypeFloat = 15;          // the last channel type
constexpr uint8_t kMirroredRepeat = 4;      // the last addressing mode

}  // namespace

std::string_view memory_components(uint8_t order) {
  constexpr std::string_view kNames[] = {"a",    "r",    "r",    "rg",   "rg",   "ra",  "rgb",
                                         "rgb",  "rgba", "bgra", "argb", "abgr", "rgb", "rgb",
                                         "rgba", "bgra", "r",    "r",    "r",    "r"};
  return order < std::size(kNames) ? kNames[order] : std::string_view();
}

unsigned element_bytes(uint8_t order, uint8_t channel) {
  // By channel type (18.3.34); packed ones hold all components.
  constexpr uint8_t kBytes[] = {1, 2, 1, 2, 3, 2, 2, 4, 1, 2, 4, 1, 2, 4, 2, 4};
  if (channel >= sizeof kBytes) return 0;
  if (channel >= 5 && channel <= 7) return kBytes[channel];
  if (order == kOrderDepthStencil)
    return channel == 4 ? 4 : 8;  // 24 and 8 bits, or a float and 8 bits
  return kBytes[channel] * static_cast<unsigned>(memory_components(order).size());
}

uint32_t most_levels(const Image& image) {
  if (image.geometry == kGeometry1db) return 1;
  const uint32_t longest = std::max({image.width, image.height, image.depth});
  return std::clamp(static_cast<uint32_t>(std::bit_width(longest)), 1u, kMostLevels);
}

uint64_t rows_before(const Image& image, uint32_t level) {
  uint64_t rows = 0;
  uint64_t of_level = image.height;
  for (uint32_t l = 0; l < level; ++l) {
    rows += of_level;
    of_level = (of_level + 1) / 2;
  }
  return rows;
}

base::Result<uint64_t> lay_out(Image& image) {
  constexpr double kLargest = 1 << 30;
  const uint64_t row = uint64_t{image.width} * element_bytes(image.order, image.channel);
  const bool flat = image.geometry == kGeometry1db;
  image.row_pitch = flat ? row : base::align_up(row, kRowPitchAlignment);
  const uint64_t rows = rows_before(image, image.levels);
  image.slice_pitch = image.row_pitch * rows;
  const double bytes =
      static_cast<double>(image.row_pitch) * static_cast<double>(rows) * image.depth * image.array;
  if (bytes > kLargest) return base::Error("an image of more than 1 GiB");
  return static_cast<uint64_t>(bytes);
}

uint64_t data_bytes(const Image& image) {
  return uint64_t{image.width} * element_bytes(image.order, image.channel) +
         (rows_before(image, image.levels) - 1) * image.row_pitch +
         (uint64_t{image.depth} * image.array - 1) * image.slice_pitch;
}

ImageObject image_object(const Image& image) {
  ImageObject o{};
  o[kImageFormatWord] = image.geometry | uint32_t{image.order} << 8 | uint32_t{image.channel} << 16;
  o[kImageWidthWord] = image.width;
  o[10] = image.height;
  o[11] = image.depth;
  o[12] = image.array;
  o[kImageMarkWord] = kImageMark;
  o[kImageLevelsWord] = image.levels;
  const auto set_pair = [&o](unsigned word, uint64_t value) {
    o[word] = base::lo32(value);
    o[word + 1] = base::hi32(value);
  };
  set_pair(kImageDataWord, image.data);
  set_pair(kImageRowPitchWord, image.row_pitch);
  set_pair(kImageSlicePitchWord, image.slice_pitch);
  describe(image, o);
  return o;
}

SamplerObject sampler_object(const Sampler& sampler) {
  SamplerObject o{};
  describe(sampler, o);
  o[kSamplerModesWord] =
      sampler.coord | uint32_t{sampler.filter} << 8 | uint32_t{sampler.addressing} << 16;
  o[kSamplerMarkWord] = kSamplerMark;
  return o;
}

// Kernels can write what they like where an object is read: every enumerator and size is looked at.
std::optional<Image> read_image(const ImageObject& o) {
  if (o[kImageMarkWord] != kImageMark) return std::nullopt;
  for (const unsigned size : {kImageWidthWord, 10u, 11u, 12u, kImageLevelsWord}) {
    if (o[size] == 0) return std::nullopt;
  }
  const auto wide = [&](unsigned word) { return o[word] | uint64_t{o[word + 1]} << 32; };
  Image image;
  image.geometry = static_cast<uint8_t>(o[kImageFormatWord]);
  image.order = static_cast<uint8_t>(o[kImageFormatWord] >> 8);
  image.channel = static_cast<uint8_t>(o[kImageFormatWord] >> 16);
  image.width = o[kImageWidthWord];
  image.height = o[10];
  image.depth = o[11];
  image.array = o[12];
  image.levels = o[kImageLevelsWord];
  image.data = wide(kImageDataWord);
  image.row_pitch = wide(kImageRowPitchWord);
  image.slice_pitch = wide(kImageSlicePitchWord);
  if (image.geometry > kLastGeometry || image.order > kOrderDepthStencil ||
      image.channel > kTypeFloat || image.levels > kMostLevels) {
    return std::nullopt;
  }
  return image;
}

std::optional<Sampler> read_sampler(const SamplerObject& o) {
  if (o[kSamplerMarkWord] != kSamplerMark) return std::nullopt;
  const uint32_t modes = o[kSamplerModesWord];
  const Sampler s{static_cast<uint8_t>(modes), static_cast<uint8_t>(modes >> 8),
                  static_cast<uint8_t>(modes >> 16)};
  if (s.coord > 1 || s.filter > 1 || s.addressing > kMirroredRepeat) return std::nullopt;
  return s;
}

namespace {

template <class Object>
base::Result<uint64_t> place(DeviceMemory& memory, const Object& object) {
  DeviceMemory::Options options;
  options.name = "an image or sampler object";
  auto address = memory.allocate(sizeof object, options);
  if (!address) return address.error();
  if (!memory.write(*address, object.data(), sizeof object)) {
    return base::Error("an image or sampler cannot be written");
  }
  return *address;
}

}  // namespace

base::Result<uint64_t> create_image(DeviceMemory& memory, const Image& image) {
  return place(memory, image_object(image));
}

base::Result<uint64_t> create_image_and_data(DeviceMemory& memory, Image image) {
  auto bytes = lay_out(image);
  if (!bytes) return bytes.error();
  DeviceMemory::Options options;
  options.alignment = kImageDataAlignment;
  options.name = "image data";
  auto data = memory.allocate(*bytes, options);
  if (!data) return data.error();
  image.data = *data;
  return create_image(memory, image);
}

base::Result<uint64_t> create_sampler(DeviceMemory& memory, const Sampler& sampler) {
  return place(memory, sampler_object(sampler));
}

}  // namespace cuvette::hsa
