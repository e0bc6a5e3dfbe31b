// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "golden/memory_port.h"
#include "wave/memory_op.h"
#include "wave/retire_record.h"

namespace cuvette::golden {

/// Memory that a wave sees while it is stepped. The caller decides what it is: device memory, the
/// memory of a logged run, or the memory that a device under test may legally have seen.
class StepMemory {
 public:
  virtual ~StepMemory() = default;
  /// Carries out an operation of `wave`; what failed goes to reply.faulted.
  virtual void perform(const wave::MemoryOp& op, const wave::Mode& mode,
                       wave::MemoryReply& reply) = 0;
  /// First failure and its address, when reply.faulted is not 0.
  virtual hsa::AccessResult first_fault() const = 0;
  /// Device memory whose names of ranges serve messages; null: none.
  virtual const hsa::DeviceMemory* device() const { return nullptr; }
  /// Fills what only the memory knows of the accesses just made: memory type, serial.
  virtual void describe(std::vector<wave::MemoryAccess>& accesses) = 0;
  /// Global wave sync and the ordered counters.
  virtual GlobalSync& sync() = 0;
  /// True if waves wait there for each other; otherwise the caller knows that they need not.
  virtual bool waits() const { return true; }
};

/// Device memory and the LDS of one work-group. `serial` counts stores and atomics of all waves.
class PortMemory final : public StepMemory {
 public:
  PortMemory(MemoryPort& port, std::vector<uint8_t>& lds, uint64_t& serial)
      : port_(port), lds_(lds), serial_(serial) {}
  void perform(const wave::MemoryOp& op, const wave::Mode& mode,
               wave::MemoryReply& reply) override {
    port_.perform(op, mode, lds_, reply);
  }
  hsa::AccessResult first_fault() const override { return port_.first_fault(); }
  const hsa::DeviceMemory* device() const override { return &port_.memory(); }
  void describe(std::vector<wave::MemoryAccess>& accesses) override;
  GlobalSync& sync() override { return port_.sync(); }

 private:
  MemoryPort& port_;
  std::vector<uint8_t>& lds_;
  uint64_t& serial_;
};

}  // namespace cuvette::golden
