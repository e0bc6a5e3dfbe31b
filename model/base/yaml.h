// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::base {

/// Strict YAML reading: every failure names file, line and column; keys that nobody asked for are
/// errors.
///
/// A Yaml is one node of a loaded document (cheap to copy, keeps the document alive). Maps remember
/// which keys were taken; `finish()` reports the first one that was not.
class Yaml {
 public:
  enum class Kind { Null, Scalar, Sequence, Map };

  /// Errors: syntax, duplicate keys, not one document, and beyond the limits that keep time and
  /// memory bounded: 16 MiB of text, a million nodes (aliases written out), 64 levels.
  static Result<Yaml> parse(const std::string& text, const std::string& file);
  static Result<Yaml> load(const std::string& path);

  Kind kind() const;
  bool is_map() const { return kind() == Kind::Map; }
  bool is_sequence() const { return kind() == Kind::Sequence; }
  bool is_scalar() const { return kind() == Kind::Scalar; }
  Location location() const;
  /// An error placed at this node.
  Error error(const std::string& what) const;

  /// Map access. `key` marks the key as taken; nothing when absent.
  std::optional<Yaml> get(const std::string& key) const;
  Result<Yaml> need(const std::string& key) const;
  /// As get(), without taking the key.
  std::optional<Yaml> peek(const std::string& key) const;
  /// Puts a scalar where the names lead, in place of what is there or as a new key; maps on the way
  /// that are missing are made, so that finish() checks their names. `origin` stands for the file
  /// in locations. Errors: a name on the way that is no map.
  Status set(const std::vector<std::string>& names, const std::string& value,
             const std::string& origin) const;
  /// Key names in file order.
  std::vector<std::string> keys() const;
  /// Error naming the first key that was never taken and those that are known here.
  Status finish() const;

  /// Sequence access.
  size_t size() const;
  Yaml at(size_t index) const;

  /// Scalars. Integers: decimal, 0x hex, optional sign; out of range is an error.
  Result<std::string> text() const;
  Result<bool> boolean() const;
  Result<uint64_t> unsigned_in(uint64_t lowest, uint64_t highest) const;
  Result<int64_t> signed_in(int64_t lowest, int64_t highest) const;
  Result<double> real() const;

 private:
  struct Node;
  class Builder;
  explicit Yaml(std::shared_ptr<Node> node) : node_(std::move(node)) {}
  std::shared_ptr<Node> node_;
};

}  // namespace cuvette::base
