// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Image loads, stores and reads of every geometry and format on the interpreter and as machine code
// on golden, against image_oracle.h. CUVETTE_WHOLE=1 runs the product; else each pair of geometry
// and format goes to one target.
#include <random>

#include <gtest/gtest.h>

#include "engines.h"
#include "engines_testing.h"
#include "finalizer/finalize.h"
#include "finalizer_testing.h"
#include "hsail/names.h"
#include "image_oracle.h"
#include "test_vectors.h"

namespace {

namespace engines = cuvette::engines;
namespace hsa = cuvette::hsa;
namespace hsail = cuvette::hsail;
namespace oracle = cuvette::image_oracle;
using cuvette::finalizer_testing::kTargets;
using cuvette::test::whole;
using engines::Bytes;
using hsail::ImageGeometry;
using oracle::Format;
using oracle::Kind;
using oracle::Registers;

constexpr const char* kNames[] = {"1d", "2d", "3d", "1da", "2da", "1db", "2ddepth", "2dadepth"};
constexpr unsigned kItems = 64;

std::string kernel(const std::string& name, const std::string& type, const std::string& body) {
  return "prog kernel &" + name + "(kernarg_" + type +
         " %i, kernarg_samp %s, kernarg_u64 %in, kernarg_u64 %out)\n{\nld_kernarg_" + type +
         " $d1, [%i];\nld_kernarg_samp $d2, [%s];\nld_kernarg_u64 $d3, [%in];\n"
         "ld_kernarg_u64 $d4, [%out];\nworkitemabsid_u32 $s4, 0;\ncvt_u64_u32 $d5, $s4;\n"
         "shl_u64 $d6, $d5, 5;\nadd_u64 $d3, $d3, $d6;\nshl_u64 $d6, $d5, 4;\n"
         "add_u64 $d4, $d4, $d6;\nld_v4_global_u32 ($s8, $s9, $s10, $s11), [$d3];\n"
         "ld_v4_global_u32 ($s0, $s1, $s2, $s3), [$d3+16];\n" +
         body + "\nst_v4_global_u32 ($s0, $s1, $s2, $s3), [$d4];\n};\n";
}

/// Kernels "ld_f32", "st_f32" or "rd_f32_s32" and the like for all access and coordinate types.
std::string module_text(ImageGeometry g, const std::string& op) {
  const bool depth = hsail::is_depth_image(g);
  const unsigned count = hsail::image_coordinates(g);
  const std::string at = count == 1 ? "$s8" : count == 2 ? "($s8, $s9)" : "($s8, $s9, $s10)";
  const std::string data = depth ? "$s0" : "($s0, $s1, $s2, $s3)";
  const auto name = [&](const std::string& opcode) {
    return opcode + (depth ? "_" : "_v4_") + kNames[static_cast<size_t>(g)] + "_";
  };
  std::string text = "module &m:1:0:$full:$large:$default;\nextension \"IMAGE\";\n";
  for (const std::string access : {"f32", "f16", "s32", "u32"}) {
    if (op != "rd") {
      text += kernel(op + "_" + access, "rwimg",
                     name(op + "image") + access + "_rwimg_u32 " + data + ", $d1, " + at + ";");
      continue;
    }
    for (const std::string coord : {"s32", "f32"})
      text += kernel(
          "rd_" + access + "_" + coord, "roimg",
          name("rdimage") + access + "_roimg_" + coord + " " + data + ", $d1, $d2, " + at + ";");
  }
  return text;
}

/// An image with random elements.
struct Picture {
  ImageGeometry geometry{};
  Format format;
  hsa::Image image;
  uint64_t offset = 0;  ///< of the first element
  Bytes data;

