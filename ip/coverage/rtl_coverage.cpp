// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/coverage/rtl_coverage.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

namespace cuvette::ip {
namespace {

using base::Error;
using base::Location;

constexpr std::string_view kHead = "# SystemC::Coverage-3";

/// A counter: its keys (f file, l line, n column, o what, S lines, page kind) and its value.
struct Point {
  std::map<std::string, std::string> keys;
  uint64_t count = 0;
};

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// C '\1key\2value\1key\2value...' count
std::optional<Point> read_point(std::string_view line) {
  const size_t end = line.rfind("' ");
  if (line.substr(0, 3) != "C '" || end == std::string_view::npos || end < 3) return std::nullopt;
  Point point;
  const auto count = number<uint64_t>(line.substr(end + 2));
  if (!count) return std::nullopt;
  point.count = *count;
  std::string_view text = line.substr(3, end - 3);
  while (!text.empty()) {
    const size_t middle = text.find('\2');
    if (text.front() != '\1' || middle == std::string_view::npos) return std::nullopt;
    const size_t next = std::min(text.find('\1', middle), text.size());
    point.keys[std::string(text.substr(1, middle - 1))] =
        std::string(text.substr(middle + 1, next - middle - 1));
    text.remove_prefix(next);
  }
  return point;
}

/// "134,143-144" to its lines; false when it is not of this form.
bool read_lines(std::string_view text, std::vector<unsigned>& out) {
  constexpr unsigned kMost = 1000000;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    const size_t dash = part.find('-');
    const auto first = number<unsigned>(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : number<unsigned>(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > kMost) return false;
    for (unsigned line = *first; line <= *last; ++line) out.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// "data[3]" as it is, "data[3]:0->1" as "data[3] 0->1": later versions of Verilator count each
/// direction by itself.
std::string toggle_name(const std::string& what) {
  for (const std::string_view direction : {":0->1", ":1->0"}) {
    if (!what.ends_with(direction)) continue;
    const std::string signal = what.substr(0, what.size() - direction.size());
    return signal.empty() ? "" : signal + " " + std::string(direction.substr(1));
  }
  return what;
}

/// Path of a source within rtl or generated, wherever the source tree is.
std::string short_name(const std::string& path) {
  for (const char* root : {"/rtl/", "/generated/"}) {
    const size_t at = path.rfind(root);
    if (at != std::string::npos) return path.substr(at + 1);
  }
  return path;
}

/// A field of a CSV line, quoted or not; `text` loses it and the comma behind.
std::optional<std::string> take_field(std::string_view& text, bool last) {
  std::string field;
  if (!text.empty() && text.front() == '"') {
    text.remove_prefix(1);
    for (;;) {
      const size_t quote = text.find('"');
      if (quote == std::string_view::npos) return std::nullopt;
      field += text.substr(0, quote);
      text.remove_prefix(quote + 1);
      if (text.empty() || text.front() != '"') break;
      field += '"';
      text.remove_prefix(1);
    }
  } else {
    const size_t end = last ? text.size() : std::min(text.find(','), text.size());
    field = text.substr(0, end);
    text.remove_prefix(end);
  }
  if (last) return text.empty() && !field.empty() ? std::optional(field) : std::nullopt;
  if (text.empty() || text.front() != ',' || field.empty()) return std::nullopt;
  text.remove_prefix(1);
  return field;
}

}  // namespace

bool ByNumbers::operator()(std::string_view a, std::string_view b) const {
  const auto digits = [](std::string_view text, size_t at) {
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return text.substr(at, end - at);
  };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const std::string_view x = digits(a, i), y = digits(b, j);
    if (x.empty() || y.empty()) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const std::string_view p = x.substr(std::min(x.find_first_not_of('0'), x.size()));
    const std::string_view q = y.substr(std::min(y.find_first_not_of('0'), y.size()));
    if (p.size() != q.size()) return p.size() < q.size();
    if (p != q) return p < q;
    i += x.size();
    j += y.size();
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // the same numbers, with other zeros before them
}

bool RtlCoverage::is_one(const std::string& text) {
  return text.compare(0, kHead.size(), kHead) == 0;
}

base::Status RtlCoverage::add(const std::string& text, const std::string& file) {
  std::istringstream in(text);
  uint32_t number_of_line = 0;
  for (std::string line; std::getline(in, line);) {
    ++number_of_line;
    if (line.empty() || line.front() == '#') continue;
    auto point = read_point(line);
    std::vector<unsigned> lines;
    if (!point || !point->keys.count("f") || !point->keys.count("l") ||
        !read_lines(point->keys["S"], lines)) {
      return Error("expected a counter of Verilator", Location{file, number_of_line});
    }
    auto& keys = point->keys;
    if (!number<unsigned>(keys["l"])) {
      return Error("a counter at line '" + keys["l"] + "', expected a number",
                   Location{file, number_of_line});
    }
    RtlFileCoverage& source = files_[short_name(keys["f"])];
    const std::string kind = keys["page"].substr(0, keys["page"].find('/'));
    if (kind == "v_toggle") {
      const std::string name = toggle_name(keys["o"]);
      if (name.empty()) {
        return Error("a counter of toggles without a name, expected a signal and its bit",
                     Location{file, number_of_line});
      }
      source.toggles[keys["l"] + " " + name] += point->count;
      continue;
    }
    if (kind == "v_user") {
      source.points[keys["l"] + " " + keys["o"]] += point->count;
      continue;
    }
    if (kind == "v_branch") {
      source.branches[keys["l"] + ":" + keys["n"] + " " + keys["o"]] += point->count;
    } else if (kind != "v_line") {
      return Error(
          "a counter of kind '" + kind + "', expected lines, branches, toggles or properties",
          Location{file, number_of_line});
    }
    for (const unsigned l : lines) source.lines[l] += point->count;
  }
  return {};
}

base::Result<std::vector<RtlExcuse>> parse_excuses(const std::string& text,
                                                   const std::string& file) {
  std::vector<RtlExcuse> out;
  std::istringstream in(text);
  uint32_t number_of_line = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number_of_line == 1 || line.empty()) continue;
    std::string_view rest = line;
    const auto source = take_field(rest, false);
    const auto content = source ? take_field(rest, false) : std::nullopt;
    const auto reason = content ? take_field(rest, true) : std::nullopt;
    if (!reason) return Error("expected file,text,reason", Location{file, number_of_line});
    out.push_back({*source, *content, *reason, false});
  }
  return out;
}

}  // namespace cuvette::ip
