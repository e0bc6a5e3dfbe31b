// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
}

namespace cuvette::finalizer {

/// Keeps the immediate post-dominators, in the same loop, of branches around communication
/// operations (HSAIL PRM 2.12: atomics, fences, signals, barriers, the clock, calls of what
/// contains them): lanes that part at such a branch meet there at the latest, so LLVM must not
/// thread a way past that block, out of the loop for one, or put copies of it on the ways to it.
/// Call it before LLVM's passes.
void keep_meeting_places(llvm::Module& module);

}  // namespace cuvette::finalizer