  uint8_t* element(uint64_t x, uint64_t y, uint64_t slice) {
    return data.data() + offset + slice * image.slice_pitch + y * image.row_pitch +
           x * format.bytes();
  }
  uint32_t size(unsigned dimension) const {
    return dimension == 0 ? image.width : dimension == 1 ? image.height : image.depth;
  }
};

/// `aligned`: as T# wants it; otherwise rows and slices have gaps and nothing is aligned.
Picture picture(ImageGeometry g, const Format& format, bool aligned, std::mt19937& random) {
  Picture p{g, format, {}, 0, {}};
  hsa::Image& i = p.image;
  i.geometry = static_cast<uint8_t>(g);
  i.order = static_cast<uint8_t>(format.order);
  i.channel = static_cast<uint8_t>(format.channel);
  i.width = 7;
  if (hsail::image_dimensions(g) >= 2) i.height = 5;
  if (hsail::image_dimensions(g) == 3) i.depth = 3;
  if (hsail::is_image_array(g)) i.array = 4;
  const unsigned bytes = format.bytes();
  i.row_pitch = aligned ? bytes * 256u : bytes * 9u;
  i.slice_pitch = i.row_pitch * (i.height + (aligned ? 0 : 2));
  p.offset = aligned ? 0 : bytes;
  p.data.resize(p.offset + i.slice_pitch * i.depth * i.array + 16);
  for (uint8_t& b : p.data) b = static_cast<uint8_t>(random());
  // No NaN and no infinity.
  const Kind kind = oracle::kind_of(format.channel);
  if (kind != Kind::kHalf && kind != Kind::kFloat) return p;
  for (uint64_t slice = 0; slice < uint64_t{i.depth} * i.array; ++slice)
    for (uint64_t y = 0; y < i.height; ++y)
      for (uint64_t x = 0; x < i.width; ++x)
        for (const auto& c : format.components()) {
          const auto value = (static_cast<float>(random() % 4001) - 2000.0f) / 64.0f;
          const uint32_t bits =
              kind == Kind::kHalf ? oracle::half_bits(value) : oracle::bits_of(value);
          std::memcpy(p.element(x, y, slice) + c.shift / 8, &bits, c.bits / 8);
        }
  return p;
}

struct Work {
  std::string kernel;
  oracle::Sampler sampler;
  std::vector<std::array<uint32_t, 8>> in;  ///< per work-item: coordinates, then components
};

engines::Launch launch_of(const Work& work, const Picture& p) {
  const auto sampler = hsa::sampler_object({static_cast<uint8_t>(work.sampler.normalized),
                                            static_cast<uint8_t>(work.sampler.linear),
                                            static_cast<uint8_t>(work.sampler.addressing)});
  engines::Launch launch;
  launch.kernel = "&" + work.kernel;
  launch.grid = {static_cast<uint32_t>(work.in.size()), 1, 1};
  launch.workgroup = {64, 1, 1};
  for (int i : {0, 1, 3, 4}) launch.arguments.push_back(engines::buffer(i));
  launch.buffers = {Bytes(sizeof(hsa::ImageObject)),
                    engines::bytes_of(std::vector<uint32_t>(sampler.begin(), sampler.end())),
                    p.data, Bytes(work.in.size() * 32), Bytes(work.in.size() * 16)};
  std::memcpy(launch.buffers[3].data(), work.in.data(), launch.buffers[3].size());
  launch.images = {{0, 2, p.offset, p.image}};
  return launch;
}

class EnginesImage : public ::testing::TestWithParam<const char*> {
 protected:
  /// Buffers of golden, equal to those of the interpreter.
  std::vector<Bytes> both(const Work& work, const Picture& p) {
    const auto launch = launch_of(work, p);
    const auto expected = engines::run_interpreter(module_, launch);
    EXPECT_EQ(expected.error, "");
    const auto golden = engines::run_golden_object(module_, object_, launch, GetParam());
    EXPECT_EQ(golden.error, "");
    if (!golden.error.empty()) return launch.buffers;
    EXPECT_EQ(golden.buffers[2], expected.buffers[2]) << "image";
    const auto a = engines::values_of<uint32_t>(golden.buffers[4]);
    const auto b = engines::values_of<uint32_t>(expected.buffers[4]);
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;
      ADD_FAILURE() << "item " << i / 4 << " component " << i % 4 << ": golden " << std::hex << a[i]
                    << ", interpreter " << b[i] << ", coordinates " << work.in[i / 4][0] << " "
                    << work.in[i / 4][1] << " " << work.in[i / 4][2];
      break;
    }
    return golden.buffers;
  }

