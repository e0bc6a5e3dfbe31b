// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hsa/memory.h"

namespace cuvette::golden {

/// Device memory with its bytes and permissions beside it: several host pages, of which parts are
/// read-only or not mapped.
struct PartsMemory {
  static constexpr uint64_t kBytes = 5 << 16;  ///< unless told otherwise
  struct Part {
    uint64_t begin, end;
    bool writable;
  };
  struct Layout {
    uint64_t bytes = kBytes;
    std::vector<Part> parts = {{0, 0x18000, true},
                               {0x18000, 0x18ffc, false},
                               {0x19ff4, 0x2fff8, true},
                               {0x30000, 0x4fff0, true}};
    uint64_t first = uint64_t{1} << 32;  ///< address
  };
  const std::vector<Part> parts;
  hsa::DeviceMemory device;
  uint64_t begin = 0;
  std::vector<uint8_t> bytes;

  PartsMemory() : PartsMemory(Layout{}) {}
  explicit PartsMemory(const Layout& layout)
      : parts(layout.parts), device(config_of(layout)), bytes(layout.bytes) {
    begin = *device.reserve(layout.bytes, {});
    for (const Part& part : parts) {
      const auto permitted = part.writable ? hsa::Access::ReadWrite : hsa::Access::Read;
      EXPECT_TRUE(device.map_part(begin, part.begin, part.end - part.begin, permitted).ok());
    }
  }
  bool allows(uint64_t address, bool write) const {
    const uint64_t at = address - begin;
    for (const Part& part : parts) {
      if (at >= part.begin && at < part.end) return part.writable || !write;
    }
    return false;
  }
  void fill(std::mt19937_64& random) {
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  }
  void put() {
    for (const Part& part : parts) {
      ASSERT_TRUE(device.poke(begin + part.begin, &bytes[part.begin], part.end - part.begin).ok());
    }
  }
  std::vector<uint8_t> get() {
    std::vector<uint8_t> out(bytes.size());
    for (const Part& part : parts) {
      EXPECT_TRUE(device.read(begin + part.begin, &out[part.begin], part.end - part.begin).ok());
    }
    return out;
  }

 private:
  static hsa::DeviceAllocator::Config config_of(const Layout& layout) {
    hsa::DeviceAllocator::Config config;
    config.first = layout.first;
    return config;
  }
};

}  // namespace cuvette::golden
