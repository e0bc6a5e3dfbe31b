// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>

#include "simd/simd.h"

namespace cuvette::simd {

/// When the ports of rtl/simd move, cycle by cycle (simd.md, Timing of the RTL): the control
/// of its pipeline without any data. Reference of the ports' time for model and RTL.
class Schedule {
 public:
  struct Moved {
    bool issue = false;   ///< the instruction offered is taken
    bool retire = false;  ///< a beat is given
    bool last = false;    ///< and completes its instruction
    bool fill = false;    ///< the last beat of a row from the fill channel is taken
  };

  /// State of the ports in one cycle.
  struct Ports {
    const Issue* issue = nullptr;  ///< the instruction visible, or null
    bool fill = false;             ///< a row is visible on `fill`
    bool read = false;             ///< a request is visible on `read`
    bool reading = false;          ///< rows are being read for `row_data`
    bool retire_ready = true;      ///< `retire` has room
  };
  /// One cycle. While a row goes in, nothing is offered that comes later; a row does not go in
  /// while an instruction or a read that was offered before waits, or rows are being read.
  Moved cycle(const Ports& ports);
  /// A row was written past the channels (`registers()`) behind `ahead` rows that are still on
  /// `fill`: it goes in after these and before anything later.
  void direct_write(size_t ahead) { direct_.push_back(fills_ + ahead); }
  /// True when no instruction is under way: cycles in which nothing is offered may be left out.
  bool idle() const { return under_way_ == 0 && direct_.empty() && fill_beat_ == 0; }

 private:
  /// An instruction whose registers are read.
  struct Job {
    uint8_t slot = 0;
    unsigned gather_steps = 0;  ///< one cycle each
    unsigned beats = 4;         ///< of results
    unsigned step_cycles = 1;   ///< to read one beat of all its rows
    unsigned passes = 1;
    unsigned dwords = 0;  ///< written by each lane
  };
  struct Beat {
    uint8_t slot = 0;
    bool last = false;
    unsigned passes = 1, dwords = 0;
  };
  /// A pass of a beat in the vector ALU.
  struct Pass {
    uint8_t slot = 0;
    bool last_pass = false, last = false;
    unsigned cycles = 1;  ///< registers written
  };
  static Job job_of(const Issue& issue);
  static Pass pass_of(const Beat& beat, unsigned pass);
  bool fill_cycle(const Ports& ports, Moved& moved);
  bool retire_cycle(bool retire_ready, Moved& moved);

  std::optional<Job> job_;
  unsigned step_ = 0, step_cycle_ = 0;
  std::optional<Beat> coming_, offered_;
  unsigned pass_ = 0;  ///< of offered_
  std::optional<Pass> stage1_, stage2_, stage3_;
  unsigned written_ = 0;  ///< registers of stage3_
  std::bitset<256> busy_;
  unsigned under_way_ = 0;
  uint64_t fills_ = 0;           ///< rows of the fill channel that went in
  std::deque<uint64_t> direct_;  ///< rows written past the channels: fills_ when it is their turn
  unsigned fill_beat_ = 0;
  bool fill_is_direct_ = false;
  bool issue_waits_ = false, read_waits_ = false;  ///< offered and not taken
};

}  // namespace cuvette::simd
