// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vgds_fast.h"
#include "Vgds_one_fast.h"
#include "ip/dut_gds.h"
#include "ip/gds/gds_rtl.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {
namespace {

template <class Model, unsigned kUnits>
std::unique_ptr<PinDevice> make(unsigned units, uint32_t bytes) {
  using Device = VerilatedDevice<Model, dut::GdsPorts<Model, kUnits>, false>;
  auto device = std::make_unique<Device>(
      1, pin_channels(gds::kChannels, kUnits), [bytes](Model& pins) { pins.size_i = bytes; },
      gds_clearing_cycles(bytes));
  return of_first_ports(std::move(device), gds::kChannels, kUnits, units);
}

}  // namespace

std::unique_ptr<PinDevice> make_gds_fast(unsigned units, uint32_t bytes) {
  if (units == 1) return make<Vgds_one_fast, 1>(units, bytes);
  return make<Vgds_fast, kGdsUnits>(units, bytes);
}

}  // namespace cuvette::ip
