// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "cuvette_cosim.h"
#include "golden/cosim.h"

// Objects behind the opaque pointers of the C interface. Private to libcuvette_cosim.

struct cuvette_cosim {
  std::unique_ptr<cuvette::golden::Cosim> cosim;
  std::string error;         // of the last call
  mutable std::string text;  // result of cuvette_cosim_text

  // The record of the last step, as C structs.
  std::vector<cuvette_cosim_vector_write> vectors;
  std::vector<cuvette_cosim_scalar_write> scalars;
  std::vector<cuvette_cosim_access> accesses;
  cuvette_cosim_record record;

  // State that the SystemVerilog side has sent so far.
  cuvette::golden::CosimWave wave;
  cuvette::wave::RetireRecord told;
  std::vector<uint8_t> loaded;

  int fail(const std::string& what) {
    error = what;
    return 0;
  }
  int done(const cuvette::base::Status& status) {
    return status.ok() ? 1 : fail(status.error().what);
  }
};

namespace cuvette::ip {

/// Runs a call so that C++ exceptions end at the C interface.
template <class Call>
int guarded(cuvette_cosim* c, Call call) {
  if (c == nullptr) return 0;
  try {
    c->error.clear();
    return call();
  } catch (const std::exception& e) {
    return c->fail(std::string("internal error: ") + e.what());
  }
}

}  // namespace cuvette::ip
