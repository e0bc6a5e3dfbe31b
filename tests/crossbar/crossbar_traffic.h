// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crossbar/crossbar.h"
#include "ip/crossbar/crossbar_seat.h"

// Random requests and answers around a crossbar, beside the model without a device.
namespace cuvette::crossbar::testing {

struct Options {
  unsigned requests = 1000;
  uint32_t seed = 1;
  bool exact = true;        ///< times, too; the aperture moves during the traffic
  unsigned under_way = 20;  ///< of a source, at most
};

struct Outcome {
  std::optional<ip::BlockMismatch> mismatch;
  std::string wrong;  ///< of the traffic's ledger, or what did not end
  uint64_t answers = 0, faults = 0, broadcasts = 0, stores = 0, times = 0, compared = 0;
  machine::Cycle end = 0;
  std::vector<uint64_t> by_slice;
};

Outcome run(std::unique_ptr<ip::PinDevice> device, const Config& config, const Options& options);

}  // namespace cuvette::crossbar::testing
