// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace cuvette::hsail {

/// Global memory as the interpreter sees it: global, readonly and flat accesses by virtual address
/// in bytes. Every method returns false, without any effect, when a byte is not accessible.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  virtual bool read(uint64_t address, void* out, size_t bytes) = 0;
  virtual bool write(uint64_t address, const void* data, size_t bytes) = 0;
  /// Atomic read-modify-write of 4 or 8 naturally aligned bytes; `old` receives the value before.
  virtual bool update(uint64_t address, unsigned bytes,
                      const std::function<uint64_t(uint64_t)>& function, uint64_t* old) = 0;
  /// Place of an access that failed, as the end of a message: ", 12 bytes beyond the end of
  /// buffer y (...)"; empty: nothing is known.
  virtual std::string place_of(uint64_t /*address*/, size_t /*bytes*/) const { return {}; }
};

}  // namespace cuvette::hsail
