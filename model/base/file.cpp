// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

namespace cuvette::base {
namespace {

constexpr size_t kMaxBytes = size_t{2} << 30;

struct Closer {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Closer>;

Error failed(const std::string& path, const char* action) {
  return Error(fmt::format("cannot {}: {}", action, std::strerror(errno)), {.file = path});
}

template <class Container>
Result<Container> read_all(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error("is a directory, expected a file", {.file = path});
  }
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) return failed(path, "open");
  Container out;
  // Devices and pipes have no size.
  const auto size = std::filesystem::file_size(path, ignored);
  if (!ignored && size <= kMaxBytes) out.reserve(static_cast<size_t>(size));
  char buffer[1 << 16];
  size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {
    if (out.size() + got > kMaxBytes) return Error("larger than 2 GiB", {.file = path});
    out.insert(out.end(), buffer, buffer + got);
  }
  if (std::ferror(file.get()) != 0) return failed(path, "read");
  return out;
}

}  // namespace

Result<std::vector<uint8_t>> read_binary(const std::string& path) {
  return read_all<std::vector<uint8_t>>(path);
}

Result<std::string> read_text(const std::string& path) {
  return read_all<std::string>(path);
}

Status write_binary(const std::string& path, const void* data, size_t bytes) {
  // Devices and pipes cannot be renamed over; they are written in place.
  std::error_code ignored;
  const bool regular =
      !std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored);
  const std::string beside = fmt::format("{}.{}.tmp", path, getpid());
  std::string target = regular ? beside : path;
  // A file of that name is somebody else's, perhaps what the data were made of.
  constexpr unsigned kMostNames = 100;
  const char* const mode = regular ? "wbx" : "wb";
  File file(std::fopen(target.c_str(), mode));
  for (unsigned n = 1; regular && !file && errno == EEXIST && n < kMostNames; ++n) {
    target = fmt::format("{}{}", beside, n);
    file.reset(std::fopen(target.c_str(), mode));
  }
  if (!file) return failed(path, "create");
  const auto give_up = [&](const char* action) {
    Error error = failed(path, action);
    if (regular) std::remove(target.c_str());
    return error;
  };
  const bool written = std::fwrite(data, 1, bytes, file.get()) == bytes;
  if (!written || std::fflush(file.get()) != 0) return give_up("write");
  file.reset();
  if (regular && std::rename(target.c_str(), path.c_str()) != 0) return give_up("rename to");
  return {};
}

Status write_text(const std::string& path, const std::string& text) {
  return write_binary(path, text.data(), text.size());
}

}  // namespace cuvette::base
