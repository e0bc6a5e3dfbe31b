// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "isa/row.h"
#include "isa/target.h"
#include "memory/memory.h"
#include "spi/spi.h"

namespace cuvette::run {

struct EngineReport;
struct SessionResult;

/// Named numbers of one instance of a block, in a fixed order.
struct BlockCounters {
  std::string block;   ///< "compute_unit", "vector_l1", ...
  unsigned index = 0;  ///< of the instance
  std::vector<std::pair<std::string, uint64_t>> values;
};

BlockCounters counters_of(unsigned index, const compute_unit::ComputeUnit::Counters& c);
BlockCounters counters_of(unsigned index, const lds::Lds::Counters& c);
BlockCounters counters_of(const gds::Gds::Counters& c);
BlockCounters counters_of(const std::string& block, unsigned index,
                          const cache::Cache::Counters& c);
BlockCounters counters_of(const command_processor::CommandProcessor::Counters& c);
BlockCounters counters_of(const spi::Spi::Counters& c);
BlockCounters counters_of(const memory::Memory::Traffic& t);
/// Every cycle of a wave's residency is in one class. Throws std::logic_error where compute units
/// count otherwise.
void check_residency(const std::vector<BlockCounters>& blocks);
/// What happened between two looks at the same blocks.
std::vector<BlockCounters> difference(const std::vector<BlockCounters>& before,
                                      std::vector<BlockCounters> after);

/// One dispatch of a run.
struct DispatchStatistics {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint16_t, 3> workgroup{1, 1, 1};
  uint64_t workgroups = 0, waves = 0, instructions = 0, fallbacks = 0;
  uint64_t cycles = 0;                                ///< 0 on engines without time
  std::map<std::string, uint64_t> fallbacks_by_name;  ///< mnemonics of what `fallbacks` were
  isa::RowCounts by_row;  ///< machine code only; all instructions of HSAIL are exact
  isa::Target target = isa::Target::Gfx908;  ///< of the machine code
  std::vector<BlockCounters> blocks;         ///< engines with time
};

/// "salu", "vmem", ...
const char* name_of(isa::Unit unit);

/// Adds the instructions of a dispatch to its statistics and to the report.
void tally(isa::RowCounts by_row, isa::Target target, DispatchStatistics& dispatch,
           EngineReport& report);

/// What `--stats` says about the run itself.
struct RunIdentity {
  std::string version, engine, config, dispatch_file;
};
/// The statistics file (docs/statistics.md).
std::string statistics_text(const RunIdentity& identity, const SessionResult& result);

}  // namespace cuvette::run
