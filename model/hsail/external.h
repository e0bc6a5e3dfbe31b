// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "hsa/external_symbols.h"
#include "hsail/exec.h"
#include "hsail/module.h"

/// Variables that no module of a program defines and that lie wherever the host says (HSAIL PRM
/// 4.2.1, 4.12.1).
namespace cuvette::hsail {

/// True if an entry is a program-linkage declaration of a global or readonly variable without a
/// definition beside it. `module` is the whole program (hsail/link.h).
bool is_external(const Module& module, CodeRef entry);

/// The address of every declaration of such variables. Errors: a name that is not one of them, too
/// few bytes for a declaration, an address against its alignment or, in the small machine model, at
/// or above 4 GiB (all placed where the external says), a variable without address that a kernel,
/// an indirect function, what these call or an initialiser refers to (at its declaration).
base::Result<VariableAddresses> place_externals(const Module& module,
                                                const hsa::ExternalVariables& externals);

}  // namespace cuvette::hsail
