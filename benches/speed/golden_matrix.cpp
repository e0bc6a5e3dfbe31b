// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "speed/golden_rows.h"
#include "speed/wave_loop.h"

namespace cuvette::bench {
namespace {

using isa::Target;

struct Shape {
  Target target;
  const char* mnemonic;
};
/// A shape of each format and rule.
constexpr Shape kShapes[] = {
    {Target::Gfx908, "v_mfma_f32_32x32x2f32"},     {Target::Gfx908, "v_mfma_f32_4x4x1f32"},
    {Target::Gfx908, "v_mfma_f32_32x32x8f16"},     {Target::Gfx908, "v_mfma_f32_32x32x4bf16"},
    {Target::Gfx908, "v_mfma_i32_32x32x8i8"},      {Target::Gfx90a, "v_mfma_f64_16x16x4f64"},
    {Target::Gfx90a, "v_mfma_f32_32x32x8f16"},     {Target::Gfx90a, "v_mfma_f32_32x32x4bf16"},
    {Target::Gfx90a, "v_mfma_f32_32x32x8bf16_1k"}, {Target::Gfx942, "v_mfma_f32_32x32x8_f16"},
    {Target::Gfx942, "v_mfma_f32_16x16x16_f16"},   {Target::Gfx942, "v_mfma_f32_32x32x8_bf16"},
    {Target::Gfx942, "v_mfma_f32_32x32x4_xf32"},   {Target::Gfx942, "v_mfma_f32_32x32x16_fp8_fp8"},
    {Target::Gfx942, "v_mfma_i32_32x32x16_i8"},    {Target::Gfx942, "v_smfmac_f32_32x32x16_f16"}};

/// A word of numbers near one, of any sign, of the format of A: 0.5 to 1, F64 from words 2n and
/// 2n + 1.
uint32_t near_one(isa::Type type, uint32_t random, bool high_word) {
  switch (type) {
    case isa::Type::F16:
      return (random & 0x83ff83ff) | 0x38003800;
    case isa::Type::Bf16:
      return (random & 0x807f807f) | 0x3f003f00;
    case isa::Type::Fp8:
      return (random & 0x87878787) | 0x38383838;
    case isa::Type::Bf8:
      return (random & 0x83838383) | 0x3c3c3c3c;
    case isa::Type::I8:
      return random;
    case isa::Type::F64:
      return high_word ? (random & 0x800fffff) | 0x3fe00000 : random;
    default:
      return (random & 0x807fffff) | 0x3f000000;
  }
}

}  // namespace

base::Result<BenchResult> golden_matrix() {
  constexpr unsigned kAccumulators = 4, kIndices = 60;
  BenchResult result;
  for (const Shape& shape : kShapes) {
    const isa::Row* const row = row_of(shape.mnemonic, shape.target);
    if (row == nullptr) return base::Error(fmt::format("no row {}", shape.mnemonic));
    const bool sparse = row->has(isa::kSparse);
    std::vector<Line> body;
    for (unsigned n = 0; n < kAccumulators; ++n) {
      const Register d = acc(32 * n);
      body.push_back({shape.mnemonic, {d, v(4 * n), v(4 * n + 16), sparse ? v(kIndices) : d}});
    }
    auto loop = WaveLoop::make(body, shape.target);
    if (!loop) return loop.error();
    uint32_t x = 0x12345;
    for (unsigned r = 0; r < kIndices + 1; ++r) {
      for (uint32_t& lane : (*loop)->vgprs()[r]) {
        x = x * 1664525 + 1013904223;
        lane = near_one(row->matrix.a, x ^ x >> 16, r % 2 != 0);
      }
    }
    base::Status failed;
    const auto seconds = median_seconds({[&] {
      if (auto status = (*loop)->run(); !status.ok()) failed = status;
    }});
    if (!failed.ok()) return failed.error();
    const double each = 1e9 * seconds[0] / (double{kAccumulators} * WaveLoop::kRounds);
    const isa::MatrixShape& m = row->matrix;
    const double products = 1.0 * m.m * m.n * m.k * m.blocks;
    const std::string name = fmt::format("{} {}", isa::name_of(shape.target), shape.mnemonic);
    result.lines.push_back({name, each, "ns/instruction", 0});
    result.lines.push_back({name + ", multiply-adds", products / each, "G/s", 0});
  }
  return result;
}

}  // namespace cuvette::bench
