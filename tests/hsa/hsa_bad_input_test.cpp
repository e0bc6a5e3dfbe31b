// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Bad input: every error is clear, nothing crashes. Runs in the sanitizer build too.
#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hsa/dispatch.h"
#include "hsa/elf.h"
#include "hsa/image.h"
#include "hsa/kernarg.h"
#include "hsa/launch_limits.h"
#include "hsa/metadata.h"
#include "hsa_objects.h"

namespace cuvette::hsa {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::vector<uint8_t>& bytes) {
  DeviceMemory memory;
  const auto code = load_code_object(bytes, "x.co", memory, default_machine(Processor::Gfx908));
  return code.ok() ? "no error" : code.error().str();
}

/// Loads and, when that works, uses what was loaded. True when it loaded.
bool digest(const std::vector<uint8_t>& bytes, const TargetId& machine) {
  DeviceMemory memory;
  const auto code = load_code_object(bytes, "x.co", memory, machine);
  if (!code) {
    EXPECT_FALSE(code.error().what.empty());
    return false;
  }
  for (const KernelInfo& kernel : code->kernels) {
    (void)initial_layout(kernel).ok();
    std::vector<std::vector<uint8_t>> args;
    for (const KernelArg* arg : explicit_args(kernel)) {
      args.emplace_back(std::min<uint64_t>(arg->size, 1 << 20), uint8_t{0});
    }
    (void)fill_kernarg(kernel, args, {}, {}).ok();
  }
  return true;
}

TEST(HsaBadInput, NotCodeObjects) {
  EXPECT_THAT(error_of({}), HasSubstr("x.co:+0x0: error: not an ELF file, expected"));
  EXPECT_THAT(error_of({'h', 'e', 'l', 'l', 'o'}), HasSubstr("not an ELF file"));
  EXPECT_THAT(error_of({0x7f, 'E', 'L', 'F'}),
              HasSubstr("truncated: the ELF header takes 64 bytes, the file has 4"));
  const auto own = base::read_binary("/proc/self/exe");
  ASSERT_TRUE(own.ok());
  EXPECT_THAT(error_of(*own), HasSubstr("expected 224 (AMDGPU)"));
}

TEST(HsaBadInput, HeaderFields) {
  CUVETTE_NEED_KERNELS();
  const auto good = kernel_bytes("saxpy.gfx908.v5");
  ASSERT_EQ(error_of(good), "no error");
  const struct {
    size_t offset;
    uint8_t value;
    const char* expected;
  } cases[] = {
      {4, 1, "x.co:+0x4: error: ELF class 1 and byte order 1, expected 2 (64-bit)"},
      {5, 2, "ELF class 2 and byte order 2"},
      {7, 65, "x.co:+0x7: error: ELF OS ABI 65, expected 64"},
      {8, 5, "ELF ABI version 5, expected 0 (code object v2) to 4 (v6)"},
      {16, 1,
       "x.co:+0x10: error: ELF type 1, expected 3 (a linked shared object): 'ld.lld -shared x.co "
       "-o "
       "x.co.co' makes one"},
      {16, 2, "ELF type 2, expected 3 (a linked shared object)"},
      {18, 62, "ELF for machine 62, expected 224 (AMDGPU)"},
      {48, 0x3f, "code for gfx90a, expected gfx908:sramecc+:xnack-"},
      {48, 0x36, "x.co:+0x30: error: code for gfx1030, expected gfx900, gfx906"},
      {49, 0x07, "code for gfx908:xnack+, expected gfx908:sramecc+:xnack-"},
      {54, 55, "program headers of 55 bytes, expected 56"},
      {56, 0, "no program headers"},
      {58, 63, "section headers of 63 bytes, expected 64"},
      {60, 0, "no section table"},
  };
  for (const auto& c : cases) {
    auto bad = good;
    bad[c.offset] = c.value;
    EXPECT_THAT(error_of(bad), HasSubstr(c.expected)) << "offset " << c.offset;
  }
}

