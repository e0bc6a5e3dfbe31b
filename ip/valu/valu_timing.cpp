// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_timing.h"

namespace cuvette::ip {

std::string ValuTiming::check(const Cycle& cycle) {
  switch (rule_.kind) {
    case machine::TimingRule::Kind::Exact:
      return check_exact(cycle);
    case machine::TimingRule::Kind::Bounded:
      return bounded_.check(cycle.now, cycle.taken, cycle.ready, cycle.answered);
    default:
      return {};
  }
}

std::string ValuTiming::check(const PinAdapter& pins, machine::Cycle now) {
  const PinEnd &requests = pins.end(0), &responses = pins.end(1);
  return check({now, requests.at_pins(), requests.moved(), responses.ready(), responses.moved()});
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
  if (answers != c.answered) {
    return answers ? "a response is due in this cycle and does not come"
                   : "a response comes in a cycle in which none is due";
  }
  if (takes != c.taken) {
    return takes ? "a request has to be taken in this cycle and is not"
                 : "a request is taken in a cycle in which the pipeline is full";
  }
  return {};
}

}  // namespace cuvette::ip
