// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/crash_recovery.h"

#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

#include <llvm/Support/CrashRecoveryContext.h>

#include "finalizer/big_stack.h"
#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

/// Signal handlers of LLVM for accesses to memory that is not there.
struct Fault {
  int signal;
  void (*handler)(int) = nullptr;
};
Fault faults[] = {{SIGSEGV}, {SIGBUS}};

/// The size of the stack that the last crash of this thread was about.
thread_local size_t used_up = 0;

/// LLVM's handlers do not say where an access went, and run on the stack that may be used up.
void on_fault(int signal, siginfo_t* info, void*) {
  used_up = used_up_stack(info->si_addr);
  for (const Fault& fault : faults)
    if (fault.signal == signal) fault.handler(signal);
}

void look_at_faults() {
  for (Fault& fault : faults) {
    struct sigaction action{};
    sigaction(fault.signal, nullptr, &action);
    if ((action.sa_flags & SA_SIGINFO) != 0) continue;  // not LLVM's
    fault.handler = action.sa_handler;
    action.sa_sigaction = on_fault;
    action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    sigaction(fault.signal, &action, nullptr);
  }
}

/// LLVM's signal handlers, as long as someone runs what may crash: they are the process's.
class Handlers {
 public:
  Handlers() {
    const std::lock_guard lock(mutex_);
    if (users_++ != 0) return;
    llvm::CrashRecoveryContext::Enable();
    look_at_faults();
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

void with_crash_recovery(llvm::function_ref<void()> body) {
  const Handlers handlers;
  llvm::CrashRecoveryContext context;
  used_up = 0;
  if (context.RunSafely(body)) return;
  if (used_up != 0) {
    throw LlvmFailure("LLVM used up its stack of " + std::to_string(used_up >> 20) +
                      " MiB: the code is nested too deep for it");
  }
  const char* const name = sigabbrev_np(context.RetCode - kSignalled);
  throw LlvmFailure(
      "LLVM crashed (" +
      (name == nullptr ? std::to_string(context.RetCode) : std::string("SIG") + name) + ")");
}

}  // namespace cuvette::finalizer
