// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ip/matrix_core/matrix_compare.h"
#include "ip/matrix_core/matrix_device.h"
#include "ip/matrix_core/matrix_recording.h"

namespace cuvette::ip {

struct MatrixRerun {
  MatrixCounts counts;
  std::optional<MatrixMismatch> mismatch;
};

/// Feeds recorded instructions to a fresh `device` alone, in lockstep, at the distances in time at
/// which their passes came to the pins, with results taken no earlier than they were. Ends a few
/// cycles after the first difference, or when nothing has happened for 256 cycles. `wave`: where
/// waveforms go; empty: none. Errors: the device has no waveforms or cannot write them.
base::Result<MatrixRerun> rerun_matrix(std::unique_ptr<MatrixDevice> device,
                                       const MatrixRecording& recording, const std::string& wave);

}  // namespace cuvette::ip
