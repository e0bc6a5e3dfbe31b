// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cache/cache.h"
#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "gds/gds.h"
#include "lds/lds.h"
#include "memory/memory.h"
#include "spi/spi.h"

namespace cuvette::gpu {

class Gpu;
class HostInterface;

/// Named numbers of one instance of a block, in a fixed order (docs/reference/statistics.md).
struct BlockCounters {
  std::string block;                                     ///< "compute_unit", "vector_l1", ...
  unsigned index = 0;                                    ///< of the instance
  std::vector<std::pair<std::string, uint64_t>> values;  ///< name and count
};

/// Counters of one block as named numbers.
BlockCounters counters_of(unsigned index, const compute_unit::ComputeUnit::Counters& c);
BlockCounters counters_of(unsigned index, const lds::Lds::Counters& c);
BlockCounters counters_of(const gds::Gds::Counters& c);
BlockCounters counters_of(const std::string& block, unsigned index,
                          const cache::Cache::Counters& c);
BlockCounters counters_of(const command_processor::CommandProcessor::Counters& c);
BlockCounters counters_of(const spi::Spi::Counters& c);
BlockCounters counters_of(const memory::Memory::Traffic& t);

/// The blocks of a GPU at its present time, instances of one block in a row. A Gpu, which has
/// caches, has them and the memory behind the others.
std::vector<BlockCounters> block_counters(HostInterface& gpu);
std::vector<BlockCounters> block_counters(Gpu& gpu);

/// Every cycle of a wave's residency is in one class. Throws std::logic_error where compute units
/// count otherwise.
void check_residency(const std::vector<BlockCounters>& blocks);

}  // namespace cuvette::gpu
