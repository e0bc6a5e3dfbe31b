// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::run {

/// Trace of a run as columns: what a page of it is made of, without an object per event. Times are
/// in cycles since reset.
struct TraceColumns {
  /// Residency of a wave in a slot.
  struct Wave {
    uint32_t unit, simd, slot;
    uint64_t start, cycles;
    uint64_t number, dispatch;
    uint64_t first, last;  ///< its issues: [first, last) of the columns of issues
  };
  /// Instruction at one address.
  struct Instruction {
    uint64_t pc;
    std::string mnemonic, unit;
    uint64_t issues;
    uint64_t waited;  ///< cycles between the wave's last issue, or its launch, and this one's
  };
  struct Dispatch {
    std::string name;
    uint64_t start, cycles;
  };
  using Times = std::vector<uint64_t>;  ///< rising
  using ByInstance = std::map<uint32_t, Times>;
  struct Requests {
    Times begins, ends;
  };

  std::vector<Wave> waves;  ///< by slot and start
  /// Issued instructions by slot and time: when, and which of `instructions`. Those of waves that
  /// the trace left out are between those of others.
  std::vector<uint64_t> issue_times;
  std::vector<uint32_t> issue_codes;
  std::vector<uint64_t>
      rising;  ///< where issue_times begins, and where it falls: rising from there
  std::vector<Instruction> instructions;           ///< in the order of their first issues
  std::map<std::string, ByInstance> hits, misses;  ///< by block and cache
  ByInstance accesses;                             ///< by channel of the memory
  std::map<uint32_t, Requests> requests;           ///< by compute unit
  std::vector<Dispatch> dispatches;                ///< in the order of their ends
  std::map<std::string, uint64_t> left_out;        ///< by kind of event
  double clock_mhz = 0;
  std::string filter, window;  ///< of the options of the trace; empty: all of the run
};

/// The columns of a Perfetto trace of `cuvette run --trace`. Error: the file cannot be read, is
/// another one, or breaks off.
base::Result<TraceColumns> read_perfetto(const std::string& path);

/// Writes a line of JSON (numbers, names, and which columns follow: name, type code of Python's
/// array, count), and behind it the columns as they are in memory.
void write_columns(const TraceColumns& columns, std::FILE* to);

}  // namespace cuvette::run
