// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Extension amd:mipmap (hsail_mipmap.md) on the interpreter and, finalized, on golden of every
// target. A level is an image with rows of its own: what the instructions of HSAIL do with that
// one, which engines_image_test.cpp holds against image_oracle.h, is expected here.
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "engines_vendor.h"
#include "hsail/names.h"
#include "image_oracle.h"
#include "test_vectors.h"

namespace cuvette::engines {
namespace {

using finalizer_testing::kTargets;
using finalizer_testing::load;
using hsail::ImageGeometry;
using image_oracle::as_float;
using image_oracle::bits_of;
using image_oracle::Format;
using image_oracle::Kind;
using image_oracle::Registers;

constexpr const char* kNames[] = {"1d", "2d", "3d", "1da", "2da", "1db", "2ddepth", "2dadepth"};
constexpr size_t kRecordBytes = 64;  // coordinates, level, components, two steps

struct Record {
  std::array<uint32_t, 3> at{};
  uint32_t level = 0;
  Registers components{};
  std::array<uint32_t, 4> along_x{}, along_y{};
};
static_assert(sizeof(Record) == kRecordBytes);

unsigned picture_count() {
  return item_count() > 1000 ? 2 : 1;
}

std::string registers(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "$s" : ", $s") + std::to_string(first + i);
  return count == 1 ? text : "(" + text + ")";
}

/// Kernel `name`: $d1 and $d2 are the handles, the record is in $s8 to $s23, components also in $s0
/// to $s3, which are stored.
std::string kernel(const std::string& name, const std::string& type, const std::string& body) {
  return "prog kernel &" + name + "(kernarg_" + type +
         " %i, kernarg_samp %s, kernarg_u64 %in, kernarg_u64 %out)\n{\nld_kernarg_" + type +
         " $d1, [%i];\nld_kernarg_samp $d2, [%s];\nld_kernarg_u64 $d3, [%in];\n"
         "ld_kernarg_u64 $d4, [%out];\nworkitemabsid_u32 $s4, 0;\ncvt_u64_u32 $d5, $s4;\n"
         "shl_u64 $d6, $d5, 6;\nadd_u64 $d3, $d3, $d6;\nshl_u64 $d6, $d5, 4;\n"
         "add_u64 $d4, $d4, $d6;\nld_v4_global_u32 ($s8, $s9, $s10, $s11), [$d3];\n"
         "ld_v4_global_u32 ($s0, $s1, $s2, $s3), [$d3+16];\n"
         "ld_v4_global_u32 ($s16, $s17, $s18, $s19), [$d3+32];\n"
         "ld_v4_global_u32 ($s20, $s21, $s22, $s23), [$d3+48];\n" +
         body + "\nst_v4_global_u32 ($s0, $s1, $s2, $s3), [$d4];\n};\n";
}

enum class What { kLoads, kStores, kReads, kQueries };

/// The instructions of a geometry and an access type, those with levels and those of HSAIL.
struct Programs {
  std::string levels, first;
};

Programs programs(What what, ImageGeometry g, const std::string& access) {
  const bool depth = hsail::is_depth_image(g);
  const std::string geometry = kNames[static_cast<size_t>(g)];
  const std::string at = registers(8, hsail::image_coordinates(g));
  const std::string data = depth ? "$s0" : "($s0, $s1, $s2, $s3)";
  const auto name = [&](const std::string& opcode, const std::string& types) {
    return opcode + (depth ? "_" : "_v4_") + geometry + "_" + access + "_" + types + " " + data +
           ", $d1, ";
  };
  Programs p;
  p.first = "module &m:1:0:$full:$large:$default;\nextension \"IMAGE\";\n";
  p.levels = p.first + "extension \"amd:mipmap\";\n";
  if (what == What::kLoads || what == What::kStores) {
    const std::string op = what == What::kLoads ? "ld" : "st";
    p.first += kernel(op, "rwimg", name(op + "image", "rwimg_u32") + at + ";");
    p.levels +=
        kernel(op, "rwimg", name("amd_mipmap_" + op + "imagemip", "rwimg_u32") + at + ", $s11;");
  }
  if (what == What::kQueries) {
    p.levels += kernel("query", "roimg",
                       "amd_mipmap_queryimage_" + geometry + "_nummiplevels_u32_roimg $s0, $d1;");
  }
  if (what != What::kReads) return p;
  const std::string steps =
      registers(16, hsail::image_dimensions(g)) + ", " + registers(20, hsail::image_dimensions(g));
  for (const std::string coord : {"f32", "s32"}) {
    const std::string types = "roimg_" + coord;
    p.first += kernel("rd_" + coord, "roimg", name("rdimage", types) + "$d2, " + at + ";");
    p.levels += kernel("lod_" + coord, "roimg",
                       name("amd_mipmap_rdimagelod", types) + "$d2, " + at + ", $s11;") +
                kernel("grad_" + coord, "roimg",
                       name("amd_mipmap_rdimagegrad", types) + "$d2, " + at + ", " + steps + ";");
  }
  return p;
}

/// An image of several levels with random elements.
struct Picture {
  ImageGeometry geometry{};
  Format format;
  hsa::Image image;
  uint64_t offset = 0;
  Bytes data;

