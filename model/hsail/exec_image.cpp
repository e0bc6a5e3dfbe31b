// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "fp/convert.h"
#include "hsa/image.h"
#include "hsail/exec.h"
#include "hsail/texel.h"

// Images and samplers (HSAIL PRM chapter 7). Handles are addresses of objects (hsa/image.h).
namespace cuvette::hsail {

namespace {

constexpr const char* kBadImage = "the value is no image handle";
constexpr const char* kBadSampler = "the value is no sampler handle";

/// Handles are mostly the same in all lanes: an object is read when the handle changes.
template <class Object, class Description, std::optional<Description> (*Read)(const Object&)>
class Objects {
 public:
  Objects(ExecContext& c, const char* bad) : c_(c), bad_(bad) {}
  /// nullptr after stopping the dispatch.
  const Description* at(unsigned lane, uint64_t handle) {
    if (known_ && handle_ == handle) return &description_;
    Object object{};
    if (c_.port->read(handle, object.data(), sizeof object)) {
      if (const auto found = Read(object)) {
        known_ = true;
        handle_ = handle;
        description_ = *found;
        return &description_;
      }
    }
    c_.fail(lane, bad_);
    return nullptr;
  }

 private:
  ExecContext& c_;
  const char* bad_;
  bool known_ = false;
  uint64_t handle_ = 0;
  Description description_;
};
using Images = Objects<hsa::ImageObject, hsa::Image, hsa::read_image>;
using Samplers = Objects<hsa::SamplerObject, hsa::Sampler, hsa::read_sampler>;

/// Interpretation of the coordinates of one instruction (7.1.6).
struct Modes {
  bool normalized = false;
  bool linear = false;
  SamplerAddressing addressing = SamplerAddressing::kUndefined;
};

/// A place along one dimension.
struct Index {
  enum class Kind : uint8_t { kInside, kBorder, kUndefined };
  Kind kind = Kind::kInside;
  uint32_t at = 0;
};

/// 7.1.6.1. An f64 holds u32, s32 and f32 exactly, and their products with a size nearly so.
double coordinate(Type type, uint64_t raw) {
  fp::Env env;
  if (type == Type::kU32) return static_cast<double>(static_cast<uint32_t>(raw));
  if (type == Type::kS32) return static_cast<double>(static_cast<int32_t>(raw));
  return std::bit_cast<double>(fp::convert<fp::F64, fp::F32>(static_cast<uint32_t>(raw), env));
}

Index inside(double at) {
  return {Index::Kind::kInside, static_cast<uint32_t>(at)};
}

/// 7.1.6.2, of a dimension that is no array index.
Index address(double coord, uint32_t size, const Modes& modes) {
  if (!std::isfinite(coord)) return {Index::Kind::kUndefined, 0};
  const double top = static_cast<double>(size) - 1;
  const double whole = std::floor(coord);
  if (!modes.normalized && modes.addressing >= SamplerAddressing::kRepeat) {
    return {Index::Kind::kUndefined, 0};
  }
  if (whole >= 0 && whole <= top) return inside(whole);
  switch (modes.addressing) {
    case SamplerAddressing::kClampToEdge:
      return inside(std::floor(std::clamp(coord, 0.0, top)));
    case SamplerAddressing::kClampToBorder:
      return {Index::Kind::kBorder, 0};
    case SamplerAddressing::kRepeat:
      return inside(std::clamp(whole - std::floor(coord / size) * size, 0.0, top));
    case SamplerAddressing::kMirroredRepeat: {
      const double mirrored = coord < 0 ? -coord - 1 : coord;
      const double tile = std::floor(mirrored / size);
      const double at = std::clamp(std::floor(mirrored - tile * size), 0.0, top);
      return inside(std::fmod(tile, 2) == 0 ? at : top - at);
    }
    default:
      return {Index::Kind::kUndefined, 0};
  }
}

/// The layer that an array index selects: to the nearest, ties to even, and clamped. Loads and
/// stores have to be in range.
Index layer(double coord, uint32_t size, bool clamps) {
  const double top = static_cast<double>(size) - 1;
  if (!std::isfinite(coord) || (!clamps && (coord < 0 || coord > top))) {
    return {Index::Kind::kUndefined, 0};
  }
  const double below = std::floor(coord);
  const double rest = coord - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
  return inside(std::clamp(up ? below + 1 : below, 0.0, top));
}

/// The image of one lane, and where in it.
class Access {
 public:
  Access(ExecContext& c, const hsa::Image& image, unsigned lane, uint32_t level)
      : c_(c),
        image_(image),
        lane_(lane),
        first_(image.data + hsa::rows_before(image, level) * image.row_pitch),
        order_(static_cast<ChannelOrder>(image.order)),
        channel_(static_cast<ChannelType>(image.channel)),
        bytes_(hsa::element_bytes(image.order, image.channel)) {}

