// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// HSAIL: text and BRIG read and validated, one kernel finalized, instructions interpreted.
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "hsail/brig.h"
#include "hsail/machine.h"
#include "hsail/text.h"
#include "speed/hsail_rows.h"
#ifdef CUVETTE_WITH_FINALIZER
#include "run/finalizer_module.h"
#endif

namespace cuvette::bench {
namespace {

constexpr double kMegabyte = 1e6;

/// A tiled matrix product: group memory, barriers, a loop of fused multiply-adds.
constexpr const char* kSgemm = R"(
	group_f32 %ta[256];
	group_f32 %tb[256];
	workitemid_u32 $s0, 0;
	workitemid_u32 $s1, 1;
	workgroupid_u32 $s2, 0;
	workgroupid_u32 $s3, 1;
	ld_kernarg_align(8)_u64 $d0, [%a];
	ld_kernarg_align(8)_u64 $d1, [%b];
	ld_kernarg_align(8)_u64 $d2, [%c];
	ld_kernarg_align(4)_u32 $s4, [%n];
	mad_u32 $s5, $s3, 16, $s1;
	mad_u32 $s6, $s2, 16, $s0;
	mad_u32 $s7, $s1, 16, $s0;
	shl_u32 $s7, $s7, 2;
	mov_b32 $s8, 0f00000000;
	mov_b32 $s9, 0;
@tiles:
	mad_u32 $s10, $s5, $s4, $s9;
	add_u32 $s10, $s10, $s0;
	cvt_u64_u32 $d3, $s10;
	shl_u64 $d3, $d3, 2;
	add_u64 $d3, $d0, $d3;
	ld_global_align(4)_f32 $s11, [$d3];
	st_group_align(4)_f32 $s11, [%ta][$s7];
	add_u32 $s10, $s9, $s1;
	mad_u32 $s10, $s10, $s4, $s6;
	cvt_u64_u32 $d3, $s10;
	shl_u64 $d3, $d3, 2;
	add_u64 $d3, $d1, $d3;
	ld_global_align(4)_f32 $s11, [$d3];
	st_group_align(4)_f32 $s11, [%tb][$s7];
	memfence_screl_wg;
	barrier;
	memfence_scacq_wg;
	mov_b32 $s12, 0;
	shl_u32 $s13, $s1, 6;
	shl_u32 $s14, $s0, 2;
@steps:
	ld_group_align(4)_f32 $s15, [%ta][$s13];
	ld_group_align(4)_f32 $s16, [%tb][$s14];
	fma_f32 $s8, $s15, $s16, $s8;
	add_u32 $s13, $s13, 4;
	add_u32 $s14, $s14, 64;
	add_u32 $s12, $s12, 1;
	cmp_lt_b1_u32 $c0, $s12, 16;
	cbr_width(all)_b1 $c0, @steps;
	memfence_screl_wg;
	barrier;
	memfence_scacq_wg;
	add_u32 $s9, $s9, 16;
	cmp_lt_b1_u32 $c0, $s9, $s4;
	cbr_width(all)_b1 $c0, @tiles;
	mad_u32 $s10, $s5, $s4, $s6;
	cvt_u64_u32 $d3, $s10;
	shl_u64 $d3, $d3, 2;
	add_u64 $d3, $d2, $d3;
	st_global_align(4)_f32 $s8, [$d3];
)";

std::string sgemm_module(unsigned kernels) {
  std::string text = "module &bench:1:0:$full:$large:$default;\n";
  for (unsigned i = 0; i < kernels; ++i) {
    text += fmt::format(
        "prog kernel &k{}(kernarg_u64 %a, kernarg_u64 %b, kernarg_u64 %c, kernarg_u32 "
        "%n)\n{{{}}};\n",
        i, kSgemm);
  }
  return text;
}

/// Three matrices of `n` by `n` floats, one behind the other.
class Matrices final : public hsail::MemoryPort {
 public:
  static constexpr uint64_t kBase = uint64_t{1} << 32;
  explicit Matrices(uint32_t n) : bytes_(uint64_t{n} * n * 12) {}
  bool read(uint64_t address, void* out, size_t bytes) override {
    if (!inside(address, bytes)) return false;
    std::memcpy(out, bytes_.data() + (address - kBase), bytes);
    return true;
  }
  bool write(uint64_t address, const void* data, size_t bytes) override {
    if (!inside(address, bytes)) return false;
    std::memcpy(bytes_.data() + (address - kBase), data, bytes);
    return true;
  }
  bool update(uint64_t, unsigned, const std::function<uint64_t(uint64_t)>&, uint64_t*) override {
    return false;
  }

