// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/lanes/level_row.h"
#include "wave/state.h"

namespace cuvette::wave {

/// MXCSR while a wave runs on the host's floating-point unit: set as a row wants it, its exception
/// flags gathered. They reach TRAPSTS with leave(); who reads TRAPSTS or runs foreign code leaves
/// first.
class HostFloat {
 public:
  explicit HostFloat(ScalarState& scalar) : scalar_(scalar) {}
  HostFloat(const HostFloat&) = delete;
  HostFloat& operator=(const HostFloat&) = delete;
  ~HostFloat() { leave(); }

  /// Sets MXCSR for a row of that mode, by MODE as it is; None: nothing.
  void arrange(lanes::HostMode mode) {
    if (mode == lanes::HostMode::None) return;
    const uint32_t wanted = control_[static_cast<unsigned>(mode)];
    if (wanted != now_ || scalar_.mode.raw != mode_) [[unlikely]]
      change(mode);
  }
  /// Flags to TRAPSTS, MXCSR as it was found.
  void leave() {
    if (now_ != 0) restore();
  }

 private:
  void change(lanes::HostMode mode);
  void restore();

  ScalarState& scalar_;
  uint64_t mode_ = ~uint64_t{0};  ///< MODE that control_ is for; none yet
  uint32_t now_ = 0;              ///< value of MXCSR; 0: it is not ours
  uint32_t found_ = 0;
  uint32_t control_[lanes::kHostModes] = {};
};

}  // namespace cuvette::wave
