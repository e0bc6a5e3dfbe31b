// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <random>
#include <string>

#include "golden_images.h"

// Helpers shared by tests of tiled images and of images with mip levels: targets that have images,
// types and sizes of texels, memory for large surfaces.
namespace cuvette::golden::testing {

constexpr isa::Target kImageTargets[] = {isa::Target::Gfx900, isa::Target::Gfx906,
                                         isa::Target::Gfx908};
constexpr unsigned kFlat = 9, kVolume = 10, kCube = 11, kArray = 13;
constexpr unsigned kTexelSizes = 5;
constexpr unsigned kDataFormat[kTexelSizes] = {1, 2, 4, 11, 14};  // 8, 16, 32, 32_32, four of 32
constexpr unsigned kDmask[kTexelSizes] = {1, 1, 1, 3, 15};

using Texel = std::array<uint32_t, 4>;
using Random = std::mt19937;

inline uint32_t between(Random& random, uint32_t low, uint32_t high) {
  return std::uniform_int_distribution<uint32_t>(low, high)(random);
}

/// Room for the largest surface, at an address that is whole in 64 KiB.
struct TiledBench : Bench {
  static constexpr uint64_t kSurfaceBytes = 40 << 20;
  isa::Target target;

  explicit TiledBench(isa::Target t) : Bench(t), target(t) {
    hsa::DeviceMemory::Options options;
    options.alignment = 1 << 16;
    const auto allocated = memory.allocate(kSurfaceBytes, options);
    EXPECT_TRUE(allocated.ok());
    base = *allocated;
  }
  Build row(const std::string& mnemonic, unsigned dmask, bool layered) const {
    Build b = image(mnemonic, dmask);
    b.i.target = target;
    b.i.mem.da = layered;
    return b;
  }
  Texel texel(uint64_t address, unsigned log2) {
    Texel t{};
    EXPECT_TRUE(memory.read(address, t.data(), size_t{1} << log2));
    return t;
  }
  void set_texel(uint64_t address, unsigned log2, const Texel& t) {
    EXPECT_TRUE(memory.write(address, t.data(), size_t{1} << log2));
  }
};

inline Texel random_texel(Random& random, unsigned log2) {
  Texel t{};
  for (unsigned d = 0; d < (log2 < 2 ? 1u : 1u << (log2 - 2)); ++d)
    t[d] = static_cast<uint32_t>(random());
  if (log2 < 2) t[0] &= (1u << (8u << log2)) - 1;
  return t;
}

inline void fill_results(Bench& m, uint32_t value) {
  for (unsigned c = 0; c < 4; ++c) m.wave.v[20 + c].fill(value);
}

}  // namespace cuvette::golden::testing
