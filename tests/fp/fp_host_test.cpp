// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Arithmetic against the host's SSE unit: results, all six flags, flush-to-zero and
// denormals-are-zero. MXCSR numbers its flags as TRAPSTS does.
#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <cstring>
#include <random>

#include <immintrin.h>

#include "fp/arith.h"
#include "fp/convert.h"
#include "fp/integral.h"

namespace cuvette::fp {
namespace {

constexpr unsigned kVectors = 200'000;

/// MXCSR with all exceptions masked for a rounding mode and flush setting.
unsigned control(const Env& env) {
  constexpr unsigned kRound[] = {0, 2, 1, 3};  // MXCSR: 1 is down, 2 is up
  return 0x1f80u | kRound[static_cast<unsigned>(env.round)] << 13 | (env.flush_out ? 0x8000u : 0) |
         (env.flush_in ? 0x0040u : 0);
}

/// Runs `operation` on volatile operands, so that it stays between the two accesses to MXCSR.
template <class Value, class Operation>
Value on_host(Value a, Value b, Env& env, Operation operation) {
  const unsigned saved = _mm_getcsr();
  volatile Value x = a;
  volatile Value y = b;
  _mm_setcsr(control(env));
  volatile Value result = operation(x, y);
  env.flags = static_cast<uint8_t>(_mm_getcsr() & 0x3f);
  _mm_setcsr(saved);
  return result;
}

template <class Value, class Bits>
Value as(Bits bits) {
  static_assert(sizeof(Value) == sizeof(Bits));
  Value v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

template <class F, class Value, class Host, class Ours>
void compare_with_host(const char* name, uint64_t seed, Host host, Ours ours) {
  std::mt19937_64 random(seed);
  int failures = 0;
  for (unsigned i = 0; i < kVectors; ++i) {
    Env env;
    env.round = static_cast<Round>(random() & 3);
    env.flush_in = (random() & 1) != 0;
    env.flush_out = (random() & 1) != 0;
    BitsOf<F> v[2];
    for (auto& x : v) {
      x = static_cast<BitsOf<F>>(random());
      if (random() % 4 == 0) x &= static_cast<BitsOf<F>>(F::kSignBit | F::kFractionMask);
      if (random() % 4 == 0) x &= static_cast<BitsOf<F>>(~F::kFractionMask);
    }
    if (random() % 2 == 0) {
      v[1] =
          static_cast<BitsOf<F>>((v[1] & (F::kSignBit | F::kFractionMask)) | (v[0] & F::kInfinity));
    }
    if (random() % 8 == 0) {
      // Products and quotients around the smallest normal: all ones times a power of two.
      const auto e = static_cast<int>(random() % static_cast<unsigned>(F::kBias - 4)) + 1;
      const int partner = random() % 2 == 0 ? F::kBias - e : F::kBias - 1 + e;
      v[0] = static_cast<BitsOf<F>>((BitsOf<F>(e) << F::kFractionBits) | F::kFractionMask);
      v[0] -= static_cast<BitsOf<F>>(random() % 3);
      v[1] = static_cast<BitsOf<F>>((BitsOf<F>(partner) << F::kFractionBits) | (random() & 1));
    }
    if (is_nan<F>(v[0]) || is_nan<F>(v[1])) continue;  // the host's NaN rules are others
    Env host_env = env;
    const Value want = on_host<Value>(as<Value>(v[0]), as<Value>(v[1]), host_env, host);
    const BitsOf<F> got = ours(v[0], v[1], env);
    const bool same = want != want ? is_nan<F>(got) : as<BitsOf<F>>(want) == got;
    // The host does not report a subnormal operand of an invalid operation or a division by zero.
    const unsigned mask =
        (host_env.flags & (kInvalid | kDivideByZero)) != 0 ? ~unsigned{kInputDenormal} : ~0u;
    if (same && ((host_env.flags ^ env.flags) & mask) == 0) continue;
    if (++failures > 5) continue;
    ADD_FAILURE() << name << " seed " << seed << " round " << static_cast<int>(env.round)
                  << " flush " << env.flush_in << env.flush_out << std::hex << " operands "
                  << uint64_t{v[0]} << " " << uint64_t{v[1]} << " host "
                  << uint64_t{as<BitsOf<F>>(want)} << " flags " << int{host_env.flags} << " ours "
                  << uint64_t{got} << " flags " << int{env.flags};
  }
  EXPECT_EQ(failures, 0);
}

template <class F, class Value>
void all_operations(uint64_t seed) {
  using Bits = BitsOf<F>;
  compare_with_host<F, Value>(
      "add", seed, [](Value a, Value b) { return a + b; },
      [](Bits a, Bits b, Env& e) { return add<F>(a, b, e); });
  compare_with_host<F, Value>(
      "sub", seed + 1, [](Value a, Value b) { return a - b; },
      [](Bits a, Bits b, Env& e) { return sub<F>(a, b, e); });
  compare_with_host<F, Value>(
      "mul", seed + 2, [](Value a, Value b) { return a * b; },
      [](Bits a, Bits b, Env& e) { return mul<F>(a, b, e); });
  compare_with_host<F, Value>(
      "div", seed + 3, [](Value a, Value b) { return a / b; },
      [](Bits a, Bits b, Env& e) { return div<F>(a, b, e); });
}

TEST(Host, F32) {
  all_operations<F32, float>(201);
  compare_with_host<F32, float>(
      "sqrt", 205, [](float a, float) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a))); },
      [](uint32_t a, uint32_t, Env& e) { return fp::sqrt<F32>(a, e); });
}
TEST(Host, F64) {
  all_operations<F64, double>(211);
  compare_with_host<F64, double>(
      "sqrt", 215,
      [](double a, double) {
        const __m128d x = _mm_set_sd(a);
        return _mm_cvtsd_f64(_mm_sqrt_sd(x, x));
      },
      [](uint64_t a, uint64_t, Env& e) { return fp::sqrt<F64>(a, e); });
}

}  // namespace
}  // namespace cuvette::fp

#else
TEST(Host, Unavailable) {
  GTEST_SKIP() << "the host has no SSE unit";
}
#endif
