// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ip/spi/spi_seat.h"
#include "isa/target.h"
#include "spi/spi_model.h"

namespace cuvette::ip {

/// Ports for compute units of the Verilated builds of rtl/spi; for speed there is one for one, too.
inline constexpr unsigned kSpiUnits = 4;

/// Sets the straps of rtl/spi, which say what machine is around it. `Pins` is a Verilated model.
template <class Pins>
void strap_spi(Pins& pins, const spi::Config& config) {
  const auto shift_of = [](uint32_t granule) {
    unsigned shift = 0;
    while (1u << shift < granule) ++shift;
    return shift;
  };
  pins.target_i = static_cast<unsigned>(isa::index_of(config.target));
  pins.units_i = config.compute_units;
  pins.per_engine_i = spi::units_per_engine(config.compute_units, config.shader_engines);
  pins.simds_i = config.simds;
  pins.slots_i = config.slots;
  pins.row_shift_i = shift_of(config.vgpr_granule);
  pins.rows_i = config.vgpr_rows / config.vgpr_granule;
  pins.acc_i = config.acc_rows / config.vgpr_granule;
  pins.sgprs_i = config.sgprs_per_simd / spi::kSgprGranule;
  pins.lds_shift_i = shift_of(config.lds_granule);
  pins.lds_i = config.lds_bytes / config.lds_granule;
  pins.launch_cycles_i = config.launch_cycles;
  pins.placement_i = recording::placement_number(config);
}

/// A Verilated build of rtl/spi on the pins of a machine's compute units, strapped for it: for
/// speed; for checking, every bit starting at values drawn from `seed`.
std::unique_ptr<PinDevice> make_spi_fast(const spi::Config& config);
std::unique_ptr<PinDevice> make_spi_check(const spi::Config& config, uint64_t seed);

/// Part of a machine that our RTL has no circuit for, as text; empty: none.
std::string refuse_spi(const spi::Config& config);

/// Our RTL as a wave launcher, checked. `checks`: with assertions, random start values and
/// monitors. Null: refuse_spi() refuses it.
std::unique_ptr<SpiSeat> make_spi_rtl(const spi::Config& config, bool checks, uint64_t seed,
                                      const LockstepOptions& options,
                                      SpiSeat::Kit::OnMismatch on_mismatch);

}  // namespace cuvette::ip
