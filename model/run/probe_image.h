// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hsa/memory.h"
#include "run/probe_case.h"

namespace cuvette::run {

/// The memory of one probe case: the pages it mentions, and its code, which is no data.
class ProbeImage {
 public:
  /// Errors: a range that cannot exist.
  static base::Result<std::unique_ptr<ProbeImage>> create(const ProbeCase& c,
                                                          const std::vector<uint32_t>& code);

  hsa::DeviceMemory& memory() { return memory_; }
  const hsa::DeviceMemory& memory() const { return memory_; }
  uint64_t code_at() const { return code_at_; }  ///< device address

 private:
  ProbeImage(std::unique_ptr<hsa::Backing> backing, std::unique_ptr<hsa::AddressSpace> space,
             uint64_t code_at)
      : memory_(std::move(backing), std::move(space), hsa::DeviceAllocator::Config{}),
        code_at_(code_at) {}

  hsa::DeviceMemory memory_;
  uint64_t code_at_;
};

}  // namespace cuvette::run
