// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Results around the least normal number with `_ftz` (HSAIL PRM 4.19.2, 4.19.3; decisions.md D27):
// what is flushed and which exceptions there are, on the interpreter and as machine code of every
// target. Expected values are MPFR's.
#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "engines_testing.h"
#include "fp_oracle.h"
#include "hsail_exceptions.h"

namespace {

namespace engines = cuvette::engines;
namespace exceptions = cuvette::hsail_exceptions;
namespace fp = cuvette::fp;
namespace oracle = cuvette::fp::oracle;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;
using engines::buffer;
using engines::Bytes;
using engines::Launch;

using Operands = std::array<uint64_t, 3>;
using fp::Uint128;

// In the order of oracle::kRounds.
constexpr const char* kModes[] = {"near", "up", "down", "zero"};

struct Operation {
  const char* name;
  unsigned sources;
  int (*exact)(mpfr_ptr, oracle::Number*, mpfr_rnd_t);
  bool
      carries;  ///< tiny results can round up to the least normal number; sums that small are exact
};

constexpr Operation kOperations[] = {
    {"add", 2,
     [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_add(r, v[0], v[1], m); }, false},
    {"sub", 2,
     [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_sub(r, v[0], v[1], m); }, false},
    {"mul", 2,
     [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_mul(r, v[0], v[1], m); }, true},
    {"div", 2,
     [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_div(r, v[0], v[1], m); }, true},
    {"fma", 3,
     [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_fma(r, v[0], v[1], v[2], m); },
     true},
    {"mad", 3,
     [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_fma(r, v[0], v[1], v[2], m); },
     true},
};

template <class F>
constexpr const char* kTypeName = F::kBits == 16   ? "f16"
                                  : F::kBits == 32 ? "f32"
                                                   : "f64";
template <class F>
constexpr unsigned kBytes = F::kBits / 8;
template <class F>
std::string reg(int number) {
  return (F::kBits == 64 ? "$d" : "$s") + std::to_string(number);
}

/// significand * 2^exponent, which is normal.
template <class F>
uint64_t encode(uint64_t significand, int exponent) {
  const int zeros = std::countr_zero(significand);
  significand >>= zeros;
  exponent += zeros;
  const int top = std::bit_width(significand) - 1;
  const int field = exponent + top + F::kBias;
  EXPECT_TRUE(top < F::kPrecision && field > 0 && field < F::kMaxField);
  const uint64_t fraction = (significand << (F::kFractionBits - top)) & F::kFractionMask;
  return static_cast<uint64_t>(field) << F::kFractionBits | fraction;
}

/// Operands whose results lie within two units of the least normal number M, or half of it exactly;
/// a unit is that of the subnormal numbers.
template <class F>
class Vectors {
 public:
  static constexpr int kP = F::kPrecision;
  static constexpr int kUnit = F::kMinExponent - kP + 1;  // its exponent
  static constexpr uint64_t kFirst = uint64_t{1} << (kP - 1);
  static constexpr uint64_t kLast = 2 * kFirst - 1;

  explicit Vectors(unsigned count_of_each) {
    for (unsigned i = 0; i < count_of_each; ++i) {
      product(i == 0 ? kFirst : significand(), i == 0 ? -1 : below(3) - 1);
      quotient(significand(), below(6) - 2);
      cancelled_product();
      small_product();
      sum();
      exact_half(i % 2 == 0);
    }
    // The only quotients that are half a unit away from M.
    const int e = between(kUnit, F::kMinExponent + F::kMaxExponent - kP);
    add(encode<F>(kLast, e), encode<F>(kFirst, e - F::kMinExponent + 1), 0);
    // With a zero that keeps them as products, or a subnormal that counts as one.
    const size_t products = all.size();
    for (size_t i = 0; i < products; i += 5) all.push_back({all[i][0], all[i][1], F::kSignBit});
    for (size_t i = 0; i < products; i += 10) all.push_back({all[i][0], all[i][1], 1});
  }

  std::vector<Operands> all;

