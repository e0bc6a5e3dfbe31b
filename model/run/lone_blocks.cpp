// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/lone_blocks.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "hsa/backing.h"
#include "ip/cache/cache_rtl.h"
#include "ip/cache/cache_seat.h"
#include "ip/command_processor/command_processor_seat.h"
#include "ip/compute_unit/compute_unit_seat.h"
#include "ip/crossbar/crossbar_rtl.h"
#include "ip/crossbar/crossbar_seat.h"
#include "ip/gds/gds_rtl.h"
#include "ip/gds/gds_seat.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/lockstep/config_json.h"
#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/matrix_core/register_matrix.h"
#include "ip/memory/memory_rtl.h"
#include "ip/memory/memory_seat.h"
#include "ip/rtl_module.h"
#include "ip/simd/register_simd.h"
#include "ip/spi/spi_rtl.h"
#include "ip/spi/spi_seat.h"
#include "ip/valu/register_valu.h"
#include "ip/vrf/register_vrf.h"
#include "run/chosen_device.h"
#include "spi/spi_ends.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;
using ip::recording::Line;

/// The library of a recorded device; null: our RTL.
template <size_t kChannels>
Result<std::shared_ptr<const ip::DutLibrary>> library_of(
    const ip::RecordingHead& head, const char* block,
    const contract::ChannelInfo (&channels)[kChannels]) {
  if (!is_device(head.device)) return std::shared_ptr<const ip::DutLibrary>();
  auto library = ip::DutLibrary::load(head.library, block, ip::dut_channels(channels));
  if (!library) return library.error();
  if (auto s = (*library)->check_target(head.target); !s.ok()) return s.error();
  return library;
}

ip::LockstepOptions options_of(const ip::RecordingHead& head) {
  ip::LockstepOptions options;
  options.timing = head.timing;
  return options;
}

Result<ip::LoneBlock> make_lds(const ip::RecordingHead& head, Line& line) {
  const auto library = library_of(head, "lds", lds::kChannels);
  if (!library) return library.error();
  lds::Registry registry;
  std::string name = "lockstep-check";
  if (*library == nullptr) {
    ip::register_lds(registry, {}, options_of(head));
  } else {
    name = head.device;
    ip::register_lds_dut(registry, name.substr(std::string(kDevice).size()), *library, {},
                         options_of(head));
  }
  lds::Config config;
  config.compute_unit = head.compute_unit;
  config.seed = head.seed;
  visit_config(config, ip::recording::FieldsOfConfig(line));
  std::shared_ptr<lds::Lds> block = registry.make(name, config);
  if (block == nullptr) return Error("the module makes no device", {head.library});
  auto* view = &static_cast<ip::LdsLockstep&>(*block).kit();
  return ip::LoneBlock{std::move(block), view};
}

/// A block of a SIMD. `make`: of library, configuration and options, its lockstep.
template <class Config, class Channels, class Made>
Result<ip::LoneBlock> of_simd(const ip::RecordingHead& head, const char* name,
                              const Channels& channels, Made&& make) {
  const auto library = library_of(head, name, channels);
  if (!library) return library.error();
  Config config;
  config.target = head.target;
  config.compute_unit = head.compute_unit;
  config.simd = head.simd;
  config.seed = head.seed;
  auto block = std::shared_ptr(make(*library, config, options_of(head)));
  if (block == nullptr) return Error("the module makes no device", {head.library});
  auto* view = &block->kit();
  return ip::LoneBlock{std::move(block), view};
}

Result<ip::LoneBlock> make_matrix(const ip::RecordingHead& head, Line&) {
  return of_simd<matrix_core::Config>(head, "matrix_core", matrix_core::kChannels,
                                      ip::make_lone_matrix);
}

Result<ip::LoneBlock> make_valu(const ip::RecordingHead& head, Line&) {
  return of_simd<valu::Config>(head, "valu", valu::kChannels, ip::make_lone_valu);
}

Result<ip::LoneBlock> make_vrf(const ip::RecordingHead& head, Line&) {
  const auto library = library_of(head, "vrf", vrf::kChannels);
  if (!library) return library.error();
  vrf::Config config;
  config.compute_unit = head.compute_unit;
  config.simd = head.simd;
  config.device_seed = head.seed;
  auto block = std::shared_ptr(ip::make_lone_vrf(*library, config, options_of(head)));
  if (block == nullptr) return Error("the module makes no device", {head.library});
  auto* view = &block->kit();
  return ip::LoneBlock{std::move(block), view};
}

