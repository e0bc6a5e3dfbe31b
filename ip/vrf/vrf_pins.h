// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/bit_field.h"
#include "ip/common/verilated_pins.h"
#include "ip/vrf/vrf_device.h"

namespace cuvette::ip {

/// VrfDevice on one Verilated build. Private to the sources that include the build's header.
template <class Model, bool kTraces>
class VrfPins final : public VerilatedPins<VrfDevice, Model, kTraces> {
  using Base = VerilatedPins<VrfDevice, Model, kTraces>;
  using Base::begin;
  using Base::model_;

 public:
  explicit VrfPins(uint64_t seed) : Base(seed) {}

  void drive(const VrfInputs& inputs) override {
    begin();
    Model& m = *model_;
    unsigned valid = 0, data_ready = 0;
    for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
      const VrfInputs::Read& r = inputs.reads[p];
      valid |= unsigned{r.valid} << p;
      data_ready |= unsigned{r.data_ready} << p;
      if (r.valid) put_read(r, p);
    }
    m.read_valid_i = static_cast<uint8_t>(valid);
    m.read_data_ready_i = static_cast<uint8_t>(data_ready);
    unsigned writes = 0;
    for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
      writes |= unsigned{inputs.writes[p].valid} << p;
      if (inputs.writes[p].valid) put_write(inputs.writes[p], p);
    }
    m.write_valid_i = static_cast<uint8_t>(writes);
    model_.settle();
  }

  void outputs(VrfOutputs& out) const override {
    const Model& m = *model_;
    for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
      VrfOutputs::Read& r = out.reads[p];
      r.ready = (m.read_ready_o >> p & 1) != 0;
      r.data_valid = (m.read_data_valid_o >> p & 1) != 0;
      if (!r.data_valid) continue;
      const auto* bytes = reinterpret_cast<const uint8_t*>(&m.read_data_o);
      const size_t at = size_t{p} * kAnswerBits;
      for (unsigned l = 0; l < kVrfBeatLanes; ++l) {
        r.data[l] = static_cast<uint32_t>(get_bits(bytes, at + 32u * l, 32));
      }
      r.beat = static_cast<uint8_t>(get_bits(bytes, at + 32 * kVrfBeatLanes, 2));
    }
    for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
      out.write_ready[p] = (m.write_ready_o >> p & 1) != 0;
    }
  }

 private:
  // Packed structs of rtl/vrf/vrf_pkg.sv, lowest field first.
  static constexpr unsigned kReadBits = 19, kWriteBits = 547, kAnswerBits = 514;

  void put_read(const VrfInputs::Read& r, unsigned port) {
    auto* bytes = reinterpret_cast<uint8_t*>(&model_->read_i);
    const size_t at = size_t{port} * kReadBits;
    put_bits(bytes, at, 2, r.beat);
    put_bits(bytes, at + 2, 16, r.address.row);
    put_bits(bytes, at + 18, 1, r.address.acc ? 1 : 0);
  }
  void put_write(const VrfInputs::Write& w, unsigned port) {
    auto* bytes = reinterpret_cast<uint8_t*>(&model_->write_i);
    const size_t at = size_t{port} * kWriteBits;
    for (unsigned l = 0; l < kVrfBeatLanes; ++l) put_bits(bytes, at + 32u * l, 32, w.data[l]);
    put_bits(bytes, at + 512, 16, w.lanes);
    put_bits(bytes, at + 528, 2, w.beat);
    put_bits(bytes, at + 530, 16, w.address.row);
    put_bits(bytes, at + 546, 1, w.address.acc ? 1 : 0);
  }
};

}  // namespace cuvette::ip
