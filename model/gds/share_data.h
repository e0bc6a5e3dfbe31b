// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gds/gds.h"

namespace cuvette::gds {

bool is_atomic(const Request& request);

/// The memory of the block with its atomic operations, without time. Zero at first.
class ShareData {
 public:
  explicit ShareData(uint32_t bytes) : bytes_(bytes) {}

  /// An access acts at once (docs/reference/gds.md, Ordering).
  Response access(const Request& request);
  uint32_t size() const { return static_cast<uint32_t>(bytes_.size()); }
  void peek(uint32_t address, uint8_t* bytes, uint32_t count) const;
  void poke(uint32_t address, const uint8_t* bytes, uint32_t count);

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace cuvette::gds
