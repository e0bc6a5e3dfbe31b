// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/seats.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/configs.h"
#include "ip/cache/cache_seat.h"
#include "ip/command_processor/command_processor_seat.h"
#include "ip/compute_unit/compute_unit_seat.h"
#include "ip/crossbar/crossbar_seat.h"
#include "ip/gds/gds_seat.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/lockstep/config_json.h"
#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/memory/memory_seat.h"
#include "ip/spi/spi_seat.h"
#include "run/chosen_device.h"

namespace cuvette::run {
namespace {

/// Method by which the answers of a block are checked.
enum class CheckMethod {
  Compared,    ///< with those of a reference; bounded times, and a sample of the data
  RuleChecked  ///< by the rules of its page, all of them, without times
};

/// Shape of a device for a block.
struct Shape {
  const char* name;      ///< in machine descriptions
  std::string contract;  ///< block of the contract
  std::string role;      ///< of a cache
  std::vector<ip::DutChannel> channels;
  std::vector<ip::PinChannel> pins;
  CheckMethod check = CheckMethod::Compared;
  contract::PortCounts ports;
};

template <size_t kCount>
Shape shape(const char* name, const contract::ChannelInfo (&channels)[kCount], CheckMethod check,
            const contract::PortCounts& ports = {}) {
  return {name,  name, {}, ip::dut_channels(channels, ports), ip::pin_channels(channels, ports),
          check, ports};
}

template <class Config>
uint64_t seed_or_one(const Config& config) {
  if constexpr (requires { config.seed; }) return config.seed;
  return 1;
}

/// For the recording; empty where the block has nothing that a rerun needs to know.
template <class Config>
ip::recording::Json settings_of(const Config& config) {
  ip::recording::Json out = ip::recording::Json::object();
  if constexpr (requires { visit_config(config, ip::recording::JsonOfConfig(out)); }) {
    visit_config(config, ip::recording::JsonOfConfig(out));
  }
  return out;
}

/// Adds the seats of one run.
class Seats {
 public:
  Seats(const machine::GpuConfig& description, KitBlocks& kit,
        std::function<void(const ip::BlockMismatch&)> on_mismatch)
      : description_(description), kit_(kit), on_mismatch_(std::move(on_mismatch)) {}

  /// The factory of a user's device as `Seat`, under its name; none when there is no such device.
  template <class Seat, class Registry>
  base::Result<std::pair<std::string, typename Registry::Factory>> factory(const Shape& shape) {
    using Made = std::pair<std::string, typename Registry::Factory>;
    const auto chosen = chosen_device(description_, shape.name, [&shape](const std::string& path) {
      return ip::DutLibrary::load(path, shape.contract, shape.channels, shape.role);
    });
    if (!chosen) return chosen.error();
    if (chosen->library == nullptr) return Made{};
    const auto options = lockstep_options<ip::LockstepOptions>(description_, shape.name, true);
    if (auto s = check_options(shape, options); !s.ok()) return s.error();
    const isa::Target target =
        isa::target_from_name(description_.target).value_or(isa::Target::Gfx908);
    return Made{kDevice + chosen->name,
                [=, kit = &kit_, stop = on_mismatch_, device = *chosen, pins = shape.pins,
                 ports = shape.ports, name = std::string(shape.name)](const auto& config) {
                  const uint64_t seed = seed_or_one(config);
                  auto module = ip::make_dut<ip::ModuleDevice>(device.library, target, seed);
                  if (module == nullptr) return std::unique_ptr<Seat>();
                  auto watched = std::make_unique<ip::PinMonitor>(std::move(module), pins,
                                                                  ip::ready_within(pins));
                  auto seat = make_seated<Seat>(std::move(watched), config, options, stop, ports);
                  auto settings = settings_of(config);
                  if constexpr (requires { seat->near_ports(); }) {
                    settings["near_caches"] = seat->near_ports();
                    settings["far_caches"] = seat->far_ports();
                  }
                  kit->add(name, seat->kit(), device, target, seed, settings);
                  return seat;
                }};
  }
  template <class Seat, class Registry>
  void add(const Shape& shape, Registry& registry) {
    if (!status_.ok()) return;
    auto made = factory<Seat, Registry>(shape);
    if (!made) {
      status_ = made.error();
    } else if (made->second != nullptr) {
      registry.add(made->first, made->second);
    }
  }
  /// The roles of a cache share a registry: several devices of a name may be for different roles.
  void add_caches(cache::Registry& registry);

