// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "ip/common/recording.h"
#include "isa/row.h"

// Reading and writing transaction files: what the blocks share. Private to layer ip.
namespace cuvette::ip::recording {

using Json = nlohmann::ordered_json;

inline constexpr size_t kMostTransactions = 4096;
inline constexpr uint64_t kMostCycles = uint64_t{1} << 60;

std::string hex(uint64_t value);
/// "FORMAT.mnemonic"
std::string row_text(const isa::Row& row);

/// One line of a file. Keeps the first error; every key has to be read.
class Line {
 public:
  Line(const std::string& text, base::Location where);

  const Json* get(const char* key);
  std::string text(const char* key);
  uint64_t number(const char* key, uint64_t most);
  /// As many as the list has, at most N; all N with `all`.
  template <class Number, size_t N>
  size_t numbers(const char* key, Number (&out)[N], uint64_t most, bool all) {
    const Json* list = get(key);
    return list != nullptr ? numbers_of(key, *list, out, N, most, all) : 0;
  }
  template <class Number>
  size_t numbers_of(const char* key, const Json& list, Number* out, size_t count, uint64_t most,
                    bool all) {
    if (!list.is_array() || list.size() > count || (all && list.size() != count)) {
      fail(std::string("'") + key + "' must be a list of " + std::to_string(count) + " numbers");
      return 0;
    }
    for (size_t i = 0; i < list.size(); ++i) {
      out[i] = static_cast<Number>(number_of(key, list[i], most));
    }
    return list.size();
  }
  uint64_t number_of(const char* key, const Json& value, uint64_t most);
  /// A cycle, or null for one that never came.
  uint64_t cycle_of(const char* key, const Json& value);

  void fail(const std::string& what);
  bool ok() const { return error_.ok(); }
  /// Also fails when there are keys that nobody asked for.
  base::Status finish();

 private:
  base::Location where_;
  Json json_;
  size_t taken_ = 0;
  base::Status error_;
};

/// null for a cycle that never came.
Json cycle_json(uint64_t cycle);
Json head_json(const RecordingHead& head, const char* block);
void read_head(Line& line, const char* block, RecordingHead& out);

/// A file of one block: a line of the run, then one line per transaction. `items`: what messages
/// call transactions. `read(line, out)` appends one, or fails the line.
template <class Recording, class Read>
base::Result<Recording> parse(const std::string& text, const std::string& file, const char* block,
                              const char* items, Read&& read) {
  Recording out;
  std::istringstream lines(text);
  std::string content;
  for (uint32_t number = 1; std::getline(lines, content); ++number) {
    const base::Location where{file, number};
    Line line(content, where);
    if (number == 1) {
      read_head(line, block, out);
    } else if (out.transactions.size() == kMostTransactions) {
      return base::Error(
          std::string("too many ") + items + ", at most " + std::to_string(kMostTransactions),
          where);
    } else {
      read(line, out);
    }
    if (auto s = line.finish(); !s.ok()) return s.error();
  }
  if (out.transactions.empty()) {
    return base::Error(std::string("expected a line of the run and ") + items, {file});
  }
  return out;
}

}  // namespace cuvette::ip::recording
