// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cuvette::run {

/// Most GPUs of a process of ROCm's user space (docs/howto/rocm.md "Several devices").
inline constexpr unsigned kMostDevices = 8;

}  // namespace cuvette::run
