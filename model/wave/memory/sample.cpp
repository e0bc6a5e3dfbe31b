// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "fp/convert.h"
#include "wave/memory/sampler.h"
#include "wave/memory/sampling.h"
#include "wave/memory/texel.h"

// IMAGE_SAMPLE*, IMAGE_GATHER4*, IMAGE_GET_LOD: which texels, with which weights (MI100 ISA 9.4;
// Vega ISA 12.14).
namespace cuvette::wave::memory {
namespace {

/// Variant that the suffixes of a mnemonic name (MI100 ISA table 44).
struct Variant {
  bool sample = false, gather = false, gather_row = false, get_lod = false;
  bool compare = false, derivative = false, coarse = false, lod = false, zero = false;
  bool bias = false, clamp = false, offset = false;
};

Variant variant_of(std::string_view name) {
  Variant v;
  constexpr std::string_view kSample = "image_sample", kGather = "image_gather4";
  if (name == "image_get_lod") {
    v.get_lod = true;
    return v;
  }
  if (name.starts_with(kSample)) {
    v.sample = true;
    name.remove_prefix(kSample.size());
  } else if (name.starts_with(kGather)) {
    v.gather = true;
    name.remove_prefix(kGather.size());
    if (name.starts_with('h')) {
      v.gather_row = true;
      name.remove_prefix(1);
    }
  } else {
    return v;
  }
  while (!name.empty()) {
    name.remove_prefix(1);  // the underscore
    const std::string_view part = name.substr(0, name.find('_'));
    name.remove_prefix(part.size());
    v.compare |= part == "c";
    v.derivative |= part == "d" || part == "cd";
    v.coarse |= part == "cd";
    v.lod |= part == "l";
    v.zero |= part == "lz";
    v.bias |= part == "b";
    v.clamp |= part == "cl";
    v.offset |= part == "o";
    if (part == "pck") return {};
  }
  return v;
}

double to_double(uint32_t f32) {
  return std::bit_cast<float>(f32);
}

/// One sampling instruction under way.
class Sample {
 public:
  Sample(const WaveState& wave, const isa::Instruction& i, const ImageResource& image, MemoryOp& op)
      : variant_(variant_of(i.row->mnemonic)),
        image_(image),
        sampler_(read_sampler(wave, find_source(i, isa::Role::Ssamp)->index)),
        address_(wave, i),
        op_(op),
        unnormalized_(i.mem.unorm || sampler_.unnormalized),
        has_layer_(i.mem.da && image.dimensions() < 3),
        coordinates_(image.dimensions() + (has_layer_ ? 1 : 0)) {
    const unsigned derivatives = image.is_cube() ? 2 : image.dimensions();
    // {offset} {bias} {z-compare} {derivative} {body} (MI100 ISA 9.4.1). With A16 the bias and
    // each direction of the derivatives begin a register of their own.
    per_direction_ = address_.a16() ? (derivatives + 1) / 2 : derivatives;
    unsigned next = variant_.offset ? 1 : 0;
    bias_ = next;
    next += variant_.bias ? 1 : 0;
    reference_ = next;
    next += variant_.compare ? 1 : 0;
    slopes_ = next;
    body_ = next + (variant_.derivative ? 2 * per_direction_ : 0);
  }

  const char* reason() const { return sampler_reason(sampler_); }

  void get_lod() {
    const TexelConversion t = op_.texel;
    op_.moved = op_.exec;
    op_.texel = {};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (!base::bit(op_.moved, lane)) continue;
      const int32_t raw = raw_lod(lane);
      const double lods[2] = {clamped(raw, lane) / 256.0, raw / 256.0};
      for (unsigned c = 0, n = 0; c < 4; ++c) {
        if ((t.mask >> c & 1) == 0) continue;
        op_.data[n++][lane] = c < 2 ? std::bit_cast<uint32_t>(static_cast<float>(lods[c])) : 0;
      }
    }
    op_.exec = 0;
  }

