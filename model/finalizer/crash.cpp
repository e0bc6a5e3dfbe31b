// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/crash.h"

#include <cstring>
#include <mutex>
#include <string>

#include <llvm/Support/CrashRecoveryContext.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

/// LLVM's signal handlers, as long as someone runs what may crash: they are the process's.
class Handlers {
 public:
  Handlers() {
    const std::lock_guard lock(mutex_);
    if (users_++ == 0) llvm::CrashRecoveryContext::Enable();
  }
  ~Handlers() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0) llvm::CrashRecoveryContext::Disable();
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline unsigned users_ = 0;
};

/// A process that a signal ended has this and the signal's number as its status.
constexpr int kSignalled = 128;

}  // namespace

void survive(llvm::function_ref<void()> body) {
  const Handlers handlers;
  llvm::CrashRecoveryContext context;
  if (context.RunSafely(body)) return;
  const char* const name = sigabbrev_np(context.RetCode - kSignalled);
  throw LlvmFailure(
      "LLVM crashed (" +
      (name == nullptr ? std::to_string(context.RetCode) : std::string("SIG") + name) + ")");
}

}  // namespace cuvette::finalizer
