// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/image_tiling.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

namespace cuvette::wave::memory {
namespace {

using Order = SwizzleMode::Order;
using Mixed = SwizzleMode::Mixed;

constexpr unsigned kInterleaveBits = 8;  // bytes next to each other in one channel
constexpr unsigned k256ByteBlock = 8;    // log2, as SwizzleMode::block_bits

/// Beginnings of levels in a tail, in units of 256 bytes: each takes half of what is left, while
/// that is more than 2 KiB. Smaller blocks begin further behind.
constexpr uint32_t kTailPlaces[] = {2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0};
constexpr unsigned kLargestBlockBits = 20;

/// Channels of memory: shader engines with their pipes, and banks (GB_ADDR_CONFIG).
struct Channels {
  unsigned pipe_bits, bank_bits;
};
Channels channels_of(isa::Target target) {
  constexpr unsigned kPipes = 2, kBanks = 4;
  const unsigned engines = target == isa::Target::Gfx908 ? 3 : 2;
  return {kPipes + engines, kBanks};
}

/// The coordinate bits of a micro tile from its first texel on, by the order and the size of
/// texels: a letter and its bit. Empty: there is none.
using Tiles = std::array<std::string_view, 5>;
// 256 bytes of one slice.
constexpr Tiles kFlatStandard = {"x0x1x2x3y0y1y2y3", "x0x1x2y0y1y2x3", "x0x1y0y1y2x2", "x0y0y1x1x2",
                                 "y0y1x0x1"};
constexpr Tiles kFlatDisplay = {"x0x1x2y1y0y2x3y3", "x0x1x2y0y1y2x3", "x0x1y0x2y1y2", "x0y0x1x2y1",
                                "x0y0x1y1"};
constexpr Tiles kFlatRotated = {"y0y1y2x1x0x2x3y3", "y0y1y2x0x1x2x3", "y0y1x0y2x1x2", "y0x0y1x1x2",
                                ""};
// 64 bytes of it.
constexpr Tiles kFlatZ = {"x0y0x1y1x2y2", "x0y0x1y1x2", "x0y0x1y1", "x0y0x1", ""};
// 1 KiB of several slices.
constexpr Tiles kThickStandard = {"x0x1x2x3y0y1z0z1z2y2", "x0x1x2y0y1z0z1z2y2", "x0x1y0y1z0z1y2x2",
                                  "x0y0y1z0z1x1x2", "y0y1z0z1x0x1"};
constexpr Tiles kThickZ = {"x0y0x1y1z0z1x2z2y2x3", "x0y0x1y1z0z1z2y2x2", "x0y0x1z0y1z1y2x2",
                           "x0y0z0x1z1y1x2", "x0y0z0z1y1x1"};

const Tiles& tiles_of(Order order, bool solid) {
  if (solid) return order == Order::Z ? kThickZ : kThickStandard;
  switch (order) {
    case Order::Z:
      return kFlatZ;
    case Order::Display:
      return kFlatDisplay;
    case Order::Rotated:
      return kFlatRotated;
    default:
      return kFlatStandard;
  }
}

}  // namespace

std::optional<SwizzleMode> swizzle_mode(unsigned code) {
  constexpr unsigned k4KiB = 12, k64KiB = 16;
  const auto order = static_cast<Order>(code % 4);
  switch (code / 4) {
    case 0:
      if (code == 0) return std::nullopt;
      return SwizzleMode{k256ByteBlock, order, Mixed::No};
    case 1:
      return SwizzleMode{k4KiB, order, Mixed::No};
    case 2:
      return SwizzleMode{k64KiB, order, Mixed::No};
    case 4:
      return SwizzleMode{k64KiB, order, Mixed::Within};
    case 5:
      return SwizzleMode{k4KiB, order, Mixed::Across};
    case 6:
      return SwizzleMode{k64KiB, order, Mixed::Across};
    default:
      return std::nullopt;
  }
}

/// The bits of a block, and those of the coordinates above it.
class TileLayout::Maker {
 public:
  Maker(const SwizzleMode& mode, unsigned texel_bits, bool thick)
      : mode_(mode), thick_(thick), bits_(texel_bits) {}

