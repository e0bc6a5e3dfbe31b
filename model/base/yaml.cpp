// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/yaml.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"

namespace cuvette::base {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr int kMaxDepth = 64;
constexpr size_t kMaxNodes = 4'000'000;

}  // namespace

// Our own tree: yaml-cpp's nodes are mutable and throw late, and an alias bomb must be refused
// early.
struct Yaml::Node {
  Kind kind = Kind::Null;
  Location where;
  std::string scalar;
  bool quoted = false;
  std::vector<std::pair<std::string, std::shared_ptr<Node>>> entries;  // map: in file order
  std::vector<std::shared_ptr<Node>> items;
  std::set<std::string> taken;
};

namespace {

Location place(const YAML::Mark& mark, const std::string& file) {
  if (mark.is_null()) return {.file = file};
  return {.file = file,
          .line = static_cast<uint32_t>(mark.line + 1),
          .column = static_cast<uint32_t>(mark.column + 1)};
}

// Templated on the private node type so that the free function needs no friendship.
template <class Node, class Kind>
Result<std::shared_ptr<Node>> convert(const YAML::Node& from, const std::string& file, int depth,
                                      size_t& budget) {
  auto to = std::make_shared<Node>();
  to->where = place(from.Mark(), file);
  if (depth > kMaxDepth) return Error("nested deeper than 64 levels", to->where);
  if (budget-- == 0) return Error("more than 4 million nodes", to->where);
  if (from.IsScalar()) {
    to->kind = Kind::Scalar;
    to->scalar = from.Scalar();
    to->quoted = from.Tag() == "!";
  } else if (from.IsSequence()) {
    to->kind = Kind::Sequence;
    for (const auto& item : from) {
      auto child = convert<Node, Kind>(item, file, depth + 1, budget);
      if (!child) return child.error();
      to->items.push_back(*child);
    }
  } else if (from.IsMap()) {
    to->kind = Kind::Map;
    for (const auto& entry : from) {
      const Location key_place = place(entry.first.Mark(), file);
      if (!entry.first.IsScalar()) return Error("a key must be a plain word", key_place);
      const std::string& key = entry.first.Scalar();
      for (const auto& other : to->entries) {
        if (other.first == key) return Error(fmt::format("key '{}' appears twice", key), key_place);
      }
      auto child = convert<Node, Kind>(entry.second, file, depth + 1, budget);
      if (!child) return child.error();
      to->entries.emplace_back(key, *child);
    }
  }
  return to;
}

}  // namespace

Result<Yaml> Yaml::parse(const std::string& text, const std::string& file) {
  if (text.size() > kMaxBytes) return Error("larger than 64 MiB", {.file = file});
  try {
    const auto documents = YAML::LoadAll(text);
    if (documents.empty()) return Error("empty, expected a YAML map", {.file = file});
    if (documents.size() > 1) return Error("more than one YAML document", {.file = file});
    size_t budget = kMaxNodes;
    auto root = convert<Node, Kind>(documents.front(), file, 0, budget);
    if (!root) return root.error();
    return Yaml(*root);
  } catch (const YAML::Exception& e) {
    return Error(e.msg, place(e.mark, file));
  }
}

Result<Yaml> Yaml::load(const std::string& path) {
  auto text = read_text(path);
  if (!text) return text.error();
  return parse(*text, path);
}

Yaml::Kind Yaml::kind() const {
  return node_->kind;
}
Location Yaml::location() const {
  return node_->where;
}
Error Yaml::error(const std::string& what) const {
  return Error(what, node_->where);
}

std::optional<Yaml> Yaml::get(const std::string& key) const {
  for (const auto& entry : node_->entries) {
    if (entry.first == key) {
      node_->taken.insert(key);
      return Yaml(entry.second);
    }
  }
  node_->taken.insert(key);  // asked for: a known key of this map, present or not
  return std::nullopt;
}

Result<Yaml> Yaml::need(const std::string& key) const {
  if (kind() != Kind::Map) return error(fmt::format("expected a map with key '{}'", key));
  if (auto found = get(key)) return *found;
  return error(fmt::format("key '{}' is missing", key));
}

std::vector<std::string> Yaml::keys() const {
  std::vector<std::string> out;
  for (const auto& entry : node_->entries) out.push_back(entry.first);
  return out;
}

Status Yaml::finish() const {
  for (const auto& entry : node_->entries) {
    if (node_->taken.count(entry.first) == 0) {
      return Error(fmt::format("unknown key '{}', expected one of: {}", entry.first,
                               fmt::join(node_->taken, ", ")),
                   entry.second->where);
    }
  }
  return {};
}

size_t Yaml::size() const {
  return kind() == Kind::Map ? node_->entries.size() : node_->items.size();
}

Yaml Yaml::at(size_t index) const {
  return Yaml(node_->items.at(index));
}

Result<std::string> Yaml::text() const {
  if (kind() != Kind::Scalar) return error("expected a word or a number");
  return node_->scalar;
}

Result<bool> Yaml::boolean() const {
  if (kind() == Kind::Scalar && node_->scalar == "true") return true;
  if (kind() == Kind::Scalar && node_->scalar == "false") return false;
  return error("expected true or false");
}

Result<uint64_t> Yaml::unsigned_in(uint64_t lowest, uint64_t highest) const {
  const auto wanted = fmt::format("expected an integer from {} to {}", lowest, highest);
  if (kind() != Kind::Scalar || node_->scalar.empty() || node_->scalar[0] == '-') {
    return error(wanted);
  }
  const std::string& s = node_->scalar;
  const bool hex = s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
  errno = 0;
  char* end = nullptr;
  const uint64_t value = std::strtoull(s.c_str(), &end, hex ? 16 : 10);
  if (errno != 0 || *end != 0 || end == s.c_str() || value < lowest || value > highest) {
    return error(fmt::format("{}, found '{}'", wanted, s));
  }
  return value;
}

Result<int64_t> Yaml::signed_in(int64_t lowest, int64_t highest) const {
  const auto wanted = fmt::format("expected an integer from {} to {}", lowest, highest);
  if (kind() != Kind::Scalar || node_->scalar.empty()) return error(wanted);
  const std::string& s = node_->scalar;
  const size_t digits = (s[0] == '-' || s[0] == '+') ? 1 : 0;
  const bool hex = s.size() > digits + 2 && s[digits] == '0' && (s[digits + 1] | 32) == 'x';
  errno = 0;
  char* end = nullptr;
  const int64_t value = std::strtoll(s.c_str(), &end, hex ? 16 : 10);
  if (errno != 0 || *end != 0 || end == s.c_str() || value < lowest || value > highest) {
    return error(fmt::format("{}, found '{}'", wanted, s));
  }
  return value;
}

Result<double> Yaml::real() const {
  if (kind() != Kind::Scalar || node_->scalar.empty()) return error("expected a number");
  char* end = nullptr;
  const double value = std::strtod(node_->scalar.c_str(), &end);
  if (*end != 0 || end == node_->scalar.c_str()) {
    return error(fmt::format("expected a number, found '{}'", node_->scalar));
  }
  return value;
}

}  // namespace cuvette::base