  void plan() {
    auto s = std::make_shared<Sampling>();
    plan_ = s.get();
    s->format = op_.texel;
    s->bytes = op_.bytes = texel_layout(image_.data_format)->bytes;
    s->compare = variant_.compare ? static_cast<int8_t>(sampler_.compare) : int8_t{-1};
    s->reduce =
        variant_.gather ? Sampling::Reduce::Gather : static_cast<Sampling::Reduce>(sampler_.reduce);
    set_border();
    if (variant_.gather) {
      s->gather_component = static_cast<uint8_t>(std::countr_zero(op_.texel.mask));
      op_.texel.mask = 0xf;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (!base::bit(op_.exec, lane)) continue;
      if (variant_.compare) s->reference[lane] = reference(lane);
      plan_lane(lane);
    }
    op_.sampling = std::move(s);
  }

 private:
  /// Component of the body as F32 bits.
  uint32_t body(unsigned lane, unsigned c) const {
    return as_f32(address_.component(lane, body_, c));
  }
  uint32_t as_f32(uint32_t bits) const {
    if (!address_.a16()) return bits;
    fp::Env env;
    return fp::convert<fp::F32, fp::F16>(static_cast<uint16_t>(bits), env);
  }

  /// Depth formats hold [0, 1]; so does the reference then.
  uint32_t reference(unsigned lane) const {
    const uint32_t bits = address_.dword(lane, reference_);
    if (image_.number_format != kUnorm) return bits;
    const double value = to_double(bits);
    return value > 1 ? 0x3f800000u : value > 0 ? bits : 0;
  }

  void set_border() {
    const uint32_t one = texel_one(image_.number_format);
    const uint32_t opaque = sampler_.border_type == 0 ? 0 : one;
    const uint32_t color = sampler_.border_type == 2 ? one : 0;
    const uint32_t rgba[4] = {color, color, color, opaque};
    // xyzw, xwyz, wqyx, wxyz, zyxw, yxwz: the q of the manual is taken as z.
    static constexpr uint8_t kOrder[8][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0},
                                             {3, 0, 1, 2}, {2, 1, 0, 3}, {1, 0, 3, 2},
                                             {0, 1, 2, 3}, {0, 1, 2, 3}};
    for (unsigned c = 0; c < 4; ++c) plan_->border[c] = rgba[kOrder[image_.border_swizzle][c]];
  }

  LevelSize view_size() const { return image_.size(image_.base_level); }

  /// A step of the coordinates in texels of the view's first level, squared.
  double squared(const double step[3]) const {
    const LevelSize size = view_size();
    const uint32_t scale[3] = {size.width, size.height, size.depth};
    double sum = 0;
    for (unsigned axis = 0; axis < axes(); ++axis) {
      const double texels = unnormalized_ ? step[axis] : step[axis] * scale[axis];
      sum += texels * texels;
    }
    return sum;
  }
  unsigned axes() const { return image_.is_cube() ? 2 : image_.dimensions(); }

  double footprint(unsigned lane) const {
    double h[3] = {}, v[3] = {};
    const unsigned quad = lane & ~3u;
    for (unsigned axis = 0; axis < axes(); ++axis) {
      if (variant_.derivative) {
        const unsigned from = variant_.coarse ? quad : lane;
        h[axis] = to_double(as_f32(address_.component(from, slopes_, axis)));
        v[axis] = to_double(as_f32(address_.component(from, slopes_ + per_direction_, axis)));
      } else {
        // The work-items of a quad are two rows of two.
        const double origin = to_double(body(quad, axis));
        h[axis] = to_double(body(quad + 1, axis)) - origin;
        v[axis] = to_double(body(quad + 2, axis)) - origin;
      }
    }
    return std::max(squared(h), squared(v));
  }

