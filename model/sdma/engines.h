// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "sdma/engine.h"

namespace cuvette::sdma {

/// The SDMA engines of a machine and the rings on them, as a driver sees them. The first
/// `Config::general` engines copy anywhere, those behind them are for links to other devices. Rings
/// are spread over the engines of a kind. One thread.
class Engines {
 public:
  /// General: engines that copy anywhere. Link: those for links to other devices.
  enum class Kind : uint8_t { General, Link };
  /// Options of all engines.
  struct Config {
    unsigned general = 0, link = 0;  ///< engines
    unsigned rings = 0;              ///< of an engine, at most
    Timing timing;
    const hsa::AddressSpace* space = nullptr;  ///< outlives the engines
  };
  explicit Engines(const Config& config);

  unsigned count() const { return static_cast<unsigned>(engines_.size()); }
  Engine& engine(unsigned index) { return *engines_[index]; }
  const Engine& engine(unsigned index) const { return *engines_[index]; }

  /// The ring's number, from 1 on, never given twice. Errors: those of check(), a doorbell that
  /// another ring has, no room on an engine of the kind.
  base::Result<uint32_t> bind(const Ring& ring, Kind kind);
  bool has(uint32_t ring) const { return placed_.count(ring) != 0; }
  /// As of Engine, by the number of the ring; unknown numbers are left out.
  void unbind(uint32_t ring);
  /// The write pointer, in bytes since the ring began.
  void ring(uint32_t ring, uint64_t write);
  void sleep(uint32_t ring, bool asleep);
  /// The ring goes on at another place with its pointers; false while a packet is under way.
  bool move(uint32_t ring, uint64_t base, uint64_t bytes);
  /// Rings the ring that has this doorbell; false when none has.
  bool doorbell(uint32_t index, uint64_t write);

  /// Called when an engine may have something to do earlier than its next event has said.
  void on_wake(std::function<void(unsigned engine)> handler) { wake_ = std::move(handler); }
  void on_interrupt(const Engine::OnInterrupt& handler);
  void on_read_register(const Engine::ReadRegister& handler);

  /// True when nothing happens until a doorbell rings.
  bool idle() const;
  /// True if an engine works(); waits alone do not count.
  bool works() const;
  /// State of every ring, by number.
  std::vector<RingReport> reports() const;
  /// Errors since the last call, a line each, by engine.
  std::vector<std::string> take_errors();
  /// Sum over all engines.
  Counters counters() const;

 private:
  struct Placed {
    unsigned engine = 0;
    uint32_t doorbell = Ring::kNoDoorbell;
  };
  void wake(unsigned engine) {
    if (wake_) wake_(engine);
  }

  Config config_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::map<uint32_t, Placed> placed_;  // by number
  std::map<uint32_t, uint32_t> by_doorbell_;
  uint32_t last_ = 0;
  std::function<void(unsigned)> wake_;
};

/// A line for a hang report.
std::string text_of(const RingReport& report);

}  // namespace cuvette::sdma