  /// Place of the target in the list.
  static size_t target() {
    return static_cast<size_t>(
        std::find(std::begin(kTargets), std::end(kTargets), std::string(GetParam())) -
        std::begin(kTargets));
  }
  bool use(ImageGeometry g, const std::string& op) {
    module_ = cuvette::finalizer_testing::load(module_text(g, op));
    auto object = cuvette::finalizer::finalize(module_, {GetParam(), 5});
    EXPECT_TRUE(object.ok()) << (object.ok() ? "" : object.error().str());
    if (!object.ok()) return false;
    object_ = *object;
    return true;
  }

  /// True if this target takes geometry `n`, which two do.
  static bool takes(unsigned n) {
    return cuvette::test::in_turn(n, target(), std::size(kTargets), 2);
  }
  /// Formats of the geometry that this target takes, aligned and not.
  template <class Check>
  void each_picture(ImageGeometry g, unsigned salt, Check check) {
    std::mt19937 random(20150521 + salt);
    unsigned number = 0;
    for (const Format& format : oracle::formats(hsail::is_depth_image(g)))
      for (const bool aligned : {true, false}) {
        const size_t turn = number++ / 2 + (aligned ? 0 : 1);
        const size_t first = (static_cast<size_t>(g) + target()) % std::size(kTargets);
        if (!whole() && turn % 2 != first) continue;
        SCOPED_TRACE(std::string(kNames[static_cast<size_t>(g)]) + " " +
                     std::string(hsail::name(format.order)) + " " +
                     std::string(hsail::name(format.channel)) + (aligned ? "" : " unaligned"));
        check(picture(g, format, aligned, random), random);
        ++pictures_;
        if (HasFailure()) return;
      }
  }

  hsail::Module module_;
  Bytes object_;
  size_t pictures_ = 0;
};

std::string access_of(const Format& f, bool half) {
  const Kind kind = oracle::kind_of(f.channel);
  return kind == Kind::kSigned ? "s32" : kind == Kind::kUnsigned ? "u32" : half ? "f16" : "f32";
}

/// Contents of the registers: f16 instructions have f16 of the f32 value.
Registers seen(Registers r, const std::string& access, bool depth) {
  if (access == "f16")
    for (uint32_t& c : r) c = oracle::half_bits(oracle::as_float(c));
  if (depth) r[1] = r[2] = r[3] = 0;
  return r;
}

TEST_P(EnginesImage, Loads) {
  for (unsigned n = 0; n < std::size(kNames); ++n) {
    const auto g = static_cast<ImageGeometry>(n);
    if (!takes(n)) continue;
    ASSERT_TRUE(use(g, "ld"));
    each_picture(g, n, [&](Picture p, std::mt19937& random) {
      const std::string access = access_of(p.format, random() % 4 == 0);
      Work work{"ld_" + access, {}, {}};
      std::vector<Registers> expected;
      for (unsigned item = 0; item < kItems; ++item) {
        std::array<uint32_t, 8> in{};
        uint32_t at[3] = {};
        bool inside = true;
        const unsigned dimensions = hsail::image_dimensions(g);
        for (unsigned i = 0; i < hsail::image_coordinates(g); ++i) {
          const uint32_t size = i < dimensions ? p.size(i) : p.image.array;
          in[i] = at[i] = static_cast<uint32_t>(random()) % size;
          if (item % 16 == 15) in[i] = at[i] = item == 31 ? 0xffffffff : size;
          inside = inside && at[i] < size;
        }
        work.in.push_back(in);
        // Beyond the image the instruction is undefined: zeros here.
        Registers r{};
        if (inside) {
          const uint32_t slice = dimensions == 3 ? at[2] : at[dimensions];
          r = p.format.load(p.element(at[0], dimensions > 1 ? at[1] : 0,
                                      dimensions == 3 || hsail::is_image_array(g) ? slice : 0));
        }
        expected.push_back(seen(r, access, hsail::is_depth_image(g)));
      }
      const auto out = engines::values_of<Registers>(both(work, p)[4]);
      for (unsigned item = 0; item < kItems; ++item)
        ASSERT_EQ(out[item], expected[item]) << "item " << item;
    });
    if (HasFailure()) return;
  }
  EXPECT_GE(pictures_, 100u);
}

