// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"

namespace cuvette::hsail::testing {

/// The kernels of tests/kernels.
inline const char* const kDemoKernels[] = {"vector_add", "saxpy",     "transpose", "reduce",
                                           "sgemm",      "histogram", "stencil",   "mixed"};

/// HSAILasm (HSAIL-Tools) in a folder of its own. Tests that use it are built only where it is
/// installed: CUVETTE_HSAILASM is its path.
class HsailAsm : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(CUVETTE_BINARY_DIR) / ("hsailasm." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// BRIG that it makes of a text; empty when it refuses it.
  std::vector<uint8_t> assembled(const std::string& text,
                                 const std::string& format = "-brig") const {
    EXPECT_TRUE(base::write_text(path("in.hsail"), text).ok());
    std::filesystem::remove(path("out.brig"));
    if (!run("-assemble in.hsail " + format + " -o out.brig")) return {};
    auto bytes = base::read_binary(path("out.brig"));
    return bytes.ok() ? *bytes : std::vector<uint8_t>{};
  }
  /// Its text of a BRIG.
  std::string disassembled(const std::vector<uint8_t>& brig) const {
    EXPECT_TRUE(base::write_binary(path("in.brig"), brig.data(), brig.size()).ok());
    EXPECT_TRUE(run("-disassemble -brig in.brig -o back.hsail")) << log();
    auto text = base::read_text(path("back.hsail"));
    return text.ok() ? *text : "";
  }
  /// True if it takes a BRIG.
  bool accepts(const std::vector<uint8_t>& brig) const {
    EXPECT_TRUE(base::write_binary(path("in.brig"), brig.data(), brig.size()).ok());
    return run("-disassemble -brig in.brig -o back.hsail");
  }
  /// Last message.
  std::string log() const {
    auto text = base::read_text(path("log"));
    return text.ok() ? *text : "";
  }

 private:
  bool run(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.string() + "' && " CUVETTE_HSAILASM " " + arguments + " > log 2>&1";
    return std::system(command.c_str()) == 0;
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

/// HSAILasm leaves comments out of its text.
inline std::string without_comments(const std::string& text) {
  std::string out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out += line.substr(0, line.find("//")) + "\n";
  return out;
}

}  // namespace cuvette::hsail::testing
