// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <fmt/format.h>

#include "speed/block_rows.h"
#ifdef CUVETTE_WITH_RTL
#include "ip/rtl_module.h"
#include "speed/block_speed.h"
#endif

namespace cuvette::bench {

#ifdef CUVETTE_WITH_RTL
namespace {

constexpr double kInterfaceGoal = 0.85;  // of bare speed
constexpr double kLockstepGoal = 0.5;    // at most twice the time

/// Three lines of one instruction. `unit`: of the bare speed in millions.
base::Status add(const char* mnemonic, const BlockSpeed& speed, const char* unit, double goal,
                 BenchResult& out) {
  if (speed.bare <= 0) return base::Error(fmt::format("the RTL has no {}", mnemonic));
  out.lines.push_back({fmt::format("{}, bare", mnemonic), speed.bare * 1e-6, unit, goal});
  out.lines.push_back({fmt::format("{}, behind the contract / bare", mnemonic),
                       speed.interface / speed.bare, "ratio", kInterfaceGoal});
  out.lines.push_back({fmt::format("{}, in lockstep / bare", mnemonic), speed.lockstep / speed.bare,
                       "ratio", kLockstepGoal});
  return {};
}

}  // namespace

base::Result<BenchResult> valu_rtl() {
  constexpr uint64_t kBeats = 50'000;
  constexpr double kNoGoal = 0;
  if (auto s = ip::check_rtl("valu"); !s.ok()) return s.error();
  BenchResult out;
  for (const char* mnemonic : {"v_fma_f32", "v_add_f32", "v_add_u32"}) {
    auto status = add(mnemonic, measure_valu(mnemonic, kBeats), "M lane-op/s", kNoGoal, out);
    if (!status) return status.error();
  }
  return out;
}

base::Result<BenchResult> matrix_rtl() {
  constexpr unsigned kInstructions = 100;
  constexpr double kSpeedGoal = 0.1;  // M cycles/s
  if (auto s = ip::check_rtl("matrix_core"); !s.ok()) return s.error();
  BenchResult out;
  for (const char* mnemonic : {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x8f16",
                               "v_mfma_f32_16x16x2bf16", "v_mfma_i32_32x32x4i8"}) {
    auto status =
        add(mnemonic, measure_matrix(mnemonic, kInstructions), "M cycles/s", kSpeedGoal, out);
    if (!status) return status.error();
  }
  return out;
}

base::Result<BenchResult> cache_rtl() {
  constexpr double kSpeedGoal = 0.5;  // M cycles/s
  constexpr double kNoGoal = 0;
  if (auto s = ip::check_rtl("cache"); !s.ok()) return s.error();
  BenchResult out;
  for (const cache::Role role :
       {cache::Role::VectorL1, cache::Role::Scalar, cache::Role::Instruction, cache::Role::L2}) {
    const char* const name = cache::name_of(role);
    const std::vector<double> speeds = measure_cache(role);
    out.lines.push_back(
        {fmt::format("{}, bare", name), speeds[0] * 1e-6, "M cycles/s", kSpeedGoal});
    out.lines.push_back(
        {fmt::format("{}, in lockstep / bare", name), speeds[1] / speeds[0], "ratio", kNoGoal});
  }
  return out;
}

#else

base::Result<BenchResult> valu_rtl() {
  BenchResult out;
  out.skipped = "this build has no RTL";
  return out;
}

base::Result<BenchResult> matrix_rtl() {
  return valu_rtl();
}

base::Result<BenchResult> cache_rtl() {
  return valu_rtl();
}

#endif

}  // namespace cuvette::bench