  void add_tile(std::string_view tile) {
    for (size_t n = 0; n < tile.size(); n += 2) {
      add(tile[n], static_cast<unsigned>(tile[n + 1] - '0'));
    }
  }
  /// In turn, as the place in the address says.
  void add_more(unsigned count) {
    constexpr char kFlat[] = {'y', 'x'}, kThick[] = {'x', 'z', 'y'};
    while (bits_.size() < count) {
      const size_t n = bits_.size();
      const char axis = thick_ ? kThick[n % 3] : kFlat[n % 2];
      add(axis, next_[axis - 'x']);
    }
  }
  const std::vector<Bits>& bits() const { return bits_; }
  unsigned count(char axis) const { return next_[axis - 'x']; }

  /// Channels are chosen by higher bits, in reverse, and by the slice.
  void mix(const Channels& channels) {
    const unsigned room = mode_.block_bits - kInterleaveBits;
    const unsigned pipes = std::min(room, channels.pipe_bits);
    const unsigned banks = std::min(room - pipes, channels.bank_bits);
    const std::vector<Bits> plain = bits_;
    mix_bits(plain, kInterleaveBits, pipes, pipes);
    mix_bits(plain, kInterleaveBits + pipes, banks, pipes + banks);
  }
  /// Number of bits that mix() looks at.
  unsigned reach(const Channels& channels) const {
    const unsigned room = mode_.block_bits - kInterleaveBits;
    const unsigned pipes = std::min(room, channels.pipe_bits);
    const unsigned banks = std::min(room - pipes, channels.bank_bits);
    const unsigned times = thick_ ? 3 : 2;
    return kInterleaveBits + std::max(times * pipes, pipes + times * banks);
  }

 private:
  void add(char axis, unsigned bit) {
    Bits b;
    (axis == 'x' ? b.x : axis == 'y' ? b.y : b.slice) = 1u << bit;
    bits_.push_back(b);
    next_[axis - 'x'] = std::max(next_[axis - 'x'], bit + 1);
  }
  /// `count` bits from `first` on; `slices`: the bit of the slice behind that of the first one.
  void mix_bits(const std::vector<Bits>& plain, unsigned first, unsigned count, unsigned slices) {
    for (unsigned n = 0; n < count; ++n) {
      Bits& b = bits_[first + n];
      const auto take = [&](unsigned from) {
        if (from < plain.size()) b ^= plain[from];
      };
      if (thick_) {
        take(first + 3 * count - 1 - 2 * n);
        take(first + 3 * count - 2 - 2 * n);
        continue;
      }
      take(first + 2 * count - 1 - n);
      if (mode_.mixed == Mixed::Across) b.slice ^= 1u << (slices - 1 - n);
    }
  }

