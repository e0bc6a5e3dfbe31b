// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The decoded executor at every level of the host's vector unit against the reference executor:
// registers, flags and MXCSR are the same.
#include <cstdlib>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "golden/wave.h"
#include "isa/encode.h"
#include "isa/text.h"
#include "isa_support/builder.h"
#include "wave/lanes/host_level.h"

namespace cuvette::golden {
namespace {

using isa::Encoding;
using isa::Format;
using wave::LaneRow;
using wave::lanes::HostLevel;

constexpr uint32_t kEndProgram = 0xbf810000;
constexpr unsigned kVgprs = 256;

struct State {
  wave::ScalarState scalar;
  std::vector<LaneRow> rows;
};

uint32_t mxcsr() {
  uint32_t value = 0;
#if defined(__x86_64__)
  asm volatile("stmxcsr %0" : "=m"(value));
#endif
  return value;
}

/// Numbers near the corners of F32: zeros, subnormals, the ends of the range, infinities, NaNs.
constexpr uint32_t kSpecial[] = {0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000,
                                 0x80800001, 0x3f800000, 0xbf800001, 0x34000000, 0x7f7fffff,
                                 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345,
                                 0x7f800001, 0xffa00000, 0x0d000000, 0x72000000};

uint32_t number(std::mt19937_64& random) {
  const uint64_t r = random();
  const auto bits = static_cast<uint32_t>(r >> 32);
  switch (r % 4) {
    case 0:
      return kSpecial[(r >> 8) % std::size(kSpecial)];
    case 1:
      return 0x3f000000 | (bits & 0x80ffffff);
    default:
      return bits;
  }
}

State random_state(std::mt19937_64& random, uint32_t mode) {
  State s;
  s.rows.resize(kVgprs);
  // Most programs see ordinary numbers in most registers, or every row would end in NaNs.
  const unsigned odd = random() % 3 == 0 ? 1 : 40;
  for (LaneRow& row : s.rows) {
    const bool special = random() % odd == 0;
    for (uint32_t& lane : row) {
      lane = special ? number(random) : 0x3e000000 | static_cast<uint32_t>(random() & 0x81ffffff);
    }
  }
  for (uint32_t& sgpr : s.scalar.sgpr) sgpr = number(random);
  s.scalar.sgpr[isa::kM0] &= 0xf00f;
  s.scalar.mode.raw = mode;
  s.scalar.scc = random() % 2 != 0;
  s.scalar.set_exec(random() % 2 != 0 ? ~uint64_t{0} : random());
  return s;
}

/// Programs in executable memory.
class Code {
 public:
  Code() {
    hsa::DeviceMemory::Options options;
    options.permitted = hsa::Access::Execute;
    address_ = *memory_.allocate(kBytes, options);
  }
  void load(std::vector<uint32_t> words) {
    words.push_back(kEndProgram);
    ASSERT_LE(4 * words.size(), kBytes);
    ASSERT_TRUE(memory_.poke(address_, words.data(), 4 * words.size()).ok());
  }
  /// The state after the program.
  State run(isa::Target target, const State& before, bool decoded, HostLevel level,
            uint16_t vgprs = kVgprs) {
    wave::lanes::limit_host_level(level);
    Program program(memory_, target);
    MemoryPort port(memory_);
    Workgroup group;
    group.waves = 1;
    Wave w(target, vgprs, 0);
    w.group = &group;
    w.state.s = before.scalar;
    w.state.s.pc = address_;
    w.state.alloc.vgprs = vgprs;
    w.uses_micro_ops = decoded;
    std::copy_n(before.rows.begin(), vgprs, w.state.v.arch);
    const uint32_t found = mxcsr();
    w.run(100000, program, port, nullptr);
    EXPECT_EQ(mxcsr(), found) << "level " << static_cast<int>(level);
    EXPECT_EQ(w.status, WaveStatus::Ended) << w.failure;
    wave::lanes::limit_host_level(HostLevel::Avx512);
    return {w.state.s, {w.state.v.arch, w.state.v.arch + vgprs}};
  }

