// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_timing.h"

#include "ip/mutant.h"

namespace cuvette::ip {

std::string ValuTiming::check(const Cycle& cycle) {
  switch (rule_.kind) {
    case machine::TimingRule::Kind::Exact:
      return check_exact(cycle);
    case machine::TimingRule::Kind::Bounded:
      return check_bounded(cycle);
    default:
      return {};
  }
}

std::string ValuTiming::check_exact(const Cycle& c) {
  const bool answers = stage_[2] && c.ready;
  const bool ready2 = !stage_[2] || c.ready;
  const bool ready1 = !stage_[1] || ready2;
  const bool ready0 = !stage_[0] || ready1;
  const bool takes = c.offered && ready0;
  if (ready2) stage_[2] = stage_[1];
  if (ready1) stage_[1] = stage_[0];
  if (ready0) stage_[0] = takes;
  if (c.answered) ++compared_;
  if (CUVETTE_MUTANT(120, answers != c.answered, answers && !c.answered)) {
    return answers ? "a response is due in this cycle and does not come"
                   : "a response comes in a cycle in which none is due";
  }
  if (takes != c.taken) {
    return takes ? "a request has to be taken in this cycle and is not"
                 : "a request is taken in a cycle in which the pipeline is full";
  }
  return {};
}

std::string ValuTiming::check_bounded(const Cycle& c) {
  const auto text = [this](machine::Cycle age, const char* what) {
    return what + std::to_string(age) + " cycles after its request, allowed are " +
           std::to_string(rule_.min_cycles) + " to " + std::to_string(rule_.max_cycles);
  };
  if (!c.ready) {
    for (machine::Cycle& t : taken_) ++t;
  }
  std::string wrong;
  if (!taken_.empty()) {
    const machine::Cycle age = c.now - taken_.front();
    const bool early = CUVETTE_MUTANT(121, age < rule_.min_cycles, age + 1 < rule_.min_cycles);
    const bool late = CUVETTE_MUTANT(122, age > rule_.max_cycles, false);
    if (c.answered && (early || late)) wrong = text(age, "a response comes ");
    if (!c.answered && late && c.ready) wrong = text(age, "no response ");
    if (c.answered) {
      ++compared_;
      taken_.pop_front();
    }
  }
  if (c.taken) taken_.push_back(c.now);
  return wrong;
}

}  // namespace cuvette::ip
