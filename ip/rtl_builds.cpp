// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/cache/cache_rtl.h"
#include "ip/crossbar/crossbar_rtl.h"
#include "ip/gds/gds_rtl.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/matrix_core/matrix_device.h"
#include "ip/memory/memory_rtl.h"
#include "ip/rtl_module.h"
#include "ip/simd/simd_device.h"
#include "ip/spi/spi_rtl.h"
#include "ip/valu/valu_device.h"
#include "ip/vrf/vrf_device.h"

// The builds of ip/rtl_builds.cmake.
namespace cuvette::ip {
namespace {

/// Seed of builds for speed, which have no random start values.
constexpr uint64_t kNoSeed = 1;

/// A build without straps, with all of its ports.
std::unique_ptr<PinDevice> simulate(const std::string& module, const std::string& build,
                                    uint64_t seed) {
  contract::PortCounts ports;
  return simulate_rtl(module, {build, seed}, ports);
}

/// Builds of the vector ALU and of the matrix core are named like their modules:
/// "valu_gfx942_fast", "matrix_gfx942_fast" of matrix_core_gfx942.
std::unique_ptr<PinDevice> simulate_valu(isa::Target target, const char* kind, uint64_t seed) {
  const std::string module = rtl_module_of("valu", target);
  return simulate(module, module + kind, seed);
}
std::unique_ptr<PinDevice> simulate_matrix(isa::Target target, const char* kind, uint64_t seed) {
  const std::string block = "matrix_core";
  const std::string module = rtl_module_of(block, target);
  return simulate(module, "matrix" + module.substr(block.size()) + kind, seed);
}

const char* build_of(cache::Role role) {
  switch (role) {
    case cache::Role::VectorL1:
      return "cache_vector_l1";
    case cache::Role::Scalar:
      return "cache_scalar";
    case cache::Role::Instruction:
      return "cache_instruction";
    case cache::Role::L2:
      break;
  }
  return "cache_l2";
}

/// Behind a reset the tags are cleared, a set in a cycle.
std::unique_ptr<PinDevice> simulate_cache(cache::Role role, const char* kind, uint64_t seed) {
  const cache::Config c = cache_build(role);
  contract::PortCounts ports;
  return simulate_rtl("cache", {build_of(role) + std::string(kind), seed, {}, c.sets()}, ports);
}
std::unique_ptr<PinDevice> simulate_gds(const char* build, unsigned units, uint32_t bytes,
                                        uint64_t seed) {
  return simulate_rtl("gds", {build, seed, {{"size_i", bytes}}, gds_clearing_cycles(bytes)},
                      gds::kChannels, units);
}
std::unique_ptr<PinDevice> simulate_crossbar(const char* build, const crossbar::Config& config,
                                             uint64_t seed) {
  return simulate_rtl("crossbar", {build, seed, {{"last_slice_i", config.slices - 1}}},
                      crossbar::kChannels, {config.sources, config.slices});
}
std::unique_ptr<PinDevice> simulate_spi(const char* build, const spi::Config& config,
                                        uint64_t seed) {
  return simulate_rtl("spi", {build, seed, spi_straps(config)}, spi::kChannels,
                      config.compute_units);
}

}  // namespace

std::unique_ptr<PinDevice> make_valu_fast(isa::Target target) {
  return simulate_valu(target, "_fast", kNoSeed);
}
std::unique_ptr<PinDevice> make_valu_check(uint64_t seed, isa::Target target) {
  return simulate_valu(target, "_check", seed);
}
std::unique_ptr<PinDevice> make_matrix_fast(isa::Target target) {
  return simulate_matrix(target, "_fast", kNoSeed);
}
std::unique_ptr<PinDevice> make_matrix_check(uint64_t seed, isa::Target target) {
  return simulate_matrix(target, "_check", seed);
}
std::unique_ptr<PinDevice> make_simd_fast() {
  return simulate("simd", "simd_fast", kNoSeed);
}
std::unique_ptr<PinDevice> make_simd_check(uint64_t seed) {
  return simulate("simd", "simd_check", seed);
}
std::unique_ptr<PinDevice> make_vrf_fast() {
  return simulate("vrf", "vrf_fast", kNoSeed);
}
std::unique_ptr<PinDevice> make_vrf_check(uint64_t seed) {
  return simulate("vrf", "vrf_check", seed);
}
std::unique_ptr<PinDevice> make_lds_fast() {
  return simulate("lds", "lds_fast", kNoSeed);
}
std::unique_ptr<PinDevice> make_lds_check(uint64_t seed) {
  return simulate("lds", "lds_check", seed);
}
std::unique_ptr<PinDevice> make_cache_fast(cache::Role role) {
  return simulate_cache(role, "_fast", kNoSeed);
}
std::unique_ptr<PinDevice> make_cache_check(cache::Role role, uint64_t seed) {
  return simulate_cache(role, "_check", seed);
}
std::unique_ptr<PinDevice> make_memory_fast() {
  return simulate("memory", "memory_fast", kNoSeed);
}
std::unique_ptr<PinDevice> make_memory_check(uint64_t seed) {
  return simulate("memory", "memory_check", seed);
}
std::unique_ptr<PinDevice> make_gds_fast(unsigned units, uint32_t bytes) {
  return simulate_gds(units == 1 ? "gds_one_fast" : "gds_fast", units, bytes, kNoSeed);
}
std::unique_ptr<PinDevice> make_gds_check(unsigned units, uint32_t bytes, uint64_t seed) {
  return simulate_gds("gds_check", units, bytes, seed);
}
std::unique_ptr<PinDevice> make_crossbar_fast(const crossbar::Config& config) {
  const bool one = config.sources <= kCrossbarOneSources && config.slices == 1;
  return simulate_crossbar(one ? "crossbar_one_fast" : "crossbar_fast", config, kNoSeed);
}
std::unique_ptr<PinDevice> make_crossbar_check(const crossbar::Config& config) {
  return simulate_crossbar("crossbar_check", config, config.seed);
}
std::unique_ptr<PinDevice> make_spi_fast(const spi::Config& config) {
  return simulate_spi(config.compute_units == 1 ? "spi_one_fast" : "spi_fast", config, kNoSeed);
}
std::unique_ptr<PinDevice> make_spi_check(const spi::Config& config, uint64_t seed) {
  return simulate_spi("spi_check", config, seed);
}

}  // namespace cuvette::ip