  ChannelType channel() const { return channel_; }

  /// x, y or z per dimension and a layer. Nothing when the place is undefined.
  std::optional<Texel> load(const std::array<Index, 3>& at, uint32_t slice, unsigned dimensions) {
    for (unsigned i = 0; i < dimensions; ++i) {
      if (at[i].kind == Index::Kind::kUndefined) return std::nullopt;
    }
    for (unsigned i = 0; i < dimensions; ++i) {
      if (at[i].kind == Index::Kind::kBorder) return border_color(order_);
    }
    uint8_t element[kLargestElement] = {};
    const uint64_t address = place(at, slice, dimensions);
    if (!c_.port->read(address, element, bytes_)) {
      c_.fail(lane_, "the data of the image is not mapped");
      return std::nullopt;
    }
    return load_texel(order_, channel_, element);
  }

  void store(const std::array<Index, 3>& at, uint32_t slice, unsigned dimensions,
             const Texel& texel) {
    uint8_t element[kLargestElement] = {};
    store_texel(order_, channel_, texel, element);
    const uint64_t address = place(at, slice, dimensions);
    if (!c_.port->write(address, element, stored_bytes(order_, channel_))) {
      c_.fail(lane_, "the data of the image is not mapped");
    }
  }

 private:
  uint64_t place(const std::array<Index, 3>& at, uint32_t slice, unsigned dimensions) const {
    uint64_t address = first_ + uint64_t{at[0].at} * bytes_ + slice * image_.slice_pitch;
    if (dimensions > 1) address += at[1].at * image_.row_pitch;
    if (dimensions > 2) address += at[2].at * image_.slice_pitch;
    return address;
  }

  ExecContext& c_;
  const hsa::Image& image_;
  unsigned lane_;
  uint64_t first_;  ///< address of the level
  ChannelOrder order_;
  ChannelType channel_;
  unsigned bytes_;
};

/// 7.1.6.3: the weighted average of two elements along every dimension.
std::optional<Texel> filter(Access& access, const std::array<double, 3>& coords,
                            const std::array<uint32_t, 3>& sizes, unsigned dimensions,
                            uint32_t slice, const Modes& modes) {
  Texel sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    double weight = 1;
    std::array<Index, 3> at{};
    for (unsigned i = 0; i < dimensions; ++i) {
      const double part = coords[i] - std::floor(coords[i]);
      const bool upper = (corner >> i & 1) != 0;
      weight *= upper ? part : 1 - part;
      at[i] = address(coords[i] + (upper ? 1 : 0), sizes[i], modes);
    }
    const auto texel = access.load(at, slice, dimensions);
    if (!texel) return std::nullopt;
    for (unsigned n = 0; n < 4; ++n) sum[n] += weight * (*texel)[n];
  }
  return sum;
}

uint64_t access_bits(Type type, double value) {
  fp::Env env;
  switch (type) {
    case Type::kU32:
      return static_cast<uint32_t>(value);
    case Type::kS32:
      return static_cast<uint32_t>(static_cast<int32_t>(value));
    case Type::kF16:  // of the f32 value
      return fp::convert<fp::F16, fp::F32>(
          fp::convert<fp::F32, fp::F64>(std::bit_cast<uint64_t>(value), env), env);
    default:
      return fp::convert<fp::F32, fp::F64>(std::bit_cast<uint64_t>(value), env);
  }
}

double access_value(Type type, uint64_t raw) {
  fp::Env env;
  if (type == Type::kF16) {
    return std::bit_cast<double>(fp::convert<fp::F64, fp::F16>(static_cast<uint16_t>(raw), env));
  }
  return coordinate(type, raw);
}

bool same_access(Type type, ChannelType channel) {
  return access_type(channel) == (type == Type::kF16 ? Type::kF32 : type);
}

uint32_t at_level(uint32_t size, uint32_t level) {
  return level < 32 ? std::max(1u, size >> level) : 1;
}

/// The nearest level to one of detail: 0.5 counts upwards, a NaN as 0.
uint32_t nearest_level(double detail, uint32_t levels) {
  const double nearest = std::floor(detail + 0.5);
  return nearest > 0 ? static_cast<uint32_t>(std::min(nearest, levels - 1.0)) : 0;
}

/// The level of two steps of the coordinates: log2 of the longer one's length in elements, that is
/// half of the logarithm of its square, to the nearest. A step with a NaN counts as 0.
uint32_t level_of_steps(ExecContext& c, const ImagePlan& plan, unsigned lane,
                        const hsa::Image& image, const Modes& modes) {
  const uint32_t sizes[] = {image.width, image.height, image.depth};
  double longest = 0;
  for (const auto& step : plan.gradients) {
    double square = 0;
    for (unsigned i = 0; i < image_dimensions(plan.geometry); ++i) {
      double length = coordinate(Type::kF32, c.slot(step[i])[lane]);
      if (modes.normalized) length *= sizes[i];
      square += length * length;
    }
    if (square > longest) longest = square;
  }
  if (longest == 0) return 0;
  if (std::isinf(longest)) return image.levels - 1;
  // floor(log2(longest) / 2 + 1 / 2), exact.
  const int level = std::ilogb(2 * longest) >> 1;
  return static_cast<uint32_t>(std::clamp(level, 0, static_cast<int>(image.levels) - 1));
}

uint32_t level_of(ExecContext& c, const ImagePlan& plan, unsigned lane, const hsa::Image& image,
                  const Modes& modes) {
  switch (plan.level) {
    case ImageLevel::kDetail:
      return nearest_level(coordinate(Type::kF32, c.slot(plan.level_slot)[lane]), image.levels);
    case ImageLevel::kGradients:
      return level_of_steps(c, plan, lane, image, modes);
    case ImageLevel::kNumber:
      return static_cast<uint32_t>(c.slot(plan.level_slot)[lane]);
    case ImageLevel::kFirst:
      break;
  }
  return 0;
}

/// Work of one lane: `plan` names the registers.
class Lane {
 public:
  Lane(ExecContext& c, const ImagePlan& plan, const hsa::Image& image, unsigned lane,
       uint32_t level)
      : c_(c),
        plan_(plan),
        image_(image),
        lane_(lane),
        exists_(level < image.levels),
        access_(c, image, lane, exists_ ? level : 0),
        sizes_{at_level(image.width, level), at_level(image.height, level),
               at_level(image.depth, level)} {}

