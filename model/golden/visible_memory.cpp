// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/visible_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "wave/atomic.h"

namespace cuvette::golden {
namespace {

constexpr unsigned kDword = 4;

std::string hex(const uint8_t* data, unsigned bytes) {
  std::string text = "0x";
  for (unsigned n = bytes; n != 0; --n) text += fmt::format("{:02x}", data[n - 1]);
  return text;
}

}  // namespace

/// Makes a range exist that may exist in part.
base::Status VisibleMemory::reserve(uint64_t address, uint64_t count) {
  if (count == 0) return {};
  if (address + count < address) return base::Error("memory beyond the end of the address space");
  if (count > hsa::SparseMemory::kMaxRangeBytes)
    return base::Error("more memory than there can be");
  // The backing in whole pages of its own: ranges that meet inside a page share it.
  constexpr uint64_t kBacked = hsa::SparseMemory::kPageBytes;
  auto& sparse = static_cast<hsa::SparseMemory&>(initial_.backing());
  const uint64_t last = address + (count - 1);
  for (const auto& [first, end] : backed_.add(address / kBacked, last / kBacked + 1)) {
    if (auto s = sparse.reserve(first * kBacked, (end - first) * kBacked); !s.ok()) return s;
  }
  for (const auto& [first, end] : mapped_.add(address, address + count)) {
    if (auto s = initial_.space().map(first, end - first, hsa::Access::All); !s.ok()) return s;
  }
  return {};
}

base::Status VisibleMemory::load(uint64_t address, const void* bytes, size_t count) {
  if (auto s = reserve(address, count); !s.ok()) return s;
  if (!initial_.poke(address, bytes, count)) {
    return base::Error(fmt::format("memory at {:#x} cannot be written", address));
  }
  return {};
}

base::Status VisibleMemory::load_zeros(uint64_t address, uint64_t count) {
  if (auto s = reserve(address, count); !s.ok() || count == 0) return s;
  const uint64_t last = address + (count - 1);
  const std::vector<uint8_t> zeros(hsa::SparseMemory::kPageBytes);
  bool good = true;
  static_cast<const hsa::SparseMemory&>(initial_.backing())
      .visit([&](uint64_t page, const uint8_t*, size_t size) {
        const uint64_t from = std::max(page, address), to = std::min(page + (size - 1), last);
        if (from <= to) good = good && initial_.poke(from, zeros.data(), to - from + 1).ok();
      });
  return good ? base::Status()
              : base::Error(fmt::format("memory at {:#x} cannot be written", address));
}

void VisibleMemory::name_code(const hsa::CodeRanges& code) {
  std::vector<hsa::CodeRange> functions;
  for (const auto& [begin, function] : code.all()) functions.push_back(function);
  initial_.space().code().add(std::move(functions));
}

bool VisibleMemory::exists(uint64_t address, unsigned bytes) const {
  uint8_t scratch[16];
  return initial_.read(address, scratch, bytes).ok();
}

uint8_t VisibleMemory::initial_byte(uint64_t address) const {
  uint8_t value = 0;
  (void)initial_.read(address, &value, 1).ok();
  return value;
}

uint8_t VisibleMemory::value_at(uint64_t address, uint64_t serial) const {
  const auto found = versions_.find(address);
  if (found == versions_.end()) return initial_byte(address);
  const auto& all = found->second;
  auto after = std::upper_bound(all.begin(), all.end(), serial,
                                [](uint64_t s, const Version& v) { return s < v.serial; });
  return after == all.begin() ? initial_byte(address) : std::prev(after)->value;
}

uint64_t VisibleMemory::floor_of(const View& view, uint64_t address) const {
  const auto found = view.by_byte.find(address);
  return found == view.by_byte.end() ? view.floor : std::max(view.floor, found->second);
}

/// The newest own write to a byte that has no place in the log.
VisibleMemory::Overlay VisibleMemory::overlay(uint64_t wave, Cache cache, uint64_t address,
                                              uint64_t end) const {
  Overlay result;
  uint64_t newest = 0;
  for (auto it = waiting_.lower_bound(Name{wave, 0, 0}); it != waiting_.end(); ++it) {
    if (it->first.wave != wave || it->first.order >= end) break;
    const Write& w = it->second.write;
    if (w.cache != cache || address < w.address || address - w.address >= w.bytes) continue;
    if (it->second.number < newest) continue;
    newest = it->second.number;
    result = {true, w.atomic, w.data[address - w.address]};
  }
  return result;
}

std::string VisibleMemory::declare(const Name& name, uint64_t serial) {
  if (serial < last_serial_ || serial == 0) {
    return fmt::format("serial {} after {}: the coherence log only grows, from 1", serial,
                       last_serial_);
  }
  if (!places_.emplace(name, serial).second) {
    return fmt::format("lane {} of instruction {} has a place in the log already", name.lane,
                       name.order);
  }
  last_serial_ = serial;
  auto [first, last] = waiting_.equal_range(name);
  if (first == last) {
    declared_[name] = serial;
    return {};
  }
  std::vector<Write> writes;
  for (auto it = first; it != last; ++it) writes.push_back(it->second.write);
  waiting_.erase(first, last);
  for (const Write& w : writes) {
    uint64_t old = 0;
    if (std::string wrong = place(w, serial, &old); !wrong.empty()) return wrong;
  }
  return {};
}

bool VisibleMemory::changed(uint64_t address, unsigned bytes) const {
  if (versions_.empty()) return false;
  for (unsigned n = 0; n < bytes; ++n) {
    if (versions_.contains(address + n)) return true;
  }
  return false;
}

bool VisibleMemory::executed(const Name& name) const {
  return waiting_.count(name) != 0 || (places_.count(name) != 0 && declared_.count(name) == 0);
}

std::optional<VisibleMemory::Name> VisibleMemory::first_declared(uint64_t wave) const {
  const auto found = declared_.lower_bound(Name{wave, 0, 0});
  if (found == declared_.end() || found->first.wave != wave) return {};
  return found->first;
}

std::string VisibleMemory::write(const Write& w, uint64_t* old) {
  const auto found = places_.find(w.name);
  if (found != places_.end()) {
    declared_.erase(w.name);
    return place(w, found->second, old);
  }
  if (old != nullptr) {
    return fmt::format("atomic of lane {} at {:#x} returns a value and has no place in the log",
                       w.name.lane, w.address);
  }
  waiting_.emplace(w.name, Waiting{w, ++number_});
  return {};
}

std::string VisibleMemory::place(const Write& w, uint64_t serial, uint64_t* old) {
  if (!w.atomic) return insert(w, serial, w.data);
  uint64_t before = 0;
  for (unsigned n = 0; n < w.bytes; ++n) {
    before |= uint64_t{value_at(w.address + n, serial)} << 8 * n;
    if (overlay(w.name.wave, w.cache, w.address + n, w.name.order).present) {
      return fmt::format("atomic at {:#x}: an older store of the wave has no place in the log",
                         w.address);
    }
  }
  if (old != nullptr) *old = before;
  const uint64_t after = wave::apply_atomic(w.op, before, w.operand, w.compare, 8 * w.bytes,
                                            w.flush_subnormals, w.flush_subnormals);
  uint8_t data[8];
  std::memcpy(data, &after, sizeof data);
  return insert(w, serial, data);
}

std::string VisibleMemory::insert(const Write& w, uint64_t serial, const uint8_t* data) {
  View& view = views_[{w.name.wave, w.cache}];
  for (unsigned n = 0; n < w.bytes; ++n) {
    auto& all = versions_[w.address + n];
    const auto after = std::upper_bound(all.begin(), all.end(), serial,
                                        [](uint64_t s, const Version& v) { return s < v.serial; });
    for (auto it = after; it != all.end(); ++it) {
      if (it->from_atomic) {
        return fmt::format(
            "write to {:#x} at serial {} retired after the atomic at serial {} that "
            "follows it in the log",
            w.address, serial, it->serial);
      }
    }
    all.insert(after, Version{serial, data[n], w.atomic});
    uint64_t& floor = view.by_byte[w.address + n];
    floor = std::max(floor, serial);
  }
  return {};
}

void VisibleMemory::invalidate(uint64_t wave, Cache cache, uint64_t serial) {
  View& view = views_[{wave, cache}];
  view.floor = std::max(view.floor, serial);
}

VisibleMemory::LoadResult VisibleMemory::load(uint64_t wave, Cache cache, uint64_t upper,
                                              uint64_t address, unsigned bytes, bool observed,
                                              uint8_t* data) {
  LoadResult all;
  for (unsigned done = 0; done < bytes;) {
    const uint64_t at = address + done;
    const auto part = static_cast<unsigned>(std::min<uint64_t>(kDword - at % kDword, bytes - done));
    const LoadResult seen = load_part(wave, cache, upper, at, part, observed, data + done);
    all.candidates = std::max(all.candidates, seen.candidates);
    if (!seen.wrong.empty()) {
      all.wrong = seen.wrong;
      return all;
    }
    done += part;
  }
  return all;
}

/// Bytes inside one aligned dword.
VisibleMemory::LoadResult VisibleMemory::load_part(uint64_t wave, Cache cache, uint64_t upper,
                                                   uint64_t address, unsigned bytes, bool observed,
                                                   uint8_t* data) {
  LoadResult seen;
  View& view = views_[{wave, cache}];
  Overlay own[kDword];
  uint64_t floor[kDword];
  std::set<uint64_t> positions{0};
  for (unsigned n = 0; n < bytes; ++n) {
    own[n] = overlay(wave, cache, address + n);
    if (own[n].atomic) {
      seen.wrong = fmt::format(
          "load at {:#x} behind an atomic of the wave that has no place in the log", address);
      return seen;
    }
    floor[n] = floor_of(view, address + n);
    const auto found = versions_.find(address + n);
    if (found == versions_.end()) continue;
    for (const Version& v : found->second) {
      if (v.serial <= upper) positions.insert(v.serial);
    }
  }
  std::set<std::array<uint8_t, kDword>> values;
  bool accepted = false;
  uint64_t chosen = 0;
  for (const uint64_t position : positions) {
    std::array<uint8_t, kDword> value{};
    for (unsigned n = 0; n < bytes; ++n) {
      value[n] =
          own[n].present ? own[n].value : value_at(address + n, std::max(position, floor[n]));
    }
    values.insert(value);
    if (!accepted && observed && std::memcmp(value.data(), data, bytes) == 0) {
      accepted = true;
      chosen = position;  // the oldest that explains it forbids least
    }
  }
  seen.candidates = static_cast<unsigned>(values.size());
  if (!observed && values.size() == 1) {
    accepted = true;
    std::memcpy(data, values.begin()->data(), bytes);
  }
  if (!accepted) {
    std::string legal;
    for (const auto& value : values) {
      legal += fmt::format("{}{}", legal.empty() ? "" : ", ", hex(value.data(), bytes));
    }
    seen.wrong = observed ? fmt::format("load at {:#x}: {} is not visible, legal {} {}", address,
                                        hex(data, bytes), values.size() == 1 ? "is" : "are", legal)
                          : fmt::format(
                                "load at {:#x} has several legal values ({}) and was not "
                                "observed",
                                address, legal);
    if (!declared_.empty()) {
      seen.wrong += fmt::format("; {} declared stores have not retired", declared_.size());
    }
    return seen;
  }
  for (unsigned n = 0; n < bytes && observed; ++n) {
    if (own[n].present) continue;
    const uint64_t at = std::max(chosen, floor[n]);
    if (at > view.floor) view.by_byte[address + n] = at;
  }
  return seen;
}

}  // namespace cuvette::golden
