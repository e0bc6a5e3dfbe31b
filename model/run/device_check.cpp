// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/device_check.h"

#include <memory>
#include <utility>

#include "gpu/configs.h"
#include "hsa/memory.h"
#include "ip/cache/cache_rtl.h"
#include "ip/crossbar/crossbar_rtl.h"
#include "ip/crossbar/crossbar_seat.h"
#include "ip/dut_library.h"
#include "ip/gds/gds_rtl.h"
#include "ip/gds/gds_seat.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/memory/memory_rtl.h"
#include "ip/memory/memory_seat.h"
#include "ip/rtl_module.h"
#include "ip/spi/spi_rtl.h"
#include "ip/traffic/cache_traffic.h"
#include "ip/traffic/checked_crossbar.h"
#include "ip/traffic/crossbar_traffic.h"
#include "ip/traffic/gds_traffic.h"
#include "ip/traffic/lds_traffic.h"
#include "ip/traffic/memory_traffic.h"
#include "ip/traffic/spi_traffic.h"
#include "ip/traffic/stalling_pins.h"
#include "run/chosen_device.h"
#include "wave/memory/share_access.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using Pins = std::unique_ptr<ip::PinDevice>;

/// A check under way: the machine, its target and what is asked.
struct Request {
  const machine::GpuConfig& machine;
  isa::Target target;
  const DeviceCheckOptions& options;
};

/// The device on its pins, its handshakes watched. `own`: makes the checking build of our RTL with
/// these pins, or says why there is none for the machine.
template <size_t kChannels, class Own>
Result<Pins> device_for(const Request& r, const char* contract, const std::string& role,
                        const contract::ChannelInfo (&channels)[kChannels],
                        const contract::PortCounts& ports, bool waits_for_others, Own&& own) {
  const auto pins = ip::pin_channels(channels, ports);
  Pins device;
  if (r.options.library.empty()) {
    if (auto s = ip::check_rtl(r.options.block); !s.ok()) return s.error();
    auto made = own();
    if (!made) return r.machine.error("name", r.options.block + ": " + made.error().what);
    device = std::move(*made);
  } else {
    auto library =
        ip::DutLibrary::load(r.options.library, contract, ip::dut_channels(channels, ports), role);
    if (!library) return library.error();
    if (auto s = (*library)->check_target(r.target); !s.ok()) return s.error();
    device = ip::make_dut<ip::ModuleDevice>(*library, r.target, r.options.seed);
    if (device == nullptr) return Error("the module makes no device", {r.options.library});
    waits_for_others = false;
  }
  if (!r.options.wave.empty()) {
    if (auto s = device->trace(r.options.wave); !s.ok()) return s.error();
  }
  device = std::make_unique<ip::PinMonitor>(std::move(device), pins,
                                            waits_for_others ? 0 : ip::ready_within(pins));
  if (r.options.stalls) {
    device = std::make_unique<ip::traffic::StallingPins>(std::move(device), pins, r.options.seed);
  }
  return device;
}

template <class Seat>
DeviceCheck drive(const Request& r, Seat& seat, ip::traffic::Requester& requester) {
  const auto driven = ip::traffic::drive(seat, requester);
  DeviceCheck out;
  out.device = r.options.library.empty() ? "our RTL" : r.options.library;
  out.done = driven.done;
  out.cycles = driven.end;
  out.answers = requester.answers();
  out.coverage = requester.coverage();
  out.wrong = requester.wrong();
  out.compared = seat.kit().compared();
  out.items = seat.kit().items();
  out.mismatch = seat.kit().mismatch();
  return out;
}

template <cache::Role kRole>
Result<DeviceCheck> check_cache(const Request& r) {
  const cache::Config config = gpu::cache_config(r.machine, kRole);
  const auto own = [&]() -> Result<Pins> {
    if (const auto refused = ip::refuse_cache(config); !refused.empty()) return Error(refused);
    return ip::of_first_ports(
        r.options.fast ? ip::make_cache_fast(kRole) : ip::make_cache_check(kRole, r.options.seed),
        cache::kChannels, ip::cache_build(kRole).up_ports, config.up_ports);
  };
  auto device =
      device_for(r, "cache", cache::name_of(kRole), cache::kChannels, config.up_ports, false, own);
  if (!device) return device.error();
  ip::CacheSeat seat(std::move(*device), config, {}, {});
  ip::traffic::CacheTraffic::Options options;
  options.requests = r.options.requests;
  options.seed = r.options.seed;
  options.shared = r.options.seed % 2 == 0;
  ip::traffic::CacheTraffic traffic(seat, config, options);
  return drive(r, seat, traffic);
}

Result<DeviceCheck> check_crossbar(const Request& r) {
  crossbar::Config config = gpu::crossbar_config(r.machine);
  config.seed = r.options.seed;
  const contract::PortCounts ports = {config.sources, config.slices};
  const auto own = [&]() -> Result<Pins> {
    if (const auto refused = ip::refuse_crossbar(config); !refused.empty()) return Error(refused);
    return r.options.fast ? ip::make_crossbar_fast(config) : ip::make_crossbar_check(config);
  };
  auto device = device_for(r, "crossbar", {}, crossbar::kChannels, ports, false, own);
  if (!device) return device.error();
  const ip::traffic::CrossbarTraffic::Options options = {r.options.requests, r.options.seed};
  if (!r.options.library.empty()) {
    // Of a device of other latencies no model tells the order in which sources meet at a slice.
    ip::traffic::CheckedCrossbar seat(std::move(*device), config, {}, {});
    ip::traffic::CrossbarTraffic traffic(seat, config, options);
    return drive(r, seat, traffic);
  }
  ip::CrossbarSeat seat(std::move(*device), config, {}, {});
  ip::traffic::CrossbarTraffic traffic(seat, config, options);
  return drive(r, seat, traffic);
}

