// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/image_resource.h"

#include <algorithm>
#include <bit>

#include "wave/memory/texel.h"

namespace cuvette::wave::memory {
namespace {

/// Rows a level takes in the surface: halves are rounded up.
uint32_t rows_of(const ImageResource& image, uint32_t level) {
  if (image.type == kImage1d || image.type == kImage1dArray) return 1;
  uint32_t rows = image.height;
  for (uint32_t l = 0; l < level; ++l) rows = std::max(1u, (rows + 1) / 2);
  return rows;
}

uint32_t rows_before(const ImageResource& image, uint32_t level) {
  uint32_t rows = 0;
  for (uint32_t l = 0; l < level; ++l) rows += rows_of(image, l);
  return rows;
}

std::optional<TileLayout> tiles_of(const ImageResource& image, isa::Target target) {
  const auto mode = swizzle_mode(image.swizzle_mode);
  const TexelLayout* const texel = texel_layout(image.data_format);
  if (!mode || texel == nullptr || !std::has_single_bit(texel->bytes)) return std::nullopt;
  return TileLayout::make(*mode, static_cast<unsigned>(std::countr_zero(texel->bytes)),
                          image.is_3d(), target);
}

}  // namespace

unsigned ImageResource::dimensions() const {
  switch (type) {
    case kImage1d:
    case kImage1dArray:
      return 1;
    case kImage3d:
    case kImageCube:
      return 3;
    default:
      return 2;
  }
}

LevelSize ImageResource::size(uint32_t level) const {
  LevelSize s;
  s.width = std::max(1u, width >> level);
  if (dimensions() > 1) s.height = std::max(1u, height >> level);
  if (is_3d()) s.depth = std::max(1u, depth >> level);
  if (is_layered()) s.depth = depth;
  return s;
}

uint32_t ImageResource::layers() const {
  return is_layered() && depth > first_layer ? depth - first_layer : 1;
}

uint64_t ImageResource::texel_address(uint32_t level, uint32_t x, uint32_t y, uint32_t slice,
                                      unsigned bytes) const {
  if (tiles) return tiles->address(base, chain, level, x, y, slice);
  if (levels() == 1) return base + ((uint64_t{slice} * rows_of(*this, 0) + y) * pitch + x) * bytes;
  // All have the pitch of level 0, which is not stored, and follow each other row by row.
  constexpr uint64_t kRowBytes = 256;
  const uint64_t row_bytes = (uint64_t{width} * bytes + kRowBytes - 1) / kRowBytes * kRowBytes;
  const uint64_t row = uint64_t{slice} * pitch + rows_before(*this, level) + y;
  return base + row * row_bytes + uint64_t{x} * bytes;
}

ImageResource read_image(const WaveState& wave, unsigned code) {
  const unsigned first = scalar_in_range(wave, code, 8) ? code : 0;
  const uint64_t w0 = read_code64(wave, first), w1 = read_code64(wave, first + 2);
  const uint64_t w2 = read_code64(wave, first + 4), w3 = read_code64(wave, first + 6);
  const auto get = [](uint64_t word, unsigned hi, unsigned lo) {
    return static_cast<uint32_t>(base::bits(word, hi, lo));
  };
  ImageResource r;
  r.base = base::bits(w0, 39, 0) << 8;
  r.min_lod = get(w0, 51, 40);
  r.data_format = static_cast<uint8_t>(get(w0, 57, 52));
  r.number_format = static_cast<uint8_t>(get(w0, 61, 58));
  r.width = get(w1, 13, 0) + 1;
  r.height = get(w1, 27, 14) + 1;
  for (unsigned c = 0; c < 4; ++c) {
    r.select[c] = static_cast<uint8_t>(get(w1, 34 + 3 * c, 32 + 3 * c));
  }
  r.base_level = get(w1, 47, 44);
  r.last_level = get(w1, 51, 48);
  r.swizzle_mode = static_cast<uint8_t>(get(w1, 56, 52));
  r.type = static_cast<uint8_t>(get(w1, 63, 60));
  r.depth = get(w2, 12, 0) + 1;
  r.pitch = get(w2, 28, 13) + 1;
  r.border_swizzle = static_cast<uint8_t>(get(w2, 31, 29));
  r.first_layer = get(w2, 44, 32);
  r.max_mip = get(w2, 63, 60);
  r.compressed = base::bit(w3, 21);
  r.tiles = tiles_of(r, wave.target);
  if (r.tiles) r.chain = r.tiles->chain(r.extent(), r.levels(), r.pitch);
  return r;
}

namespace {

/// Reason why texels are not found by the swizzle mode; empty when they are.
const char* tiling_reason(const ImageResource& image) {
  if (image.swizzle_mode == 0) return "";
  if (image.dimensions() == 1) return "T# swizzle mode (bits 120:116) of a 1D image is not 0";
  if (!swizzle_mode(image.swizzle_mode)) return "T# swizzle mode (bits 120:116) is reserved";
  if (!image.tiles) {
    return "T# swizzle mode (bits 120:116) does not exist for the type (bits 127:124) and texels "
           "of this size";
  }
  if (image.levels() > 1 && !image.tiles->has_levels(image.extent())) {
    return "T# swizzle mode (bits 120:116) does not exist for images with mip levels (bits "
           "191:188) of this type and size";
  }
  if (!image.tiles->fits(image.base)) {
    return "T# base address (bits 39:0) is not a multiple of a block of the swizzle mode (bits "
           "120:116)";
  }
  return "";
}

}  // namespace

const char* image_reason(const ImageResource& image) {
  if (image.type < kImage1d) return "T# type (bits 127:124) is not an image";
  if (image.type >= kImage2dMsaa) {
    return "T# type (bits 127:124) is multisampled: not modelled";
  }
  if (image.compressed) return "T# compression enable (bit 213) is set: not modelled";
  if (texel_layout(image.data_format) == nullptr) {
    return "T# data format (bits 57:52) is reserved, compressed or subsampled: not modelled";
  }
  return tiling_reason(image);
}

void set_image_result(const isa::Instruction& i, const ImageResource& image, MemoryOp& op) {
  TexelConversion& t = op.texel;
  t.mode = TexelConversion::Mode::Convert;
  t.data_format = image.data_format;
  t.number_format = image.number_format;
  std::copy_n(image.select, 4, t.select);
  t.mask = i.mem.dmask == 0 ? 1 : i.mem.dmask;
  t.absent_alpha_is_one = true;
  t.d16 = i.mem.d16;
  const isa::Operand* result = find_destination(i, isa::Role::Vdata);
  if (!is_vector_register(result)) return;
  op.dst_kind = result->kind;
  op.dst = result->index;
  op.status_dword = i.mem.tfe;
}

}  // namespace cuvette::wave::memory
