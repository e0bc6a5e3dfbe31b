// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "ip/coverage/coverage.h"

// Functional coverage of a test program: while a CountsCoverage stands, what compares equal is
// counted; when it goes, all counts of the program so far are in
// <build>/coverage/<program>.coverage.json, unless something failed.
namespace cuvette {

class CountsCoverage {
 public:
  explicit CountsCoverage(const char* program) : program_(program) {
    ip::Coverage::set_current(&counts());
  }
  ~CountsCoverage() {
    ip::Coverage::set_current(nullptr);
    const std::filesystem::path folder = std::filesystem::path(CUVETTE_BINARY_DIR) / "coverage";
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    const std::filesystem::path file = folder / (std::string(program_) + ".coverage.json");
    if (::testing::UnitTest::GetInstance()->Failed()) {
      std::filesystem::remove(file, ignored);
      return;
    }
    std::ofstream out(file);
    out << counts().to_text();
    EXPECT_TRUE(out.good()) << file;
  }
  CountsCoverage(const CountsCoverage&) = delete;
  CountsCoverage& operator=(const CountsCoverage&) = delete;

 private:
  static ip::Coverage& counts() {
    static ip::Coverage all;
    return all;
  }
  const char* program_;
};

}  // namespace cuvette
