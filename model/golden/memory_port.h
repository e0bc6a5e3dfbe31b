// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hsa/memory.h"
#include "wave/memory_op.h"

namespace cuvette::golden {

/// Carries out memory operations at once on device memory and on a work-group's LDS. Lanes act in
/// ascending order, which decides conflicting stores and the order of atomics.
class MemoryPort {
 public:
  explicit MemoryPort(hsa::DeviceMemory& memory) : memory_(memory) {}

  /// First address that failed, when reply.faulted is not 0.
  uint64_t fault_address() const { return fault_address_; }

  void perform(const wave::MemoryOp& op, const wave::Mode& mode, std::vector<uint8_t>& lds,
               wave::MemoryReply& reply);

 private:
  /// A piece of device memory that is contiguous in the host: valid for addresses [first, end).
  struct Window {
    uint64_t first = 1, end = 0;
    uint8_t* host = nullptr;
  };
  bool load(uint64_t address, void* out, unsigned bytes);
  bool store(uint64_t address, const void* data, unsigned bytes);
  uint8_t* window(uint64_t address, unsigned bytes, hsa::Access access);

  void global(const wave::MemoryOp& op, uint64_t lanes, wave::MemoryReply& reply);
  void global_pieces(const wave::MemoryOp& op, unsigned lane, wave::MemoryReply& reply);
  bool global_contiguous(const wave::MemoryOp& op, uint64_t lanes, wave::MemoryReply& reply);
  void local(const wave::MemoryOp& op, uint64_t lanes, const wave::Mode& mode,
             std::vector<uint8_t>& lds, wave::MemoryReply& reply);
  void scalar(const wave::MemoryOp& op, wave::MemoryReply& reply);
  void fault(wave::MemoryReply& reply, unsigned lane, uint64_t address);

  static constexpr size_t kWindows = 64;
  hsa::DeviceMemory& memory_;
  std::array<Window, kWindows> read_{}, write_{};
  uint64_t generation_ = ~uint64_t{0};
  uint64_t fault_address_ = 0;
};

}  // namespace cuvette::golden
