// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "counters/table.h"

#include <algorithm>
#include <iterator>

#include "counters/counter_table.h"  // generated

namespace cuvette::counters {
namespace {

constexpr const char* kBlockNames[] = {"GRBM", "CPC", "CPF", "SPI", "SQ",
                                       "TA",   "TD",  "TCP", "TCA", "TCC"};
static_assert(std::size(kBlockNames) == kBlocks);

bool is_on(const DerivedCounter& counter, isa::Target target) {
  return (counter.targets >> isa::index_of(target) & 1) != 0;
}

}  // namespace

const char* name_of(Exactness exactness) {
  switch (exactness) {
    case Exactness::Exact:
      return "exact";
    case Exactness::Approximate:
      return "approximate";
    case Exactness::Unavailable:
      break;
  }
  return "unavailable";
}

const char* name_of(Block block) {
  return kBlockNames[static_cast<unsigned>(block)];
}

std::optional<Block> find_block(std::string_view name) {
  for (unsigned n = 0; n < kBlocks; ++n) {
    if (name == kBlockNames[n]) return static_cast<Block>(n);
  }
  return std::nullopt;
}

HardwareList hardware_counters() {
  return {table::kHardware.data(), table::kHardware.size()};
}

DerivedList derived_counters() {
  return {table::kDerived.data(), table::kDerived.size()};
}

const HardwareCounter* find_hardware(std::string_view name, isa::Target target) {
  for (const HardwareCounter& c : hardware_counters()) {
    if (c.name == name && c.event[isa::index_of(target)] >= 0) return &c;
  }
  return nullptr;
}

const DerivedCounter* find_derived(std::string_view name, isa::Target target) {
  for (const DerivedCounter& c : derived_counters()) {
    if (c.name == name && is_on(c, target)) return &c;
  }
  return nullptr;
}

const HardwareCounter* find_event(Block block, unsigned event, isa::Target target) {
  for (const HardwareCounter& c : hardware_counters()) {
    const int16_t own = c.event[isa::index_of(target)];
    if (c.block == block && own >= 0 && static_cast<unsigned>(own) == event) return &c;
  }
  return nullptr;
}

bool is_accumulator(std::string_view name) {
  return name == "SQ_ACCUM_PREV" || name == "SQ_ACCUM_PREV_HIRES";
}

std::vector<std::string> names_on(isa::Target target) {
  std::vector<std::string> out;
  for (const HardwareCounter& c : hardware_counters()) {
    if (c.event[isa::index_of(target)] >= 0) out.emplace_back(c.name);
  }
  for (const DerivedCounter& c : derived_counters()) {
    if (is_on(c, target)) out.emplace_back(c.name);
  }
  return out;
}

}  // namespace cuvette::counters
