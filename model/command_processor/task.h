// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

namespace cuvette::command_processor {

/// Memory for the frames of one core's coroutines: they come and go with every packet and are used
/// again. Outlives them all.
class Frames {
 public:
  Frames() = default;
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;
  ~Frames() {
    for (Block* free : free_) {
      while (free != nullptr) ::operator delete(std::exchange(free, free->next));
    }
  }

  void* take(size_t bytes) {
    const size_t size = (bytes + kStep - 1) / kStep;
    Block* block = nullptr;
    if (size < kSizes && free_[size] != nullptr) {
      block = std::exchange(free_[size], free_[size]->next);
    } else {
      block = static_cast<Block*>(::operator new(sizeof(Block) + size * kStep));
    }
    block->owner = this;
    return block + 1;
  }
  static void give_back(void* frame, size_t bytes) {
    const size_t size = (bytes + kStep - 1) / kStep;
    Block* block = static_cast<Block*>(frame) - 1;
    if (size >= kSizes) return ::operator delete(block);
    Frames& frames = *block->owner;
    block->next = std::exchange(frames.free_[size], block);
  }

 private:
  static constexpr size_t kStep = 64, kSizes = 64;  // larger ones go back at once
  struct alignas(std::max_align_t) Block {          // before the frame
    union {
      Frames* owner;  // of a frame in use
      Block* next;    // of a free one
    };
  };
  std::array<Block*, kSizes> free_{};
};

/// A coroutine of the packet processor's firmware: runs until it awaits something, and is
/// resumed by the core's tick() when that has come. Owns its frame; destroying a Task stops it
/// wherever it waits. `co_await` of a Task runs it as a part of the caller.
class Task {
 public:
  struct promise_type {
    /// `owner` is the object whose member the coroutine is.
    template <class Owner, class... Arguments>
    static void* operator new(size_t bytes, Owner& owner, Arguments&...) {
      return owner.frames().take(bytes);
    }
    static void operator delete(void* frame, size_t bytes) { Frames::give_back(frame, bytes); }

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
