// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "handle.h"

#include <atomic>
#include <csignal>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace py = pybind11;

namespace cuvette::python {
namespace {

constexpr uint64_t kRounded = 64;  // bytes, of cuvette_memory_attach

/// The machine whose wait an interrupt signal ends, and what Python does with the signal.
std::atomic<cuvette_machine*> listening_machine{nullptr};
std::atomic<bool> heard{false};
struct sigaction python_action;

extern "C" void on_interrupt_signal(int number) {
  heard = true;
  if (cuvette_machine* const machine = listening_machine; machine != nullptr) {
    cuvette_cancel(machine);
  }
  python_action.sa_handler(number);
}

}  // namespace

void check(int status) {
  if (status != CUVETTE_OK) throw CallFailed(status, cuvette_error_text());
}

HostMemory::HostMemory(uint64_t bytes) : bytes_((bytes + kRounded - 1) / kRounded * kRounded) {
  constexpr uint64_t kMost = uint64_t{1} << 46;
  data_ = bytes == 0 || bytes > kMost ? MAP_FAILED
                                      : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

HostMemory::~HostMemory() {
  munmap(data_, bytes_);
}

Handle::Handle(const cuvette_options& options) {
  int status;
  {
    py::gil_scoped_release released;
    status = cuvette_open(&options, &machine_);
  }
  check(status);
}

Handle::~Handle() {
  if (machine_ != nullptr) {
    py::gil_scoped_release released;
    cuvette_close(machine_);
  }
}

cuvette_machine* Handle::get() const {
  if (machine_ == nullptr) throw CallFailed(CUVETTE_ERROR_ARGUMENT, "the device is closed");
  return machine_;
}

void Handle::close() {
  cuvette_machine* const machine = std::exchange(machine_, nullptr);
  if (machine == nullptr) return;
  int status;
  {
    py::gil_scoped_release released;
    status = cuvette_close(machine);
  }
  if (status == CUVETTE_ERROR_CALL) machine_ = machine;  // inside a callback: it stays
  if (machine_ == nullptr) memory_.clear();              // the GPU does not see it any more
  check(status);
}

Block Handle::attach(uint64_t bytes, uint64_t alignment, uint32_t flags) {
  cuvette_machine* const machine = get();
  Block block;
  block.memory = std::make_shared<HostMemory>(bytes);
  block.bytes = bytes;
  block.read_only = (flags & CUVETTE_MEMORY_READ_ONLY) != 0;
  int status;
  {
    py::gil_scoped_release released;
    status = cuvette_memory_attach(machine, block.memory->data(), bytes, alignment, flags,
                                   &block.address);
  }
  check(status);
  const std::lock_guard lock(mutex_);
  memory_[block.address] = block.memory;
  return block;
}

void Handle::detach(uint64_t address) {
  cuvette_machine* const machine = get();
  int status;
  {
    py::gil_scoped_release released;
    status = cuvette_memory_free(machine, address);
  }
  check(status);
  const std::lock_guard lock(mutex_);
  memory_.erase(address);
}

void Handle::cancel() {
  asked_ = true;
  check(cuvette_cancel(get()));
}

void Handle::keep_exception() {
  if (!kept_) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace != nullptr) PyException_SetTraceback(value, trace);
    kept_ = py::reinterpret_steal<py::object>(value);
    Py_XDECREF(type);
    Py_XDECREF(trace);
  } else {
    PyErr_Clear();
  }
  if (machine_ != nullptr) cuvette_cancel(machine_);
}

void Handle::raise_kept() {
  if (!kept_) return;
  const py::object value = std::exchange(kept_, py::object());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), value.ptr());
  throw py::error_already_set();
}

/// Python's own handler only notes the signal; this one ends the wait, too. Where the signal is not
/// Python's, or another thread listens, it stays as it is.
bool Handle::begin_wait() {
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) {
    return false;
  }
  cuvette_machine* nobody = nullptr;
  if (!listening_machine.compare_exchange_strong(nobody, machine_)) return false;
  python_action = now;
  heard = false;
  struct sigaction ours = now;
  ours.sa_handler = on_interrupt_signal;
  sigaction(SIGINT, &ours, nullptr);
  return true;
}

void Handle::end_wait(bool listening) {
  if (!listening) return;
  sigaction(SIGINT, &python_action, nullptr);
  listening_machine = nullptr;
}

bool Handle::after_wait(int status) {
  raise_kept();
  if (heard.exchange(false) && PyErr_CheckSignals() != 0) throw py::error_already_set();
  return status == CUVETTE_ERROR_CANCELLED && !asked_.exchange(false);
}

}  // namespace cuvette::python
