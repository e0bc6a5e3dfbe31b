// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#define CUVETTE_VECTOR_BYTES 16
#include "wave/lanes/level_rows.h"

namespace cuvette::wave::lanes {

const HostRows& host_rows_baseline() {
  return kLevelRows;
}

}  // namespace cuvette::wave::lanes
