// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gds/gds_model.h"
#include "ip/lockstep/schedule.h"

namespace cuvette::ip {

/// Exact times of a global data share: our model beside the device gets each message in the cycle
/// in which its first beat is at the pins, chooses among the compute units for itself, and says of
/// each cycle which `taken` and which responses end in it. Receivers are always ready.
class GdsTimes final : public Schedule {
 public:
  explicit GdsTimes(const gds::Config& config);

  void offer(unsigned unit, const gds::Request& request, machine::Cycle now);
  void offer(const spi::WaveOrder& wave, machine::Cycle now);
  /// Messages that the device gives in the cycle that is checked next, by id.
  void give_taken(unsigned unit, uint32_t id) { given_[unit].taken = id; }
  void give_response(unsigned unit, uint32_t id) { given_[unit].response = id; }

  std::string check(const PinAdapter& pins, machine::Cycle now) override;
  uint64_t compared() const override { return compared_; }

 private:
  /// Ids of what a compute unit is given in a cycle.
  struct Given {
    std::optional<uint32_t> taken, response;
  };

  gds::GdsModel model_;
  std::vector<Given> given_;   ///< by compute unit
  machine::Cycle ticked_ = 0;  ///< the model's last cycle
  uint64_t compared_ = 0;
};

}  // namespace cuvette::ip
