// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/coverage/coverage.h"

#include <deque>
#include <sstream>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace cuvette::ip {
namespace {

using base::Error;
using base::Status;
using Json = nlohmann::ordered_json;

constexpr uint64_t kSchema = 1;

struct AxisText {
  const char* name;
  bool rows;
  const char* values;
};
struct GroupText {
  const char* name;
  const char* by;
  const char* axes;
};

#define AXIS(name, rows, values) {name, rows, values},
#define GROUP(...)
constexpr AxisText kAxes[] = {
#include "ip/coverage_plan.inc"
};
#undef AXIS
#undef GROUP
#define AXIS(...)
#define GROUP(name, by, axes) {name, by, axes},
constexpr GroupText kGroups[] = {
#include "ip/coverage_plan.inc"
};
#undef AXIS
#undef GROUP

std::vector<std::string> lines_of(const char* text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string row_name(const isa::Row& row) {
  return std::string(isa::name_of(row.format)) + "." + std::string(row.mnemonic);
}

/// The plan with its axes, which groups point to.
struct Plan {
  std::deque<CoverageAxis> axes;
  std::vector<CoveragePlanGroup> groups;

  Plan() {
    std::unordered_map<std::string, uint32_t> row_numbers;
    for (const isa::Row& row : isa::rows()) row_numbers[row_name(row)] = isa::index_of(row);
    std::unordered_map<std::string, const CoverageAxis*> by_name;
    for (const AxisText& a : kAxes) {
      CoverageAxis& axis = axes.emplace_back();
      axis.name = a.name;
      axis.values = lines_of(a.values);
      if (a.rows) {
        axis.place.assign(isa::rows().count, -1);
        for (size_t n = 0; n < axis.values.size(); ++n) {
          axis.place[row_numbers.at(axis.values[n])] = static_cast<int32_t>(n);
        }
      }
      by_name[axis.name] = &axis;
    }
    for (const GroupText& g : kGroups) {
      CoveragePlanGroup& group = groups.emplace_back();
      group.name = g.name;
      group.by = g.by;
      for (const std::string& axis : lines_of(g.axes)) {
        group.axes.push_back(by_name.at(axis));
        group.bins *= group.axes.back()->values.size();
      }
    }
  }
};

const Plan& plan() {
  static const Plan only;
  return only;
}

}  // namespace

std::string CoveragePlanGroup::bin_name(size_t bin) const {
  std::string text;
  for (size_t a = axes.size(); a-- > 0;) {
    const std::vector<std::string>& values = axes[a]->values;
    text.insert(0, text.empty() ? "" : ", ").insert(0, values[bin % values.size()]);
    bin /= values.size();
  }
  return text;
}

const std::vector<CoveragePlanGroup>& coverage_plan() {
  return plan().groups;
}

Coverage::Coverage() {
  for (const CoveragePlanGroup& group : coverage_plan()) counts_.emplace_back(group.bins);
}

void Coverage::count(CoverageGroup group, std::initializer_list<size_t> places, size_t bin,
                     size_t used) {
  const auto number = static_cast<size_t>(group);
  const std::vector<const CoverageAxis*>& axes = coverage_plan()[number].axes;
  if (used + places.size() != axes.size()) return;
  for (const size_t place : places) {
    const size_t values = axes[used++]->values.size();
    if (place >= values) return;
    bin = bin * values + place;
  }
  ++counts_[number][bin];
}

void Coverage::hit(CoverageGroup group, std::initializer_list<size_t> places) {
  count(group, places, 0, 0);
}

void Coverage::hit(CoverageGroup group, const isa::Row& row, std::initializer_list<size_t> places) {
  const CoverageAxis& axis = *coverage_plan()[static_cast<size_t>(group)].axes.front();
  if (axis.place.empty()) return;
  const int32_t place = axis.place[isa::index_of(row)];
  if (place >= 0) count(group, places, static_cast<size_t>(place), 1);
}

void Coverage::hit(CoverageGroup group, const isa::Row& row, const isa::Row& second, size_t third) {
  const CoveragePlanGroup& g = coverage_plan()[static_cast<size_t>(group)];
  if (g.axes.size() < 2 || g.axes[1]->place.empty()) return;
  const int32_t place = g.axes[1]->place[isa::index_of(second)];
  if (place >= 0) hit(group, row, {static_cast<size_t>(place), third});
}

std::string Coverage::to_text() const {
  Json hits = Json::object();
  for (size_t g = 0; g < counts_.size(); ++g) {
    const CoveragePlanGroup& group = coverage_plan()[g];
    Json bins = Json::object();
    for (size_t b = 0; b < counts_[g].size(); ++b) {
      if (counts_[g][b] != 0) bins.push_back({group.bin_name(b), counts_[g][b]});
    }
    if (!bins.empty()) hits[group.name] = std::move(bins);
  }
  Json out;
  out["schema"] = kSchema;
  out["hits"] = std::move(hits);
  return out.dump(1) + "\n";
}

Status Coverage::add(const std::string& text, const std::string& file) {
  const auto wrong = [&file](const std::string& what) { return Error(what, {file}); };
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("schema") ||
      json["schema"] != kSchema || !json.contains("hits") || !json["hits"].is_object()) {
    return wrong("not a coverage file, expected {\"schema\": 1, \"hits\": {...}}");
  }
  for (const auto& [name, bins] : json["hits"].items()) {
    size_t g = 0;
    while (g < counts_.size() && coverage_plan()[g].name != name) ++g;
    if (g == counts_.size()) return wrong("the plan has no group '" + name + "'");
    const auto wrong_bin = [&](const std::string& what) {
      return wrong(std::string("group '").append(name).append("'").append(what));
    };
    if (!bins.is_object()) return wrong_bin(": expected an object of bins");
    std::unordered_map<std::string, size_t> numbers;
    for (size_t b = 0; b < counts_[g].size(); ++b) numbers[coverage_plan()[g].bin_name(b)] = b;
    for (const auto& [bin, count] : bins.items()) {
      const auto found = numbers.find(bin);
      if (found == numbers.end()) return wrong_bin(" has no bin '" + bin + "'");
      if (!count.is_number_unsigned() || count == 0u) {
        return wrong_bin(" bin '" + bin + "': expected a positive number");
      }
      counts_[g][found->second] += count.get<uint64_t>();
    }
  }
  return {};
}

}  // namespace cuvette::ip