Result<ip::LoneBlock> make_simd(const ip::RecordingHead& head, Line&) {
  const auto library = library_of(head, "simd", simd::kChannels);
  if (!library) return library.error();
  simd::Config config;
  config.target = head.target;
  config.valu.compute_unit = head.compute_unit;
  config.valu.simd = head.simd;
  config.valu.seed = head.seed;
  auto block = std::shared_ptr(ip::make_lone_simd(*library, config, options_of(head)));
  if (block == nullptr) return Error("no such SIMD, expected one of gfx908", {head.library});
  auto* view = &block->kit();
  return ip::LoneBlock{std::move(block), view};
}

/// Memory everywhere, zero at first: the requests of a recording have brought what they read.
class EndlessMemory final : public hsa::Backing {
 public:
  uint8_t* host_pointer(uint64_t pa, size_t bytes) override {
    const uint64_t in_page = pa % kPageBytes;
    return in_page + bytes > kPageBytes ? nullptr : page(pa) + in_page;
  }
  bool read(uint64_t pa, void* out, size_t bytes) const override {
    auto* to = static_cast<uint8_t*>(out);
    for (size_t n = 0; n < bytes; ++n) to[n] = page(pa + n)[(pa + n) % kPageBytes];
    return true;
  }
  bool write(uint64_t pa, const void* data, size_t bytes) override {
    const auto* from = static_cast<const uint8_t*>(data);
    for (size_t n = 0; n < bytes; ++n) page(pa + n)[(pa + n) % kPageBytes] = from[n];
    return true;
  }

 private:
  static constexpr uint64_t kPageBytes = 4096;
  using Page = std::array<uint8_t, kPageBytes>;

  uint8_t* page(uint64_t pa) const {
    auto& found = pages_[pa / kPageBytes];
    if (found == nullptr) found = std::make_unique<Page>();
    return found->data();
  }

