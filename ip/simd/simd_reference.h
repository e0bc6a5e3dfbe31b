// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "simd/lane_file.h"
#include "simd/simd.h"
#include "vrf/vrf_model.h"

namespace cuvette::ip {

/// Reference of a SIMD: whole-wave execution on a register file of its own, without time. An
/// instruction is executed when the device takes it; its beats are given at once.
class SimdReference final : public simd::Simd {
 public:
  explicit SimdReference(const simd::Config& config)
      : config_(config), registers_(config.registers) {}

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return true;
  }
  unsigned issue_cycles(const isa::Instruction& instruction) const override {
    return simd::issue_cycles(config_, instruction);
  }
  vrf::Vrf& registers() override { return registers_; }
  Counters counters() const override { return {}; }

  wave::LaneRow row(vrf::RowAddress address) {
    wave::LaneRow data{};
    registers_.read(vrf::ReadPort::Backdoor, 0, address, data);
    return data;
  }
  /// Exceptions of an instruction, once: the union over its beats.
  uint8_t take_flags(uint32_t id);

 private:
  simd::Config config_;
  vrf::VrfModel registers_;
  std::vector<simd::Retire> beats_;
  std::deque<simd::Retire> due_;
  std::deque<std::pair<uint32_t, uint8_t>> flags_;  ///< by id
};

}  // namespace cuvette::ip
