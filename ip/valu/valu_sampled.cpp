// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_sampled.h"

#include <utility>

#include "ip/common/sampling.h"

namespace cuvette::ip {

ValuSampled::ValuSampled(std::unique_ptr<ValuLockstep> lockstep)
    : lockstep_(std::move(lockstep)), share_(lockstep_->kit().options().share), run_(*lockstep_) {
  lockstep_->kit().compare_all();
}

bool ValuSampled::wants(unsigned requests) {
  const bool wanted = sampled(instructions_++, share_) && !lockstep_->mismatch();
  if (!wanted) lockstep_->kit().pass_by("request", requests);
  return wanted;
}

void ValuSampled::see(const valu::Request& asked, bool last, machine::Cycle now) {
  run_.send(lockstep_->request, lockstep_->response, asked, now);
  if (last) run_.finish(lockstep_->response);
}

}  // namespace cuvette::ip
