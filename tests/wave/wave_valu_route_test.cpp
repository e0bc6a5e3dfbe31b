// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wave/lane_op.h"
#include "wave_valu_support.h"

// SDWA selects and DPP lane routing (Vega ISA 13, decisions.md D6, D55).
namespace cuvette::wave {
namespace {

using test::Case;
using test::kAllLanes;

/// SDWA by the text of Vega ISA 13: what a select sees, and what a destination becomes.
uint32_t selected(uint32_t word, unsigned select, bool sext) {
  switch (select) {
    case 0:
      return sext ? static_cast<uint32_t>(static_cast<int8_t>(word)) : word & 0xff;
    case 1:
      return selected(word >> 8, 0, sext);
    case 2:
      return selected(word >> 16, 0, sext);
    case 3:
      return selected(word >> 24, 0, sext);
    case 4:
      return sext ? static_cast<uint32_t>(static_cast<int16_t>(word)) : word & 0xffff;
    case 5:
      return selected(word >> 16, 4, sext);
    default:
      return word;
  }
}
uint32_t merged(uint32_t old, uint32_t value, unsigned select, unsigned unused) {
  if (select == 6) return value;
  const unsigned lo = select < 4 ? 8 * select : 16 * (select - 4);
  const unsigned width = select < 4 ? 8 : 16;
  uint32_t d = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    bool set = false;
    if (bit >= lo && bit < lo + width) {
      set = ((value >> (bit - lo)) & 1) != 0;
    } else if (unused == 2) {
      set = ((old >> bit) & 1) != 0;
    } else if (unused == 1 && bit >= lo + width) {
      set = ((value >> (width - 1)) & 1) != 0;
    }
    d |= uint32_t{set} << bit;
  }
  return d;
}

TEST(Sdwa, SelectsOfIntegers) {
  struct Op {
    const char* mnemonic;
    uint32_t (*fn)(uint32_t, uint32_t);
    bool half;
  };
  const Op ops[] = {{"v_add_u32", [](uint32_t a, uint32_t b) { return a + b; }, false},
                    {"v_xor_b32", [](uint32_t a, uint32_t b) { return a ^ b; }, false},
                    {"v_mov_b32", [](uint32_t a, uint32_t) { return a; }, false},
                    {"v_ashrrev_i32",
                     [](uint32_t a, uint32_t b) {
                       return static_cast<uint32_t>(static_cast<int32_t>(b) >> (a & 31));
                     },
                     false},
                    {"v_sub_u16", [](uint32_t a, uint32_t b) { return (a - b) & 0xffff; }, true},
                    {"v_max_i16",
                     [](uint32_t a, uint32_t b) {
                       return (static_cast<int16_t>(a) >= static_cast<int16_t>(b) ? a : b) & 0xffff;
                     },
                     true}};
  uint64_t state = 17;
  for (const Op& op : ops) {
    for (unsigned n = 0; n < 7 * 7 * 7 * 3 * 4; ++n) {
      Case c;
      c.mnemonic = op.mnemonic;
      c.encoding = isa::Encoding::Sdwa;
      const unsigned s0 = n % 7, s1 = n / 7 % 7, dst = n / 49 % 7, unused = n / 343 % 3;
      c.mod.sdwa_src[0] = static_cast<isa::SdwaSelect>(s0);
      c.mod.sdwa_src[1] = static_cast<isa::SdwaSelect>(s1);
      c.mod.sdwa_dst = static_cast<isa::SdwaSelect>(dst);
      c.mod.sdwa_unused = static_cast<isa::SdwaUnused>(unused);
      c.mod.sext = static_cast<uint8_t>(n / 1029);
      c.exec = 0xff00ff00ff00ff0f;
      for (unsigned lane = 0; lane < 64; ++lane) {
        c.src[0][lane] = test::next_random(state) & 0xffffffff;
        c.src[1][lane] = test::next_random(state) & 0xffffffff;
        c.old[lane] = test::next_random(state);
      }
      const test::Outputs out = test::run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const auto old = static_cast<uint32_t>(c.old[lane]);
        uint32_t expected = old;
        if (((c.exec >> lane) & 1) != 0) {
          const uint32_t a =
              selected(static_cast<uint32_t>(c.src[0][lane]), s0, (c.mod.sext & 1) != 0);
          const uint32_t b =
              selected(static_cast<uint32_t>(c.src[1][lane]), s1, (c.mod.sext & 2) != 0);
          expected = merged(old, op.fn(a, b), dst, unused);
        }
        ASSERT_EQ(static_cast<uint32_t>(out.dst[lane]), expected)
            << op.mnemonic << " selects " << s0 << " " << s1 << " " << dst << " unused " << unused
            << " sext " << unsigned{c.mod.sext};
      }
    }
  }
}

