// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/core.h"
#include "machine/description.h"

namespace cuvette::ip {

/// A message that moved on the pins, in all its beats.
struct Transaction {
  unsigned pin = 0;             ///< its channel, as pin_channels() counts
  machine::Cycle time = 0;      ///< of the edge at which its last beat moved
  std::vector<uint32_t> beats;  ///< the packed structs one after the other, each in whole words
};

/// How many transactions before a difference are kept.
inline constexpr size_t kRememberedTransactions = 32;

/// What a lockstep compares (docs/lockstep.md).
struct LockstepOptions {
  machine::TimingRule timing;
  uint32_t share = 1;  ///< 1/N of the messages are compared as data
};

/// Which instance of a machine a block is, for reports.
struct BlockPlace {
  std::string block;  ///< "lds"
  uint32_t compute_unit = 0, index = 0;
  std::string text;  ///< "lds of compute unit 3"
};

/// The first difference between a device and its reference.
struct BlockMismatch {
  machine::Cycle time = 0;
  uint32_t compute_unit = 0, simd = 0;  ///< the place; simd: the index of the block there
  std::string field;  ///< of the message; "order", "missing", "time", "protocol", "assertion"
  std::string report;
  std::vector<Transaction> transactions;  ///< the last ones, the oldest first
};

/// What was compared, by name: "lds response", "lds response data".
using ComparedItems = std::map<std::string, uint64_t>;

/// What a run asks of a lockstep, whatever its block.
class LockstepView {
 public:
  virtual ~LockstepView() = default;
  virtual const BlockPlace& place() const = 0;
  virtual const LockstepOptions& options() const = 0;
  virtual const std::optional<BlockMismatch>& mismatch() const = 0;
  /// Messages of the device that were seen, and what of them was compared.
  virtual ComparedItems items() const = 0;
  virtual uint64_t seen() const = 0;
  /// Values of fields.
  virtual uint64_t compared() const = 0;
  /// After a run: what the device still owes is a difference.
  virtual void conclude() = 0;
};

}  // namespace cuvette::ip
