// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spi_rtl_fixture.h"

// Dispatches that rtl/spi saves, for tests by hand (docs/reference/spi.md, "Waves that are saved").
namespace cuvette {

inline constexpr uint64_t kArea = 0x2000'0000;
inline constexpr uint64_t kHandler = 0x7000;
// 16 VGPRs and as many AccVGPRs on gfx908, 256 bytes each, and 1024 for scalars.
inline constexpr uint32_t kWaveBytes = 32 * 256 + 1024;
// Two waves and 512 bytes of LDS are 18,944 bytes.
inline constexpr uint32_t kPages = 5;

/// Work-groups of two waves.
inline Dispatch two_waves(uint32_t id, uint32_t groups) {
  Dispatch d = dispatch(id, groups, 128);
  d.entry = 0x9000;
  d.group_bytes = 512;
  d.tba = kHandler;
  d.save_area = kArea;
  return d;
}

/// Machine of gfx908 with room for two work-groups of two waves on a compute unit.
inline Config two_groups_each(unsigned units) {
  Config c = machine_of(isa::Target::Gfx908, units);
  c.simds = 1, c.slots = 4;
  return c;
}

/// `pages` from `from` pages on.
inline spi::Save save(uint32_t id, uint32_t pages, uint32_t groups = 100, uint32_t from = 0) {
  return {id, kArea, from * 4096, (from + pages) * 4096, groups};
}

}  // namespace cuvette
