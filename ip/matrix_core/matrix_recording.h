// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ip/common/recording.h"
#include "ip/matrix_core/matrix_report.h"

namespace cuvette::ip {

/// The last instructions before a difference, with what is needed to show it again on the block
/// alone: the content of a transaction file (docs/lockstep.md).
struct MatrixRecording : RecordingHead {
  std::vector<MatrixTransaction> transactions;
};

/// JSON lines: the recording, then one instruction per line.
std::string to_text(const MatrixRecording& recording);
/// Errors name the line: no JSON, a missing or unknown key, a number out of range, no matrix
/// instruction of the target, passes that are not those of the instruction, instructions out of
/// order, more than 4096 of them.
base::Result<MatrixRecording> parse_matrix_recording(const std::string& text,
                                                     const std::string& file);

}  // namespace cuvette::ip