 private:
  static constexpr uint64_t kBytes = 1 << 16;
  hsa::DeviceMemory memory_;
  uint64_t address_ = 0;
};

void expect_same(const State& expected, const State& actual, const std::string& what) {
  EXPECT_EQ(expected.rows.size(), actual.rows.size());
  for (unsigned r = 0; r < expected.rows.size(); ++r) {
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      ASSERT_EQ(expected.rows[r][lane], actual.rows[r][lane])
          << std::hex << what << " v" << std::dec << r << " lane " << lane;
    }
  }
  const wave::ScalarState &e = expected.scalar, &a = actual.scalar;
  ASSERT_EQ(e.sgpr, a.sgpr) << what;
  ASSERT_EQ(e.trapsts, a.trapsts) << what;
  ASSERT_EQ(e.scc, a.scc) << what;
  ASSERT_EQ(e.mode.raw, a.mode.raw) << what;
  ASSERT_EQ(e.status, a.status) << what;
  ASSERT_EQ(e.pc, a.pc) << what;
}

/// All ways against the one without the host's vector unit.
void expect_all_same(Code& code, isa::Target target, const State& before, const std::string& what,
                     uint16_t vgprs = kVgprs) {
  const State exact = code.run(target, before, false, HostLevel::None, vgprs);
  for (const HostLevel level :
       {HostLevel::None, HostLevel::Baseline, HostLevel::Avx2, HostLevel::Avx512}) {
    const std::string where = what + " level " + std::to_string(static_cast<int>(level));
    const State quick = code.run(target, before, true, level, vgprs);
    expect_same(exact, quick, where);
    if (::testing::Test::HasFailure()) return;
  }
}

bool is_valu(Format format) {
  return format == Format::Vop1 || format == Format::Vop2 || format == Format::Vopc ||
         format == Format::Vop3a || format == Format::Vop3b || format == Format::Vop3p;
}

constexpr uint32_t kModes[] = {0x3f0, 0x3c0, 0x1f5, 0x05a, 0x12f, 0x300};

/// Per row and encoding.
unsigned states() {
  const char* const text = std::getenv("CUVETTE_TEST_VECTORS");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 6;
}

/// Every VALU row with each operand corner and modifier of its encodings, one program per row.
TEST(HostLevels, EveryVectorRow) {
  std::mt19937_64 random(20261120);
  Code code;
  unsigned programs = 0;
  for (const isa::Row& row : isa::rows()) {
    if (!is_valu(row.format) || row.has(isa::kGraphicsOnly)) continue;
    for (const isa::Target target : isa::kAllTargets) {
      if (!row.on(target)) continue;
      if (wave::status_of(row, target).status == wave::Status::Unsupported) continue;
      for (const Encoding encoding :
           {Encoding::Native, Encoding::Vop3, Encoding::Literal, Encoding::Sdwa, Encoding::Dpp}) {
        const isa::test::Builder builder(row, target, encoding);
        if (!builder.exists()) continue;
        std::vector<uint32_t> words;
        for (isa::Instruction i : builder.instructions()) {
          bool lds_direct = false;
          for (const auto& src : i.src) {
            lds_direct = lds_direct ||
                         (src.kind == isa::OperandKind::Special && src.index == isa::kLdsDirect);
          }
          if (lds_direct || !isa::encode(i).ok()) continue;
          words.insert(words.end(), i.words, i.words + i.length);
        }
        if (words.empty()) continue;
        code.load(words);
        for (unsigned n = 0; n < (states() + 2) / 4; ++n) {
          const State before = random_state(random, kModes[n % std::size(kModes)]);
          expect_all_same(code, target, before, isa::row_id(row));
          ASSERT_FALSE(HasFailure()) << isa::row_id(row);
        }
        ++programs;
      }
    }
  }
  EXPECT_GT(programs, 500u);
}

/// `mnemonic` on VGPRs: sources at 0, 2, 4, the result in 2 or 4 when it accumulates, else in 6 or
/// VCC.
isa::Instruction on_registers(const char* mnemonic, isa::Target target) {
  const isa::Row* row = nullptr;
  for (const Format format :
       {Format::Vop1, Format::Vop2, Format::Vopc, Format::Vop3a, Format::Vop3p}) {
    if (row == nullptr) row = isa::find_row(mnemonic, format);
  }
  EXPECT_NE(row, nullptr) << mnemonic;
  isa::Instruction i;
  i.row = row;
  i.target = target;
  const auto v = [](unsigned index, unsigned dwords) {
    isa::Operand o;
    o.kind = isa::OperandKind::Vgpr;
    o.index = static_cast<uint16_t>(index);
    o.dwords = static_cast<uint8_t>(dwords);
    return o;
  };
  i.dst[0] = v(row->dst[0].read ? 4 : 6, row->dst[0].dwords);
  if (row->dst[0].type == isa::Type::Mask) {
    i.dst[0].kind = isa::OperandKind::Sgpr;
    i.dst[0].type = isa::Type::Mask;
    i.dst[0].index = isa::kVccLo;
  }
  for (unsigned s = 0; s < 3 && row->src[s].role != isa::Role::None; ++s) {
    i.src[s] = v(2 * s, row->src[s].dwords);
  }
  if (row->format == Format::Vop3p) i.mod.op_sel_hi = 7;
  EXPECT_TRUE(isa::encode(i).ok()) << mnemonic;
  return i;
}

/// All triples of `numbers` in registers 0, 2, 4 and, when they have 64 bits, the ones behind them.
template <class Number, size_t N>
void expect_special(const char* mnemonic, isa::Target target, const Number (&numbers)[N],
                    uint32_t mode_raw, unsigned salt) {
  constexpr unsigned kTriples = N * N * N;
  static Code code;
  const isa::Instruction i = on_registers(mnemonic, target);
  code.load({i.words, i.words + i.length});
  State before;
  before.rows.resize(kVgprs);
  before.scalar.mode.raw = mode_raw;
  for (unsigned first = 0; first < kTriples; first += wave::kLanes) {
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      unsigned n = (first + lane) % kTriples;
      for (unsigned s = 0; s < 3; ++s, n /= N) {
        const uint64_t x = numbers[n % N];
        before.rows[2 * s][lane] = static_cast<uint32_t>(x);
        before.rows[2 * s + 1][lane] = static_cast<uint32_t>(x >> 32);
      }
    }
    // One lane alone now and then: flags of a whole row hide in one another.
    before.scalar.set_exec(first % 128 == 0 ? ~uint64_t{0}
                                            : uint64_t{1} << (first / 64 + salt) % 64);
    expect_all_same(code, target, before, mnemonic, 16);
    ASSERT_FALSE(::testing::Test::HasFailure()) << mnemonic << " mode " << mode_raw;
  }
}