  uint32_t size(unsigned dimension, uint32_t level) const {
    const uint32_t first = dimension == 0   ? image.width
                           : dimension == 1 ? image.height
                                            : image.depth;
    return std::max(1u, first >> level);
  }
  /// Rows before a level: halves are rounded up.
  uint64_t rows(uint32_t level) const {
    uint64_t all = 0;
    for (uint32_t l = 0; l < level; ++l) all += (image.height + (1u << l) - 1) >> l;
    return all;
  }
  /// The image that a level is.
  hsa::Image view(uint32_t level) const {
    hsa::Image v = image;
    v.width = size(0, level);
    v.height = size(1, level);
    v.depth = size(2, level);
    v.levels = 1;
    return v;
  }
};

Picture picture(ImageGeometry g, const Format& format, bool aligned, std::mt19937& random) {
  Picture p{g, format, {}, 0, {}};
  hsa::Image& i = p.image;
  i.geometry = static_cast<uint8_t>(g);
  i.order = static_cast<uint8_t>(format.order);
  i.channel = static_cast<uint8_t>(format.channel);
  i.width = 9 + random() % 24;
  if (hsail::image_dimensions(g) >= 2) i.height = 5 + random() % 14;
  if (hsail::image_dimensions(g) == 3) i.depth = 3 + random() % 4;
  if (hsail::is_image_array(g)) i.array = 3;
  if (g != ImageGeometry::k1db) i.levels = 2 + random() % 3;
  const unsigned bytes = format.bytes();
  i.row_pitch = aligned ? (i.width * bytes + 255) / 256 * 256 : bytes * (i.width + 2);
  i.slice_pitch = i.row_pitch * (p.rows(i.levels) + (aligned ? 0 : 2));
  p.offset = aligned ? 0 : bytes;
  p.data.resize(p.offset + i.slice_pitch * i.depth * i.array + 16);
  const Kind kind = image_oracle::kind_of(format.channel);
  // Floats without NaN and infinity, whose sums are not the same in every order.
  const unsigned step = kind == Kind::kHalf ? 2 : kind == Kind::kFloat ? 4 : 1;
  for (size_t at = p.offset; at + step <= p.data.size(); at += step) {
    const auto value = (static_cast<float>(random() % 4001) - 2000.0f) / 64.0f;
    const uint32_t bits = kind == Kind::kHalf    ? image_oracle::half_bits(value)
                          : kind == Kind::kFloat ? bits_of(value)
                                                 : static_cast<uint32_t>(random());
    std::memcpy(p.data.data() + at, &bits, step);
  }
  return p;
}

Launch launch_of(const std::string& kernel, const std::vector<Record>& records, const Picture& p,
                 const hsa::Image& image, uint64_t offset, const hsa::Sampler& sampler) {
  const auto object = hsa::sampler_object(sampler);
  Launch launch;
  launch.kernel = "&" + kernel;
  launch.grid = {static_cast<uint32_t>(records.size()), 1, 1};
  launch.workgroup = {64, 1, 1};
  for (int i : {0, 1, 3, 4}) launch.arguments.push_back(buffer(i));
  launch.buffers = {Bytes(sizeof(hsa::ImageObject)),
                    bytes_of(std::vector<uint32_t>(object.begin(), object.end())), p.data,
                    bytes_of(records), Bytes(records.size() * sizeof(Registers))};
  launch.images = {{0, 2, offset, image}};
  return launch;
}

class EnginesMipmap : public ::testing::TestWithParam<const char*> {
 protected:
  void use(What what, const Picture& p, bool half) {
    const Kind kind = image_oracle::kind_of(p.format.channel);
    access_ = kind == Kind::kSigned     ? "s32"
              : kind == Kind::kUnsigned ? "u32"
              : half                    ? "f16"
                                        : "f32";
    const Programs text = programs(what, p.geometry, access_);
    levels_ = load(text.levels);
    first_ = load(text.first);
    finalizer::Options options;
    options.target = GetParam();
    const auto object = finalizer::finalize(levels_, options);
    ASSERT_TRUE(object.ok()) << object.error().str();
    object_ = *object;
  }

