// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/probe_image.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::run {

using base::Error;
using base::Result;

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kCodeAt = uint64_t{0x7e} << 40;

/// Pages of all the memory a case mentions, as maximal runs.
std::map<uint64_t, uint64_t> pages_of(const ProbeCase& c) {
  std::set<uint64_t> pages;
  const auto touch = [&pages](uint64_t at, uint64_t bytes) {
    for (uint64_t p = at / kPage; bytes != 0 && p <= (at + bytes - 1) / kPage; ++p) pages.insert(p);
  };
  for (const auto& [at, bytes] : c.memory) touch(at, bytes.size());
  for (const auto& [at, bytes] : c.mapped) touch(at, bytes);
  for (const auto& r : c.reads) {
    if (r.kind == ProbeRead::Kind::Memory) touch(r.index, r.bytes);
  }
  std::map<uint64_t, uint64_t> runs;
  for (const uint64_t page : pages) {
    if (!runs.empty() && runs.rbegin()->first + runs.rbegin()->second == page * kPage) {
      runs.rbegin()->second += kPage;
    } else {
      runs[page * kPage] = kPage;
    }
  }
  return runs;
}

}  // namespace

Result<std::unique_ptr<ProbeImage>> ProbeImage::create(const ProbeCase& c,
                                                       const std::vector<uint32_t>& code) {
  auto backing = std::make_unique<hsa::SparseMemory>();
  auto space = std::make_unique<hsa::AddressSpace>();
  const auto runs = pages_of(c);
  for (const auto& [at, bytes] : runs) {
    if (auto s = backing->reserve(at, bytes); !s.ok()) return s.error();
    if (auto s = space->map(at, bytes, hsa::Access::ReadWrite); !s.ok()) return s.error();
  }
  uint64_t code_at = kCodeAt;
  const uint64_t code_bytes = base::align_up(code.size() * 4, kPage);
  for (const auto& [at, bytes] : runs) {
    if (at < code_at + code_bytes && code_at < at + bytes) {
      code_at = base::align_up(at + bytes + kPage, kPage);
    }
  }
  if (auto s = backing->reserve(code_at, code_bytes); !s.ok()) return s.error();
  // Data accesses to the code are wild: the case did not name these pages.
  if (auto s = space->map(code_at, code_bytes, hsa::Access::Execute); !s.ok()) return s.error();
  if (!backing->write(code_at, code.data(), code.size() * 4)) {
    return Error("the code cannot be placed");
  }
  std::unique_ptr<ProbeImage> image(new ProbeImage(std::move(backing), std::move(space), code_at));
  for (const auto& [at, bytes] : c.memory) {
    if (!bytes.empty() && !image->memory_.write(at, bytes.data(), bytes.size()).ok()) {
      return Error(fmt::format("memory at {:#x} cannot be written", at));
    }
  }
  return image;
}

}  // namespace cuvette::run
