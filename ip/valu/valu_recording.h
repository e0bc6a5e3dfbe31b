// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "ip/common/recording.h"
#include "ip/valu/valu_report.h"

namespace cuvette::ip {

/// The last transactions before a difference, with what is needed to show it again on the block
/// alone: the content of a transaction file (docs/lockstep.md).
struct ValuRecording : RecordingHead {
  std::vector<ValuTransaction> transactions;
};

/// JSON lines: the recording, then one transaction per line.
std::string to_text(const ValuRecording& recording);
/// Errors name the line: no JSON, a missing or unknown key, a number out of range, an unknown
/// instruction, transactions out of order, more than 4096 of them.
base::Result<ValuRecording> parse_recording(const std::string& text, const std::string& file);

}  // namespace cuvette::ip
