// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// rtl/spi at its pins, judged by the rules of the page, with waves that end when they are told to.
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "Vspi_rtl.h"
#include "ip/dut_spi.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/spi/spi_rtl.h"
#include "ip/traffic/spi_traffic.h"
#include "ip/traffic/stalling_pins.h"

namespace cuvette {

using ip::traffic::StallingPins;
using machine::Cycle;
using spi::Config;
using spi::Dispatch;
using Traffic = ip::traffic::SpiTraffic;

/// Sets the inputs that say what machine is around the RTL.
inline void strap(Vspi_rtl& pins, const Config& config) {
  const auto straps = ip::spi_straps(config);
  const std::map<std::string_view, uint32_t> values(straps.begin(), straps.end());
  pins.target_i = values.at("target_i");
  pins.units_i = values.at("units_i");
  pins.per_engine_i = values.at("per_engine_i");
  pins.simds_i = values.at("simds_i");
  pins.slots_i = values.at("slots_i");
  pins.row_shift_i = values.at("row_shift_i");
  pins.rows_i = values.at("rows_i");
  pins.acc_i = values.at("acc_i");
  pins.sgprs_i = values.at("sgprs_i");
  pins.lds_shift_i = values.at("lds_shift_i");
  pins.lds_i = values.at("lds_i");
  pins.launch_cycles_i = values.at("launch_cycles_i");
  pins.placement_i = values.at("placement_i");
}

/// The RTL with assertions and random start values, its handshakes watched.
inline std::unique_ptr<ip::PinDevice> device(const Config& config, uint64_t seed,
                                             uint32_t stalls = 0) {
  using Device = ip::VerilatedDevice<Vspi_rtl, ip::dut::SpiPorts<Vspi_rtl, ip::kSpiUnits>, false>;
  auto whole = std::make_unique<Device>(seed, ip::pin_channels(spi::kChannels, ip::kSpiUnits),
                                        [config](Vspi_rtl& pins) { strap(pins, config); });
  const auto pins = ip::pin_channels(spi::kChannels, config.compute_units);
  std::unique_ptr<ip::PinDevice> made = std::make_unique<ip::PinMonitor>(
      ip::of_first_ports(std::move(whole), spi::kChannels, ip::kSpiUnits, config.compute_units),
      pins, 0);
  if (stalls != 0) made = std::make_unique<StallingPins>(std::move(made), pins, stalls, true);
  return made;
}

/// Compute unit of each target (config/*.yaml).
inline Config machine_of(isa::Target target, unsigned units) {
  Config c;
  c.target = target;
  c.compute_units = units;
  c.launch_cycles = 4;
  if (target != isa::Target::Gfx908) c.acc_rows = 0;
  if (isa::unified_vgprs(target)) c.vgpr_rows = 512, c.vgpr_granule = 8, c.slots = 8;
  return c;
}

/// A work-group of one wave for each place.
inline Dispatch dispatch(uint32_t id, uint32_t groups, uint16_t size = 64) {
  Dispatch d;
  d.id = id;
  d.grid = {groups * size, 1, 1};
  d.workgroup = {size, 1, 1};
  d.rsrc1 = 3;  // 16 VGPRs
  return d;
}

/// The block by hand: waves end when they are told to.
class Bench {
 public:
  explicit Bench(const Config& config, uint32_t stalls = 0)
      : config_(config), seat_(device(config, 1, stalls), config, {}, {}) {}

  void run(unsigned cycles) {
    for (const Cycle end = now_ + cycles; now_ < end; ++now_) {
      seat_.tick(now_);
      for (unsigned u = 0; u < config_.compute_units; ++u) {
        auto& port = seat_.compute_unit(u);
        while (port.launch.front(now_) != nullptr) {
          launches.push_back({u, now_, port.launch.pop(now_)});
        }
        while (port.command.front(now_) != nullptr) {
          commands.push_back(port.command.pop(now_));
          told.push_back(now_);
          told_units.push_back(u);
        }
      }
      while (seat_.dispatch_done.front(now_) != nullptr) {
        done.push_back(seat_.dispatch_done.pop(now_));
        ended.push_back(now_);
      }
      while (seat_.saved.front(now_) != nullptr) saved.push_back(seat_.saved.pop(now_));
      while (seat_.wave_order.front(now_) != nullptr) seat_.wave_order.drop(now_);
    }
    ASSERT_FALSE(seat_.kit().mismatch()) << seat_.kit().mismatch()->report;
  }
  /// Ends a wave by its number among the launches.
  void end(size_t launch, bool is_saved = false, bool first = false) {
    const auto& [unit, at, w] = launches.at(launch);
    WaveDone over;
    over.id = w.id, over.simd = w.simd, over.slot = w.slot;
    over.dispatch = w.dispatch, over.workgroup = w.workgroup;
    over.saved = is_saved, over.first = first;
    seat_.compute_unit(unit).done.push(over, now_);
  }
  std::vector<unsigned> units() const {
    std::vector<unsigned> all;
    for (const auto& launch : launches) all.push_back(launch.unit);
    return all;
  }
  ip::SpiSeat& seat() { return seat_; }
  Cycle now() const { return now_; }

  using WaveDone = spi::WaveDone;
  std::vector<Traffic::Launched> launches;
  std::vector<spi::WaveCommand> commands;
  std::vector<spi::DispatchDone> done;
  std::vector<spi::SavedGroup> saved;
  std::vector<Cycle> told, ended;    ///< times of commands and of ends
  std::vector<unsigned> told_units;  ///< compute units of commands

 private:
  Config config_;
  ip::SpiSeat seat_;
  Cycle now_ = 1;
};

}  // namespace cuvette
