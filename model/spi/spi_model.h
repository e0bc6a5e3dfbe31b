// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/index_set.h"
#include "base/occupancy.h"
#include "base/result.h"
#include "spi/initial_state.h"
#include "spi/placement_names.h"
#include "spi/range_allocator.h"
#include "spi/spi.h"

namespace cuvette::spi {

/// Picks the compute unit for the next work-group.
class Placement {
 public:
  virtual ~Placement() = default;
  /// First place to try: called once per work-group with the place that was used last, and the
  /// waves that each place has. Places are the compute units, one of each shader engine in turn.
  virtual unsigned first(unsigned last_used, const std::vector<unsigned>& waves) const = 0;
};
/// "round_robin", "first_fit" or "least_loaded". Error: no such policy, with the names there are.
base::Result<std::unique_ptr<Placement>> make_placement(const std::string& name);

/// Bytes that the trap handler of a wave may fill: its vector registers, then kScalarRoom. And all
/// of a work-group: its waves and its LDS, in kRoomGranule.
uint32_t wave_bytes(const DispatchPlan& plan);
uint64_t room_bytes(const DispatchPlan& plan);
/// Makes of the initial state of a wave that of one whose trap handler has saved it.
void restore_wave(WaveLaunch& wave, const SavedGroup& saved_group, const DispatchPlan& plan);

inline constexpr uint32_t kSgprGranule = 16;  ///< as COMPUTE_PGM_RSRC1 counts them on gfx9

/// Our implementation of the spi contract.
class SpiModel final : public Spi {
 public:
  explicit SpiModel(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned compute_units() const override { return static_cast<unsigned>(units_.size()); }
  ComputeUnitPort& compute_unit(unsigned index) override { return units_[index]->port; }
  void take_sent(std::vector<unsigned>& units) override;
  Counters counters() const override { return counters_; }
  std::optional<Detail> detail(machine::Cycle now) const override;
  bool on_dispatch(OnDispatch observer) override {
    on_dispatch_ = std::move(observer);
    return true;
  }

 private:
  struct Simd {
    explicit Simd(const Config& config)
        : vgprs(config.vgpr_rows, config.vgpr_granule),
          acc(config.acc_rows, config.vgpr_granule),
          sgprs(config.sgprs_per_simd, kSgprGranule),
          slots(config.slots) {}
    RangeAllocator vgprs, acc, sgprs;
    base::IndexSet slots;  // with a wave
    unsigned waves = 0;
  };
  struct Group {
    uint32_t key = 0;    // WaveLaunch::workgroup
    uint32_t order = 0;  // lowest that was free on the compute unit: rooms are given in this order
    uint32_t lds_base = 0, lds_bytes = 0;
    unsigned waves = 0;
    uint64_t number = 0;  // flattened id
    uint32_t dispatch = 0;
    uint8_t vmid = 0;
    // Room in which it is saved, or was: others may not have that room as long as it lives.
    uint64_t room = 0, room_end = 0;
    uint16_t place = 0;
    uint16_t saved = 0;  // its waves that have been
    bool first_is_saved = false;
  };
  struct Held {          // resources of one wave, with the names that WaveLaunch has for them
    uint64_t wave = 0;   // its id
    uint32_t group = 0;  // key of its work-group
    uint8_t simd = 0, slot = 0;
    uint16_t vgpr_base = 0, vgpr_count = 0, acc_base = 0, acc_count = 0;
    uint16_t sgpr_base = 0, sgpr_count = 0;
  };
  struct ScratchPlace {  // of waves that share memory
    uint8_t vmid = 0;
    uint64_t base = 0;
    uint64_t number = 0;
    bool operator<(const ScratchPlace& o) const {
      return std::tie(vmid, base, number) < std::tie(o.vmid, o.base, o.number);
    }
  };
  struct Unit {
    Unit(const Config& config);
    Group& group(uint32_t key);
    void drop_group(uint32_t key);
    ComputeUnitPort port;
    std::vector<Simd> simds;
    RangeAllocator lds;
    // A few at most, in no order.
    std::vector<Group> groups;
    std::vector<Held> held;
    base::IndexSet orders;  // Group::order of all of them
    machine::Cycle next_launch = 0;
    machine::Cycle last_launch = 0;      // of the last work-group,
    uint32_t launched = 0;               // of this dispatch
    unsigned engine = 0, in_engine = 0;  // its shader engine, its number there
    unsigned place = 0;                  // in the order in which they are tried
  };
  struct Active {
    DispatchPlan plan;
    uint64_t next_group = 0;
    uint64_t waves_out = 0;
    machine::Cycle ready = 0;  // from then on its work-groups are placed
    // By compute unit: what it lacked for a work-group of so many waves. Only where a search takes
    // time. Smaller ones are tried there behind `next_search`.
    std::vector<std::optional<Resource>> failed;
    size_t failed_waves = 0;
    machine::Cycle next_search = 0;
    bool masked = false;  // not every compute unit is in its mask
    bool saving = false;  // nothing starts any more
    bool any_saved = false;
    bool unfinished = false;  // it was saved before all of its work-groups had started
    bool moved = false;       // a wave has another place in scratch memory than its number
    bool given_up = false;
    // Search for its next work-group, of a dispatch that was saved: from `asks` on, when that is
    // not kNever; it is placed from `found` on.
    machine::Cycle asks = machine::kNever, found = 0;
    bool telling = false;                // of work-groups that have not started again
    std::optional<machine::Cycle> told;  // of the last work-group that is saved
    uint32_t save_end = 0;
    std::deque<SavedGroup> restore;  // work-groups that were saved come first
    DispatchDone done;

    bool waits() const { return !saving && (next_group < plan.workgroups() || !restore.empty()); }
    void give_up() {  // the rest never starts
      next_group = plan.workgroups();
      restore.clear();
      saving = false;
      given_up = true;
    }
  };
  struct Room {
    uint64_t begin = 0, end = 0;
  };
  /// Request to save a dispatch: rooms are looked for until a cycle in which that is decided.
  struct Search {
    Save request;
    machine::Cycle next = 0;  // the last search for a compute unit is over, or the decision
    bool looks = false;       // rooms are looked for
  };
  enum class Attempt : uint8_t {
    Placed,
    Busy,   // a compute unit is being given waves, and no other has room
    Full,   // until a wave ends
    Never,  // its compute units are empty, or it has none
  };

  void take_dispatches(machine::Cycle now);
  std::unique_ptr<Active> spare_for(const Dispatch& dispatch);
  void take_cancels(machine::Cycle now);
  void take_saves(machine::Cycle now);
  void search(machine::Cycle now);
  bool may_save(const Save& request, const Active& active);
  bool find_rooms(const Save& save, const Active& active);
  void give_rooms(const Save& save, const Active& active);
  void save_waves(Active& active, machine::Cycle now);
  void tell_saved(const Group& group, Active& active, machine::Cycle now);
  bool tell_rest(Active& active, machine::Cycle now);
  void tell_room(Active& active, uint16_t place);
  bool find_next(Active& active, machine::Cycle now);
  bool check_restored(Active& active);
  Active* find(uint32_t id);  ///< of a dispatch
  bool is_frozen(machine::Cycle now) const { return search_.has_value() || now < frozen_until_; }
  template <class Act>
  void for_groups_of(const Active& active, Act act);
  void take_done(machine::Cycle now);
  void place(machine::Cycle now);
  Attempt place_next(Active& active, machine::Cycle now);
  bool place_group(Active& active, unsigned unit, machine::Cycle now);
  void forget_failures(Active& active);
  bool find_scratch(const Active& active);
  void take_scratch(Active& active);
  void give_scratch(uint64_t wave);
  bool may_use(const Active& active, unsigned unit) const;
  void claim(const Active& active);
  /// Resources for every wave of `found_room_`, a work-group, on one compute unit, or none at all.
  bool allocate(Unit& unit, const DispatchPlan& plan);
  bool allocate_wave(Unit& unit, const DispatchPlan& plan, Held& wave);
  /// The work-group, as it is with its last wave; null as long as others are there.
  const Group* release(Unit& unit, uint64_t wave);
  /// The first cycle from `from` on in which an engine launches nothing yet; taken.
  machine::Cycle launch_slot(unsigned engine, machine::Cycle from, machine::Cycle now);
  void wait_for(Resource resource, machine::Cycle now);
  void end_wait(machine::Cycle now);
  void finish(machine::Cycle now);

  Config config_;
  std::unique_ptr<Placement> placement_;
  std::vector<std::unique_ptr<Unit>> units_;
  base::IndexSet holding_;  // units with waves: WaveDone comes from no other
  base::IndexSet sent_;     // for take_sent()
  // Buffers of one call, kept for their storage.
  std::vector<Held> found_room_;  // of the next work-group
  std::vector<WaveLaunch> waves_;
  std::vector<unsigned> order_;
  std::vector<uint64_t> scratch_places_;  // of the next work-group, by wave
  std::vector<unsigned> places_;          // compute units in the order they are tried
  std::vector<unsigned> waves_at_;        // that each of these has
  struct Engine {
    std::vector<machine::Cycle> launches;  // cycles to come in which it launches a wave, ascending
    machine::Cycle next_search = 0;
    machine::Cycle told = 0;  // the gds of the last wave
  };
  std::vector<Engine> engines_;
  machine::Cycle now_ = 0;
  machine::Cycle setup_free_ = 0;                // the next dispatch is taken
  std::vector<std::unique_ptr<Active>> active_;  // by priority, then as they came
  std::vector<std::unique_ptr<Active>> spare_;   // over; their plans may serve again
  std::vector<bool> claimed_;  // compute units that an earlier dispatch waits for, in place()
  unsigned last_place_;
  std::map<uint32_t, std::deque<SavedGroup>> restores_;  // by dispatch, until it comes
  std::optional<Search> search_;                         // for rooms
  machine::Cycle frozen_until_ = 0;                      // nothing is placed, after a search
  machine::Cycle seek_free_ = 0;     // the next work-group of a saved dispatch is looked for
  std::vector<Room> rooms_;          // of one call, kept for its storage
  std::vector<uint64_t> found_;      // rooms that the last search has found,
  machine::Cycle found_cycles_ = 0;  // and its time
  uint32_t waves_here_ = 0;          // of the next work-group
  Group last_;                       // for release()
  std::set<ScratchPlace> scratch_;   // taken
  std::map<uint64_t, ScratchPlace> scratch_of_;  // by WaveLaunch::id
  uint32_t searched_ = 0;                        // waves that the last search for room was for
  uint32_t next_group_key_ = 0;
  bool blocked_ = false;                // nothing fits until a wave ends
  Resource lacking_ = Resource::Slots;  // resource that the last allocation lacked
  Resource waits_for_ = Resource::Launch;
  machine::Cycle waits_since_ = machine::kNever;
  Counters counters_;
  base::Occupancy dispatches_;                          // under way
  std::vector<base::Occupancy> waves_in_engine_;        // by shader engine
  std::vector<uint64_t> saved_waves_, restored_waves_;  // by shader engine
  OnDispatch on_dispatch_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::spi
