// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The spi block alone: dispatches in, waves out, ended by hand.
#include <deque>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "spi/spi_model.h"

namespace cuvette::spi {

using machine::Cycle;

// compute_pgm_rsrc2
inline constexpr uint32_t kScratchEnable = 1;
inline constexpr uint32_t kGroupX = 1 << 7, kGroupY = 1 << 8, kGroupZ = 1 << 9,
                          kGroupInfo = 1 << 10;
constexpr uint32_t user(uint32_t n) {
  return n << 1;
}
constexpr uint32_t item_id(uint32_t n) {
  return n << 11;
}
// kernel_code_properties
inline constexpr uint32_t kBuffer = 1, kDispatchPtr = 2, kQueuePtr = 4, kKernarg = 8,
                          kDispatchId = 16, kFlatScratch = 32, kPrivateSize = 64, kCountX = 128,
                          kCountY = 256, kCountZ = 512;

inline Dispatch dispatch() {
  Dispatch d;
  d.id = 3;
  d.packet_address = 0x100000040;
  d.dispatch_index = 0x500000006;
  d.queue_address = 0x700000800;
  d.entry = 0x900000a00;
  d.kernarg = 0xb00000c00;
  d.grid = {64, 1, 1};
  d.workgroup = {64, 1, 1};
  d.private_bytes = 6;
  d.scratch_descriptor = {0x11, 0x22, 0x33, 0x44};
  d.scratch_base = 0xd00000000;
  d.scratch_bytes_per_wave = 1024;
  return d;
}

class SpiTest : public testing::Test {
 protected:
  void make(unsigned units = 1, unsigned simds = 1, unsigned slots = 10) {
    config_.compute_units = units;
    config_.simds = simds;
    config_.slots = slots;
    spi_ = std::make_unique<SpiModel>(config_);
  }
  void step() {
    spi_->tick(now_);
    for (unsigned i = 0; i < spi_->compute_units(); ++i) {
      auto& launch = spi_->compute_unit(i).launch;
      while (launch.front(now_) != nullptr) {
        waves_.push_back({i, launch.pop(now_)});
        live_.push_back(waves_.back());
      }
    }
    if (spi_->dispatch_done.front(now_) != nullptr) done_.push_back(spi_->dispatch_done.pop(now_));
    ++now_;
  }
  void run(unsigned cycles = 2000) {
    for (unsigned i = 0; i < cycles; ++i) step();
  }
  void end_oldest(uint32_t error = 0) {
    const auto [unit, w] = live_.front();
    live_.pop_front();
    WaveDone d;
    d.id = w.id;
    d.simd = w.simd;
    d.slot = w.slot;
    d.dispatch = w.dispatch;
    d.workgroup = w.workgroup;
    d.error = error != 0;
    d.error_code = error;
    spi_->compute_unit(unit).done.push(d, now_ + 1);
  }
  void start(const Dispatch& d) { spi_->dispatch.push(d, now_ + 1); }

  struct Launched {
    unsigned unit;
    WaveLaunch wave;
  };
  Config config_;
  std::unique_ptr<SpiModel> spi_;
  Cycle now_ = 0;
  std::vector<Launched> waves_;
  std::deque<Launched> live_;
  std::vector<DispatchDone> done_;
};

}  // namespace cuvette::spi
