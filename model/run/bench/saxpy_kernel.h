// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "run/engine.h"

// Kernels of y = alpha * x + y over `count` elements, in HSAIL: they need the finalizer.
namespace cuvette::run::bench {

inline constexpr float kSaxpyAlpha = 0.5f;

extern const char* const kSaxpy;  ///< an element per work-item
/// A few work-items that go on over the arrays: `count` is a multiple of the grid.
extern const char* const kSaxpyLoop;
extern const char* const kSaxpyDeep;  ///< kSaxpy with 800 fused multiply-adds per element

/// A kernel loaded and its arguments in place: arrays of ones.
struct Saxpy {
  std::unique_ptr<Engine> engine;
  Launch launch;
};

/// In work-groups of 256 on engine golden.
base::Result<Saxpy> prepare_saxpy(const char* code, unsigned count, unsigned grid,
                                  unsigned threads);

}  // namespace cuvette::run::bench
