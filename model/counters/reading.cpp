// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "counters/reading.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/nearest.h"

namespace cuvette::counters {

using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr unsigned kMostNested = 20;  // derived counters in each other
constexpr const char* kSum = "_sum";

/// The tables are ours.
Expression made(std::string_view text, std::string_view name) {
  auto parsed = Expression::parse(text);
  if (!parsed) {
    throw std::logic_error(fmt::format("counter {}: {}", name, parsed.error().what));
  }
  return std::move(*parsed);
}

/// NAME of NAME_sum; nothing for other names.
std::optional<std::string> summed(const std::string& name) {
  const size_t end = std::string_view(kSum).size();
  if (name.size() <= end || name.compare(name.size() - end, end, kSum) != 0) return std::nullopt;
  return name.substr(0, name.size() - end);
}

struct Indexed {
  std::string name;
  unsigned instance = 0;
};
/// NAME[3].
std::optional<Indexed> indexed(const std::string& name) {
  const size_t open = name.find('[');
  if (open == std::string::npos || name.back() != ']') return std::nullopt;
  Indexed out{name.substr(0, open), 0};
  const char* const last = name.data() + name.size() - 1;
  const auto read = std::from_chars(name.data() + open + 1, last, out.instance);
  if (read.ec != std::errc() || read.ptr != last) return std::nullopt;
  return out;
}

/// The counter of "TCC:17", a block and an event number; null when it is none.
const HardwareCounter* event_of(const std::string& name, isa::Target target) {
  const size_t colon = name.find(':');
  if (colon == std::string::npos) return nullptr;
  const auto block = find_block(std::string_view(name).substr(0, colon));
  unsigned event = 0;
  const char* const last = name.data() + name.size();
  const auto read = std::from_chars(name.data() + colon + 1, last, event);
  if (!block || read.ec != std::errc() || read.ptr != last) return nullptr;
  return find_event(*block, event, target);
}

unsigned locations(Block block, const MachineShape& shape) {
  switch (block) {
    case Block::Sq:
      return shape.engines;
    case Block::Ta:
    case Block::Td:
    case Block::Tcp:
      return shape.units;
    case Block::Tcc:
      return shape.slices;
    default:
      return 1;
  }
}

/// True if a value of a series counts for an instance of the block as the machine has it.
bool is_inside(Block block, unsigned location, Place place, unsigned index,
               const MachineShape& shape) {
  if (block != Block::Sq) return locations(block, shape) == 1 || index == location;
  switch (place) {
    case Place::Engine:
      return index == location;
    case Place::ScalarCache:
      return index * shape.scalar_shared_by / shape.units_per_engine == location;
    case Place::InstructionCache:
      return index * shape.instruction_shared_by / shape.units_per_engine == location;
    default:
      return index / shape.units_per_engine == location;
  }
}

/// Place of which a series has a value for each instance of the block, as the machine has it.
Place own_place(Block block) {
  switch (block) {
    case Block::Sq:
      return Place::Engine;
    case Block::Ta:
    case Block::Td:
    case Block::Tcp:
      return Place::Unit;
    case Block::Tcc:
      return Place::Slice;
    default:
      return Place::Machine;
  }
}

/// Series of a sample, summed over what is inside one instance of a block.
class Inside final : public Expression::Values {
 public:
  Inside(const Sample& sample, Block block, unsigned location)
      : sample_(sample), block_(block), location_(location) {}

  Result<double> value(const std::string& name) const override {
    const Series* const series = sample_.find(name);
    if (series == nullptr) return Error("this engine, or a device in it, does not count it");
    if (series->place == own_place(block_)) {
      return static_cast<double>(sample_.value(*series, location_));
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < series->count; ++i) {
      if (!is_inside(block_, location_, series->place, i, sample_.shape)) continue;
      sum += sample_.value(*series, i);
    }
    return static_cast<double>(sum);
  }
  Result<std::vector<double>> instances(const std::string&) const override {
    return Error("sources have no functions");
  }

 private:
  const Sample& sample_;
  Block block_;
  unsigned location_;
};

/// Constants of expressions.
std::optional<double> constant(const std::string& name, const MachineShape& shape) {
  if (name == "CU_NUM") return shape.units;
  if (name == "SIMD_NUM") return shape.units * shape.simds;
  if (name == "SE_NUM") return shape.engines;
  if (name == "XCC_NUM") return 1;
  if (name == "MAX_WAVE_SIZE") return 64;
  return std::nullopt;
}

bool is_constant(const std::string& name) {
  return constant(name, MachineShape{}).has_value();
}

}  // namespace

unsigned instances_of(Block block, const MachineShape& shape) {
  const unsigned count = locations(block, shape);
  const bool by_number = block == Block::Ta || block == Block::Td || block == Block::Tcp;
  return by_number ? std::min(shape.units_per_engine, count) : count;
}

Catalogue::Catalogue(isa::Target target) : target_(target) {
  for (const HardwareCounter& row : hardware_counters()) {
    if (row.event[isa::index_of(target)] < 0) continue;
    Hardware& h = hardware_[std::string(row.name)];
    h.row = &row;
    if (!row.source.empty()) h.source = made(row.source, row.name);
    if (!row.accumulated.empty()) h.accumulated = made(row.accumulated, row.name);
  }
  for (const DerivedCounter& row : derived_counters()) {
    if ((row.targets >> isa::index_of(target) & 1) == 0) continue;
    derived_[std::string(row.name)] = {&row, made(row.expression, row.name)};
  }
}

