// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "golden/access_watch.h"
#include "golden/view.h"
#include "hsa/memory.h"
#include "wave/executor/soft_tlb.h"
#include "wave/memory/global_sync.h"
#include "wave/memory_op.h"

namespace cuvette::golden {

using wave::GlobalSync;

/// Carries out memory operations at once on device memory and on a work-group's LDS. Lanes act in
/// ascending order, which decides conflicting stores and the order of atomics.
class MemoryPort final : public wave::SoftTlb {
 public:
  explicit MemoryPort(hsa::DeviceMemory& memory) : memory_(&memory) {}

  /// From now on accesses are to `view`; null: to `memory`. Both outlive the next call.
  void see(hsa::DeviceMemory& memory, View* view);

  /// First failure and its address, to the byte, when reply.faulted is not 0.
  const hsa::AccessResult& first_fault() const { return first_fault_; }

  const hsa::DeviceMemory& memory() const { return *memory_; }
  /// Serialization index of the last observed store or atomic.
  uint64_t& serial() { return serial_; }

  void perform(const wave::MemoryOp& op, const wave::Mode& mode, std::vector<uint8_t>& lds,
               wave::MemoryReply& reply);

  /// State that all work-groups share besides memory.
  GlobalSync& sync() {
    if (watch_ != nullptr) watch_->depends_on_order("a global wave sync or ordered count");
    return sync_;
  }
  /// sync() for who only asks whether a wave may go on, or ends a dispatch.
  GlobalSync& sync_state() { return sync_; }
  /// Before accesses: what is mapped may have changed since the last ones.
  void refresh() {
    if (generation_ == memory_->space().generation()) return;
    forget_spans();
    generation_ = memory_->space().generation();
  }

  /// Sets the receiver of accesses to global memory and to state that all work-groups share; null:
  /// none.
  void watch(AccessWatch* watch);
  AccessWatch* watch() { return watch_; }
  void touch(uint64_t address, unsigned bytes, bool write) override {
    watch_->touch(address, bytes, write);
  }
  void touch_lanes(uint64_t first, const uint32_t (&offset)[wave::kLanes], uint64_t lanes,
                   unsigned bytes, bool write) override {
    watch_->touch_lanes(first, offset, lanes, bytes, write);
  }
  void touch_atomic(uint64_t address, unsigned bytes, base::AtomicOp op, bool returns) override {
    watch_->atomic(address, bytes, op, returns);
  }

 private:
  uint8_t* find_span(uint64_t address, unsigned bytes, bool write) override;
  bool is_noted(uint64_t address, bool write);
  void change_last(uint64_t address, unsigned bytes);
  Span span_around(uint64_t address, unsigned bytes, uint64_t window, hsa::Access access,
                   const hsa::Translation& translation);
  bool good(const hsa::AccessResult& result);
  bool load(uint64_t address, void* out, unsigned bytes);
  bool store(uint64_t address, const void* data, unsigned bytes);
  bool update(const wave::MemoryOp& op, uint64_t address, const hsa::Backing::Update& change,
              uint64_t& old);
  void check(uint64_t address, const hsa::Translation& translation, bool write);

  void global(const wave::MemoryOp& op, uint64_t lanes, wave::MemoryReply& reply);
  void global_pieces(const wave::MemoryOp& op, unsigned lane, wave::MemoryReply& reply);
  bool global_contiguous(const wave::MemoryOp& op, uint64_t lanes, wave::MemoryReply& reply);
  void sample(wave::Sampling& sampling, wave::MemoryReply& reply);
  void store_from_lds(const wave::MemoryOp& op, const std::vector<uint8_t>& lds,
                      wave::MemoryReply& reply);
  void scalar(const wave::MemoryOp& op, wave::MemoryReply& reply);
  void fault(wave::MemoryReply& reply, unsigned lane);

  hsa::DeviceMemory* memory_;
  View* view_ = nullptr;
  uint64_t generation_ = ~uint64_t{0};
  hsa::AccessResult failed_;  // the last access, when it failed
  hsa::AccessResult first_fault_;
  uint64_t serial_ = 0;
  std::vector<uint8_t> gds_;  // made by the first access
  GlobalSync sync_;
  AccessWatch* watch_ = nullptr;
};

}  // namespace cuvette::golden
