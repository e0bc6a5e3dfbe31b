// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wave/lane_op.h"
#include "wave_valu_support.h"

// SDWA selects and DPP lane routing (Vega ISA 13, decisions.md D6).
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
