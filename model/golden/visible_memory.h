// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/address_ranges.h"
#include "base/atomic_op.h"
#include "hsa/memory.h"

namespace cuvette::golden {

/// Global memory as a device under test may see it: the contents before the run, a coherence log of
/// stores and atomics, and, per wave, stores that have no place in the log yet.
///
/// Rules. Positions in the log only grow. A wave that loads a byte may see its state at any
/// position of the log up to the last one declared when the load was observed, but
///   - not before a store of its own to that byte, which it sees even without a place in the log,
///   - not before a state of that byte it has seen already (coherence),
///   - not before its last invalidation of the cache concerned,
/// and the bytes of an aligned dword are seen at one position (no tearing inside a dword), stores
/// of its own laid over them. Vector loads, scalar loads and fetches of instructions of a wave go
/// through different caches: what one has stored or seen says nothing about the others.
class VisibleMemory {
 public:
  enum class Cache : uint8_t { Vector, Scalar, Instruction };

  /// Contents before the run. Ranges may meet and overlap; later calls win.
  base::Status load(uint64_t address, const void* bytes, size_t count);
  /// The same with zeros; they take memory and time only where something else was before.
  base::Status load_zeros(uint64_t address, uint64_t count);
  /// For fetching instructions and reading contents before the run.
  const hsa::DeviceMemory& initial() const { return initial_; }
  /// Sets the addresses of the functions of a loaded object.
  void name_code(const hsa::CodeRanges& code);
  bool exists(uint64_t address, unsigned bytes) const;

  /// Identity of a store or atomic: the wave, its issue index there, the lane.
  struct Name {
    uint64_t wave = 0, order = 0;
    uint8_t lane = 0;
    auto operator<=>(const Name&) const = default;
  };
  struct Write {
    Name name;
    Cache cache = Cache::Vector;
    uint64_t address = 0;
    unsigned bytes = 0;
    uint8_t data[16] = {};
    bool atomic = false;
    base::AtomicOp op = base::AtomicOp::Swap;
    uint64_t operand = 0, compare = 0;
    bool flush_subnormals = true;  ///< of float atomics
  };
  /// Declares the place of a write, executed or not. Empty, or what is wrong.
  std::string declare(const Name& name, uint64_t serial);
  /// Executes a write. `old`: what an atomic returns, null when it returns nothing; then the atomic
  /// must have been declared. Empty, or what is wrong.
  std::string write(const Write& write, uint64_t* old);
  uint64_t last_serial() const { return last_serial_; }
  /// True if a write to one of the bytes has a place in the log.
  bool changed(uint64_t address, unsigned bytes) const;
  /// True if a write of this name was executed.
  bool executed(const Name& name) const;
  /// The first of a wave that has a place and was not executed.
  std::optional<Name> first_declared(uint64_t wave) const;

  struct LoadResult {
    unsigned candidates = 0;  ///< values that were legal for the hardest dword
    std::string wrong;        ///< empty when accepted
  };
  /// Checks `data` as loaded by a wave when `upper` was the last serial declared; with `observed`
  /// false, fills `data` when there is only one legal value.
  LoadResult load(uint64_t wave, Cache cache, uint64_t upper, uint64_t address, unsigned bytes,
                  bool observed, uint8_t* data);
  /// Later loads of the wave through this cache see at least the state at `serial`.
  void invalidate(uint64_t wave, Cache cache, uint64_t serial);

 private:
  struct Version {
    uint64_t serial = 0;
    uint8_t value = 0;
    bool from_atomic = false;
  };
  struct View {
    uint64_t floor = 0;                              // after an invalidation
    std::unordered_map<uint64_t, uint64_t> by_byte;  // serial that the byte is seen at least at
  };
  struct Waiting {
    Write write;
    uint64_t number = 0;  // program order across waves' executions
  };
  struct Overlay {
    bool present = false, atomic = false;
    uint8_t value = 0;
  };

  base::Status reserve(uint64_t address, uint64_t count);
  uint8_t value_at(uint64_t address, uint64_t serial) const;
  uint8_t initial_byte(uint64_t address) const;
  /// Bytes that instructions of the wave before number `end` still have to write there.
  Overlay overlay(uint64_t wave, Cache cache, uint64_t address, uint64_t end = UINT64_MAX) const;
  uint64_t floor_of(const View& view, uint64_t address) const;
  std::string place(const Write& write, uint64_t serial, uint64_t* old);
  std::string insert(const Write& write, uint64_t serial, const uint8_t* data);
  LoadResult load_part(uint64_t wave, Cache cache, uint64_t upper, uint64_t address, unsigned bytes,
                       bool observed, uint8_t* data);

  base::AddressRanges mapped_, backed_;  // of initial_: bytes that exist, pages of its backing
  hsa::DeviceMemory initial_{
      std::make_unique<hsa::SparseMemory>(), std::make_unique<hsa::AddressSpace>(), {}};
  std::unordered_map<uint64_t, std::vector<Version>> versions_;  // by byte, serials ascending
  std::map<std::pair<uint64_t, Cache>, View> views_;
  std::multimap<Name, Waiting> waiting_;  // executed, no place yet
  std::map<Name, uint64_t> declared_;     // place known, not executed
  std::map<Name, uint64_t> places_;       // both: further pieces of the same lane
  uint64_t last_serial_ = 0, number_ = 0;
};

}  // namespace cuvette::golden
