// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Offload bundles (layout: Clang Offload Bundler; which entry runs: decisions.md, D16).
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hsa/code_container.h"
#include "hsa_objects.h"
#include "offload_bundle.h"

namespace cuvette::hsa {
namespace {

using ::testing::HasSubstr;

const std::vector<uint8_t> kCode{1, 2, 3, 4};

/// The name of the entry that a machine takes, or the error.
std::string taken(const std::vector<std::string>& ids, const std::string& machine) {
  BundleParts parts;
  for (const std::string& id : ids) {
    parts.emplace_back(id, id.rfind("host", 0) == 0 ? std::vector<uint8_t>() : kCode);
  }
  const auto bytes = offload_bundle(parts);
  const auto bundles = read_bundles(bytes.data(), bytes.size(), "x.hipfb");
  if (!bundles) return bundles.error().str();
  EXPECT_EQ(bundles->size(), 1u);
  const auto entry = entry_for(bundles->front(), "x.hipfb", *parse_target(machine));
  return entry ? entry->id : entry.error().str();
}

TEST(HsaBundle, TheEntryThatFitsAndFixesMost) {
  const std::string host = "host-x86_64-unknown-linux-gnu-";
  const std::string any = "hipv4-amdgcn-amd-amdhsa--gfx908";
  const std::string off = "hipv4-amdgcn-amd-amdhsa--gfx908:xnack-";
  const std::string both = "hipv4-amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-";
  const std::string on = "hipv4-amdgcn-amd-amdhsa--gfx908:xnack+";
  const std::string ecc_off = "hipv4-amdgcn-amd-amdhsa--gfx908:sramecc-:xnack-";
  const std::string other = "hipv4-amdgcn-amd-amdhsa--gfx90a";
  const std::string mi100 = "gfx908:sramecc+:xnack-";
  EXPECT_EQ(taken({host, any}, mi100), any) << "any fits every machine";
  EXPECT_EQ(taken({host, other, any}, mi100), any);
  EXPECT_EQ(taken({host, any, off, on}, mi100), off);
  EXPECT_EQ(taken({both, any, off, ecc_off}, mi100), both);
  EXPECT_EQ(taken({any, off, both}, mi100), both) << "in any order";
  EXPECT_EQ(taken({on, ecc_off, any}, mi100), any);
  EXPECT_EQ(taken({on, off}, "gfx908:sramecc+:xnack+"), on);
  // Spellings of older and newer compilers, and of other languages.
  for (const char* id : {"hip-amdgcn-amd-amdhsa-gfx908", "hip-amdgcn-amd-amdhsa--gfx908",
                         "openmp-amdgcn-amd-amdhsa--gfx908:xnack-",
                         "hipv4-amdgcn-amd-amdhsa-unknown-gfx908:sramecc+:xnack-"}) {
    EXPECT_EQ(taken({host, other, id}, mi100), id);
  }
  EXPECT_EQ(taken({host, on, other, "openmp-nvptx64-nvidia-cuda--sm_70"}, mi100),
            "x.hipfb:+0x0: error: no code for gfx908:sramecc+:xnack- in the offload bundle, there "
            "is: host-x86_64-unknown-linux-gnu- (empty), " +
                on + ", " + other + ", openmp-nvptx64-nvidia-cuda--sm_70");
  EXPECT_EQ(taken({"host-amdgcn-amd-amdhsa--gfx908"}, mi100).find("x.hipfb:+0x0: error: no code"),
            0u)
      << "a host is no device";
  EXPECT_THAT(taken({any, "openmp-amdgcn-amd-amdhsa--gfx908"}, mi100),
              HasSubstr("two code objects for gfx908:sramecc+:xnack-, expected one: hipv4"));
}

TEST(HsaBundle, MalformedOnes) {
  const auto good =
      offload_bundle({{"host-x86_64--", {}}, {"hip-amdgcn-amd-amdhsa--gfx908", kCode}});
  const auto error_of = [](const std::vector<uint8_t>& bytes) {
    const auto read = read_bundles(bytes.data(), bytes.size(), "x");
    return read ? std::string() : read.error().str();
  };
  EXPECT_EQ(error_of(good), "");
  for (size_t length = 24; length < good.size(); ++length) {
    const std::vector<uint8_t> part(good.begin(), good.begin() + static_cast<ptrdiff_t>(length));
    EXPECT_NE(error_of(part), "") << "cut to " << length;
  }
  const auto with = [&](size_t place, uint64_t value) {
    std::vector<uint8_t> bad = good;
    for (unsigned i = 0; i < 8; ++i) bad[place + i] = static_cast<uint8_t>(value >> 8 * i);
    return error_of(bad);
  };
  constexpr size_t kCount = 24, kFirst = 32, kSecond = kFirst + 24 + 13;
  EXPECT_THAT(with(kCount, uint64_t{1} << 60), HasSubstr("x:+0x18: error: "));
  EXPECT_THAT(with(kCount, 2000), HasSubstr("an entry of an offload bundle is beyond its end"));
  EXPECT_THAT(with(kFirst, ~uint64_t{0}), HasSubstr("x:+0x20: error: truncated: entry host"));
  EXPECT_THAT(with(kSecond + 8, ~uint64_t{0}), HasSubstr("truncated: entry hip"));
  EXPECT_THAT(with(kSecond + 16, ~uint64_t{0}), HasSubstr("the name of an entry"));
  // Compressed ones are told with the command that unpacks them.
  const std::vector<uint8_t> packed{'C', 'C', 'O', 'B', 2, 0, 1, 0};
  EXPECT_THAT(error_of(packed), HasSubstr("clang-offload-bundler -unbundle -type=o "
                                          "-targets=hipv4-amdgcn-amd-amdhsa--TARGET -input=x"));
  std::vector<uint8_t> tail = good;
  tail.push_back('x');
  EXPECT_THAT(error_of(tail), HasSubstr("neither an offload bundle nor padding"));
}

/// The library function that loads objects takes them as they are.
TEST(HsaBundle, LoadedAsTheyAre) {
  CUVETTE_NEED_KERNELS();
  const auto code = kernel_bytes("saxpy.gfx908.v5");
  const auto bundle =
      offload_bundle({{"host-x86_64-unknown-linux--", {}},
                      {"hipv4-amdgcn-amd-amdhsa--gfx90a", kernel_bytes("saxpy.gfx90a.v5")},
                      {"hipv4-amdgcn-amd-amdhsa--gfx908", code}});
  const auto machine = default_machine(Processor::Gfx908);
  DeviceMemory memory;
  const auto loaded = load_code_object(bundle, "x.hipfb", memory, machine);
  ASSERT_TRUE(loaded.ok()) << loaded.error().str();
  ASSERT_EQ(loaded->kernels.size(), 1u);
  EXPECT_EQ(loaded->target.processor, Processor::Gfx908);

  // An error inside has its place in the whole file.
  auto bad = bundle;
  const auto start = std::search(bad.begin(), bad.end(), code.begin(), code.end());
  ASSERT_NE(start, bad.end());
  const auto offset = static_cast<size_t>(start - bad.begin());
  bad[offset + 8] = 9;
  const auto refused = load_code_object(bad, "x.hipfb", memory, machine);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().str(),
              HasSubstr(fmt::format("x.hipfb:+{:#x}: error: ELF ABI version 9", offset + 8)));