 private:
  bool inside(uint64_t address, size_t bytes) const {
    return address >= kBase && bytes <= bytes_.size() && address - kBase <= bytes_.size() - bytes;
  }
  std::vector<uint8_t> bytes_;
};

}  // namespace

std::string tiled_product(unsigned n) {
  std::string module;
  for (const char c : sgemm_module(1))
    module += c == '\n' ? std::string("\n    ") : std::string(1, c);
  std::string buffers;
  for (const char* name : {"a", "b", "c"}) {
    buffers += fmt::format("  - buffer: {{name: {}, type: f32, count: {}}}\n", name, n * n);
  }
  return fmt::format(
      "code:\n  hsail: |\n    {0}\ngrid: [{1}, {1}]\nworkgroup: [16, 16]\nargs:\n{2}  - u32: {1}\n",
      module, n, buffers);
}

base::Result<BenchResult> hsail_text() {
  const std::string text = sgemm_module(200);
  auto module = hsail::load_text(text, "bench.hsail");
  if (!module) return module.error();
  const auto brig = hsail::write_brig(*module);
  if (!brig) return brig.error();
  bool good = true;
  const auto seconds =
      median_seconds({[&] { good = good && hsail::load_text(text, "bench.hsail").ok(); },
                      [&] {
                        const auto loaded = hsail::load_module(brig->data(), brig->size(), "b");
                        good = good && loaded.ok();
                      }});
  if (!good) return base::Error("the module is not accepted");
  BenchResult result;
  const double text_speed = static_cast<double>(text.size()) / kMegabyte / seconds[0];
  const double brig_speed = static_cast<double>(brig->size()) / kMegabyte / seconds[1];
  result.lines.push_back({"text parsed and validated", text_speed, "MB/s", 0});
  result.lines.push_back({"text, against 20 MB/s", text_speed / 20, "ratio", 1});
  result.lines.push_back({"BRIG loaded and validated", brig_speed, "MB/s", 0});
  result.lines.push_back({"BRIG, against 100 MB/s", brig_speed / 100, "ratio", 1});
  return result;
}

base::Result<BenchResult> hsail_finalize() {
  BenchResult result;
#ifdef CUVETTE_WITH_FINALIZER
  auto module = hsail::load_text(sgemm_module(1), "bench.hsail");
  if (!module) return module.error();
  const auto finalizer = run::load_finalizer();
  if (!finalizer) return finalizer.error();
  bool good = true;
  const auto finalize = [&] {
    good = good && (*finalizer)->finalize({&*module}, {"gfx908", 5}).ok();
  };
  finalize();  // starts LLVM
  const auto seconds = median_seconds({finalize});
  if (!good) return base::Error("the kernel is not finalized");
  result.lines.push_back({"SGEMM finalized for gfx908", 1e3 * seconds[0], "ms", 0});
  result.lines.push_back({"SGEMM, against 100 ms", 0.1 / seconds[0], "ratio", 1});
#else
  result.skipped = "the finalizer is not in this build";
#endif
  return result;
}

base::Result<BenchResult> hsail_interpret() {
  constexpr uint32_t kSize = 64;
  auto module = hsail::load_text(sgemm_module(1), "bench.hsail");
  if (!module) return module.error();
  Matrices memory(kSize);
  hsail::Dispatch d;
  d.kernel = module->find_kernel("&k0");
  d.grid = {kSize, kSize, 1};
  d.workgroup = {16, 16, 1};
  d.dimensions = 2;
  const uint64_t addresses[] = {Matrices::kBase, Matrices::kBase + kSize * kSize * 4,
                                Matrices::kBase + kSize * kSize * 8};
  d.kernarg.resize(32);
  std::memcpy(d.kernarg.data(), addresses, sizeof addresses);
  std::memcpy(d.kernarg.data() + sizeof addresses, &kSize, sizeof kSize);
  const hsail::Machine::Options options;
  hsail::Machine machine(*module, memory, {}, options);
  base::Status failed;
  const auto seconds = median_seconds({[&] {
    if (auto s = machine.run(d); !s.ok()) failed = s;
  }});
  if (!failed.ok()) return failed.error();
  // Every wavefront is whole: its instructions are those of all its work-items.
  const double speed =
      static_cast<double>(machine.instructions()) * options.wavesize / seconds[0] / 1e6;
  BenchResult result;
  result.lines.push_back({"SGEMM interpreted, work-item instructions", speed, "million/s", 0});
  result.lines.push_back({"interpreter, against 20 million/s", speed / 20, "ratio", 1});
  return result;
}

}  // namespace cuvette::bench
