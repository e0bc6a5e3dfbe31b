// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ip/common/recording.h"
#include "ip/simd/simd_report.h"

namespace cuvette::ip {

/// The last instructions before a difference, each with the rows it may read as they were when it
/// was taken: the content of a transaction file (docs/lockstep.md).
struct SimdRecording : RecordingHead {
  std::vector<SimdTransaction> transactions;
};

/// JSON lines: the recording, then one instruction per line. Of a transaction `issue`, `taken` and
/// `rows` are kept.
std::string to_text(const SimdRecording& recording);
/// Errors name the line: no JSON, a missing or unknown key, a number out of range, words that are
/// no instruction of the target's vector lanes, instructions out of order, more than 4096 of them.
base::Result<SimdRecording> parse_simd_recording(const std::string& text, const std::string& file);

}  // namespace cuvette::ip