  /// The buffers of golden, equal to those of the interpreter.
  std::vector<Bytes> both(const std::string& kernel, const std::vector<Record>& records,
                          const Picture& p, const hsa::Sampler& sampler = {}) {
    const Launch launch = launch_of(kernel, records, p, p.image, p.offset, sampler);
    const Outcome expected = run_interpreter(levels_, launch, GetParam());
    EXPECT_EQ(expected.error, "");
    const Outcome golden = run_golden_object(levels_, object_, launch, GetParam());
    EXPECT_EQ(golden.error, "");
    if (!golden.error.empty()) return launch.buffers;
    EXPECT_EQ(golden.buffers[2], expected.buffers[2]) << kernel << ": image";
    EXPECT_EQ(golden.buffers[4], expected.buffers[4]) << kernel << ": results";
    return golden.buffers;
  }

  /// Result of the instruction of HSAIL with one level.
  std::vector<Bytes> one_level(const std::string& kernel, const std::vector<Record>& records,
                               const Picture& p, uint32_t level, const hsa::Sampler& sampler = {}) {
    const uint64_t offset = p.offset + p.rows(level) * p.image.row_pitch;
    const Outcome outcome = run_interpreter(
        first_, launch_of(kernel, records, p, p.view(level), offset, sampler), GetParam());
    EXPECT_EQ(outcome.error, "");
    return outcome.buffers;
  }

  /// Each work-item has what `kernel` of HSAIL gives it on its level; -1: zeros.
  void check_levels(const Bytes& results, const std::vector<int>& levels, const std::string& kernel,
                    const std::vector<Record>& records, const Picture& p,
                    const hsa::Sampler& sampler = {}) {
    const auto found = values_of<Registers>(results);
    for (int level = -1; level < static_cast<int>(p.image.levels); ++level) {
      std::vector<Registers> expected(records.size());
      if (level >= 0) {
        expected = values_of<Registers>(
            one_level(kernel, records, p, static_cast<uint32_t>(level), sampler)[4]);
      } else if (hsail::is_depth_image(p.geometry)) {
        for (size_t i = 0; i < records.size(); ++i) {
          expected[i] = records[i].components;  // but for the first register
          expected[i][0] = 0;
        }
      }
      for (size_t i = 0; i < records.size(); ++i) {
        if (levels[i] == level) {
          ASSERT_EQ(found[i], expected[i]) << kernel << " level " << level << " item " << i;
        }
      }
    }
  }

