// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/scalar/scalar.h"

namespace cuvette::wave {
namespace scalar {
namespace {

using HandlerTable = std::array<Handler, isa::kSemantics>;

HandlerTable make_table() {
  HandlerTable table{};
  for (const EntryList part : {arithmetic_entries(), move_entries(), compare_entries(),
                               control_entries(), register_entries()}) {
    for (const Entry& entry : part) table[static_cast<unsigned>(entry.id)] = entry.handler;
  }
  return table;
}

}  // namespace

Handler find_handler(Id id) {
  static const HandlerTable table = make_table();
  return table[static_cast<unsigned>(id)];
}

}  // namespace scalar

Outcome execute_scalar(WaveState& wave, const isa::Instruction& instruction) {
  const scalar::Handler handler = scalar::find_handler(instruction.semantic());
  if (handler == nullptr) {
    return {Event::Unsupported, 0, "no semantics for this scalar instruction"};
  }
  return handler(wave, instruction);
}

}  // namespace cuvette::wave
