// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/rtl_module.h"

// A module of RTL of a version that no program has.
extern "C" const cuvette::ip::RtlModule* cuvette_rtl() {
  static constexpr cuvette::ip::RtlModule kModule{"0.0.0", nullptr};
  return &kModule;
}
