// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "registers/map.h"

#include <algorithm>
#include <cstring>

namespace cuvette::registers {

const RegisterInfo& info(Reg reg) {
  return table().registers[static_cast<uint16_t>(reg)];
}

Reg number(const RegisterInfo& info) {
  return static_cast<Reg>(&info - table().registers);
}

const RegisterInfo* find(uint32_t offset) {
  const Table t = table();
  const RegisterInfo* end = t.registers + t.count;
  const auto* found =
      std::lower_bound(t.registers, end, offset,
                       [](const RegisterInfo& r, uint32_t wanted) { return r.offset < wanted; });
  return found != end && found->offset == offset ? found : nullptr;
}

const RegisterInfo* find(const char* name) {
  const Table t = table();
  const RegisterInfo* end = t.registers + t.count;
  const auto* found = std::find_if(
      t.registers, end, [name](const RegisterInfo& r) { return std::strcmp(r.name, name) == 0; });
  return found != end ? found : nullptr;
}

bool is_hole(uint32_t offset) {
  const Table t = table();
  return std::binary_search(t.holes, t.holes + t.hole_count, offset);
}

}  // namespace cuvette::registers
