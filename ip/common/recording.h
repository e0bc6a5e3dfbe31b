// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "isa/target.h"
#include "machine/description.h"

namespace cuvette::ip {

/// What a transaction file says about the device and the difference, whatever the block
/// (docs/lockstep.md).
struct RecordingHead {
  std::string device = "rtl";  ///< "rtl" or "dut:NAME"
  std::string library;         ///< of a dut
  isa::Target target = isa::Target::Gfx908;
  uint64_t seed = 1;
  uint32_t compute_unit = 0, simd = 0;
  machine::TimingRule timing;
  std::string field;  ///< of the difference that was found
};

/// Which block the file with content `text` is about: "valu", "matrix_core", "simd" or
/// "vrf". Errors: no transaction file, another block.
base::Result<std::string> recorded_block(const std::string& text, const std::string& file);

}  // namespace cuvette::ip
