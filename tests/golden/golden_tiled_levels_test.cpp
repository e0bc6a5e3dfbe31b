// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Images with mip levels, tiled and linear: loads, stores and samples of levels and atomics against
// addresses that tile_levels.h works out by another way than the model.
#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

#include "golden_levels.h"

namespace cuvette::golden::testing {
namespace {

using isa::Target;

constexpr unsigned kTypes[] = {kFlat, kVolume, kCube, kArray, kLine, kLines};
constexpr unsigned kInside = 60;  ///< lanes; the last four are outside
constexpr uint32_t kEveryTexel = 2000;

/// Every texel of small images; of larger ones the corners of every level and texels anywhere.
std::vector<Spot> spots_of(const LevelImage& i, Random& random) {
  uint32_t texels = 0;
  for (unsigned level = 0; level < i.seen_levels(); ++level) {
    const TileExtent e = i.seen(level);
    texels += e.width * e.height * e.depth;
  }
  std::set<Spot> spots;
  for (unsigned level = 0; level < i.seen_levels(); ++level) {
    const TileExtent e = i.seen(level);
    if (texels <= kEveryTexel) {
      for (uint32_t n = 0; n < e.width * e.height * e.depth; ++n) {
        spots.insert({n % e.width, n / e.width % e.height, n / e.width / e.height, level});
      }
      continue;
    }
    for (unsigned corner = 0; corner < 8; ++corner) {
      spots.insert({(e.width - 1) * (corner & 1), (e.height - 1) * (corner >> 1 & 1),
                    (e.depth - 1) * (corner >> 2), level});
    }
    for (unsigned draws = 0; draws < 12; ++draws) {
      spots.insert({between(random, 0, e.width - 1), between(random, 0, e.height - 1),
                    between(random, 0, e.depth - 1), level});
    }
  }
  return {spots.begin(), spots.end()};
}

float middle(uint32_t n, uint32_t size) {
  return (static_cast<float>(n) + 0.5f) / static_cast<float>(size);
}

/// Middles of texels and a level of detail whose nearest level is that of the spot.
void set_sampled(Bench& m, unsigned lane, const LevelImage& i, const Spot& s, Random& random) {
  const TileExtent e = i.seen(s.level);
  const float face = i.type == kCube ? 1.0f : 0.0f;
  float third = static_cast<float>(s.slice);
  if (i.type == kVolume) third = middle(s.slice, e.depth);
  if (i.type == kCube) third = static_cast<float>(s.slice / 6 * 8 + s.slice % 6);
  const float offsets[] = {0.0f, -0.5f, 0.25f, 127.0f / 256};
  float lod = static_cast<float>(s.level) + offsets[between(random, 0, 3)];
  // Beyond the view its last level, before it the first.
  if (s.level + 1 == i.seen_levels() && between(random, 0, 3) == 0) lod += 3;
  if (s.level == 0 && between(random, 0, 3) == 0) lod = -2;
  unsigned next = 2;
  for (float value : in_registers<float>(i.type, middle(s.x, e.width) + face,
                                         middle(s.y, e.height) + face, third, lod)) {
    m.wave.v[next++][lane] = bits_of(value);
  }
}

/// One image: what lanes load, sample, store and add is at the places expected, and only there.
class Exercise {
 public:
  Exercise(TiledBench& m, const LevelImage& i, Random& random)
      : m_(m), i_(i), random_(random), spots_(spots_of(i, random)) {}

  void run() {
    SCOPED_TRACE(i_.name());
    bind(m_, i_.descriptor());
    bind(m_, SamplerFields{});
    for (const Spot& s : spots_) {
      texels_.push_back(any_texel());
      ASSERT_TRUE(m_.memory.write(i_.address(s), texels_.back().data(), i_.surface.texel_bytes));
    }
    before_ = surface();
    for (size_t first = 0; first < spots_.size(); first += kInside) {
      first_ = first;
      count_ = static_cast<unsigned>(std::min<size_t>(kInside, spots_.size() - first));
      load();
      // An error at one place is an error at hundreds.
      if (::testing::Test::HasFailure()) return;
      sample();
      store();
      first_level();
      if (::testing::Test::HasFailure()) return;
    }
    for (size_t n = 0; n < spots_.size(); ++n) {
      const uint64_t at = i_.address(spots_[n]);
      Texel texel{};
      ASSERT_TRUE(m_.memory.read(at, texel.data(), i_.surface.texel_bytes));
      ASSERT_EQ(texel, texels_[n]) << text_of(spots_[n]);
      if (before_.empty()) continue;
      std::memcpy(&before_[at - i_.start()], texels_[n].data(), i_.surface.texel_bytes);
    }
    ASSERT_TRUE(before_ == surface()) << "bytes beside the texels changed";
  }

