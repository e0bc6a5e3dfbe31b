// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Fine-grain barriers, directed rounding, programs of several modules and the place of a wavefront
// as machine code of every target. Expected values are the host's under fesetround, or plain C++.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "engines_testing.h"
#include "finalizer/finalize.h"
#include "hsa/image.h"
#include "hsail/link.h"
#include "hsail_exceptions.h"
#include "hsail_programs.h"

namespace {

namespace engines = cuvette::engines;
namespace exceptions = cuvette::hsail_exceptions;
namespace hsail = cuvette::hsail;
namespace programs = cuvette::hsail_programs;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;
using engines::buffer;
using engines::Bytes;
using engines::bytes_of;
using engines::Launch;
using engines::values_of;

class EnginesSpecial : public ::testing::TestWithParam<const char*> {
 protected:
  std::vector<Bytes> run_both(const std::string& text, const Launch& launch) {
    return engines::run_both(text, launch, GetParam());
  }
};

constexpr const char* kHeader = "module &m:1:0:$full:$large:$default;\n";

/// Wave number in $s1, work-item in $s0, the address of its word of `out` in $d0.
constexpr const char* kPrologue =
    "workitemid_u32 $s0, 0;\nshr_u32 $s1, $s0, 6;\nld_kernarg_align(8)_u64 $d0, [%out];\n"
    "shl_u32 $s2, $s0, 2;\ncvt_u64_u32 $d1, $s2;\nadd_u64 $d0, $d0, $d1;\n"
    "shl_u32 $s3, $s1, 2;\n";

Launch four_waves() {
  return {"&k", {256, 1, 1}, {256, 1, 1}, {buffer(0)}, {Bytes(1024)}};
}

// Three of four wavefronts meet ten times; each time every one reads what the others wrote.
TEST_P(EnginesSpecial, FbarrierOfThreeWavefronts) {
  const std::string text =
      std::string(kHeader) +
      "fbarrier &fb;\ngroup_u32 &slots[4];\nprog kernel &k(kernarg_u64 %out)\n{\n" + kPrologue +
      "cmp_ne_b1_u32 $c0, $s0, 0;\ncbr_b1 $c0, @made;\ninitfbar &fb;\n@made:\nbarrier;\n"
      "cmp_eq_b1_u32 $c1, $s1, 3;\ncbr_b1 $c1, @joined;\njoinfbar &fb;\n@joined:\nbarrier;\n"
      "mov_b32 $s4, 0;\nmov_b32 $s5, 0;\ncbr_b1 $c1, @rest;\n@loop:\n"
      "mad_u32 $s6, $s4, 10, $s1;\nst_group_align(4)_u32 $s6, [&slots][$s3];\n"
      "memfence_screl_wg;\nwaitfbar &fb;\nmemfence_scacq_wg;\n"
      "ld_group_align(4)_u32 $s6, [&slots];\nadd_u32 $s5, $s5, $s6;\n"
      "ld_group_align(4)_u32 $s6, [&slots][4];\nadd_u32 $s5, $s5, $s6;\n"
      "ld_group_align(4)_u32 $s6, [&slots][8];\nadd_u32 $s5, $s5, $s6;\n"
      "memfence_screl_wg;\nwaitfbar &fb;\nmemfence_scacq_wg;\n"
      "add_u32 $s4, $s4, 1;\ncmp_lt_b1_u32 $c2, $s4, 10;\ncbr_b1 $c2, @loop;\n"
      "leavefbar &fb;\n@rest:\nbarrier;\ncbr_b1 $c0, @released;\nreleasefbar &fb;\n@released:\n"
      "st_global_align(4)_u32 $s5, [$d0];\n};\n";
  const auto out = values_of<uint32_t>(run_both(text, four_waves())[0]);
  // The sum over i below 10 of (10 i) + (10 i + 1) + (10 i + 2).
  for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(out[i], i < 192 ? 3 * 450 + 30 : 0u) << i;
}

// Wavefronts 1 and 2 arrive and go on, 3 leaves; 0 waits for all of that, through ldf and in a
// function.
TEST_P(EnginesSpecial, FbarrierArriveAndLeave) {
  const std::string text =
      std::string(kHeader) +
      "fbarrier &other;\nfbarrier &fb;\ngroup_u32 &slots[4];\n"
      "function &wait()(arg_u32 %f)\n{\nld_arg_align(4)_u32 $s0, [%f];\nwaitfbar $s0;\n"
      "memfence_scacq_wg;\n};\n"
      "prog kernel &k(kernarg_u64 %out)\n{\n" +
      kPrologue +
      "ldf_u32 $s9, &fb;\ncmp_ne_b1_u32 $c0, $s0, 0;\ncbr_b1 $c0, @made;\n"
      "initfbar &other;\ninitfbar &fb;\n@made:\nbarrier;\njoinfbar_width(all) &other;\n"
      "joinfbar &fb;\nbarrier;\nadd_u32 $s5, $s1, 100;\n"
      "st_group_align(4)_u32 $s5, [&slots][$s3];\nmemfence_screl_wg;\n"
      "cmp_eq_b1_u32 $c1, $s1, 0;\ncbr_b1 $c1, @waiter;\n"
      "cmp_eq_b1_u32 $c1, $s1, 3;\ncbr_b1 $c1, @leaver;\narrivefbar &fb;\nbr @end;\n"
      "@leaver:\nleavefbar $s9;\nbr @end;\n@waiter:\n{\narg_u32 %f;\n"
      "st_arg_align(4)_u32 $s9, [%f];\ncall &wait()(%f);\n}\n"
      "ld_group_align(4)_u32 $s5, [&slots][4];\nld_group_align(4)_u32 $s6, [&slots][8];\n"
      "add_u32 $s5, $s5, $s6;\nld_group_align(4)_u32 $s6, [&slots][12];\nadd_u32 $s5, $s5, $s6;\n"
      "@end:\nwaitfbar &other;\nleavefbar &other;\nbarrier;\n"
      "cmp_eq_b1_u32 $c1, $s1, 3;\ncbr_b1 $c1, @out;\nleavefbar &fb;\n@out:\nbarrier;\n"
      "cbr_b1 $c0, @released;\nreleasefbar &fb;\nreleasefbar &other;\n@released:\n"
      "st_global_align(4)_u32 $s5, [$d0];\n};\n";
  const auto out = values_of<uint32_t>(run_both(text, four_waves())[0]);
  for (uint32_t i = 0; i < 256; ++i)
    ASSERT_EQ(out[i], i < 64 ? 101u + 102u + 103u : 100u + i / 64) << i;
}

// --- Directed rounding ---

template <class T>
std::vector<T> operands(uint64_t seed, size_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::mt19937_64 random(seed);
  std::vector<T> values;
  const T limit = std::numeric_limits<T>::max();
  const T tiny = std::numeric_limits<T>::denorm_min();
  for (const T v : {T(0), T(1), T(3), T(2), T(0.1), tiny, limit, std::numeric_limits<T>::min(),
                    std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
    values.push_back(v);
    values.push_back(-v);
  }
  while (values.size() < count) {
    auto bits = static_cast<Bits>(random());
    if (values.size() % 3 == 0) bits &= static_cast<Bits>(~Bits{0} << (4 * sizeof(T)));
    values.push_back(std::bit_cast<T>(bits));
  }
  return values;
}

/// The host's arithmetic under a rounding mode. Volatile keeps it where the mode is set.
template <class T>
T host(const std::string& op, int mode, T x, T y) {
  volatile T a = x;
  volatile T b = y;
  std::fesetround(mode);
  volatile T r = 0;
  if (op == "div") r = a / b;
  if (op == "sqrt") r = std::sqrt(a);
  if (op == "fract") {
    volatile T whole = std::floor(a);
    r = a - whole;
  }
  std::fesetround(FE_TONEAREST);
  if (op != "fract") return r;
  if (x == 0 || std::isinf(x)) return std::copysign(T(0), x);
  const T below_one = std::nextafter(T(1), T(0));
  return r > below_one ? below_one : T(r);
}

template <class T>
void check_directed(const char* target, const char* type) {
  constexpr size_t kCount = 2048;
  const bool wide = sizeof(T) == 8;
  const std::string reg = wide ? "$d" : "$s";
  const auto x = operands<T>(11, kCount);
  auto y = operands<T>(12, kCount);
  std::rotate(y.begin(), y.begin() + 7, y.begin() + 20);
  const std::pair<const char*, int> modes[] = {
      {"up", FE_UPWARD}, {"down", FE_DOWNWARD}, {"zero", FE_TOWARDZERO}};
  std::string body = std::string(kHeader) +
                     "prog kernel &k(kernarg_u64 %x, kernarg_u64 %y, kernarg_u64 %out)\n{\n"
                     "workitemabsid_u32 $s9, 0;\ncvt_u64_u32 $d9, $s9;\nmul_u64 $d8, $d9, " +
                     std::to_string(sizeof(T)) +
                     ";\nld_kernarg_align(8)_u64 $d7, [%x];\nadd_u64 $d7, $d7, $d8;\nld_global_" +
                     type + " " + reg +
                     "1, [$d7];\nld_kernarg_align(8)_u64 $d7, [%y];\n"
                     "add_u64 $d7, $d7, $d8;\nld_global_" +
                     type + " " + reg +
                     "2, [$d7];\nld_kernarg_align(8)_u64 $d7, [%out];\nmul_u64 $d8, $d8, 9;\n"
                     "add_u64 $d7, $d7, $d8;\n";
  size_t at = 0;
  for (const std::string op : {"div", "sqrt", "fract"}) {
    for (const auto& [mode, number] : modes) {
      body += op + "_" + mode + "_" + type + " " + reg + "3, " + reg + "1" +
              (op == "div" ? ", " + reg + "2" : "") + ";\nst_global_" + type + " " + reg +
              "3, [$d7+" + std::to_string(at) + "];\n";
      at += sizeof(T);
    }
  }
  const Launch launch{"&k",
                      {kCount, 1, 1},
                      {256, 1, 1},
                      {buffer(0), buffer(1), buffer(2)},
                      {bytes_of(x), bytes_of(y), Bytes(9 * kCount * sizeof(T))}};
  const auto module = load(body + "};\n");
  const auto golden = engines::run_golden(module, launch, target);
  ASSERT_EQ(golden.error, "");
  const auto interpreted = engines::run_interpreter(module, launch);
  ASSERT_EQ(interpreted.error, "");
  const auto out = values_of<T>(golden.buffers[2]);
  const auto ours = values_of<T>(interpreted.buffers[2]);
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  size_t wrong = 0;
  for (size_t i = 0; i < kCount && wrong < 5; ++i) {
    size_t column = 9 * i;
    for (const std::string op : {"div", "sqrt", "fract"}) {
      for (const auto& [mode, number] : modes) {
        const T expected = host<T>(op, number, x[i], y[i]);
        for (const T found : {out[column], ours[column]}) {
          const bool same = std::isnan(expected)
                                ? std::isnan(found)
                                : std::bit_cast<Bits>(found) == std::bit_cast<Bits>(expected);
          EXPECT_TRUE(same) << op << "_" << mode << "_" << type << " " << std::hexfloat << x[i]
                            << " " << y[i] << ": " << found << " instead of " << expected;
          wrong += same ? 0 : 1;
        }
        ++column;
      }
    }
  }
}

TEST_P(EnginesSpecial, DirectedSingle) {
  check_directed<float>(GetParam(), "f32");
}
TEST_P(EnginesSpecial, DirectedDouble) {
  check_directed<double>(GetParam(), "f64");
}

/// Every half has a quotient and a root that an f64 holds to far more bits than the nearest half is
/// away; the half in the asked direction comes from the ordered list of all of them.
TEST_P(EnginesSpecial, DirectedHalf) {
  const auto value = [](uint32_t h) {
    const uint32_t exponent = h >> 10 & 31;
    const double part = exponent == 0 ? (h & 1023) / 1024.0 : 1 + (h & 1023) / 1024.0;
    const double v = std::ldexp(part, static_cast<int>(std::max(exponent, 1u)) - 15);
    return (h & 0x8000) != 0 ? -v : v;
  };
  std::vector<double> halves;
  for (uint32_t h = 0; h < 0x7c00; ++h) halves.push_back(value(h));
  // |v| toward zero, or away from it beyond the largest to infinity.
  const auto rounded = [&](double v, bool away) {
    const double size = std::fabs(v);
    const auto above = std::upper_bound(halves.begin(), halves.end(), size);
    auto bits = static_cast<uint32_t>(above - halves.begin()) - 1;
    if (away && halves[bits] != size) ++bits;
    return bits | (std::signbit(v) ? 0x8000u : 0u);
  };
  constexpr size_t kCount = 1024;
  std::mt19937 random(5);
  std::vector<uint32_t> in;
  for (size_t i = 0; i < kCount; ++i) {
    uint32_t a = random() & 0xffff;
    uint32_t b = random() & 0xffff;
    if ((a & 0x7c00) == 0x7c00) a ^= 0x4000;
    if ((b & 0x7c00) == 0x7c00 || (b & 0x7fff) == 0) b = 0x4200;
    in.push_back(a | b << 16);
  }
  const std::string text =
      std::string(kHeader) +
      "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\nworkitemabsid_u32 $s9, 0;\n"
      "cvt_u64_u32 $d9, $s9;\nmul_u64 $d8, $d9, 4;\nld_kernarg_align(8)_u64 $d7, [%in];\n"
      "add_u64 $d7, $d7, $d8;\nld_global_f16 $s1, [$d7];\nld_global_f16 $s2, [$d7+2];\n"
      "ld_kernarg_align(8)_u64 $d7, [%out];\nmul_u64 $d8, $d9, 12;\nadd_u64 $d7, $d7, $d8;\n"
      "div_up_f16 $s3, $s1, $s2;\nst_global_f16 $s3, [$d7];\n"
      "div_down_f16 $s3, $s1, $s2;\nst_global_f16 $s3, [$d7+2];\n"
      "div_zero_f16 $s3, $s1, $s2;\nst_global_f16 $s3, [$d7+4];\nabs_f16 $s1, $s1;\n"
      "sqrt_up_f16 $s3, $s1;\nst_global_f16 $s3, [$d7+6];\n"
      "sqrt_down_f16 $s3, $s1;\nst_global_f16 $s3, [$d7+8];\n"
      "sqrt_zero_f16 $s3, $s1;\nst_global_f16 $s3, [$d7+10];\n};\n";
  const Launch launch{"&k",
                      {kCount, 1, 1},
                      {256, 1, 1},
                      {buffer(0), buffer(1)},
                      {bytes_of(in), Bytes(12 * kCount)}};
  const auto out = values_of<uint16_t>(run_both(text, launch)[1]);
  for (size_t i = 0; i < kCount; ++i) {
    const double x = value(in[i] & 0xffff);
    const double q = x / value(in[i] >> 16);
    const double root = std::sqrt(std::fabs(x));
    EXPECT_EQ(out[6 * i], rounded(q, !std::signbit(q))) << x << " / " << value(in[i] >> 16);
    EXPECT_EQ(out[6 * i + 1], rounded(q, std::signbit(q)));
    EXPECT_EQ(out[6 * i + 2], rounded(q, false));
    EXPECT_EQ(out[6 * i + 3], rounded(root, true));
    EXPECT_EQ(out[6 * i + 4], rounded(root, false));
    EXPECT_EQ(out[6 * i + 5], rounded(root, false));
  }
}

// --- Programs ---

TEST_P(EnginesSpecial, CallsIntoAnotherModule) {
  const auto first = load(programs::kFirst, "first.hsail");
  const auto second = load(programs::kSecond, "second.hsail");
  for (const bool swapped : {false, true}) {
    const std::vector<const hsail::Module*> both =
        swapped ? std::vector<const hsail::Module*>{&second, &first}
                : std::vector<const hsail::Module*>{&first, &second};
    auto object = cuvette::finalizer::finalize(both, {GetParam(), 5});
    ASSERT_TRUE(object.ok()) << object.error().str();
    const Launch launch{"&k", {100, 1, 1}, {64, 1, 1}, {buffer(0)}, {Bytes(400)}};
    const auto linked = hsail::link(both);
    ASSERT_TRUE(linked.ok()) << linked.error().str();
    const auto ran = engines::run_golden_object(*linked, *object, launch, GetParam());
    ASSERT_EQ(ran.error, "");
    const auto out = values_of<uint32_t>(ran.buffers[0]);
    for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(out[i], programs::expected(i)) << i;
  }
}

// --- The place of a wavefront ---

TEST_P(EnginesSpecial, WhereAWavefrontIs) {
  const std::string text =
      std::string(kHeader) +
      "prog kernel &k(kernarg_u64 %out)\n{\nworkitemabsid_u32 $s1, 0;\nshr_u32 $s1, $s1, 6;\n"
      "shl_u32 $s1, $s1, 4;\ncvt_u64_u32 $d1, $s1;\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "add_u64 $d0, $d0, $d1;\ncuid_u32 $s2;\nmaxcuid_u32 $s3;\nwaveid_u32 $s4;\n"
      "maxwaveid_u32 $s5;\nst_v4_global_align(4)_u32 ($s2, $s3, $s4, $s5), [$d0];\nbarrier;\n};\n";
  const Launch launch{"&k", {64 * 64, 1, 1}, {256, 1, 1}, {buffer(0)}, {Bytes(64 * 16)}};
  const auto ran = engines::run_golden(load(text), launch, GetParam());
  ASSERT_EQ(ran.error, "");
  const auto out = values_of<uint32_t>(ran.buffers[0]);
  std::set<std::pair<uint32_t, uint32_t>> places;
  for (size_t w = 0; w < 64; ++w) {
    EXPECT_LE(out[4 * w], out[4 * w + 1]);
    EXPECT_LE(out[4 * w + 2], out[4 * w + 3]);
    EXPECT_EQ(out[4 * w], out[4 * (w / 4 * 4)]) << "a work-group is on one compute unit";
    places.insert({out[4 * w], out[4 * w + 2]});
  }
  EXPECT_EQ(places.size(), 64u) << "all of them are resident";
}

TEST_P(EnginesSpecial, DebugTrapHaltsTheWavefront) {
  const std::string text =
      std::string(kHeader) +
      "prog kernel &k(kernarg_u64 %out)\n{\n"
      "ld_kernarg_align(8)_u64 $d0, [%out];\nst_global_align(4)_u32 1, [$d0];\n"
      "debugtrap_u32 77;\nst_global_align(4)_u32 2, [$d0];\n};\n";
  const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(4)}};
  const auto ran = engines::run_golden(load(text), launch, GetParam());
  EXPECT_NE(ran.error.find("trap 3 (llvm.debugtrap) without a trap handler"), std::string::npos)
      << ran.error;
}

