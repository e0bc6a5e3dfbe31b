// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cuvette::finalizer {

/// Runs `body` on a thread of its own with a stack of `bytes` and waits for it. Exceptions pass.
/// std::system_error: there is no such thread to be had.
void on_big_stack(size_t bytes, llvm::function_ref<void()> body);

/// Size of this thread's stack from on_big_stack when an access to `address` has gone beyond it; 0:
/// it has not. For signal handlers.
size_t used_up_stack(const void* address);

}  // namespace cuvette::finalizer
