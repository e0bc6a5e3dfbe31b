// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ip/traffic/requester.h"
#include "spi/spi.h"

namespace cuvette::ip::traffic {

/// Bookkeeping of dispatches that are saved and go on: an area of rooms for each address space, one
/// save at a time in each. It makes requests and the ends of waves that handlers save, and checks
/// beside the lockstep kit that rooms lie apart, that messages name them, and where the last ends.
class SpiSaves {
 public:
  explicit SpiSaves(std::mt19937& random) : random_(random) {}

  /// End of a wave that is told to save itself.
  struct Ending {
    bool saved = false, first = false;
  };
  /// A dispatch that was saved, as it goes on: work-groups and the rest of the grid.
  struct Resumed {
    spi::Dispatch dispatch;
    std::vector<spi::SavedGroup> groups;
  };

  void start(const spi::Dispatch& dispatch) { known_[dispatch.id].dispatch = dispatch; }
  /// A request for a dispatch that is under way; none while another one of its area is served.
  std::optional<spi::Save> request(uint32_t dispatch);
  void launched(unsigned unit, const spi::WaveLaunch& wave);
  /// Waves that end for a command, by id.
  std::map<uint64_t, Ending> told(unsigned unit, const spi::WaveCommand& command);
  void ended(unsigned unit, const spi::WaveLaunch& wave, bool saved);
  void saved(const spi::SavedGroup& group);
  /// Nothing of a dispatch starts any more: those that were to go on need no rooms.
  void given_up(uint32_t dispatch);
  /// The rest of a dispatch that was saved, as dispatch `id`. `spoils`: now and then with something
  /// that no grid has.
  std::optional<Resumed> done(const spi::DispatchDone& done, uint32_t id, bool spoils);

  const std::string& wrong() const { return wrong_; }
  /// Adds the points of saves, reached or not.
  void count(Coverage& all) const;

 private:
  using Key = std::pair<uint32_t, uint64_t>;  ///< dispatch and work-group
  struct Known {
    spi::Dispatch dispatch;
    uint64_t bytes = 0;  ///< of a room, from its first launch on
    bool asked = false, told = false, restored = false;
    std::map<uint64_t, spi::SavedGroup> rest;  ///< saved before, and not started again
    std::vector<spi::SavedGroup> saved;
  };
  struct Resident {
    Key group;
    std::set<uint64_t> waves;      ///< that live, by id
    std::optional<uint64_t> room;  ///< address
    bool before = false;           ///< it was saved before
    bool saved = false;            ///< a wave has been
  };
  struct Room {
    uint64_t begin = 0, end = 0;
  };
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }
  void spoil(Resumed& resumed);
  void take_room(uint8_t vmid, const Key& group, uint64_t address, uint64_t bytes);

  std::mt19937& random_;
  std::map<uint32_t, Known> known_;                          ///< dispatches under way
  std::map<std::pair<unsigned, uint32_t>, Resident> lives_;  ///< by compute unit and key
  std::map<uint8_t, std::map<Key, Room>> rooms_;             ///< in use, by address space
  std::map<Key, uint64_t> room_of_;                          ///< addresses
  std::map<uint8_t, uint32_t> asked_;                        ///< dispatch, by address space
  std::map<uint8_t, uint64_t> reserved_;           ///< ends of rooms of dispatches at rest
  std::map<uint8_t, std::set<uint32_t>> at_rest_;  ///< these
  Coverage points_;
  std::string wrong_;
};

}  // namespace cuvette::ip::traffic
