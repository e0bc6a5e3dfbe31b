// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalize_extension/module_memory.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace cuvette::finalize_extension {

namespace {

/// The begin of a module (HSAIL PRM 18.3.18).
struct Header {
  char identification[8];
  uint32_t brig_major;
  uint32_t brig_minor;
  uint64_t bytes;
};
constexpr char kIdentification[] = "HSA BRIG";
/// Size of the whole header: hash, flags and the index of the sections are in it.
constexpr uint64_t kHeaderBytes = 104;
/// A pipe holds a page at least.
constexpr uint64_t kPiece = 4096;

/// A pipe through which memory of this process is copied: the kernel looks whether it can be read.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Pipe() {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool ok() const { return ends_[0] >= 0; }
  /// At most kPiece bytes; whether all of them were there.
  bool copy(const uint8_t* from, void* to, uint64_t bytes) {
    const auto wanted = static_cast<ssize_t>(bytes);
    const ssize_t written = write(ends_[1], from, bytes);
    return written > 0 && read(ends_[0], to, static_cast<size_t>(written)) == written &&
           written == wanted;
  }

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace

base::Result<std::vector<uint8_t>> copy_module(const void* module) {
  if (module == nullptr) return base::Error("a null pointer, expected a BRIG module");
  const auto* const begin = static_cast<const uint8_t*>(module);
  Header header{};
  Pipe pipe;
  if (!pipe.ok()) return base::Error("no pipe to copy the module through");
  if (!pipe.copy(begin, &header, sizeof header)) {
    return base::Error("memory that cannot be read, expected a BRIG module");
  }
  if (std::memcmp(header.identification, kIdentification, sizeof header.identification) != 0) {
    return base::Error("the module does not begin with \"HSA BRIG\"");
  }
  if (header.bytes < kHeaderBytes) {
    return base::Error("the header says " + std::to_string(header.bytes) +
                       " bytes, expected at least " + std::to_string(kHeaderBytes));
  }
  std::vector<uint8_t> copy;
  while (copy.size() < header.bytes) {
    const uint64_t at = copy.size();
    const uint64_t bytes = std::min<uint64_t>(kPiece, header.bytes - at);
    copy.resize(at + bytes);
    if (!pipe.copy(begin + at, copy.data() + at, bytes)) {
      return base::Error("the header says " + std::to_string(header.bytes) +
                         " bytes, some of which cannot be read");
    }
  }
  return copy;
}

}  // namespace cuvette::finalize_extension