/// All triples of special numbers, all rounding and denormal modes: values and flags.
TEST(HostLevels, SpecialNumbers) {
  for (const char* mnemonic : {"v_add_f32", "v_sub_f32", "v_subrev_f32", "v_mul_f32", "v_fma_f32",
                               "v_fmac_f32", "v_mad_f32", "v_mac_f32", "v_fract_f32"}) {
    for (uint32_t mode = 0; mode < 64; ++mode) {
      const uint32_t raw = (mode & 3) | (mode >> 2 & 3) << 4 | (mode >> 4 & 3) << 8;
      expect_special(mnemonic, isa::Target::Gfx908, kSpecial, raw, mode);
    }
  }
}

/// Subnormal numbers, the least normal ones, factors that bring products of subnormal ones to any
/// place, and a square half way between two F32 (the fourth row).
TEST(HostLevels, SubnormalNumbers) {
  constexpr uint32_t kNumbers[] = {0x00000001, 0x80000001, 0x00400000, 0x80400001, 0x007fffff,
                                   0x807ffffe, 0x00800000, 0x80800001, 0x00ffffff, 0x3f800000,
                                   0xbf800001, 0x3effffff, 0x4b000000, 0xcb000001, 0x34000000,
                                   0x3f800800, 0x17800000, 0x97800000, 0x5e7fffff, 0x5e800000,
                                   0x1f800000, 0x0d800000, 0x8c7fffff, 0x00000000};
  for (const char* mnemonic :
       {"v_add_f32", "v_sub_f32", "v_subrev_f32", "v_mul_f32", "v_fma_f32"}) {
    for (uint32_t round = 0; round < 4; ++round) {
      expect_special(mnemonic, isa::Target::Gfx908, kNumbers, 0x3f0 | round, round);
    }
  }
}

