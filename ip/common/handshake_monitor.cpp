// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/common/handshake_monitor.h"

#include <algorithm>

namespace cuvette::ip {

void HandshakeMonitor::cycle(bool in_reset, bool valid, bool ready, const uint8_t* message,
                             size_t bytes) {
  moved_ = false;
  if (in_reset) {
    if (was_in_reset_ && valid) violate("valid is high in reset");
    was_in_reset_ = true;
    waits_ = was_ready_ = false;
    after_reset_ = 0;
    return;
  }
  was_in_reset_ = false;
  if (waits_ && !valid) violate("valid dropped before ready");
  if (waits_ && valid && !std::equal(waiting_.begin(), waiting_.end(), message, message + bytes)) {
    violate("the message changed before ready");
  }
  was_ready_ = was_ready_ || ready;
  if (ready_within_ != 0 && !was_ready_ && ++after_reset_ >= ready_within_) {
    violate("not ready within " + std::to_string(ready_within_) + " cycles after reset");
  }
  moved_ = valid && ready;
  waits_ = valid && !ready;
  if (waits_) waiting_.assign(message, message + bytes);
}

}  // namespace cuvette::ip
