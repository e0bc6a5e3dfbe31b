// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::wave::lanes {

/// Level of the host's vector unit that lane functions use. Results do not depend on it.
enum class HostLevel : uint8_t {
  None,      ///< nothing: the reference lane functions
  Baseline,  ///< least level of every host of the build; x86-64-v2's registers of 16 bytes
  Avx2,      ///< x86-64-v3: AVX2, FMA, F16C
  Avx512,    ///< x86-64-v4
};
/// The best that the host has and limit_host_level() allows.
HostLevel host_level();
/// Tests compare levels. Not for use while waves run or with programs decoded before.
void limit_host_level(HostLevel most);

}  // namespace cuvette::wave::lanes