  int32_t raw_lod(unsigned lane) const {
    if (variant_.zero || (unnormalized_ && !variant_.lod)) return 0;
    if (variant_.lod) return to_fixed8(body(lane, coordinates_));
    int32_t lod = level_of_detail(footprint(lane)) + sampler_.lod_bias;
    if (variant_.bias) lod += to_fixed8(as_f32(address_.dword(lane, bias_) & bias_mask()));
    return lod;
  }
  uint32_t bias_mask() const { return address_.a16() ? 0xffffu : ~0u; }

  int32_t clamped(int32_t lod, unsigned lane) const {
    if (variant_.zero) return 0;
    if (variant_.clamp) lod = std::min(lod, to_fixed8(body(lane, coordinates_)));
    lod = std::max({lod, sampler_.min_lod, static_cast<int32_t>(image_.min_lod)});
    return std::min(lod, sampler_.max_lod);
  }

  void plan_lane(unsigned lane) {
    const int32_t lod = clamped(raw_lod(lane), lane);
    const bool integer = !gives_float(image_.number_format);
    const unsigned filter = lod <= 0 ? sampler_.mag_filter : sampler_.min_filter;
    const bool linear = variant_.gather || ((filter & 1) != 0 && !integer);
    const auto last =
        static_cast<int32_t>(image_.last_level - std::min(image_.base_level, image_.last_level));
    const int32_t positive = std::max(lod, 0);
    const auto level = [&](int32_t l) {
      return image_.base_level + static_cast<uint32_t>(std::clamp(l, 0, last));
    };
    if (sampler_.mip_filter == 2 && !variant_.gather && !integer) {
      const auto fraction = static_cast<uint32_t>(positive & 255);
      plan_level(lane, level(positive >> 8), linear, 256 - fraction);
      if (fraction != 0) plan_level(lane, level((positive >> 8) + 1), linear, fraction);
    } else {
      plan_level(lane, sampler_.mip_filter == 0 ? level(0) : level((positive + 128) >> 8), linear,
                 256);
    }
  }

  AxisTaps axis(unsigned lane, unsigned n, uint32_t size, bool linear) const {
    double u = to_double(body(lane, n));
    Clamp clamp = sampler_.clamp[n];
    if (image_.is_cube()) {
      // Face coordinates run from 1 to 2; faces are not filtered across their edges.
      u -= 1.0;
      clamp = Clamp::LastTexel;
    }
    int32_t offset = 0;
    if (variant_.offset) {
      const uint32_t packed = address_.dword(lane, 0) >> 8 * n & 0x3f;
      offset = static_cast<int32_t>(base::sign_extend(packed, 6));
    }
    return axis_taps({unnormalized_ ? u : u * size, size, offset, linear}, clamp,
                     sampler_.truncates);
  }

  /// Layer of the resource, of arrays and cubes: to nearest even, clamped (HSAIL PRM 7.1.6 has the
  /// same rule).
  uint32_t layer(unsigned lane) const {
    uint32_t index = 0;
    const bool cube = image_.is_cube();
    if (has_layer_ || cube) {
      fp::Env env;
      index = static_cast<uint32_t>(fp::to_int<fp::F32>(body(lane, cube ? 2 : coordinates_ - 1), 16,
                                                        false, fp::Round::NearestEven, env, true));
    }
    if (cube) index = index / 8 * 6 + std::min(index % 8, 5u);
    return image_.first_layer + std::min(index, image_.layers() - 1);
  }

