// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// An offload bundle written as Clang's page on the offload bundler lays it out ("Bundled Binary
// File Layout"): the magic, the number of entries; offset, size, length of the name and the name of
// each; then the code objects.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::hsa {

using BundleParts = std::vector<std::pair<std::string, std::vector<uint8_t>>>;

inline std::vector<uint8_t> offload_bundle(const BundleParts& parts, size_t alignment = 4096) {
  const std::string magic = "__CLANG_OFFLOAD_BUNDLE__";
  std::vector<uint8_t> out(magic.begin(), magic.end());
  const auto put = [&out](uint64_t value) {
    for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<uint8_t>(value >> 8 * i));
  };
  const auto up = [alignment](size_t n) { return (n + alignment - 1) / alignment * alignment; };
  size_t at = magic.size() + 8;
  for (const auto& [id, code] : parts) at += 24 + id.size();
  put(parts.size());
  for (const auto& [id, code] : parts) {
    at = up(at);
    put(at);
    put(code.size());
    put(id.size());
    out.insert(out.end(), id.begin(), id.end());
    at += code.size();
  }
  for (const auto& [id, code] : parts) {
    out.resize(up(out.size()));
    out.insert(out.end(), code.begin(), code.end());
  }
  return out;
}

}  // namespace cuvette::hsa