// --- Exceptions ---

/// Several cases a module, a kernel each.
TEST_P(EnginesSpecial, DetectedExceptions) {
  for (const exceptions::Case& c : exceptions::kCases) {
    SCOPED_TRACE(c.body);
    const std::vector<uint64_t> in(std::begin(c.in), std::end(c.in));
    const Launch launch{
        "&k", {64, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1)}, {bytes_of(in), Bytes(16)}};
    const auto golden = engines::run_golden(load(exceptions::kernel(c)), launch, GetParam());
    ASSERT_EQ(golden.error, "");
    EXPECT_EQ(values_of<uint32_t>(golden.buffers[1])[0], c.expected)
        << std::hex << c.in[0] << " " << c.in[1];
  }
}

TEST_P(EnginesSpecial, ExceptionsOfEachWavefront) {
  const std::string text =
      std::string(kHeader) + "prog kernel &k(kernarg_u64 %out)\n{\nenabledetectexceptions 31;\n" +
      kPrologue +
      "cmp_ne_b1_u32 $c0, $s0, 70;\ncbr_b1 $c0, @rest;\n"
      "cvt_f32_u32 $s4, $s0;\ndiv_f32 $s4, $s4, 0f00000000;\n@rest:\n"
      "cmp_ne_b1_u32 $c0, $s1, 2;\ncbr_b1 $c0, @get;\nsetdetectexcept_u32 12;\n"
      "cleardetectexcept_u32 4;\n@get:\ngetdetectexcept_u32 $s5;\n"
      "st_global_align(4)_u32 $s5, [$d0];\n};\n";
  const auto out = values_of<uint32_t>(run_both(text, four_waves())[0]);
  for (uint32_t i = 0; i < 256; ++i) {
    const uint32_t expected[] = {0, 2, 8, 0};
    ASSERT_EQ(out[i], expected[i / 64]) << i;
  }
}