/// Components that show clamping, ties and signs.
uint32_t component(const std::string& access, const Format& f, std::mt19937& random) {
  const Kind kind = oracle::kind_of(f.channel);
  if (access == "s32" || access == "u32") {
    const uint32_t r = static_cast<uint32_t>(random());
    return random() % 2 == 0 ? r : r >> (random() % 32);
  }
  const bool normalized = kind == Kind::kUnorm || kind == Kind::kSnorm;
  constexpr float kSpecial[] = {0.0f,  -0.0f, 1.0f,     -1.0f,    2.0f,
                                -2.0f, 0.5f,  0x1p-15f, INFINITY, -INFINITY};
  if (normalized && random() % 16 == 0) return access == "f16" ? 0x7e00u : oracle::bits_of(NAN);
  float value = random() % 4 == 0 ? kSpecial[random() % std::size(kSpecial)]
                                  : (static_cast<float>(random() % 4096) - 1024) / 2048;
  if (random() % 4 == 0 && normalized) {
    // Halfway between two steps of eight bits, as near as f32 comes.
    value = (static_cast<float>(random() % 255) + 0.5f) / 255.0f;
  }
  if (access == "f16") return oracle::half_bits(value);
  return oracle::bits_of(value);
}

TEST_P(EnginesImage, Stores) {
  for (unsigned n = 0; n < std::size(kNames); ++n) {
    const auto g = static_cast<ImageGeometry>(n);
    if (!takes(n)) continue;
    ASSERT_TRUE(use(g, "st"));
    each_picture(g, n + 8, [&](Picture p, std::mt19937& random) {
      const bool depth = hsail::is_depth_image(g);
      const std::string access = access_of(p.format, random() % 4 == 0);
      Work work{"st_" + access, {}, {}};
      Picture after = p;
      const unsigned dimensions = hsail::image_dimensions(g);
      // Every element at most once.
      std::vector<std::array<uint32_t, 3>> places;
      for (uint32_t slice = 0; slice < p.image.depth * p.image.array; ++slice)
        for (uint32_t y = 0; y < p.image.height; ++y)
          for (uint32_t x = 0; x < p.image.width; ++x) places.push_back({x, y, slice});
      std::shuffle(places.begin(), places.end(), random);
      for (unsigned item = 0; item < kItems && item < places.size() + 4; ++item) {
        std::array<uint32_t, 8> in{};
        const bool inside = item < places.size() && item % 16 != 15;
        std::array<uint32_t, 3> at = inside ? places[item] : std::array<uint32_t, 3>{};
        in[0] = inside ? at[0] : p.image.width + item;
        unsigned next = 1;
        if (dimensions > 1) in[next++] = at[1];
        if (dimensions == 3 || hsail::is_image_array(g)) in[next] = at[2];
        Registers values{};
        for (unsigned c = 0; c < 4; ++c) {
          in[4 + c] = component(access, p.format, random);
          values[c] = access == "f16" && (in[4 + c] & 0x7fff) <= 0x7c00
                          ? oracle::bits_of(oracle::half_value(in[4 + c]))
                      : access == "f16" ? oracle::bits_of(NAN)
                                        : in[4 + c];
        }
        work.in.push_back(in);
        if (depth) values[1] = values[2] = values[3] = 0;
        if (inside) p.format.store(values, after.element(at[0], at[1], at[2]));
      }
      EXPECT_EQ(both(work, p)[2], after.data);
    });
    if (HasFailure()) return;
  }
  EXPECT_GE(pictures_, 100u);
}

