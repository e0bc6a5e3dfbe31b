// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

// Tests whose kernels a compiler makes that may not be installed are skipped without it, and
// .ci/run takes a skipped test for a failure (docs/develop/testing.md). At the beginning of a test,
// or of SetUp().

#define CUVETTE_NEED_KERNELS()                                                      \
  do {                                                                              \
    if (!CUVETTE_OPENCL_KERNELS) GTEST_SKIP() << "no clang-19 or device libraries"; \
  } while (0)
#define CUVETTE_NEED_OLD_KERNELS()                                  \
  do {                                                              \
    if (!CUVETTE_OPENCL_KERNELS_OLD) GTEST_SKIP() << "no clang-15"; \
  } while (0)