  void plan_level(unsigned lane, uint32_t level, bool linear, uint32_t weight) {
    const LevelSize size = image_.size(level);
    const bool flat_z = !image_.is_3d();
    if (variant_.gather_row) return plan_row(lane, level, size);
    const AxisTaps x = axis(lane, 0, size.width, linear);
    AxisTaps y, z;
    if (axes() > 1) y = axis(lane, 1, size.height, linear);
    const bool linear_z = sampler_.z_filter == 0 ? linear : sampler_.z_filter == 2;
    if (!flat_z) z = axis(lane, 2, size.depth, linear_z && gives_float(image_.number_format));
    if (variant_.gather) {
      // Counter-clockwise from the lower left texel.
      static constexpr uint8_t kCorner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
      for (const auto& corner : kCorner) {
        add_tap(lane, level, x.index[corner[0]], y.index[corner[1]], z.index[0], 1);
      }
      return;
    }
    for (unsigned k = 0; k < 8; ++k) {
      const unsigned i = k & 1, j = k >> 1 & 1, l = k >> 2;
      const uint64_t product = uint64_t{x.weight[i]} * y.weight[j] * z.weight[l] * weight;
      if (product != 0) add_tap(lane, level, x.index[i], y.index[j], z.index[l], product);
    }
  }

  /// GATHER4H: four texels of one row, from the left one of the bilinear footprint on.
  void plan_row(unsigned lane, uint32_t level, const LevelSize& size) {
    const AxisTaps y = axis(lane, 1, size.height, false);
    for (int k = 0; k < 4; ++k) {
      double u = to_double(body(lane, 0));
      if (!unnormalized_) u *= size.width;
      const AxisTaps x = axis_taps({u, size.width, k, true}, sampler_.clamp[0], sampler_.truncates);
      add_tap(lane, level, x.index[0], y.index[0], 0, 1);
    }
  }

  void add_tap(unsigned lane, uint32_t level, int32_t x, int32_t y, int32_t z, uint64_t weight) {
    Sampling::Tap tap;
    tap.weight = weight;
    if (x >= 0 && y >= 0 && z >= 0) {
      tap.fetch = static_cast<uint32_t>(plan_->fetches.size());
      const uint32_t slice = image_.is_3d()        ? static_cast<uint32_t>(z)
                             : image_.is_layered() ? layer(lane)
                                                   : 0;
      Sampling::Fetch fetch;
      fetch.lane = static_cast<uint8_t>(lane);
      fetch.address = image_.texel_address(level, static_cast<uint32_t>(x),
                                           static_cast<uint32_t>(y), slice, plan_->bytes);
      plan_->fetches.push_back(fetch);
    }
    plan_->taps[lane].push_back(tap);
  }

  Variant variant_;
  const ImageResource& image_;
  Sampler sampler_;
  ImageAddress address_;
  MemoryOp& op_;
  bool unnormalized_, has_layer_;
  unsigned coordinates_;
  unsigned per_direction_ = 0, bias_ = 0, reference_ = 0, slopes_ = 0, body_ = 0;
  Sampling* plan_ = nullptr;
};

}  // namespace

bool is_sampled(Id id) {
  static const std::vector<bool> table = [] {
    std::vector<bool> t(isa::kSemantics, false);
    for (const isa::Row& row : isa::rows()) {
      if (row.format != isa::Format::Mimg) continue;
      const Variant v = variant_of(row.mnemonic);
      t[static_cast<unsigned>(row.semantic)] = v.sample || v.gather || v.get_lod;
    }
    return t;
  }();
  return table[static_cast<unsigned>(id)];
}

void make_sampled_op(const WaveState& wave, const isa::Instruction& i, const ImageResource& image,
                     MemoryOp& op) {
  const Variant variant = variant_of(i.row->mnemonic);
  unsigned dwords = variant.gather ? (op.texel.d16 ? 2 : 4) : texel_dwords(op.texel);
  if (op.status_dword) ++dwords;
  op.dst_dwords = static_cast<uint8_t>(dwords);
  if (op.exec == 0 || *op.refusal != '\0') return;
  if (!variant.get_lod) {
    const char* reason = texel_reason(image.data_format, image.number_format, false);
    if (*reason != '\0') return refuse(op, reason);
  }
  Sample sample(wave, i, image, op);
  if (*sample.reason() != '\0') return refuse(op, sample.reason());
  if (variant.get_lod) {
    sample.get_lod();
  } else {
    sample.plan();
  }
}

}  // namespace cuvette::wave::memory
