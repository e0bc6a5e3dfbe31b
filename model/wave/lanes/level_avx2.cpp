// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define CUVETTE_VECTOR_BYTES 32
#include "wave/lanes/level_rows.h"

namespace cuvette::wave::lanes {

const HostRows& host_rows_avx2() {
  return kLevelRows;
}

}  // namespace cuvette::wave::lanes

#else
#include "wave/lanes/plain.h"

namespace cuvette::wave::lanes {

const HostRows& host_rows_avx2() {
  return host_rows_baseline();
}

}  // namespace cuvette::wave::lanes

#endif
