// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "isa/target.h"
#include "machine/gpu_config.h"

namespace cuvette::ip {

/// Head of a block in a recording: the device and where it stood (docs/reference/lockstep.md).
struct RecordingHead {
  std::string device = "rtl";  ///< "rtl" or "dut:NAME"
  std::string library;         ///< of a dut
  isa::Target target = isa::Target::Gfx908;
  uint64_t seed = 1;                    ///< initial state of RTL registers
  uint32_t compute_unit = 0, simd = 0;  ///< place of the block in the machine
  machine::TimingRule timing;           ///< timing check of the lockstep
  std::string field;                    ///< of the difference that was found
};

}  // namespace cuvette::ip
