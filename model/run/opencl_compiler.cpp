// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/opencl_compiler.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/temporary_directory.h"
#include "run/child_process.h"

namespace cuvette::run {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Result;

std::string text_of(const std::string& file) {
  const auto text = base::read_text(file);
  return text ? *text : "";
}

/// True if it starts and has the target. Compilers are asked rather than known by their names.
bool has_amdgcn(const std::string& clang, const base::TemporaryDirectory& scratch) {
  const std::string out = scratch.file("targets");
  const auto end = run_child({clang, "--print-targets"}, out, "/dev/null");
  return end && end->status == 0 && text_of(out).find("amdgcn") != std::string::npos;
}

std::optional<std::string> find_clang(const base::TemporaryDirectory& scratch) {
  std::vector<std::string> names{"clang-19", "clang", "/opt/rocm/llvm/bin/clang"};
  if (const char* own = std::getenv("CUVETTE_CLANG")) names = {own};
  for (const std::string& name : names) {
    if (has_amdgcn(name, scratch)) return name;
  }
  return std::nullopt;
}

/// The folders that cmake/CuvetteKernels.cmake looks in, the one of the environment before.
std::optional<std::string> find_libraries() {
  std::vector<std::string> folders;
  if (const char* own = std::getenv("HIP_DEVICE_LIB_PATH")) folders.emplace_back(own);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib", ignored)) {
    if (entry.path().filename().string().find("-linux-") != std::string::npos) {
      folders.push_back((entry.path() / "amdgcn/bitcode").string());
    }
  }
  std::sort(folders.begin() + (std::getenv("HIP_DEVICE_LIB_PATH") != nullptr ? 1 : 0),
            folders.end());
  folders.emplace_back("/usr/lib/amdgcn/bitcode");
  folders.emplace_back("/opt/rocm/amdgcn/bitcode");
  for (const std::string& folder : folders) {
    if (fs::is_regular_file(fs::path(folder) / "opencl.bc", ignored)) return folder;
  }
  return std::nullopt;
}

/// Libraries older than gfx942 name its configuration 940: a folder of links has the new name.
std::string with_new_names(const std::string& folder, const base::TemporaryDirectory& scratch) {
  std::error_code ignored;
  const fs::path from(folder);
  if (fs::exists(from / "oclc_isa_version_942.bc", ignored) ||
      !fs::exists(from / "oclc_isa_version_940.bc", ignored)) {
    return folder;
  }
  const fs::path to = scratch.file("libraries");
  fs::create_directory(to, ignored);
  for (const auto& entry : fs::directory_iterator(from, ignored)) {
    fs::create_symlink(fs::absolute(entry.path(), ignored), to / entry.path().filename(), ignored);
  }
  fs::create_symlink(fs::absolute(from / "oclc_isa_version_940.bc", ignored),
                     to / "oclc_isa_version_942.bc", ignored);
  return to.string();
}

std::vector<std::string> command_of(const std::string& clang, const std::string& libraries,
                                    const hsa::TargetId& target, const std::string& file,
                                    const std::string& out) {
  return {clang,
          "-x",
          "cl",
          "-cl-std=CL2.0",
          "-O2",
          "-target",
          "amdgcn-amd-amdhsa",
          "-mcpu=" + target.str(),
          "-mcode-object-version=5",
          "--rocm-device-lib-path=" + libraries,
          file,
          "-o",
          out};
}

Error to_compile(const std::string& file, const hsa::TargetId& target, const std::string& why) {
  return Error(
      fmt::format("OpenCL C, and {}: '{}' makes a code object elsewhere", why,
                  fmt::join(command_of("clang-19", "FOLDER", target, file, file + ".co"), " ")),
      {.file = file});
}

/// The first error that the compiler tells, at its place.
Error error_of(const std::string& messages, const std::string& file, int status) {
  static const std::regex kPlaced(R"(^(.+):(\d{1,9}):(\d{1,9}): (?:fatal )?error: (.*)$)");
  size_t start = 0;
  std::string other;
  while (start < messages.size()) {
    const size_t end = std::min(messages.find('\n', start), messages.size());
    const std::string line = messages.substr(start, end - start);
    start = end + 1;
    std::smatch m;
    // std::regex is recursive: lines of sources may be long.
    constexpr size_t kLongestLine = 4096;
    if (line.size() <= kLongestLine && std::regex_match(line, m, kPlaced)) {
      return Error(m[4], {.file = m[1],
                          .line = static_cast<uint32_t>(std::stoul(m[2])),
                          .column = static_cast<uint32_t>(std::stoul(m[3]))});
    }
    if (other.empty() && line.find("error: ") != std::string::npos) other = line;
  }
  if (other.empty()) other = fmt::format("the compiler ends with status {}", status);
  return Error("OpenCL C: " + other, {.file = file});
}

}  // namespace

Result<std::vector<uint8_t>> compile_opencl(const std::string& file, const hsa::TargetId& target) {
  const base::TemporaryDirectory scratch("opencl");
  if (!scratch.ok()) return Error("no directory for temporary files", {.file = file});
  const auto clang = find_clang(scratch);
  if (!clang) {
    const char* own = std::getenv("CUVETTE_CLANG");
    return to_compile(file, target,
                      own != nullptr ? fmt::format("CUVETTE_CLANG names {}, which is no clang with "
                                                   "the target amdgcn",
                                                   own)
                                     : "no clang with the target amdgcn is here");
  }
  const auto libraries = find_libraries();
  if (!libraries)
    return to_compile(file, target, "AMD's device libraries (opencl.bc) are not here");
  const std::string out = scratch.file("kernel.co");
  const std::string messages = scratch.file("messages");
  auto command = command_of(*clang, with_new_names(*libraries, scratch), target, file, out);
  // Errors alone, one line each.
  command.insert(command.begin() + 1, {"-w", "-fno-color-diagnostics", "-fno-caret-diagnostics"});
  const auto end = run_child(command, "/dev/null", messages);
  if (!end) return Error(fmt::format("{} does not start", *clang), {.file = file});
  if (end->status != 0) return error_of(text_of(messages), file, end->status);
  return base::read_binary(out);
}

}  // namespace cuvette::run