TEST(HsaBadInput, TruncationAtEveryByte) {
  CUVETTE_NEED_KERNELS();
  std::vector<std::string> objects = {"saxpy.gfx908.v5", "tables.gfx908.v4"};
  if (CUVETTE_OPENCL_KERNELS_OLD) objects.push_back("saxpy.gfx900xnack-.v2");
  for (const std::string& object : objects) {
    const auto good = kernel_bytes(object);
    ASSERT_TRUE(digest(good, machine_for(object)));
    for (size_t length = 0; length < good.size(); ++length) {
      const std::vector<uint8_t> part(good.begin(), good.begin() + static_cast<ptrdiff_t>(length));
      ASSERT_FALSE(digest(part, machine_for(object))) << object << " cut to " << length << " bytes";
    }
  }
}

TEST(HsaBadInput, RandomCorruption) {
  CUVETTE_NEED_KERNELS();
  constexpr unsigned kSeed = 20240611;
  constexpr int kSingle = 20000;
  constexpr int kSeveral = 4000;
  std::vector<std::string> objects = {"saxpy.gfx908.v5", "tables.gfx908.v4", "mfma_gemm.gfx90a.v5"};
  if (CUVETTE_OPENCL_KERNELS_OLD) {
    objects.push_back("reduce.gfx900xnack-.v2");
    objects.push_back("saxpy.gfx908sramecc+xnack-.v3");
  }
  std::vector<std::vector<uint8_t>> good;
  for (const auto& object : objects) good.push_back(kernel_bytes(object));
  std::mt19937 random(kSeed);
  int refused = 0;
  for (int i = 0; i < kSingle + kSeveral; ++i) {
    const size_t which = random() % objects.size();
    std::vector<uint8_t> bad = good[which];
    const unsigned changes = i < kSingle ? 1 : 2 + random() % 14;
    for (unsigned c = 0; c < changes; ++c) {
      // Every second one hits the tables at the start, where structure is.
      const size_t span = random() % 2 == 0 ? bad.size() : std::min<size_t>(bad.size(), 0x800);
      bad[random() % span] ^= static_cast<uint8_t>(1 + random() % 255);
    }
    SCOPED_TRACE(objects[which] + ", seed " + std::to_string(kSeed) + ", round " +
                 std::to_string(i));
    refused += digest(bad, machine_for(objects[which])) ? 0 : 1;
  }
  EXPECT_GT(refused, 1000) << "corruption must be noticed";
  EXPECT_LT(refused, kSingle + kSeveral) << "and much of it is in code";
}

TEST(HsaBadInput, MetadataBombs) {
  const std::vector<uint8_t> deep(1 << 20, 0x91);  // arrays in arrays
  EXPECT_THAT(parse_metadata_msgpack(deep.data(), deep.size(), "x", 0).error().what,
              HasSubstr("32 levels"));
  const std::vector<uint8_t> wide = {0xdd, 0xff, 0xff, 0xff, 0xff, 1, 2, 3};  // array of 2^32-1
  EXPECT_FALSE(parse_metadata_msgpack(wide.data(), wide.size(), "x", 0).ok());
  const std::vector<uint8_t> text = {0xdb, 0xff, 0xff, 0xff, 0xff, 'a'};  // string of 2^32-1
  EXPECT_FALSE(parse_metadata_msgpack(text.data(), text.size(), "x", 0).ok());
  std::vector<uint8_t> many = {0xdd, 0x00, 0x50, 0x00, 0x00};
  many.resize(5 + 0x500000, 0xc0);  // five million nils
  EXPECT_THAT(parse_metadata_msgpack(many.data(), many.size(), "x", 0).error().what,
              HasSubstr("4 million"));
  EXPECT_FALSE(parse_metadata_msgpack(nullptr, 0, "x", 0).ok());
  EXPECT_FALSE(parse_metadata_yaml(std::string(100000, '['), "x", 0).ok());
  EXPECT_FALSE(parse_metadata_yaml("", "x", 0).ok());
}

