// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hsa/hsa_ext_finalize.h>

#include "base/result.h"
#include "hsail/module.h"

/// The control directives of a finalization (hsa_ext_control_directives_t): those of HSAIL PRM 13.5
/// for every kernel and indirect function of a program.
namespace cuvette::finalize_extension {

/// The first thing about the structure that its documentation does not allow, empty when there is
/// none: an unknown directive, a value of a directive that is not there, a value out of range,
/// values that do not fit each other, reserved members.
std::string malformed(const hsa_ext_control_directives_t& directives);

/// `program` (linked) as if each of its kernels and indirect functions began with the directives;
/// a maximum that is smaller than what the program says takes its place. The structure is well
/// formed.
///
/// Errors: a directive that is not the program's, or larger than its maximum; directives of the
/// program that do not agree along a call.
base::Result<hsail::Module> with_directives(const hsail::Module& program,
                                            const hsa_ext_control_directives_t& directives);

}  // namespace cuvette::finalize_extension
