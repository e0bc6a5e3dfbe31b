// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Tiled images (T# swizzle mode not 0): loads, stores, atomics and samples against addresses that
// tile_address.h works out by another way than the model, and against places worked out by hand.
#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "golden_tiled_images.h"
#include "tile_address.h"

namespace cuvette::golden::testing {
namespace {

using isa::Target;
using ::testing::HasSubstr;

constexpr unsigned kTypes[] = {kFlat, kVolume, kCube, kArray};

/// An image of `slices` layers or slices in memory, seen from layer `first` on.
struct TiledImage {
  TiledSurface surface;
  unsigned type = kFlat;
  uint32_t width = 1, height = 1, slices = 1, first = 0;
  uint64_t base = 0;

  uint64_t address(uint32_t x, uint32_t y, uint32_t slice) const {
    return tile_address(surface, base, x, y, first + slice);
  }
  uint32_t seen() const { return slices - first; }
  bool is_array() const { return type == kArray; }
  uint64_t start() const { return base & ~tile_xor_mask(surface); }

  Image descriptor() const {
    Image i;
    i.base = base;
    i.data_format = kDataFormat[surface.texel_log2];
    i.number_format = 4;
    i.width = width;
    i.height = height;
    i.depth = slices;
    i.pitch = surface.pitch;
    i.type = type;
    i.swizzle_mode = surface.swizzle_mode;
    i.first_layer = first;
    return i;
  }
  std::string name() const {
    return std::string(name_of(surface.target)) + " mode " + std::to_string(surface.swizzle_mode) +
           " type " + std::to_string(type) + ", texels of " +
           std::to_string(1u << surface.texel_log2) + " bytes, " + std::to_string(width) + " x " +
           std::to_string(height) + " x " + std::to_string(slices) + " from " +
           std::to_string(first) + ", pitch " + std::to_string(surface.pitch);
  }
};

struct Point {
  uint32_t x = 0, y = 0, slice = 0;
  bool operator==(const Point&) const = default;
};

/// The corners, then texels anywhere; each once, and two lanes are left.
std::vector<Point> points_of(const TiledImage& t, Random& random) {
  std::vector<Point> points;
  const auto add = [&](const Point& p) {
    if (std::find(points.begin(), points.end(), p) == points.end()) points.push_back(p);
  };
  const uint32_t x = t.width - 1, y = t.height - 1, z = t.seen() - 1;
  for (unsigned corner = 0; corner < 8; ++corner) {
    add({x * (corner & 1), y * (corner >> 1 & 1), z * (corner >> 2)});
  }
  for (unsigned draws = 0; draws < 300 && points.size() < kLanes - 2; ++draws) {
    add({between(random, 0, x), between(random, 0, y), between(random, 0, z)});
  }
  return points;
}

void set_coordinates(Bench& m, unsigned lane, const Point& p) {
  m.wave.v[2][lane] = p.x;
  m.wave.v[3][lane] = p.y;
  m.wave.v[4][lane] = p.slice;
}

/// Middles of texels, as the type wants them (docs/reference/memory_semantics.md).
void set_sampled(Bench& m, unsigned lane, const TiledImage& t, const Point& p) {
  const auto middle = [](uint32_t n, uint32_t size) {
    return (static_cast<float>(n) + 0.5f) / static_cast<float>(size);
  };
  const float face = t.type == kCube ? 1.0f : 0.0f;
  m.wave.v[2][lane] = bits_of(middle(p.x, t.width) + face);
  m.wave.v[3][lane] = bits_of(middle(p.y, t.height) + face);
  float third = static_cast<float>(p.slice);
  if (t.type == kVolume) third = middle(p.slice, t.slices);
  if (t.type == kCube) third = static_cast<float>(p.slice / 6 * 8 + p.slice % 6);
  m.wave.v[4][lane] = bits_of(third);
}

/// One image: what lanes load, sample, store and add is at the places expected, and only there.
class Exercise {
 public:
  Exercise(TiledBench& m, const TiledImage& t, Random& random)
      : m_(m), t_(t), random_(random), log2_(t.surface.texel_log2), points_(points_of(t, random)) {}

