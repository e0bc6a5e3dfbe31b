// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ip/spi/spi_seat.h"
#include "spi/spi_model.h"

namespace cuvette::ip {

/// Ports for compute units of the Verilated builds of rtl/spi; for speed there is one for one, too.
inline constexpr unsigned kSpiUnits = 4;

/// The inputs of rtl/spi that say what machine is around it, by port name, with their values.
std::vector<std::pair<std::string_view, uint32_t>> spi_straps(const spi::Config& config);

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