  SwizzleMode mode_;
  bool thick_;
  std::vector<Bits> bits_;
  std::array<unsigned, 3> next_{};  // of x, y and z
};

std::optional<TileLayout> TileLayout::make(const SwizzleMode& mode, unsigned texel_bits, bool solid,
                                           isa::Target target) {
  const bool thick = solid && (mode.order == Order::Z || mode.order == Order::Standard);
  if (solid && (mode.block_bits == k256ByteBlock || mode.order == Order::Rotated))
    return std::nullopt;
  // Slices of a 3D image one by one are those of an array in standard order.
  const Order order = solid && !thick ? Order::Standard : mode.order;
  const Tiles& tiles = tiles_of(order, thick);
  if (texel_bits >= tiles.size() || tiles[texel_bits].empty()) return std::nullopt;

  const Channels channels = channels_of(target);
  Maker maker(mode, texel_bits, thick);
  maker.add_tile(tiles[texel_bits]);
  maker.add_more(mode.block_bits);
  TileLayout out;
  out.mode_ = mode;
  out.texel_bits_ = texel_bits;
  out.solid_ = solid;
  out.thick_ = thick;
  out.width_bits_ = maker.count('x');
  out.height_bits_ = maker.count('y');
  out.depth_bits_ = maker.count('z');
  if (mode.mixed == Mixed::Across) maker.add_more(maker.reach(channels));
  if (mode.mixed != Mixed::No) maker.mix(channels);
  std::copy_n(maker.bits().begin(), mode.block_bits, out.bits_.begin());
  return out;
}

TileExtent TileLayout::blocks(const TileExtent& size) const {
  const auto up = [](uint32_t n, unsigned bits) { return ((n - 1) >> bits) + 1; };
  return {up(size.width, width_bits_), up(size.height, height_bits_),
          thick_ ? up(size.depth, depth_bits_) : 1};
}

/// True if it fits into half a block; the bits of a block decide along which axis that is halved.
bool TileLayout::in_tail(const TileExtent& size) const {
  unsigned bits[] = {width_bits_, height_bits_, depth_bits_};
  constexpr unsigned kThickAxes[] = {1, 0, 2}, kThinAxes[] = {0, 1};
  --bits[thick_ ? kThickAxes[mode_.block_bits % 3] : kThinAxes[mode_.block_bits % 2]];
  return size.width <= 1u << bits[0] && size.height <= 1u << bits[1] &&
         (!thick_ || size.depth <= 1u << bits[2]);
}

bool TileLayout::has_levels(const TileExtent& size) const {
  // Slices of a 3D image one by one do not become fewer on the way.
  const bool deep = size.depth >= size.width && size.depth >= size.height;
  return mode_.block_bits != k256ByteBlock && !(solid_ && !thick_ && deep);
}

TileChain TileLayout::chain(const TileExtent& size, unsigned levels, uint32_t pitch) const {
  TileChain out;
  TileExtent n = blocks(size);
  const bool tall = n.height > n.width && n.height >= n.depth;
  const bool deep = !tall && n.depth > n.width;
  const TileExtent stored = blocks({pitch, pitch, 1});
  out.pitch = levels == 1 || tall ? stored.width : n.width;
  out.rows = levels == 1 || tall ? n.height : stored.height;
  if (levels == 1) return out;

  TileChain::Level place;
  // In texels, filled up to blocks.
  TileExtent filled = size;
  unsigned tail = 0;  // levels in it so far
  for (unsigned level = 0; level < TileChain::kMostLevels; ++level) {
    if (in_tail(filled)) {
      const size_t slot = kLargestBlockBits - mode_.block_bits + tail++;
      place.tail = kTailPlaces[std::min(slot, std::size(kTailPlaces) - 1)] << k256ByteBlock;
    }
    out.levels[level] = place;
    if (tail != 0) continue;
    // The next one is behind this one along the longest axis, but twice beside it.
    const bool beside = level == 0 || level == 2;
    if (beside ? tall : !tall && !deep) {
      place.x += n.width;
    } else if (beside || tall) {
      place.y += n.height;
    } else {
      place.slice += n.depth;
    }
    const auto half = [](uint32_t count, unsigned bits) {
      return std::max(1u, count << bits >> 1);
    };
    filled = {half(n.width, width_bits_), half(n.height, height_bits_), half(n.depth, depth_bits_)};
    n = blocks(filled);
  }
  return out;
}

uint64_t TileLayout::address(uint64_t base, const TileChain& chain, uint32_t level, uint32_t x,
                             uint32_t y, uint32_t slice) const {
  const uint64_t block = uint64_t{1} << mode_.block_bits;
  uint64_t inside = 0;
  for (unsigned n = texel_bits_; n < mode_.block_bits; ++n) {
    const Bits& b = bits_[n];
    const int ones =
        std::popcount(x & b.x) + std::popcount(y & b.y) + std::popcount(slice & b.slice);
    inside |= static_cast<uint64_t>(ones & 1) << n;
  }
  const TileChain::Level& place = chain.levels[level];
  const uint64_t deep = uint64_t{slice >> depth_bits_} + place.slice;
  const uint64_t row = deep * chain.rows + (y >> height_bits_) + place.y;
  const uint64_t number = row * chain.pitch + (x >> width_bits_) + place.x;
  const uint64_t mixed = base % block;
  return base - mixed + (number << mode_.block_bits) + (inside ^ place.tail ^ mixed);
}

}  // namespace cuvette::wave::memory