/// Sums near the least normal number, where rounding, underflow and cancellation meet.
TEST(HostLevels, RandomSubnormalNumbers) {
  std::mt19937_64 random(20261122);
  static Code code;
  for (const char* mnemonic : {"v_add_f32", "v_sub_f32", "v_mul_f32", "v_fma_f32"}) {
    const isa::Instruction i = on_registers(mnemonic, isa::Target::Gfx908);
    code.load({i.words, i.words + i.length});
    for (unsigned round = 0; round < 400; ++round) {
      State before;
      before.rows.resize(kVgprs);
      before.scalar.mode.raw = 0x3f0 | round % 4;
      for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
        const uint64_t r = random();
        const auto sign = [&](unsigned bit) { return static_cast<uint32_t>(r >> bit & 1) << 31; };
        const auto mantissa = static_cast<uint32_t>(random()) & 0x7fffff;
        const uint32_t small = mantissa >> (r % 24);
        // Two factors whose exponents add up to about -126 with what `small` has.
        const auto exponent = static_cast<uint32_t>(100 + (r >> 8) % 56);
        before.rows[0][lane] = sign(60) | small;
        before.rows[2][lane] =
            sign(61) | exponent << 23 | (static_cast<uint32_t>(random()) & 0x7fffff);
        before.rows[4][lane] =
            sign(62) | (static_cast<uint32_t>(random()) & 0x1ffffff) >> ((r >> 16) % 26);
        if (r >> 59 & 1) std::swap(before.rows[0][lane], before.rows[2][lane]);
      }
      before.scalar.set_exec(round % 3 == 0 ? ~uint64_t{0} : uint64_t{1} << random() % 64);
      expect_all_same(code, isa::Target::Gfx908, before, mnemonic, 16);
      ASSERT_FALSE(HasFailure()) << mnemonic << " round " << round;
    }
  }
}

constexpr const char* kHalfRows[] = {
    "v_add_f16",          "v_subrev_f16",      "v_mul_f16",           "v_fma_f16",
    "v_mad_f16",          "v_mac_f16",         "v_min_f16",           "v_max_f16",
    "v_min3_f16",         "v_max3_f16",        "v_pk_add_f16",        "v_pk_mul_f16",
    "v_pk_fma_f16",       "v_pk_min_f16",      "v_pk_max_f16",        "v_fma_mix_f32",
    "v_fma_mixlo_f16",    "v_fma_mixhi_f16",   "v_dot2_f32_f16",      "v_dot2c_f32_f16",
    "v_med3_f16",         "v_cmp_lt_f16",      "v_cmp_u_f16",         "v_cmpx_nge_f16",
    "v_cmp_class_f16",    "v_trunc_f16",       "v_ceil_f16",          "v_floor_f16",
    "v_rndne_f16",        "v_frexp_mant_f16",  "v_frexp_exp_i16_f16", "v_ldexp_f16",
    "v_cvt_i16_f16",      "v_cvt_u16_f16",     "v_cvt_f16_i16",       "v_cvt_f16_u16",
    "v_rcp_f16",          "v_sqrt_f16",        "v_rsq_f16",           "v_exp_f16",
    "v_log_f16",          "v_sin_f16",         "v_cos_f16",           "v_fract_f16",
    "v_cvt_norm_i16_f16", "v_cvt_norm_u16_f16"};

