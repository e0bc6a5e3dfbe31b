// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// One F32 machine function for all 2^32 operands. A double value of proven error judges; MPFR is
// asked only where that error could change the verdict.
//
// usage: fp_exhaustive --function NAME [--shard I/N] [--resume FILE]
//   NAME: exp log sin cos rcp rsq sqrt.  Shard I of N (from 1) takes the blocks I-1, I-1+N, ... of
//   2^22 operands. With --resume the state is kept in FILE after every block, and a later call with
//   the same function and shard goes on from there. Exit code 0: every result within its bound.
//
// Budget for a whole function on one core of 2.5 GHz: 5 core-minutes.
//
// Proof that double values suffice: u = 2^-53. Every polynomial below is a Taylor sum in Horner
// form whose remainder is below 2^-58 and whose terms fall quickly, so its relative rounding error
// is at most 6 u; reductions are exact (Sterbenz, or subtraction of multiples of a common unit);
// constants and the products around a sum add at most 6 u. So every relative error is below 12 u <
// 2^-49, which is 2^-25 of an F32 unit in the last place; kSlack is twice that.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fp/transcendental.h"
#include "fp_transcendental_oracle.h"

namespace cuvette::fp {
namespace {

using oracle::Function;

constexpr double kSlack = 0x1p-24;
constexpr unsigned kBlockBits = 22;
constexpr unsigned kBlocks = 1u << (32 - kBlockBits);

/// 2^x for |x| < 200.
double exp2_double(double x) {
  const double whole = std::rint(x);
  const double y = (x - whole) * 0.693147180559945309417;
  double sum = 1;  // |y| < 0.347: y^15 / 15! < 2^-63
  for (int k = 14; k >= 1; --k) sum = 1 + sum * y / k;
  return std::ldexp(sum, static_cast<int>(whole));
}

/// log2(x), x > 0 and a normal F32 number.
double log2_double(double x) {
  int e = 0;
  double m = std::frexp(x, &e);  // [1/2, 1)
  if (m < 0.75) {
    m *= 2;
    --e;
  }
  const double t = m - 1;        // exact
  const double z = t / (2 + t);  // |z| <= 1/5
  const double square = z * z;
  double sum = 0;  // z^24 / 25 < 2^-60
  for (int k = 23; k >= 1; k -= 2) sum = 1.0 / k + sum * square;
  return e + 2 * z * sum * 1.44269504088896340736;
}

/// sin(2 pi r), |r| <= 1/4.
double sine(double r) {
  const double y = r * 6.28318530717958647693;
  const double square = y * y;
  double sum = 1;  // y^27 / 27! < 2^-75
  for (int k = 24; k >= 2; k -= 2) sum = 1 - sum * square / (k * (k + 1));
  return y * sum;
}

/// sin(2 pi x); x - n / 2 is a multiple of the last place of x, hence exact.
double sin_double(double x) {
  const double half = std::rint(2 * x);
  const double s = sine(x - half / 2);
  return std::fmod(half, 2) == 0 ? s : -s;
}
/// cos(2 pi x) = sin(2 pi (1/4 - |r|)); where the difference is not exact, |r| < 2^-27.
double cos_double(double x) {
  return sine(0.25 - std::fabs(x - std::rint(x)));
}

double reference(Function f, double x) {
  switch (f) {
    case Function::Exp:
      return exp2_double(x);
    case Function::Log:
      return log2_double(x);
    case Function::Sin:
      return sin_double(x);
    case Function::Cos:
      return cos_double(x);
    case Function::Rcp:
      return 1 / x;
    case Function::Rsq:
      return 1 / std::sqrt(x);
    case Function::Sqrt:
      return std::sqrt(x);
  }
  return 0;
}

template <Function kFunction>
uint32_t call(uint32_t x, Env& env) {
  if constexpr (kFunction == Function::Exp) return v_exp<F32>(x, env);
  if constexpr (kFunction == Function::Log) return v_log<F32>(x, env);
  if constexpr (kFunction == Function::Sin) return v_sin<F32>(x, env);
  if constexpr (kFunction == Function::Cos) return v_cos<F32>(x, env);
  if constexpr (kFunction == Function::Rcp) return v_rcp<F32>(x, env);
  if constexpr (kFunction == Function::Rsq) return v_rsq<F32>(x, env);
  return v_sqrt<F32>(x, env);
}

/// Bounds of docs/reference/transcendentals.md.
double bound_of(Function f) {
  if (f == Function::Log) return 0.505;
  return f <= Function::Cos ? 0.501 : 0.5;
}

struct State {
  unsigned next_block = 0;
  uint64_t judged = 0;      ///< compared with the double value
  uint64_t special = 0;     ///< compared with the special cases and, at the range's ends, MPFR
  uint64_t asked = 0;       ///< of the judged, decided by MPFR
  uint64_t misrounded = 0;  ///< not the nearest F32 number
  double worst = 0;         ///< largest error in units in the last place
};

bool report(Function f, uint32_t x, uint32_t got, const char* what) {
  std::printf("%s of %#010x: %#010x: %s\n", oracle::name_of(f), x, got, what);
  return false;
}

/// Operands whose result is fixed, or so close to an end of the range that flushing or overflow
/// comes in: to be compared bit by bit.
bool is_special(Function f, uint32_t x) {
  const uint32_t mag = x & 0x7fffffff;
  if (mag == 0 || mag >= 0x7f800000) return true;
  const bool minus = x != mag;
  switch (f) {
    case Function::Exp:  // results outside [2^-125, 2^127]; subnormal operands
      return mag < 0x00800000 || mag >= (minus ? 0x42fa0000 : 0x42fe0000);
    case Function::Log:
      return minus || mag < 0x00800000 || mag == 0x3f800000;
    case Function::Sin:
      return mag > 0x43800000 || mag < 0x00800000 ||
             (mag >= 0x3f000000 && std::fmod(2 * std::bit_cast<float>(mag), 1.0f) == 0);
    case Function::Cos:
      return mag > 0x43800000 ||
             (mag >= 0x3e800000 && std::fmod(2 * std::bit_cast<float>(mag), 1.0f) == 0.5f);
    case Function::Rcp:  // quotients below 2^-125
      return mag < 0x00800000 || mag >= 0x7e000000;
    case Function::Rsq:
    case Function::Sqrt:
      return minus || mag < 0x00800000;
  }
  return true;
}

template <Function kFunction>
bool check_special(uint32_t x, State& state) {
  Env env;
  const uint32_t got = call<kFunction>(x, env);
  ++state.special;
  // Far out, exp is certain without MPFR, which is slow over two thirds of all operands.
  const uint32_t mag = x & 0x7fffffff;
  if (kFunction == Function::Exp && mag >= 0x43800000 && mag < 0x7f800000) {
    if (got != (x == mag ? 0x7f800000u : 0u))
      return report(kFunction, x, got, "far from the range");
    return true;
  }
  const oracle::MachineExpected expected = oracle::machine_expected<F32>(kFunction, x, Env{});
  if (got == expected.nearest.bits) return true;
  if (expected.special) return report(kFunction, x, got, "a special case");
  const double error = oracle::error_in_ulp<F32>(kFunction, x, got);
  state.worst = std::max(state.worst, error);
  ++state.misrounded;
  if (error > bound_of(kFunction)) return report(kFunction, x, got, "beyond the bound");
  return true;
}

template <Function kFunction>
bool check(uint32_t x, State& state) {
  if (is_special(kFunction, x)) return check_special<kFunction>(x, state);
  Env env;
  const uint32_t got = call<kFunction>(x, env);
  ++state.judged;
  if ((got & 0x7f800000) == 0x7f800000) return report(kFunction, x, got, "not finite");
  const double exact = reference(kFunction, std::bit_cast<float>(x));
  const uint64_t field = std::bit_cast<uint64_t>(exact) >> 52 & 0x7ff;
  // One over a unit in the last place of F32 at `exact`; sine may be subnormal.
  const uint64_t exponent = std::max<uint64_t>(field, 1023 - 126);
  const double per_unit = std::bit_cast<double>((2046 + 23 - exponent) << 52);
  double error = std::fabs(std::bit_cast<float>(got) - exact) * per_unit;
  const double limit = bound_of(kFunction);
  if (std::fabs(error - 0.5) <= kSlack || std::fabs(error - limit) <= kSlack) [[unlikely]] {
    ++state.asked;
    error = oracle::error_in_ulp<F32>(kFunction, x, got);
  }
  if (error > 0.5) ++state.misrounded;
  if (error > state.worst) state.worst = error;
  return error <= limit || report(kFunction, x, got, "beyond the bound");
}

template <Function kFunction>
bool check_block(unsigned block, State& state) {
  const uint64_t first = uint64_t{block} << kBlockBits;
  bool good = true;
  for (uint64_t x = first; x < first + (uint64_t{1} << kBlockBits) && good; ++x) {
    good = check<kFunction>(static_cast<uint32_t>(x), state);
  }
  return good;
}

using BlockCheck = bool (*)(unsigned, State&);
constexpr BlockCheck kChecks[] = {check_block<Function::Exp>, check_block<Function::Log>,
                                  check_block<Function::Sin>, check_block<Function::Cos>,
                                  check_block<Function::Rcp>, check_block<Function::Rsq>,
                                  check_block<Function::Sqrt>};

struct Job {
  Function function = Function::Exp;
  unsigned shard = 0, shards = 1;
  std::string resume;
};

constexpr const char* kStateFormat = "%15s %u/%u %u %llu %llu %llu %llu %la";

State load(const Job& job) {
  State state;
  std::FILE* file = job.resume.empty() ? nullptr : std::fopen(job.resume.c_str(), "r");
  if (file == nullptr) return state;
  char name[16];
  unsigned shard = 0, shards = 0;
  unsigned long long judged = 0, special = 0, asked = 0, misrounded = 0;
  State read;
  const int fields = std::fscanf(file, kStateFormat, name, &shard, &shards, &read.next_block,
                                 &judged, &special, &asked, &misrounded, &read.worst);
  std::fclose(file);
  if (fields != 9 || std::strcmp(name, oracle::name_of(job.function)) != 0 ||
      shard != job.shard + 1 || shards != job.shards) {
    std::fprintf(stderr, "fp_exhaustive: %s is not the state of this job\n", job.resume.c_str());
    std::exit(2);
  }
  read.judged = judged;
  read.special = special;
  read.asked = asked;
  read.misrounded = misrounded;
  return read;
}

void save(const Job& job, const State& s) {
  if (job.resume.empty()) return;
  const std::string fresh = job.resume + ".new";
  std::FILE* file = std::fopen(fresh.c_str(), "w");
  if (file == nullptr) return;
  std::fprintf(file, "%s %u/%u %u %llu %llu %llu %llu %a\n", oracle::name_of(job.function),
               job.shard + 1, job.shards, s.next_block, static_cast<unsigned long long>(s.judged),
               static_cast<unsigned long long>(s.special), static_cast<unsigned long long>(s.asked),
               static_cast<unsigned long long>(s.misrounded), s.worst);
  std::fclose(file);
  std::rename(fresh.c_str(), job.resume.c_str());
}

int usage() {
  std::fprintf(stderr,
               "usage: fp_exhaustive --function exp|log|sin|cos|rcp|rsq|sqrt [--shard I/N] "
               "[--resume FILE]\n");
  return 2;
}

int run(const Job& job) {
  State state = load(job);
  if (state.next_block == 0) state.next_block = job.shard;
  while (state.next_block < kBlocks) {
    if (!kChecks[static_cast<unsigned>(job.function)](state.next_block, state)) return 1;
    state.next_block += job.shards;
    save(job, state);
  }
  std::printf(
      "%s f32 shard %u/%u: at most %.7f ulp, %llu not nearest; %llu by double (%llu asked MPFR), "
      "%llu special\n",
      oracle::name_of(job.function), job.shard + 1, job.shards, std::max(state.worst, 0.0),
      static_cast<unsigned long long>(state.misrounded),
      static_cast<unsigned long long>(state.judged), static_cast<unsigned long long>(state.asked),
      static_cast<unsigned long long>(state.special));
  return 0;
}

}  // namespace
}  // namespace cuvette::fp

int main(int argc, char** argv) {
  using namespace cuvette::fp;
  Job job;
  bool named = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--function") {
      for (const Function f : oracle::kFunctions) {
        if (value != oracle::name_of(f)) continue;
        job.function = f;
        named = true;
      }
    } else if (option == "--shard") {
      unsigned shard = 0;
      if (std::sscanf(value.c_str(), "%u/%u", &shard, &job.shards) != 2 || shard == 0 ||
          shard > job.shards || job.shards > kBlocks) {
        return usage();
      }
      job.shard = shard - 1;
    } else if (option == "--resume") {
      job.resume = value;
    } else {
      return usage();
    }
  }
  return named && argc % 2 == 1 ? run(job) : usage();
}
