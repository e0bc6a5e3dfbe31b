// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"

namespace cuvette::gpu {

/// Window of doorbells in the physical addresses of the GPU, for stores of waves
/// (CUVETTE_DOORBELL_APERTURE, registers.md): doorbell n is the 8 bytes at base + 8 n.
class DoorbellAperture {
 public:
  static constexpr uint64_t kBytes = uint64_t{2} << 20;

  /// `base`: a multiple of kBytes.
  void place(bool there, uint64_t base) {
    there_ = there;
    base_ = base;
    if (moved_) moved_();
  }
  /// Called after each place().
  void on_move(std::function<void()> moved) { moved_ = std::move(moved); }
  bool there() const { return there_; }
  uint64_t base() const { return base_; }
  bool covers(uint64_t pa) const { return there_ && pa - base_ < kBytes; }
  bool overlaps(uint64_t pa, uint64_t bytes) const {
    return there_ && pa < base_ + kBytes && base_ < pa + bytes;
  }

  /// Doorbells that a store rings, the lowest first: bytes of `data` whose bit in `mask` is set go
  /// to `pa` and up. A doorbell whose lower 4 bytes are not all written is not rung; upper bytes
  /// that are not written are 0.
  std::vector<command_processor::Doorbell> rung(uint64_t pa, const uint8_t* data,
                                                uint64_t mask) const;

 private:
  bool there_ = false;
  uint64_t base_ = 0;
  std::function<void()> moved_;
};

}  // namespace cuvette::gpu
