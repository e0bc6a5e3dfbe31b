// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ip/common/recording.h"
#include "ip/vrf/vrf_lockstep.h"

namespace cuvette::ip {

/// The last row accesses before a difference: the content of a transaction file
/// (docs/lockstep.md).
struct VrfRecording : RecordingHead {
  std::vector<VrfAccess> transactions;
};

/// JSON lines: the recording, then one access per line.
std::string to_text(const VrfRecording& recording);
/// Errors name the line: no JSON, a missing or unknown key, a number out of range, accesses out of
/// order, more than 4096 of them.
base::Result<VrfRecording> parse_vrf_recording(const std::string& text, const std::string& file);

}  // namespace cuvette::ip
