// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "hsa/code_object.h"
#include "needed_kernels.h"

namespace cuvette::hsa {

inline std::string kernel_path(const std::string& name) {
  return std::string(CUVETTE_BINARY_DIR) + "/kernels/" + name + ".co";
}

inline std::vector<uint8_t> kernel_bytes(const std::string& name) {
  auto bytes = base::read_binary(kernel_path(name));
  EXPECT_TRUE(bytes.ok()) << bytes.error().str();
  return bytes.ok() ? *bytes : std::vector<uint8_t>();
}

/// Standard output of a command; a failing command fails the test.
inline std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return out;
  }
  char buffer[4096];
  size_t got = 0;
  while ((got = fread(buffer, 1, sizeof buffer, pipe)) > 0) out.append(buffer, got);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << out;
  return out;
}

/// The machine that an object named "kernel.gfx908[features].v5" is meant for.
inline TargetId machine_for(const std::string& object) {
  const size_t dot = object.find('.') + 1;
  TargetId id = default_machine(parse_target(object.substr(dot, 6)).value().processor);
  if (object.find("xnack+") != std::string::npos) id.xnack = Feature::On;
  return id;
}

#define CUVETTE_NEED_LLVM_TOOLS()                                                  \
  do {                                                                             \
    if (std::string(CUVETTE_LLVM_READELF CUVETTE_LLVM_OBJDUMP).find("NOTFOUND") != \
        std::string::npos)                                                         \
      GTEST_SKIP() << "no llvm-readelf-19 or llvm-objdump-19";                     \
  } while (0)

}  // namespace cuvette::hsa