  // Two bundles in a row, as a linker leaves them: one is asked for.
  auto two = bundle;
  two.resize((two.size() + 4095) / 4096 * 4096);
  two.insert(two.end(), bundle.begin(), bundle.end());
  const auto several = load_code_object(two, "x.hipfb", memory, machine);
  ASSERT_FALSE(several.ok());
  EXPECT_THAT(several.error().str(), HasSubstr("2 code objects for gfx908"));
  const auto entries = entries_for(two.data(), two.size(), "x.hipfb", machine);
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ(entries->size(), 2u);

  // A bundle in a bundle, and one whose entry is itself.
  const auto nested = offload_bundle({{"hip-amdgcn-amd-amdhsa--gfx908", bundle}});
  auto itself = bundle;
  for (unsigned i = 0; i < 8; ++i) {
    const size_t entry = 32 + 2 * 24 + 27 + 31;
    itself[entry + i] = 0;
    itself[entry + 8 + i] = static_cast<uint8_t>(uint64_t{itself.size()} >> 8 * i);
  }
  for (const auto& bytes : {nested, itself}) {
    const auto inner = load_code_object(bytes, "x.hipfb", memory, machine);
    ASSERT_FALSE(inner.ok());
    EXPECT_THAT(inner.error().str(), HasSubstr("x.hipfb:+0x"));
    EXPECT_THAT(inner.error().str(), HasSubstr("an offload bundle inside of another"));
  }
}

/// A relocatable object is linked by who can; otherwise the error has the command.
TEST(HsaBundle, RelocatableObjects) {
  CUVETTE_NEED_KERNELS();
  const auto linked = kernel_bytes("saxpy.gfx908.v5");
  auto relocatable = linked;
  relocatable[16] = 1;  // ET_REL
  const auto machine = default_machine(Processor::Gfx908);
  DeviceMemory memory;
  const auto told = load_code_object(relocatable, "x.o", memory, machine);
  ASSERT_FALSE(told.ok());
  EXPECT_THAT(told.error().str(), HasSubstr("x.o:+0x10: error: ELF type 1, expected 3"));
  EXPECT_THAT(told.error().str(), HasSubstr("ld.lld -shared x.o -o x.o.co"));
  unsigned asked = 0;
  const auto code =
      load_code_object(relocatable, "x.o", memory, machine,
                       [&](const std::vector<uint8_t>& object, const std::string& file) {
                         ++asked;
                         EXPECT_EQ(object, relocatable);
                         EXPECT_EQ(file, "x.o");
                         return base::Result<std::vector<uint8_t>>(linked);
                       });
  EXPECT_TRUE(code.ok());
  EXPECT_EQ(asked, 1u);
}

}  // namespace
}  // namespace cuvette::hsa