/// One work-item's coordinate along a dimension of `size` elements.
uint32_t coordinate(bool floating, const oracle::Sampler& s, uint32_t size, std::mt19937& random) {
  if (!floating)
    return static_cast<uint32_t>(static_cast<int32_t>(random() % (3 * size)) -
                                 static_cast<int32_t>(size));
  if (random() % 32 == 0) return oracle::bits_of(random() % 2 == 0 ? NAN : INFINITY);
  float value = (static_cast<float>(random() % 4096) - 1024) / 1024.0f;
  if (!s.normalized) value *= static_cast<float>(size);
  if (random() % 8 == 0) value = std::floor(value);
  if (random() % 16 == 0) value *= 1000;
  return oracle::bits_of(value);
}

/// The exact result of a read, and by how much the engines may miss it.
struct Expected {
  Registers registers{};
  std::array<long double, 4> values{};
  std::array<long double, 4> slack{};
  bool filtered = false;
};

Expected read(Picture& p, const Work& work, bool floating, const std::array<uint32_t, 8>& in) {
  const oracle::Sampler& s = work.sampler;
  const unsigned dimensions = hsail::image_dimensions(p.geometry);
  Expected e;
  std::array<long double, 3> c{};
  for (unsigned i = 0; i < dimensions; ++i) {
    c[i] = floating ? static_cast<long double>(oracle::as_float(in[i]))
                    : static_cast<long double>(static_cast<int32_t>(in[i]));
    if (s.normalized) c[i] *= p.size(i);
    if (s.linear) c[i] -= 0.5L;
    if (!std::isfinite(c[i])) return e;
  }
  uint32_t slice = 0;
  if (hsail::is_image_array(p.geometry)) {
    const auto found =
        oracle::layer(floating ? oracle::as_float(in[dimensions])
                               : static_cast<float>(static_cast<int32_t>(in[dimensions])),
                      p.image.array);
    if (!found) return e;
    slice = *found;
  }
  e.filtered = s.linear;
  for (unsigned corner = 0; corner < (s.linear ? 1u << dimensions : 1u); ++corner) {
    std::array<int64_t, 3> at{};
    long double weight = 1;
    bool border = false;
    for (unsigned i = 0; i < dimensions; ++i) {
      const bool upper = (corner >> i & 1) != 0;
      const long double part = c[i] - floorl(c[i]);
      weight *= upper ? part : 1 - part;
      const auto index = oracle::addressing(c[i] + (upper ? 1 : 0), p.size(i), s);
      if (!index) return {};
      border = border || *index == oracle::kBorder;
      at[i] = *index;
    }
    const auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
    e.registers =
        border ? p.format.border()
               : p.format.load(p.element(u(at[0]), u(at[1]), dimensions == 3 ? u(at[2]) : slice));
    for (unsigned n = 0; n < 4 && s.linear; ++n) {
      const long double term = weight * oracle::as_float(e.registers[n]);
      e.values[n] += term;
      e.slack[n] += fabsl(term) * 0x1p-23L;
    }
  }
  return e;
}