Result<DeviceCheck> check_gds(const Request& r) {
  const gds::Config config = gpu::gds_config(r.machine, r.target);
  const uint32_t bytes = wave::gds_bytes(r.target);
  const auto own = [&]() -> Result<Pins> {
    const auto refused = ip::refuse_gds_units(config.compute_units);
    if (!refused.empty()) return Error(refused);
    const unsigned units = config.compute_units;
    return r.options.fast ? ip::make_gds_fast(units, bytes)
                          : ip::make_gds_check(units, bytes, r.options.seed);
  };
  auto device = device_for(r, "gds", {}, gds::kChannels, config.compute_units, true, own);
  if (!device) return device.error();
  ip::GdsSeat seat(std::move(*device), config, {}, {});
  ip::traffic::GdsTraffic traffic(seat, r.options.seed, r.options.requests, bytes != 0);
  return drive(r, seat, traffic);
}

Result<DeviceCheck> check_lds(const Request& r) {
  const auto own = [&]() -> Result<Pins> {
    return r.options.fast ? ip::make_lds_fast() : ip::make_lds_check(r.options.seed);
  };
  auto device = device_for(r, "lds", {}, lds::kChannels, {}, false, own);
  if (!device) return device.error();
  lds::Config config;
  config.latency_cycles = r.machine.compute_unit.lds_latency_cycles;
  ip::LdsLockstep seat(std::move(*device), config, {}, {});
  ip::traffic::LdsTraffic traffic(seat, r.target, {r.options.requests, r.options.seed});
  return drive(r, seat, traffic);
}

Result<DeviceCheck> check_memory(const Request& r) {
  constexpr uint64_t kBase = uint64_t{1} << 32, kBytesOfPort = 1 << 17;
  memory::Config config;
  config.ports = r.machine.l2.slices;
  config.latency_cycles = r.machine.memory.latency_cycles;
  config.cycles_per_block = r.machine.memory.cycles_per_block;
  hsa::SparseMemory backing;
  const ip::traffic::MemoryMap map{kBase, kBytesOfPort * config.ports, config.ports,
                                   r.machine.l2.interleave_bytes};
  if (auto s = backing.reserve(map.base, map.bytes); !s.ok()) return s.error();
  config.backing = &backing;
  const auto own = [&]() -> Result<Pins> {
    if (const auto refused = ip::refuse_memory(config); !refused.empty()) return Error(refused);
    return r.options.fast ? ip::make_memory_fast() : ip::make_memory_check(r.options.seed);
  };
  auto device = device_for(r, "memory", {}, memory::kChannels, config.ports, false, own);
  if (!device) return device.error();
  ip::MemorySeat seat(std::move(*device), config, {}, {});
  ip::traffic::MemoryTraffic traffic(seat, map, {r.options.requests, r.options.seed});
  return drive(r, seat, traffic);
}

Result<DeviceCheck> check_spi(const Request& r) {
  const auto made = gpu::spi_config(r.machine, r.target, false);
  if (!made) return made.error();
  const spi::Config& config = *made;
  const auto own = [&]() -> Result<Pins> {
    if (const auto refused = ip::refuse_spi(config); !refused.empty()) return Error(refused);
    return r.options.fast ? ip::make_spi_fast(config) : ip::make_spi_check(config, r.options.seed);
  };
  auto device = device_for(r, "spi", {}, spi::kChannels, config.compute_units, true, own);
  if (!device) return device.error();
  ip::SpiSeat seat(std::move(*device), config, {}, {});
  if (r.options.stalls) seat.checker().expect_stalls();
  ip::traffic::SpiTraffic::Options options;
  options.seed = r.options.seed;
  options.dispatches = r.options.requests;
  options.priorities = options.huge = r.options.seed % 2 == 0;
  ip::traffic::SpiTraffic traffic(seat, config, options);
  return drive(r, seat, traffic);
}

using Check = Result<DeviceCheck> (*)(const Request&);

const std::map<std::string, Check>& checks() {
  using cache::Role;
  static const std::map<std::string, Check> all = {
      {"crossbar", check_crossbar},
      {"gds", check_gds},
      {"instruction_cache", check_cache<Role::Instruction>},
      {"l2", check_cache<Role::L2>},
      {"lds", check_lds},
      {"memory", check_memory},
      {"scalar_cache", check_cache<Role::Scalar>},
      {"spi", check_spi},
      {"vector_l1", check_cache<Role::VectorL1>}};
  return all;
}

}  // namespace

std::vector<std::string> checkable_blocks() {
  std::vector<std::string> names;
  for (const auto& [name, check] : checks()) names.push_back(name);
  return names;
}

Result<DeviceCheck> check_device(const machine::GpuConfig& description,
                                 const DeviceCheckOptions& options) {
  const auto found = checks().find(options.block);
  if (found == checks().end()) return Error("no requester for block '" + options.block + "'");
  const auto target = gpu::described_target(description);
  if (!target) return target.error();
  return found->second({description, *target, options});
}

}  // namespace cuvette::run
