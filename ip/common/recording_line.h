// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "ip/common/recording.h"

// Lines of recordings. Private to layer ip.
namespace cuvette::ip::recording {

using Json = nlohmann::ordered_json;

inline constexpr uint64_t kMostCycles = uint64_t{1} << 60;

std::string hex(uint64_t value);
/// A message for people: of a list of more than four elements the first two and how many there are.
std::string brief(const Json& message);

/// One line of a file. Keeps the first error; every key has to be read.
class Line {
 public:
  Line(const std::string& text, base::Location where);
  /// An object within a line.
  Line(Json object, base::Location where);

  bool has(const char* key) const { return json_.contains(key); }
  const Json* get(const char* key);
  std::string text(const char* key);
  uint64_t number(const char* key, uint64_t most);
  uint64_t number_of(const char* key, const Json& value, uint64_t most);

  void fail(const std::string& what);
  bool ok() const { return error_.ok(); }
  const base::Location& where() const { return where_; }
  /// Also fails when there are keys that nobody asked for.
  base::Status finish();

 private:
  base::Location where_;
  Json json_;
  size_t taken_ = 0;
  base::Status error_;
};

Json head_json(const RecordingHead& head, const char* block);
/// The name of the block.
std::string read_head(Line& line, RecordingHead& out);

}  // namespace cuvette::ip::recording
