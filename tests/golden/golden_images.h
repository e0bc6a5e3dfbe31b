// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "golden_rows.h"

// Image descriptors for tests, field by field from MI100 ISA tables 45 and 46. T# in s24..s31, S#
// in s40..s43, address from v2 on, data from v20 on.
namespace cuvette::golden::testing {

struct Image {
  uint64_t base = 0;
  unsigned data_format = 4, number_format = 7;  // 32 float
  unsigned width = 8, height = 8, depth = 1, pitch = 16;
  unsigned select[4] = {4, 5, 6, 7};
  unsigned base_level = 0, last_level = 0, max_mip = 0, type = 9, swizzle_mode = 0;
  unsigned border_swizzle = 0, first_layer = 0, min_lod = 0;
};

inline void bind(Bench& m, const Image& i) {
  uint32_t w[8] = {};
  w[0] = static_cast<uint32_t>(i.base >> 8);
  w[1] = static_cast<uint32_t>(i.base >> 40) | i.min_lod << 8 | i.data_format << 20 |
         i.number_format << 26;
  w[2] = (i.width - 1) | (i.height - 1) << 14;
  w[3] = i.select[0] | i.select[1] << 3 | i.select[2] << 6 | i.select[3] << 9 | i.base_level << 12 |
         i.last_level << 16 | i.swizzle_mode << 20 | i.type << 28;
  w[4] = (i.depth - 1) | (i.pitch - 1) << 13 | i.border_swizzle << 29;
  w[5] = i.first_layer | i.max_mip << 28;
  for (unsigned n = 0; n < 8; ++n) m.wave.sgpr(24 + n) = w[n];
}

struct SamplerFields {
  unsigned clamp[3] = {2, 2, 2};
  unsigned compare = 1, filter_mode = 0, aniso = 0;
  bool unnormalized = false, truncates = false;
  unsigned min_lod = 0, max_lod = 15 << 8;
  int lod_bias = 0;
  unsigned mag = 0, min = 0, z = 0, mip = 1, border = 0;
};

inline void bind(Bench& m, const SamplerFields& s) {
  m.wave.sgpr(40) = s.clamp[0] | s.clamp[1] << 3 | s.clamp[2] << 6 | s.aniso << 9 |
                    s.compare << 12 | uint32_t{s.unnormalized} << 15 | uint32_t{s.truncates} << 27 |
                    s.filter_mode << 29;
  m.wave.sgpr(41) = s.min_lod | s.max_lod << 12;
  m.wave.sgpr(42) = (static_cast<uint32_t>(s.lod_bias) & 0x3fff) | s.mag << 20 | s.min << 22 |
                    s.z << 24 | s.mip << 26;
  m.wave.sgpr(43) = s.border << 30;
}

inline Build image(const std::string& mnemonic, unsigned dmask = 1) {
  Build b(mnemonic);
  for (unsigned n = 0; n < 4; ++n) {
    if (b.i.row->src[n].role == Role::Vdata) b.src(n, vgpr(20));
    if (b.i.row->src[n].role == Role::Addr) b.src(n, vgpr(2));
    if (b.i.row->src[n].role == Role::Srsrc) b.src(n, sgpr(24));
    if (b.i.row->src[n].role == Role::Ssamp) b.src(n, sgpr(40));
  }
  if (b.i.row->dst[0].role == Role::Vdata) b.dst(vgpr(20));
  b.i.mem.dmask = static_cast<uint8_t>(dmask);
  b.i.mem.unorm = b.i.row->src[3].role != Role::Ssamp && b.i.row->src[2].role != Role::Ssamp;
  return b;
}

}  // namespace cuvette::golden::testing
