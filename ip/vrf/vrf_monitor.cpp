// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_monitor.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace cuvette::ip {
namespace {

/// What has to stay while it waits, without the padding of the structures.
using Head = std::array<uint8_t, 6>;
using Row = std::array<uint8_t, 6 + sizeof(uint32_t) * kVrfBeatLanes>;

Head head(vrf::RowAddress address, uint8_t beat, uint16_t lanes = 0) {
  const auto byte = [](unsigned value) { return static_cast<uint8_t>(value); };
  return {byte(address.acc ? 1 : 0), byte(address.row & 0xff), byte(address.row >> 8), beat,
          byte(lanes & 0xff),        byte(lanes >> 8)};
}
Row row(const Head& head, const std::array<uint32_t, kVrfBeatLanes>& data) {
  Row bytes;
  std::memcpy(bytes.data(), head.data(), head.size());
  std::memcpy(bytes.data() + head.size(), data.data(), sizeof data);
  return bytes;
}

}  // namespace

VrfMonitor::VrfMonitor(std::unique_ptr<VrfDevice> device) : DeviceMonitor(std::move(device)) {
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
    reads_.emplace_back("read " + std::to_string(p));
    answers_.emplace_back("read_data " + std::to_string(p));
  }
  for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
    writes_.emplace_back("write " + std::to_string(p));
  }
  reset();
}

void VrfMonitor::drive(const VrfInputs& inputs) {
  inputs_ = inputs;
  device_->drive(inputs);
}

void VrfMonitor::clock() {
  VrfOutputs out;
  device_->outputs(out);
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
    const VrfInputs::Read& in = inputs_.reads[p];
    const Head asked = head(in.address, in.beat);
    reads_[p].cycle(in_reset_, in.valid, out.reads[p].ready, asked);
    const Row answer = row(head({}, out.reads[p].beat), out.reads[p].data);
    answers_[p].cycle(in_reset_, out.reads[p].data_valid, in.data_ready, answer);
  }
  for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
    const VrfInputs::Write& in = inputs_.writes[p];
    const Row written = row(head(in.address, in.beat, in.lanes), in.data);
    writes_[p].cycle(in_reset_, in.valid, out.write_ready[p], written);
  }
  device_->clock();
}

std::optional<DeviceFailure> VrfMonitor::failure() const {
  for (const auto* ports : {&answers_, &reads_, &writes_}) {
    for (const HandshakeMonitor& m : *ports) {
      if (auto found = first_failure({&m})) return found;
    }
  }
  return std::nullopt;
}

}  // namespace cuvette::ip
