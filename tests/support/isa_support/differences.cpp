// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa_support/differences.h"

#include <gtest/gtest.h>

#include "csv.h"

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

Differences Differences::load() {
  Differences out;
  for (const csv::Row& fields : csv::read_body("isa/isa_differences.csv")) {
    if (fields.size() == 4) out.entries_.push_back({fields[0], fields[1], fields[2], fields[3]});
    EXPECT_EQ(fields.size(), 4u) << fields.front();
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
