// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/atomic_op.h"
#include "wave/memory_op.h"

namespace cuvette::ip {

/// Error in an access of a recording to a data share, local or global; empty: none.
/// `operand_in_share`: the access takes its operand from the share, whose name is `share`.
template <class Request>
std::string share_access_error(const Request& r, bool operand_in_share, const std::string& share) {
  if (r.accesses != 1 && r.accesses != 2) return "'accesses' must be 1 or 2";
  if (operand_in_share && r.accesses != 1) {
    return "'accesses' must be 1 with an operand in the " + share;
  }
  const bool atomic =
      r.kind == wave::MemoryKind::Atomic || r.kind == wave::MemoryKind::AtomicReturn;
  const bool words = r.bytes == 4 || r.bytes == 8;
  if ((atomic || r.accesses == 2) && !words) return "'bytes' must be 4 or 8 here";
  const bool one = r.bytes == 1 || r.bytes == 2 || r.bytes == 12 || r.bytes == 16;
  if (!words && !one) return "'bytes' must be 1, 2, 4, 8, 12 or 16";
  if (r.atomic > base::AtomicOp::CondXchg32) return "'atomic' is no operation";
  return {};
}

}  // namespace cuvette::ip
