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

/// What golden does not look at, and the common branches.
constexpr Id kWithoutEffect[] = {Id::s_nop, Id::s_waitcnt};
constexpr Id kJumps[] = {Id::s_branch,        Id::s_cbranch_scc0,  Id::s_cbranch_scc1,
                         Id::s_cbranch_vccz,  Id::s_cbranch_vccnz, Id::s_cbranch_execz,
                         Id::s_cbranch_execnz};

using ShortnessTable = std::array<Shortness, isa::kSemantics>;

ShortnessTable make_shortness() {
  ShortnessTable table{};
  const auto set = [&table](Id id, Shortness shortness) {
    table[static_cast<unsigned>(id)] = shortness;
  };
  for (const EntryList part : {arithmetic_entries(), move_entries(), compare_entries()}) {
    for (const Entry& entry : part) set(entry.id, Shortness::Straight);
  }
  for (const Id id : kWithoutEffect) set(id, Shortness::Nothing);
  for (const Id id : kJumps) set(id, Shortness::Jump);
  return table;
}

}  // namespace

Shortness shortness_of(Id id) {
  static const ShortnessTable table = make_shortness();
  return table[static_cast<unsigned>(id)];
}

Handler find_handler(Id id) {
  return find_entry(id).handler;
}
Prepared::Run find_quick(Id id) {
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
