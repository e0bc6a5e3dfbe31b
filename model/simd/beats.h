// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "simd/lane_file.h"

namespace cuvette::simd {

/// One instruction on its way through a valu: operands collected once, requests by beat and pass,
/// results put together again.
class Beats {
 public:
  /// Collects the operands from `registers` in cycle `now`. Before anything else.
  void start(const Issue& issue, vrf::Vrf& registers, machine::Cycle now);

  /// Number of requests of an instruction.
  static unsigned requests_of(const isa::Instruction& instruction);

  const Issue& issue() const { return issue_; }
  bool all_sent() const { return next_ == total_; }
  /// The next request; not all_sent().
  valu::Request next(uint32_t id);

  /// Takes a response in cycle `now`. A beat that is complete with it, whose lanes are written, or
  /// null.
  const Retire* accept(const valu::Response& response, vrf::Vrf& registers, machine::Cycle now);
  bool complete() const { return received_ == total_; }

 private:
  void collect_source(unsigned s, vrf::Vrf& registers, machine::Cycle now);
  wave::LaneRow row_of(const isa::Operand& operand, unsigned dword, vrf::Vrf& registers,
                       machine::Cycle now) const;

  Issue issue_;
  Destinations d_;
  unsigned passes_ = 1;
  unsigned total_ = 0, next_ = 0, received_ = 0;
  std::array<std::array<wave::LaneRow, 4>, 3> src_;
  std::array<wave::LaneRow, 4> old_;
  Retire beat_;  // passes of one beat put together
};

}  // namespace cuvette::simd
