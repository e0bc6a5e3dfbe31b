// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every file of tests/fuzz/corpus through its fuzz entry function: inputs that once crashed, hung
// or used up memory, and small ones that reach much code. Ordinary builds run them too.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"

// LLVMFuzzerTestOneInput of fuzz/<name>_fuzz.cpp, renamed by the build.
extern "C" {
int fuzz_brig(const uint8_t* data, size_t size);
int fuzz_decode(const uint8_t* data, size_t size);
int fuzz_dispatch(const uint8_t* data, size_t size);
int fuzz_elf(const uint8_t* data, size_t size);
int fuzz_host_log(const uint8_t* data, size_t size);
int fuzz_hsail_text(const uint8_t* data, size_t size);
int fuzz_replay(const uint8_t* data, size_t size);
}

namespace {

constexpr unsigned kSecondsPerInput = 30;  // sanitizers and a busy machine included
constexpr size_t kFewestFiles = 8;
constexpr uintmax_t kMostBytes = 16384;  // of one folder: the corpus stays small

void replay(const std::string& target, int (*entry)(const uint8_t*, size_t)) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  uintmax_t bytes = 0;
  const fs::path folder = fs::path(CUVETTE_SOURCE_DIR) / "tests/fuzz/corpus" / target;
  for (const auto& item : fs::directory_iterator(folder)) {
    files.push_back(item.path());
    bytes += item.file_size();
  }
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), kFewestFiles);
  ASSERT_LE(bytes, kMostBytes);
  for (const fs::path& file : files) {
    const auto data = cuvette::base::read_binary(file.string());
    ASSERT_TRUE(data.ok()) << data.error().str();
    // A crash or an alarm ends the process: say before which input it was.
    std::printf("%s: %s, %zu bytes\n", target.c_str(), file.filename().c_str(), data->size());
    std::fflush(stdout);
    alarm(kSecondsPerInput);
    EXPECT_EQ(entry(data->data(), data->size()), 0) << file;
    alarm(0);
  }
}

TEST(FuzzCorpus, Brig) {
  replay("brig", fuzz_brig);
}
TEST(FuzzCorpus, Decode) {
  replay("decode", fuzz_decode);
}
TEST(FuzzCorpus, Dispatch) {
  replay("dispatch", fuzz_dispatch);
}
TEST(FuzzCorpus, Elf) {
  replay("elf", fuzz_elf);
}
TEST(FuzzCorpus, HostEventLog) {
  replay("host_log", fuzz_host_log);
}
TEST(FuzzCorpus, HsailText) {
  replay("hsail_text", fuzz_hsail_text);
}
TEST(FuzzCorpus, RetirementLog) {
  replay("replay", fuzz_replay);
}

}  // namespace
