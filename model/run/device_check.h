// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ip/lockstep/mismatch.h"
#include "machine/gpu_config.h"

namespace cuvette::run {

/// A block alone under random requests.
struct DeviceCheckOptions {
  std::string block;           ///< one of checkable_blocks()
  std::string library;         ///< shared module with the user's device; empty: our RTL
  uint32_t seed = 1;           ///< of the requests, and of the device's start values
  bool fast = false;           ///< our RTL as built for speed: every bit starts at 0, no assertions
  unsigned requests = 10'000;  ///< to send
  bool stalls = false;         ///< channels from the device are held back by the seed
  std::string wave;            ///< waveforms (FST) of the whole run; empty: none
};

/// Result of a check: what moved, what was compared, what was covered, the first difference.
struct DeviceCheck {
  std::string device;                  ///< "our RTL", or the library
  bool done = false;                   ///< everything was answered
  uint64_t answers = 0, compared = 0;  ///< of the device; those held against the reference
  machine::Cycle cycles = 0;           ///< of the block's clock
  ip::ComparedItems items;
  std::map<std::string, uint64_t> coverage;  ///< by point; 0: not reached
  std::string wrong;                         ///< a rule of the block's answers that was broken
  std::optional<ip::BlockMismatch> mismatch;

  bool passed() const { return done && wrong.empty() && !mismatch && compared != 0; }
};

/// Blocks with a requester, in order: caches by the names of their roles.
std::vector<std::string> checkable_blocks();

/// Runs a device as the block of a machine, beside our model or the rules of the block's page.
/// Errors: no such block; a library that does not load or is for another block or target; a block
/// of the machine that our RTL has no circuit for; waveforms that cannot be written.
base::Result<DeviceCheck> check_device(const machine::GpuConfig& description,
                                       const DeviceCheckOptions& options);

}  // namespace cuvette::run