  void run() {
    SCOPED_TRACE(t_.name());
    bind(m_, t_.descriptor());
    bind(m_, SamplerFields{});
    for (const Point& p : points_) {
      texels_.push_back(random_texel(random_, log2_));
      m_.set_texel(address(p), log2_, texels_.back());
    }
    before_ = surface();
    load();
    if (::testing::Test::HasFailure()) return;
    sample();
    store();
    if (log2_ == 2) add();
    for (unsigned n = 0; n < points_.size(); ++n) {
      ASSERT_EQ(m_.texel(address(points_[n]), log2_), texels_[n]) << where(n);
      if (before_.empty()) continue;
      std::memcpy(&before_[address(points_[n]) - t_.start()], texels_[n].data(),
                  size_t{1} << log2_);
    }
    ASSERT_TRUE(before_ == surface()) << "bytes beside the texels changed";
  }

 private:
  uint64_t address(const Point& p) const { return t_.address(p.x, p.y, p.slice); }
  std::string where(unsigned n) const {
    const Point& p = points_[n];
    return '(' + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.slice) +
           ')';
  }
  /// The whole surface, unless it is a large one.
  std::vector<uint8_t> surface() const {
    const uint64_t bytes = tiled_bytes(t_.surface, t_.slices);
    if (bytes > 3 << 20) return {};
    std::vector<uint8_t> all(bytes);
    EXPECT_TRUE(m_.memory.read(t_.start(), all.data(), bytes));
    return all;
  }
  /// The last two lanes are just outside, in the padding where there is some.
  void set_lanes() {
    for (unsigned n = 0; n < points_.size(); ++n) set_coordinates(m_, n, points_[n]);
    set_coordinates(m_, 62, {t_.width, 0, 0});
    set_coordinates(m_, 63, {0, t_.height, 0});
    m_.wave.state.s.set_exec(uint64_t{3} << 62 | inside());
  }
  uint64_t inside() const { return (uint64_t{1} << points_.size()) - 1; }
  void expect_texels(const char* what) const {
    for (unsigned n = 0; n < points_.size(); ++n) {
      for (unsigned c = 0; c < 4; ++c) {
        if ((kDmask[log2_] >> c & 1) == 0) continue;
        ASSERT_EQ(m_.wave.v[20 + c][n], texels_[n][c]) << what << ' ' << where(n);
      }
    }
  }

  void load() {
    set_lanes();
    fill_results(m_, 0x5a5a5a5a);
    m_.run(m_.row("image_load", kDmask[log2_], t_.is_array()));
    expect_texels("load");
    EXPECT_EQ(m_.wave.v[20][62], 0u);
    EXPECT_EQ(m_.wave.v[20][63], 0u);
  }
  void sample() {
    for (unsigned n = 0; n < points_.size(); ++n) set_sampled(m_, n, t_, points_[n]);
    m_.wave.state.s.set_exec(inside());
    fill_results(m_, 0x5a5a5a5a);
    m_.run(m_.row("image_sample_lz", kDmask[log2_], t_.is_array()));
    expect_texels("sample");
  }
  void store() {
    set_lanes();
    fill_results(m_, 0x77);
    for (unsigned n = 0; n < points_.size(); ++n) {
      texels_[n] = random_texel(random_, log2_);
      for (unsigned c = 0; c < 4; ++c) m_.wave.v[20 + c][n] = texels_[n][c];
    }
    m_.run(m_.row("image_store", kDmask[log2_], t_.is_array()));
  }
  void add() {
    set_lanes();
    fill_results(m_, 1000);
    Build b = m_.row("image_atomic_add", 1, t_.is_array());
    b.i.mem.glc = true;
    m_.run(b);
    expect_texels("atomic add");
    for (Texel& texel : texels_) texel[0] += 1000;
  }

