// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace cuvette::hsail {

/// Finds data races of one dispatch (HSAIL PRM 6.2): two wavefronts access the same bytes of
/// ordinary memory, one of them changes these, not both by atomics, and nothing orders the two.
///
/// A reported race is one in the order in which the interpreter went. Ordering is assumed
/// generously, so that races may be missed: a barrier or fbarrier orders its whole work-group; a
/// release orders what its wavefront did before it with what any wavefront does behind a later
/// acquire, whatever the scopes and addresses. Lanes of one wavefront are in order, but for stores
/// of different bytes by one instruction. Memory is watched in words of 4 bytes, each with its last
/// store and last two readers, kMostLines times 64 bytes of it.
class RaceWatch {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;          ///< no race, no wavefront
  static constexpr uint32_t kOwnLanes = UINT32_MAX - 1;  ///< lanes of the instruction itself
  static constexpr uint32_t kGlobal = UINT32_MAX;        ///< space of global memory
  static constexpr size_t kMostLines = size_t{1} << 19;  ///< of 64 bytes

  /// Wavefronts and work-groups are numbered over the whole dispatch, instructions in the program.
  struct Access {
    uint32_t wave = 0, group = 0, instruction = 0;
    bool changes = false, atomic = false;  ///< `changes`: a store or an atomic
  };

  /// A lane accesses some bytes of global memory or of its work-group's (`space`: kGlobal or the
  /// group). `data`: of an ordinary store. The instruction of another access that races with this
  /// one, kOwnLanes, or kNone.
  uint32_t access(const Access& access, uint32_t space, uint64_t address, unsigned bytes,
                  const uint8_t* data);
  /// The lanes of an instruction begin.
  void begin_instruction() { own_stores_.clear(); }

  /// Wavefront `wave` of `group` executes a release, an acquire; behind the accesses of the
  /// instruction.
  void release(uint32_t wave, uint32_t group);
  void acquire(uint32_t wave, uint32_t group);
  void synchronize(uint32_t group);  ///< a barrier
  void end_group(uint32_t group);    ///< its group memory goes
  /// True if memory was accessed that could not be watched.
  bool overflowed() const { return overflowed_; }

 private:
  struct Record {
    uint32_t wave = kNone, group = 0, instruction = 0;
    uint32_t phase = 0, releases = 0;  ///< of the group, of the wavefront, when it was
    uint8_t mask = 0;                  ///< bytes of the word
    bool atomic = false;
  };
  struct Word {
    Record store;
    std::array<Record, 2> loads;  ///< of different wavefronts, since the store
  };
  using Line = std::array<Word, 16>;
  struct WaveClock {
    std::vector<uint64_t> releases;  ///< times
    uint64_t acquired = 0;           ///< time of the last one, 0: none
  };
  struct GroupClock {
    std::vector<uint64_t> first_release = {0};  ///< by phase; 0: none
    uint64_t acquired = 0;                      ///< by any wavefront before this phase
    uint64_t acquiring = 0;                     ///< by any wavefront so far
  };

  bool ordered(const Record& before, const Access& now);
  bool races(const Record& before, const Access& now, uint8_t mask);
  void note(Word& word, const Access& access, uint8_t mask);
  Line* line_at(uint32_t space, uint64_t line);
  uint32_t collision(uint32_t space, uint64_t address, unsigned bytes, const uint8_t* data);

  std::map<uint32_t, std::unordered_map<uint64_t, Line>> lines_;  ///< by space
  size_t line_count_ = 0;
  bool overflowed_ = false;
  std::unordered_map<uint32_t, WaveClock> waves_;
  std::unordered_map<uint32_t, GroupClock> groups_;
  /// Bytes that this instruction stored, by space and address.
  std::map<uint32_t, std::unordered_map<uint64_t, uint8_t>> own_stores_;
  uint64_t now_ = 0;
};

}  // namespace cuvette::hsail
