// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/target.h"

/// Performance counters by their public names (docs/reference/counters.md): which there are, what
/// they are made of, and the evaluation of their expressions. Values come from a Sample that
/// engines take.
namespace cuvette::counters {

/// Exactness of a value: events of the model that are those of the name, events that stand for
/// them, or nothing.
enum class Exactness : uint8_t { Exact, Approximate, Unavailable };
const char* name_of(Exactness exactness);

/// Instances of which block a counter has. Compute units of one number in their shader engines are
/// one instance of Ta, Td and Tcp, as the profiler counts them.
enum class Block : uint8_t { Grbm, Cpc, Cpf, Spi, Sq, Ta, Td, Tcp, Tca, Tcc };
inline constexpr unsigned kBlocks = 10;
const char* name_of(Block block);  ///< "GRBM", ...

/// A row of model/counters/hardware.csv.
struct HardwareCounter {
  std::string_view name;
  Block block;
  int16_t event[isa::kTargets];  ///< number in the block's select register; -1: not there
  Exactness exactness;
  std::string_view source;       ///< expression over series of a Sample; empty: Unavailable
  std::string_view accumulated;  ///< of a level: the same summed over cycles; empty: no level
  std::string_view meaning;
  std::string_view limits;  ///< reason why it is not exact
};

/// A row of model/counters/derived.csv.
struct DerivedCounter {
  std::string_view name;
  uint8_t targets;  ///< bit per isa::Target
  std::string_view expression;
};

struct HardwareList {
  const HardwareCounter* first;
  size_t count;
  const HardwareCounter* begin() const { return first; }
  const HardwareCounter* end() const { return first + count; }
};
struct DerivedList {
  const DerivedCounter* first;
  size_t count;
  const DerivedCounter* begin() const { return first; }
  const DerivedCounter* end() const { return first + count; }
};
HardwareList hardware_counters();
DerivedList derived_counters();

/// Null when the target has none of the name.
const HardwareCounter* find_hardware(std::string_view name, isa::Target target);
const DerivedCounter* find_derived(std::string_view name, isa::Target target);
/// The counter behind an event number of a block; null when there is none.
const HardwareCounter* find_event(Block block, unsigned event, isa::Target target);
std::optional<Block> find_block(std::string_view name);

/// SQ_ACCUM_PREV and SQ_ACCUM_PREV_HIRES: the level read before, summed over cycles.
bool is_accumulator(std::string_view name);

/// All names of a target, hardware counters first, in the order of the tables.
std::vector<std::string> names_on(isa::Target target);

}  // namespace cuvette::counters
