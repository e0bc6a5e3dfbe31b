// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>

#include "wave/lanes/families.h"

namespace cuvette::wave {
namespace {

using Table = std::array<LaneHandler, isa::kSemantics>;

Table build_table() {
  Table table{};
  for (const lanes::EntryList list :
       {lanes::integer32(), lanes::integer_wide(), lanes::integer16(), lanes::integer_bytes(),
        lanes::integer_compare(), lanes::moves(), lanes::float_compare(), lanes::float_basic(),
        lanes::float_unary(), lanes::float_convert(), lanes::float_divide(), lanes::float_special(),
        lanes::transcendental(), lanes::packed(), lanes::mixed()}) {
    for (const lanes::Entry& entry : list) {
      LaneHandler& slot = table[static_cast<unsigned>(entry.semantic)];
      if (slot != nullptr) throw std::logic_error("two lane handlers for one SemanticId");
      slot = entry.row;
    }
  }
  return table;
}

}  // namespace

LaneHandler lane_handler(isa::SemanticId semantic) {
  static const Table table = build_table();
  return table[static_cast<unsigned>(semantic)];
}

}  // namespace cuvette::wave
