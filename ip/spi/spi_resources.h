// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spi/initial_state.h"
#include "spi/spi.h"

namespace cuvette::ip {

/// Resources that the waves on one compute unit hold, as a user's spi has allocated them.
class UnitResources {
 public:
  explicit UnitResources(const spi::Config& config) : config_(&config) {}

  struct Wave {
    spi::WaveLaunch launch;
    uint64_t group = 0;  ///< flattened id
  };

  /// Takes what a launch names. The rule it breaks, and how; both empty: none.
  struct Wrong {
    std::string rule, what;
  };
  Wrong take(const spi::WaveLaunch& launch, uint64_t group);
  /// The wave is over. False: there is none with this id.
  bool give(uint64_t id);

  const std::vector<Wave>& waves() const { return waves_; }
  const Wave* find(uint64_t id) const;

 private:
  Wrong check_range(const char* rule, const char* what, uint32_t base, uint32_t count,
                    uint32_t granule, uint32_t size) const;
  /// LDS of a work-group, and its key.
  Wrong check_group(const spi::WaveLaunch& w, uint64_t group) const;
  uint32_t vgprs_of(const spi::WaveLaunch& w) const;

  const spi::Config* config_;
  std::vector<Wave> waves_;
};

/// True if an empty compute unit has room for a whole work-group.
bool fits(const spi::DispatchPlan& plan, const spi::Config& config);

}  // namespace cuvette::ip
