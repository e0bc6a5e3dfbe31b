// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "wave/memory/form.h"
#include "wave/memory/image_tiling.h"

// The image descriptor T# and where its texels are (MI100 ISA 9.4.2; memory_semantics.md says
// what of it is ours: the place of mip levels, slices and the fields the manual leaves out).
namespace cuvette::wave::memory {

/// T# bits 127:124.
enum ImageType : uint8_t {
  kImage1d = 8,
  kImage2d = 9,
  kImage3d = 10,
  kImageCube = 11,
  kImage1dArray = 12,
  kImage2dArray = 13,
  kImage2dMsaa = 14,
};

/// Size of a mip level in texels; `depth` counts slices of a 3D image, layers of an array.
struct LevelSize {
  uint32_t width = 1, height = 1, depth = 1;
};

/// Fields of an image descriptor.
struct ImageResource {
  uint64_t base = 0;     ///< byte address, a multiple of 256
  uint32_t min_lod = 0;  ///< T#: eight fraction bits
  uint8_t data_format = 0, number_format = 0;
  uint32_t width = 1, height = 1, depth = 1;  ///< of level 0, texels
  uint32_t pitch = 1;      ///< texels; of several levels mostly the rows of a slice
  uint8_t select[4] = {};  ///< DST_SEL, as in TexelConversion
  /// Levels of the view, both included; levels of the resource less 1; first layer of the view.
  uint32_t base_level = 0, last_level = 0, max_mip = 0, first_layer = 0;
  uint8_t swizzle_mode = 0, type = 0, border_swizzle = 0;
  bool compressed = false;
  std::optional<TileLayout> tiles;  ///< of a swizzle mode but 0, where there is one
  TileChain chain;                  ///< its levels

  /// True for the data format "invalid": every access is out of range.
  bool unbound() const { return data_format == 0; }
  bool is_3d() const { return type == kImage3d; }
  bool is_cube() const { return type == kImageCube; }
  bool is_layered() const {
    return type == kImage1dArray || type == kImage2dArray || type == kImageCube;
  }
  /// Coordinates besides the layer of an array: 1 to 3; a cube has x, y and face.
  unsigned dimensions() const;
  /// `level` counts from level 0 of the resource, not of the view.
  LevelSize size(uint32_t level) const;
  /// Layers of the view, for a 3D image 1.
  uint32_t layers() const;
  /// Mip levels of the resource.
  uint32_t levels() const { return std::max(last_level, max_mip) + 1; }
  /// Size of level 0, as TileLayout counts.
  TileExtent extent() const { return {width, height, is_3d() ? depth : 1}; }
  /// Address of a texel inside `size(level)`. `slice`: z, or the layer of the resource.
  uint64_t texel_address(uint32_t level, uint32_t x, uint32_t y, uint32_t slice,
                         unsigned bytes) const;
};

/// The descriptor in the eight SGPRs from `code` on.
ImageResource read_image(const WaveState& wave, unsigned code);

/// Reason why images with this descriptor are not accessed; empty when they are. Not for unbound
/// ones.
const char* image_reason(const ImageResource& image);

/// The registers of an image address, a dword or (A16) half a dword for a component.
class ImageAddress {
 public:
  ImageAddress(const WaveState& wave, const isa::Instruction& i)
      : wave_(wave), operand_(*find_source(i, isa::Role::Addr)), a16_(i.mem.a16) {}

  uint32_t dword(unsigned lane, unsigned n) const { return source_row(wave_, operand_, n)[lane]; }
  /// Component `c` of a list that begins at register `first`.
  uint32_t component(unsigned lane, unsigned first, unsigned c) const {
    if (!a16_) return dword(lane, first + c);
    return dword(lane, first + c / 2) >> 16 * (c % 2) & 0xffff;
  }
  bool a16() const { return a16_; }

 private:
  const WaveState& wave_;
  const isa::Operand& operand_;
  bool a16_;
};

/// Destination, conversion and status dword of an image load or sample.
void set_image_result(const isa::Instruction& i, const ImageResource& image, MemoryOp& op);

bool is_sampled(Id id);
/// IMAGE_SAMPLE*, IMAGE_GATHER4*, IMAGE_GET_LOD.
void make_sampled_op(const WaveState& wave, const isa::Instruction& i, const ImageResource& image,
                     MemoryOp& op);

}  // namespace cuvette::wave::memory