TEST_P(EnginesSpecial, BreakHaltsTheWavefront) {
  const exceptions::Case c{"", "mul_f32 $s0, $s1, $s2;", {0x7f7fffff, 0x40000000, 0}, 0};
  const std::vector<uint64_t> in(std::begin(c.in), std::end(c.in));
  const Launch launch{
      "&k", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}, {bytes_of(in), Bytes(16)}};
  const auto halted = engines::run_golden(load(exceptions::kernel(c, 0, 4)), launch, GetParam());
  EXPECT_NE(halted.error.find("without a trap handler"), std::string::npos) << halted.error;
  EXPECT_EQ(engines::run_golden(load(exceptions::kernel(c, 0, 3)), launch, GetParam()).error, "");
}

/// Sizes and formats from the object that a handle points at.
TEST_P(EnginesSpecial, ImageQueries) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nextension \"IMAGE\";\n"
      "prog kernel &k(kernarg_roimg %i, kernarg_samp %s, kernarg_u64 %out)\n{\n"
      "ld_kernarg_align(8)_roimg $d1, [%i];\nld_kernarg_align(8)_samp $d2, [%s];\n"
      "ld_kernarg_align(8)_u64 $d0, [%out];\n"
      "queryimage_2da_width_u32_roimg $s0, $d1;\nqueryimage_2da_height_u32_roimg $s1, $d1;\n"
      "queryimage_2da_array_u32_roimg $s2, $d1;\nqueryimage_2da_channelorder_u32_roimg $s3, $d1;\n"
      "st_v4_global_align(4)_u32 ($s0, $s1, $s2, $s3), [$d0];\n"
      "queryimage_2da_channeltype_u32_roimg $s0, $d1;\nquerysampler_coord_u32 $s1, $d2;\n"
      "querysampler_filter_u32 $s2, $d2;\nquerysampler_addressing_u32 $s3, $d2;\nimagefence;\n"
      "st_v4_global_align(4)_u32 ($s0, $s1, $s2, $s3), [$d0+16];\n};\n";
  cuvette::hsa::Image image;
  image.geometry = 4;
  image.order = 8;
  image.channel = 12;
  image.width = 7;
  image.height = 5;
  image.array = 3;
  const auto object = cuvette::hsa::image_object(image);
  const auto sampler = cuvette::hsa::sampler_object({1, 1, 4});
  const Launch launch{"&k",
                      {1, 1, 1},
                      {1, 1, 1},
                      {buffer(0), buffer(1), buffer(2)},
                      {bytes_of(std::vector<uint32_t>(object.begin(), object.end())),
                       bytes_of(std::vector<uint32_t>(sampler.begin(), sampler.end())), Bytes(32)}};
  EXPECT_EQ(values_of<uint32_t>(run_both(text, launch)[2]),
            (std::vector<uint32_t>{7, 5, 3, 8, 12, 1, 1, 4}));
}

/// The code handle of a kernel (4.8.1): its descriptor begins with its group memory.
TEST_P(EnginesSpecial, KernelHandles) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\ndecl prog kernel &other(kernarg_u64 %out);\n"
      "alloc(agent) global_u64 &handle = addr(&other);\n"
      "prog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "mov_u64 $d1, addr(&other);\nld_global_align(8)_u64 $d2, [&handle];\n"
      "ld_global_u32 $s0, [$d1];\nld_global_u32 $s1, [$d2];\n"
      "st_v2_global_align(4)_u32 ($s0, $s1), [$d0];\n};\n"
      "prog kernel &other(kernarg_u64 %out)\n{\ngroup_u32 %g[11];\nst_group_u32 1, [%g];\n};\n";
  const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(8)}};
  const auto golden = engines::run_golden(load(text), launch, GetParam());
  ASSERT_EQ(golden.error, "");
  EXPECT_EQ(values_of<uint32_t>(golden.buffers[0]), (std::vector<uint32_t>{44, 44}));
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesSpecial, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