/// All triples of special F16, other ones in the high halves, all modes: values and flags.
TEST(HostLevels, SpecialHalves) {
  constexpr uint32_t kHalves[] = {0x3c000000, 0x00018000, 0x7bff0001, 0xfc0083ff, 0x04000400,
                                  0x84018401, 0x7e003c00, 0x000057ff, 0x83ff7bff, 0x7bff7c00,
                                  0x3800fc00, 0xb8017c01, 0x11ff1200, 0x00000000, 0x80008000};
  for (const char* mnemonic : kHalfRows) {
    for (uint32_t mode = 0; mode < 16; ++mode) {
      const uint32_t raw = (mode & 3) << 2 | (mode >> 2 & 3) << 6 | (mode * 0x125 & 0x133);
      expect_special(mnemonic, isa::Target::Gfx908, kHalves, raw, mode);
    }
  }
}

/// F32 about the ends of F16's range, all modes: values and flags.
TEST(HostLevels, NarrowingNumbers) {
  constexpr uint32_t kNumbers[] = {0x387fffff, 0xb8800000, 0x38800001, 0x387fe000, 0xb8000001,
                                   0x33000000, 0xb3000001, 0x477fe000, 0xc77fefff, 0x477ff000,
                                   0xc77fffff, 0x47800000, 0x7f7fffff, 0x80000001, 0x7f800000,
                                   0x7fc00001, 0x3f801000, 0x00000000};
  for (const char* mnemonic : {"v_cvt_f16_f32", "v_cvt_pkrtz_f16_f32"}) {
    for (uint32_t mode = 0; mode < 64; ++mode) {
      const uint32_t raw = (mode & 3) << 2 | (mode >> 2 & 3) << 6 | (mode >> 4 & 3) << 4;
      expect_special(mnemonic, isa::Target::Gfx908, kNumbers, raw, mode);
    }
  }
}

/// F16 with results near ties, the least normal number or the largest one, or that cancel.
TEST(HostLevels, RandomHalves) {
  std::mt19937_64 random(20261129);
  static Code code;
  for (const char* mnemonic : kHalfRows) {
    isa::Instruction i = on_registers(mnemonic, isa::Target::Gfx908);
    unsigned modified = 0;
    for (unsigned round = 0; round < 66 * states(); ++round) {
      if (round % 4 == 3 && i.row->format == Format::Vop3p) {
        isa::Instruction changed = i;  // not every row has all of them on every source
        for (auto field : {&isa::Modifiers::op_sel, &isa::Modifiers::op_sel_hi,
                           &isa::Modifiers::neg, &isa::Modifiers::neg_hi}) {
          changed.mod.*field = static_cast<uint8_t>(random() % 8);
        }
        if (isa::encode(changed).ok()) i = changed, ++modified;
      }
      code.load({i.words, i.words + i.length});
      State before;
      before.rows.resize(kVgprs);
      const uint32_t rounding = (round & 3) * (round % 8 < 4 ? 5 : 4);  // F32 too, or F16 alone
      before.scalar.mode.raw = rounding | (round % 3 == 0 ? 0x130 : 0x1f0);
      for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
        for (unsigned shift = 0; shift < 32; shift += 16) {
          const uint64_t r = random();
          // Few bits at either end of the fraction, or all of them.
          const auto half = [&](uint64_t exponent, unsigned bit) {
            const uint64_t all = random() & 0x3ff;
            const uint64_t some[] = {all, all & 0x300, all & 3, 0x3ff ^ (all & 3)};
            const uint64_t x =
                (r >> bit & 1) << 15 | (exponent % 31) << 10 | some[r >> (bit - 8) & 3];
            return static_cast<uint32_t>(x << shift);
          };
          const uint64_t first = 1 + (r >> 8) % 30, near = (r >> 24) % 27;
          const uint64_t second = r >> 63 ? 1 + (r >> 16) % 30 : first + near % 12;
          before.rows[0][lane] |= half(first, 60);
          before.rows[2][lane] |= half(second, 61);
          before.rows[4][lane] |= half(first + second + 60 - near, 62);
        }
      }
      before.scalar.set_exec(round % 3 == 0 ? ~uint64_t{0} : uint64_t{1} << random() % 64);
      expect_all_same(code, isa::Target::Gfx908, before, mnemonic, 16);
      ASSERT_FALSE(HasFailure()) << mnemonic << " round " << round;
    }
    EXPECT_TRUE(modified > 5 || i.row->format != Format::Vop3p) << mnemonic;
  }
}

