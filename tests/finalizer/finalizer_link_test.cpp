// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Relocatable objects of other compilers through the linker of the finalizer: they become code
// objects, and what is malformed is an error, whatever lld does about it.
#include <algorithm>
#include <cstddef>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "finalizer/link.h"
#include "hsa_elf_edit.h"
#include "hsa_objects.h"

namespace cuvette::finalizer {
namespace {

using hsa::ElfEdit;
using hsa::kernel_bytes;
using ::testing::StartsWith;

std::vector<uint8_t> relocatable() {
  return kernel_bytes("pointer_table_relocatable.gfx908.v5");
}

TEST(FinalizerLink, ThroughTheLoader) {
  CUVETTE_NEED_KERNELS();
  hsa::DeviceMemory memory;
  const auto code = hsa::load_code_object(
      relocatable(), "x.o", memory, hsa::default_machine(hsa::Processor::Gfx908),
      [](const auto& object, const auto& file) { return link_relocatable(object, file); });
  ASSERT_TRUE(code.ok()) << code.error().str();
  ASSERT_EQ(code->kernels.size(), 1u);
  EXPECT_EQ(code->kernels.front().name, "follow");
  // Initial values: pointers[1] is &values[2], which is 3.
  uint64_t address = 0;
  for (const auto& s : code->symbols) {
    if (s.name == "pointers") address = s.address;
  }
  ASSERT_NE(address, 0u);
  uint64_t pointer = 0;
  uint32_t value = 0;
  ASSERT_TRUE(memory.read_value(address + 8, &pointer).ok());
  ASSERT_TRUE(memory.read_value(pointer, &value).ok());
  EXPECT_EQ(value, 3u);
}

TEST(FinalizerLink, SameBytesEveryTime) {
  CUVETTE_NEED_KERNELS();
  const auto first = link_relocatable(relocatable(), "x.o");
  const auto second = link_relocatable(relocatable(), "y.o");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
}

TEST(FinalizerLink, MalformedObjects) {
  CUVETTE_NEED_KERNELS();
  // So many relocations that lld 19 has no memory for them, and aborts.
  ElfEdit many(relocatable());
  const size_t size = many.section(many.section_of(SHT_RELA)) + offsetof(Elf64_Shdr, sh_size);
  many.set(size, many.get<uint64_t>(size) | uint64_t{0xff} << 40);
  const auto crashed = link_relocatable(many.bytes(), "x.o");
  ASSERT_FALSE(crashed.ok());
  EXPECT_THAT(crashed.error().str(), StartsWith("x.o: error: link: "));
  EXPECT_TRUE(link_relocatable(relocatable(), "x.o").ok()) << "and again";

  constexpr int kRounds = 150;
  int refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::mt19937 random(static_cast<unsigned>(round));
    auto bad = relocatable();
    for (unsigned changes = 1 + random() % 3; changes != 0; --changes) {
      // Every second one hits the section table, which is at the end.
      const size_t span = random() % 2 == 0 ? bad.size() : std::min<size_t>(bad.size(), 10 * 64);
      bad[bad.size() - 1 - random() % span] = static_cast<uint8_t>(random());
    }
    const auto linked = link_relocatable(bad, "x.o");
    if (linked.ok()) continue;
    ++refused;
    EXPECT_THAT(linked.error().str(), StartsWith("x.o: error: link: ")) << "round " << round;
  }
  EXPECT_GT(refused, 10);
  EXPECT_LT(refused, kRounds);
}

}  // namespace
}  // namespace cuvette::finalizer
