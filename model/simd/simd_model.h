// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/ring.h"
#include "simd/beats.h"
#include "simd/schedule.h"
#include "simd/simd.h"

namespace cuvette::simd {

/// Our implementation of the simd. With the valu `tlm` an instruction is executed on all 64 lanes
/// in the cycle it is accepted and only its retirement takes time; with any other valu operands are
/// collected and go through the valu's channels beat by beat. Results are the same. A valu that is
/// a witness (valu/valu.h) changes nothing.
class SimdModel final : public Simd {
 public:
  /// `device` null, or a witness: instructions are executed whole.
  SimdModel(const Config& config, std::unique_ptr<vrf::Vrf> registers,
            std::unique_ptr<valu::Valu> device);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;
  unsigned issue_cycles(const isa::Instruction& instruction) const override {
    return simd::issue_cycles(config_, instruction);
  }
  uint32_t pipeline_at_issue() const override;
  bool looks_at(const isa::Instruction& instruction) override;
  vrf::Vrf& registers() override;
  Counters counters() const override { return counters_; }

 private:
  void take_fills(machine::Cycle now);
  void take_reads(machine::Cycle now);
  void take_responses(machine::Cycle now);
  void send_beats(machine::Cycle now);
  void accept(machine::Cycle now);
  void send_retires(machine::Cycle now);
  bool on_device(const isa::Instruction& instruction) const;
  void execute(const Issue& issue, machine::Cycle now);
  void show(const Issue& issue, machine::Cycle now);
  bool witness_wants(const isa::Instruction& instruction);
  bool may_accept(const Issue& issue) const;
  void wait(machine::Cycle at, const Retire& beat) {
    Due& due = due_.append();
    due.at = at;
    due.retire = beat;
  }
  bool by_ports() const { return config_.timing == Timing::Ports && device_ == nullptr; }
  void write_fills(machine::Cycle now);
  void tick_ports(machine::Cycle now);

  /// The registers; what is written past the channels comes behind the rows on `fill`.
  class Counted final : public vrf::Vrf {
   public:
    explicit Counted(SimdModel& owner) : owner_(owner) {}
    void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
              wave::LaneRow& out) override {
      owner_.registers_->read(port, now, address, out);
    }
    void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
               const wave::LaneRow& data) override {
      owner_.write_fills(now);
      owner_.registers_->write(port, now, address, lanes, data);
      owner_.schedule_.direct_write(owner_.fill.size());
    }
    wave::VectorFile view(uint16_t base, uint16_t count, uint16_t acc_base,
                          uint16_t acc_count) override {
      return owner_.registers_->view(base, count, acc_base, acc_count);
    }

   private:
    SimdModel& owner_;
  };
  void fall_back(const isa::Row& row) {
    ++counters_.fallbacks;
    ++counters_.fallbacks_by_row[&row];
  }

  struct Due {
    machine::Cycle at = 0;
    Retire retire;
  };

  Config config_;
  std::unique_ptr<vrf::Vrf> registers_;
  std::unique_ptr<valu::Valu> device_;     // null: the fast path
  std::unique_ptr<valu::Valu> spectator_;  // of the fast path, if it has a witness
  bool asked_ = false;                     // the witness wants the next instruction on `issue`
  base::Ring<Beats> under_way_;            // in issue order
  base::Ring<Due> due_;                    // beats waiting for their time or for room
  std::vector<Retire> beats_;
  uint32_t next_request_ = 0;
  machine::Cycle free_at_ = 0;
  machine::Cycle last_retire_ = 0;
  Schedule schedule_;  // this and the next two: by_ports() alone
  size_t filled_ = 0;  // rows on `fill` that are written
  Counted counted_{*this};
  Counters counters_;
};

/// Adds `tlm` to a registry. Its factory gives null when `config.valus` or `config.vrfs` lacks what
/// is asked for; our own, `tlm`, need no registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::simd