const Catalogue::Hardware* Catalogue::hardware(const std::string& name) const {
  auto found = hardware_.find(name);
  if (found == hardware_.end()) {
    const HardwareCounter* const event = event_of(name, target_);
    if (event != nullptr) found = hardware_.find(event->name);
  }
  return found == hardware_.end() ? nullptr : &found->second;
}

const Catalogue::Derived* Catalogue::derived(const std::string& name) const {
  const auto found = derived_.find(name);
  return found == derived_.end() ? nullptr : &found->second;
}

const Catalogue::Hardware* Catalogue::hardware_of(const std::string& name) const {
  if (const Hardware* const h = hardware(name)) return h;
  if (const auto of = indexed(name)) return hardware(of->name);
  const auto of = summed(name);
  return of ? hardware(*of) : nullptr;
}

Status Catalogue::check(const std::string& name) const {
  if (derived(name) != nullptr || hardware_of(name) != nullptr) return {};
  std::vector<std::string> known;
  known.reserve(hardware_.size() + derived_.size());
  for (const auto& [other, entry] : hardware_) known.push_back(other);
  for (const auto& [other, entry] : derived_) known.push_back(other);
  const std::string near = base::nearest(name, known);
  return Error(fmt::format("'{}' is no counter of {}{}", name, isa::name_of(target_),
                           near.empty() ? ", expected one of docs/reference/counters.md"
                                        : fmt::format(", expected one such as {}", near)));
}

Catalogue::Worth Catalogue::worth(const std::string& name) const {
  Worth out;
  find_worth(name, 0, out);
  return out;
}

void Catalogue::find_worth(const std::string& name, unsigned depth, Worth& worth) const {
  if (is_constant(name) || worth.exactness == Exactness::Unavailable) return;
  if (const Derived* const d = derived(name); d != nullptr && depth < kMostNested) {
    for (const std::string& of : d->expression.names()) find_worth(of, depth + 1, worth);
    return;
  }
  const Hardware* const h = hardware_of(name);
  if (h == nullptr) {
    worth = {Exactness::Unavailable, name + " is not on the list of the target"};
    return;
  }
  if (h->row->exactness <= worth.exactness) return;
  worth.exactness = h->row->exactness;
  worth.limits = std::string(h->row->name) + ": " + std::string(h->row->limits);
}

/// Names of derived expressions.
class Reading::Names final : public Expression::Values {
 public:
  Names(Reading& reading, unsigned depth) : reading_(reading), depth_(depth) {}
  Result<double> value(const std::string& name) const override {
    return reading_.value(name, depth_);
  }
  Result<std::vector<double>> instances(const std::string& name) const override {
    return reading_.instances(name);
  }

 private:
  Reading& reading_;
  unsigned depth_;
};

Reading::Reading(const Catalogue& catalogue, const Sample& sample)
    : catalogue_(catalogue), sample_(sample) {}
Reading::~Reading() = default;

/// By instances as the profiler counts them.
Result<std::vector<double>> Reading::evaluate(const Catalogue::Hardware& counter,
                                              const Expression& source) const {
  const Block block = counter.row->block;
  const MachineShape& shape = sample_.shape;
  const unsigned count = locations(block, shape);
  const unsigned instances = instances_of(block, shape);
  std::vector<double> out(instances);
  for (unsigned location = 0; location < count; ++location) {
    const auto value = source.evaluate(Inside(sample_, block, location));
    if (!value) return Error(fmt::format("{}: {}", counter.row->name, value.error().what));
    out[location % instances] += std::floor(*value);
  }
  return out;
}

Result<std::vector<double>> Reading::instances(const std::string& name) {
  const Catalogue::Hardware* const h = catalogue_.hardware(name);
  if (h == nullptr) return Error(name + " is no hardware counter of the target");
  if (!h->row->accumulated.empty()) level_ = h;
  if (is_accumulator(name)) {
    if (level_ == nullptr) return Error(name + " stands behind no level");
    return evaluate(*level_, level_->accumulated);
  }
  if (h->row->exactness == Exactness::Unavailable) {
    return Error(fmt::format("{}: {}", name, h->row->limits));
  }
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  return known_.emplace(name, evaluate(*h, h->source)).first->second;
}

Result<double> Reading::value(const std::string& name) {
  return value(name, 0);
}

Result<double> Reading::value(const std::string& name, unsigned depth) {
  if (const auto fixed = constant(name, sample_.shape)) return *fixed;
  if (const Catalogue::Derived* const d = catalogue_.derived(name)) {
    if (depth > kMostNested) return Error(name + " stands in itself");
    const auto outer = level_;
    level_ = nullptr;
    auto result = d->expression.evaluate(Names(*this, depth + 1));
    level_ = outer;
    return result;
  }
  std::string of = name;
  std::optional<unsigned> instance;
  if (catalogue_.hardware(name) == nullptr) {
    if (const auto one = indexed(name)) {
      of = one->name;
      instance = one->instance;
    } else if (const auto all = summed(name)) {
      of = *all;
    }
  }
  const auto found = instances(of);
  if (!found) return found.error();
  if (!instance) return std::accumulate(found->begin(), found->end(), 0.0);
  if (*instance >= found->size()) {
    return Error(fmt::format("{} has {} instances", of, found->size()));
  }
  return (*found)[*instance];
}

}  // namespace cuvette::counters
