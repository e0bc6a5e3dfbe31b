// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ip/vrf/vrf_device.h"
#include "ip/vrf/vrf_recording.h"

namespace cuvette::ip {

struct VrfRerun {
  VrfCounts counts;
  std::optional<VrfMismatch> mismatch;
};

/// Makes recorded accesses on a fresh `device` alone, in lockstep; lanes that a read found and that
/// no recorded access wrote are written before it. Ends at the first difference. `wave`: where
/// waveforms go; empty: none. Errors: the device has no waveforms or cannot write them.
base::Result<VrfRerun> rerun_vrf(std::unique_ptr<VrfDevice> device, const VrfRecording& recording,
                                 const std::string& wave);

}  // namespace cuvette::ip
