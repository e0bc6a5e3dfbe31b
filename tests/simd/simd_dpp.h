// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "simd_wave.h"

// Every DPP control through rtl/simd, against the tables of the manual.
namespace cuvette::simd_dpp {

using simd_wave::Tester;
using simd_wave::Wave;

/// DPP_CTRL, Vega ISA 13.3.9 table "DPP_CTRL enumerations": the lane read, or nothing.
inline std::optional<unsigned> source_lane(unsigned ctrl, unsigned lane) {
  const unsigned row = lane / 16, place = lane % 16, n = ctrl % 16;
  const auto at = [&](unsigned p) { return std::optional<unsigned>(row * 16 + p); };
  if (ctrl < 0x100) return lane / 4 * 4 + (ctrl >> lane % 4 * 2) % 4;
  if (ctrl < 0x110) return place + n < 16 ? at(place + n) : std::nullopt;
  if (ctrl < 0x120) return place >= n ? at(place - n) : std::nullopt;
  if (ctrl < 0x130) return at((place + 16 - n) % 16);
  if (ctrl == 0x130) return lane < 63 ? std::optional(lane + 1) : std::nullopt;
  if (ctrl == 0x134) return (lane + 1) % 64;
  if (ctrl == 0x138) return lane > 0 ? std::optional(lane - 1) : std::nullopt;
  if (ctrl == 0x13c) return (lane + 63) % 64;
  if (ctrl == 0x140) return at(15 - place);
  if (ctrl == 0x141) return at(place < 8 ? 7 - place : 23 - place);
  if (ctrl == 0x142) return row > 0 ? std::optional(row * 16 - 1) : std::nullopt;
  if (ctrl == 0x143) return lane >= 32 ? std::optional(31u) : std::nullopt;
  return at(n);  // 0x150 to 0x15f, row_newbcast of gfx90a
}

inline std::vector<unsigned> controls() {
  std::vector<unsigned> list;
  for (unsigned c = 0; c < 0x100; ++c) list.push_back(c);
  for (const unsigned kind : {0x100u, 0x110u, 0x120u}) {
    for (unsigned n = 1; n < 16; ++n) list.push_back(kind + n);
  }
  for (const unsigned c : {0x130u, 0x134u, 0x138u, 0x13cu, 0x140u, 0x141u, 0x142u, 0x143u}) {
    list.push_back(c);
  }
  return list;
}

inline uint32_t word(unsigned source, unsigned ctrl, bool bound, unsigned banks, unsigned rows) {
  return source | ctrl << 8 | unsigned{bound} << 19 | banks << 24 | rows << 28;
}

inline constexpr uint32_t kMov = 0x7e0002fa;  // V_MOV_B32 with DPP, VDST 0

/// V_MOV_B32 with every control, so many variants of EXEC, masks and bound_ctrl each, the first two
/// with every lane. Source and destination are drawn anew and read back for each, every register
/// after the last one of a control: filling and reading all 128 rows takes a hundred times as long
/// as the instruction, and what was written elsewhere is still there then. False at the first
/// register file that differs.
inline bool check(unsigned variants) {
  Tester t(1);
  Wave w = t.random();
  for (const unsigned ctrl : controls()) {
    for (unsigned n = 0; n < variants; ++n) {
      const bool bound = n % 2 != 0;
      const unsigned banks = n < 2 ? 15u : static_cast<unsigned>(t.rng() % 16);
      const unsigned rows = n < 2 ? 15u : static_cast<unsigned>(t.rng() % 16);
      t.redraw(w, {5, 9});
      if (n < 2) w.exec = ~uint64_t{0};
      Wave want = w;
      for (unsigned lane = 0; lane < 64; ++lane) {
        const auto source = source_lane(ctrl, lane);
        const bool valid = source && (w.exec >> *source & 1) != 0;
        const bool on = (w.exec >> lane & 1) != 0 && (rows >> lane / 16 & 1) != 0 &&
                        (banks >> lane % 16 / 4 & 1) != 0;
        if (on && valid) want.v[5][lane] = w.v[9][*source];
        if (on && !valid && bound) want.v[5][lane] = 0;
      }
      const std::vector<uint32_t> words = {kMov | 5u << 17, word(9, ctrl, bound, banks, rows)};
      if (n + 1 == variants) {
        t.run(w, words);
      } else {
        t.run(w, words, {5, 9});
      }
      if (!(w == want)) return false;
    }
  }
  return true;
}

/// V_ADD_CO_U32 and V_SUBB_CO_U32 with so many draws of control, EXEC and masks: masks gate the
/// register alone, a lane without a source leaves its bit of VCC (decisions.md D55). False at
/// the first difference.
inline bool check_carry_out(unsigned draws) {
  Tester t(16);
  Wave w = t.random();
  for (unsigned n = 0; n < draws; ++n) {
    const auto list = controls();
    const unsigned ctrl = list[n % 3 == 0 ? t.rng() % 256 : 256 + t.rng() % 53];
    const bool bound = t.rng() % 2 != 0, borrows = t.rng() % 2 != 0;
    const auto banks = static_cast<unsigned>(t.rng() % 16),
               rows = static_cast<unsigned>(t.rng() % 16);
    t.redraw(w, {3, 8, 9});
    Wave want = w;
    uint64_t mask = 0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      if ((w.exec >> lane & 1) == 0) continue;
      const auto source = source_lane(ctrl, lane);
      const bool valid = source && (w.exec >> *source & 1) != 0;
      const uint64_t old = w.vcc >> lane & 1;
      if (!valid && !bound) {
        mask |= old << lane;
        continue;
      }
      const uint64_t a = valid ? w.v[9][*source] : 0, b = w.v[8][lane];
      const uint64_t sum = borrows ? a - b - old : a + b;
      mask |= (sum >> 32 & 1) << lane;
      const bool on = (rows >> lane / 16 & 1) != 0 && (banks >> lane % 16 / 4 & 1) != 0;
      if (on) want.v[3][lane] = static_cast<uint32_t>(sum);
    }
    const unsigned op = borrows ? 29 : 25;
    const simd_wave::Result r = t.run(
        w, {op << 25 | 3u << 17 | 8u << 9 | 250u, word(9, ctrl, bound, banks, rows)}, {3, 8, 9});
    if (!(w == want) || !r.has_mask || r.mask != mask) return false;
  }
  return true;
}

}  // namespace cuvette::simd_dpp
