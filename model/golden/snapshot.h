// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "golden/access_map.h"
#include "hsa/memory.h"

namespace cuvette::golden {

/// Undo log of a dispatch: memory as it was before, in blocks and lines of AccessBlock. Writers
/// call save() before a write, from any thread. The mappings stay as they are meanwhile. Storage is
/// kept from dispatch to dispatch, up to 64 MiB.
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
  /// Keeps nothing any more.
  void clear();

 private:
  /// Unit of copying where all of it is memory: fewer bytes than a block, because a kernel may
  /// write a little of each, more than a line, because most write all of it.
  static constexpr unsigned kPartLines = 16, kPartBytes = kPartLines * AccessBlock::kLine;
  static constexpr unsigned kParts = AccessBlock::kLines / kPartLines;

  struct Piece {
    uint64_t address;
    std::vector<uint8_t> bytes;
  };
  struct Block {
    uint64_t saved = 0;
    std::array<uint8_t*, kParts> parts{};
    std::vector<Piece> pieces;  // of parts that are not memory from end to end
  };
  /// Storage of parts.
  class Store {
   public:
    uint8_t* next();
    /// All parts are free again.
    void clear();

   private:
    static constexpr size_t kChunkParts = 256, kKeptChunks = 16;
    std::vector<std::unique_ptr<uint8_t[]>> chunks_;
    size_t used_ = 0;  // parts
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<uint64_t, Block> blocks;
    Store store;
  };
  // By physical addresses: a block may be seen at several virtual ones.
  uint64_t save_physical(uint64_t block, uint64_t lines);
  bool take(uint64_t address, unsigned bytes, std::vector<Piece>& pieces);
  void take_lines(uint64_t first, uint64_t lines, std::vector<Piece>& pieces);

  hsa::DeviceMemory& memory_;
  std::array<Shard, 16> shards_;
};

}  // namespace cuvette::golden
