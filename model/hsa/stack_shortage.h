// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Private memory that code uses up at run time (HSAIL PRM 10.10): frames of functions and memory
/// of alloca would overlap.
namespace cuvette::hsa {

/// Code that finds its private memory too small stops by S_TRAP 2. Before that it leaves in the
/// word of this symbol how many bytes more a work-item needs, at least: the most of all.
constexpr const char* kStackShortage = "cuvette.stack_shortage";

}  // namespace cuvette::hsa
