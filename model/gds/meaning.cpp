// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/meaning.h"

#include "gds/gds_messages.h"

namespace cuvette::gds {

uint64_t answered_lanes(const Request& r) {
  if (r.sync == wave::SyncOp::OrderedCount) return 1;
  if (r.sync != wave::SyncOp::None) return 0;
  const bool answers = r.kind == wave::MemoryKind::Load || r.kind == wave::MemoryKind::AtomicReturn;
  if (!answers) return 0;
  return r.accesses == 2 ? r.exec[0] | r.exec[1] : r.exec[0];
}

}  // namespace cuvette::gds
