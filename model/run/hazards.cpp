// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/hazards.h"

#include <fmt/format.h>

#include "isa/registers.h"

namespace cuvette::run {
namespace {

constexpr uint64_t kWaitStateClocks = 4;

}  // namespace

void HazardWatch::retire(const wave::RetireRecord& record) {
  Wave& w = wave(record.wave);
  if (!wave::is_skipped(record.instruction, w.relative.mode)) {
    look(w, record.instruction, w.relative, record.pc, w.now);
    w.now += isa::wait_states_of(record.instruction);
  }
  w.relative.mode = record.mode;
  for (const wave::ScalarWrite& s : record.scalar_writes)
    if (s.code == isa::kM0) w.relative.m0 = s.value;
  if (record.instruction.row->has(isa::kEndsProgram)) waves_.erase(record.wave);
}

void HazardWatch::issue(uint64_t id, uint64_t pc, const isa::Instruction& instruction,
                        wave::Relative relative, uint64_t cycle) {
  look(wave(id), instruction, relative, pc, cycle / kWaitStateClocks);
  if (instruction.row->has(isa::kEndsProgram)) waves_.erase(id);
}

void HazardWatch::look(Wave& w, isa::Instruction in, wave::Relative relative, uint64_t pc,
                       uint64_t now) {
  const isa::Instruction written = in;
  if (wave::place_registers(in, relative)) {
    as_written_[pc] = written;
  } else {
    as_written_.erase(pc);
  }
  // Instructions that VSKIP skips are not reported; only branches, which are, go back.
  const bool skipped = wave::skips(relative.mode) && pc > w.next_pc;
  const bool jumped = w.begun && pc != w.next_pc && !skipped;
  std::vector<wave::HazardFinding> found;
  w.hazards.issue(in, pc, now, jumped, found);
  w.waits.issue(in, pc, found);
  w.begun = true;
  w.next_pc = pc + 4u * in.length;
  for (wave::HazardFinding& f : found) {
    const auto first = as_written_.find(f.first_pc);
    if (first != as_written_.end()) f.first = first->second;
    f.second = written;
    Place& place = places_[{f.second_pc, f.first_pc, f.rule}];
    if (place.count++ == 0) place.finding = std::move(f);
  }
}

void HazardWatch::report(bool strict, EngineReport& report) const {
  report.hazards_checked = true;
  for (const auto& [key, place] : places_) {
    const wave::HazardFinding& f = place.finding;
    ++report.hazard_counts[std::string(isa::name_of(f.severity))];
    const std::string text = fmt::format("{} ({} times)", f.text(), place.count);
    report.hazards.push_back(text);
    if (strict && f.severity == isa::HazardClass::Required) {
      report.failures.push_back("hazard " + text);
    }
  }
}

}  // namespace cuvette::run
