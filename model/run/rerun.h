// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "ip/matrix_core/matrix_device.h"
#include "ip/matrix_core/matrix_recording.h"
#include "ip/simd/simd_device.h"
#include "ip/simd/simd_recording.h"
#include "ip/valu/valu_device.h"
#include "ip/valu/valu_recording.h"
#include "ip/valu/valu_rerun.h"
#include "ip/vrf/vrf_device.h"
#include "ip/vrf/vrf_recording.h"

// Recorded transactions of one block, run again on the block alone. Builds with Verilator only.
namespace cuvette::run {

/// The device of a recording, its pins watched: the checking build of our RTL, or the module of the
/// user. Errors: the module is not there or does not fit.
base::Result<std::unique_ptr<ip::ValuDevice>> device_of(const ip::ValuRecording& recording);
base::Result<std::unique_ptr<ip::MatrixDevice>> device_of(const ip::MatrixRecording& recording);
base::Result<std::unique_ptr<ip::SimdDevice>> device_of(const ip::SimdRecording& recording);
base::Result<std::unique_ptr<ip::VrfDevice>> device_of(const ip::VrfRecording& recording);

/// What a difference leaves behind: writes the transactions to a file named after `wave`, or after
/// `default_stem` when that is empty, runs them on the block alone, with waveforms when `wave` is
/// given. The lines that follow the report: files, whether the rerun shows the difference, the
/// command for another one. What cannot be written is said there.
/// Recording: ip::ValuRecording, MatrixRecording, SimdRecording or VrfRecording.
template <class Recording>
std::string after_difference(const Recording& recording, const std::string& wave,
                             const std::string& default_stem);

/// Runs the transactions on the block alone and writes its waveforms. Errors: the device cannot be
/// made, the file not be written, or the rerun differs from the reference.
template <class Recording>
base::Status write_waves(const Recording& recording, const std::string& wave);

}  // namespace cuvette::run
