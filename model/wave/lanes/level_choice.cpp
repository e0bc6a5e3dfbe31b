// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/level_table.h"

namespace cuvette::wave::lanes {

const LevelTable* level_table() {
  switch (host_level()) {
#if defined(__x86_64__)
    case HostLevel::Avx512:
      return &level_table_v4();
    case HostLevel::Avx2:
      return &level_table_v3();
#endif
    case HostLevel::Baseline:
      return &level_table_v2();
    default:
      return nullptr;
  }
}

}  // namespace cuvette::wave::lanes