  bool undefined(const char* why) {
    c_.note_undefined(lane_, why);
    return false;
  }

  /// True if image, instruction and sampler go together (7.1.9).
  bool fits(const Modes& modes) {
    if (image_.geometry != static_cast<uint8_t>(plan_.geometry)) {
      return undefined("the geometry of the instruction is not that of the image");
    }
    if (!exists_) return undefined("the image has no such mip level");
    if (!same_access(plan_.type, access_.channel())) {
      return undefined("the access type of the instruction is not that of the image's channels");
    }
    if (plan_.coord_type == Type::kS32 &&
        (modes.normalized || modes.linear || modes.addressing >= SamplerAddressing::kRepeat)) {
      return undefined("the sampler does not go with integer coordinates");
    }
    if (modes.linear && access_type(access_.channel()) != Type::kF32) {
      return undefined("linear filtering of integer channels");
    }
    return true;
  }

  std::optional<Texel> read(const Modes& modes, bool samples) {
    if (!fits(modes)) return std::nullopt;
    std::array<double, 3> coords{};
    for (unsigned i = 0; i < dimensions_; ++i) {
      const double raw = coordinate(plan_.coord_type, c_.slot(plan_.coords[i])[lane_]);
      coords[i] = (modes.normalized ? raw * sizes_[i] : raw) - (modes.linear ? 0.5 : 0);
    }
    const Index slice = slice_of(samples);
    if (slice.kind == Index::Kind::kUndefined) return outside();
    if (modes.linear) {
      for (unsigned i = 0; i < dimensions_; ++i) {
        if (!std::isfinite(coords[i])) return outside();
      }
      const auto sum = filter(access_, coords, sizes_, dimensions_, slice.at, modes);
      return sum || !c_.failure.empty() ? sum : outside();
    }
    std::array<Index, 3> at{};
    for (unsigned i = 0; i < dimensions_; ++i) at[i] = address(coords[i], sizes_[i], modes);
    const auto texel = access_.load(at, slice.at, dimensions_);
    return texel || !c_.failure.empty() ? texel : outside();
  }

  void write(const Texel& texel) {
    if (!fits({})) return;
    std::array<Index, 3> at{};
    const Index slice = slice_of(false);
    bool good = slice.kind == Index::Kind::kInside;
    for (unsigned i = 0; i < dimensions_; ++i) {
      at[i] = address(coordinate(plan_.coord_type, c_.slot(plan_.coords[i])[lane_]), sizes_[i], {});
      good = good && at[i].kind == Index::Kind::kInside;
    }
    if (good) {
      access_.store(at, slice.at, dimensions_, texel);
    } else {
      outside();
    }
  }

