// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/rule_checked.h"
#include "ip/spi/spi_resources.h"
#include "spi/spi.h"

namespace cuvette::ip {

/// Placement checker of an spi (docs/reference/spi.md "A user's device"): sees what crosses its
/// pins, keeps what every compute unit holds, and names the rule that a message breaks. The place
/// of a wave is the device's choice; its registers are those that our spi would have given it
/// there.
class SpiChecker {
 public:
  using Finding = std::optional<Violation>;

  /// Cycles after a cancel, or an error, in which a work-group that is on its way may come:
  /// usually, and where messages of the device are held back.
  static constexpr machine::Cycle kOnTheWay = 64, kOnTheWayStalled = 1024;

  explicit SpiChecker(const spi::Config& config);
  /// Messages of the device are held back.
  void expect_stalls() { on_the_way_ = kOnTheWayStalled; }

  Finding taken(unsigned channel, unsigned port, const spi::Dispatch& dispatch, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const spi::Cancel& cancel, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const spi::Save& save, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const spi::SavedGroup& group, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const spi::WaveDone& done, machine::Cycle now);
  /// True if it is the end of a wave that has been launched on the compute unit and has not ended.
  bool may_end(unsigned unit, const spi::WaveDone& done) const;
  Finding given(unsigned channel, unsigned port, spi::DispatchDone& done, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::SavedGroup& group, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::WaveLaunch& launch, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::WaveCommand& command, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, spi::WaveOrder& order, machine::Cycle now);
  bool busy() const;
  bool owes() const { return !owed().empty(); }
  std::string owed() const;
  Finding conclude() const;
  uint64_t checked() const { return checked_; }

  const spi::Spi::Counters& counters() const { return counters_; }
  void on_dispatch(spi::Spi::OnDispatch observer) { on_dispatch_ = std::move(observer); }

 private:
  /// A dispatch that is under way.
  struct Active {
    spi::DispatchPlan plan;
    bool runs = false;        ///< its sizes, registers, and the work-groups that are to go on exist
    uint64_t next_group = 0;  ///< work-groups before it have started
    std::set<uint64_t> early;  ///< behind it that started in `early_at`
    machine::Cycle early_at = 0;
    std::deque<spi::SavedGroup> restore;
    uint64_t waves = 0;  ///< live
    bool given_up = false, cancelled = false;
    machine::Cycle given_up_at = 0;
    std::optional<spi::Save> save;
    std::set<unsigned> told;     ///< compute units, of the save
    bool lost = false;           ///< a work-group was saved without its LDS
    uint32_t late_error = 0;     ///< of a work-group that is to go on and cannot
    uint64_t late_group = 0;     ///< this one
    std::set<unsigned> to_kill;  ///< compute units that have to be told of the cancel
    spi::DispatchDone done;      ///< by the waves that failed
    uint64_t last_begin = 0;     ///< id of the last wave that the gds was told of
    void give_up(machine::Cycle now) {
      if (!given_up) given_up_at = now;
      given_up = true;
    }
    bool starts_more() const {
      return runs && !given_up && (next_group < plan.workgroups() || !restore.empty());
    }
    /// The next work-group is one that cannot start, so that no other one does.
    bool fails_late() const {
      return late_error != 0 && !restore.empty() && restore.front().group == late_group;
    }
  };
  /// The work-group that a compute unit is being given.
  struct Arriving {
    uint32_t dispatch = 0;
    uint64_t group = 0;
    uint32_t next = 0, waves = 0;  ///< wave, and how many there are; 0: nothing is arriving
    uint16_t which = 0;            ///< bits of those that come
    std::optional<spi::SavedGroup> restored;
  };
  /// A work-group some of whose waves were saved.
  struct SavedWaves {
    uint16_t waves = 0;
    unsigned live = 0;
    bool first = false;  ///< one of them had the LDS
  };

  Active* find(uint32_t dispatch);
  Finding begin_group(Active& active, unsigned unit, const spi::WaveLaunch& w, machine::Cycle now);
  Finding check_where(const Active& active, unsigned unit, const spi::WaveLaunch& w,
                      machine::Cycle now);
  Finding check_values(const Active& active, const Arriving& arriving, const spi::WaveLaunch& w);
  Finding check_scratch(const Active& active, const spi::WaveLaunch& w, uint64_t& place) const;
  Finding check_early(machine::Cycle now);
  Finding check_error(const Active& active, const spi::DispatchDone& done) const;
  Finding check_room(const Active& saving, const spi::Save& save, unsigned unit,
                     const spi::WaveCommand& c) const;
  void check_restored(Active& active) const;
  bool may_use(const spi::CuMask& mask, unsigned unit) const;
  /// The error of a dispatch no work-group of which can ever be placed; 0: it can.
  uint32_t never_placed(const Active& active) const;

  spi::Config config_;
  machine::Cycle on_the_way_ = kOnTheWay;
  std::vector<std::unique_ptr<Active>> active_;  ///< in the order in which they came
  std::map<uint32_t, std::deque<spi::SavedGroup>> restores_;
  std::vector<UnitResources> units_;
  std::vector<Arriving> arriving_;                              ///< by compute unit
  std::map<std::pair<uint32_t, uint64_t>, SavedWaves> groups_;  ///< by dispatch and flattened id
  /// Dispatches of work-groups that are over, by compute unit and key: a command may be on its way.
  std::map<std::pair<unsigned, uint32_t>, uint32_t> gone_;
  std::map<std::pair<unsigned, uint32_t>, uint64_t> kept_;  ///< rooms of those saved before
  /// Groups of the dispatch that ended last: restored and not started again.
  std::map<uint32_t, std::deque<spi::SavedGroup>> left_;
  std::set<uint64_t> begun_, to_end_;  ///< waves: told to the gds; over, and not told yet
  /// A work-group ahead of an earlier dispatch, which may still start its last one in this cycle.
  struct Ahead {
    uint32_t earlier = 0;
    machine::Cycle at = 0;
    Violation violation;
  };
  std::optional<Ahead> ahead_;
  std::set<uint32_t> cancelled_;  ///< ever
  uint64_t checked_ = 0;
  spi::Spi::Counters counters_;
  spi::Spi::OnDispatch on_dispatch_;
};

}  // namespace cuvette::ip
