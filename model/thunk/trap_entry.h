// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::thunk {

/// First-level trap handler of the driver: what a wave enters when it traps, a jump to the
/// second-level handler that the runtime has set (hsaKmtSetTrapHandler). The wave finds there what
/// the kernel driver's own handler leaves: STATUS in TTMP12, the second-level TMA in TTMP15:14, 0
/// in TTMP11, cause and PC in TTMP1:0.
class TrapEntry {
 public:
  /// `page`: memory of at least kBytes that the device can read and execute.
  static constexpr uint64_t kBytes = 256;
  explicit TrapEntry(void* page);

  /// For waves that are launched later; 0: no handler.
  void set_second_level(uint64_t handler, uint64_t memory);
  /// TBA of waves: 0 as long as there is no second-level handler.
  uint64_t address() const { return has_handler_ ? reinterpret_cast<uint64_t>(page_) : 0; }
  uint64_t memory() const { return memory_; }

 private:
  void* page_;
  bool has_handler_ = false;
  uint64_t memory_ = 0;
};

}  // namespace cuvette::thunk
