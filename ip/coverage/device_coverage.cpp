// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/cache/cache_rtl.h"
#include "ip/crossbar/crossbar_rtl.h"
#include "ip/gds/gds_rtl.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/matrix_core/matrix_device.h"
#include "ip/memory/memory_rtl.h"
#include "ip/simd/simd_device.h"
#include "ip/spi/spi_rtl.h"
#include "ip/valu/valu_device.h"
#include "ip/vrf/vrf_device.h"

// With CUVETTE_RTL_COVERAGE there is one build of each block, that for checking, with counters.
namespace cuvette::ip {

std::unique_ptr<PinDevice> make_valu_fast(isa::Target target) {
  return make_valu_check(0, target);
}
std::unique_ptr<PinDevice> make_cache_fast(cache::Role role) {
  return make_cache_check(role, 0);
}
std::unique_ptr<PinDevice> make_crossbar_fast(const crossbar::Config& config) {
  return make_crossbar_check(config);
}
std::unique_ptr<PinDevice> make_gds_fast(unsigned units, uint32_t bytes) {
  return make_gds_check(units, bytes, 0);
}
std::unique_ptr<PinDevice> make_lds_fast() {
  return make_lds_check(0);
}
std::unique_ptr<PinDevice> make_memory_fast() {
  return make_memory_check(0);
}
std::unique_ptr<PinDevice> make_spi_fast(const spi::Config& config) {
  return make_spi_check(config, 0);
}
std::unique_ptr<PinDevice> make_vrf_fast() {
  return make_vrf_check(0);
}
std::unique_ptr<PinDevice> make_simd_fast() {
  return make_simd_check(0);
}
std::unique_ptr<PinDevice> make_matrix_fast(isa::Target target) {
  return make_matrix_check(0, target);
}

}  // namespace cuvette::ip
