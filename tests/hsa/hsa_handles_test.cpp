// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The list of a code object's image and sampler constants; nothing it says is trusted.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hsa/memory.h"
#include "hsa/object_handles.h"

namespace cuvette::hsa {
namespace {

using ::testing::HasSubstr;

// Addresses that are cut off: their least significant bytes, up to the end of the object.
TEST(ObjectHandles, Addresses) {
  struct Record {
    uint64_t place;
    HandleWords words;
  };
  DeviceMemory memory;
  const uint64_t object = *memory.allocate(4096);
  const auto address = [&](uint64_t place, unsigned bytes) {
    Record record{object + place, address_words(bytes)};
    record.words[2] = 0x44332211;
    record.words[3] = 0x88776655;
    return record;
  };
  const auto create = [&](const std::vector<Record>& records) {
    const uint64_t size = records.size() * sizeof(Record);
    EXPECT_TRUE(memory.poke(object, records.data(), size).ok());
    const auto status = create_handles(memory, object, size, object, 4096);
    return status ? std::string() : status.error().what;
  };
  ASSERT_EQ(create({address(1024, 1), address(1026, 2), address(1028, 4), address(1032, 8),
                    address(4094, 2)}),
            "");
  std::array<uint8_t, 16> bytes{};
  ASSERT_TRUE(memory.read(object + 1024, bytes.data(), bytes.size()).ok());
  const std::array<uint8_t, 16> expected{0x11, 0,    0x11, 0x22, 0x11, 0x22, 0x33, 0x44,
                                         0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
  EXPECT_EQ(bytes, expected);
  EXPECT_THAT(create({address(4095, 2)}), HasSubstr("outside of the object"));
  EXPECT_THAT(create({address(1024, 0)}), HasSubstr("0 bytes of an address, expected 1 to 8"));
  EXPECT_THAT(create({address(1024, 9)}), HasSubstr("9 bytes of an address, expected 1 to 8"));
}

TEST(ObjectHandles, List) {
  struct Record {
    uint64_t place;
    HandleWords words;
  };
  DeviceMemory memory;
  const uint64_t object = *memory.allocate(4096);
  Image image;
  image.geometry = 1;
  image.order = 8;
  image.channel = 2;
  image.width = 5;
  image.height = 3;
  const auto create = [&](std::vector<Record> records, uint64_t bytes) {
    EXPECT_TRUE(memory.poke(object, records.data(), records.size() * sizeof(Record)).ok());
    const auto status = create_handles(memory, object, bytes, object, 4096);
    return status ? std::string() : status.error().what;
  };
  const Record good{object + 1024, handle_words(image)};
  const Record sampler{object + 1032, handle_words(Sampler{1, 1, 3})};
  ASSERT_EQ(create({good, sampler}, 80), "");
  uint64_t handles[2] = {};
  ASSERT_TRUE(memory.read(object + 1024, handles, 16).ok());
  ImageObject made{};
  ASSERT_TRUE(memory.read(handles[0], made.data(), sizeof made).ok());
  const auto found = read_image(made);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->width, 5u);
  EXPECT_EQ(found->height, 3u);
  EXPECT_NE(found->data, 0u);
  SamplerObject sampling{};
  ASSERT_TRUE(memory.read(handles[1], sampling.data(), sizeof sampling).ok());
  EXPECT_EQ(read_sampler(sampling), (Sampler{1, 1, 3}));

  EXPECT_THAT(create({good, sampler}, 79), HasSubstr("record 1: it is cut off"));
  for (const uint64_t place : {object - 1, object + 4089, uint64_t{0}, ~uint64_t{0}})
    EXPECT_THAT(create({{place, good.words}}, 40), HasSubstr("outside of the object"));
  Record bad = good;
  bad.words[0] = 4;
  EXPECT_THAT(create({bad}, 40), HasSubstr("no image and no sampler"));
  bad = good;
  bad.words[2] = 0;  // no width
  EXPECT_THAT(create({bad}, 40), HasSubstr("no image and no sampler"));
  bad = good;
  bad.words[1] = 1 | 200 << 8;  // no such order
  EXPECT_THAT(create({bad}, 40), HasSubstr("no image and no sampler"));
  bad = good;
  bad.words[2] = bad.words[3] = 1 << 20;
  EXPECT_THAT(create({bad}, 40), HasSubstr("1 GiB"));
}

}  // namespace
}  // namespace cuvette::hsa
