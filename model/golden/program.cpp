// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/program.h"

namespace cuvette::golden {

void Program::turn_to(uint64_t page) {
  std::vector<Entry>& entries = pages_[page];
  if (entries.empty()) entries.resize(kPageEntries);
  last_ = entries.data();
  last_page_ = page;
}

bool Program::fetch(uint64_t pc, Entry& entry) {
  uint32_t words[4] = {};
  size_t count = 0;
  // Word by word: the last instruction may end where the mapping does.
  while (count < 4) {
    const auto t = memory_.space().translate(0, pc + 4 * count, hsa::Access::Execute);
    if (!t.ok() || !memory_.backing().read(t.pa, &words[count], 4)) break;
    ++count;
  }
  if (count == 0) return false;
  entry.decoded = isa::decode(target_, words, count);
  const auto status = entry.decoded.status;
  if (status == isa::DecodeStatus::Legal || status == isa::DecodeStatus::Reserved) {
    entry.prepared = wave::prepare(entry.decoded.instruction);
  }
  entry.ready = true;
  return true;
}

std::map<const isa::Row*, uint64_t> Program::executed() const {
  std::map<const isa::Row*, uint64_t> out;
  for (const auto& [page, entries] : pages_) {
    for (const Entry& entry : entries) {
      if (entry.executed != 0) out[entry.decoded.instruction.row] += entry.executed;
    }
  }
  return out;
}

}  // namespace cuvette::golden
