// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ip/traffic/requester.h"
#include "ip/traffic/spi_saves.h"
#include "spi/spi.h"

namespace cuvette::ip::traffic {

/// Surroundings of a wave launcher: a command processor that starts, cancels and saves dispatches
/// of random shapes, and compute units whose waves last a while.
class SpiTraffic final : public Requester {
 public:
  struct Options {
    uint32_t seed = 1;
    unsigned dispatches = 20;  ///< in all, and those that go on
    unsigned pause = 500;      ///< cycles between two dispatches, at most
    unsigned lasts = 300;      ///< cycles of a wave, at most, beside 20
    bool cancels = true;       ///< some are cancelled
    bool errors = true;        ///< some dispatches cannot run
    bool failures = true;      ///< some waves fail
    bool saves = true;         ///< some dispatches are saved, and go on
    bool priorities = false;   ///< of queues differ
    bool huge = false;         ///< work-groups that fill a compute unit
  };
  SpiTraffic(spi::Spi& spi, const spi::Config& config, const Options& options);

  bool step(machine::Cycle now) override;
  void follow(machine::Cycle now) override;
  uint64_t answers() const override { return launches_.size() + done_.size(); }
  Coverage coverage() const override;
  std::string wrong() const override { return saves_.wrong(); }

  struct Launched {
    unsigned unit;      ///< compute unit
    machine::Cycle at;  ///< cycle in which it came
    spi::WaveLaunch wave;
  };
  const std::vector<Launched>& launches() const { return launches_; }
  const std::vector<spi::DispatchDone>& done() const { return done_; }
  const std::vector<spi::Dispatch>& started() const { return started_; }
  unsigned cancelled() const { return cancelled_; }
  unsigned killed() const { return killed_; }
  unsigned resumed() const { return resumed_; }  ///< dispatches that were saved and go on

 private:
  spi::Dispatch random_dispatch(uint32_t id);
  void start(machine::Cycle now);
  void resume(machine::Cycle now);
  void take_command(unsigned unit, const spi::WaveCommand& command, machine::Cycle now);
  void take_done(machine::Cycle now);
  void end_waves(machine::Cycle now);
  void plan_events(uint32_t dispatch, machine::Cycle now);
  bool allows_any(const spi::Dispatch& d) const;
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  spi::Spi& spi_;
  spi::Config config_;
  Options options_;
  std::mt19937 random_;
  machine::Cycle next_start_ = 0;
  std::vector<spi::Dispatch> started_;
  uint32_t next_id_ = 0;
  std::multimap<machine::Cycle, uint32_t> cancels_, asks_;
  SpiSaves saves_;
  std::map<uint64_t, SpiSaves::Ending> endings_;  ///< of waves that are saved
  std::multimap<machine::Cycle, SpiSaves::Resumed> resumes_;
  std::multimap<machine::Cycle, std::pair<unsigned, spi::WaveLaunch>> ends_;
  std::vector<Launched> launches_;
  std::vector<spi::DispatchDone> done_;
  unsigned cancelled_ = 0, killed_ = 0, resumed_ = 0;
};

}  // namespace cuvette::ip::traffic