TEST(Sdwa, FloatsSelectBeforeAbsAndNeg) {
  Case c;
  c.mnemonic = "v_add_f16";
  c.encoding = isa::Encoding::Sdwa;
  c.mod.sdwa_src[0] = isa::SdwaSelect::Word1;
  c.mod.sdwa_src[1] = isa::SdwaSelect::Word0;
  c.mod.sdwa_dst = isa::SdwaSelect::Word1;
  c.mod.sdwa_unused = isa::SdwaUnused::Preserve;
  c.mod.abs = 1;
  c.mod.neg = 3;
  c.src[0].fill(0xc0005555);  // -2 in the upper half: -|x| = -2
  c.src[1].fill(0x5555bc00);  // -1 in the lower half: negated 1
  c.old.fill(0x12345678);
  EXPECT_EQ(test::run(c).dst[0], 0xbc005678u);  // -1
  // The same as a comparison.
  c.mnemonic = "v_cmp_lt_f16";
  EXPECT_EQ(test::run(c).mask, kAllLanes);
  c.mod.neg = 2;
  EXPECT_EQ(test::run(c).mask, 0u);
}

TEST(Sdwa, CarryAndSelectMasks) {
  Case c;
  c.mnemonic = "v_addc_co_u32";
  c.encoding = isa::Encoding::Sdwa;
  c.mod.sdwa_src[0] = isa::SdwaSelect::Byte3;
  c.mod.sext = 1;
  c.vcc = 1;
  c.src[0].fill(0xff000000);  // -1 from the sign-extended byte
  c.src[1].fill(1);
  const test::Outputs out = test::run(c);
  EXPECT_EQ(out.dst[0], 1u);
  EXPECT_EQ(out.dst[1], 0u);
  EXPECT_EQ(out.mask, kAllLanes);
}

/// The carry-out is that of the whole sum, whatever part of it is written (SDWA has no masks).
TEST(Sdwa, CarryOutOfEveryRow) {
  struct Row {
    const char* mnemonic;
    uint32_t a, b, dst;
    bool carry;
  };
  // Byte 1 of the first source, sign-extended: -1; VCC is 1 in every lane.
  constexpr Row kRows[] = {
      {"v_add_co_u32", 0xff00, 2, 1, true},      {"v_sub_co_u32", 0xff00, 2, 0xfd, false},
      {"v_subrev_co_u32", 0xff00, 2, 3, true},   {"v_addc_co_u32", 0xff00, 2, 2, true},
      {"v_subb_co_u32", 0xff00, 2, 0xfc, false}, {"v_subbrev_co_u32", 0xff00, 2, 2, true},
  };
  for (const Row& row : kRows) {
    Case c;
    c.mnemonic = row.mnemonic;
    c.encoding = isa::Encoding::Sdwa;
    c.mod.sdwa_src[0] = isa::SdwaSelect::Byte1;
    c.mod.sext = 1;
    c.mod.sdwa_dst = isa::SdwaSelect::Byte2;
    c.mod.sdwa_unused = isa::SdwaUnused::Preserve;
    c.vcc = kAllLanes;
    c.exec = 0xfffffffffffffff0;
    c.src[0].fill(row.a);
    c.src[1].fill(row.b);
    c.old.fill(0x11223344);
    const test::Outputs out = test::run(c);
    EXPECT_EQ(out.dst[4], 0x11003344u | row.dst << 16) << row.mnemonic;
    EXPECT_EQ(out.dst[3], 0x11223344u) << row.mnemonic;
    EXPECT_EQ(out.mask, row.carry ? c.exec : 0) << row.mnemonic;
  }
}

