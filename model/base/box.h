// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace cuvette::base {

/// A value that is rarely there: as large as a pointer, copied and compared like the value.
template <class T>
class Box {
 public:
  Box() = default;
  Box(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    if (this != &other) *this = Box(other);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  explicit operator bool() const { return held_ != nullptr; }
  const T& operator*() const { return *held_; }
  const T* operator->() const { return held_.get(); }
  /// The value, made when there is none.
  T& make() {
    if (held_ == nullptr) held_ = std::make_unique<T>();
    return *held_;
  }
  bool operator==(const Box& other) const {
    return held_ == nullptr || other.held_ == nullptr ? held_ == other.held_
                                                      : *held_ == *other.held_;
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace cuvette::base