TEST(HostLevels, SpecialNumbersInOrder) {
  for (const char* mnemonic : {"v_min_f32", "v_max_f32", "v_cmp_lt_f32", "v_cmp_ge_f32",
                               "v_cmp_u_f32", "v_cmp_neq_f32", "v_cmpx_nlg_f32"}) {
    for (const uint32_t mode : kModes) {
      expect_special(mnemonic, isa::Target::Gfx908, kSpecial, mode, mode >> 3);
    }
  }
}

TEST(HostLevels, SpecialDoubles) {
  constexpr uint64_t kDoubles[] = {
      0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
      0x0010000000000000, 0x8010000000000001, 0x3ff0000000000000, 0xbff0000000000001,
      0x3c80000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
      0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001, 0x1ff0000000000000};
  for (const char* mnemonic :
       {"v_add_f64", "v_mul_f64", "v_fma_f64", "v_fmac_f64", "v_min_f64", "v_max_f64",
        "v_cmp_lt_f64", "v_cmp_ge_f64", "v_cmp_u_f64", "v_cmpx_neq_f64", "v_fract_f64"}) {
    // The fields of F64, those of F32 alike or, now and then, not.
    for (uint32_t mode = 0; mode < 64; mode += 3) {
      const uint32_t round = mode & 3, denormal = mode >> 2 & 3;
      const uint32_t other = mode % 2 == 0 ? 0 : 3;
      const uint32_t raw = (mode % 5 == 0 ? other : round) | round << 2 |
                           (mode % 7 == 0 ? other : denormal) << 4 | denormal << 6 |
                           (mode >> 4 & 3) << 8;
      expect_special(mnemonic, isa::Target::Gfx90a, kDoubles, raw, mode);
    }
  }
}

/// Like instructions next to each other.
class Sequences {
 public:
  explicit Sequences(uint64_t seed) : random_(seed) {}