 private:
  int between(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  int below(int n) { return between(0, n - 1); }
  uint64_t significand() { return kFirst + random_() % kFirst; }
  /// With the sign of x and z changed or not.
  void add(uint64_t x, uint64_t y, uint64_t z) {
    const uint64_t sign = random_() % 2 == 0 ? 0 : F::kSignBit;
    all.push_back({x ^ sign, y, z ^ sign});
  }

  /// X * Y next to 2^(2p-1), for which M stands.
  void product(uint64_t y, int step) {
    auto x = static_cast<uint64_t>((Uint128{1} << (2 * kP - 1)) / y) + static_cast<uint64_t>(step);
    x = std::clamp(x, kFirst, kLast);
    const int e = between(kUnit, -kP);
    add(encode<F>(x, e), encode<F>(y, F::kMinExponent - 2 * kP + 1 - e), 0);
  }
  void quotient(uint64_t y, int less) {
    const uint64_t x = std::clamp(y - static_cast<uint64_t>(less), kFirst, kLast);
    const int e = between(kUnit, F::kMinExponent + F::kMaxExponent - kP + 1);
    add(encode<F>(x, e), encode<F>(y, e - F::kMinExponent), 0);
  }
  /// X * Y of two to three times M, and what takes a whole number of units from it.
  void cancelled_product() {
    uint64_t x = 0, y = 0, units = 0;
    do {
      x = significand();
      y = significand();
      units = static_cast<uint64_t>(Uint128{x} * y >> (kP - 1));
    } while (units < 2 * kFirst + 1 || units >= 3 * kFirst - 1);
    const int e = between(kUnit, 1 - kP);
    const uint64_t taken = units - kFirst + static_cast<uint64_t>(below(3)) - 1;
    add(encode<F>(x, e), encode<F>(y, kUnit - kP + 1 - e), encode<F>(taken, kUnit) | F::kSignBit);
  }
  /// M or the next number, and a product below two units.
  void small_product() {
    const int e = kUnit - 2 * kP + 1 - below(3);
    const int of_x = between(kUnit, e - kUnit);
    const uint64_t x = encode<F>(significand(), of_x) | (below(4) == 0 ? 0 : F::kSignBit);
    add(x, encode<F>(significand(), e - of_x), encode<F>(kFirst + random_() % 2, kUnit));
  }
  /// M and the numbers a unit away, from normal ones.
  void sum() {
    const uint64_t x = 2 * (kFirst + 1 + random_() % (kFirst / 4));
    const uint64_t y = x - kFirst + static_cast<uint64_t>(below(3)) - 1;
    const uint64_t sign = random_() % 2 == 0 ? 0 : F::kSignBit;
    add(encode<F>(x, kUnit), encode<F>(y, kUnit) | sign, encode<F>(x, kUnit));
    all.back()[1] ^= all.back()[0] & F::kSignBit;
  }
  /// Subnormal numbers: quotients by 2, products with 1/2.
  void exact_half(bool divides) {
    const uint64_t x = kFirst + 2 * (random_() % (kFirst / 2));
    add(encode<F>(x, kUnit), encode<F>(1, divides ? 1 : -1), 0);
  }

  std::mt19937_64 random_{F::kBits};
};

fp::Env flushing(size_t mode) {
  return oracle::make_env(oracle::kRounds[mode], 3);
}

template <class F>
oracle::Expected expected(const Operation& op, const Operands& v, const fp::Env& env) {
  return oracle::expect<F>(op.exact, v.data(), op.sources, env);
}

template <class To, class From>
oracle::Expected expected_conversion(uint64_t x, const fp::Env& env) {
  static oracle::Number value;
  static oracle::Number result(To::kPrecision);
  unsigned flags = 0;
  oracle::load<From>(value, oracle::seen<From>(x, env, flags));
  const int ternary = mpfr_set(result, value, oracle::rounding(env.round));
  return oracle::finish<To>(result, ternary, env);
}

/// The bits of getdetectexcept.
uint32_t detected(unsigned flags) {
  return (flags & 1) | (flags >> 1 & 0x1e);
}

/// A result that only unbounded exponents tell from the least normal number.
template <class F>
bool carried(const oracle::Expected& flushed, const oracle::Expected& kept) {
  const uint64_t sign = F::kSignBit;
  return (kept.bits & ~sign) == uint64_t{F::kMinNormal} && (flushed.bits & ~sign) == 0;
}

/// Instructions of one kernel, each with a slot of eight bytes in the row of its work-item. With
/// `detects`, a slot has what the instruction raises instead of its result.
class Program {
 public:
  Program(unsigned row_bytes, bool detects) : row_bytes_(row_bytes), detects_(detects) {}

  void load_source(const char* type, const std::string& to, unsigned offset) {
    loads_ +=
        std::string("ld_global_") + type + " " + to + ", [$d7+" + std::to_string(offset) + "];\n";
  }
  void instruction(const std::string& text, const char* type, const std::string& result) {
    const std::string slot = "[$d6+" + std::to_string(8 * slots_++) + "];\n";
    body_ += (detects_ ? "cleardetectexcept_u32 31;\n" : "") + text + ";\n";
    body_ += detects_ ? "getdetectexcept_u32 $s8;\nst_global_u32 $s8, " + slot
                      : std::string("st_global_") + type + " " + result + ", " + slot;
  }
  size_t slots() const { return slots_; }