  template <class Check>
  void each_picture(What what, Check check) {
    const auto target = static_cast<unsigned>(
        std::find(std::begin(kTargets), std::end(kTargets), std::string(GetParam())) -
        std::begin(kTargets));
    std::mt19937 random(20160101 + target);
    for (unsigned n = 0; n < std::size(kNames); ++n) {
      if (!cuvette::test::in_turn(n, target, std::size(kTargets), 2)) continue;
      const auto g = static_cast<ImageGeometry>(n);
      if (g == ImageGeometry::k1db && (what == What::kReads || what == What::kQueries)) continue;
      if (hsail::is_depth_image(g) && what == What::kQueries) continue;
      const auto formats = image_oracle::formats(hsail::is_depth_image(g));
      for (unsigned i = 0; i < 2 * picture_count(); ++i) {
        const Format& format = formats[random() % formats.size()];
        Picture p = picture(g, format, i % 2 == 0, random);
        SCOPED_TRACE(std::string(kNames[n]) + " " + std::string(name(format.order)) + " " +
                     std::string(name(format.channel)) + (i % 2 == 0 ? "" : " unaligned") + ", " +
                     std::to_string(p.image.levels) + " levels of " +
                     std::to_string(p.image.width) + "x" + std::to_string(p.image.height) + "x" +
                     std::to_string(p.image.depth));
        use(what, p, random() % 4 == 0);
        if (HasFatalFailure()) return;
        check(p, random);
        if (HasFailure()) return;
      }
    }
  }

