// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ip/valu/valu_recording.h"

namespace cuvette::ip {

struct ValuRerun {
  ValuCounts counts;
  std::optional<ValuMismatch> mismatch;
};

/// Feeds recorded transactions to a fresh `device` alone, at the distances in time at which they
/// came to the pins, with responses taken no earlier than they were; compares like lockstep, in
/// every field of every response. Ends at the first difference or 64 cycles after the last
/// transaction. `wave`: where waveforms go; empty: none. The file is complete when the device is
/// gone. Errors: the device has no waveforms or cannot write them.
base::Result<ValuRerun> rerun_valu(ValuDevice& device, const ValuRecording& recording,
                                   const std::string& wave);

}  // namespace cuvette::ip
