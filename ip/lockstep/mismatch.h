// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ip/lockstep/pin_device.h"
#include "ip/lockstep/recorder.h"
#include "machine/core.h"
#include "machine/gpu_config.h"

namespace cuvette::ip {

/// A message that moved on the pins, in all its beats.
struct Transaction {
  unsigned pin = 0;             ///< its channel, as pin_channels() counts
  machine::Cycle time = 0;      ///< of the edge at which its last beat moved
  std::vector<uint32_t> beats;  ///< the packed structs one after the other, each in whole words
};

/// Number of transactions before a difference that are kept.
inline constexpr size_t kRememberedTransactions = 32;

/// Choices of a lockstep: what it compares and how (docs/reference/lockstep.md).
struct LockstepOptions {
  machine::TimingRule timing;  ///< check of the device's times
  uint32_t share = 1;          ///< 1/N of the messages are compared as data
};

/// Place of a block in a machine, for reports.
struct BlockPlace {
  std::string block;                     ///< "lds"
  uint32_t compute_unit = 0, index = 0;  ///< index: of the block in its compute unit
  std::string text;                      ///< "lds of compute unit 3"
  bool of_simd = false;                  ///< there is one in every SIMD
};

/// The first difference between a device and its reference.
struct BlockMismatch {
  machine::Cycle time = 0;              ///< cycle in which it was found
  uint32_t compute_unit = 0, simd = 0;  ///< the place; simd: the index of the block there
  std::string field;  ///< of the message; "order", "missing", "time", "protocol", "assertion"
  /// First differing element of a field (-1: the field has no such dimension), and its values.
  int row = -1, lane = -1;
  uint64_t expected = 0, actual = 0;      ///< of the reference, of the device
  std::string report;                     ///< text for people, with the last transactions
  std::vector<Transaction> transactions;  ///< the last ones, the oldest first
};

/// Numbers of compared items by name: "lds response", "lds response data".
using ComparedItems = std::map<std::string, uint64_t>;

/// Interface of a block in lockstep, whatever the block: its place, what it compared, its recording
/// and its rerun from one.
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

  virtual const std::vector<PinChannel>& pins() const = 0;
  /// Writes all events from the first one on, those to come too, under the line `head`, as long as
  /// the recorder lives. False, and nothing is written: the first events are not kept any more.
  virtual bool record(Recorder& recorder, recording::Json head) = 0;
  /// Waveforms (FST) of all following cycles; errors as PinDevice::trace().
  virtual base::Status trace(const std::string& path) = 0;

  // A rerun: the block alone, its channels served from a recording.
  virtual void step(machine::Cycle now) = 0;
  virtual machine::Cycle next_step() const = 0;
  /// True if the channel to the device has room for a message at `now`.
  virtual bool has_room(unsigned pin, machine::Cycle now) const = 0;
  /// A message for the device, offered at `at` or later. Errors go to the line.
  virtual void feed(unsigned pin, recording::Line& line, const recording::Json& message,
                    machine::Cycle at) = 0;
  /// Sets whether messages of the channel from the device are taken from now on.
  virtual void set_ready(unsigned pin, bool ready) = 0;
  /// Drops the messages for the machine that are visible at `now`.
  virtual void drain(machine::Cycle now) = 0;
};

}  // namespace cuvette::ip
