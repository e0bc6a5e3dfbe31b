// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/object_handles.h"

#include <optional>

#include <fmt/format.h>

namespace cuvette::hsa {

namespace {

constexpr uint32_t kImageKind = 1;
constexpr uint32_t kSamplerKind = 2;
constexpr uint32_t kAddressKind = 3;

struct Record {
  uint64_t place = 0;
  HandleWords words{};
};
static_assert(sizeof(Record) == 40);

uint8_t byte_of(uint32_t word, unsigned index) {
  return static_cast<uint8_t>(word >> 8 * index);
}

std::optional<Image> image_of(const HandleWords& words) {
  Image image;
  image.geometry = byte_of(words[1], 0);
  image.order = byte_of(words[1], 1);
  image.channel = byte_of(words[1], 2);
  image.width = words[2];
  image.height = words[3];
  image.depth = words[4];
  image.array = words[5];
  const bool sized = image.width != 0 && image.height != 0 && image.depth != 0 && image.array != 0;
  if (!sized || image.geometry > kLastGeometry) return std::nullopt;
  if (element_bytes(image.order, image.channel) == 0) return std::nullopt;
  return image;
}

base::Result<uint64_t> create(DeviceMemory& memory, const HandleWords& words) {
  const auto image = image_of(words);
  if (words[0] == kImageKind && image) return create_image_and_data(memory, *image);
  if (words[0] == kAddressKind) return words[2] | uint64_t{words[3]} << 32;
  if (words[0] != kSamplerKind) return base::Error("a record that is no image and no sampler");
  return create_sampler(memory, {byte_of(words[1], 0), byte_of(words[1], 1), byte_of(words[1], 2)});
}

}  // namespace

HandleWords handle_words(const Image& i) {
  return {kImageKind, i.geometry | uint32_t{i.order} << 8 | uint32_t{i.channel} << 16,
          i.width,    i.height,
          i.depth,    i.array,
          0,          0};
}

HandleWords handle_words(const Sampler& s) {
  return {kSamplerKind, s.coord | uint32_t{s.filter} << 8 | uint32_t{s.addressing} << 16};
}

HandleWords address_words(unsigned bytes) {
  return {kAddressKind, bytes};
}

base::Status create_handles(DeviceMemory& memory, uint64_t address, uint64_t bytes, uint64_t object,
                            uint64_t object_bytes) {
  const auto fail = [](uint64_t number, const std::string& what) {
    return base::Error(fmt::format("{}, record {}: {}", kHandleList, number, what));
  };
  for (uint64_t at = 0; at < bytes; at += sizeof(Record)) {
    const uint64_t number = at / sizeof(Record);
    Record record;
    if (bytes - at < sizeof record) return fail(number, "it is cut off");
    if (auto r = memory.read_value(address + at, &record); !r) return fail(number, r.str());
    uint64_t count = sizeof(uint64_t);
    if (record.words[0] == kAddressKind) {
      count = record.words[1];
      if (count == 0 || count > sizeof(uint64_t)) {
        return fail(number, fmt::format("{} bytes of an address, expected 1 to 8", count));
      }
    }
    const bool inside = record.place >= object && object_bytes >= count &&
                        record.place - object <= object_bytes - count;
    if (!inside) return fail(number, "its handle is outside of the object");
    auto handle = create(memory, record.words);
    if (!handle) return fail(number, handle.error().what);
    if (auto r = memory.poke(record.place, &*handle, count); !r) return fail(number, r.str());
  }
  return {};
}

}  // namespace cuvette::hsa