  mutable std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

/// The most ports of a block, and the largest of its sizes, that a recording may ask for.
constexpr unsigned kMostPorts = 4096;

/// Blocks that a block alone is connected to.
template <class Seat>
struct Surroundings {
  void connect(Seat&) {}
};
template <>
struct Surroundings<ip::CacheSeat> {
  void connect(ip::CacheSeat& seat) { seat.connect(below); }
  cache::Cache::Port below;
};
template <>
struct Surroundings<ip::ComputeUnitSeat> {
  void connect(ip::ComputeUnitSeat& seat) { seat.connect(waves, caches[0], caches[1], caches[2]); }
  spi::Spi::ComputeUnitPort waves;
  cache::Cache::Port caches[3];
};
/// The channels of an spi.
template <>
struct Surroundings<ip::CommandProcessorSeat> {
  void connect(ip::CommandProcessorSeat& seat) {
    const auto port = [this] {
      caches.push_back(std::make_unique<cache::Cache::Port>());
      return caches.back().get();
    };
    std::vector<cache::Cache::Port*> near, far;
    for (unsigned i = 0; i < seat.near_ports(); ++i) near.push_back(port());
    for (unsigned i = 0; i < seat.far_ports(); ++i) far.push_back(port());
    seat.connect(spi, *port(), near, far);
  }
  spi::SpiEnds spi;
  std::vector<std::unique_ptr<cache::Cache::Port>> caches;
};

/// A block in its seat, with its surroundings.
template <class Seat>
struct Seated {
  hsa::Backing* backing() {
    if (memory == nullptr) memory = std::make_unique<EndlessMemory>();
    return memory.get();
  }
  std::unique_ptr<EndlessMemory> memory;
  Surroundings<Seat> around;
  std::unique_ptr<Seat> seat;
};

/// The number of ports in a line of a recording.
unsigned ports_in(Line& line, const char* name) {
  const auto count = static_cast<unsigned>(line.number(name, kMostPorts));
  if (count == 0 && line.ok()) {
    line.fail("the number of ports must be 1 to " + std::to_string(kMostPorts));
  }
  return count;
}
/// Number of ports that a setting of the block gives.
template <class Config>
auto ports_of(unsigned Config::* setting) {
  return [setting](const Config& config, Line& line) {
    const unsigned count = config.*setting;
    if (count == 0 || count > kMostPorts) {
      line.fail("the number of ports must be 1 to " + std::to_string(kMostPorts));
    }
    return contract::PortCounts(count);
  };
}

template <class Seat, class Config, size_t kChannels, class Ports>
Result<ip::LoneBlock> make_seat(const ip::RecordingHead& head, Line& line, const char* contract,
                                const contract::ChannelInfo (&channels)[kChannels],
                                const Ports& ports_from, const std::string& role = {}) {
  Config config;
  if constexpr (requires { config.target; }) config.target = head.target;
  visit_config(config, ip::recording::FieldsOfConfig(line));
  const contract::PortCounts ports = ports_from(config, line);
  if (!line.ok()) return ip::LoneBlock{};
  if (!is_device(head.device)) return Error("'device' must be a user's", {head.library});
  auto library =
      ip::DutLibrary::load(head.library, contract, ip::dut_channels(channels, ports), role);
  if (!library) return library.error();
  if (auto s = (*library)->check_target(head.target); !s.ok()) return s.error();
  const auto pins = ip::pin_channels(channels, ports);
  auto module = ip::make_dut<ip::ModuleDevice>(*library, head.target, head.seed);
  if (module == nullptr) return Error("the module makes no device", {head.library});
  auto watched = std::make_unique<ip::PinMonitor>(std::move(module), pins, ip::ready_within(pins));
  auto owner = std::make_shared<Seated<Seat>>();
  if constexpr (requires { config.backing; }) config.backing = owner->backing();
  owner->seat = make_seated<Seat>(std::move(watched), config, options_of(head),
                                  typename Seat::Kit::OnMismatch(), ports);
  owner->around.connect(*owner->seat);
  auto* view = &owner->seat->kit();
  return ip::LoneBlock{std::move(owner), view};
}

Result<ip::LoneBlock> make_gds(const ip::RecordingHead& head, Line& line) {
  if (!is_device(head.device)) {
    gds::Config config;
    config.target = head.target;
    config.seed = head.seed;
    visit_config(config, ip::recording::FieldsOfConfig(line));
    const std::string refused = ip::refuse_gds_units(config.compute_units);
    if (!refused.empty()) line.fail(refused);
    if (!line.ok()) return ip::LoneBlock{};
    gds::Registry registry;
    ip::register_gds(registry, {}, options_of(head));
    std::shared_ptr<gds::Gds> block = registry.make("lockstep-check", config);
    auto* view = &static_cast<ip::GdsSeat&>(*block).kit();
    return ip::LoneBlock{std::move(block), view};
  }
  return make_seat<ip::GdsSeat, gds::Config>(head, line, "gds", gds::kChannels,
                                             ports_of(&gds::Config::compute_units));
}
Result<ip::LoneBlock> make_crossbar(const ip::RecordingHead& head, Line& line) {
  if (!is_device(head.device)) {
    crossbar::Config config;
    config.seed = head.seed;
    visit_config(config, ip::recording::FieldsOfConfig(line));
    const std::string refused = ip::refuse_crossbar(config);
    if (!refused.empty()) line.fail(refused);
    if (config.sources == 0) line.fail("the number of ports must be 1 or more");
    if (!line.ok()) return ip::LoneBlock{};
    crossbar::Registry registry;
    ip::register_crossbar(registry, {}, options_of(head));
    std::shared_ptr<crossbar::Crossbar> block = registry.make("lockstep-check", config);
    auto* view = &static_cast<ip::CrossbarSeat&>(*block).kit();
    return ip::LoneBlock{std::move(block), view};
  }
  return make_seat<ip::CrossbarSeat, crossbar::Config>(
      head, line, "crossbar", crossbar::kChannels, [](const crossbar::Config& config, Line& from) {
        const unsigned most = std::max(config.sources, config.slices);
        if (most > kMostPorts || config.sources == 0 || config.slices == 0 || config.depth == 0 ||
            config.depth > kMostPorts || config.interleave_bytes == 0) {
          from.fail("sources, slices and depth must be 1 to " + std::to_string(kMostPorts) +
                    ", interleave_bytes more than 0");
        }
        return contract::PortCounts(config.sources, config.slices);
      });
}
Result<ip::LoneBlock> make_memory(const ip::RecordingHead& head, Line& line) {
  if (!is_device(head.device)) {
    memory::Config config;
    visit_config(config, ip::recording::FieldsOfConfig(line));
    const std::string refused = ip::refuse_memory(config);
    if (!refused.empty()) line.fail(refused);
    if (!line.ok()) return ip::LoneBlock{};
    auto owner = std::make_shared<Seated<memory::Memory>>();
    config.backing = owner->backing();
    memory::Registry registry;
    ip::register_memory(registry, {}, options_of(head), head.seed);
    owner->seat = registry.make("lockstep-check", config);
    auto* view = &static_cast<ip::MemorySeat&>(*owner->seat).kit();
    return ip::LoneBlock{std::move(owner), view};
  }
  return make_seat<ip::MemorySeat, memory::Config>(head, line, "memory", memory::kChannels,
                                                   ports_of(&memory::Config::ports));
}
Result<ip::LoneBlock> make_spi(const ip::RecordingHead& head, Line& line) {
  if (!is_device(head.device)) {
    spi::Config config;
    config.target = head.target;
    visit_config(config, ip::recording::FieldsOfConfig(line));
    const std::string refused = ip::refuse_spi(config);
    if (!refused.empty()) line.fail(refused);
    if (!line.ok()) return ip::LoneBlock{};
    auto seat = std::shared_ptr(ip::make_spi_rtl(config, true, head.seed, options_of(head), {}));
    auto* view = &seat->kit();
    return ip::LoneBlock{std::move(seat), view};
  }
  return make_seat<ip::SpiSeat, spi::Config>(head, line, "spi", spi::kChannels,
                                             ports_of(&spi::Config::compute_units));
}
Result<ip::LoneBlock> make_compute_unit(const ip::RecordingHead& head, Line& line) {
  return make_seat<ip::ComputeUnitSeat, compute_unit::Config>(
      head, line, "compute_unit", compute_unit::kChannels,
      [](const auto&, Line&) { return contract::PortCounts(); });
}
Result<ip::LoneBlock> make_command_processor(const ip::RecordingHead& head, Line& line) {
  return make_seat<ip::CommandProcessorSeat, command_processor::Config>(
      head, line, "command_processor", command_processor::kChannels, [](const auto&, Line& from) {
        return contract::PortCounts(ports_in(from, "near_caches"), ports_in(from, "far_caches"));
      });
}
template <cache::Role kRole>
Result<ip::LoneBlock> make_cache(const ip::RecordingHead& head, Line& line) {
  if (!is_device(head.device)) {
    cache::Config config;
    visit_config(config, ip::recording::FieldsOfConfig(line));
    const std::string refused = ip::refuse_cache(config);
    if (config.role != kRole) line.fail("'role' is not the block's");
    if (!refused.empty()) line.fail(refused);
    if (config.up_ports == 0) line.fail("the number of ports must be 1 or more");
    if (!line.ok()) return ip::LoneBlock{};
    auto owner = std::make_shared<Seated<ip::CacheSeat>>();
    owner->seat = ip::make_cache_rtl(config, true, head.seed, options_of(head), {});
    owner->around.connect(*owner->seat);
    auto* view = &owner->seat->kit();
    return ip::LoneBlock{std::move(owner), view};
  }
  return make_seat<ip::CacheSeat, cache::Config>(head, line, "cache", cache::kChannels,
                                                 ports_of(&cache::Config::up_ports),
                                                 cache::name_of(kRole));
}

using Make = Result<ip::LoneBlock> (*)(const ip::RecordingHead&, Line&);

const std::map<std::string, Make>& blocks() {
  using cache::Role;
  static const std::map<std::string, Make> all = {
      {"command_processor", make_command_processor},
      {"compute_unit", make_compute_unit},
      {"crossbar", make_crossbar},
      {"gds", make_gds},
      {"instruction_cache", make_cache<Role::Instruction>},
      {"l2", make_cache<Role::L2>},
      {"lds", make_lds},
      {"matrix_core", make_matrix},
      {"memory", make_memory},
      {"scalar_cache", make_cache<Role::Scalar>},
      {"simd", make_simd},
      {"spi", make_spi},
      {"valu", make_valu},
      {"vector_l1", make_cache<Role::VectorL1>},
      {"vrf", make_vrf}};
  return all;
}

}  // namespace

bool can_run_alone(const std::string& block) {
  return blocks().contains(block);
}

Result<ip::Rerun> rerun_alone(const std::string& path, const ip::WaveWindow& waves,
                              const std::string& library) {
  const auto make = [](const std::string& block, const ip::RecordingHead& head,
                       Line& config) -> Result<ip::LoneBlock> {
    if (!is_device(head.device)) {
      if (auto s = ip::check_rtl(block, head.target); !s.ok()) return s.error();
    }
    const auto found = blocks().find(block);
    if (found != blocks().end()) return found->second(head, config);
    config.fail("'block' is none that can be run again: '" + block + "'");
    return ip::LoneBlock{};
  };
  return ip::rerun_blocks(path, make, waves, library);
}

}  // namespace cuvette::run
