// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "golden/step_memory.h"
#include "golden/visible_memory.h"

namespace cuvette::golden {

/// Values that the device declared for a load.
struct Observation {
  uint64_t lanes = 0;
  uint64_t upper = 0;       ///< last serial declared at that time
  unsigned candidates = 0;  ///< legal values, when it was checked at once
  std::vector<uint8_t> bytes;
};

/// The memory of one step under Cosim: global memory by VisibleMemory, LDS directly.
class CosimMemory final : public StepMemory {
 public:
  /// `observation` null: loads must be determined. `declare`: writes take the next place at once.
  CosimMemory(VisibleMemory& visible, MemoryPort& port, std::vector<uint8_t>& lds, uint64_t wave,
              uint64_t order, const Observation* observation, bool declare)
      : visible_(visible),
        port_(port),
        lds_(lds),
        wave_(wave),
        order_(order),
        observation_(observation),
        declare_(declare) {}

  void perform(const wave::MemoryOp& op, const wave::Mode& mode, wave::MemoryReply& reply) override;
  hsa::AccessResult first_fault() const override { return first_fault_; }
  void describe(std::vector<wave::MemoryAccess>& accesses) override;
  GlobalSync& sync() override { return port_.sync(); }
  bool waits() const override { return false; }

  const std::string& wrong() const { return wrong_; }
  bool loaded() const { return loads_ != 0; }
  unsigned candidates() const { return candidates_; }

 private:
  using Cache = VisibleMemory::Cache;
  void vector(const wave::MemoryOp& op, uint64_t lanes, wave::MemoryReply& reply);
  void scalar(const wave::MemoryOp& op, wave::MemoryReply& reply);
  void sample(wave::Sampling& sampling, uint64_t lanes, wave::MemoryReply& reply);
  wave::MemoryOp filled_from_lds(const wave::MemoryOp& op) const;
  void put_into_lds(const wave::MemoryOp& op, const wave::MemoryReply& reply);
  bool in_lds(uint64_t address) const { return address + 4 <= lds_.size(); }
  void load(Cache cache, uint64_t address, unsigned bytes, size_t from, uint8_t* data);
  uint64_t write(VisibleMemory::Write write, bool returns);
  void fault(wave::MemoryReply& reply, unsigned lane, uint64_t address);
  bool observation_fits(uint64_t lanes, size_t bytes);
  void complain(const std::string& text) {
    if (wrong_.empty()) wrong_ = text;
  }

  VisibleMemory& visible_;
  MemoryPort& port_;
  std::vector<uint8_t>& lds_;
  uint64_t wave_, order_;
  const Observation* observation_;
  bool declare_;
  hsa::AccessResult first_fault_;
  std::string wrong_;
  unsigned loads_ = 0, candidates_ = 0;
};

}  // namespace cuvette::golden
