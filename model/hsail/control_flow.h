// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cuvette::hsail {

/// For every instruction, its immediate post-dominator (HSAIL PRM 2.12.3): where lanes that part
/// there meet again. Instructions are numbered 0 to n-1 and n is the end of the kernel;
/// `successors[i]` may contain n. An instruction from which the end cannot be reached gets n.
std::vector<uint32_t> immediate_post_dominators(
    const std::vector<std::vector<uint32_t>>& successors);

}  // namespace cuvette::hsail
