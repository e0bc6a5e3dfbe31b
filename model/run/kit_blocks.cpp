// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/kit_blocks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "gpu/configs.h"
#include "ip/cache/cache_rtl.h"
#include "ip/crossbar/crossbar_rtl.h"
#include "ip/crossbar/crossbar_seat.h"
#include "ip/gds/gds_rtl.h"
#include "ip/gds/gds_seat.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/lockstep/config_json.h"
#include "ip/matrix_core/register_matrix.h"
#include "ip/memory/memory_rtl.h"
#include "ip/memory/memory_seat.h"
#include "ip/rtl_module.h"
#include "ip/simd/register_simd.h"
#include "ip/spi/spi_rtl.h"
#include "ip/valu/register_valu.h"
#include "ip/vrf/register_vrf.h"
#include "run/chosen_device.h"
#include "run/seats.h"

namespace cuvette::run {
namespace {

template <class Config>
isa::Target target_of(const Config& config) {
  return config.target;
}
isa::Target target_of(const vrf::Config&) {
  return isa::Target::Gfx908;
}
template <class Config>
uint64_t seed_of(const Config& config) {
  return config.seed;
}
uint64_t seed_of(const vrf::Config& config) {
  return config.device_seed;
}
uint64_t seed_of(const simd::Config& config) {
  return config.valu.seed;
}

/// Loads the Verilated RTL that the description chooses. Errors: a module that is not there.
base::Status load_chosen_rtl(const machine::GpuConfig& d) {
  const isa::Target target = isa::target_from_name(d.target).value_or(isa::Target::Gfx908);
  for (const auto& [block, implementation] : d.implementations) {
    if (!is_own_rtl(implementation)) continue;
    if (auto s = ip::check_rtl(block, target); !s.ok()) return s;
  }
  return {};
}

base::Status check_registers(const machine::GpuConfig& d, const std::string& block) {
  if (auto s = check_register_rows(d, block); !s.ok()) return s;
  return refuse_bounded_times(d, block);
}

}  // namespace

KitBlocks::Block& KitBlocks::entry(const std::string& name, const std::string& device) {
  const auto found = std::ranges::find(blocks_, name, &Block::name);
  if (found != blocks_.end()) return *found;
  return blocks_.emplace_back(Block{name, device, {}});
}

void KitBlocks::add(const std::string& name, ip::LockstepView& block, const ChosenDevice& device,
                    isa::Target target, uint64_t seed, ip::recording::Json config) {
  ip::RecordingHead head;
  head.target = target;
  head.seed = seed;
  std::string user;
  if (device.library != nullptr) {
    head.device = user = kDevice + device.name;
    std::error_code ignored;
    head.library = std::filesystem::absolute(device.path, ignored).lexically_normal().string();
  }
  entry(name, user).objects.push_back(&block);
  recording_.adopt(block, std::move(head), std::move(config));
}

base::Status KitBlocks::add_to(const machine::GpuConfig& description, gpu::Registries& registries,
                               const std::function<void()>& on_mismatch) {
  simds_ = description.compute_units * description.compute_unit.simds;
  const bool compared = std::ranges::any_of(
      description.implementations, [](const auto& chosen) { return is_compared(chosen.second); });
  if (!compared && !files_.record.empty()) {
    return base::Error("--record is for blocks in lockstep, expected at least one");
  }
  if (auto s = load_chosen_rtl(description); !s.ok()) return s;
  if (compared) {
    if (auto s = recording_.open(); !s.ok()) return s;
  }
  const auto stop = [on_mismatch](const ip::BlockMismatch&) { on_mismatch(); };
  if (auto s = add_lds(description, registries, stop); !s.ok()) return s;
  if (auto s = add_gds(description, registries, stop); !s.ok()) return s;
  if (auto s = add_caches(description, registries, stop); !s.ok()) return s;
  if (auto s = add_crossbar(description, registries, stop); !s.ok()) return s;
  if (auto s = add_memory(description, registries, stop); !s.ok()) return s;
  if (auto s = add_spi(description, registries, stop); !s.ok()) return s;
  if (auto s = add_simd_blocks(description, registries, stop); !s.ok()) return s;
  return add_seats(description, registries, *this, stop);
}

base::Status KitBlocks::add_lds(const machine::GpuConfig& description, gpu::Registries& registries,
                                const OnMismatch& stop) {
  // The beats of the RTL take time that the model does not have (docs/reference/lds.md).
  const auto options = lockstep_options<ip::LockstepOptions>(description, "lds", true);
  if (options.timing.kind == machine::TimingRule::Kind::Exact) {
    return description.error("implementations.lds",
                             "block lds: no exact timing, expected bounded(min,max) or ignore");
  }
  ip::register_lds(lds_, stop, options);
  const auto target = isa::target_from_name(description.target).value_or(isa::Target::Gfx908);
  for (const auto& name : lds_.names()) {
    registries.lds.add(name, [this, name, target](const lds::Config& config) {
      auto block = lds_.make(name, config);
      if (block != nullptr) {
        add("lds", static_cast<ip::LdsLockstep&>(*block).kit(), {}, target, config.seed,
            ip::recording::config_json(config));
      }
      return block;
    });
  }
  return {};
}

base::Status KitBlocks::add_gds(const machine::GpuConfig& description, gpu::Registries& registries,
                                const OnMismatch& stop) {
  const auto chosen = description.implementations.find("gds");
  if (chosen == description.implementations.end() || chosen->second == "tlm" ||
      is_device(chosen->second)) {
    return {};
  }
  const auto wrong = [&](const std::string& what) {
    return description.error("implementations.gds", "block gds: " + what);
  };
  const std::string refused = ip::refuse_gds_units(description.compute_units);
  if (!refused.empty()) return wrong(refused);
  const auto target = isa::target_from_name(description.target).value_or(isa::Target::Gfx908);
  const std::string other = ip::refuse_gds_times(gpu::gds_config(description, target));
  const auto options = lockstep_options<ip::LockstepOptions>(description, "gds", !other.empty());
  if (!other.empty() && options.timing.kind == machine::TimingRule::Kind::Exact) {
    return wrong("no exact timing, because " + other + "; expected bounded(min,max) or ignore");
  }
  ip::register_gds(gds_, stop, options);
  for (const auto& name : gds_.names()) {
    registries.gds.add(name, [this, name](const gds::Config& config) {
      auto block = gds_.make(name, config);
      if (block != nullptr) {
        add("gds", static_cast<ip::GdsSeat&>(*block).kit(), {}, config.target, config.seed,
            ip::recording::config_json(config));
      }
      return block;
    });
  }
  return {};
}

/// A name of the registry is for all roles; which of them have it, the description says.
base::Status KitBlocks::add_caches(const machine::GpuConfig& description,
                                   gpu::Registries& registries, const OnMismatch& stop) {
  std::map<cache::Role, std::pair<std::string, ip::LockstepOptions>> chosen;
  for (const auto kind :
       {cache::Role::L2, cache::Role::VectorL1, cache::Role::Scalar, cache::Role::Instruction}) {
    const cache::Config config = gpu::cache_config(description, kind);
    const char* const role = cache::name_of(kind);
    const std::string name = description.implementations.contains(role) ? role : "cache";
    const auto choice = description.implementations.find(name);
    if (choice == description.implementations.end() || choice->second == "tlm" ||
        is_device(choice->second)) {
      continue;
    }
    const auto wrong = [&](const std::string& what) {
      return description.error("implementations." + name,
                               "block " + std::string(role) + ": " + what);
    };
    const std::string refused = ip::refuse_cache(config);
    if (!refused.empty()) return wrong(refused);
    const auto options = lockstep_options<ip::LockstepOptions>(description, name.c_str(), true);
    if (options.timing.kind != machine::TimingRule::Kind::Ignore) {
      return wrong("its times are not checked, expected ignore");
    }
    if (options.share != 1) return wrong("its rules are checked whole, expected no share");
    chosen[kind] = {name, options};
  }
  if (chosen.empty()) return {};
  const auto target = isa::target_from_name(description.target).value_or(isa::Target::Gfx908);
  for (const bool checks : {false, true}) {
    for (const char* kind : {"rtl", "lockstep"}) {
      const auto make = [=, this](const cache::Config& config) -> std::unique_ptr<cache::Cache> {
        const auto found = chosen.find(config.role);
        if (found == chosen.end()) return nullptr;
        const auto& [name, options] = found->second;
        const uint64_t seed = config.index + 1;
        auto seat = ip::make_cache_rtl(config, checks, seed, options, stop);
        if (seat != nullptr) {
          add(cache::name_of(config.role), seat->kit(), {}, target, seed,
              ip::recording::config_json(config));
        }
        return seat;
      };
      registries.caches.add(std::string(kind) + (checks ? "-check" : ""), make);
    }
  }
  return {};
}

base::Status KitBlocks::add_crossbar(const machine::GpuConfig& description,
                                     gpu::Registries& registries, const OnMismatch& stop) {
  const auto chosen = description.implementations.find("crossbar");
  if (chosen == description.implementations.end() || chosen->second == "tlm" ||
      is_device(chosen->second)) {
    return {};
  }
  const std::string refused = ip::refuse_crossbar(gpu::crossbar_config(description));
  if (!refused.empty()) {
    return description.error("implementations.crossbar", "block crossbar: " + refused);
  }
  const auto options = lockstep_options<ip::LockstepOptions>(description, "crossbar", false);
  ip::register_crossbar(crossbars_, stop, options);
  const auto target = isa::target_from_name(description.target).value_or(isa::Target::Gfx908);
  for (const auto& name : crossbars_.names()) {
    registries.crossbars.add(name, [this, name, target](const crossbar::Config& config) {
      auto block = crossbars_.make(name, config);
      if (block != nullptr) {
        add("crossbar", static_cast<ip::CrossbarSeat&>(*block).kit(), {}, target, config.seed,
            ip::recording::config_json(config));
      }
      return block;
    });
  }
  return {};
}

base::Status KitBlocks::add_memory(const machine::GpuConfig& description,
                                   gpu::Registries& registries, const OnMismatch& stop) {
  const auto chosen = description.implementations.find("memory");
  if (chosen == description.implementations.end() || chosen->second == "tlm" ||
      is_device(chosen->second)) {
    return {};
  }
  const auto wrong = [&](const std::string& what) {
    return description.error("implementations.memory", "block memory: " + what);
  };
  memory::Config wanted;
  wanted.ports = description.l2.slices;
  wanted.latency_cycles = description.memory.latency_cycles;
  wanted.cycles_per_block = description.memory.cycles_per_block;
  const std::string refused = ip::refuse_memory(wanted);
  if (!refused.empty()) return wrong(refused);
  const auto options = lockstep_options<ip::LockstepOptions>(description, "memory", true);
  if (options.timing.kind == machine::TimingRule::Kind::Exact) {
    return wrong("no exact timing, expected bounded(min,max) or ignore");
  }
  constexpr uint64_t kSeed = 1;
  ip::register_memory(memories_, stop, options, kSeed);
  const auto target = isa::target_from_name(description.target).value_or(isa::Target::Gfx908);
  for (const auto& name : memories_.names()) {
    registries.memories.add(name, [this, name, target](const memory::Config& config) {
      auto block = memories_.make(name, config);
      if (block != nullptr) {
        add("memory", static_cast<ip::MemorySeat&>(*block).kit(), {}, target, kSeed,
            ip::recording::config_json(config));
      }
      return block;
    });
  }
  return {};
}

base::Status KitBlocks::add_spi(const machine::GpuConfig& description, gpu::Registries& registries,
                                const OnMismatch& stop) {
  const auto chosen = description.implementations.find("spi");
  if (chosen == description.implementations.end() || chosen->second == "tlm" ||
      is_device(chosen->second)) {
    return {};
  }
  const auto wrong = [&](const std::string& what) {
    return description.error("implementations.spi", "block spi: " + what);
  };
  const auto target = isa::target_from_name(description.target).value_or(isa::Target::Gfx908);
  const auto wanted = gpu::spi_config(description, target, false);
  if (!wanted) return wanted.error();
  const std::string refused = ip::refuse_spi(*wanted);
  if (!refused.empty()) return wrong(refused);
  const auto options = lockstep_options<ip::LockstepOptions>(description, "spi", true);
  if (options.timing.kind != machine::TimingRule::Kind::Ignore) {
    return wrong("its times are not checked, expected ignore");
  }
  if (options.share != 1) return wrong("its rules are checked whole, expected no share");
  for (const bool checks : {false, true}) {
    for (const char* kind : {"rtl", "lockstep"}) {
      const auto make = [=, this](const spi::Config& config) -> std::unique_ptr<spi::Spi> {
        constexpr uint64_t kSeed = 1;
        auto seat = ip::make_spi_rtl(config, checks, kSeed, options, stop);
        if (seat != nullptr) {
          add("spi", seat->kit(), {}, target, kSeed, ip::recording::config_json(config));
        }
        return seat;
      };
      registries.spis.add(std::string(kind) + (checks ? "-check" : ""), make);
    }
  }
  return {};
}

/// Adds a block of which every SIMD has one. `add`: registers our RTL; `add_device`: a user's
/// device.
template <class Channels, class Registry, class Add, class AddDevice>
base::Status KitBlocks::add_of_simd(const machine::GpuConfig& description, const char* name,
                                    const Channels& channels, Registry& own, Registry& machine,
                                    Add&& add_rtl, AddDevice&& add_device) {
  const auto options = [&](bool device) {
    return lockstep_options<ip::LockstepOptions>(description, name, device);
  };
  add_rtl(own, options(false));
  const auto chosen = chosen_device(description, name, [&](const std::string& path) {
    return ip::DutLibrary::load(path, name, ip::dut_channels(channels));
  });
  if (!chosen) return chosen.error();
  if (chosen->library != nullptr) {
    add_device(own, chosen->name, chosen->library, options(true));
  }
  for (const auto& registered : own.names()) {
    machine.add(registered, [this, &own, name, registered, device = *chosen](const auto& config) {
      auto block = own.make(registered, config);
      auto* lockstep = block != nullptr ? ip::lockstep_in(*block) : nullptr;
      if (lockstep != nullptr) {
        add(name, lockstep->kit(), device, target_of(config), seed_of(config),
            ip::recording::config_json(config));
      }
      return block;
    });
  }
  return {};
}

base::Status KitBlocks::add_simd_blocks(const machine::GpuConfig& description,
                                        gpu::Registries& registries, const OnMismatch& stop) {
  const auto valu = [&stop](valu::Registry& own, const ip::LockstepOptions& options) {
    ip::register_valu(own, stop, options);
  };
  const auto valu_device = [&stop](valu::Registry& own, const std::string& name,
                                   const std::shared_ptr<const ip::DutLibrary>& library,
                                   const ip::LockstepOptions& options) {
    ip::register_valu_dut(own, name, library, stop, options);
  };
  if (auto s = add_of_simd(description, "valu", valu::kChannels, valus_, registries.valus, valu,
                           valu_device);
      !s.ok()) {
    return s;
  }
  if (auto s = check_registers(description, "vrf"); !s.ok()) return s;
  const auto vrf = [&stop](vrf::Registry& own, const ip::LockstepOptions& options) {
    ip::register_vrf(own, stop, options);
  };
  const auto vrf_device = [&stop](vrf::Registry& own, const std::string& name,
                                  const std::shared_ptr<const ip::DutLibrary>& library,
                                  const ip::LockstepOptions& options) {
    ip::register_vrf_dut(own, name, library, stop, options);
  };
  if (auto s =
          add_of_simd(description, "vrf", vrf::kChannels, vrfs_, registries.vrfs, vrf, vrf_device);
      !s.ok()) {
    return s;
  }
  if (auto s = check_registers(description, "simd"); !s.ok()) return s;
  const auto simd = [&stop](simd::Registry& own, const ip::LockstepOptions& options) {
    ip::register_simd(own, stop, options);
  };
  const auto simd_device = [&stop](simd::Registry& own, const std::string& name,
                                   const std::shared_ptr<const ip::DutLibrary>& library,
                                   const ip::LockstepOptions& options) {
    ip::register_simd_dut(own, name, library, stop, options);
  };
  if (auto s = add_of_simd(description, "simd", simd::kChannels, simd_blocks_, registries.simds,
                           simd, simd_device);
      !s.ok()) {
    return s;
  }
  const auto matrix = [&stop](matrix_core::Registry& own, const ip::LockstepOptions& options) {
    ip::register_matrix(own, stop, options);
  };
  const auto matrix_device = [&stop](matrix_core::Registry& own, const std::string& name,
                                     const std::shared_ptr<const ip::DutLibrary>& library,
                                     const ip::LockstepOptions& options) {
    ip::register_matrix_dut(own, name, library, stop, options);
  };
  return add_of_simd(description, "matrix_core", matrix_core::kChannels, matrix_cores_,
                     registries.matrix_cores, matrix, matrix_device);
}

std::vector<ip::LockstepView*> KitBlocks::objects() const {
  std::vector<ip::LockstepView*> all;
  for (const Block& b : blocks_) all.insert(all.end(), b.objects.begin(), b.objects.end());
  return all;
}

std::string KitBlocks::scope(const Block& b) const {
  std::string text = b.name;
  if (!b.device.empty()) text += " " + b.device;
  const ip::BlockPlace& place = b.objects.front()->place();
  if (b.objects.size() != 1) {
    text += place.of_simd && b.objects.size() == simds_
                ? fmt::format(" of all {} SIMDs", simds_)
                : fmt::format(" in {} places", b.objects.size());
  } else {
    text += place.text.substr(place.block.size());
    if (place.of_simd && simds_ > 1) text += fmt::format(", tlm in the other {} SIMDs", simds_ - 1);
  }
  const uint32_t share = b.objects.front()->options().share;
  if (share > 1) text += fmt::format(", sampled 1/{}", share);
  if (seen(b) == 0) text += ", not used";
  return text;
}

uint64_t KitBlocks::seen(const Block& b) {
  uint64_t sum = 0;
  for (const ip::LockstepView* l : b.objects) sum += l->seen();
  return sum;
}

bool KitBlocks::may_stay_unused(const Block& b) const {
  constexpr std::array kCaches{"l2", "vector_l1", "scalar_cache", "instruction_cache"};
  const bool cache = std::ranges::find(kCaches, b.name) != kCaches.end();
  return b.device.empty() && !asked_.contains(b.name) && !(cache && asked_.contains("cache"));
}

void KitBlocks::report(EngineReport& report) const {
  for (const Block& b : blocks_) {
    if (!report.lockstep_scope.empty()) report.lockstep_scope += "; ";
    report.lockstep_scope += scope(b);
    for (const ip::LockstepView* l : b.objects) {
      for (const auto& [name, count] : l->items()) report.lockstep_items[name] += count;
      if (l->mismatch()) ++report.lockstep_mismatches;
    }
  }
}

void KitBlocks::conclude(EngineReport& report) const {
  std::vector<const Block*> idle;
  for (const Block& b : blocks_) {
    uint64_t compared = 0;
    for (ip::LockstepView* l : b.objects) {
      const bool told = l->mismatch().has_value();
      l->conclude();
      compared += l->compared();
      const auto& found = l->mismatch();
      if (!told && found) report.failures.push_back("lockstep: " + found->report);
    }
    if (compared == 0) idle.push_back(&b);
  }
  const bool others = idle.size() != blocks_.size();
  for (const Block* block : idle) {
    const Block& b = *block;
    const uint64_t seen = KitBlocks::seen(b);
    if (others && seen == 0 && may_stay_unused(b)) continue;
    report.failures.push_back(
        "lockstep compared nothing: " +
        (seen == 0 ? fmt::format("no kernel used the block {}", b.name)
                   : fmt::format("none of the {} messages of block {} is in the sample of 1/{}",
                                 seen, b.name, b.objects.front()->options().share)));
  }
}

}  // namespace cuvette::run
