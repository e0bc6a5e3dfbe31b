// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_timing.h"

#include "ip/coverage/coverage_samples.h"

namespace cuvette::ip {

void VrfTiming::offered(unsigned port, const vrf::Read& row) {
  in_.reads[port].address = row.address;
  in_.reads[port].beat = 0;
}
void VrfTiming::offered(unsigned port, const vrf::Write& row) {
  in_.writes[port].address = row.address;
  in_.writes[port].beat = 0;
  lanes_[port] = row.lanes;
}

// Pins in the order of the contract: reads, their answers, writes.
std::string VrfTiming::check(const PinAdapter& pins, machine::Cycle) {
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
    const PinEnd &asks = pins.end(p), &answers = pins.end(vrf::kReadPorts + p);
    in_.reads[p].valid = asks.at_pins();
    in_.reads[p].data_ready = answers.ready();
    out_.reads[p].ready = asks.moves();
    out_.reads[p].data_valid = answers.at_pins();
    out_.reads[p].beat = answers_[p].beat;  // their order is the adapter's to check
  }
  for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
    const PinEnd& rows = pins.end(2 * vrf::kReadPorts + p);
    VrfInputs::Write& row = in_.writes[p];
    row.valid = rows.at_pins();
    row.lanes = static_cast<uint16_t>(lanes_[p] >> row.beat * kVrfBeatLanes);
    out_.write_ready[p] = rows.moves() || !row.valid;
  }
  std::string wrong = check(in_, out_);
  if (Coverage* coverage = Coverage::current(); coverage != nullptr && wrong.empty()) {
    cover(*coverage, in_, out_);
  }
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) in_.reads[p].beat += out_.reads[p].ready ? 1 : 0;
  for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
    in_.writes[p].beat += in_.writes[p].valid && out_.write_ready[p] ? 1 : 0;
  }
  return wrong;
}

std::string VrfTiming::check(const VrfInputs& in, const VrfOutputs& out) {
  for (unsigned p = 0; p < vrf::kWritePorts; ++p) {
    if (!out.write_ready[p]) return "write port " + std::to_string(p) + " is not ready";
  }
  const auto before = answers_;
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
    const std::string name = "read port " + std::to_string(p);
    const VrfInputs::Read& asked = in.reads[p];
    const VrfOutputs::Read& given = out.reads[p];
    if (given.data_valid != before[p].waiting) {
      return name + (given.data_valid ? " answers what was not asked" : " has no answer in time");
    }
    if (given.data_valid && given.beat != before[p].beat) {
      return name + " answers beat " + std::to_string(given.beat) + ", expected " +
             std::to_string(before[p].beat);
    }
    if (!asked.valid) continue;
    const unsigned bank = asked.address.row % vrf::kBanks;
    bool free = true;
    for (unsigned q = 0; q < p; ++q) {
      const bool wanted = in.reads[q].valid && (!before[q].waiting || in.reads[q].data_ready);
      if (wanted && in.reads[q].address.row % vrf::kBanks == bank) free = false;
    }
    const bool room = !before[p].waiting || asked.data_ready;
    if (given.ready != (room && free)) {
      return name + (given.ready ? " took a read while its bank or its answer was not free"
                                 : " did not take a read of a free bank");
    }
    if (room && !free) ++conflicts_;
  }
  for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
    Answer& answer = answers_[p];
    if (answer.waiting && in.reads[p].data_ready) {
      answer.waiting = false;
      ++compared_;
    }
    if (in.reads[p].valid && out.reads[p].ready) answer = {true, in.reads[p].beat};
  }
  return {};
}

}  // namespace cuvette::ip
