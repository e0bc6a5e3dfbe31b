// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#define AMD_INTERNAL_BUILD  // the header's includes have no folder then
#include <hsa/hsa_api_trace.h>

/// The symbols of code objects as HSA 1.0 programs know them.
namespace cuvette::finalize_extension {

/// Behind the name of a kernel, in code objects that are not of the first format.
constexpr const char* kKernelSuffix = ".kd";

bool is_hsail_name(const char* name);
/// True if a symbol is the finalizer's own ("cuvette.limits") and nothing that a program has.
bool is_of_finalizer(const std::string& symbol);
/// The kernel's name in HSAIL, when the symbol is that of a kernel and named so.
std::optional<std::string> hsail_kernel(const std::string& symbol);

/// Puts functions in front of those of the runtime for symbols of code objects. Kernels are found
/// and told by their names in HSAIL, and what a code object says of its kernels is told.
void wrap_code_symbols(CoreApiTable& core);

void forget_symbols(hsa_code_object_t code_object);
void forget_all_symbols();

}  // namespace cuvette::finalize_extension
