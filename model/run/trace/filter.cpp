// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/filter.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using base::Status;

constexpr const char* kOption = "--trace-filter";

/// At commas outside of brackets.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth <= 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// "void f<int>(float*)" as "f<int>".
std::string without_parameters(std::string kernel) {
  if (kernel.ends_with(')')) {
    int depth = 0;
    size_t open = kernel.size();
    do {
      --open;
      if (kernel[open] == ')') ++depth;
      if (kernel[open] == '(') --depth;
    } while (open != 0 && depth != 0);
    kernel.resize(open);
  }
  if (kernel.starts_with("void ")) kernel.erase(0, 5);
  return kernel;
}

bool parse_number(std::string_view text, uint64_t& number) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

bool TraceFilter::in(const std::vector<Range>& ranges, uint64_t number) {
  return std::ranges::any_of(
      ranges, [number](const Range& r) { return r.first <= number && number <= r.last; });
}

std::string TraceFilter::plain(std::string kernel) {
  if (kernel.starts_with('&')) kernel.erase(0, 1);
  if (kernel.ends_with(".kd")) kernel.resize(kernel.size() - 3);
  return kernel;
}

bool TraceFilter::has_kernel(const std::string& kernel) const {
  const std::string name = plain(kernel);
  return kernels_.count(name) != 0 || kernels_.count(without_parameters(name)) != 0;
}

Result<std::vector<TraceFilter::Range>> TraceFilter::ranges_of(
    const std::string& key, const std::vector<std::string>& values) {
  std::vector<Range> ranges;
  for (const std::string& value : values) {
    const auto dash = value.find('-');
    Range r;
    const bool good = parse_number(std::string_view(value).substr(0, dash), r.first) &&
                      (dash == std::string::npos ||
                       parse_number(std::string_view(value).substr(dash + 1), r.last));
    if (dash == std::string::npos) r.last = r.first;
    if (!good || r.last < r.first) {
      return Error(
          fmt::format("{} {}: expected a number or FIRST-LAST, found '{}'", kOption, key, value));
    }
    ranges.push_back(r);
  }
  return ranges;
}

Result<TraceFilter> TraceFilter::parse(const std::vector<std::string>& texts) {
  TraceFilter filter;
  std::set<std::string> named;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == std::string::npos || (key != "cu" && key != "kernel" && key != "wave")) {
      return Error(fmt::format("{} expects cu=N,..., kernel=NAME,... or wave=N,..., found '{}'",
                               kOption, text));
    }
    if (!named.insert(key).second) {
      return Error(fmt::format("{} names {} twice, expected each once", kOption, key));
    }
    const std::vector<std::string> values = split(text.substr(equals + 1));
    if (key == "kernel") {
      for (const std::string& value : values) {
        if (value.empty()) {
          return Error(fmt::format("{} kernel: expected a name, found '{}'", kOption, text));
        }
        filter.kernels_.insert(plain(value));
      }
    } else {
      auto ranges = ranges_of(key, values);
      if (!ranges) return ranges.error();
      (key == "cu" ? filter.units_ : filter.waves_) = std::move(*ranges);
    }
    filter.text_ += (filter.text_.empty() ? "" : " ") + text;
  }
  return filter;
}

Status TraceFilter::check(unsigned compute_units) const {
  for (const Range& r : units_) {
    if (r.last < compute_units) continue;
    return Error(fmt::format("{}: no compute unit {}, expected 0 to {}", kOption, r.last,
                             compute_units - 1));
  }
  return {};
}

}  // namespace cuvette::run
