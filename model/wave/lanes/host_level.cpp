// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/host_level.h"

#include <algorithm>

namespace cuvette::wave::lanes {
namespace {

HostLevel detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("f16c")) {
    return HostLevel::Baseline;
  }
  const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return v4 ? HostLevel::Avx512 : HostLevel::Avx2;
#else
  return HostLevel::Baseline;
#endif
}

HostLevel limit = HostLevel::Avx512;

}  // namespace

HostLevel host_level() {
  static const HostLevel best = detect();
  return std::min(best, limit);
}
void limit_host_level(HostLevel most) {
  limit = most;
}

}  // namespace cuvette::wave::lanes
