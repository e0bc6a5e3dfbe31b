// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cuvette::finalizer {

/// Runs `body`, in which LLVM may crash: a signal of this thread there (SIGSEGV, SIGBUS, SIGABRT,
/// SIGFPE, SIGILL, SIGTRAP) throws LlvmFailure with the signal's name, or says that the stack was
/// used up. Objects that `body` had built are not destroyed then. Exceptions of `body` pass.
/// Thread-safe; the process has its own signal handlers again when nothing runs any more. A stack
/// that is used up ends the process all the same unless it is one of on_big_stack.
void with_crash_recovery(llvm::function_ref<void()> body);

}  // namespace cuvette::finalizer
