// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/yaml.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"
#include "base/nearest.h"

namespace cuvette::base {
namespace {

constexpr size_t kMaxTextBytes = size_t{16} << 20;
constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxNodes = 1'000'000;

}  // namespace

// Our own tree: yaml-cpp's nodes are mutable and throw late.
struct Yaml::Node {
  Kind kind = Kind::Null;
  uint32_t line = 0, column = 0;
  std::shared_ptr<const std::string> file;
  std::string scalar;
  std::vector<std::pair<std::string, std::shared_ptr<Node>>> entries;  // map: in file order
  std::unordered_map<std::string, size_t> index;                       // map: key to entry
  std::vector<std::shared_ptr<Node>> items;
  std::set<std::string> taken;
};

// Builds the tree while yaml-cpp parses, so that every limit ends the parsing at once. Errors leave
// as yaml-cpp's own exception, which Yaml::parse catches.
class Yaml::Builder : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file) : file_(std::make_shared<const std::string>(file)) {}

  std::shared_ptr<Node> root() const { return root_; }

  // yaml-cpp gives an empty document, again and again, for a token that can start no node (a comma
  // at the start of a line). Asking for all documents would never end.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) refuse(mark, "more than one YAML document, or text that cannot start one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(make(Kind::Null, mark), mark, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = make(Kind::Scalar, mark);
    node->scalar = value;
    leaf(node, mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(mark, "an alias inside the node that it names");
    add(copy(*found->second, mark, open_.size()), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(Kind::Sequence, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(Kind::Map, mark, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor = 0;
    std::optional<std::string> key;  // map: read, its value not yet
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, const std::string& what) {
    throw YAML::ParserException(mark, what);
  }

  std::shared_ptr<Node> make(Kind kind, const YAML::Mark& mark) {
    if (nodes_++ == kMaxNodes) refuse(mark, fmt::format("more than {} nodes", kMaxNodes));
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->line = static_cast<uint32_t>(mark.line + 1);
    node->column = static_cast<uint32_t>(mark.column + 1);
    node->file = file_;
    return node;
  }

  // The target of an alias counts like text written out: a bomb of aliases meets the limits.
  std::shared_ptr<Node> copy(const Node& from, const YAML::Mark& mark, size_t depth) {
    check_depth(mark, depth);
    auto to = make(from.kind, mark);
    to->line = from.line;
    to->column = from.column;
    to->scalar = from.scalar;
    to->index = from.index;
    for (const auto& [key, value] : from.entries) {
      to->entries.emplace_back(key, copy(*value, mark, depth + 1));
    }
    for (const auto& item : from.items) to->items.push_back(copy(*item, mark, depth + 1));
    return to;
  }

  static void check_depth(const YAML::Mark& mark, size_t depth) {
    if (depth > kMaxDepth) refuse(mark, fmt::format("nested deeper than {} levels", kMaxDepth));
  }

  void leaf(std::shared_ptr<Node> node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    add(std::move(node), mark);
  }

  void add(std::shared_ptr<Node> node, const YAML::Mark& mark) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node->kind == Kind::Sequence) {
      parent.node->items.push_back(std::move(node));
    } else if (parent.key) {
      parent.node->entries.emplace_back(std::move(*parent.key), std::move(node));
      parent.key.reset();
    } else {
      if (node->kind != Kind::Scalar) refuse(mark, "a key must be a plain word");
      if (!parent.node->index.emplace(node->scalar, parent.node->entries.size()).second) {
        refuse(mark, fmt::format("key '{}' appears twice", node->scalar));
      }
      parent.key = std::move(node->scalar);
    }
  }

  void start(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    check_depth(mark, open_.size());
    const bool is_key = !open_.empty() && open_.back().node->kind == Kind::Map && !open_.back().key;
    if (is_key) refuse(mark, "a key must be a plain word");
    open_.push_back({.node = make(kind, mark), .anchor = anchor, .key = {}});
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = done.node;
    add(std::move(done.node), YAML::Mark::null_mark());
  }

  std::shared_ptr<const std::string> file_;
  std::shared_ptr<Node> root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, std::shared_ptr<Node>> anchors_;
  size_t nodes_ = 0;
};

Result<Yaml> Yaml::parse(const std::string& text, const std::string& file) {
  if (text.size() > kMaxTextBytes) return Error("larger than 16 MiB", {.file = file});
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    Builder builder(file);
    if (!parser.HandleNextDocument(builder)) {
      return Error("empty, expected a YAML map", {.file = file});
    }
    parser.HandleNextDocument(builder);  // refused by the builder when there is another one
    return Yaml(builder.root());
  } catch (const YAML::Exception& e) {
    if (e.mark.is_null()) return Error(e.msg, {.file = file});
    return Error(e.msg, {.file = file,
                         .line = static_cast<uint32_t>(e.mark.line + 1),
                         .column = static_cast<uint32_t>(e.mark.column + 1)});
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
  return {.file = *node_->file, .line = node_->line, .column = node_->column};
}
Error Yaml::error(const std::string& what) const {
  return Error(what, location());
}

std::optional<Yaml> Yaml::get(const std::string& key) const {
  node_->taken.insert(key);  // asked for: a known key of this map, present or not
  const auto found = node_->index.find(key);
  if (found == node_->index.end()) return std::nullopt;
  return Yaml(node_->entries[found->second].second);
}

std::optional<Yaml> Yaml::peek(const std::string& key) const {
  const auto found = node_->index.find(key);
  if (found == node_->index.end()) return std::nullopt;
  return Yaml(node_->entries[found->second].second);
}

Status Yaml::set(const std::vector<std::string>& names, const std::string& value,
                 const std::string& origin) const {
  const auto file = std::make_shared<const std::string>(origin);
  std::shared_ptr<Node> at = node_;
  for (size_t n = 0; n < names.size(); ++n) {
    if (at->kind != Kind::Map) {
      return Error(fmt::format("'{}' has no fields, expected a map", n == 0 ? "" : names[n - 1]),
                   {.file = origin});
    }
    const auto [found, fresh] = at->index.emplace(names[n], at->entries.size());
    if (fresh) at->entries.emplace_back(names[n], nullptr);
    std::shared_ptr<Node>& slot = at->entries[found->second].second;
    const bool last = n + 1 == names.size();
    if (slot == nullptr || last) {
      slot = std::make_shared<Node>();
      slot->kind = last ? Kind::Scalar : Kind::Map;
      slot->file = file;
    }
    at = slot;
  }
  at->scalar = value;
  return {};
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
      const std::string near = nearest(entry.first, {node_->taken.begin(), node_->taken.end()});
      const std::string hint = near.empty() ? "" : fmt::format(" did you mean '{}'?", near);
      return Error(fmt::format("unknown key '{}',{} expected one of: {}", entry.first, hint,
                               fmt::join(node_->taken, ", ")),
                   Yaml(entry.second).location());
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
  if (kind() != Kind::Scalar || node_->scalar.empty()) return error(wanted);
  const std::string& s = node_->scalar;
  if (s[0] == '-') return error(fmt::format("{}, found '{}'", wanted, s));
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
