// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_timing.h"

namespace cuvette::ip {

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
