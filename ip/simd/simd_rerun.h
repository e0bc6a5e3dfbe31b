// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ip/simd/simd_device.h"
#include "ip/simd/simd_lockstep.h"
#include "ip/simd/simd_recording.h"

namespace cuvette::ip {

struct SimdRerun {
  SimdCounts counts;
  std::optional<SimdMismatch> mismatch;
};

/// Writes the rows that the recorded instructions found into a fresh `device`, then feeds it these
/// instructions in lockstep, at the distances in time at which they were taken (pauses cut to 8
/// cycles); a row that something else changed between two of them is written before the second.
/// Ends a few cycles after the first difference, or when nothing has happened for 64 cycles.
/// `wave`: where waveforms go; empty: none. Errors: the device has no waveforms or cannot write
/// them; it has no circuit for an instruction.
base::Result<SimdRerun> rerun_simd(std::unique_ptr<SimdDevice> device,
                                   const SimdRecording& recording, const std::string& wave);

}  // namespace cuvette::ip
