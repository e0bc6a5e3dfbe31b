// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/trace/trace_columns.h"

namespace cuvette::run {

/// Place of a wave in the machine.
struct WaveSlot {
  uint32_t unit = 0, simd = 0, slot = 0;
  auto operator<=>(const WaveSlot&) const = default;
};

/// Waves and issued instructions of a trace, gathered in the order of their ends and given to
/// columns by slot and start. What starts at the same time goes by length, the longest first, and
/// by its end.
class WaveTimeline {
 public:
  struct Residency {
    uint64_t start, cycles, number, dispatch;
  };
  /// Events of one slot.
  class Slot {
   public:
    void wave(const Residency& wave) {
      add(wave.start, static_cast<uint32_t>(waves_.size()), true);
      waves_.push_back(wave);
    }
    void issue(uint64_t time, uint32_t code) { add(time, code, false); }

   private:
    friend class WaveTimeline;
    struct Entry {
      uint64_t time;
      uint32_t which;  // of waves_, or a code
      uint32_t is_wave : 1;
      uint32_t number : 31;  // in the order of ends
    };
    /// Throws BadTrace: there are too many.
    void add(uint64_t time, uint32_t which, bool is_wave);
    bool before(const Entry& a, const Entry& b) const;

    std::vector<Entry> entries_;
    std::vector<Residency> waves_;
  };

  /// Stays where it is.
  Slot& slot(const WaveSlot& place) { return slots_[place]; }
  /// Number of an instruction for Slot::issue. The texts stay where they are.
  uint32_t code(uint64_t pc, const std::string& text, const std::string& unit);

  /// Gives everything to columns that have no waves and issues yet.
  void move_to(TraceColumns& columns);

 private:
  struct Code {
    uint64_t pc;
    const std::string *text, *unit;
    bool operator==(const Code&) const = default;
  };
  struct Hash {
    size_t operator()(const Code& c) const {
      return std::hash<uint64_t>()(c.pc) ^ std::hash<const void*>()(c.text);
    }
  };
  class Issues;
  std::map<WaveSlot, Slot> slots_;
  std::unordered_map<Code, uint32_t, Hash> numbers_;
  std::vector<Code> codes_;
};

}  // namespace cuvette::run
