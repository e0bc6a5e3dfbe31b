// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/kernel_names.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cxxabi.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/file.h"
#include "hsa/amdgpu_elf.h"
#include "hsa/elf.h"

namespace cuvette::thunk {
namespace {

constexpr size_t kMostObjects = 4096, kMostUri = 4096;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

bool peek(const void* from, void* out, size_t bytes) {
  const iovec local{out, bytes}, remote{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

/// Up to the end of its page at a time: what lies behind may not be there.
bool peek_text(const char* from, std::string& out) {
  for (out.clear(); out.size() < kMostUri;) {
    const auto at = reinterpret_cast<uintptr_t>(from) + out.size();
    char part[256];
    const size_t room = std::min<size_t>(sizeof part, 4096 - at % 4096);
    if (!peek(from + out.size(), part, room)) return false;
    const size_t length = strnlen(part, room);
    out.append(part, length);
    if (length < room) return true;
  }
  return false;
}

std::string in_source_form(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

std::string percent_decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::strtoul(text.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The number behind "key=" in "offset=1&size=2".
uint64_t number_of(const std::string& text, const std::string& key) {
  const size_t at = text.find(key + "=");
  return at == std::string::npos ? 0
                                 : std::strtoull(text.c_str() + at + key.size() + 1, nullptr, 0);
}

bool read_object(const ObjectPlace& place, std::vector<uint8_t>& bytes) {
  if (place.in_memory) {
    if (place.size == 0 || place.size > kMostBytes) return false;
    bytes.resize(place.size);
    return peek(reinterpret_cast<const void*>(place.offset), bytes.data(), bytes.size());
  }
  auto file = base::read_binary(place.path);
  if (!file || place.offset >= file->size()) return false;
  const uint64_t most = file->size() - place.offset;
  const uint64_t size = place.size == 0 ? most : std::min(place.size, most);
  const auto first = file->begin() + static_cast<ptrdiff_t>(place.offset);
  bytes.assign(first, first + static_cast<ptrdiff_t>(size));
  return true;
}

}  // namespace

bool parse_object_uri(const std::string& uri, ObjectPlace& place) {
  static const std::string kFile = "file://", kMemory = "memory://";
  const size_t mark = std::min(uri.find_first_of("#?"), uri.size());
  const std::string range = uri.substr(mark);
  if (uri.rfind(kFile, 0) == 0) {
    place = {false, percent_decoded(uri.substr(kFile.size(), mark - kFile.size())), 0, 0};
  } else if (uri.rfind(kMemory, 0) == 0) {
    place = {true, "", 0, 0};
  } else {
    return false;
  }
  place.offset = number_of(range, "offset");
  place.size = number_of(range, "size");
  return true;
}

std::string KernelNames::of(uint64_t kernel_object) {
  auto found = names_.find(kernel_object);
  if (found == names_.end()) {
    look();
    found = names_.find(kernel_object);
  }
  if (found != names_.end()) return found->second;
  // Also when nobody knows: the list is not looked at for every packet.
  return names_[kernel_object] = fmt::format("kernel object {:#x}", kernel_object);
}

void KernelNames::look() {
  r_debug list{};
  if (r_debug_ == nullptr || !peek(r_debug_, &list, sizeof list)) return;
  const link_map* next = list.r_map;
  for (size_t n = 0; next != nullptr && n < kMostObjects; ++n) {
    link_map entry{};
    std::string uri;
    if (!peek(next, &entry, sizeof entry) || !peek_text(entry.l_name, uri)) return;
    if (seen_.insert(fmt::format("{:#x} {}", entry.l_addr, uri)).second) add(entry.l_addr, uri);
    next = entry.l_next;
  }
}

void KernelNames::add(uint64_t base, const std::string& uri) {
  ObjectPlace place;
  std::vector<uint8_t> bytes;
  if (!parse_object_uri(uri, place) || !read_object(place, bytes)) return;
  const auto elf = hsa::parse_elf(bytes.data(), bytes.size(), uri);
  if (!elf) return;
  for (const auto* table : {&elf->symbols, &elf->dynamic_symbols}) {
    for (const hsa::ElfSymbol& s : *table) {
      const bool v2 = s.type == hsa::amdgpu_elf::kSymbolKernel;
      const bool descriptor = s.name.size() > 3 && s.name.ends_with(".kd");
      if (!v2 && !descriptor) continue;
      names_[base + s.value] =
          in_source_form(descriptor ? s.name.substr(0, s.name.size() - 3) : s.name);
    }
  }
}

}  // namespace cuvette::thunk