  const base::Status& status() const { return status_; }

 private:
  base::Status check_options(const Shape& shape, const ip::LockstepOptions& options) const {
    using Kind = machine::TimingRule::Kind;
    const auto wrong = [&](const char* what) {
      return description_.error(std::string("implementations.") + shape.name,
                                fmt::format("block {}: {}", shape.name, what));
    };
    if (options.timing.kind == Kind::Exact) {
      return wrong("no exact timing of a device, expected bounded(min,max) or ignore");
    }
    if (shape.check == CheckMethod::Compared) return {};
    if (options.timing.kind != Kind::Ignore) return wrong("no bounded timing, expected ignore");
    if (options.share != 1) return wrong("its rules are checked whole, expected no share");
    return {};
  }

  const machine::GpuConfig& description_;
  KitBlocks& kit_;
  std::function<void(const ip::BlockMismatch&)> on_mismatch_;
  base::Status status_;
};

void Seats::add_caches(cache::Registry& registry) {
  const machine::GpuConfig& d = description_;
  const std::pair<cache::Role, unsigned> roles[] = {
      {cache::Role::L2, 2},  // requesters, and the command processor's fences
      {cache::Role::VectorL1, 2},
      {cache::Role::Scalar, d.scalar_cache.shared_by + 1},
      {cache::Role::Instruction, d.instruction_cache.shared_by + 1}};
  std::map<std::string, std::map<cache::Role, cache::Registry::Factory>> devices;
  const auto add_role = [&](const char* name, cache::Role of, unsigned count) {
    Shape of_role = shape(name, cache::kChannels, CheckMethod::RuleChecked, count);
    of_role.contract = "cache";
    of_role.role = cache::name_of(of);
    auto made = factory<ip::CacheSeat, cache::Registry>(of_role);
    if (!made) {
      status_ = made.error();
    } else if (made->second != nullptr) {
      devices[made->first][of] = made->second;
    }
  };
  for (const auto& [role, ports] : roles) {
    const bool own = d.implementations.count(cache::name_of(role)) != 0;
    if (status_.ok()) add_role(own ? cache::name_of(role) : "cache", role, ports);
  }
  for (const auto& [name, by_role] : devices) {
    registry.add(name, [factories = by_role](const cache::Config& config) {
      const auto found = factories.find(config.role);
      return found == factories.end() ? nullptr : found->second(config);
    });
  }
}

}  // namespace

base::Status add_seats(const machine::GpuConfig& description, gpu::Registries& registries,
                       KitBlocks& kit,
                       const std::function<void(const ip::BlockMismatch&)>& on_mismatch) {
  const machine::GpuConfig& d = description;
  Seats seats(d, kit, on_mismatch);
  seats.add<ip::LdsLockstep>(shape("lds", lds::kChannels, CheckMethod::Compared), registries.lds);
  seats.add<ip::GdsSeat>(shape("gds", gds::kChannels, CheckMethod::Compared, d.compute_units),
                         registries.gds);
  const crossbar::Config between = gpu::crossbar_config(d);
  seats.add<ip::CrossbarSeat>(shape("crossbar", crossbar::kChannels, CheckMethod::Compared,
                                    {between.sources, between.slices}),
                              registries.crossbars);
  seats.add<ip::MemorySeat>(shape("memory", memory::kChannels, CheckMethod::Compared, d.l2.slices),
                            registries.memories);
  seats.add<ip::SpiSeat>(shape("spi", spi::kChannels, CheckMethod::RuleChecked, d.compute_units),
                         registries.spis);
  seats.add<ip::ComputeUnitSeat>(
      shape("compute_unit", compute_unit::kChannels, CheckMethod::RuleChecked),
      registries.compute_units);
  const auto groups = [&d](unsigned shared_by) {
    return (d.compute_units + shared_by - 1) / shared_by;
  };
  const unsigned near =
      d.compute_units + groups(d.scalar_cache.shared_by) + groups(d.instruction_cache.shared_by);
  seats.add<ip::CommandProcessorSeat>(shape("command_processor", command_processor::kChannels,
                                            CheckMethod::RuleChecked, {near, d.l2.slices}),
                                      registries.command_processors);
  if (seats.status().ok()) seats.add_caches(registries.caches);
  return seats.status();
}

}  // namespace cuvette::run
