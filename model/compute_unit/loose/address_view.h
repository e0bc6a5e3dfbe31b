// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "compute_unit/coalesce.h"
#include "compute_unit/direct_memory.h"
#include "compute_unit/loose/levels.h"
#include "hsa/address_space.h"
#include "wave/executor/program.h"
#include "wave/executor/soft_tlb.h"
#include "wave/memory_op.h"

namespace cuvette::compute_unit::loose {

/// Memory and code as the waves of one VMID see them: pages to regions of host memory (micro-ops go
/// there), requests for everything else, decoded instructions by address. Notes which blocks of 64
/// bytes accesses touch.
class AddressView final : public wave::SoftTlb, private wave::CodeSource {
 public:
  AddressView(const hsa::AddressSpace& space, uint32_t vmid, DirectMemory& memory,
              isa::Target target, unsigned lanes_per_window);

  /// Before accesses at `now`: what is mapped or granted may have changed since the last ones.
  void refresh(machine::Cycle now);

  wave::Program& program() { return program_; }
  hsa::CodeExtent code_at(uint64_t pc) const { return space_.code_at(vmid_, pc); }
  /// The end of a message about an address; empty when nothing is near.
  std::string near_buffer(uint64_t address) const;

  struct Result {
    hsa::Fault fault = hsa::Fault::None;  ///< with OnFault::Stop, or memory refused
    uint64_t address = 0;                 ///< of the fault
    machine::Cycle answered = 0;          ///< by targets that grant nothing
  };
  /// Carries out an operation on memory and on the LDS of a work-group; lanes in ascending order.
  /// Lanes that are left out go to reply.faulted. Operations of the LDS alone and of the GDS are
  /// others'.
  Result perform(wave::MemoryOp& op, std::vector<uint8_t>& lds, OnFault on_fault,
                 wave::MemoryReply& reply);

  /// Addresses touched since forget_touched() was last called.
  const Touched& touched() const { return touched_; }
  void forget_touched() {
    touched_.blocks.clear();
    seen_ = 0;
  }
  /// Cycles that the target of the regions says an access takes; 0 before there is one.
  machine::Cycle latency() const { return latency_; }

  void touch(uint64_t address, unsigned bytes, bool write) override;
  void touch_lanes(uint64_t first, const uint32_t (&offset)[wave::kLanes], uint64_t lanes,
                   unsigned bytes, bool write) override;
  void touch_atomic(uint64_t address, unsigned bytes, base::AtomicOp op, bool returns) override;

  /// Instruction words without time, for reports: up to `count` from `pc` on; how many there are.
  unsigned peek(uint64_t pc, uint32_t* words, unsigned count) const;

 private:
  size_t fetch(uint64_t pc, uint32_t* words, size_t count) const override;
  uint8_t* find_span(uint64_t address, unsigned bytes, bool write) override;
  uint64_t end_of_code(uint64_t pc) const override { return code_at(pc).end; }
  void note(const wave::MemoryOp& op);
  void note_block(uint64_t block);
  bool touch_near(uint64_t first, const uint32_t (&offset)[wave::kLanes], uint64_t lanes,
                  unsigned bytes);
  bool read(uint64_t pa, void* out, size_t bytes) const;
  void send(const Group& group, wave::MemoryOp& op, wave::MemoryReply& reply, Result& result);

  const hsa::AddressSpace& space_;
  uint32_t vmid_;
  DirectMemory& memory_;
  unsigned window_;  // lanes
  wave::Program program_;
  uint64_t mapped_ = ~uint64_t{0}, granted_ = ~uint64_t{0};  // generations
  machine::Cycle now_ = 0, latency_ = 0;
  Touched touched_;
  uint64_t seen_ = 0;  // of its blocks, modulo 64
  Coalesced requests_;
};

}  // namespace cuvette::compute_unit::loose
