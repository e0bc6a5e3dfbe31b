// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/big_stack.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <exception>
#include <system_error>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>

namespace cuvette::finalizer {

namespace {

/// No frame of LLVM is larger: whatever goes beyond the stack comes here first.
constexpr size_t kGuardBytes = size_t{1} << 20;
/// For signal handlers, which have no other stack when that one is used up.
constexpr size_t kHandlerBytes = size_t{1} << 16;

thread_local const uint8_t* this_guard = nullptr;
thread_local size_t this_stack_bytes = 0;

/// Memory that is there when it is touched, below it some that is not to be touched.
class Stack {
 public:
  explicit Stack(size_t bytes) : bytes_((bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes) {
    void* const at = mmap(nullptr, kGuardBytes + bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "stack");
    guard_ = static_cast<uint8_t*>(at);
    mprotect(guard_, kGuardBytes, PROT_NONE);
  }
  ~Stack() { munmap(guard_, kGuardBytes + bytes_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  uint8_t* guard() const { return guard_; }
  uint8_t* lowest() const { return guard_ + kGuardBytes; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  uint8_t* guard_ = nullptr;
};

struct Job {
  const Stack& stack;
  llvm::function_ref<void()> body;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  std::vector<uint8_t> handlers(kHandlerBytes);
  stack_t own{};
  stack_t before{};
  own.ss_sp = handlers.data();
  own.ss_size = handlers.size();
  sigaltstack(&own, &before);
  this_guard = job.stack.guard();
  this_stack_bytes = job.stack.bytes();
  try {
    job.body();
  } catch (...) {
    job.thrown = std::current_exception();
  }
  this_guard = nullptr;
  sigaltstack(&before, nullptr);
  return nullptr;
}

}  // namespace

void on_big_stack(size_t bytes, llvm::function_ref<void()> body) {
  const Stack stack(bytes);
  Job job{stack, body, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int problem = pthread_attr_setstack(&attributes, stack.lowest(), stack.bytes());
  pthread_t thread{};
  if (problem == 0) problem = pthread_create(&thread, &attributes, run, &job);
  pthread_attr_destroy(&attributes);
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "thread");
  pthread_join(thread, nullptr);
  if (job.thrown) std::rethrow_exception(job.thrown);
}

size_t used_up_stack(const void* address) {
  const auto* const at = static_cast<const uint8_t*>(address);
  const bool beyond = this_guard != nullptr && at >= this_guard && at < this_guard + kGuardBytes;
  return beyond ? this_stack_bytes : 0;
}

}  // namespace cuvette::finalizer