 private:
  Texel any_texel() {
    const auto log2 = static_cast<unsigned>(std::bit_width(i_.surface.texel_bytes - 1));
    Texel t = random_texel(random_, log2);
    if (i_.surface.texel_bytes == 12) t[3] = 0;
    return t;
  }
  /// All of the image, unless it is a large one.
  std::vector<uint8_t> surface() const {
    const uint64_t bytes = chain_bytes(i_.surface);
    if (bytes > 1 << 20) return {};
    std::vector<uint8_t> all(bytes);
    EXPECT_TRUE(m_.memory.read(i_.start(), all.data(), bytes));
    return all;
  }
  uint64_t inside() const { return (uint64_t{1} << count_) - 1; }
  /// The lanes of the view's first level.
  uint64_t on_first_level() const {
    uint64_t lanes = 0;
    for (unsigned n = 0; n < count_; ++n) {
      lanes |= uint64_t{spots_[first_ + n].level == 0} << n;
    }
    return lanes;
  }
  void set_lanes() {
    for (unsigned n = 0; n < count_; ++n) set_spot(m_, n, i_.type, spots_[first_ + n]);
    const unsigned level = between(random_, 0, i_.seen_levels() - 1);
    const TileExtent e = i_.seen(level);
    const bool tall = !i_.surface.line, deep = i_.type != kFlat && i_.type != kLine;
    const uint32_t far = 0x80000000;
    set_spot(m_, 60, i_.type, {e.width, 0, 0, level});
    set_spot(m_, 61, i_.type, {tall ? 0 : far, e.height, 0, level});
    set_spot(m_, 62, i_.type, {deep ? 0 : far, 0, e.depth, level});
    set_spot(m_, 63, i_.type, {0, 0, 0, i_.seen_levels() + between(random_, 0, 2)});
    m_.wave.state.s.set_exec(uint64_t{15} << kInside | inside());
  }
  void expect_texels(uint64_t lanes, const char* what) const {
    for (unsigned n = 0; n < count_; ++n) {
      if ((lanes >> n & 1) == 0) continue;
      for (unsigned c = 0; c < 4; ++c) {
        if ((i_.dmask() >> c & 1) == 0) continue;
        ASSERT_EQ(m_.wave.v[20 + c][n], texels_[first_ + n][c])
            << what << ' ' << text_of(spots_[first_ + n]);
      }
    }
  }
  Build row(const char* mnemonic) const { return m_.row(mnemonic, i_.dmask(), i_.is_array()); }

  void load() {
    set_lanes();
    fill_results(m_, 0x5a5a5a5a);
    m_.run(row("image_load_mip"));
    expect_texels(inside(), "load");
    for (unsigned lane = kInside; lane < kLanes; ++lane) {
      EXPECT_EQ(m_.wave.v[20][lane], 0u) << "outside, lane " << lane;
    }
  }
  void sample() {
    for (unsigned n = 0; n < count_; ++n) {
      set_sampled(m_, n, i_, spots_[first_ + n], random_);
    }
    m_.wave.state.s.set_exec(inside());
    fill_results(m_, 0x5a5a5a5a);
    m_.run(row("image_sample_l"));
    expect_texels(inside(), "sample");
    m_.wave.state.s.set_exec(on_first_level());
    fill_results(m_, 0x5a5a5a5a);
    m_.run(row("image_sample_lz"));
    expect_texels(on_first_level(), "sample of level 0");
  }
  void store() {
    set_lanes();
    fill_results(m_, 0x77);
    for (unsigned n = 0; n < count_; ++n) {
      texels_[first_ + n] = any_texel();
      for (unsigned c = 0; c < 4; ++c) m_.wave.v[20 + c][n] = texels_[first_ + n][c];
    }
    m_.run(row("image_store_mip"));
  }
  /// Rows without a level: the first one of the view.
  void first_level() {
    set_lanes();
    m_.wave.state.s.set_exec(on_first_level());
    fill_results(m_, 0x5a5a5a5a);
    m_.run(row("image_load"));
    expect_texels(on_first_level(), "load of level 0");
    if (i_.surface.texel_bytes != 4) return;
    fill_results(m_, 1000);
    Build b = row("image_atomic_add");
    b.i.mem.glc = true;
    m_.run(b);
    expect_texels(on_first_level(), "atomic add");
    for (unsigned n = 0; n < count_; ++n) {
      if (on_first_level() >> n & 1) texels_[first_ + n][0] += 1000;
    }
  }

