// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "run/engine.h"

// Kernels of y = alpha * x + y over `count` elements, in HSAIL: they need the finalizer.
namespace cuvette::bench {

inline constexpr float kSaxpyAlpha = 0.5f;

extern const char* const kSaxpy;  ///< an element per work-item
/// The same for those below `count`, as most kernels begin.
extern const char* const kSaxpyBounded;
/// A few work-items that go on over the arrays: `count` is a multiple of the grid.
extern const char* const kSaxpyLoop;
/// The same with one 32-bit offset from the beginning of the arrays.
extern const char* const kSaxpyOffset;
/// The same with four elements per round, for a grid of 256: `count` is a multiple of 1024.
extern const char* const kSaxpyUnrolled;
extern const char* const kSaxpyDeep;  ///< kSaxpy with 800 fused multiply-adds per element

/// A kernel loaded and its arguments in place: arrays of ones.
struct Saxpy {
  std::unique_ptr<run::Engine> engine;
  run::Launch launch;
  uint64_t y = 0;  ///< address of the array that changes
};

/// In work-groups of 256 on engine golden.
/// `count`: elements; `grid`: work-items; `threads`: of the host. Errors as of the engine.
base::Result<Saxpy> prepare_saxpy(const char* code, unsigned count, unsigned grid,
                                  unsigned threads);

}  // namespace cuvette::bench