  std::vector<uint32_t> words() {
    std::vector<uint32_t> out;
    const unsigned kinds = 1 + pick(6);
    for (unsigned n = 0; n < kinds; ++n) {
      isa::Instruction i = instruction();
      const unsigned count = pick(8) == 0 ? 150 : 1 + pick(9);
      for (unsigned k = 0; k < count; ++k) {
        choose_registers(i);
        EXPECT_TRUE(isa::encode(i).ok());
        out.insert(out.end(), i.words, i.words + i.length);
      }
      constexpr uint32_t kAdd = 0x80050605;  // s_add_u32 s5, s5, s6: the scalar source
      if (pick(2) == 0) out.push_back(kAdd);
    }
    return out;
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  /// One kind: in VGPRs, with a scalar register or a constant first, or with signs changed.
  isa::Instruction instruction() {
    constexpr const char* kMnemonics[] = {"v_fma_f32", "v_fmac_f32",   "v_add_f32", "v_sub_f32",
                                          "v_mul_f32", "v_subrev_f32", "v_mad_f32", "v_mac_f32",
                                          "v_fma_f32", "v_max_f32"};
    isa::Instruction i = on_registers(kMnemonics[pick(std::size(kMnemonics))], isa::Target::Gfx908);
    const unsigned shape = pick(4);
    if (shape == 1) {
      i.src[0].kind = isa::OperandKind::Sgpr;
      i.src[0].index = 5;
    } else if (shape == 2) {
      i.src[0].kind = isa::OperandKind::Inline;
      i.src[0].index = 242;  // 1.0
    } else if (shape == 3 && i.row->format == Format::Vop3a) {
      i.mod.neg = static_cast<uint8_t>(pick(8));
      i.mod.abs = static_cast<uint8_t>(pick(8));
    }
    return i;
  }
  /// Few of them: results are sources of what follows.
  void choose_registers(isa::Instruction& i) {
    for (isa::Operand* o : {&i.dst[0], &i.src[0], &i.src[1], &i.src[2]}) {
      if (o->kind == isa::OperandKind::Vgpr) o->index = static_cast<uint16_t>(pick(12));
    }
  }

  std::mt19937_64 random_;
};

TEST(HostLevels, RowsNextToEachOther) {
  Code code;
  for (unsigned n = 0; n < 600; ++n) {
    code.load(Sequences(n).words());
    std::mt19937_64 random(n);
    const State before = random_state(random, kModes[n % std::size(kModes)]);
    expect_all_same(code, isa::Target::Gfx908, before, "seed " + std::to_string(n), 16);
    ASSERT_FALSE(HasFailure());
  }
}

/// True if a random program may contain it: no end, jump, halt or unsupported thing.
bool is_harmless(const isa::Decoded& d, isa::Target target) {
  if (d.status != isa::DecodeStatus::Legal && d.status != isa::DecodeStatus::Reserved) return false;
  const isa::Instruction& i = d.instruction;
  const Format f = i.row->format;
  const bool scalar = f == Format::Sop1 || f == Format::Sop2 || f == Format::Sopc;
  const bool hardware = i.semantic() == isa::SemanticId::s_getreg_b32 ||
                        i.semantic() == isa::SemanticId::s_setreg_b32 ||
                        i.semantic() == isa::SemanticId::s_setreg_imm32_b32 ||
                        i.semantic() == isa::SemanticId::s_addk_i32;
  if (!is_valu(f) && !scalar && !hardware) return false;
  if (i.row->unit == isa::Unit::Branch || i.row->has(isa::kBranch)) return false;
  const auto id = i.row->mnemonic;
  for (const char* jump : {"s_setpc", "s_swappc", "s_getpc", "s_rfe", "s_cbranch", "s_call"}) {
    if (id.substr(0, std::strlen(jump)) == jump) return false;
  }
  for (const auto& src : i.src) {
    if (src.kind == isa::OperandKind::Special && src.index == isa::kLdsDirect) return false;
  }
  return wave::status_of(*i.row, target).status != wave::Status::Unsupported &&
         !i.row->has(isa::kGraphicsOnly);
}

TEST(HostLevels, RandomPrograms) {
  struct Class {
    uint32_t value, mask;
  };
  // VOP2, VOP1, VOPC, VOP3 (twice, the second of them V_FMA_F32), SOP2, SOP1, SOPC, SOPK.
  constexpr Class kClasses[] = {{0x00000000, 0x80000000}, {0x7e000000, 0xfe000000},
                                {0x7c000000, 0xfe000000}, {0xd0000000, 0xfc000000},
                                {0xd1cb0000, 0xffff0000}, {0x80000000, 0xc0000000},
                                {0xbe800000, 0xff800000}, {0xbf000000, 0xff800000},
                                {0xb0000000, 0xf0000000}, {0x02000000, 0xf0000000}};
  constexpr unsigned kPrograms = 1500, kLength = 40;
  Code code;
  for (unsigned n = 0; n < kPrograms; ++n) {
    std::mt19937_64 random(n);
    const isa::Target target = isa::kAllTargets[n % isa::kTargets];
    std::vector<uint32_t> words;
    std::string text;
    for (unsigned count = 0; count < kLength;) {
      const Class& c = kClasses[random() % std::size(kClasses)];
      uint32_t word[4] = {(static_cast<uint32_t>(random()) & ~c.mask) | c.value,
                          static_cast<uint32_t>(random()) | (random() % 2 ? 0x04000100 : 0),
                          number(random), 0};
      // S_GETREG and S_SETREG of MODE, STATUS and TRAPSTS.
      if (word[0] >> 28 == 0xb) word[0] = (word[0] & ~0x3fu) | static_cast<uint32_t>(1 + n % 3);
      const isa::Decoded d = isa::decode(target, word, 4);
      if (!is_harmless(d, target)) continue;
      words.insert(words.end(), word, word + d.instruction.length);
      text += isa::text(d.instruction) + "\n";
      ++count;
    }
    code.load(words);
    const State before = random_state(random, kModes[n % std::size(kModes)]);
    const auto vgprs = static_cast<uint16_t>(n % 3 == 0 ? 160 : kVgprs);
    expect_all_same(code, target, before, "seed " + std::to_string(n) + "\n" + text, vgprs);
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace cuvette::golden