TEST(HsaBadInput, MetadataTypes) {
  // {"amdhsa.kernels": [{".symbol": 7}]}
  std::vector<uint8_t> note = {0x81, 0xae};
  for (char c : std::string("amdhsa.kernels")) note.push_back(static_cast<uint8_t>(c));
  for (int b : {0x91, 0x81, 0xa7}) note.push_back(static_cast<uint8_t>(b));
  for (char c : std::string(".symbol")) note.push_back(static_cast<uint8_t>(c));
  note.push_back(7);
  const auto number = parse_metadata_msgpack(note.data(), note.size(), "x.co", 0x200);
  ASSERT_FALSE(number.ok());
  EXPECT_EQ(number.error().str(),
            "x.co:+0x200: error: metadata amdhsa.kernels[0].symbol: expected a string");
  const auto yaml =
      parse_metadata_yaml("Kernels:\n  - Name: k\n    Args:\n      - Size: four\n", "x.co", 0x200);
  ASSERT_FALSE(yaml.ok());
  EXPECT_THAT(yaml.error().str(), HasSubstr("x.co:+0x200 (metadata note):4:15: error:"));
  EXPECT_FALSE(parse_metadata_yaml("Kernels: 7\n", "x", 0).ok());
  EXPECT_FALSE(parse_metadata_yaml("Kernels:\n  - Name: k\n    Args:\n      - Size: 4\n        "
                                   "Align: 3\n        ValueKind: ByValue\n",
                                   "x", 0)
                   .ok());
}

/// A kernel can write into the object behind a handle: only what means something is an object.
TEST(BadInput, ImageAndSamplerObjects) {
  Image image;
  image.channel = 15;
  image.order = 8;
  const ImageObject good = image_object(image);
  EXPECT_EQ(read_image(good), image);
  const std::pair<unsigned, uint32_t> image_changes[] = {
      {kImageFormatWord, 8},          // geometries end at 7
      {kImageFormatWord, 20u << 8},   // channel orders at 19
      {kImageFormatWord, 16u << 16},  // channel types at 15
      {kImageFormatWord, 0xffffffff}, {kImageWidthWord, 0},
      {kImageWidthWord + 1, 0},       {kImageWidthWord + 2, 0},
      {kImageWidthWord + 3, 0},       {kImageWidthWord + 4, 0x12345678},  // the mark
      {kImageLevelsWord, 0},          {kImageLevelsWord, kMostLevels + 1},
  };
  for (const auto& [word, value] : image_changes) {
    ImageObject bad = good;
    bad[word] = value;
    EXPECT_FALSE(read_image(bad).has_value()) << word << " " << value;
  }
  const Sampler sampler{1, 1, 4};
  const SamplerObject object = sampler_object(sampler);
  EXPECT_EQ(read_sampler(object), sampler);
  for (const uint32_t modes : {2u, 2u << 8, 5u << 16, 0xffffffffu}) {
    SamplerObject bad = object;
    bad[kSamplerModesWord] = modes;
    EXPECT_FALSE(read_sampler(bad).has_value()) << modes;
  }
}

/// The note of a kernel's limits: 88 bytes and a name, once per kernel.
TEST(HsaBadInput, LimitsNotes) {
  LaunchLimits limits;
  limits.required_grid = {uint64_t{1} << 40, 2, 3};
  limits.max_dynamic_group = 0;
  limits.whole_wavefronts = true;
  const std::string note = limits_note("kern", limits);
  ASSERT_EQ(note.size(), 12u + 8 + 88 + 4);
  const auto* data = reinterpret_cast<const uint8_t*>(note.data());
  ElfFile elf;
  elf.notes = {{"Cuvette", 1, 20, 92}};
  const auto read = read_limits_notes(elf, data);
  ASSERT_TRUE(read.ok());
  const LaunchLimits& back = read->at("kern");
  EXPECT_EQ(back.required_grid, limits.required_grid);
  EXPECT_EQ(back.max_dynamic_group, limits.max_dynamic_group);
  EXPECT_TRUE(back.whole_wavefronts);
  EXPECT_FALSE(back.whole_workgroups);
  elf.notes = {{"Cuvette", 1, 20, 88}};
  EXPECT_THAT(read_limits_notes(elf, data).error().str(),
              HasSubstr("limits of a kernel in 88 bytes, expected 88 and a name"));
  elf.notes = {{"Cuvette", 1, 20, 92}, {"Cuvette", 1, 20, 92}};
  EXPECT_THAT(read_limits_notes(elf, data).error().str(),
              HasSubstr("a second note with the limits of kernel kern"));
  elf.notes = {{"Cuvette", 2, 20, 4}, {"Other", 1, 20, 4}};
  EXPECT_TRUE(read_limits_notes(elf, data)->empty()) << "of others";
}

}  // namespace
}  // namespace cuvette::hsa