  std::string access_;
  hsail::Module levels_, first_;
  Bytes object_;
};

/// A place of the level, one in eight outside of it.
std::array<uint32_t, 3> place(const Picture& p, uint32_t level, std::mt19937& random) {
  std::array<uint32_t, 3> at{};
  const unsigned dimensions = hsail::image_dimensions(p.geometry);
  for (unsigned i = 0; i < hsail::image_coordinates(p.geometry); ++i) {
    const uint32_t size = i < dimensions ? p.size(i, level) : p.image.array;
    at[i] = static_cast<uint32_t>(random()) % size;
    if (random() % 24 == 0) at[i] = size + static_cast<uint32_t>(random() % 3);
  }
  return at;
}

TEST_P(EnginesMipmap, Loads) {
  each_picture(What::kLoads, [&](const Picture& p, std::mt19937& random) {
    std::vector<Record> records(item_count());
    std::vector<int> levels;
    for (Record& r : records) {
      const auto level = static_cast<uint32_t>(random() % (p.image.levels + 1));
      const bool exists = level < p.image.levels;
      r.level = exists ? level : random() % 2 == 0 ? level : static_cast<uint32_t>(random()) | 32;
      r.at = place(p, exists ? level : 0, random);
      r.components = {1, 2, 3, 4};
      levels.push_back(exists ? static_cast<int>(level) : -1);
    }
    check_levels(both("ld", records, p)[4], levels, "ld", records, p);
    VendorLedger::ran("HV-34", GetParam(), records.size());
  });
}

TEST_P(EnginesMipmap, Stores) {
  each_picture(What::kStores, [&](Picture p, std::mt19937& random) {
    std::set<std::pair<uint32_t, std::array<uint32_t, 3>>> places;
    std::vector<Record> records;
    std::vector<std::vector<Record>> of_level(p.image.levels);
    const bool floating = access_ == "f32" || access_ == "f16";
    for (uint32_t i = 0; i < item_count(); ++i) {
      Record r;
      r.level = static_cast<uint32_t>(random() % (p.image.levels + 1));
      const bool exists = r.level < p.image.levels;
      r.at = place(p, exists ? r.level : 0, random);
      for (uint32_t& c : r.components) {
        const auto value = (static_cast<float>(random() % 4096) - 1024) / 2048;
        c = !floating          ? static_cast<uint32_t>(random()) >> random() % 32
            : access_ == "f16" ? image_oracle::half_bits(value)
                               : bits_of(value);
      }
      if (!places.insert({r.level, r.at}).second) continue;  // one work-item for an element
      records.push_back(r);
      if (exists) of_level[r.level].push_back(r);
    }
    records.resize((records.size() + 63) / 64 * 64, Record{{}, p.image.levels, {}, {}, {}});
    const Bytes found = both("st", records, p)[2];
    for (uint32_t level = 0; level < p.image.levels; ++level) {
      auto& some = of_level[level];
      if (some.empty()) continue;
      // Places beyond the level fill the last wavefront.
      Record outside;
      outside.at[0] = 0xffffffff;
      some.resize((some.size() + 63) / 64 * 64, outside);
      p.data = one_level("st", some, p, level)[2];
    }
    EXPECT_EQ(found, p.data);
    VendorLedger::ran("HV-35", GetParam(), places.size());
  });
}

/// hsail_mipmap.md: the nearest level.
int level_of(float detail, uint32_t levels) {
  if (std::isnan(detail)) return 0;
  for (uint32_t level = 0; level + 1 < levels; ++level)
    if (static_cast<long double>(detail) < static_cast<long double>(level) + 0.5L)
      return static_cast<int>(level);
  return static_cast<int>(levels) - 1;
}

/// The same of two steps; lengths in long double. Nothing when they are too near to the border of
/// two levels for that.
std::optional<int> level_of_steps(const Picture& p, const Record& r, bool normalized) {
  long double longest = 0;
  for (const auto& step : {r.along_x, r.along_y}) {
    long double square = 0;
    for (unsigned i = 0; i < hsail::image_dimensions(p.geometry); ++i) {
      const long double length = static_cast<long double>(as_float(step[i])) *
                                 (normalized ? static_cast<long double>(p.size(i, 0)) : 1);
      square += length * length;
    }
    if (square > longest) longest = square;
  }
  const long double detail = log2l(longest) / 2;
  if (std::isfinite(detail) && fabsl(detail - floorl(detail) - 0.5L) < 1e-9L) return std::nullopt;
  return level_of(longest == 0 ? -1.0f : static_cast<float>(detail), p.image.levels);
}

float detail(uint32_t levels, std::mt19937& random) {
  constexpr float kSpecial[] = {-INFINITY, -1e30f, -0.0f, 0.0f,     0.49999997f, 0.5f,
                                1.5f,      2.5f,   1e30f, INFINITY, NAN};
  if (random() % 4 == 0) return kSpecial[random() % std::size(kSpecial)];
  return static_cast<float>(random() % (levels * 1000 + 2000)) / 1000 - 1;
}

TEST_P(EnginesMipmap, Reads) {
  each_picture(What::kReads, [&](const Picture& p, std::mt19937& random) {
    const bool filters = access_ == "f32" || access_ == "f16";
    for (const bool floating : {true, false}) {
      hsa::Sampler sampler;
      sampler.coord = floating && random() % 4 != 0 ? 1 : 0;
      sampler.filter = floating && filters && random() % 2 == 0 ? 1 : 0;
      sampler.addressing = static_cast<uint8_t>(random() % (sampler.coord != 0 ? 5 : 3));
      const bool normalized = sampler.coord != 0;
      std::vector<Record> records(item_count());
      std::vector<int> by_detail, by_steps;
      const unsigned dimensions = hsail::image_dimensions(p.geometry);
      for (Record& r : records) {
        for (unsigned i = 0; i < hsail::image_coordinates(p.geometry); ++i) {
          const bool index = i >= dimensions;
          const uint32_t size = index ? p.image.array : p.size(i, 0);
          const auto whole = static_cast<int32_t>(random() % (2 * size)) - static_cast<int32_t>(4);
          float value = static_cast<float>(static_cast<int32_t>(random() % 6000) - 2000) / 2000.0f;
          if (index || !normalized) value *= static_cast<float>(size);
          r.at[i] = floating ? bits_of(value) : static_cast<uint32_t>(whole);
        }
        const float lod = detail(p.image.levels, random);
        r.level = bits_of(lod);
        r.components = {1, 2, 3, 4};
        by_detail.push_back(level_of(lod, p.image.levels));
        do {
          for (auto* step : {&r.along_x, &r.along_y}) {
            for (unsigned i = 0; i < 3; ++i) {
              const float length = std::ldexp(1 + static_cast<float>(random() % 1000) / 1000,
                                              static_cast<int>(random() % 8) - 3);
              const float part = normalized ? length / static_cast<float>(p.size(i, 0)) : length;
              (*step)[i] = bits_of(random() % 2 == 0 ? part : -part);
              if (random() % 16 == 0) (*step)[i] = 0;
              if (random() % 64 == 0) (*step)[i] = bits_of(random() % 2 == 0 ? NAN : INFINITY);
            }
          }
        } while (!level_of_steps(p, r, normalized));
        by_steps.push_back(*level_of_steps(p, r, normalized));
      }
      const std::string coord = floating ? "f32" : "s32";
      check_levels(both("lod_" + coord, records, p, sampler)[4], by_detail, "rd_" + coord, records,
                   p, sampler);
      check_levels(both("grad_" + coord, records, p, sampler)[4], by_steps, "rd_" + coord, records,
                   p, sampler);
      VendorLedger::ran("HV-32", GetParam(), records.size());
      VendorLedger::ran("HV-33", GetParam(), records.size());
    }
  });
}

TEST_P(EnginesMipmap, Queries) {
  each_picture(What::kQueries, [&](const Picture& p, std::mt19937&) {
    const std::vector<Record> records(item_count());
    for (const Registers& r : values_of<Registers>(both("query", records, p)[4]))
      ASSERT_EQ(r[0], p.image.levels);
    VendorLedger::ran("HV-36", GetParam(), records.size());
  });
}

/// The machine's own instructions, where it has them.
TEST_P(EnginesMipmap, Instructions) {
  const bool images = GetParam() != std::string("gfx942");
  for (const What what : {What::kLoads, What::kStores, What::kReads}) {
    const auto module = load(programs(what, ImageGeometry::k2da, "f32").levels);
    const auto ir = finalizer::optimised_ir({&module}, {GetParam(), 5});
    ASSERT_TRUE(ir.ok());
    const std::string direction = what == What::kStores ? "store" : "load";
    EXPECT_EQ(ir->find("@llvm.amdgcn.image." + direction + ".mip.2darray") != std::string::npos,
              images);
    EXPECT_NE(ir->find("@llvm.amdgcn.raw.buffer." + direction + ".format"), std::string::npos);
  }
}

/// T# of several levels, by hand from MI100 ISA table 45 and memory_semantics.md.
TEST(ImageObjectLevels, Descriptor) {
  hsa::Image image;
  image.geometry = static_cast<uint8_t>(ImageGeometry::k2da);
  image.order = static_cast<uint8_t>(hsail::ChannelOrder::kRgba);
  image.channel = static_cast<uint8_t>(hsail::ChannelType::kUnorm8);
  image.width = 100;
  image.height = 50;
  image.array = 6;
  image.levels = 4;
  image.data = 0x1234'5678'9a00;
  EXPECT_EQ(hsa::most_levels(image), 7u);  // 100, 50, 25, 12, 6, 3, 1
  const auto bytes = hsa::lay_out(image);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(image.row_pitch, 512u);
  EXPECT_EQ(image.slice_pitch, 512u * (50 + 25 + 13 + 7));
  EXPECT_EQ(*bytes, 6 * image.slice_pitch);
  const auto o = hsa::image_object(image);
  EXPECT_EQ(o[2], 99u | 49u << 14);
  EXPECT_EQ(o[3] >> 16, 3u | 13u << 12);  // the last level; a 2D array
  EXPECT_EQ(o[4], 5u | 94u << 13);        // rows of a layer less one
  EXPECT_EQ(o[5], 3u << 28);
  EXPECT_EQ(hsa::read_image(o), image);
  image.row_pitch = 1024;  // more than the least one
  image.slice_pitch = 1024 * 95;
  EXPECT_EQ(hsa::image_object(image)[2], 0u);
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesMipmap, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace cuvette::engines
