// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/image_descriptor.h"

#include <algorithm>
#include <string_view>

#include "base/bits.h"

namespace cuvette::hsa {

namespace {

// BRIG numbers (HSAIL PRM 18.3.33 to 18.3.35).
enum Geometry : uint8_t { k1d, k2d, k3d, k1da, k2da, k1db, k2dDepth, k2daDepth };
enum Order : uint8_t {
  kA = 0,
  kR = 1,
  kRg = 3,
  kRgb = 6,
  kSrgb = 12,
  kSbgra = 15,
  kIntensity = 16,
  kLuminance = 17,
  kDepthStencil = 19,
};
enum Channel : uint8_t {
  kSnorm16 = 1,
  kUnorm24 = 4,
  kUnorm555 = 5,
  kUnorm565 = 6,
  kUnorm101010 = 7,
  kSigned8 = 8,
  kUnsigned8 = 11,
  kHalf = 14,
  kFloat = 15,
};

// Codes of the descriptors (Vega ISA 8.1.8, table 36; MI100 ISA 9.4.4).
enum NumberFormat : uint8_t {
  kUnorm = 0,
  kSnorm = 1,
  kUint = 4,
  kSint = 5,
  kFloating = 7,
  kLinearized = 9,  // sRGB, of images only
};
constexpr uint8_t k2_10_10_10 = 9;
constexpr uint8_t k5_6_5 = 16;
constexpr uint8_t k1_5_5_5 = 17;
constexpr uint8_t kLastBufferFormat = 15;
constexpr uint32_t kSelectZero = 0, kSelectOne = 1, kSelectX = 4;

/// Format of an element in a descriptor.
struct Format {
  std::string_view names;  ///< memory_components()
  uint8_t data = 0;        ///< DATA_FORMAT; 0: the machine has none
  uint8_t number = 0;
  bool packed = false;  ///< the last component is the lowest one
  bool srgb = false;
  bool stencil = false;
};

Format format_of(const Image& image) {
  // By channel type: DATA_FORMAT of one, two and four components.
  static constexpr uint8_t k8[] = {1, 3, 0, 10};
  static constexpr uint8_t k16[] = {2, 5, 0, 12};
  static constexpr uint8_t k32[] = {4, 11, 0, 14};
  static constexpr const uint8_t* kWidths[] = {
      k8, k16, k8, k16, nullptr, nullptr, nullptr, nullptr, k8, k16, k32, k8, k16, k32, k16, k32};
  Format f;
  if (image.order > kDepthStencil || image.channel >= std::size(kWidths)) return f;
  f.names = memory_components(image.order);
  f.srgb = image.order >= kSrgb && image.order <= kSbgra;
  f.stencil = image.order == kDepthStencil;
  const uint8_t* widths = kWidths[image.channel];
  if (widths != nullptr) f.data = widths[f.names.size() - 1];
  if (image.channel == kUnorm555) f.data = k1_5_5_5;
  if (image.channel == kUnorm565) f.data = k5_6_5;
  if (image.channel == kUnorm101010) f.data = k2_10_10_10;
  f.packed = image.channel >= kUnorm555 && image.channel <= kUnorm101010;
  f.number = image.channel <= kSnorm16    ? kSnorm
             : f.srgb                     ? kLinearized
             : image.channel < kSigned8   ? kUnorm
             : image.channel < kUnsigned8 ? kSint
             : image.channel < kHalf      ? kUint
                                          : kFloating;
  return f;
}

/// DST_SEL of r, g, b and a, three bits each.
uint32_t selects(const Image& image, const Format& f) {
  uint32_t all = 0;
  for (unsigned c = 0; c < 4; ++c) {
    const size_t at = f.names.find("rgba"[c]);
    uint32_t select = c == 3 && image.order != kA ? kSelectOne : kSelectZero;
    if (at != std::string_view::npos) {
      select = kSelectX + static_cast<uint32_t>(f.packed ? f.names.size() - 1 - at : at);
    }
    if (image.order == kIntensity || (image.order == kLuminance && c < 3)) select = kSelectX;
    all |= select << 3 * c;
  }
  return all;
}

/// Component `c` of an element that code takes apart.
uint32_t field(const Image& image, const Format& f, unsigned c) {
  constexpr uint8_t kSizes[3][3] = {{5, 5, 5}, {5, 6, 5}, {10, 10, 10}};
  const auto word = [](unsigned shift, unsigned bits, ImageField kind) {
    return shift | bits << 8 | static_cast<uint32_t>(kind) << 16;
  };
  const size_t at = f.names.find("rgba"[c]);
  if (at == std::string_view::npos) {
    return word(0, 0, c == 3 && image.order != kA ? ImageField::kOne : ImageField::kZero);
  }
  if (!f.packed) {
    const unsigned bits = image.channel == kUnorm24 ? 24 : 8;
    return word(static_cast<unsigned>(at) * bits, bits,
                f.srgb && c < 3 ? ImageField::kSrgb : ImageField::kUnorm);
  }
  const uint8_t* sizes = kSizes[image.channel - kUnorm555];
  unsigned shift = 0;
  for (size_t i = f.names.size(); i-- > at + 1;) shift += sizes[i];
  return word(shift, sizes[at], ImageField::kUnorm);
}

/// True if the levels fit: with several a T# has the rows of a slice, and the pitch is the least
/// one.
bool levels_fit(const Image& image, unsigned bytes) {
  return image.levels == 1 ||
         (image.row_pitch == base::align_up(uint64_t{image.width} * bytes, kRowPitchAlignment) &&
          rows_before(image, image.levels) <= 1 << 16);
}

/// True if a T# can address the elements.
bool addressable(const Image& image, unsigned bytes) {
  const uint64_t slices = uint64_t{image.depth} * image.array;
  const uint64_t rows = image.height * slices;
  return image.row_pitch >= uint64_t{image.width} * bytes &&
         image.data % kImageDataAlignment == 0 && image.width <= 1 << 14 &&
         image.height <= 1 << 14 && slices <= 1 << 13 &&
         (rows == 1 || image.row_pitch % kRowPitchAlignment == 0) && image.row_pitch % bytes == 0 &&
         image.row_pitch / bytes <= 1 << 16 &&
         (slices == 1 || image.slice_pitch == image.row_pitch * rows_before(image, image.levels)) &&
         levels_fit(image, bytes);
}

uint32_t image_type(uint8_t geometry) {
  constexpr uint8_t kTypes[] = {8, 9, 10, 12, 13, 0, 9, 13};
  return kTypes[geometry & 7];
}

/// MI100 ISA table 45.
void set_image_resource(const Image& image, const Format& f, unsigned bytes, uint32_t* word) {
  word[0] = base::lo32(image.data >> 8);
  word[1] =
      (base::hi32(image.data >> 8) & 0xff) | uint32_t{f.data} << 20 | uint32_t{f.number} << 26;
  word[2] = (image.width - 1) | (image.height - 1) << 14;
  const uint32_t last_level = image.levels - 1;
  word[3] = selects(image, f) | last_level << 16 | image_type(image.geometry) << 28;
  const uint64_t pitch =
      image.levels == 1 ? image.row_pitch / bytes : rows_before(image, image.levels);
  word[4] = (image.depth * image.array - 1) | static_cast<uint32_t>(pitch - 1) << 13;
  word[5] = last_level << 28;
}

/// Vega ISA table 34: no stride, so the number of records counts bytes.
void set_buffer_resource(const Image& image, const Format& f, uint32_t* word) {
  word[0] = base::lo32(image.data);
  word[1] = base::hi32(image.data) & 0xffff;
  word[2] = static_cast<uint32_t>(std::min<uint64_t>(data_bytes(image), UINT32_MAX));
  word[3] = selects(image, f) | uint32_t{f.number} << 12 | uint32_t{f.data} << 15;
}

}  // namespace

void describe(const Image& image, ImageObject& o) {
  const Format f = format_of(image);
  const unsigned bytes = element_bytes(image.order, image.channel);
  if (f.names.empty() || bytes == 0) return;
  const ImageAccess access = f.number == kSint   ? ImageAccess::kSigned
                             : f.number == kUint ? ImageAccess::kUnsigned
                                                 : ImageAccess::kFloat;
  o[kImageKindWord] = image.geometry | static_cast<uint32_t>(access) << 8;
  uint32_t flags = 0;
  // Elements with a stencil beside a float have no format that keeps it when stored.
  const bool resource =
      image.geometry != k1db && f.data != 0 && !f.stencil && addressable(image, bytes);
  if (resource) {
    set_image_resource(image, f, bytes, o.data());
    flags |= kImageLoads | (f.srgb ? 0 : kImageStores);
  }
  if (f.data != 0 && f.data < kLastBufferFormat && !f.srgb) {
    set_buffer_resource(image, f, &o[kImageBufferWord]);
    flags |= kImageBuffer;
    if (image.geometry == k1db) std::copy_n(&o[kImageBufferWord], 4, o.data());
  }
  o[kImageStoreWord] = o[1];
  o[kImageBufferStoreWord] = o[kImageBufferWord + 3];
  if (f.number == kSnorm) {
    flags |= kImageSnorm;
    constexpr uint32_t kChange = kSint ^ kSnorm;
    o[kImageStoreWord] ^= kChange << 26;
    o[kImageBufferStoreWord] ^= kChange << 12;
    o[kImageSnormWord] = image.channel == kSnorm16 ? 32767 : 127;
  }
  const bool opaque = image.order == kR || image.order == kRg || image.order == kRgb ||
                      image.order == kSrgb || image.order == kLuminance;
  if (opaque) flags |= kImageOpaque;
  o[kImageFlagsWord] = flags;
  const unsigned stored = !f.stencil ? bytes : image.channel == kUnorm24 ? 3 : 4;
  o[kImageBytesWord] = bytes | stored << 8;
  for (unsigned c = 0; c < 4; ++c) o[kImageFieldWord + c] = field(image, f, c);
}

/// MI100 ISA table 46; codes of memory_semantics.md. The border is transparent: its alpha
/// depends on the image.
void describe(const Sampler& sampler, SamplerObject& o) {
  constexpr uint32_t kClamps[] = {2, 2, 6, 0, 1};  // by addressing
  const uint32_t clamp = kClamps[std::min<size_t>(sampler.addressing, std::size(kClamps) - 1)];
  const uint32_t linear = sampler.filter != 0 ? 1 : 0;
  // TRUNC_COORD with the nearest filter: the element that the coordinate is in (HSAIL PRM 7.1.6.3).
  o[0] =
      clamp | clamp << 3 | clamp << 6 | (sampler.coord == 0 ? 1u : 0u) << 15 | (1 - linear) << 27;
  o[2] = linear << 20 | linear << 22 | (linear + 1) << 24;
}

}  // namespace cuvette::hsa