  TiledBench& m_;
  const TiledImage& t_;
  Random& random_;
  unsigned log2_;
  std::vector<Point> points_;
  std::vector<Texel> texels_;
  std::vector<uint8_t> before_;
};

TiledImage image_of(Target target, unsigned mode, unsigned type, unsigned log2) {
  TiledImage t;
  t.surface.target = target;
  t.surface.swizzle_mode = mode;
  t.surface.volume = type == kVolume;
  t.surface.texel_log2 = log2;
  t.type = type;
  return t;
}

void resize(TiledImage& t, uint32_t width, uint32_t height, uint32_t slices, uint32_t pitch) {
  t.width = width;
  t.height = height;
  t.slices = t.type == kFlat ? 1 : t.type == kCube ? (slices + 5) / 6 * 6 : slices;
  t.surface.pitch = pitch;
  t.surface.rows = height;
  t.first = 0;
}

/// Some blocks from the start of the memory, with the xor of the base given or a random one.
void place(TiledImage& t, const TiledBench& m, Random& random, bool with_xor) {
  const uint64_t block = uint64_t{1} << tile_mode(t.surface.swizzle_mode)->block_log2;
  t.base = m.base + between(random, 0, 9) * block;
  if (with_xor) t.base |= random() & tile_xor_mask(t.surface);
  ASSERT_LE(t.start() + tiled_bytes(t.surface, t.slices), m.base + TiledBench::kSurfaceBytes);
}

/// Blocks beyond the first in every direction, few enough to look at every byte.
void make_small(TiledImage& t, Random& random) {
  const TileExtent block = tile_block(t.surface);
  const uint32_t width = 2 * block.width + between(random, 1, block.width - 1);
  resize(t, width, block.height + between(random, 1, block.height - 1),
         block.depth + between(random, 1, 3), width + between(random, 0, 3 * block.width - width));
}
/// Slices enough for every bit of their number that is xored, less than a block wide.
void make_deep(TiledImage& t, Random& random) {
  const TileExtent block = tile_block(t.surface);
  const uint32_t width = between(random, 1, block.width);
  const uint32_t slices = is_thick(t.surface) ? 9 * block.depth - 1 : 297;
  resize(t, width, between(random, 1, block.height), slices, width);
  if (t.type == kArray) t.first = between(random, 1, slices - 20);
  if (t.type == kCube) t.first = 6 * between(random, 1, slices / 6 - 4);
}
/// Blocks enough for every bit above the block that is folded into the xor.
void make_wide(TiledImage& t, Random& random) {
  const TileExtent block = tile_block(t.surface);
  const uint32_t width = between(random, 5 * block.width + 1, 9 * block.width);
  const uint32_t slices = is_thick(t.surface) ? 4 * block.depth + 1 : 2;
  resize(t, width, between(random, 4 * block.height + 1, 6 * block.height), slices,
         width + between(random, 0, 2 * block.width));
  if (t.type == kArray) t.first = 1;
}

struct Shape {
  void (*make)(TiledImage& t, Random& random);
  bool with_xor;
};
constexpr Shape kShapes[] = {
    {make_small, false}, {make_small, true}, {make_deep, true}, {make_wide, true}};

class TiledModes : public ::testing::TestWithParam<std::tuple<Target, unsigned>> {
 protected:
  Target target() const { return std::get<0>(GetParam()); }
  unsigned mode() const { return std::get<1>(GetParam()); }
};

TEST_P(TiledModes, LoadSampleStoreAdd) {
  TiledBench m(target());
  Random random(100 * index_of(target()) + mode());
  unsigned images = 0;
  for (unsigned type : kTypes) {
    for (unsigned log2 = 0; log2 < kTexelSizes; ++log2) {
      TiledImage t = image_of(target(), mode(), type, log2);
      if (!is_tileable(t.surface)) continue;
      for (const Shape& shape : kShapes) {
        shape.make(t, random);
        place(t, m, random, shape.with_xor);
        Exercise(m, t, random).run();
        ++images;
        // An error of one image is an error of hundreds.
        if (HasFailure()) return;
      }
    }
  }
  RecordProperty("images", std::to_string(images));
}

/// The model by itself: what is stored at every texel of a surface is there at the end.
TEST_P(TiledModes, EveryTexelKeepsItsValue) {
  TiledBench m(target());
  Random random(mode());
  for (unsigned type : {kArray, kVolume}) {
    TiledImage t = image_of(target(), mode(), type, 2);
    if (!is_tileable(t.surface)) continue;
    const TileExtent block = tile_block(t.surface);
    const uint32_t width = block.width + block.width / 2;
    resize(t, width, block.height, 2 * block.depth, width);
    place(t, m, random, true);
    bind(m, t.descriptor());
    m.wave.state.s.set_exec(~uint64_t{0});
    const uint32_t texels = t.width * t.height * t.slices;
    ASSERT_EQ(texels % kLanes, 0u);
    for (const bool loads : {false, true}) {
      const Build b = m.row(loads ? "image_load" : "image_store", 1, t.is_array());
      for (uint32_t first = 0; first < texels; first += kLanes) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const uint32_t n = first + lane;
          set_coordinates(m, lane, {n % t.width, n / t.width % t.height, n / t.width / t.height});
          m.wave.v[20][lane] = loads ? 0 : n + 1;
        }
        m.run(b);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          ASSERT_EQ(m.wave.v[20][lane], first + lane + 1) << t.name();
        }
        if (HasFailure()) return;
      }
    }
  }
}

