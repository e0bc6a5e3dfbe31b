// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "finalizer/module.h"

namespace cuvette::run {

/// Loads lib/cuvette/finalizer.so, once per process, of the tree that the program lies in,
/// installed or built, or of the install prefix of the build. Errors: not there, of another
/// version, not a module.
base::Result<const finalizer::Module*> load_finalizer();

}  // namespace cuvette::run
