// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/launch_limits.h"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bits.h"
#include "hsa/elf.h"
#include "hsa/file_error.h"

namespace cuvette::hsa {
namespace {

constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();  // no maxdynamicgroupsize
constexpr size_t kNumbers = 11;

/// The largest number where the product is larger.
uint64_t product(const std::array<uint64_t, 3>& v) {
  uint64_t out = 1;
  for (const uint64_t n : v) {
    if (__builtin_mul_overflow(out, n, &out)) return std::numeric_limits<uint64_t>::max();
  }
  return out;
}

/// The sizes that work-groups have in a dimension: the whole one, and the one at the upper edge of
/// a grid that is no multiple of it.
std::vector<uint64_t> sizes_of(const LaunchSize& size, size_t dimension) {
  const uint64_t whole = size.workgroup[dimension];
  std::vector<uint64_t> out;
  if (size.grid[dimension] >= whole) out.push_back(whole);
  if (size.grid[dimension] % whole != 0) out.push_back(size.grid[dimension] % whole);
  return out;
}

/// The items of a work-group with a partial wavefront; 0 when there is none.
uint64_t partial_wavefront(const LaunchSize& size) {
  for (const uint64_t x : sizes_of(size, 0)) {
    for (const uint64_t y : sizes_of(size, 1)) {
      for (const uint64_t z : sizes_of(size, 2)) {
        if (x * y * z % size.wavefront != 0) return x * y * z;
      }
    }
  }
  return 0;
}

std::array<uint64_t, kNumbers> numbers_of(const LaunchLimits& l) {
  return {l.required_workgroup[0],
          l.required_workgroup[1],
          l.required_workgroup[2],
          l.required_grid[0],
          l.required_grid[1],
          l.required_grid[2],
          l.required_dimensions,
          l.max_flat_workgroup,
          l.max_flat_grid,
          l.max_dynamic_group.value_or(kNone),
          uint64_t{l.whole_workgroups} | uint64_t{l.whole_wavefronts} << 1};
}

LaunchLimits limits_of(const std::array<uint64_t, kNumbers>& n) {
  LaunchLimits l;
  l.required_workgroup = {n[0], n[1], n[2]};
  l.required_grid = {n[3], n[4], n[5]};
  l.required_dimensions = n[6];
  l.max_flat_workgroup = n[7];
  l.max_flat_grid = n[8];
  if (n[9] != kNone) l.max_dynamic_group = n[9];
  l.whole_workgroups = base::bit(n[10], 0);
  l.whole_wavefronts = base::bit(n[10], 1);
  return l;
}

void put(std::string& out, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace

std::optional<BrokenLimit> first_broken_limit(const LaunchLimits& limits, const LaunchSize& size) {
  using enum LaunchPart;
  const auto broken = [](LaunchPart part, std::string what) {
    return BrokenLimit{std::move(what), part};
  };
  for (size_t i = 0; i < 3; ++i) {
    if (limits.required_workgroup[i] != 0 && limits.required_workgroup[i] != size.workgroup[i]) {
      return broken(
          Workgroup,
          fmt::format("requiredworkgroupsize asks for {}, the dispatch has {} in dimension {}",
                      limits.required_workgroup[i], size.workgroup[i], i));
    }
    if (limits.required_grid[i] != 0 && limits.required_grid[i] != size.grid[i]) {
      return broken(Grid,
                    fmt::format("requiredgridsize asks for {}, the dispatch has {} in dimension {}",
                                limits.required_grid[i], size.grid[i], i));
    }
  }
  if (limits.required_dimensions != 0 && limits.required_dimensions != size.dimensions) {
    return broken(Grid, fmt::format("requireddim asks for {} dimensions, the dispatch has {}",
                                    limits.required_dimensions, size.dimensions));
  }
  if (limits.max_flat_workgroup != 0 && product(size.workgroup) > limits.max_flat_workgroup) {
    return broken(
        Workgroup,
        fmt::format(
            "maxflatworkgroupsize allows {} work-items in a work-group, the dispatch has {}",
            limits.max_flat_workgroup, product(size.workgroup)));
  }
  if (limits.max_flat_grid != 0 && product(size.grid) > limits.max_flat_grid) {
    return broken(
        Grid, fmt::format("maxflatgridsize allows {} work-items in the grid, the dispatch has {}",
                          limits.max_flat_grid, product(size.grid)));
  }
  for (size_t i = 0; i < 3 && limits.whole_workgroups; ++i) {
    if (size.grid[i] % size.workgroup[i] == 0) continue;
    return broken(
        Grid,
        fmt::format(
            "requirenopartialworkgroups asks for a multiple of {} work-items in dimension {}, the "
            "dispatch has {}",
            size.workgroup[i], i, size.grid[i]));
  }
  if (limits.whole_wavefronts) {
    if (const uint64_t items = partial_wavefront(size); items != 0) {
      return broken(
          Workgroup,
          fmt::format(
              "requirenopartialwavefronts asks for work-groups of a multiple of {} work-items, the "
              "dispatch has one of {}",
              size.wavefront, items));
    }
  }
  if (limits.max_dynamic_group && size.dynamic_group_bytes > *limits.max_dynamic_group) {
    return broken(
        GroupBytes,
        fmt::format(
            "maxdynamicgroupsize allows {} bytes of dynamic group memory, the dispatch has {}",
            *limits.max_dynamic_group, size.dynamic_group_bytes));
  }
  return std::nullopt;
}

std::string broken_limit(const LaunchLimits& limits, const LaunchSize& size) {
  const auto broken = first_broken_limit(limits, size);
  return broken ? broken->what : std::string();
}

std::string limits_note(const std::string& kernel, const LaunchLimits& limits) {
  std::string description;
  for (const uint64_t n : numbers_of(limits)) put(description, n, 8);
  description += kernel;
  std::string owner = kLimitsNoteOwner;
  owner += '\0';
  std::string out;
  put(out, owner.size(), 4);
  put(out, description.size(), 4);
  put(out, kLimitsNoteType, 4);
  for (const std::string& part : {owner, description}) {
    out += part;
    out.resize(base::align_up(out.size(), 4));
  }
  return out;
}

base::Result<std::map<std::string, LaunchLimits>> read_limits_notes(const ElfFile& elf,
                                                                    const uint8_t* data) {
  std::map<std::string, LaunchLimits> out;
  for (const ElfNote& note : elf.notes) {
    if (note.owner != kLimitsNoteOwner || note.type != kLimitsNoteType) continue;
    const auto wrong = [&](const std::string& what) {
      return error_in_file({}, note.offset, what);
    };
    if (note.bytes <= kNumbers * 8) {
      return wrong(fmt::format("limits of a kernel in {} bytes, expected {} and a name", note.bytes,
                               kNumbers * 8));
    }
    std::array<uint64_t, kNumbers> numbers{};
    for (size_t i = 0; i < kNumbers * 8; ++i) {
      numbers[i / 8] |= uint64_t{data[note.offset + i]} << (i % 8 * 8);
    }
    const std::string kernel(reinterpret_cast<const char*>(data + note.offset + kNumbers * 8),
                             note.bytes - kNumbers * 8);
    if (!out.emplace(kernel, limits_of(numbers)).second) {
      return wrong(fmt::format("a second note with the limits of kernel {}", kernel));
    }
  }
  return out;
}

}  // namespace cuvette::hsa
