// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/scalar/scalar.h"

namespace cuvette::wave {
namespace scalar {
namespace {

using EntryTable = std::array<Entry, isa::kSemantics>;

EntryTable make_table() {
  EntryTable table{};
  for (const EntryList part : {arithmetic_entries(), move_entries(), compare_entries(),
                               control_entries(), register_entries()}) {
    for (const Entry& entry : part) table[static_cast<unsigned>(entry.id)] = entry;
  }
  return table;
}

const Entry& find_entry(Id id) {
  static const EntryTable table = make_table();
  return table[static_cast<unsigned>(id)];
}

/// Instructions without effect in golden, and those that read or write PC without an event.
constexpr Id kWithoutEffect[] = {Id::s_nop, Id::s_waitcnt};
constexpr Id kJumps[] = {Id::s_branch,         Id::s_cbranch_scc0,  Id::s_cbranch_scc1,
                         Id::s_cbranch_vccz,   Id::s_cbranch_vccnz, Id::s_cbranch_execz,
                         Id::s_cbranch_execnz, Id::s_getpc_b64,     Id::s_setpc_b64,
                         Id::s_swappc_b64,     Id::s_call_b64};

using KindTable = std::array<MicroKind, isa::kSemantics>;

KindTable make_kinds() {
  KindTable table{};
  const auto set = [&table](Id id, MicroKind kind) { table[static_cast<unsigned>(id)] = kind; };
  for (const EntryList part : {arithmetic_entries(), move_entries(), compare_entries()}) {
    for (const Entry& entry : part) set(entry.id, MicroKind::Straight);
  }
  for (const Id id : kWithoutEffect) set(id, MicroKind::Nothing);
  for (const Id id : kJumps) set(id, MicroKind::Jump);
  return table;
}

}  // namespace

MicroKind micro_kind_of(Id id) {
  static const KindTable table = make_kinds();
  return table[static_cast<unsigned>(id)];
}

Handler find_handler(Id id) {
  return find_entry(id).handler;
}
MicroOp::Run find_quick(Id id) {
  return find_entry(id).quick;
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