  std::string text() const {
    return "module &m:1:0:$full:$large:$default;\n"
           "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\n" +
           std::string(detects_ ? "enabledetectexceptions 31;\n" : "") +
           "workitemabsid_u32 $s9, 0;\ncvt_u64_u32 $d9, $s9;\nld_kernarg_u64 $d7, [%in];\n"
           "mad_u64 $d7, $d9, " +
           std::to_string(row_bytes_) +
           ", $d7;\nld_kernarg_u64 $d6, [%out];\n"
           "mad_u64 $d6, $d9, " +
           std::to_string(8 * slots_) + ", $d6;\n" + loads_ + body_ + "};\n";
  }

 private:
  unsigned row_bytes_;
  bool detects_;
  unsigned slots_ = 0;
  std::string loads_;
  std::string body_;
};

/// The slots of every row on both engines; exceptions belong to a wavefront, so that with `detects`
/// each row has one.
struct Ran {
  std::vector<uint64_t> interpreted;
  std::vector<uint64_t> golden;
};
Ran run(const Program& program, const Bytes& in, size_t rows, bool detects, const char* target) {
  const auto count = static_cast<uint32_t>(rows);
  const uint16_t group = detects ? 1 : 64;
  const Launch launch{"&k",
                      {count, 1, 1},
                      {group, 1, 1},
                      {buffer(0), buffer(1)},
                      {in, Bytes(8 * program.slots() * rows)}};
  const auto module = load(program.text());
  const auto interpreted = engines::run_interpreter(module, launch);
  EXPECT_EQ(interpreted.error, "");
  const auto golden = engines::run_golden(module, launch, target);
  EXPECT_EQ(golden.error, "");
  return {engines::values_of<uint64_t>(interpreted.buffers.at(1)),
          engines::values_of<uint64_t>(golden.buffers.at(1))};
}

class EnginesFlush : public ::testing::TestWithParam<const char*> {
 protected:
  void expect_slot(const Ran& ran, size_t slot, uint64_t want, const std::string& what) {
    for (const auto& [engine, values] :
         {std::pair{"interpreter", &ran.interpreted}, std::pair{"golden", &ran.golden}}) {
      if (values->at(slot) == want) continue;
      if (++wrong_ > 8) return;
      ADD_FAILURE() << engine << ": " << what << std::hex << " gives " << values->at(slot)
                    << " instead of " << want;
    }
  }

  template <class F>
  void arithmetic(unsigned count_of_each, bool detects) {
    const char* type = kTypeName<F>;
    const std::vector<Operands> vectors = Vectors<F>(count_of_each).all;
    Bytes in;
    for (const Operands& v : vectors)
      for (const uint64_t x : v)
        for (unsigned i = 0; i < kBytes<F>; ++i) in.push_back(static_cast<uint8_t>(x >> (8 * i)));
    Program program(3 * kBytes<F>, detects);
    for (unsigned i = 0; i < 3; ++i) program.load_source(type, reg<F>(1 + i), kBytes<F> * i);
    for (const Operation& op : kOperations) {
      for (const char* mode : kModes) {
        std::string text = std::string(op.name) + "_ftz_" + mode + "_" + type + " " + reg<F>(4);
        for (unsigned i = 0; i < op.sources; ++i) text += ", " + reg<F>(1 + i);
        program.instruction(text, type, reg<F>(4));
      }
    }
    const Ran ran = run(program, in, vectors.size(), detects, GetParam());
    size_t column = 0;
    for (const Operation& op : kOperations) {
      for (size_t mode = 0; mode < std::size(kModes); ++mode, ++column) {
        size_t carries = 0;
        for (size_t i = 0; i < vectors.size(); ++i) {
          const auto& v = vectors[i];
          fp::Env env = flushing(mode);
          const oracle::Expected want = expected<F>(op, v, env);
          env.flush_out = false;
          carries += carried<F>(want, expected<F>(op, v, env)) ? 1 : 0;
          std::ostringstream what;
          what << op.name << "_ftz_" << kModes[mode] << "_" << type << std::hex << " " << v[0]
               << " " << v[1] << " " << v[2];
          expect_slot(ran, i * program.slots() + column, detects ? detected(want.flags) : want.bits,
                      what.str());
        }
        const bool reaches = op.carries && oracle::kRounds[mode] != fp::Round::Zero;
        EXPECT_EQ(carries > 0, reaches) << op.name << " " << kModes[mode] << " " << type;
      }
    }
  }

