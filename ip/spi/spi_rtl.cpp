// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/spi/spi_rtl.h"

#include <bit>
#include <utility>

#include "ip/lockstep/pin_monitor.h"
#include "isa/target.h"

namespace cuvette::ip {

std::string refuse_spi(const spi::Config& config) {
  for (const uint32_t granule : {uint32_t{config.vgpr_granule}, config.lds_granule}) {
    if (std::has_single_bit(granule) && granule < 65536) continue;
    return "our RTL is for granules that are powers of two below 65536, the machine has " +
           std::to_string(granule);
  }
  struct Limit {
    const char* what;
    uint64_t has, least, most;
  };
  // Limits of the tables of a compute unit (rtl/spi/spi_unit_pkg.sv).
  const Limit limits[] = {
      {"compute units", config.compute_units, 1, kSpiUnits},
      {"SIMDs", config.simds, 1, 4},
      {"waves per SIMD", config.slots, 1, 10},
      {"granules of VGPRs", config.vgpr_rows / config.vgpr_granule, 1, 64},
      {"granules of AccVGPRs", config.acc_rows / config.vgpr_granule, 0, 64},
      {"granules of SGPRs", config.sgprs_per_simd / spi::kSgprGranule, 1, 64},
      {"granules of the LDS", config.lds_bytes / config.lds_granule, 1, 128},
      {"launch_cycles", config.launch_cycles, 4, 65535},  // a launch has four beats
  };
  for (const Limit& limit : limits) {
    if (limit.has >= limit.least && limit.has <= limit.most) continue;
    return "our RTL is for " + std::to_string(limit.least) + " to " + std::to_string(limit.most) +
           " " + limit.what + ", the machine has " + std::to_string(limit.has);
  }
  return {};
}

std::vector<std::pair<std::string_view, uint32_t>> spi_straps(const spi::Config& config) {
  const auto shift_of = [](uint32_t granule) {
    return static_cast<uint32_t>(std::countr_zero(std::bit_ceil(granule)));
  };
  return {
      {"target_i", static_cast<uint32_t>(isa::index_of(config.target))},
      {"units_i", config.compute_units},
      {"per_engine_i", spi::units_per_engine(config.compute_units, config.shader_engines)},
      {"simds_i", config.simds},
      {"slots_i", config.slots},
      {"row_shift_i", shift_of(config.vgpr_granule)},
      {"rows_i", config.vgpr_rows / config.vgpr_granule},
      {"acc_i", config.acc_rows / config.vgpr_granule},
      {"sgprs_i", config.sgprs_per_simd / spi::kSgprGranule},
      {"lds_shift_i", shift_of(config.lds_granule)},
      {"lds_i", config.lds_bytes / config.lds_granule},
      {"launch_cycles_i", config.launch_cycles},
      {"placement_i", recording::placement_number(config)},
  };
}

std::unique_ptr<SpiSeat> make_spi_rtl(const spi::Config& config, bool checks, uint64_t seed,
                                      const LockstepOptions& options,
                                      SpiSeat::Kit::OnMismatch on_mismatch) {
  if (!refuse_spi(config).empty()) return nullptr;
  auto device = checks ? make_spi_check(config, seed) : make_spi_fast(config);
  if (checks) {
    // Ends of waves wait for those of other compute units.
    device = std::make_unique<PinMonitor>(std::move(device),
                                          pin_channels(spi::kChannels, config.compute_units), 0);
  }
  return std::make_unique<SpiSeat>(std::move(device), config, options, std::move(on_mismatch));
}

}  // namespace cuvette::ip
