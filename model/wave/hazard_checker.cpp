// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/hazard_checker.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "isa/text.h"

namespace cuvette::wave {
namespace {

std::string place(uint64_t pc, const isa::Instruction& in) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "0x%" PRIx64 " ", pc);
  return buffer + isa::text(in);
}

HazardFinding finding_of(const isa::HazardRule& rule, const isa::Instruction& first,
                         uint64_t first_pc, const isa::Instruction& second, uint64_t second_pc) {
  HazardFinding finding;
  finding.rule = rule.id;
  finding.source = rule.source;
  finding.severity = rule.severity;
  finding.first_pc = first_pc;
  finding.second_pc = second_pc;
  finding.first = first;
  finding.second = second;
  return finding;
}

}  // namespace

std::string HazardFinding::text() const {
  std::string out = rule + " (" + source + ", " + std::string(isa::name_of(severity)) + "): ";
  if (!harm.empty()) return out + harm + " at " + place(second_pc, second);
  if (missing != 0) {
    out += std::to_string(missing) + (missing == 1 ? " wait state" : " wait states") + " missing";
  } else {
    out += advice + " missing";
  }
  return out + " between " + place(first_pc, first) + " and " + place(second_pc, second);
}

HazardChecker::HazardChecker(isa::Target target) {
  for (const isa::HazardRule& rule : isa::hazard_rules()) {
    if (!rule.on(target)) continue;
    if (rule.about_one()) alone_.push_back(&rule);
    if (rule.wait_states == 0 || rule.about_counters()) continue;
    counting_[rules_.size()] = rule.relation == isa::HazardRelation::UntilJump;
    rules_.push_back(&rule);
  }
}

/// True if no rule reaches that far back.
bool HazardChecker::is_over(const Issued& oldest, uint64_t now) const {
  const bool counted = (oldest.starts & counting_).any() && !oldest.jumped_since;
  if (counted && history_.size() <= isa::kMostWaitStates) return false;
  return oldest.after + isa::kMostWaitStates <= now;
}

/// True if the result of a matrix instruction is that of a later one by now. Compilers look at the
/// last one that wrote a register.
bool HazardChecker::is_replaced(size_t n, isa::HazardRelation relation) const {
  const isa::Instruction& first = history_[n].instruction;
  if (!first.row->has(isa::kMatrix) || relation == isa::HazardRelation::AccumulatorRewritten) {
    return false;
  }
  const isa::Operand& result = first.dst[0];
  return std::any_of(history_.begin(), history_.begin() + static_cast<ptrdiff_t>(n),
                     [&result](const Issued& later) {
                       const isa::Operand& d = later.instruction.dst[0];
                       return later.instruction.row->has(isa::kMatrix) && d.kind == result.kind &&
                              d.index <= result.index &&
                              result.index + result.dwords <= d.index + d.dwords;
                     });
}

void HazardChecker::issue(const isa::Instruction& in, uint64_t pc, uint64_t now, bool jumped,
                          std::vector<HazardFinding>& out) {
  while (!history_.empty() && is_over(history_.back(), now)) history_.pop_back();
  if (jumped) {
    for (Issued& issued : history_) issued.jumped_since = true;
  }
  for (size_t n = 0; n < history_.size(); ++n) {
    const Issued& first = history_[n];
    if (first.starts.none()) continue;
    const uint64_t states = now - first.after;
    const isa::Instruction* before =
        n + 1 < history_.size() ? &history_[n + 1].instruction : nullptr;
    for (size_t i = 0; i < rules_.size(); ++i) {
      const isa::HazardRule& rule = *rules_[i];
      if (!first.starts[i]) continue;
      const uint64_t between = counting_[i] ? n : states;
      if (between >= rule.wait_states || (counting_[i] && first.jumped_since)) continue;
      if (!isa::belongs(in, rule.second)) continue;
      if (!isa::related(rule.relation, first.instruction, in, before)) continue;
      if (is_replaced(n, rule.relation)) continue;
      HazardFinding finding = finding_of(rule, first.instruction, first.pc, in, pc);
      finding.missing = rule.wait_states - static_cast<unsigned>(between);
      out.push_back(std::move(finding));
    }
  }
  for (const isa::HazardRule* rule : alone_) {
    if (!isa::starts(in, *rule)) continue;
    HazardFinding finding = finding_of(*rule, in, pc, in, pc);
    finding.harm = isa::harm_of(rule->first);
    out.push_back(std::move(finding));
  }
  // S_NOP is what wait states are made of: it stays in the history only by the time it takes.
  Rules starts;
  for (size_t i = 0; i < rules_.size(); ++i) starts[i] = isa::starts(in, *rules_[i]);
  history_.push_front({in, pc, now + 1, starts, false});
}

}  // namespace cuvette::wave
