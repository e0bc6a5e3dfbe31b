// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "golden_tiled_images.h"
#include "tile_levels.h"

// Images with mip levels in memory, and the view of them that a descriptor gives.
namespace cuvette::golden::testing {

constexpr unsigned kLine = 8, kLines = 12;

/// A texel of the view: level, slice and layer count from the first ones of the view.
struct Spot {
  uint32_t x = 0, y = 0, slice = 0;
  unsigned level = 0;
  auto operator<=>(const Spot&) const = default;
};
inline std::string text_of(const Spot& s) {
  return "level " + std::to_string(s.level) + " (" + std::to_string(s.x) + ", " +
         std::to_string(s.y) + ", " + std::to_string(s.slice) + ')';
}

struct LevelImage {
  LevelledSurface surface;
  unsigned type = kFlat;
  unsigned base_level = 0, last_level = 0, max_mip = 0;
  uint32_t first = 0;  ///< layer
  uint64_t base = 0;

  unsigned seen_levels() const { return last_level - base_level + 1; }
  /// Size of a level of the view, layers counted from the first one.
  TileExtent seen(unsigned level) const {
    TileExtent e = level_size(surface, base_level + level);
    e.depth -= first;
    return e;
  }
  uint64_t address(const Spot& s) const {
    return level_address(surface, base, base_level + s.level, s.x, s.y, first + s.slice);
  }
  uint64_t start() const { return base & ~level_xor_mask(surface); }
  bool is_array() const { return type == kArray || type == kLines; }
  unsigned dmask() const {
    return surface.texel_bytes < 8 ? 1 : (1u << surface.texel_bytes / 4) - 1;
  }

  Image descriptor() const {
    Image i;
    i.base = base;
    i.data_format =
        surface.texel_bytes == 12 ? 13 : kDataFormat[std::countr_zero(surface.texel_bytes)];
    i.number_format = 4;
    i.width = surface.size.width;
    i.height = surface.size.height;
    i.depth = surface.size.depth;
    i.pitch = surface.chain;
    i.base_level = base_level;
    i.last_level = last_level;
    i.max_mip = max_mip;
    i.type = type;
    i.swizzle_mode = surface.swizzle_mode;
    i.first_layer = first;
    return i;
  }
  std::string name() const {
    const auto with = [](const char* what, uint64_t value) { return what + std::to_string(value); };
    return std::string(name_of(surface.target)) + with(" mode ", surface.swizzle_mode) +
           with(" type ", type) + with(", texels of ", surface.texel_bytes) +
           with(" bytes, ", surface.size.width) + with(" x ", surface.size.height) +
           with(" x ", surface.size.depth) + with(" from ", first) + with(", levels ", base_level) +
           with(" to ", last_level) + with(" of ", surface.levels) + with(" (MAX_MIP ", max_mip) +
           with("), chain of ", surface.chain);
  }
};

/// An image of one texel, all of it still to be set but for what the parameters say.
inline LevelImage level_image(isa::Target target, unsigned mode, unsigned type,
                              uint32_t texel_bytes) {
  LevelImage i;
  i.type = type;
  i.surface.target = target;
  i.surface.swizzle_mode = mode;
  i.surface.volume = type == kVolume;
  i.surface.line = type == kLine || type == kLines;
  i.surface.texel_bytes = texel_bytes;
  return i;
}
/// Sizes as they are, all levels in view; nothing in the chain but the levels.
inline void set_size(LevelImage& i, const TileExtent& size, unsigned levels) {
  i.surface.size = size;
  i.surface.levels = levels;
  i.surface.chain = least_chain(i.surface);
  i.base_level = 0;
  i.last_level = i.max_mip = levels - 1;
  i.first = 0;
}

/// The address registers: coordinates the type has, then the level (MI100 ISA table 42).
template <typename T>
std::vector<T> in_registers(unsigned type, T x, T y, T slice, T level) {
  switch (type) {
    case kLine:
      return {x, level};
    case kLines:
      return {x, slice, level};
    case kFlat:
      return {x, y, level};
    default:
      return {x, y, slice, level};
  }
}
inline void set_spot(Bench& m, unsigned lane, unsigned type, const Spot& s) {
  unsigned next = 2;
  for (uint32_t value : in_registers<uint32_t>(type, s.x, s.y, s.slice, s.level)) {
    m.wave.v[next++][lane] = value;
  }
}

/// Modes that images of several levels have; linear ones too.
inline std::vector<unsigned> level_modes() {
  std::vector<unsigned> all = {0};
  for (unsigned mode = 4; mode < 32; ++mode) {
    if (tile_mode(mode)) all.push_back(mode);
  }
  return all;
}

}  // namespace cuvette::golden::testing
