// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "golden/access_map.h"
#include "hsa/memory.h"

namespace cuvette::golden {

/// Undo log of a dispatch: memory as it was before, in lines of AccessBlock. Writers call save()
/// before a write, each thread with a log of its own. The mappings stay as they are meanwhile.
/// Storage is kept from dispatch to dispatch, up to 32 MiB a log.
class Snapshot {
 public:
  class Log;

  explicit Snapshot(hsa::DeviceMemory& memory) : memory_(memory) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  /// The log of one more thread. It lives as long as the snapshot.
  Log& add_log() { return logs_.emplace_back(); }

  /// Saves at least the lines given, a bit per line, or the part of them that is memory, where
  /// nobody has yet; `block` is one of virtual addresses. The result: the lines of the block that
  /// are kept now.
  uint64_t save(Log& log, uint64_t block, uint64_t lines);
  /// Writes the kept lines back. No other access to the memory may run meanwhile.
  void restore();
  /// Keeps nothing any more.
  void clear();

 private:
  /// Unit of copying where all of it is memory: fewer bytes than a block, because a kernel may
  /// write a little of each, more than a line, because most write all of it.
  static constexpr unsigned kPartLines = 8, kPartBytes = kPartLines * AccessBlock::kLine;
  /// States of the parts of 1 MiB of physical addresses.
  struct Region {
    static constexpr uint64_t kBytes = uint64_t{1} << 20;
    enum State : uint8_t { Free, Copying, Kept, Zeros, InPieces };
    std::array<std::atomic<uint8_t>, kBytes / kPartBytes> parts{};
  };
  static constexpr size_t kMostRegions = 16384;  // kept: 32 MiB
  struct Piece {
    uint64_t address;
    std::vector<uint8_t> bytes;
  };

  // By physical addresses: a block may be seen at several virtual ones.
  Region& region_of(Log& log, uint64_t address);
  uint64_t save_part(Log& log, uint64_t address, uint64_t lines);
  void save_pieces(uint64_t address, uint64_t lines);
  bool take(uint64_t address, unsigned bytes);

  hsa::DeviceMemory& memory_;
  std::deque<Log> logs_;
  std::mutex mutex_;  // of what follows
  std::unordered_map<uint64_t, Region> regions_;
  /// Lines of parts that are not memory from end to end; by the address of the part.
  std::unordered_map<uint64_t, uint64_t> lines_in_pieces_;
  std::vector<Piece> pieces_;
};

/// Parts of memory that one thread has saved.
class Snapshot::Log {
 private:
  friend class Snapshot;
  struct Part {
    uint64_t address;
    std::atomic<uint8_t>* state;
    const uint8_t* bytes;  // where it is kept
  };
  /// Storage for one more part, of add(), which then needs none of the host's memory.
  uint8_t* room();
  void add(const Part& part) noexcept;
  void clear();

  static constexpr size_t kChunkBytes = size_t{1} << 20, kKeptChunks = 32;
  std::vector<std::unique_ptr<uint8_t[]>> chunks_;
  size_t used_ = 0;  // bytes of chunks_
  std::vector<Part> parts_;
  static constexpr size_t kRecent = 16;
  std::array<std::pair<uint64_t, Region*>, kRecent> recent_{};  // by the low bits of their numbers
};

}  // namespace cuvette::golden
