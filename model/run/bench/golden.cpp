// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "hsa/signal.h"
#include "run/bench/golden_rows.h"
#include "run/bench/native.h"
#include "run/bench/wave_loop.h"
#include "run/engine.h"

namespace cuvette::run::bench {
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

}  // namespace

base::Result<BenchResult> golden_fma() {
  const auto operations = fma_operations();
  std::vector<Line> body;
  for (const NativeFma& o : operations) {
    body.push_back({"v_fma_f32", {v(o.d), v(o.a), v(o.b), v(o.c)}});
  }
  std::unique_ptr<WaveLoop> loops[3];
  for (auto& loop : loops) {
    auto made = WaveLoop::make(body);
    if (!made) return made.error();
    loop = std::move(*made);
    fill_near_one(loop->vgprs(), WaveLoop::kVgprs);
  }
  loops[1]->wave().state.s.set_exec(kPartialExec);
  for (unsigned r = 0; r < WaveLoop::kVgprs; ++r) loops[2]->vgprs()[r].fill(kSubnormal);

  wave::LaneRows native(WaveLoop::kVgprs);
  fill_near_one(native.data(), WaveLoop::kVgprs);

  // Both sides do the same work before anything is measured.
  if (auto status = loops[0]->run(); !status.ok()) return status.error();
  native_fma(native.data(), operations, WaveLoop::kRounds);
  if (std::memcmp(native.data(), loops[0]->vgprs(), native.size() * sizeof native[0]) != 0) {
    return base::Error("golden and the native loop differ");
  }
  base::Status failed;
  const auto golden = [&](unsigned n) {
    return [&failed, &loop = *loops[n]] {
      if (auto status = loop.run(); !status.ok()) failed = status;
    };
  };
  const auto seconds = median_seconds({golden(0), golden(1), golden(2), [&] {
                                         native_fma(native.data(), operations, WaveLoop::kRounds);
                                       }});
  if (!failed.ok()) return failed.error();
  const uint64_t work = operations.size() * uint64_t{WaveLoop::kRounds};

  BenchResult result;
  result.lines = {
      {"golden, per v_fma_f32, loop control included", nanoseconds(seconds[0], work),
       kPerInstruction},
      {"golden, EXEC partial", nanoseconds(seconds[1], work), kPerInstruction},
      {"golden, all lanes subnormal", nanoseconds(seconds[2], work), kPerInstruction},
      {"native, registers in memory", nanoseconds(seconds[3], work), kPerInstruction},
      {"golden / native", seconds[3] / seconds[0], kRatio, 0.5},
      {"partial / full EXEC", seconds[0] / seconds[1], kRatio, 0.55},
      {"subnormal / normal", seconds[0] / seconds[2], kRatio, 0.25},
  };
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

namespace {

constexpr const char* kSaxpy = R"(module &saxpy_module:1:0:$full:$large:$default;
prog kernel &saxpy(kernarg_f32 %alpha, kernarg_u64 %x, kernarg_u64 %y)
{
	workitemabsid_u32	$s0, 0;
	ld_kernarg_width(all)_f32	$s2, [%alpha];
	ld_kernarg_width(all)_u64	$d0, [%x];
	ld_kernarg_width(all)_u64	$d1, [%y];
	cvt_u64_u32	$d2, $s0;
	mad_u64	$d0, $d2, 4, $d0;
	mad_u64	$d1, $d2, 4, $d1;
	ld_global_f32	$s3, [$d0];
	ld_global_f32	$s4, [$d1];
	fma_f32	$s4, $s2, $s3, $s4;
	st_global_f32	$s4, [$d1];
	ret;
};
)";
constexpr float kAlpha = 0.5f;

/// The kernel loaded and its arguments in place.
struct Saxpy {
  std::unique_ptr<Engine> engine;
  Launch launch;
};

[[maybe_unused]] base::Result<Saxpy> prepare_saxpy(unsigned count) {
  Saxpy saxpy;
  std::optional<NotBuilt> missing;
  EngineOptions options;
  options.target = "gfx908";
  auto engine = make_engine(options, missing);
  if (!engine) return engine.error();
  saxpy.engine = std::move(*engine);
  hsa::DeviceMemory& memory = saxpy.engine->memory();
  Dispatch dispatch;
  dispatch.code.inline_hsail = kSaxpy;
  dispatch.kernel = "&saxpy";
  auto shape = saxpy.engine->load(dispatch);
  if (!shape) return shape.error();

  ArgumentBytes arguments;
  arguments.values.resize(3);
  const auto put = [](std::vector<uint8_t>& to, const auto& value) {
    to.resize(sizeof value);
    std::memcpy(to.data(), &value, sizeof value);
  };
  put(arguments.values[0], kAlpha);
  const std::vector<float> ones(count, 1.0f);
  for (unsigned i = 1; i < 3; ++i) {
    auto address = memory.allocate(4 * uint64_t{count});
    if (!address) return address.error();
    if (!memory.write(*address, ones.data(), 4 * ones.size()).ok()) {
      return base::Error("a buffer cannot be written");
    }
    put(arguments.values[i], *address);
  }
  saxpy.launch.grid = {count, 1, 1};
  saxpy.launch.workgroup = {256, 1, 1};
  auto bytes = saxpy.engine->kernarg(saxpy.launch, arguments);
  if (!bytes) return bytes.error();
  auto kernarg = memory.allocate(std::max<uint64_t>(bytes->size(), 64));
  auto signal = hsa::Signal::create(memory, 1);
  if (!kernarg) return kernarg.error();
  if (!signal) return signal.error();
  if (!memory.write(*kernarg, bytes->data(), bytes->size()).ok()) {
    return base::Error("the arguments cannot be written");
  }
  saxpy.launch.kernarg = *kernarg;
  saxpy.launch.completion_signal = signal->handle();
  return saxpy;
}

}  // namespace

base::Result<BenchResult> golden_saxpy() {
  BenchResult result;
#ifndef CUVETTE_WITH_FINALIZER
  result.skipped = "HSAIL needs the finalizer (LLVM), which is not in this build";
  return result;
#else
  constexpr unsigned kCount = 1u << 16;
  auto saxpy = prepare_saxpy(kCount);
  if (!saxpy) return saxpy.error();
  std::vector<float> x(kCount, 1.0f), y(kCount, 1.0f);
  base::Status failed;
  EngineReport report;
  const auto golden = [&] {
    EngineReport one;
    if (auto status = saxpy->engine->run(saxpy->launch, one); !status.ok()) failed = status;
    if (!one.failures.empty()) failed = base::Error(one.failures[0]);
    report = one;
  };
  const auto seconds =
      median_seconds({golden, [&] { native_saxpy(kAlpha, x.data(), y.data(), kCount); }});
  if (!failed.ok()) return failed.error();
  result.lines = {
      {"golden, per element", nanoseconds(seconds[0], kCount), "ns/element"},
      {"golden, per wave instruction", nanoseconds(seconds[0], report.instructions),
       kPerInstruction},
      {"native, per element", nanoseconds(seconds[1], kCount), "ns/element"},
      {"golden / native", seconds[1] / seconds[0], kRatio, 0.2},
  };
  return result;
#endif
}

}  // namespace cuvette::run::bench
