// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A machine of cuvette.h as an object, its memory in the host, and how calls fail in Python.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuvette.h>
#include <pybind11/pybind11.h>

namespace cuvette::python {

/// A call of the C interface that has failed. Becomes the exception of cuvette.errors that
/// `status` stands for.
class CallFailed : public std::runtime_error {
 public:
  CallFailed(int status, const std::string& text) : runtime_error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Throws CallFailed, with the words of this thread's last call, when `status` is none of success.
void check(int status);

/// Pages of zeros, owned by whoever holds a reference: the machine while the GPU sees them, and
/// every numpy array over them.
class HostMemory {
 public:
  /// Throws std::bad_alloc.
  explicit HostMemory(uint64_t bytes);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  uint8_t* data() const { return static_cast<uint8_t*>(data_); }

 private:
  void* data_;
  size_t bytes_;
};

/// A block of device memory that is memory of the host.
struct Block {
  std::shared_ptr<HostMemory> memory;
  uint64_t address = 0;  ///< of the device
  uint64_t bytes = 0;
  bool read_only = false;
};

/// A machine. Closed by close() or at its end; every call behind that throws CallFailed. Calls give
/// Python's lock away while they wait for the machine.
class Handle {
 public:
  /// Throws CallFailed.
  explicit Handle(const cuvette_options& options);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// The machine; throws CallFailed when it is closed.
  cuvette_machine* get() const;
  bool is_open() const { return machine_ != nullptr; }
  /// Memory of arrays stays; what has been opened of the machine is of no use any more.
  void close();

  /// `flags` are CUVETTE_MEMORY_*. Throws CallFailed, std::bad_alloc.
  Block attach(uint64_t bytes, uint64_t alignment, uint32_t flags);
  void detach(uint64_t address);

  /// Lets time pass: `wait` is one of the waits of cuvette.h. An interrupt signal (Ctrl-C) ends it,
  /// and so does an exception in a callback; Python's exception is set then, and this throws
  /// pybind11::error_already_set. Returns the status.
  template <class F>
  int wait(F wait_call) {
    return wait_interruptibly([&](cuvette_machine* m) { return wait_call(m); });
  }

  /// Ends the wait under way, or the next one, with CUVETTE_ERROR_CANCELLED. Any thread.
  void cancel();

  /// The exception of a callback; the wait under way ends.
  void keep_exception();
  /// Raises it.
  void raise_kept();

  /// Callbacks are not called while one of these lives.
  class Silence {
   public:
    explicit Silence(Handle& handle) : handle_(handle) { handle_.silent_ = true; }
    ~Silence() { handle_.silent_ = false; }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    Handle& handle_;
  };
  bool silent() const { return silent_; }

 private:
  class Interruptible;
  template <class F>
  int wait_interruptibly(F wait_call);
  bool begin_wait();
  void end_wait(bool listening);
  /// Raises the exception that an interrupt signal or a callback has left, by a throw. True: the
  /// wait is to go on, because nobody wants its end: a signal or an exception that has been raised
  /// came behind the end of an earlier wait, or Python's handler of the signal does not raise.
  bool after_wait(int status);

  cuvette_machine* machine_ = nullptr;
  std::map<uint64_t, std::shared_ptr<HostMemory>> memory_;  // by device address
  std::mutex mutex_;                                        // of memory_
  pybind11::object kept_;                                   // an exception, or none
  std::atomic<bool> asked_{false};                          // for cancel()
  std::atomic<bool> silent_{false};                         // by Silence
};

template <class F>
int Handle::wait_interruptibly(F wait_call) {
  for (;;) {
    cuvette_machine* const machine = get();
    const bool listening = begin_wait();
    int status;
    {
      pybind11::gil_scoped_release released;
      status = wait_call(machine);
    }
    end_wait(listening);
    if (!after_wait(status)) return status;
  }
}

}  // namespace cuvette::python