  TiledBench& m_;
  const LevelImage& i_;
  Random& random_;
  std::vector<Spot> spots_;
  std::vector<Texel> texels_;
  std::vector<uint8_t> before_;
  size_t first_ = 0;
  unsigned count_ = 0;
};

/// Units in which shapes are counted: blocks, and the largest level of a tail. Linear images have
/// neither.
struct Measures {
  TileExtent block, tail;
  bool thick = false;
};
Measures measures(const LevelImage& i) {
  if (i.surface.swizzle_mode == 0) {
    const uint32_t width = 512 / i.surface.texel_bytes;
    return {{width, 16, 4}, {width / 2, 16, 4}, i.surface.volume};
  }
  return {tile_block(tiles_of(i.surface)), tail_extent(i.surface), is_thick(tiles_of(i.surface))};
}

uint32_t ragged(Random& random, uint32_t block, uint32_t blocks) {
  return between(random, (blocks - 1) * block + 1, blocks * block);
}

/// Few texels, all of them in the tail.
TileExtent tiny(const Measures& m, Random& random) {
  return {between(random, 1, std::min(m.tail.width, 17u)),
          between(random, 1, std::min(m.tail.height, 11u)), between(random, 1, 5)};
}
/// Level 0 as large as the tail can hold, or the least that it cannot.
TileExtent brim(const Measures& m, Random& random) {
  return {m.tail.width + between(random, 0, 1), m.tail.height + between(random, 0, 1),
          m.thick ? m.tail.depth + between(random, 0, 1) : 2};
}
TileExtent wide(const Measures& m, Random& random) {
  return {ragged(random, m.block.width, between(random, 3, 9)),
          ragged(random, m.block.height, between(random, 1, 2)),
          m.thick ? ragged(random, m.block.depth, between(random, 1, 2)) : 2};
}
TileExtent tall(const Measures& m, Random& random) {
  return {ragged(random, m.block.width, between(random, 1, 2)),
          ragged(random, m.block.height, between(random, 3, 9)),
          m.thick ? ragged(random, m.block.depth, between(random, 1, 2)) : 3};
}
TileExtent large(const Measures& m, Random& random) {
  return {ragged(random, m.block.width, between(random, 2, 6)),
          ragged(random, m.block.height, between(random, 2, 6)),
          m.thick ? ragged(random, m.block.depth, between(random, 2, 5)) : 2};
}
/// Volumes that are longest in depth; slices enough for every bit of their number that is xored.
TileExtent deep(const Measures& m, Random& random) {
  if (!m.thick) return {ragged(random, m.tail.width, 1), ragged(random, m.tail.height, 1), 297};
  return {ragged(random, m.block.width, between(random, 1, 2)),
          ragged(random, m.block.height, between(random, 1, 2)),
          ragged(random, m.block.depth, between(random, 3, 9))};
}

/// The size, as the type has it, and a view of it.
void finish(LevelImage& i, TileExtent size, Random& random) {
  if (i.type == kFlat || i.type == kLine) size.depth = 1;
  if (i.type == kCube) size.depth = (size.depth + 5) / 6 * 6;
  if (i.surface.line) size.height = 1;
  i.surface.size = size;
  i.surface.size = size;
  // There are no levels of a single texel, and thin volumes may not be longest in depth.
  if (levels_to_one_texel(i.surface) < 2) size.width = 2;
  if (!is_levelled(i.surface)) {
    size.width = std::max(size.width, 2u);
    size.depth = std::min(size.depth, std::max(size.width, size.height) - 1);
  }
  i.surface.size = size;
  const unsigned all = levels_to_one_texel(i.surface);
  set_size(i, size, between(random, 0, 2) == 0 ? between(random, 2, all) : all);
  // More room than the levels need, or what blocks round up to the same.
  const TileExtent block = level_block(i.surface);
  const uint32_t unit = chain_is_height(i.surface) ? block.height : block.width;
  const unsigned room = between(random, 0, 3);
  if (room == 0) i.surface.chain += unit;
  if (room <= 1) i.surface.chain -= between(random, 0, unit - 1);
  if (between(random, 0, 1) == 0) {
    i.base_level = between(random, 0, i.surface.levels - 1);
    i.last_level = between(random, i.base_level, i.surface.levels - 1);
  }
  if (i.last_level != 0 && i.last_level + 1 == i.surface.levels && between(random, 0, 3) == 0) {
    i.max_mip = between(random, 0, i.last_level);
  }
  if (i.is_array() && size.depth > 1) i.first = between(random, 0, size.depth - 1);
  if (i.type == kCube) i.first = between(random, 0, size.depth / 6 - 1) * 6;
}

void place(LevelImage& i, const TiledBench& m, Random& random) {
  const unsigned mode = i.surface.swizzle_mode;
  const uint64_t block = mode == 0 ? 256 : uint64_t{1} << tile_mode(mode)->block_log2;
  i.base = m.base + between(random, 0, 9) * block;
  if (between(random, 0, 3) != 0) i.base |= random() & level_xor_mask(i.surface);
  ASSERT_LE(i.start() + chain_bytes(i.surface), m.base + TiledBench::kSurfaceBytes);
}

using Shape = TileExtent (*)(const Measures&, Random&);
constexpr Shape kShapes[] = {tiny, tiny, brim, wide, tall, large, deep};

class Levels : public ::testing::TestWithParam<std::tuple<Target, unsigned>> {
 protected:
  Target target() const { return std::get<0>(GetParam()); }
  unsigned mode() const { return std::get<1>(GetParam()); }
};

TEST_P(Levels, LoadSampleStoreAdd) {
  TiledBench m(target());
  const unsigned seed = 1000 + 100 * index_of(target()) + mode();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  unsigned images = 0;
  for (unsigned type : kTypes) {
    for (uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u}) {
      LevelImage i = level_image(target(), mode(), type, bytes);
      i.surface.size = {2, 2, 1};
      if (!is_levelled(i.surface)) continue;
      for (Shape shape : kShapes) {
        finish(i, shape(measures(i), random), random);
        place(i, m, random);
        Exercise(m, i, random).run();
        ++images;
        if (HasFailure()) return;
      }
    }
  }
  RecordProperty("images", std::to_string(images));
  EXPECT_GE(images, 84u);
}

/// Quads whose work-items are one texel of the view's first level apart: a bias is the level.
TEST_P(Levels, SampleWithBias) {
  TiledBench m(target());
  Random random(mode());
  LevelImage i = level_image(target(), mode(), kFlat, 4);
  set_size(i, {64, 128, 1}, 8);
  place(i, m, random);
  bind(m, SamplerFields{});
  m.wave.state.s.set_exec(~uint64_t{0});
  for (i.base_level = 0; i.base_level < 3; ++i.base_level) {
    for (i.last_level = i.base_level; i.last_level < 6; ++i.last_level) {
      bind(m, i.descriptor());
      for (unsigned bias = 0; bias < 6; ++bias) {
        const unsigned level = std::min(bias, i.seen_levels() - 1);
        const TileExtent first = i.seen(0);
        std::array<uint64_t, kLanes> at;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const uint32_t x = 2 * (lane / 4 % 4) + (lane & 1);
          const uint32_t y = 2 * (lane / 16) + (lane >> 1 & 1);
          at[lane] = i.address({x >> level, y >> level, 0, level});
          ASSERT_TRUE(m.memory.write_value(at[lane], static_cast<uint32_t>(random())));
          m.wave.v[2][lane] = bits_of(static_cast<float>(bias));
          m.wave.v[3][lane] = bits_of(middle(x, first.width));
          m.wave.v[4][lane] = bits_of(middle(y, first.height));
        }
        m.run(m.row("image_sample_b", 1, false));
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          uint32_t want = 0;
          ASSERT_TRUE(m.memory.read_value(at[lane], &want));
          ASSERT_EQ(m.wave.v[20][lane], want) << i.name() << ", bias " << bias << " lane " << lane;
        }
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(GoldenTiledLevels, Levels,
                         ::testing::Combine(::testing::ValuesIn(kImageTargets),
                                            ::testing::ValuesIn(level_modes())),
                         [](const auto& instance) {
                           return std::string(name_of(std::get<0>(instance.param))) + "_mode" +
                                  std::to_string(std::get<1>(instance.param));
                         });

}  // namespace
}  // namespace cuvette::golden::testing
