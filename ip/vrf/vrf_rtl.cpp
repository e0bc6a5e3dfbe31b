// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_rtl.h"

#include <algorithm>

namespace cuvette::ip {
namespace {

/// The contract asks for four; this is far above any register file.
constexpr unsigned kMostCycles = 256;

}  // namespace

void VrfRtl::cycle(const VrfInputs& in, VrfOutputs& out) {
  device_->drive(in);
  device_->outputs(out);
  if (watch_) watch_(in, out);
  device_->clock();
}

void VrfRtl::read(vrf::ReadPort port, machine::Cycle, vrf::RowAddress address, wave::LaneRow& out) {
  const auto p = static_cast<unsigned>(port);
  unsigned asked = 0, answered = 0;
  for (unsigned n = 0; answered < kVrfBeats; ++n) {
    if (n == kMostCycles) {
      broken_ = "read port " + std::to_string(p) + ": no answer in " + std::to_string(kMostCycles) +
                " cycles";
      return;
    }
    VrfInputs in;
    in.reads[p] = {asked < kVrfBeats, address, static_cast<uint8_t>(asked), true};
    VrfOutputs pins;
    cycle(in, pins);
    const VrfOutputs::Read& given = pins.reads[p];
    if (given.data_valid) {
      if (broken_.empty() && given.beat != answered) {
        broken_ = "read port " + std::to_string(p) + ": beat " + std::to_string(given.beat) +
                  " where beat " + std::to_string(answered) + " is due";
      }
      const unsigned beat = given.beat;
      std::copy(given.data.begin(), given.data.end(), out.begin() + beat * kVrfBeatLanes);
      ++answered;
    }
    if (asked < kVrfBeats && given.ready) ++asked;
  }
}

void VrfRtl::write(vrf::WritePort port, machine::Cycle, vrf::RowAddress address, uint64_t lanes,
                   const wave::LaneRow& data) {
  const auto p = static_cast<unsigned>(port);
  unsigned beat = 0;
  for (unsigned n = 0; beat < kVrfBeats; ++n) {
    if (n == kMostCycles) {
      broken_ = "write port " + std::to_string(p) + ": not ready in " +
                std::to_string(kMostCycles) + " cycles";
      return;
    }
    VrfInputs in;
    VrfInputs::Write& w = in.writes[p];
    w.valid = true;
    w.address = address;
    w.beat = static_cast<uint8_t>(beat);
    w.lanes = static_cast<uint16_t>(lanes >> beat * kVrfBeatLanes);
    std::copy_n(data.begin() + beat * kVrfBeatLanes, kVrfBeatLanes, w.data.begin());
    VrfOutputs pins;
    cycle(in, pins);
    if (pins.write_ready[p]) ++beat;
  }
}

std::optional<DeviceFailure> VrfRtl::failure() const {
  if (auto own = device_->failure()) return own;
  if (!broken_.empty()) return DeviceFailure{"protocol", broken_};
  return std::nullopt;
}

}  // namespace cuvette::ip