 private:
  std::optional<Texel> outside() {
    undefined("image coordinate out of range");
    return std::nullopt;
  }
  Index slice_of(bool samples) const {
    if (!is_image_array(plan_.geometry)) return {};
    return layer(coordinate(plan_.coord_type, c_.slot(plan_.coords[dimensions_])[lane_]),
                 image_.array, samples);
  }

  ExecContext& c_;
  const ImagePlan& plan_;
  const hsa::Image& image_;
  unsigned lane_;
  bool exists_;  ///< the level
  Access access_;
  unsigned dimensions_ = image_dimensions(plan_.geometry);
  std::array<uint32_t, 3> sizes_;
};

void deliver(ExecContext& c, const ImagePlan& plan, unsigned lane,
             const std::optional<Texel>& texel) {
  for (unsigned n = 0; n < plan.components; ++n) {
    c.slot(plan.data[n])[lane] = texel ? access_bits(plan.type, (*texel)[n]) : 0;
  }
}

void read_image(ExecContext& c, const Op& op) {
  const ImagePlan& plan = c.program->images[op.plan];
  Images images(c, kBadImage);
  Samplers samplers(c, kBadSampler);
  c.each_lane([&](unsigned l) {
    if (!c.failure.empty()) return;
    const hsa::Image* image = images.at(l, c.slot(plan.image)[l]);
    Modes modes;
    if (plan.samples) {
      const hsa::Sampler* s = samplers.at(l, c.slot(plan.sampler)[l]);
      if (s == nullptr) return;
      modes.normalized = s->coord != 0;
      modes.linear = s->filter != 0;
      modes.addressing = static_cast<SamplerAddressing>(s->addressing);
    }
    if (image == nullptr) return;
    const uint32_t level = level_of(c, plan, l, *image, modes);
    deliver(c, plan, l, Lane(c, plan, *image, l, level).read(modes, plan.samples));
  });
}

void write_image(ExecContext& c, const Op& op) {
  const ImagePlan& plan = c.program->images[op.plan];
  Images images(c, kBadImage);
  c.each_lane([&](unsigned l) {
    if (!c.failure.empty()) return;
    const hsa::Image* image = images.at(l, c.slot(plan.image)[l]);
    if (image == nullptr) return;
    Texel texel{};
    for (unsigned n = 0; n < plan.components; ++n) {
      texel[n] = access_value(plan.type, c.slot(plan.data[n])[l]);
    }
    Lane(c, plan, *image, l, level_of(c, plan, l, *image, {})).write(texel);
  });
}

void query_image(ExecContext& c, const Op& op) {
  const Inst& inst = c.program->module->code[op.ref].as<Inst>();
  Images images(c, kBadImage);
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([&](unsigned l) {
    const hsa::Image* image = images.at(l, c.slot(op.src[0])[l]);
    if (image == nullptr) return;
    if (image->geometry != static_cast<uint8_t>(inst.geometry)) {
      c.note_undefined(l, "the geometry of the instruction is not that of the image");
    }
    const uint32_t values[] = {image->width, image->height,  image->depth, image->array,
                               image->order, image->channel, image->levels};
    d[l] = values[static_cast<size_t>(inst.image_query)];
  });
}

void query_sampler(ExecContext& c, const Op& op) {
  const Inst& inst = c.program->module->code[op.ref].as<Inst>();
  Samplers samplers(c, kBadSampler);
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([&](unsigned l) {
    const hsa::Sampler* s = samplers.at(l, c.slot(op.src[0])[l]);
    if (s == nullptr) return;
    const uint8_t values[] = {s->addressing, s->coord, s->filter};
    d[l] = values[static_cast<size_t>(inst.sampler_query)];
  });
}

/// Work-items see each other's writes at once here.
void image_fence(ExecContext&, const Op&) {}

}  // namespace

Handler image_handler(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kRdImage:
    case Opcode::kLdImage:
    case Opcode::kMipmapRdImageLod:
    case Opcode::kMipmapRdImageGrad:
    case Opcode::kMipmapLdImageMip:
      return read_image;
    case Opcode::kStImage:
    case Opcode::kMipmapStImageMip:
      return write_image;
    case Opcode::kImageFence:
      return image_fence;
    case Opcode::kQueryImage:
    case Opcode::kMipmapQueryImage:
      return query_image;
    case Opcode::kQuerySampler:
      return query_sampler;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
