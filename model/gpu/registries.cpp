// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/registries.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cache/cache_model.h"
#include "command_processor/command_processor_model.h"
#include "compute_unit/compute_unit_model.h"
#include "compute_unit/loose/loose_unit.h"
#include "crossbar/crossbar_model.h"
#include "gds/gds_model.h"
#include "lds/lds_model.h"
#include "matrix_core/matrix_core_model.h"
#include "memory/memory_model.h"
#include "simd/simd_model.h"
#include "spi/spi_model.h"
#include "valu/valu_model.h"
#include "vrf/vrf_model.h"

namespace cuvette::gpu {
namespace {

constexpr std::array<std::string_view, 16> kBlocks{"command_processor",
                                                   "spi",
                                                   "compute_unit",
                                                   "simd",
                                                   "valu",
                                                   "vrf",
                                                   "lds",
                                                   "matrix_core",
                                                   "gds",
                                                   "cache",
                                                   "crossbar",
                                                   "memory",
                                                   "l2",
                                                   "vector_l1",
                                                   "scalar_cache",
                                                   "instruction_cache"};
constexpr std::array<std::string_view, 5> kNames{"tlm", "rtl", "rtl-check", "lockstep",
                                                 "lockstep-check"};
constexpr std::string_view kDevice = "dut:";
// Blocks of which this project has RTL.
constexpr std::array<std::string_view, 14> kRtl{
    "simd",     "valu",   "vrf", "matrix_core", "lds",       "gds",          "cache",
    "crossbar", "memory", "spi", "l2",          "vector_l1", "scalar_cache", "instruction_cache"};
// Roles of block cache.
constexpr std::array<std::string_view, 4> kRoles{"l2", "vector_l1", "scalar_cache",
                                                 "instruction_cache"};

bool has(const Registries& r, const std::string& block, const std::string& name) {
  if (block == "command_processor") return r.command_processors.has(name);
  if (block == "spi") return r.spis.has(name);
  if (block == "compute_unit") return r.compute_units.has(name);
  if (block == "simd") return r.simds.has(name);
  if (block == "valu") return r.valus.has(name);
  if (block == "vrf") return r.vrfs.has(name);
  if (block == "lds") return r.lds.has(name);
  if (block == "gds") return r.gds.has(name);
  if (block == "matrix_core") return r.matrix_cores.has(name);
  if (block == "cache" || std::find(kRoles.begin(), kRoles.end(), block) != kRoles.end()) {
    return r.caches.has(name);
  }
  if (block == "crossbar") return r.crossbars.has(name);
  return block == "memory" && r.memories.has(name);
}

}  // namespace

Registries tlm_registries() {
  Registries r;
  command_processor::register_tlm(r.command_processors);
  spi::register_tlm(r.spis);
  compute_unit::register_tlm(r.compute_units);
  compute_unit::loose::register_loose(r.compute_units);
  simd::register_tlm(r.simds);
  valu::register_valu_tlm(r.valus);
  vrf::register_tlm(r.vrfs);
  matrix_core::register_tlm(r.matrix_cores);
  lds::register_tlm(r.lds);
  gds::register_tlm(r.gds);
  cache::register_tlm(r.caches);
  crossbar::register_tlm(r.crossbars);
  memory::register_tlm(r.memories);
  return r;
}

base::Status check_implementation_name(const std::string& block, const std::string& name) {
  if (std::find(kBlocks.begin(), kBlocks.end(), block) == kBlocks.end()) {
    std::string known;
    for (const auto& b : kBlocks) known += (known.empty() ? "" : ", ") + std::string(b);
    return base::Error("unknown block '" + block + "', expected one of " + known);
  }
  const bool device = name.size() > kDevice.size() && name.rfind(kDevice, 0) == 0;
  if (!device && std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
    return base::Error("unknown implementation '" + name + "' of block " + block +
                       ", expected tlm, rtl, rtl-check, lockstep, lockstep-check or dut:NAME");
  }
  if (!device && name != "tlm" && std::find(kRtl.begin(), kRtl.end(), block) == kRtl.end()) {
    return base::Error("block " + block + " has no RTL of ours, found '" + name +
                       "', expected tlm or dut:NAME; simd, valu, vrf, matrix_core, lds, gds, "
                       "memory, caches, crossbar and spi have");
  }
  return {};
}

std::vector<std::string> missing_implementations(const machine::GpuConfig& description,
                                                 const Registries& registries) {
  std::vector<std::string> missing;
  for (const auto& [block, name] : description.implementations) {
    if (has(registries, block, name)) continue;
    missing.push_back(std::string(block).append(": ").append(name));
  }
  return missing;
}

}  // namespace cuvette::gpu
