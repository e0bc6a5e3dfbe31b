// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "valu/valu.h"
#include "wave/lane_op.h"

namespace cuvette::valu {

/// Lane semantics of layer wave for one beat: the body of `tlm` and the reference of
/// `lockstep`.
class LaneBeat {
 public:
  explicit LaneBeat(isa::Target target);

  /// True if layer wave has a handler for the row.
  static bool has(const isa::Row& row);
  /// The response to `request`. The row must have a handler.
  void compute(const Request& request, Response& response);

 private:
  isa::Instruction instruction_;
  uint32_t src_[3][4][kLanes] = {};
  uint32_t dst_[4][kLanes] = {};
};

}  // namespace cuvette::valu
