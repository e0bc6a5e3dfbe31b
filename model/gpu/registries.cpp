// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/registries.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cache/cache_tlm.h"
#include "command_processor/command_processor_tlm.h"
#include "compute_unit/compute_unit_tlm.h"
#include "compute_unit/loose/loose_unit.h"
#include "gds/gds_tlm.h"
#include "lds/lds_tlm.h"
#include "matrix_core/matrix_core_tlm.h"
#include "memory/memory_tlm.h"
#include "simd/simd_tlm.h"
#include "spi/spi_tlm.h"
#include "valu/valu_tlm.h"
#include "vrf/vrf_tlm.h"

namespace cuvette::gpu {
namespace {

constexpr std::array<std::string_view, 11> kBlocks{
    "command_processor", "spi", "compute_unit", "simd",  "valu", "vrf", "lds",
    "matrix_core",       "gds", "cache",        "memory"};
constexpr std::array<std::string_view, 5> kNames{"tlm", "rtl", "rtl-check", "lockstep",
                                                 "lockstep-check"};
constexpr std::string_view kDevice = "dut:";
// Those with a hardware interface, where RTL and users' devices fit (docs/blocks).
constexpr std::array<std::string_view, 5> kHardware{"simd", "valu", "vrf", "matrix_core", "lds"};

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
  if (block == "cache") return r.caches.has(name);
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
  if (name != "tlm" && std::find(kHardware.begin(), kHardware.end(), block) == kHardware.end()) {
    return base::Error("block " + block + " is tlm only, found '" + name +
                       "'; RTL and devices are for simd, valu, vrf, matrix_core and lds");
  }
  return {};
}

std::vector<std::string> missing_implementations(const machine::Description& description,
                                                 const Registries& registries) {
  std::vector<std::string> missing;
  for (const auto& [block, name] : description.implementations) {
    if (!has(registries, block, name)) missing.push_back(block + ": " + name);
  }
  return missing;
}

}  // namespace cuvette::gpu