/// The source lane of each DPP control, from the formulas of Vega ISA 13; -1 out of range.
int dpp_reference(unsigned ctrl, int n) {
  const int row = n / 16 * 16, at = n % 16;
  if (ctrl < 0x100) {
    const unsigned field[] = {ctrl & 3, (ctrl >> 2) & 3, (ctrl >> 4) & 3, ctrl >> 6};
    return n / 4 * 4 + static_cast<int>(field[n % 4]);
  }
  const int k = static_cast<int>(ctrl & 15);
  if (ctrl >= 0x101 && ctrl <= 0x10f) return at + k < 16 ? n + k : -1;
  if (ctrl >= 0x111 && ctrl <= 0x11f) return at - k >= 0 ? n - k : -1;
  if (ctrl >= 0x121 && ctrl <= 0x12f) return at >= k ? n - k : n + 16 - k;
  if (ctrl >= 0x150 && ctrl <= 0x15f) return row + k;
  switch (ctrl) {
    case 0x130:
      return n < 63 ? n + 1 : -1;
    case 0x134:
      return n < 63 ? n + 1 : 0;
    case 0x138:
      return n > 0 ? n - 1 : -1;
    case 0x13c:
      return n > 0 ? n - 1 : 63;
    case 0x140:
      return row + 15 - at;
    case 0x141:
      return n - n % 8 + 7 - n % 8;
    case 0x142:
      return n > 15 ? row - 1 : -1;
    case 0x143:
      return n > 31 ? 31 : -1;
    default:
      return -1;
  }
}

