// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"
#include "golden/view.h"
#include "gpu/vm_contexts.h"
#include "hsa/memory.h"

namespace cuvette::host {

/// Memory as waves of one VMID see it: by its page tables when it has some, else at its own
/// addresses; and stores to the doorbell aperture ring (docs/reference/registers.md).
class GoldenView final : public golden::View {
 public:
  /// Both outlive it. VMID 0 at first.
  GoldenView(hsa::Backing& memory, const gpu::VmContexts& contexts);
  ~GoldenView() override;

  /// Waves of this VMID are next.
  void turn_to(uint8_t vmid) { vmid_ = vmid; }
  bool has_page_tables() const { return contexts_.enabled(vmid_); }

  hsa::DeviceMemory& memory() override { return seen_; }
  bool stays() const override;
  void stored() override;

  /// Doorbells that stores have rung since the last call: one store instruction rings a doorbell
  /// once, with the value that its last lane wrote.
  std::vector<command_processor::Doorbell> take_rung() { return std::exchange(rung_, {}); }

 private:
  class Space;
  class Bytes;
  /// Bytes that the store instruction under way has written to a block of the aperture: a bit of
  /// `mask` per byte of `data`.
  struct Block {
    uint64_t address = 0;  ///< of its first byte, a multiple of 64
    uint64_t mask = 0;
    std::array<uint8_t, 64> data{};
  };
  Block& block_at(uint64_t address);

  const gpu::VmContexts& contexts_;
  uint8_t vmid_ = 0;
  std::vector<Block> blocks_;  // in the order of their first lanes
  std::vector<command_processor::Doorbell> rung_;
  hsa::DeviceMemory seen_;
};

}  // namespace cuvette::host
