// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Objects behind the handles of cuvette.h, and the conversion of their errors to status codes.
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clock.h"
#include "cuvette.h"
#include "host/port.h"
#include "launch_queue.h"

struct cuvette_object {
  cuvette_machine* machine = nullptr;
  std::shared_ptr<const cuvette::hsa::LoadedCode> code;
};

namespace cuvette::c_interface {

/// Number of forks between the first process that used the library and this one. Threads of a
/// machine are in the process that has opened it alone.
uint32_t generation();

}  // namespace cuvette::c_interface

struct cuvette_machine {
  cuvette_options options{};
  uint32_t generation = cuvette::c_interface::generation();  // of the process that opened it
  std::unique_ptr<cuvette::host::Port> port;
  std::string target;
  uint64_t shared_aperture = 0, private_aperture = 0;
  std::mutex objects_mutex;
  std::vector<std::unique_ptr<cuvette_object>> objects;
  uint64_t quantum = 0;  // cycles
  cuvette::c_interface::DoorbellPage doorbells;
  std::mutex launch_mutex;  // one dispatch of `launches` at a time
  cuvette::c_interface::LaunchQueue launches{this};
  std::mutex clock_mutex;
  std::unique_ptr<cuvette::c_interface::Clock> clock;  // null: it stands still
};

namespace cuvette::c_interface {

/// The status as a number; cuvette_error_text() of this thread is `text` from now on.
int fail(int status, const std::string& text);
int fail(host::CallStatus status, const std::string& text);
int wrong_argument(const std::string& text);

/// Exceptions end here: nothing of C++ reaches the caller.
template <class F>
int guarded(F f) {
  try {
    return f();
  } catch (const std::exception& e) {
    return fail(host::CallStatus::Internal, e.what());
  }
}

/// The call in the machine's thread; its status. Null machines are an error.
int make_call(cuvette_machine* machine, host::Call& call);

/// `text` with its end cut off where there is no room.
void put(char* to, size_t bytes, const std::string& text);

}  // namespace cuvette::c_interface
