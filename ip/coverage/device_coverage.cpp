// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_device.h"
#include "ip/simd/simd_device.h"
#include "ip/valu/valu_device.h"
#include "ip/vrf/vrf_device.h"

// With CUVETTE_RTL_COVERAGE there is one build of each block, that for checking, with counters.
namespace cuvette::ip {

std::unique_ptr<ValuDevice> make_valu_fast(isa::Target target) {
  return make_valu_check(0, target);
}
std::unique_ptr<VrfDevice> make_vrf_fast() {
  return make_vrf_check(0);
}
std::unique_ptr<SimdDevice> make_simd_fast() {
  return make_simd_check(0);
}
std::unique_ptr<MatrixDevice> make_matrix_fast(isa::Target target) {
  return make_matrix_check(0, target);
}

}  // namespace cuvette::ip
