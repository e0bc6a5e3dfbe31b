// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "hsail/module.h"

namespace cuvette::hsail {

/// The modules of a program as one (HSAIL PRM 4.2.1, 4.12): what is declared with program linkage
/// leads to its definition, wherever that stands; everything else stays apart. The result is for
/// the interpreter and the finalizer, not for the printer: it has the header of each module, and
/// names of module linkage may occur in several.
///
/// Errors: another machine model, profile or default rounding; two modules of one name; a second
/// definition; a declaration that does not match its definition, or, where there is none, the other
/// declarations; an indirect function that reaches group memory (10.8).
base::Result<Module> link(const std::vector<const Module*>& modules);

/// True if two declarations or definitions of one name describe the same variable, fbarrier, kernel
/// or function (4.3.2, 4.3.3, 4.3.8): arguments of the same types, sizes and alignments, a variable
/// of the same type, segment, alignment, allocation and size, which a declaration may leave open.
bool is_compatible(const Module& module, CodeRef a, CodeRef b);

/// True if of two compatible ones only `now` gives the size of an array: later ones are compared
/// with that one.
bool says_more(const Module& module, CodeRef before, CodeRef now);

}  // namespace cuvette::hsail
