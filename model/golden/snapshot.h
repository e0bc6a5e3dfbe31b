// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "hsa/memory.h"

namespace cuvette::golden {

/// Memory as it was before a dispatch, in blocks and lines of AccessBlock: writers call save()
/// before a write, from any thread. The mappings stay as they are meanwhile.
class Snapshot {
 public:
  explicit Snapshot(hsa::DeviceMemory& memory) : memory_(memory) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  /// Saves at least the lines given, a bit per line, or the part of them that is memory; `block` is
  /// one of virtual addresses. The result: the lines of the block that are kept now.
  uint64_t save(uint64_t block, uint64_t lines);
  /// Writes the kept lines back. No other access to the memory may run meanwhile.
  void restore();

 private:
  struct Piece {
    uint64_t address;
    std::vector<uint8_t> bytes;
  };
  struct Block {
    uint64_t saved = 0;
    std::vector<Piece> pieces;
  };
  struct Shard {
    std::mutex mutex;
    std::map<uint64_t, Block> blocks;
  };
  // By physical addresses: a block may be seen at several virtual ones.
  uint64_t save_physical(uint64_t block, uint64_t lines);
  bool take(uint64_t address, unsigned bytes, std::vector<Piece>& pieces);

  hsa::DeviceMemory& memory_;
  std::array<Shard, 16> shards_;
};

}  // namespace cuvette::golden
