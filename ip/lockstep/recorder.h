// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ip/common/recording_line.h"
#include "machine/core.h"

namespace cuvette::ip {

/// Event at the pins of a device, as a recording keeps it.
struct PinEvent {
  enum class Kind : uint8_t {
    Offered,  ///< a message to the device is at its pins for the first time
    Given,    ///< the last beat of a message of the device has moved
    Ready,    ///< the receiver of a channel of the device begins or ceases to be ready
  };
  Kind kind = Kind::Offered;
  unsigned pin = 0;             ///< the channel, as pin_channels() counts
  machine::Cycle at = 0;        ///< cycle of the event
  bool ready = true;            ///< of Ready
  std::vector<uint32_t> beats;  ///< of a message, as in Transaction
};

/// Writer of a recording (docs/reference/lockstep.md): one JSON line per block and per event at its
/// pins, in the order of time. Not thread safe.
class Recorder {
 public:
  /// Events after cycle `last` are left out. Errors: the file cannot be written.
  static base::Result<std::unique_ptr<Recorder>> open(const std::string& path,
                                                      machine::Cycle last = machine::kNever);

  /// A block, whose line is written before its first event. Its number in the recording.
  unsigned add(recording::Json head);
  /// An event of block `object` in cycle `at`.
  void write(unsigned object, machine::Cycle at, const std::string& channel, const char* key,
             recording::Json value);

  const std::string& path() const { return path_; }
  uint64_t events() const { return events_; }
  /// Everything is in the file. Errors: some of it could not be written.
  base::Status finish();

 private:
  Recorder(std::string path, machine::Cycle last) : path_(std::move(path)), last_(last) {}

  struct Block {
    recording::Json head;
    bool written = false;
  };
  std::string path_;
  machine::Cycle last_;
  std::ofstream file_;
  std::vector<Block> blocks_;
  uint64_t events_ = 0;
};

}  // namespace cuvette::ip
