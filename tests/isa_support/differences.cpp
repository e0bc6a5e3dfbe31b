// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa_support/differences.h"

#include <fstream>

#include <gtest/gtest.h>

namespace cuvette::isa::test {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::None:
      return "none";
    case Kind::Refused:
      return "refused";
    case Kind::Accepted:
      return "accepted";
    case Kind::Text:
      return "text";
    case Kind::Length:
      return "length";
  }
  return "?";
}

std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<std::string> read_lines(const std::string& name) {
  const std::string path = std::string(CUVETTE_SOURCE_DIR "/tests/") + name;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Differences Differences::load() {
  Differences out;
  bool header = true;
  for (const std::string& line : read_lines("isa_differences.csv")) {
    const std::vector<std::string> fields = split_csv(line);
    if (!header && fields.size() == 4)
      out.entries_.push_back({fields[0], fields[1], fields[2], fields[3]});
    EXPECT_EQ(fields.size(), 4u) << line;
    header = false;
  }
  return out;
}

bool Differences::covers(const std::string& format, Kind kind, const Decoded& ours) {
  for (Entry& entry : entries_) {
    if (entry.kind != name_of(kind) || (entry.format != "*" && entry.format != format)) continue;
    const bool by_reason = kind == Kind::Refused && entry.match == ours.reason;
    const bool by_field = ours.status == DecodeStatus::Reserved && entry.match == ours.field;
    const bool by_name =
        kind != Kind::Refused && ours.instruction.row != nullptr &&
        ours.instruction.row->mnemonic.substr(0, entry.match.size()) == entry.match;
    if (by_reason || by_field || by_name) {
      ++entry.used;
      return true;
    }
  }
  return false;
}

}  // namespace cuvette::isa::test
