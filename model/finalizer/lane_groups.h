// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
}

namespace cuvette::finalizer {

/// Has lanes meet where HSAIL PRM 2.12 says, as far as cross-lane instructions can tell (see
/// LaneFlow), and takes loops with several entries apart, which LLVM 19 gets wrong. A region is
/// executed by one group of lanes after another: a loop around its nodes chooses a group, the lanes
/// of which all stand before the same node; behind the node they stay together or become groups of
/// their own until all have come to the post-dominator. Call it before all other passes; every
/// function returns void. Functions that have a block from which no end can be reached stay as
/// they are.
void keep_lane_groups(llvm::Module& module);

/// The attribute that all functions of a module get of which one has a loop with several ways back
/// to its head (guards.h).
inline constexpr const char* kSeveralWaysBack = "cuvette-several-ways-back";

}  // namespace cuvette::finalizer
