// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Arithmetic against MPFR: results and flags of every operation, format, rounding mode and flush
// setting.
#include <gtest/gtest.h>

#include "fp/arith.h"
#include "fp/compare.h"
#include "fp/reciprocal.h"
#include "fp_oracle.h"

namespace cuvette::fp {
namespace {

using oracle::expect;
using oracle::Expected;
using oracle::Generator;
using oracle::kRounds;
using oracle::kVectors;
using oracle::Number;

int mpfr_op_add(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_add(r, v[0], v[1], m);
}
int mpfr_op_sub(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_sub(r, v[0], v[1], m);
}
int mpfr_op_mul(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_mul(r, v[0], v[1], m);
}
int mpfr_op_div(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_div(r, v[0], v[1], m);
}
int mpfr_op_sqrt(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_sqrt(r, v[0], m);
}
int mpfr_op_fma(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_fma(r, v[0], v[1], v[2], m);
}
int mpfr_op_rsqrt(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  // MPFR gives +infinity for -0 (IEEE rSqrt gives -infinity, as the machine does).
  if (mpfr_zero_p(v[0].get())) {
    mpfr_set_inf(r, mpfr_signbit(v[0].get()) ? -1 : 1);
    mpfr_set_divby0();
    return 0;
  }
  return mpfr_rec_sqrt(r, v[0], m);
}
int mpfr_op_rcp(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_ui_div(r, 1, v[0], m);
}

/// Two roundings: the flags of both, operands reported once, the product not flushed as operand.
template <class F>
Expected expect_mad(const uint64_t* v, const Env& env) {
  unsigned seen_flags = 0;
  for (int i = 0; i < 3; ++i) oracle::seen<F>(v[i], env, seen_flags);
  if (oracle::nan<F>(v[0]) || oracle::nan<F>(v[1]) || oracle::nan<F>(v[2])) {
    return expect<F>(mpfr_op_fma, v, 3, env);  // the NaN rules are the same
  }
  const Expected product = expect<F>(mpfr_op_mul, v, 2, env);
  if (oracle::nan<F>(product.bits)) return {product.bits, product.flags | seen_flags};
  unsigned ignored = 0;
  const uint64_t terms[] = {product.bits, oracle::seen<F>(v[2], env, ignored)};
  Env second = env;
  second.flush_in = false;
  const Expected sum = expect<F>(mpfr_op_add, terms, 2, second);
  return {sum.bits, (sum.flags & ~unsigned{kInputDenormal}) | product.flags | seen_flags};
}

template <class F>
void check(const char* name, const uint64_t* v, unsigned count, const Env& env,
           const Expected& want, uint64_t got, unsigned flags, int& failures) {
  if (want.bits == got && want.flags == flags) return;
  if (++failures > 5) return;
  ADD_FAILURE() << name << " " << F::kBits << "/" << F::kExponentBits << " bits, "
                << oracle::describe(env) << std::hex << " operands " << v[0] << " "
                << (count > 1 ? v[1] : 0) << " " << (count > 2 ? v[2] : 0) << " expected "
                << want.bits << " flags " << want.flags << " got " << got << " flags " << flags;
}

template <class F>
class Arithmetic : public testing::Test {};
using Formats = testing::Types<F16, BF16, F32, F64>;
TYPED_TEST_SUITE(Arithmetic, Formats);

template <class F, class Oracle, class Fn>
void run_random(const char* name, unsigned count, uint64_t seed, Oracle want, Fn fn) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  int failures = 0;
  for (Round round : kRounds) {
    Generator<F> random(seed + static_cast<unsigned>(round));
    for (int i = 0; i < kVectors; ++i) {
      Env env = oracle::make_env(round, random.below(4));
      env.fp16_ovfl = random.below(8) == 0;
      uint64_t v[3] = {random.pattern(), 0, 0};
      v[1] = random.partner(v[0]);
      v[2] = random.partner(v[1]);
      if (count == 3 && random.below(2) == 0) {
        // An addend near minus the product: only the choice of the vector, not the expectation.
        Env plain;
        const auto product =
            mul<F>(static_cast<BitsOf<F>>(v[0]), static_cast<BitsOf<F>>(v[1]), plain);
        v[2] = (uint64_t{product} ^ oracle::sign_bit<F>()) + random.below(5) - 2;
        v[2] &= Generator<F>::mask();
      }
      const Expected expected = want(v, env);
      Env used = env;
      const uint64_t got = fn(v, used);
      check<F>(name, v, count, env, expected, got, used.flags, failures);
    }
  }
  EXPECT_EQ(failures, 0) << name;
}

template <class F>
BitsOf<F> in(uint64_t x) {
  return static_cast<BitsOf<F>>(x);
}

TYPED_TEST(Arithmetic, Add) {
  using F = TypeParam;
  run_random<F>(
      "add", 2, 11, [](const uint64_t* v, const Env& e) { return expect<F>(mpfr_op_add, v, 2, e); },
      [](const uint64_t* v, Env& e) { return add<F>(in<F>(v[0]), in<F>(v[1]), e); });
}
TYPED_TEST(Arithmetic, Sub) {
  using F = TypeParam;
  run_random<F>(
      "sub", 2, 12, [](const uint64_t* v, const Env& e) { return expect<F>(mpfr_op_sub, v, 2, e); },
      [](const uint64_t* v, Env& e) { return sub<F>(in<F>(v[0]), in<F>(v[1]), e); });
}
TYPED_TEST(Arithmetic, Mul) {
  using F = TypeParam;
  run_random<F>(
      "mul", 2, 13, [](const uint64_t* v, const Env& e) { return expect<F>(mpfr_op_mul, v, 2, e); },
      [](const uint64_t* v, Env& e) { return mul<F>(in<F>(v[0]), in<F>(v[1]), e); });
}
TYPED_TEST(Arithmetic, Div) {
  using F = TypeParam;
  run_random<F>(
      "div", 2, 14, [](const uint64_t* v, const Env& e) { return expect<F>(mpfr_op_div, v, 2, e); },
      [](const uint64_t* v, Env& e) { return div<F>(in<F>(v[0]), in<F>(v[1]), e); });
}
TYPED_TEST(Arithmetic, Fma) {
  using F = TypeParam;
  run_random<F>(
      "fma", 3, 15, [](const uint64_t* v, const Env& e) { return expect<F>(mpfr_op_fma, v, 3, e); },
      [](const uint64_t* v, Env& e) { return fma<F>(in<F>(v[0]), in<F>(v[1]), in<F>(v[2]), e); });
}
TYPED_TEST(Arithmetic, Mad) {
  using F = TypeParam;
  run_random<F>(
      "mad", 3, 16, [](const uint64_t* v, const Env& e) { return expect_mad<F>(v, e); },
      [](const uint64_t* v, Env& e) { return mad<F>(in<F>(v[0]), in<F>(v[1]), in<F>(v[2]), e); });
}

/// One-operand functions: all patterns of the 16-bit formats in every mode, random ones otherwise.
template <class F, class Oracle, class Fn>
void run_unary(const char* name, uint64_t seed, Oracle want, Fn fn) {
  int failures = 0;
  for (Round round : kRounds) {
    Generator<F> random(seed);
    for (unsigned flush = 0; flush < 4; ++flush) {
      const int count = F::kBits == 16 ? 65536 : oracle::kUnaryVectors;
      for (int i = 0; i < count; ++i) {
        const Env env = oracle::make_env(round, flush);
        const uint64_t v[1] = {F::kBits == 16 ? static_cast<uint64_t>(i) : random.pattern()};
        const Expected expected = want(v, env);
        Env used = env;
        const uint64_t got = fn(v, used);
        check<F>(name, v, 1, env, expected, got, used.flags, failures);
      }
    }
  }
  EXPECT_EQ(failures, 0) << name << " seed " << seed;
}

TYPED_TEST(Arithmetic, Sqrt) {
  using F = TypeParam;
  run_unary<F>(
      "sqrt", 17, [](const uint64_t* v, const Env& e) { return expect<F>(mpfr_op_sqrt, v, 1, e); },
      [](const uint64_t* v, Env& e) { return sqrt<F>(in<F>(v[0]), e); });
}
TYPED_TEST(Arithmetic, Rsqrt) {
  using F = TypeParam;
  run_unary<F>(
      "rsqrt", 18,
      [](const uint64_t* v, const Env& e) { return expect<F>(mpfr_op_rsqrt, v, 1, e); },
      [](const uint64_t* v, Env& e) { return rsqrt<F>(in<F>(v[0]), e); });
}

/// The Env of a machine function: nearest even; F32 flushes always.
template <class F, class Op>
Expected expect_machine(Op op, const uint64_t* v, Env env) {
  env.round = Round::NearestEven;
  if (F::kBits == 32) env.flush_in = env.flush_out = true;
  Expected e = expect<F>(op, v, 1, env);
  if (oracle::nan<F>(e.bits) && !oracle::nan<F>(v[0])) e.bits |= oracle::sign_bit<F>();
  return e;
}

TYPED_TEST(Arithmetic, MachineReciprocal) {
  using F = TypeParam;
  run_unary<F>(
      "v_rcp", 19,
      [](const uint64_t* v, const Env& e) { return expect_machine<F>(mpfr_op_rcp, v, e); },
      [](const uint64_t* v, Env& e) { return v_rcp<F>(in<F>(v[0]), e); });
}
TYPED_TEST(Arithmetic, MachineReciprocalSquareRoot) {
  using F = TypeParam;
  run_unary<F>(
      "v_rsq", 20,
      [](const uint64_t* v, const Env& e) { return expect_machine<F>(mpfr_op_rsqrt, v, e); },
      [](const uint64_t* v, Env& e) { return v_rsq<F>(in<F>(v[0]), e); });
}
TYPED_TEST(Arithmetic, MachineSquareRoot) {
  using F = TypeParam;
  run_unary<F>(
      "v_sqrt", 21,
      [](const uint64_t* v, const Env& e) { return expect_machine<F>(mpfr_op_sqrt, v, e); },
      [](const uint64_t* v, Env& e) { return v_sqrt<F>(in<F>(v[0]), e); });
}

TYPED_TEST(Arithmetic, Compare) {
  using F = TypeParam;
  Generator<F> random(22);
  Number a;
  Number b;
  int failures = 0;
  for (int i = 0; i < kVectors; ++i) {
    const Env env = oracle::make_env(Round::NearestEven, random.below(4));
    const bool signaling = random.below(2) != 0;
    const uint64_t x = random.pattern();
    const uint64_t y = random.partner(x);
    unsigned flags = 0;
    const uint64_t sx = oracle::seen<F>(x, env, flags);
    const uint64_t sy = oracle::seen<F>(y, env, flags);
    oracle::load<F>(a, sx);
    oracle::load<F>(b, sy);
    Ordering want = Ordering::Unordered;
    if (mpfr_unordered_p(a.get(), b.get()) == 0) {
      const int order = mpfr_cmp(a.get(), b.get());
      want = order < 0 ? Ordering::Less : order > 0 ? Ordering::Greater : Ordering::Equal;
    } else if (signaling || oracle::signaling<F>(x) || oracle::signaling<F>(y)) {
      flags |= kInvalid;
    }
    Env used = env;
    const Ordering got = compare<F>(in<F>(x), in<F>(y), used, signaling);
    if (got != want || used.flags != flags) ++failures;
  }
  EXPECT_EQ(failures, 0) << "seed 22";
}

}  // namespace
}  // namespace cuvette::fp
