// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "spi/initial_state.h"
#include "spi/spi.h"

/// A user's wave launcher in C++ for the machine `small` (one compute unit of gfx908), deliberately
/// unlike Cuvette's: it takes the highest free wave slots and ranges instead of the lowest, fills
/// one SIMD before it turns to the next, and gives one wave at a time. It saves nothing: a dispatch
/// that is to be saved goes on, as docs/reference/spi.md allows one without a trap handler.
class UserSpi final : public cuvette::spi::Spi {
 public:
  /// `overlaps`: with an error, which shows as soon as two work-groups have LDS.
  explicit UserSpi(bool overlaps);

  void tick(cuvette::machine::Cycle now) override;
  cuvette::machine::Cycle next_event() const override { return 0; }
  unsigned compute_units() const override { return 1; }
  ComputeUnitPort& compute_unit(unsigned) override { return unit_; }

 private:
  using Cycle = cuvette::machine::Cycle;

  /// Ranges of a resource, taken from its end.
  struct Ranges {
    uint32_t size = 0, granule = 1;
    struct Used {
      uint32_t base, count;
    };
    std::vector<Used> used;
    bool allocate(uint32_t count, uint32_t& base);
    void free(uint32_t base);
  };
  struct Simd {
    Ranges vgprs{256, 4, {}}, acc{256, 4, {}}, sgprs{800, 16, {}};
    uint32_t slots = 0;  // a bit per slot that is taken
  };
  struct Active {
    cuvette::spi::DispatchPlan plan;
    uint64_t next_group = 0, waves = 0;
    bool over = false;  // nothing starts any more
    cuvette::spi::DispatchDone done;
  };
  struct Group {
    uint32_t key = 0, lds_base = 0;
    unsigned waves = 0;
  };

  void take_dispatch(Cycle now);
  void take_cancels(Cycle now);
  void take_done(Cycle now);
  void place(Cycle now);
  bool place_group(Active& active, Cycle now);
  bool place_wave(cuvette::spi::WaveLaunch& wave);
  void release(const cuvette::spi::WaveLaunch& wave);
  void finish(Cycle now);

  static constexpr unsigned kSimds = 4, kSlots = 10;
  ComputeUnitPort unit_;
  Simd simds_[kSimds];
  Ranges lds_{65536, 512, {}};
  bool overlaps_;
  std::deque<std::unique_ptr<Active>> active_;
  std::vector<cuvette::spi::WaveLaunch> live_;
  std::vector<Group> groups_;
  uint32_t next_key_ = 1000;
  Cycle launched_ = 0;  // the last wave moves then
};
