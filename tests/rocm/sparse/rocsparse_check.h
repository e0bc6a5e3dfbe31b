// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocsparse/rocsparse.h>

#include "sparse.h"

/// Ends the program with status 3 when a call of rocSPARSE fails.
#define SPARSE_OK(call)                                                                   \
  do {                                                                                    \
    const rocsparse_status result_ = (call);                                              \
    if (result_ != rocsparse_status_success) {                                            \
      std::fprintf(stderr, "%s:%d: %s: rocSPARSE status %d\n", __FILE__, __LINE__, #call, \
                   static_cast<int>(result_));                                            \
      std::exit(3);                                                                       \
    }                                                                                     \
  } while (false)
