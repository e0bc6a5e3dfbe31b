// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "golden_plain_dispatch_code.h"
#include "golden_plain_dispatch_float.h"
#include "hsa/address_space.h"
#include "isa/target.h"

// What a dispatch of a kernel without loops has to do, work-item by work-item; shares nothing with
// the model.
namespace cuvette::golden::plain {

inline constexpr unsigned kLanes = 64, kVgprs = 24, kSgprs = 64;

/// Physical memory in one piece.
struct Chunk {
  uint64_t pa = 0;
  std::vector<uint8_t> bytes;
};
/// What translates to a part of a chunk.
struct Piece {
  uint64_t va = 0, bytes = 0;
  size_t chunk = 0;
  uint64_t offset = 0;  ///< in the chunk
  hsa::Access permitted = hsa::Access::ReadWrite;
};

/// Addresses from begin to end, end not included.
struct Interval {
  uint64_t begin, end;
};

struct Memory {
  std::vector<Chunk> chunks;
  std::vector<Piece> pieces;  ///< ascending, without overlaps
  /// Where accesses to memory that is not there go, if somebody wants to know: they are no faults.
  std::vector<Interval>* missing = nullptr;

  /// A chunk and a piece for all of it.
  void add(uint64_t va, uint64_t bytes, hsa::Access permitted = hsa::Access::ReadWrite);
  void sort();
  const Piece* find(uint64_t va) const;
  /// All or nothing. False: `failed` is the first address that is not there.
  bool read(uint64_t va, void* out, unsigned bytes, uint64_t* failed = nullptr);
  bool write(uint64_t va, const void* data, unsigned bytes, uint64_t* failed = nullptr);
  template <class T>
  void put(uint64_t va, const T& value) {
    write(va, &value, sizeof value);
  }
  uint32_t word(uint64_t va) {
    uint32_t value = 0;
    read(va, &value, 4);
    return value;
  }

 private:
  uint8_t* place(uint64_t va, unsigned bytes, bool write, std::optional<uint64_t>& absent);
  void note(uint64_t va, unsigned bytes);

  size_t last_ = 0;
};

/// The kernel and what its descriptor says.
struct Kernel {
  std::vector<Op> ops;
  bool buffer = false, packet = false;  ///< user SGPRs in front of the kernarg segment's address
  bool id_y = false;                    ///< of work-group and work-item
  FloatModes modes;
  isa::Target target = isa::Target::Gfx908;

  /// The ids of a work-item share v0, ten bits each.
  bool packed_ids() const { return target >= isa::Target::Gfx90a; }
  unsigned packet_sgpr() const { return buffer ? 4 : 0; }
  unsigned kernarg_sgpr() const { return packet_sgpr() + (packet ? 2 : 0); }
  unsigned group_sgpr() const { return kernarg_sgpr() + 2; }
};

struct Dispatch {
  std::array<uint32_t, 3> grid{64, 1, 1}, start{};
  std::array<uint16_t, 3> workgroup{64, 1, 1};
  std::vector<uint32_t> arguments;  ///< written to the kernarg segment before it
  std::vector<Op> ops;              ///< if there are any: the kernel's code from now on
  uint64_t unmapped = 0;            ///< a piece of memory that is not there from now on
};

struct Setup {
  uint32_t slice = 2048, resident_waves = 256;
  uint64_t watchdog = 0;
  unsigned threads = 1;
  bool poison = false;
  uint64_t entry = 0, kernarg = 0, packet = 0;
};

struct Expected {
  uint64_t instructions = 0, waves = 0, workgroups = 0;
  uint64_t items = 0, stores = 0;  ///< of lanes
  std::map<std::string, uint64_t> rows;
  bool watchdog = false;
  struct Wild {
    uint64_t wave = 0, pc = 0, address = 0, lanes = 0;
    bool mapped = false;  ///< for another access
  };
  std::optional<Wild> wild;
};

/// Intervals in ascending order, those joined that have at most `gap` bytes between them.
void sort_and_join(std::vector<Interval>& ranges, uint64_t gap);

/// Runs the dispatch on `memory`, which changes. The arguments have to be in it.
Expected evaluate(const Kernel& kernel, const Dispatch& dispatch, const Setup& setup,
                  Memory& memory);

}  // namespace cuvette::golden::plain
