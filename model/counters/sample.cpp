// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "counters/sample.h"

#include <utility>

namespace cuvette::counters {

void Sample::declare(std::string_view block, std::string_view name, Place place, size_t count,
                     bool level) {
  if (making_ == nullptr) making_ = std::make_shared<Layout>();
  Series series;
  series.name = std::string(block) + "." + std::string(name);
  series.place = place;
  series.level = level;
  series.first = static_cast<uint32_t>(values_.size());
  series.count = static_cast<uint32_t>(count);
  making_->by_name[series.name] = static_cast<uint32_t>(making_->series.size());
  making_->series.push_back(std::move(series));
}

void Sample::end() {
  if (layout_ == nullptr) layout_ = std::exchange(making_, nullptr);
  assert(layout_ == nullptr || added_ == layout_->series.size());
}

const Series* Sample::find(std::string_view name) const {
  if (layout_ == nullptr) return nullptr;
  const auto found = layout_->by_name.find(name);
  return found == layout_->by_name.end() ? nullptr : &layout_->series[found->second];
}

uint64_t Sample::sum(std::string_view name) const {
  const Series* const series = find(name);
  uint64_t sum = 0;
  for (unsigned i = 0; series != nullptr && i < series->count; ++i) sum += value(*series, i);
  return sum;
}

void Sample::subtract(const Sample& before) {
  assert(before.values_.size() == values_.size());
  if (layout_ == nullptr) return;
  for (const Series& s : layout_->series) {
    for (uint32_t i = s.first; !s.level && i < s.first + s.count; ++i) {
      values_[i] -= before.values_[i];
    }
  }
}

}  // namespace cuvette::counters
