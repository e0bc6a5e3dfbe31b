// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/atomic_op.h"
#include "hsa/backing.h"

namespace cuvette::sdma {

/// Memory as an SDMA engine reaches it, by physical addresses: behind the L2, as the host does.
/// Accesses may wait. Functions give false when a byte does not exist.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  virtual bool read(uint64_t pa, void* out, unsigned bytes) = 0;
  virtual bool write(uint64_t pa, const void* data, unsigned bytes) = 0;
  /// 4 or 8 bytes, naturally aligned; `old` gets the value before.
  virtual bool atomic(uint64_t pa, unsigned bytes, base::AtomicOp op, uint64_t data,
                      uint64_t compare, uint64_t& old) = 0;
};

/// A Backing, without time. Not owned.
class BackingPort final : public MemoryPort {
 public:
  explicit BackingPort(hsa::Backing& backing) : backing_(backing) {}
  bool read(uint64_t pa, void* out, unsigned bytes) override;
  bool write(uint64_t pa, const void* data, unsigned bytes) override;
  bool atomic(uint64_t pa, unsigned bytes, base::AtomicOp op, uint64_t data, uint64_t compare,
              uint64_t& old) override;

 private:
  hsa::Backing& backing_;
};

}  // namespace cuvette::sdma