TEST(Dpp, EveryControl) {
  std::vector<unsigned> controls = {0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  for (unsigned k = 0; k < 256; ++k) controls.push_back(k);
  for (unsigned k = 1; k < 16; ++k) {
    for (const unsigned base : {0x100u, 0x110u, 0x120u, 0x150u}) controls.push_back(base + k);
  }
  controls.push_back(0x150);
  for (const unsigned ctrl : controls) {
    for (const bool bound : {false, true}) {
      for (const uint64_t exec : {kAllLanes, uint64_t{0xfff1f00fabcd1248}}) {
        for (const unsigned masks : {0xffu, 0xa5u, 0x3cu}) {
          Case c;
          c.mnemonic = "v_sub_u32";
          c.target = isa::Target::Gfx90a;
          c.encoding = isa::Encoding::Dpp;
          c.mod.dpp_ctrl = static_cast<uint16_t>(ctrl);
          c.mod.dpp_bound_ctrl = bound;
          c.mod.dpp_row_mask = masks & 15;
          c.mod.dpp_bank_mask = static_cast<uint8_t>(masks >> 4);
          c.exec = exec;
          for (unsigned lane = 0; lane < 64; ++lane) {
            c.src[0][lane] = 1000 + lane;
            c.src[1][lane] = 10 * lane;
            c.old[lane] = 0xdead0000 + lane;
          }
          const test::Outputs out = test::run(c);
          for (unsigned lane = 0; lane < 64; ++lane) {
            const int from = dpp_reference(ctrl, static_cast<int>(lane));
            const bool valid = from >= 0 && ((exec >> from) & 1) != 0;
            const bool selected_lane = (((masks & 15) >> (lane / 16)) & 1) != 0 &&
                                       (((masks >> 4) >> (lane % 16 / 4)) & 1) != 0 &&
                                       ((exec >> lane) & 1) != 0;
            uint32_t expected = 0xdead0000 + lane;
            if (selected_lane && (valid || bound)) {
              expected = (valid ? 1000 + static_cast<uint32_t>(from) : 0) - 10 * lane;
            }
            ASSERT_EQ(static_cast<uint32_t>(out.dst[lane]), expected)
                << "dpp_ctrl " << std::hex << ctrl << " bound_ctrl " << bound << " lane "
                << std::dec << lane;
          }
        }
      }
    }
  }
}

constexpr isa::Target kTargets[] = {isa::Target::Gfx900, isa::Target::Gfx906, isa::Target::Gfx908,
                                    isa::Target::Gfx90a, isa::Target::Gfx942};

/// The six instructions with a carry-out in VCC that have DPP, by their text (Vega ISA 12.6).
struct CarryRow {
  const char* mnemonic;
  int left, right;  ///< signs of the sources
  bool takes_carry;
};
constexpr CarryRow kCarryRows[] = {
    {"v_add_co_u32", 1, 1, false},     {"v_sub_co_u32", 1, -1, false},
    {"v_subrev_co_u32", -1, 1, false}, {"v_addc_co_u32", 1, 1, true},
    {"v_subb_co_u32", 1, -1, true},    {"v_subbrev_co_u32", -1, 1, true},
};

/// Row and bank masks gate the VGPR alone; a lane without a source leaves its bit of VCC as it was
/// (decisions.md D55).
TEST(Dpp, CarryOutUnderMasks) {
  uint64_t state = 55;
  constexpr unsigned kControls[] = {0x1b,  0x101, 0x10f, 0x111, 0x118, 0x121, 0x130,
                                    0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  for (const CarryRow& row : kCarryRows) {
    for (const unsigned ctrl : kControls) {
      for (unsigned n = 0; n < 24; ++n) {
        const bool bound = n % 2 != 0;
        Case c;
        c.mnemonic = row.mnemonic;
        c.target = kTargets[n % 5];
        c.encoding = isa::Encoding::Dpp;
        c.mod.dpp_ctrl = static_cast<uint16_t>(ctrl);
        c.mod.dpp_bound_ctrl = bound;
        c.mod.dpp_row_mask = n % 3 == 0 ? 15 : test::next_random(state) & 15;
        c.mod.dpp_bank_mask = n % 4 == 0 ? 15 : test::next_random(state) & 15;
        c.exec = n % 5 == 1 ? kAllLanes : test::next_random(state);
        c.vcc = test::next_random(state);
        for (unsigned lane = 0; lane < 64; ++lane) {
          c.src[0][lane] = test::next_random(state) & 0xffffffff;
          c.src[1][lane] = lane % 4 == 0 ? c.src[0][lane] : test::next_random(state) & 0xffffffff;
          c.old[lane] = test::next_random(state) & 0xffffffff;
        }
        const test::Outputs out = test::run(c);
        uint64_t mask = 0;
        for (unsigned lane = 0; lane < 64; ++lane) {
          const int from = dpp_reference(ctrl, static_cast<int>(lane));
          const bool valid = from >= 0 && ((c.exec >> from) & 1) != 0;
          const bool active = ((c.exec >> lane) & 1) != 0;
          const bool selected = ((c.mod.dpp_row_mask >> (lane / 16)) & 1) != 0 &&
                                ((c.mod.dpp_bank_mask >> (lane % 16 / 4)) & 1) != 0;
          const uint64_t old_bit = (c.vcc >> lane) & 1;
          uint64_t bit = 0;
          auto expected = static_cast<uint32_t>(c.old[lane]);
          if (active && (valid || bound)) {
            const int64_t a =
                valid ? static_cast<int64_t>(c.src[0][static_cast<unsigned>(from)]) : 0;
            const auto b = static_cast<int64_t>(c.src[1][lane]);
            const bool adds = row.left == row.right;
            const int64_t in = row.takes_carry ? static_cast<int64_t>(old_bit) : 0;
            const int64_t sum = row.left * a + row.right * b + (adds ? in : -in);
            bit = adds ? sum > 0xffffffff : sum < 0;
            if (selected) expected = static_cast<uint32_t>(sum);
          } else if (active) {
            bit = old_bit;
          }
          mask |= bit << lane;
          ASSERT_EQ(static_cast<uint32_t>(out.dst[lane]), expected)
              << row.mnemonic << " dpp_ctrl " << std::hex << ctrl << " lane " << std::dec << lane;
        }
        ASSERT_EQ(out.mask, mask) << row.mnemonic << " dpp_ctrl " << std::hex << ctrl
                                  << " bound_ctrl " << bound << " exec " << c.exec;
        ASSERT_EQ(out.exec, c.exec);
      }
    }
  }
}

/// The masks of a row 0 that is not written, by hand: lane 0 of each row has no source.
TEST(Dpp, CarryOutOfARowThatIsNotWritten) {
  for (const isa::Target target : kTargets) {
    Case c;
    c.mnemonic = "v_add_co_u32";
    c.target = target;
    c.encoding = isa::Encoding::Dpp;
    c.mod.dpp_ctrl = 0x111;  // row_shr:1
    c.mod.dpp_row_mask = 0xe;
    c.src[0].fill(0xffffffff);
    c.src[1].fill(1);
    c.old.fill(7);
    test::Outputs out = test::run(c);
    EXPECT_EQ(out.mask, 0xfffefffefffefffe);
    EXPECT_EQ(out.dst[1], 7u);
    EXPECT_EQ(out.dst[16], 7u);
    EXPECT_EQ(out.dst[17], 0u);
    c.vcc = 0x0000000000010001;
    EXPECT_EQ(test::run(c).mask, 0xfffefffeffffffff);
    c.mod.dpp_bound_ctrl = true;  // 0 + 1 has no carry
    out = test::run(c);
    EXPECT_EQ(out.mask, 0xfffefffefffefffe);
    EXPECT_EQ(out.dst[16], 1u);
    EXPECT_EQ(out.dst[0], 7u);
  }
}

/// The masks gate the VGPR alone: a lane that they leave out raises exceptions, one without a
/// source does not. The select of V_CNDMASK is that of the lane that is written.
TEST(Dpp, MasksOfFloatsAndSelects) {
  for (const isa::Target target : kTargets) {
    Case c;
    c.mnemonic = "v_add_f32";
    c.target = target;
    c.encoding = isa::Encoding::Dpp;
    c.mod.dpp_ctrl = 0x111;
    c.mod.dpp_row_mask = 0xd;
    c.src[0].fill(0x3f800000);
    c.src[1].fill(0x3f800000);
    c.src[1][17] = 0x7f7fffff;  // row 1, overflows with lane 16
    c.src[0][16] = 0x7f7fffff;
    c.old.fill(5);
    test::Outputs out = test::run(c);
    EXPECT_EQ(out.dst[17], 5u);
    EXPECT_EQ(out.dst[33], 0x40000000u);
    EXPECT_EQ(out.trapsts, 8u | 32u);  // overflow, inexact
    c.src[1][17] = 0x3f800000;
    c.src[0][16] = 0x3f800000;
    c.src[1][16] = 0x7f800001;  // lane 16 has no source: it does not work
    out = test::run(c);
    EXPECT_EQ(out.trapsts, 0u);

    Case select;
    select.mnemonic = "v_cndmask_b32";
    select.target = target;
    select.encoding = isa::Encoding::Dpp;
    select.mod.dpp_ctrl = 0x111;
    select.mod.dpp_bank_mask = 0xe;
    select.vcc = 0x00000000000000f0;
    for (unsigned lane = 0; lane < 64; ++lane) {
      select.src[0][lane] = 100 + lane;
      select.src[1][lane] = 200 + lane;
    }
    select.old.fill(9);
    out = test::run(select);
    EXPECT_EQ(out.dst[1], 9u);                 // bank 0
    EXPECT_EQ(out.dst[4], 204u);               // VCC of lane 4
    EXPECT_EQ(out.dst[8], 107u);               // of lane 8
    EXPECT_EQ(out.mask, 0x00000000000000f0u);  // it writes none
  }
}

TEST(Dpp, DestinationMayBeTheSource) {
  test::Machine m;
  Case c;
  c.mnemonic = "v_mov_b32";
  c.encoding = isa::Encoding::Dpp;
  c.mod.dpp_ctrl = 0x134;  // wave_rol
  isa::Instruction in = test::instruction_of(c);
  in.dst[0].index = in.src[0].index;
  m.wave.s.set_exec(kAllLanes);
  for (unsigned lane = 0; lane < 64; ++lane) m.arch[in.dst[0].index][lane] = lane;
  execute_vector(m.wave, in);
  for (unsigned lane = 0; lane < 64; ++lane)
    EXPECT_EQ(m.arch[in.dst[0].index][lane], (lane + 1) % 64);
}

/// The valu block works in beats of 16 lanes: a handler called four times with 16 lanes gives what
/// one call with 64 gives.
TEST(Beats, FourOfSixteenLanesAreOneOfSixtyFour) {
  unsigned rows = 0;
  uint64_t state = 4242;
  for (const isa::Row& row : isa::rows()) {
    const LaneHandler handler = lane_handler(row.semantic);
    if (handler == nullptr) continue;
    ++rows;
    isa::Instruction in;
    in.row = &row;
    in.mod.op_sel_hi = 7;
    for (unsigned round = 0; round < 4; ++round) {
      LaneRow src[3][4], dst[2][4];
      for (auto& source : src) {
        for (LaneRow& values : source) {
          for (uint32_t& x : values) {
            // Small exponents of both signs now and then, so that floats meet.
            x = static_cast<uint32_t>(test::next_random(state));
            if (round % 2 == 0) x = (x & 0x807fffff) | (x % 64 + 96) << 23;
          }
        }
      }
      for (unsigned d = 0; d < 4; ++d) {
        for (uint32_t& x : dst[0][d]) x = static_cast<uint32_t>(test::next_random(state));
        dst[1][d] = dst[0][d];
      }
      const uint64_t exec = round < 2 ? kAllLanes : test::next_random(state);
      const uint64_t mask = test::next_random(state);
      LaneOp op;
      op.instruction = &in;
      op.mode.raw = kDefaultMode;
      LaneResult whole;
      const auto point = [&](unsigned first, LaneResult& result, unsigned copy) {
        for (unsigned d = 0; d < 4; ++d) {
          for (unsigned s = 0; s < 3; ++s) op.src[s][d] = src[s][d].data() + first;
          result.dst[d] = dst[copy][d].data() + first;
        }
      };
      point(0, whole, 0);
      op.exec = exec;
      op.mask_in = mask;
      handler(op, whole);
      uint64_t joined = 0;
      unsigned flags = 0;
      for (unsigned first = 0; first < 64; first += 16) {
        LaneResult beat;
        point(first, beat, 1);
        op.lanes = 16;
        op.first_lane = first;
        op.exec = (exec >> first) & 0xffff;
        op.mask_in = (mask >> first) & 0xffff;
        handler(op, beat);
        joined |= beat.mask << first;
        flags |= beat.flags;
      }
      for (unsigned d = 0; d < 4; ++d) ASSERT_EQ(dst[0][d], dst[1][d]) << row.mnemonic;
      ASSERT_EQ(joined, whole.mask) << row.mnemonic;
      ASSERT_EQ(flags, whole.flags) << row.mnemonic;
    }
  }
  EXPECT_GE(rows, 470u);
}

}  // namespace
}  // namespace cuvette::wave