void check_reads(const Work& work, Picture p, const std::string& access, bool floating,
                 const Bytes& buffer) {
  const auto out = engines::values_of<Registers>(buffer);
  const bool depth = hsail::is_depth_image(p.geometry);
  for (unsigned item = 0; item < kItems; ++item) {
    const Expected e = read(p, work, floating, work.in[item]);
    if (!e.filtered) {
      // An instruction without a defined result gives zeros, those of f16 too.
      Registers expected = seen(e.registers, access, depth);
      if (depth) std::copy(work.in[item].begin() + 5, work.in[item].end(), expected.begin() + 1);
      ASSERT_EQ(out[item], expected) << "item " << item;
      continue;
    }
    for (unsigned c = 0; c < (depth ? 1u : 4u); ++c) {
      const bool half = access == "f16";
      const long double value =
          half ? oracle::half_value(out[item][c]) : oracle::as_float(out[item][c]);
      const long double slack =
          e.slack[c] + (half ? fabsl(e.values[c]) * 0x1p-10L + 0x1p-24L : 0x1p-149L);
      ASSERT_LE(fabsl(value - e.values[c]), slack) << "item " << item << " component " << c;
    }
  }
}

TEST_P(EnginesImage, Reads) {
  unsigned turn = 0;
  for (unsigned n = 0; n < std::size(kNames); ++n) {
    const auto g = static_cast<ImageGeometry>(n);
    if (g == ImageGeometry::k1db) continue;
    if (!takes(n)) continue;
    ASSERT_TRUE(use(g, "rd"));
    each_picture(g, n + 16, [&](const Picture& p, std::mt19937& random) {
      const std::string access = access_of(p.format, random() % 4 == 0);
      const bool filters = access == "f32" || access == "f16";
      // Table 7-6: samplers with each kind of coordinate. A sample takes every fifth one.
      for (unsigned code = 0; code < 2 * 2 * 2 * 5; ++code) {
        const bool floating = code % 2 != 0;
        const oracle::Sampler s{(code / 2) % 2 != 0, (code / 4) % 2 != 0, code / 8};
        if (!floating && (s.normalized || s.linear || s.addressing >= 3)) continue;
        if (!s.normalized && s.addressing >= 3) continue;
        if (s.linear && !filters) continue;
        if (turn++ % 5 != 0 && !whole()) continue;
        SCOPED_TRACE("sampler " + std::to_string(code));
        Work work{"rd_" + access + (floating ? "_f32" : "_s32"), s, {}};
        for (unsigned item = 0; item < kItems; ++item) {
          std::array<uint32_t, 8> in{};
          const unsigned dimensions = hsail::image_dimensions(g);
          for (unsigned i = 0; i < dimensions; ++i)
            in[i] = coordinate(floating, s, p.size(i), random);
          if (hsail::is_image_array(g))
            in[dimensions] = coordinate(floating, {}, p.image.array, random);
          work.in.push_back(in);
        }
        check_reads(work, p, access, floating, both(work, p)[4]);
        if (HasFailure()) return;
      }
    });
    if (HasFailure()) return;
  }
  EXPECT_GE(pictures_, 80u);
}

/// The machine's own instructions, where it has them.
TEST_P(EnginesImage, Instructions) {
  const bool images = GetParam() != std::string("gfx942");
  for (const std::string op : {"ld", "st", "rd"}) {
    const auto module = cuvette::finalizer_testing::load(module_text(ImageGeometry::k2da, op));
    const auto ir = cuvette::finalizer::optimised_ir({&module}, {GetParam(), 5});
    ASSERT_TRUE(ir.ok());
    const std::string direction = op == "st" ? "store" : "load";
    EXPECT_EQ(ir->find("call void @llvm.amdgcn.image.store.2darray") != std::string::npos ||
                  ir->find("call <4 x float> @llvm.amdgcn.image.load.2darray") != std::string::npos,
              images)
        << op;
    EXPECT_NE(ir->find("@llvm.amdgcn.raw.buffer." + direction + ".format"), std::string::npos);
  }
}

