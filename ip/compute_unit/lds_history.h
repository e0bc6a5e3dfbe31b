// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wave/retire_record.h"

namespace cuvette::ip {

/// Coherence checker of the LDS of one work-group. It sees the accesses of its waves in the order
/// in which they retire, and keeps the values that each byte has had. A load may return
///
///   - what another wave has stored, until a barrier lies between them: then nothing older than
///   what
///     had retired before it;
///   - nothing older than the wave's own last store to the byte before it in program order;
///   - a store that retires after the load, before the next barrier or the end of the waves.
///
/// Atomics without return leave bytes of any value, for their order is the device's.
class LdsHistory {
 public:
  explicit LdsHistory(uint32_t bytes) : bytes_(bytes) {}

  /// Records an access of the instruction `order` of a wave. The result describes an error; empty:
  /// none is known.
  std::string access(uint64_t wave, uint64_t order, const wave::MemoryAccess& access);
  /// All waves have arrived at a barrier: `order` of the wave's.
  void arrive(uint64_t wave, uint64_t order);
  /// The waves go on. The result describes a value that no store explains; empty: none.
  std::string release();
  /// The last wave is over.
  std::string end() { return explain(); }

 private:
  struct Version {
    uint64_t stamp = 0;  ///< ascending, of all bytes
    uint8_t value = 0;
    bool any = false;  ///< of an atomic: not known
  };
  struct Own {
    uint64_t order = 0, stamp = 0;
  };
  /// A value that no version had when it was loaded.
  struct Open {
    uint64_t wave = 0, order = 0, stamp = 0;
    uint32_t address = 0;
    uint8_t value = 0;
  };
  struct Waits {
    uint64_t order = 0;  ///< of the barrier
    uint64_t stamp = 0;  ///< versions up to it have retired before the release
  };

  bool may_see(uint32_t address, uint64_t floor, uint8_t value) const;
  uint64_t floor_of(uint64_t wave, uint64_t order, uint32_t address) const;
  std::string explain();

  uint32_t bytes_;
  uint64_t stamp_ = 0;
  std::map<uint32_t, std::vector<Version>> versions_;  ///< by byte; it begins as 0
  std::map<std::pair<uint64_t, uint32_t>, Own> own_;   ///< by wave and byte: the last store
  std::map<uint64_t, uint64_t> arrived_;               ///< order of the barrier, by wave
  std::map<uint64_t, std::vector<Waits>> barriers_;    ///< by wave, the last ones
  std::vector<Open> open_;
};

}  // namespace cuvette::ip
