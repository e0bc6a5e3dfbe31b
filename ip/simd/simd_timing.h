// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ip/lockstep/schedule.h"
#include "simd/schedule.h"

namespace cuvette::ip {

/// Timing check of a SIMD: the schedule of rtl/simd (docs/reference/simd.md, Timing of the RTL),
/// which says in which cycles an instruction is taken, a beat retires and a row goes in.
class SimdTiming final : public Schedule {
 public:
  /// `fill`: the channel of the shell.
  explicit SimdTiming(const machine::Channel<simd::Fill>& fill) : fill_(fill) {}

  /// Before a cycle: what is at the ports. The instruction is copied.
  void begin(const simd::Schedule::Ports& ports);
  /// A row was written past the channels.
  void direct_write() { schedule_.direct_write(fill_.size()); }
  bool idle() const { return schedule_.idle(); }

  std::string check(const PinAdapter& pins, machine::Cycle now) override;
  /// Cycles.
  uint64_t compared() const override { return compared_; }

 private:
  const machine::Channel<simd::Fill>& fill_;
  simd::Schedule schedule_;
  simd::Schedule::Ports ports_;
  simd::Issue issue_;
  size_t fills_ = 0;  ///< rows on `fill` before the cycle
  uint64_t compared_ = 0;
};

}  // namespace cuvette::ip