/// T# and V# by hand from MI100 ISA tables 45 and 39, S# from table 46.
TEST(ImageObject, Descriptors) {
  hsa::Image image;
  image.geometry = static_cast<uint8_t>(ImageGeometry::k2da);
  image.order = static_cast<uint8_t>(hsail::ChannelOrder::kBgra);
  image.channel = static_cast<uint8_t>(hsail::ChannelType::kSnorm8);
  image.width = 100;
  image.height = 50;
  image.array = 6;
  image.data = 0x1234'5678'9a00;
  image.row_pitch = 512;
  image.slice_pitch = 512 * 50;
  const auto o = hsa::image_object(image);
  EXPECT_EQ(o[0], 0x3456'789au);
  EXPECT_EQ(o[1], 0x12u | 10u << 20 | 1u << 26);                  // 8_8_8_8, snorm
  EXPECT_EQ(o[2], 99u | 49u << 14);                               // sizes less one
  EXPECT_EQ(o[3], 6u | 5u << 3 | 4u << 6 | 7u << 9 | 13u << 28);  // z y x w; 2D array
  EXPECT_EQ(o[4], 5u | 127u << 13);  // last layer, pitch in elements less one
  EXPECT_EQ(o[5] | o[6] | o[7], 0u);
  EXPECT_EQ(o[hsa::kImageBufferWord], 0x5678'9a00u);
  EXPECT_EQ(o[hsa::kImageBufferWord + 1], 0x1234u);
  EXPECT_EQ(o[hsa::kImageBufferWord + 2], 5u * 512 * 50 + 49 * 512 + 400);
  EXPECT_EQ(o[hsa::kImageBufferWord + 3], (0xfffu & o[3]) | 1u << 12 | 10u << 15);
  EXPECT_EQ(o[hsa::kImageStoreWord], 0x12u | 10u << 20 | 5u << 26);  // sint
  // Rows that T# cannot describe.
  image.row_pitch = 404;
  image.slice_pitch = 404 * 50;
  const auto narrow = hsa::image_object(image);
  for (unsigned i = 0; i < hsa::kImageDescriptorWords; ++i) EXPECT_EQ(narrow[i], 0u) << i;
  EXPECT_EQ(narrow[hsa::kImageFlagsWord] & (hsa::kImageLoads | hsa::kImageStores), 0u);
  // A 1DB image has a V#.
  hsa::Image flat;
  flat.geometry = static_cast<uint8_t>(ImageGeometry::k1db);
  flat.order = static_cast<uint8_t>(hsail::ChannelOrder::kR);
  flat.channel = static_cast<uint8_t>(hsail::ChannelType::kFloat);
  flat.width = 3;
  flat.data = 0x4000;
  flat.row_pitch = flat.slice_pitch = 12;
  const auto buffer = hsa::image_object(flat);
  EXPECT_EQ(buffer[0], 0x4000u);
  EXPECT_EQ(buffer[2], 12u);
  EXPECT_EQ(buffer[3], 4u | 1u << 9 | 7u << 12 | 4u << 15);  // r 0 0 1; 32, float
  // Normalized, linear, clamp to border; unnormalized, nearest, mirrored.
  const auto linear = hsa::sampler_object({1, 1, 2});
  EXPECT_EQ(linear[0], 6u | 6u << 3 | 6u << 6);
  EXPECT_EQ(linear[2], 1u << 20 | 1u << 22 | 2u << 24);
  const auto nearest = hsa::sampler_object({0, 0, 1});
  EXPECT_EQ(nearest[0], 2u | 2u << 3 | 2u << 6 | 1u << 15 | 1u << 27);
}

/// Both ways of the product above are taken: a T# where there is one.
TEST(ImageObject, AlignedPicturesHaveResources) {
  std::mt19937 random(1);
  unsigned with = 0;
  for (const Format& format : oracle::formats(false))
    for (const bool aligned : {true, false}) {
      auto p = picture(ImageGeometry::k2d, format, aligned, random);
      p.image.data = 0x10000 + p.offset;
      const bool has = (hsa::image_object(p.image)[hsa::kImageFlagsWord] & hsa::kImageLoads) != 0;
      EXPECT_FALSE(has && !aligned);
      with += has ? 1 : 0;
    }
  // All but srgb and srgbx, whose elements have 24 bits.
  EXPECT_EQ(with, oracle::formats(false).size() - 2);
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesImage, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
