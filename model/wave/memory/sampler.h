// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/memory/image_resource.h"

// The sampler descriptor S# (MI100 ISA 9.4.3), coordinates and level of detail. The manual names
// the fields but not their codes; docs/reference/memory_semantics.md lists the codes taken.
namespace cuvette::wave::memory {

enum class Clamp : uint8_t {
  Wrap,
  Mirror,
  LastTexel,
  MirrorOnceLastTexel,
  HalfBorder,
  MirrorOnceHalfBorder,
  Border,
  MirrorOnceBorder,
};

/// Fields of a sampler descriptor. Codes count from 0 in the order given.
struct Sampler {
  Clamp clamp[3] = {};
  uint8_t compare = 0;      ///< never, <, =, <=, >, !=, >=, always
  uint8_t reduce = 0;       ///< blend, minimum, maximum
  uint8_t aniso_ratio = 0;  ///< log2
  bool unnormalized = false;
  bool truncates = false;  ///< TRUNC_COORD: positions are cut off, otherwise rounded
  int32_t min_lod = 0, max_lod = 0, lod_bias = 0;  ///< eight fraction bits
  uint8_t mag_filter = 0, min_filter = 0;          ///< point, bilinear, and both anisotropic
  uint8_t z_filter = 0, mip_filter = 0;            ///< none, point, linear
  uint8_t border_type = 0;                         ///< 0, opaque 0, 1, from a table
};
/// The descriptor in the four SGPRs from `code` on; SGPR 0 on when they are out of range.
Sampler read_sampler(const WaveState& wave, unsigned code);
/// Reason why images are not sampled with it; empty when they are.
const char* sampler_reason(const Sampler& sampler);

/// Texels of one axis: at most two, weights of eight fraction bits; index -1 is the border.
struct AxisTaps {
  int32_t index[2] = {};
  uint32_t weight[2] = {256, 0};
};
/// A position along one axis `size` texels long.
struct AxisPosition {
  double texels = 0;    ///< becomes fixed point with eight fraction bits
  uint32_t size = 1;    ///< of the axis
  int32_t offset = 0;   ///< added to the texel index
  bool linear = false;  ///< two texels, otherwise the one that the position is in
};
/// Texels that a position takes, with their weights.
AxisTaps axis_taps(AxisPosition position, Clamp clamp, bool truncates);
/// Texel `index` by clamp mode; -1: border.
int32_t clamp_index(int64_t index, uint32_t size, Clamp clamp);

/// log2(sqrt(square)) with eight fraction bits, rounded down; far below 0 for 0.
int32_t level_of_detail(double square);
/// A float as fixed point with eight fraction bits, to nearest, saturated to 16 integer bits.
int32_t to_fixed8(uint32_t f32);

}  // namespace cuvette::wave::memory