std::vector<unsigned> modes() {
  std::vector<unsigned> all;
  for (unsigned mode = 0; mode < 32; ++mode) {
    if (tile_mode(mode)) all.push_back(mode);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(GoldenTiledImage, TiledModes,
                         ::testing::Combine(::testing::ValuesIn(kImageTargets),
                                            ::testing::ValuesIn(modes())),
                         [](const auto& instance) {
                           return std::string(name_of(std::get<0>(instance.param))) + "_mode" +
                                  std::to_string(std::get<1>(instance.param));
                         });

/// The expected addresses by themselves: texels of a padded surface do not share bytes and fill it.
TEST(TileAddress, EveryTexelHasAPlaceOfItsOwn) {
  Random random(1);
  unsigned surfaces = 0;
  for (Target target : {Target::Gfx900, Target::Gfx908}) {
    for (unsigned mode : modes()) {
      for (unsigned type : {kFlat, kVolume}) {
        for (unsigned log2 = 0; log2 < kTexelSizes; ++log2) {
          TiledImage t = image_of(target, mode, type, log2);
          if (!is_tileable(t.surface)) continue;
          const TileExtent block = tile_block(t.surface);
          const uint32_t width = 2 * block.width, slices = is_thick(t.surface) ? block.depth : 2;
          t.surface.pitch = width - 1;
          t.surface.rows = block.height - 1;
          const uint64_t start = uint64_t{5} << 20;
          const uint64_t base = start | (random() & tile_xor_mask(t.surface));
          const uint64_t bytes = tiled_bytes(t.surface, slices);
          ASSERT_EQ(bytes, uint64_t{width} * block.height * slices << log2);
          std::vector<uint8_t> taken(bytes >> log2);
          for (uint32_t z = 0; z < slices; ++z) {
            for (uint32_t y = 0; y < block.height; ++y) {
              for (uint32_t x = 0; x < width; ++x) {
                const uint64_t offset = tile_address(t.surface, base, x, y, z) - start;
                ASSERT_EQ(offset & ((1u << log2) - 1), 0u) << t.name();
                ASSERT_LT(offset, bytes) << t.name();
                ASSERT_EQ(taken[offset >> log2]++, 0) << t.name();
              }
            }
          }
          ++surfaces;
        }
      }
    }
  }
  EXPECT_EQ(surfaces, 358u);
}

/// Places worked out with pencil and paper from the order of coordinate bits in addrlib (Gfx9Lib).
TEST(GoldenTiledImage, PlacesWorkedOutByHand) {
  struct Place {
    Target target;
    unsigned mode, type, log2;
    uint32_t pitch, rows, x, y, slice;
    uint32_t base_xor, offset;
  };
  constexpr Target k900 = Target::Gfx900, k906 = Target::Gfx906, k908 = Target::Gfx908;
  const Place places[] = {
      // 256B_D, bytes: x0 x1 x2 y1 | y0 y2 x3 y3 with x = 9, y = 6.
      {k908, 2, kFlat, 0, 16, 16, 9, 6, 0, 0, 0x69},
      // The same in the second tile of the second row of tiles, three tiles to a row.
      {k908, 2, kFlat, 0, 33, 25, 25, 22, 0, 0, 0x469},
      // 256B_R, 8 bytes: y0 x0 y1 x1 x2 from bit 3 with x = 5, y = 3.
      {k900, 3, kFlat, 3, 8, 4, 5, 3, 0, 0, 0xb8},
      // 64KB_S, 4 bytes: x0 x1 y0 y1 y2 x2 from bit 2, then y and x in turn: 0x3b4 in block 3.
      {k906, 9, kFlat, 2, 200, 256, 141, 139, 0, 0, 0x303b4},
      // 64KB_Z_X, 4 bytes, (37, 22): 0x24e4. Of its bits 15:8, 0x24, gfx900 folds 10|0100 to 0000
      // and keeps 2, gfx908 folds 1|00100 to 10100 and keeps 1: 0x20 and 0x34. Slice 1 turns the
      // highest pipe bit, 8 or 16; the base has 5; a slice is one block.
      {k900, 24, kArray, 2, 128, 128, 37, 22, 1, 0x500, 0x12de4},
      {k906, 24, kArray, 2, 128, 128, 37, 22, 1, 0x500, 0x12de4},
      {k908, 24, kArray, 2, 128, 128, 37, 22, 1, 0x500, 0x121e4},
      // 4KB_S, 3D, 4 bytes: rows of 16 bytes, y1:0 at 4, z1:0 at 6, y2 x2 at 8, z2 y3 at 10.
      {k900, 5, kVolume, 2, 8, 16, 6, 13, 5, 0, 0xf58},
      {k908, 5, kVolume, 2, 16, 16, 14, 13, 5, 0, 0x1f58},
      // 4KB_Z_X, 3D, bytes, (13, 6, 25): 0x2759 counting blocks above; z4 at bit 13 is the upper
      // half of the second fold and turns bit 11. Block 1 of z.
      {k900, 20, kVolume, 0, 16, 16, 13, 6, 25, 0, 0x1f59},
      {k908, 20, kVolume, 0, 16, 16, 13, 6, 25, 0xf00, 0x1059},
      // 64KB_D_T, 8 bytes, (101, 45): 0xe558. 0xe5 folds 1110|0101 to 0010 and keeps 1110, or
      // 111|00101 to 11001 and keeps 111. The slice does not count, but for its place.
      {k900, 18, kArray, 3, 128, 64, 101, 45, 2, 0, 0x2e258},
      {k908, 18, kArray, 3, 128, 64, 101, 45, 2, 0, 0x2f958},
      // 4KB_D_X, 3D, 2 bytes: a thin block, and the micro tile is the standard one: x0 x1 x2 y0 y1
      // y2 x3 from bit 1. 0x36a; slice 2 turns bit 10.
      {k906, 22, kVolume, 1, 64, 32, 21, 14, 2, 0, 0x276a},
  };
  for (const Place& p : places) {
    TiledBench m(p.target);
    TiledImage t = image_of(p.target, p.mode, p.type, p.log2);
    resize(t, p.pitch, p.rows, p.slice + 1, p.pitch);
    t.base = m.base + p.base_xor;
    EXPECT_EQ(t.address(p.x, p.y, p.slice) - m.base, p.offset) << t.name();
    const Texel texel = {0x39, 0, 0, 0};
    m.set_texel(m.base + p.offset, p.log2, texel);
    bind(m, t.descriptor());
    set_coordinates(m, 0, {p.x, p.y, p.slice});
    m.wave.state.s.set_exec(1);
    m.run(m.row("image_load", 1, t.is_array()));
    EXPECT_EQ(m.wave.v[20][0], 0x39u) << t.name();
  }
}

TEST(GoldenTiledImage, ResourceInformation) {
  TiledBench m(Target::Gfx908);
  TiledImage t = image_of(Target::Gfx908, 27, kArray, 2);
  resize(t, 300, 200, 7, 384);
  t.base = m.base;
  t.first = 2;
  bind(m, t.descriptor());
  m.wave.state.s.set_exec(1);
  m.wave.v[2][0] = 0;
  m.run(m.row("image_get_resinfo", 15, true));
  const uint32_t want[4] = {300, 200, 5, 1};
  for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(m.wave.v[20 + c][0], want[c]);
}

struct Refused {
  std::string name;
  Image image;
  uint64_t base_offset = 0;
};

/// Values that the descriptor may not have, each alone beside one it may. Levels:
/// golden_level_places_test.
std::vector<Refused> refused_images() {
  std::vector<Refused> all;
  const auto add = [&](const std::string& name, unsigned mode, unsigned type, unsigned format = 4,
                       uint64_t base_offset = 0) -> Image& {
    Refused r;
    r.name = name + ", mode " + std::to_string(mode) + ", type " + std::to_string(type);
    r.image.swizzle_mode = mode;
    r.image.type = type;
    r.image.data_format = format;
    r.image.number_format = 4;
    r.base_offset = base_offset;
    all.push_back(r);
    return all.back().image;
  };
  for (unsigned mode = 1; mode < 32; ++mode) {
    if (!tile_mode(mode)) {
      for (unsigned type : kTypes) add("reserved", mode, type);
      continue;
    }
    for (unsigned type : {8u, 12u}) add("1D", mode, type);
    for (unsigned type : {14u, 15u}) add("multisampled", mode, type);
    for (unsigned type : kTypes) {
      const TileMode m = *tile_mode(mode);
      if (type == kVolume && (mode < 4 || m.order == TileOrder::Rotated)) {
        add("not for 3D", mode, type);
        continue;
      }
      if ((m.order == TileOrder::Z && type != kVolume) || m.order == TileOrder::Rotated) {
        add("16 bytes", mode, type, 14);
      }
      add("12 bytes", mode, type, 13);
      if (m.xors) continue;
      for (uint64_t offset = 256; offset < uint64_t{1} << m.block_log2; offset *= 2) {
        add("base + " + std::to_string(offset), mode, type, 4, offset);
      }
    }
  }
  return all;
}

TEST(GoldenTiledImage, RefusalsNameTheDescriptor) {
  const std::vector<Refused> all = refused_images();
  for (Target target : kImageTargets) {
    TiledBench m(target);
    bind(m, SamplerFields{});
    for (const Refused& r : all) {
      Image i = r.image;
      i.base = m.base + r.base_offset;
      bind(m, i);
      for (const char* row : {"image_load", "image_store", "image_sample_lz", "image_atomic_add"}) {
        const bool atomic = std::string(row) == "image_atomic_add";
        if (atomic && i.data_format != 4) continue;  // refused for its size
        EXPECT_THAT(m.refusal(m.row(row, 1, i.type == kArray)), HasSubstr("T#"))
            << name_of(target) << ": " << r.name << ", " << row;
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(all.size(), 429u);
}

}  // namespace
}  // namespace cuvette::golden::testing
