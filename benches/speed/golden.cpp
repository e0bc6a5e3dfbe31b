// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include "speed/golden_rows.h"
#include "speed/native.h"
#include "speed/saxpy_kernel.h"
#include "speed/wave_loop.h"
#include "wave/lanes/host_level.h"

namespace cuvette::bench {
namespace {

constexpr const char* kPerInstruction = "ns/instruction";
constexpr const char* kRatio = "ratio";
constexpr uint64_t kPartialExec = 0x0ff0ffff00ff5555;

double nanoseconds(double seconds, uint64_t count) {
  return 1e9 * seconds / static_cast<double>(count);
}

/// v[d] = v[d] * v[a] + v[b] with factors of 0.5 to 1 stays between 0 and b / (1 - a).
std::vector<NativeFma> fma_operations() {
  std::vector<NativeFma> out;
  for (unsigned i = 0; i < 32; ++i) {
    const auto d = static_cast<uint8_t>(i);
    out.push_back({d, d, static_cast<uint8_t>(64 + i), static_cast<uint8_t>(128 + i)});
  }
  return out;
}

constexpr uint32_t kSubnormal = 0x00012345;
constexpr uint32_t kSubnormalsF32 = 0x30;  // MODE.FP_DENORM

}  // namespace

namespace {

struct Level {
  wave::lanes::HostLevel level;
  const char* name;
};
constexpr Level kLevels[] = {{wave::lanes::HostLevel::Baseline, "x86-64-v2"},
                             {wave::lanes::HostLevel::Avx2, "x86-64-v3"},
                             {wave::lanes::HostLevel::Avx512, "x86-64-v4"}};

/// Golden and native code kept to one level of the host while this lives.
class AtLevel {
 public:
  explicit AtLevel(wave::lanes::HostLevel level) { wave::lanes::limit_host_level(level); }
  ~AtLevel() { wave::lanes::limit_host_level(wave::lanes::HostLevel::Avx512); }
  AtLevel(const AtLevel&) = delete;
  AtLevel& operator=(const AtLevel&) = delete;
};

std::vector<Level> levels_of_host() {
  std::vector<Level> out;
  for (const Level& l : kLevels) {
    if (l.level <= wave::lanes::host_level()) out.push_back(l);
  }
  return out;
}

/// Lines of golden_fma on one level.
base::Status fma_at(const Level& level, BenchResult& result) {
  const AtLevel at(level.level);
  const auto operations = fma_operations();
  const auto body_of = [&operations](const char* mnemonic) {
    std::vector<Line> body;
    body.reserve(operations.size());
    for (const NativeFma& o : operations) {
      body.push_back({mnemonic, {v(o.d), v(o.a), v(o.b), v(o.c)}});
    }
    return body;
  };
  constexpr unsigned kMad = 3;
  std::unique_ptr<WaveLoop> loops[4];
  for (unsigned n = 0; n < std::size(loops); ++n) {
    auto made = WaveLoop::make(body_of(n == kMad ? "v_mad_f32" : "v_fma_f32"));
    if (!made) return made.error();
    loops[n] = std::move(*made);
    fill_near_one(loops[n]->vgprs(), WaveLoop::kVgprs);
  }
  // As V_MAD does it anyway, MODE flushes subnormal numbers.
  loops[kMad]->wave().state.s.mode.raw &= ~uint32_t{kSubnormalsF32};
  loops[1]->wave().state.s.set_exec(kPartialExec);
  for (unsigned r = 0; r < WaveLoop::kVgprs; ++r) loops[2]->vgprs()[r].fill(kSubnormal);
  wave::LaneRows native(WaveLoop::kVgprs);
  fill_near_one(native.data(), WaveLoop::kVgprs);

  // Both sides do the same work before anything is measured.
  if (auto status = loops[0]->run(); !status.ok()) return status.error();
  native_fma(native.data(), operations, WaveLoop::kRounds);
  if (std::memcmp(native.data(), loops[0]->vgprs(), native.size() * sizeof native[0]) != 0) {
    return base::Error(fmt::format("golden and the native loop differ at {}", level.name));
  }
  base::Status failed;
  const auto golden = [&](unsigned n) {
    return [&failed, &loop = *loops[n]] {
      if (auto status = loop.run(); !status.ok()) failed = status;
    };
  };
  const auto seconds = median_seconds(
      {golden(0), golden(1), golden(2),
       [&] { native_fma(native.data(), operations, WaveLoop::kRounds); }, golden(kMad)});
  if (!failed.ok()) return failed.error();
  const uint64_t work = operations.size() * uint64_t{WaveLoop::kRounds};

  const auto add = [&](const char* what, double value, const char* unit, double goal) {
    result.lines.push_back({fmt::format("{}: {}", level.name, what), value, unit, goal});
  };
  add("golden, per v_fma_f32, loop included", nanoseconds(seconds[0], work), kPerInstruction, 0);
  add("native, registers in memory", nanoseconds(seconds[3], work), kPerInstruction, 0);
  add("golden / native", seconds[3] / seconds[0], kRatio, 0.65);
  add("partial / full EXEC", seconds[0] / seconds[1], kRatio, 0.55);
  add("subnormal / normal", seconds[0] / seconds[2], kRatio, 0.25);
  add("v_mad_f32 / v_fma_f32", seconds[4] / seconds[0], "time", 0);
  return {};
}

}  // namespace

base::Result<BenchResult> golden_fma() {
  BenchResult result;
  for (const Level& level : levels_of_host()) {
    if (auto status = fma_at(level, result); !status.ok()) return status.error();
  }
  return result;
}

namespace {

/// A chain of matrix instructions on four accumulators against the host's peak of fused
/// multiply-adds.
base::Status matrix_at(const Level& level, const char* mnemonic, unsigned fmas, double goal,
                       BenchResult& result) {
  const AtLevel at(level.level);
  std::vector<Line> body;
  body.reserve(4);
  for (unsigned n = 0; n < 4; ++n) {
    body.push_back({mnemonic, {acc(32 * n), v(2 * n), v(2 * n + 16), acc(32 * n)}});
  }
  auto loop = WaveLoop::make(body);
  if (!loop) return loop.error();
  fill_near_one((*loop)->vgprs(), WaveLoop::kVgprs);
  // As F16 pairs these are numbers between 2^-14 and 2, too.
  for (unsigned r = 0; r < 32; ++r) {
    for (uint32_t& lane : (*loop)->vgprs()[r]) lane = (lane & 0x3bff3bff) | 0x30003000;
  }
  base::Status failed;
  const auto seconds = median_seconds({[&] {
                                         if (auto status = (*loop)->run(); !status.ok()) {
                                           failed = status;
                                         }
                                       },
                                       [&] { native_peak(WaveLoop::kRounds); }});
  if (!failed.ok()) return failed;
  const double golden = double{4} * fmas * WaveLoop::kRounds / seconds[0];
  const double peak = native_peak_fmas(WaveLoop::kRounds) / seconds[1];
  const auto add = [&](const char* what, double value, const char* unit, double wanted) {
    result.lines.push_back(
        {fmt::format("{}: {} {}", level.name, mnemonic, what), value, unit, wanted});
  };
  add("", 1e9 * seconds[0] / (4.0 * WaveLoop::kRounds), kPerInstruction, 0);
  add("multiply-adds", golden / 1e9, "G/s", 0);
  add("/ peak of the host", golden / peak, kRatio, goal);
  return {};
}

}  // namespace

base::Result<BenchResult> golden_mfma() {
  BenchResult result;
  for (const Level& level : levels_of_host()) {
    for (const auto& [mnemonic, fmas, goal] : {std::tuple{"v_mfma_f32_32x32x1f32", 2048u, 0.15},
                                               std::tuple{"v_mfma_f32_32x32x8f16", 8192u, 0.45}}) {
      // Bit patterns without a vector FMA: no goal, and minutes for nothing.
      if (level.level == wave::lanes::HostLevel::Baseline) continue;
      if (auto status = matrix_at(level, mnemonic, fmas, goal, result); !status.ok()) {
        return status.error();
      }
    }
  }
  return result;
}

base::Result<BenchResult> golden_mixed() {
  const std::vector<Line> kinds = {
      {"v_fma_f32", {v(0), v(0), v(64), v(65)}}, {"v_add_f32", {v(1), v(66), v(67)}},
      {"v_mul_f32", {v(2), v(68), v(69)}},       {"v_max_f32", {v(3), v(1), v(2)}},
      {"v_add_u32", {v(4), v(4), v(70)}},        {"v_and_b32", {v(5), v(4), v(71)}},
      {"v_lshlrev_b32", {v(6), s(10), v(72)}},   {"v_cmp_lt_f32", {v(1), v(2)}},
      {"v_cndmask_b32", {v(7), v(5), v(6)}},     {"s_add_u32", {s(11), s(11), s(10)}},
      {"s_lshl_b32", {s(12), s(11), s(10)}},     {"s_and_b64", {s(14), s(16), s(18)}},
  };
  std::unique_ptr<WaveLoop> loops[2];
  for (auto& loop : loops) {
    auto made = WaveLoop::make(kinds);
    if (!made) return made.error();
    loop = std::move(*made);
    fill_near_one(loop->vgprs(), WaveLoop::kVgprs);
    for (unsigned i = 10; i < 20; ++i) loop->wave().state.s.sgpr[i] = i - 7;
  }
  loops[1]->wave().state.s.set_exec(kPartialExec);
  base::Status failed;
  const auto golden = [&](unsigned n) {
    return [&failed, &loop = *loops[n]] {
      if (auto status = loop.run(); !status.ok()) failed = status;
    };
  };
  const auto seconds = median_seconds({golden(0), golden(1)});
  if (!failed.ok()) return failed.error();
  const uint64_t work = loops[0]->instructions();
  BenchResult result;
  result.lines = {
      {"golden, EXEC full", nanoseconds(seconds[0], work), kPerInstruction},
      {"golden, EXEC partial", nanoseconds(seconds[1], work), kPerInstruction},
      {"partial / full EXEC", seconds[0] / seconds[1], kRatio, 0.55},
  };
  return result;
}

#ifdef CUVETTE_WITH_FINALIZER
namespace {

/// On cache lines, as device memory is.
using Floats = std::vector<float, wave::LineAllocator<float>>;

struct SaxpyVariant {
  const char *code, *name;
  unsigned count, grid;
};
constexpr unsigned kInCache = 1u << 16, kOutside = 1u << 23;  // elements: 512 KiB and 64 MiB
constexpr unsigned kLoopItems = 256;                          // 4 waves
constexpr unsigned kMore = 256;                               // work-items beyond the bound
const SaxpyVariant kSaxpyVariants[] = {
    {kSaxpy, "an element per work-item, 64 Ki", kInCache, kInCache},
    {kSaxpy, "an element per work-item, 8 Mi", kOutside, kOutside},
    {kSaxpyBounded, "the same behind a bounds check, 64 Ki", kInCache, kInCache + kMore},
    {kSaxpyBounded, "the same behind a bounds check, 8 Mi", kOutside, kOutside + kMore},
    {kSaxpyLoop, "a loop of 4 waves, 64 Ki", kInCache, kLoopItems},
    {kSaxpyLoop, "a loop of 4 waves, 8 Mi", kOutside, kLoopItems},
    {kSaxpyOffset, "the loop with 32-bit offsets, 64 Ki", kInCache, kLoopItems},
    {kSaxpyOffset, "the loop with 32-bit offsets, 8 Mi", kOutside, kLoopItems},
    {kSaxpyUnrolled, "the same unrolled, 64 Ki", kInCache, kLoopItems},
    {kSaxpyUnrolled, "the same unrolled, 8 Mi", kOutside, kLoopItems},
};

/// Lines of golden_saxpy on one level: golden and native code over the same number of elements.
base::Status saxpy_at(const Level& level, const SaxpyVariant& variant, BenchResult& result) {
  const AtLevel at(level.level);
  auto saxpy = prepare_saxpy(variant.code, variant.count, variant.grid, 1);
  if (!saxpy) return saxpy.error();
  Floats x(variant.count, 1.0f), y(variant.count, 1.0f);
  base::Status failed;
  run::EngineReport report;
  const auto golden = [&] {
    run::EngineReport one;
    if (auto status = saxpy->engine->run(saxpy->launch, one); !status.ok()) failed = status;
    if (!one.failures.empty()) failed = base::Error(one.failures[0]);
    report = one;
  };
  const auto native = [&] { native_saxpy(kSaxpyAlpha, x.data(), y.data(), variant.count); };
  // Both sides do the same before anything is measured.
  golden();
  native();
  if (!failed.ok()) return failed;
  Floats results(variant.count);
  if (!saxpy->engine->memory().read(saxpy->y, results.data(), 4 * results.size()).ok() ||
      results != y) {
    return base::Error(fmt::format("golden and the native loop differ at {}", level.name));
  }
  const auto seconds = median_seconds({golden, native});
  if (!failed.ok()) return failed;
  const double per_instruction = nanoseconds(seconds[0], report.instructions);
  auto& lines = result.lines;
  lines.push_back({fmt::format("{}: {}", level.name, variant.name),
                   nanoseconds(seconds[0], variant.count), "ns/element"});
  lines.push_back({"  per wave instruction", per_instruction, kPerInstruction});
  lines.push_back({"  native", nanoseconds(seconds[1], variant.count), "ns/element"});
  lines.push_back({"  golden / native", seconds[1] / seconds[0], kRatio, 0.2});
  return {};
}

}  // namespace
#endif

base::Result<BenchResult> golden_saxpy() {
  BenchResult result;
#ifndef CUVETTE_WITH_FINALIZER
  result.skipped = "HSAIL needs the finalizer (LLVM), which is not in this build";
#else
  for (const Level& level : levels_of_host()) {
    for (const SaxpyVariant& variant : kSaxpyVariants) {
      if (auto status = saxpy_at(level, variant, result); !status.ok()) return status.error();
    }
  }
#endif
  return result;
}

}  // namespace cuvette::bench
