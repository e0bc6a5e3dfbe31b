// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/block_counters.h"
#include "isa/row.h"
#include "isa/target.h"
#include "machine/settings.h"

namespace cuvette::run {

struct EngineReport;
struct SessionResult;

using gpu::BlockCounters;
using gpu::counters_of;

/// Events between two samples of the same blocks.
std::vector<BlockCounters> difference(const std::vector<BlockCounters>& before,
                                      std::vector<BlockCounters> after);

/// One entry per block: sums over its instances.
std::vector<BlockCounters> totals(const std::vector<BlockCounters>& blocks);

/// One dispatch of a run.
struct DispatchStatistics {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};       ///< work-items
  std::array<uint16_t, 3> workgroup{1, 1, 1};  ///< work-items
  /// Instructions are those of waves; fallbacks are those of them that a fallback executed.
  uint64_t workgroups = 0, waves = 0, instructions = 0, fallbacks = 0;
  uint64_t cycles = 0;  ///< from doorbell to interrupt; 0 on engines without time
  std::map<std::string, uint64_t> fallbacks_by_name;  ///< mnemonics of what `fallbacks` were
  isa::RowCounts by_row;  ///< machine code only; all instructions of HSAIL are exact
  isa::Target target = isa::Target::Gfx908;  ///< of the machine code
  std::vector<BlockCounters> blocks;         ///< engines with time: events of the dispatch
  /// Sums over the instances of each block, up to a cycle since reset.
  struct Interval {
    uint64_t end = 0;                   ///< cycle behind it
    std::vector<BlockCounters> totals;  ///< as of totals()
  };
  uint64_t every = 0;               ///< cycles of an interval; 0: there are none
  std::vector<Interval> intervals;  ///< of the dispatch, in order
};

/// "salu", "vmem", ...
const char* name_of(isa::Unit unit);

/// Adds the instructions of a dispatch to its statistics and to the report.
void tally(isa::RowCounts by_row, isa::Target target, DispatchStatistics& dispatch,
           EngineReport& report);

/// Identity of the run in `--stats`.
struct RunIdentity {
  std::string version, engine, config, dispatch_file;
  std::vector<machine::Setting> machine;  ///< fields of its description; none: not printed
};
/// The statistics file (docs/reference/statistics.md), and the file of counters of a run that has
/// some (docs/reference/counters.md).
std::string counters_text(const RunIdentity& identity, const SessionResult& result);
std::string statistics_text(const RunIdentity& identity, const SessionResult& result);

}  // namespace cuvette::run
