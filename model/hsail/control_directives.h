// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "hsa/launch_limits.h"
#include "hsail/module.h"
#include "hsail/validate_inst.h"

namespace cuvette::hsail {

/// Limits that the control directives of a kernel and of the functions it reaches by call and scall
/// promise of its dispatches (HSAIL PRM 13.5). `module` may be a linked program. WAVESIZE stands
/// for `wavesize`.
///
/// Errors, with the place of the later directive: two that do not agree, in one code block or along
/// a call; sizes that do not fit each other; a promise of a function that its kernel does not make,
/// where 13.5 wants both.
base::Result<hsa::LaunchLimits> launch_limits(const Module& module, CodeRef kernel,
                                              unsigned wavesize);

/// Error in the values of a control directive by itself.
Finding check_control(const Module& module, const CodeEntry& entry);

/// As the errors of launch_limits(), with wavefronts of 64, for every kernel and function.
std::vector<Finding> check_limits(const Module& module);

}  // namespace cuvette::hsail
