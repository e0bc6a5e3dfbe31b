// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vcache_instruction_check.h"
#include "Vcache_l2_check.h"
#include "Vcache_scalar_check.h"
#include "Vcache_vector_l1_check.h"
#include "ip/cache/cache_rtl.h"
#include "ip/dut_cache.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {
namespace {

template <class Model, uint32_t kPorts>
std::unique_ptr<PinDevice> make(uint64_t seed) {
  using Device = VerilatedDevice<Model, dut::CachePorts<Model, kPorts>, true>;
  return std::make_unique<Device>(seed, pin_channels(cache::kChannels, kPorts));
}

}  // namespace

std::unique_ptr<PinDevice> make_cache_check(cache::Role role, uint64_t seed) {
  switch (role) {
    case cache::Role::VectorL1:
      return make<Vcache_vector_l1_check, 2>(seed);
    case cache::Role::Scalar:
      return make<Vcache_scalar_check, 4>(seed);
    case cache::Role::Instruction:
      return make<Vcache_instruction_check, 4>(seed);
    case cache::Role::L2:
      break;
  }
  return make<Vcache_l2_check, 2>(seed);
}

}  // namespace cuvette::ip
