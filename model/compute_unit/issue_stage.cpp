// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/issue_stage.h"

namespace cuvette::compute_unit {

using machine::Cycle;

void IssueStage::skip(WaveContext& w, const Code& code, Cycle now) {
  if (probe_.is_observed()) probe_.retire_nothing(w, code.instruction());
  statistics_.count_skip(code.row);
  move_behind(w, code, now + 1);
}

}  // namespace cuvette::compute_unit
