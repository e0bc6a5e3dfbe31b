// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace cuvette::command_processor {

/// A piece of packet-processor firmware as a coroutine: runs until it awaits something, and is
/// resumed by the core's tick() when that has come. Owns its frame; destroying a Task stops it
/// wherever it waits. `co_await` of a Task runs it as a part of the caller.
class Task {
 public:
  struct promise_type {
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Return {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> ended) const noexcept {
        const auto next = ended.promise().caller;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    Return final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }

    std::coroutine_handle<> caller;
  };

  Task() = default;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  void start() { handle_.resume(); }
  bool done() const { return !handle_ || handle_.done(); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  void await_resume() const noexcept {}

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace cuvette::command_processor
