// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/relocation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

// LLVM AMDGPU usage, "Relocation Records": S symbol, A addend, P place, B base.
enum class Formula : uint8_t { SymbolPlusAddend, Relative, BasePlusAddend };
enum class Part : uint8_t { Whole64, Low32, High32, Unsigned32, Signed32 };

struct RelocationRow {
  uint32_t type;
  Formula formula;
  Part part;
};
constexpr RelocationRow kRows[] = {
    {1, Formula::SymbolPlusAddend, Part::Low32},       // ABS32_LO
    {2, Formula::SymbolPlusAddend, Part::High32},      // ABS32_HI
    {3, Formula::SymbolPlusAddend, Part::Whole64},     // ABS64
    {4, Formula::Relative, Part::Signed32},            // REL32
    {5, Formula::Relative, Part::Whole64},             // REL64
    {6, Formula::SymbolPlusAddend, Part::Unsigned32},  // ABS32
    {10, Formula::Relative, Part::Low32},              // REL32_LO
    {11, Formula::Relative, Part::High32},             // REL32_HI
    {13, Formula::BasePlusAddend, Part::Whole64},      // RELATIVE64
};
constexpr uint32_t kNoRelocation = 0;
constexpr uint8_t kWeak = 2;

const RelocationRow* find(uint32_t type) {
  for (const RelocationRow& row : kRows) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

bool fits(Part part, uint64_t value) {
  if (part == Part::Unsigned32) return base::hi32(value) == 0;
  if (part == Part::Signed32) {
    return value == static_cast<uint64_t>(base::sign_extend(base::lo32(value), 32));
  }
  return true;
}

/// True if `address` lies between the object's first byte and its end, which a pointer may have
/// too. Gaps between segments are included: an address before or behind a variable is legal.
bool is_of_object(const ElfFile& elf, uint64_t address) {
  uint64_t low = ~uint64_t{0};
  uint64_t high = 0;
  for (const ElfSegment& s : elf.segments) {
    if (s.type != kElfLoadSegment || s.memory_bytes == 0) continue;
    low = std::min(low, s.vaddr);
    high = std::max(high, s.vaddr + s.memory_bytes);
  }
  return low <= address && address <= high;
}

base::Status apply(const ElfFile& elf, const ElfRelocation& r, uint64_t base,
                   DeviceMemory& memory) {
  const RelocationRow* row = find(r.type);
  if (row == nullptr) {
    return base::Error(fmt::format("type {} is unsupported, expected a dynamic one", r.type));
  }
  const uint64_t bytes = row->part == Part::Whole64 ? 8 : 4;
  if (elf.segment_with(r.offset, bytes) == nullptr) {
    return base::Error("its place is outside of the object's segments");
  }
  const uint64_t place = base + r.offset;
  const auto addend = static_cast<uint64_t>(r.addend);
  uint64_t value = base + addend;
  bool fixed = false;
  if (row->formula != Formula::BasePlusAddend) {
    const ElfSymbol& s = elf.dynamic_symbols[r.symbol];
    if (s.section == 0 && s.binding != kWeak && r.symbol != 0) {
      return base::Error(fmt::format("symbol '{}' is undefined", s.name));
    }
    fixed = s.section == 0 || s.section == kElfAbsoluteSection;
    value = (fixed ? s.value : base + s.value) + addend;
  }
  const uint64_t target = value;
  if (row->formula == Formula::Relative) value -= place;
  if (!fits(row->part, value)) return base::Error(fmt::format("{:#x} does not fit 32 bits", value));
  if (!fixed && !is_of_object(elf, target - base)) {
    return base::Error(
        fmt::format("{:#x} of the object, its value, is outside of the segments", target - base));
  }
  AccessResult result;
  if (row->part == Part::Whole64) {
    result = memory.poke(place, &value, sizeof value);
  } else {
    const uint32_t half = row->part == Part::High32 ? base::hi32(value) : base::lo32(value);
    result = memory.poke(place, &half, sizeof half);
  }
  return result ? base::Status() : base::Error(result.str());
}

}  // namespace

base::Status apply_relocations(const ElfFile& elf, uint64_t base, DeviceMemory& memory) {
  for (const ElfRelocation& r : elf.relocations) {
    if (r.type == kNoRelocation) continue;
    if (auto status = apply(elf, r, base, memory); !status) {
      base::Error e(
          fmt::format("relocation at {:#x} of the object: {}", r.offset, status.error().what));
      e.where.offset = r.entry;
      return e;
    }
  }
  return {};
}

}  // namespace cuvette::hsa
