// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

#include <hip/hip_runtime.h>

/// Ends the program with status 3 when a call of the runtime fails.
#define HIP_OK(call)                                                     \
  do {                                                                   \
    const hipError_t result_ = (call);                                   \
    if (result_ != hipSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   hipGetErrorString(result_));                          \
      std::exit(3);                                                      \
    }                                                                    \
  } while (false)

/// Counts elements that differ from what the host has computed; the status of the program.
class Check {
 public:
  template <class T>
  void equal(const char* what, size_t index, T found, T expected) {
    ++compared_;
    if (found == expected) return;
    if (++bad_ <= 5) {
      std::printf("%s[%zu]: expected %g, got %g\n", what, index, static_cast<double>(expected),
                  static_cast<double>(found));
    }
  }
  /// For results that depend on the order of sums: no further away than the bound.
  template <class T>
  void near(const char* what, size_t index, T found, T expected, T bound) {
    const T distance = found > expected ? found - expected : expected - found;
    equal(what, index, distance <= bound ? expected : found, expected);
  }
  int status() const {
    std::printf("%zu compared, %zu differ\n", compared_, bad_);
    return bad_ == 0 && compared_ != 0 ? 0 : 1;
  }

 private:
  size_t compared_ = 0, bad_ = 0;
};
