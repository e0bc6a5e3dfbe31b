// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace cuvette::base {

/// Place of something in an input. `line` and `column` count from 1; 0 means unknown. For binary
/// input `line` is 0 and `offset` says which byte; byte 0 is told where `binary` is set.
struct Location {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  uint64_t offset = 0;
  bool binary = false;

  /// "file:line:column", leaving out what is unknown; binary input prints "file:+0xoffset".
  std::string str() const;
};

/// An expected failure: what went wrong, what was expected, and where. Bugs throw instead.
struct Error {
  std::string what;
  Location where;
  std::string id;  ///< stable name of the broken rule, where there is one: "register-size"

  Error() = default;
  explicit Error(std::string message, Location location = {}, std::string rule = {})
      : what(std::move(message)), where(std::move(location)), id(std::move(rule)) {}

  /// "file:line:column: error: what" (errors.md), or "error: what" without a place; behind it
  /// " [id]" where there is one.
  std::string str() const;
};

/// A value or an Error. Asking for the one that is not there is a bug and asserts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(failed_);
    return error_;
  }

 private:
  bool failed_ = false;
  Error error_;
};

using Status = Result<void>;

}  // namespace cuvette::base
