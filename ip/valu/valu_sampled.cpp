// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_sampled.h"

#include <utility>

#include "ip/common/sampling.h"

namespace cuvette::ip {

ValuSampled::ValuSampled(std::unique_ptr<ValuLockstep> lockstep)
    : lockstep_(std::move(lockstep)), run_(*lockstep_) {}

bool ValuSampled::wants(unsigned requests) {
  const bool wanted =
      sampled(instructions_++, lockstep_->options().share) && !lockstep_->mismatch();
  if (!wanted) lockstep_->pass_by(requests);
  return wanted;
}

void ValuSampled::see(const valu::Request& asked, bool last, machine::Cycle now) {
  run_.send(lockstep_->request, lockstep_->response, asked, now);
  if (last) run_.finish(lockstep_->response);
}

}  // namespace cuvette::ip