  /// Sources of M, less or more by eighths of a unit and by least bits of the source.
  template <class To, class From>
  void conversion(bool detects) {
    constexpr int kEighth = Vectors<To>::kUnit - 3;
    std::vector<uint64_t> sources;
    for (uint64_t eighths = 8 * Vectors<To>::kFirst - 20; eighths < 8 * Vectors<To>::kFirst + 20;
         ++eighths) {
      const uint64_t x = encode<From>(eighths, kEighth);
      for (const uint64_t y : {x - 1, x, x + 1}) {
        sources.push_back(y);
        sources.push_back(y | From::kSignBit);
      }
    }
    Bytes in;
    for (const uint64_t x : sources)
      for (unsigned i = 0; i < kBytes<From>; ++i) in.push_back(static_cast<uint8_t>(x >> (8 * i)));
    Program program(kBytes<From>, detects);
    program.load_source(kTypeName<From>, reg<From>(1), 0);
    for (const char* mode : kModes)
      program.instruction(std::string("cvt_ftz_") + mode + "_" + kTypeName<To> + "_" +
                              kTypeName<From> + " " + reg<To>(4) + ", " + reg<From>(1),
                          kTypeName<To>, reg<To>(4));
    const Ran ran = run(program, in, sources.size(), detects, GetParam());
    for (size_t mode = 0; mode < std::size(kModes); ++mode) {
      size_t carries = 0;
      for (size_t i = 0; i < sources.size(); ++i) {
        fp::Env env = flushing(mode);
        const auto want = expected_conversion<To, From>(sources[i], env);
        env.flush_out = false;
        carries += carried<To>(want, expected_conversion<To, From>(sources[i], env)) ? 1 : 0;
        std::ostringstream what;
        what << "cvt_ftz_" << kModes[mode] << "_" << kTypeName<To> << "_"
             << kTypeName<From> << std::hex << " " << sources[i];
        expect_slot(ran, i * program.slots() + mode, detects ? detected(want.flags) : want.bits,
                    what.str());
      }
      EXPECT_EQ(carries > 0, oracle::kRounds[mode] != fp::Round::Zero) << kModes[mode];
    }
  }

 private:
  unsigned wrong_ = 0;
};

TEST_P(EnginesFlush, Half) {
  arithmetic<fp::F16>(400, false);
}
TEST_P(EnginesFlush, Single) {
  arithmetic<fp::F32>(400, false);
}
TEST_P(EnginesFlush, Double) {
  arithmetic<fp::F64>(400, false);
}
TEST_P(EnginesFlush, Conversions) {
  conversion<fp::F32, fp::F64>(false);
  conversion<fp::F16, fp::F32>(false);
  conversion<fp::F16, fp::F64>(false);
}

// A flushed result underflows and is inexact, exact or not (docs/reference/floating_point.md).
TEST_P(EnginesFlush, ExceptionsOfHalf) {
  arithmetic<fp::F16>(30, true);
}
TEST_P(EnginesFlush, ExceptionsOfSingle) {
  arithmetic<fp::F32>(30, true);
}
TEST_P(EnginesFlush, ExceptionsOfDouble) {
  arithmetic<fp::F64>(30, true);
}
TEST_P(EnginesFlush, ExceptionsOfConversions) {
  conversion<fp::F32, fp::F64>(true);
  conversion<fp::F16, fp::F32>(true);
  conversion<fp::F16, fp::F64>(true);
}

// The exact half of the least normal number.
TEST_P(EnginesFlush, UnderflowBreaks) {
  const exceptions::Case cases[] = {
      {"", "div_ftz_f32 $s0, $s1, $s2;", {0x00800000, 0x40000000, 0}, 0},
      {"", "cvt_ftz_f32_f64 $s0, $d1;", {0x3800000000000000, 0, 0}, 0}};
  for (const exceptions::Case& c : cases) {
    const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}, {Bytes(24), Bytes(16)}};
    Launch with_sources = launch;
    std::memcpy(with_sources.buffers[0].data(), c.in, sizeof c.in);
    const auto module = load(exceptions::kernel(c, 0, exceptions::kUnderflow));
    const auto golden = engines::run_golden(module, with_sources, GetParam());
    EXPECT_NE(golden.error.find("without a trap handler"), std::string::npos)
        << c.body << golden.error;
    const auto interpreted = engines::run_interpreter(module, with_sources);
    EXPECT_NE(interpreted.error.find("underflow"), std::string::npos) << interpreted.error;
  }
}

// (1 - 2^-11) * 2^-14 in the upper element, its double in the lower one.
TEST_P(EnginesFlush, PackedHalf) {
  Program program(8, false);
  program.load_source("u32", "$s1", 0);
  program.load_source("u32", "$s2", 4);
  for (const char* mode : kModes)
    program.instruction(std::string("mul_ftz_") + mode + "_pp_f16x2 $s4, $s1, $s2", "u32", "$s4");
  const Bytes in = engines::bytes_of<uint32_t>({0x3bff3bff, 0x04000800});
  const Ran ran = run(program, in, 1, false, GetParam());
  for (size_t mode = 0; mode < std::size(kModes); ++mode)
    expect_slot(ran, mode, 0x000007ff, kModes[mode]);
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesFlush, ::testing::ValuesIn(kTargets));

}  // namespace
