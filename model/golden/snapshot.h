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

/// Memory as it was before a dispatch, in blocks and lines of AccessBlock: whoever is about to
/// write calls save() first, from any thread. What is mapped stays as it is meanwhile.
class Snapshot {
 public:
  explicit Snapshot(hsa::DeviceMemory& memory) : memory_(memory) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  /// At least the lines given, a bit per line, or the part of them that is memory; `block` is one
  /// of virtual addresses. Which lines of the block are kept now.
  uint64_t save(uint64_t block, uint64_t lines);
  /// Nobody may access the memory meanwhile.
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
