// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "speed/saxpy_kernel.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "hsa/signal.h"

namespace cuvette::bench {

const char* const kSaxpy = R"(module &saxpy_module:1:0:$full:$large:$default;
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
const char* const kSaxpyBounded = R"(module &saxpy_module:1:0:$full:$large:$default;
prog kernel &saxpy(kernarg_f32 %alpha, kernarg_u64 %x, kernarg_u64 %y, kernarg_u32 %count)
{
	workitemabsid_u32	$s0, 0;
	ld_kernarg_width(all)_u32	$s1, [%count];
	cmp_ge_b1_u32	$c0, $s0, $s1;
	cbr_b1	$c0, @end;
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
@end:
	ret;
};
)";
const char* const kSaxpyLoop = R"(module &saxpy_module:1:0:$full:$large:$default;
prog kernel &saxpy(kernarg_f32 %alpha, kernarg_u64 %x, kernarg_u64 %y, kernarg_u32 %count)
{
	workitemabsid_u32	$s0, 0;
	gridsize_u32	$s5, 0;
	ld_kernarg_width(all)_f32	$s2, [%alpha];
	ld_kernarg_width(all)_u64	$d0, [%x];
	ld_kernarg_width(all)_u64	$d1, [%y];
	ld_kernarg_width(all)_u32	$s6, [%count];
	cvt_u64_u32	$d2, $s0;
	shl_u64	$d2, $d2, 2;
	add_u64	$d0, $d0, $d2;
	add_u64	$d1, $d1, $d2;
	cvt_u64_u32	$d3, $s5;
	shl_u64	$d3, $d3, 2;
@again:
	ld_global_f32	$s3, [$d0];
	ld_global_f32	$s4, [$d1];
	fma_f32	$s4, $s2, $s3, $s4;
	st_global_f32	$s4, [$d1];
	add_u64	$d0, $d0, $d3;
	add_u64	$d1, $d1, $d3;
	sub_u32	$s6, $s6, $s5;
	cmp_ne_b1_u32	$c0, $s6, 0;
	cbr_b1	$c0, @again;
	ret;
};
)";
const char* const kSaxpyOffset = R"(module &saxpy_module:1:0:$full:$large:$default;
prog kernel &saxpy(kernarg_f32 %alpha, kernarg_u64 %x, kernarg_u64 %y, kernarg_u32 %count)
{
	workitemabsid_u32	$s0, 0;
	gridsize_u32	$s5, 0;
	ld_kernarg_width(all)_f32	$s2, [%alpha];
	ld_kernarg_width(all)_u64	$d0, [%x];
	ld_kernarg_width(all)_u64	$d1, [%y];
	ld_kernarg_width(all)_u32	$s6, [%count];
	shl_u32	$s1, $s0, 2;
	shl_u32	$s7, $s5, 2;
@again:
	cvt_u64_u32	$d2, $s1;
	add_u64	$d3, $d0, $d2;
	add_u64	$d4, $d1, $d2;
	ld_global_f32	$s3, [$d3];
	ld_global_f32	$s4, [$d4];
	fma_f32	$s4, $s2, $s3, $s4;
	st_global_f32	$s4, [$d4];
	add_u32	$s1, $s1, $s7;
	sub_u32	$s6, $s6, $s5;
	cmp_ne_b1_u32	$c0, $s6, 0;
	cbr_b1	$c0, @again;
	ret;
};
)";
const char* const kSaxpyUnrolled = R"(module &saxpy_module:1:0:$full:$large:$default;
prog kernel &saxpy(kernarg_f32 %alpha, kernarg_u64 %x, kernarg_u64 %y, kernarg_u32 %count)
{
	requiredgridsize	256, 1, 1;
	workitemabsid_u32	$s0, 0;
	gridsize_u32	$s5, 0;
	ld_kernarg_width(all)_f32	$s2, [%alpha];
	ld_kernarg_width(all)_u64	$d0, [%x];
	ld_kernarg_width(all)_u64	$d1, [%y];
	ld_kernarg_width(all)_u32	$s6, [%count];
	shl_u32	$s1, $s0, 2;
	shl_u32	$s5, $s5, 2;
	shl_u32	$s7, $s5, 2;
@again:
	cvt_u64_u32	$d2, $s1;
	add_u64	$d3, $d0, $d2;
	add_u64	$d4, $d1, $d2;
	ld_global_f32	$s3, [$d3];
	ld_global_f32	$s4, [$d4];
	fma_f32	$s4, $s2, $s3, $s4;
	st_global_f32	$s4, [$d4];
	ld_global_f32	$s3, [$d3+1024];
	ld_global_f32	$s4, [$d4+1024];
	fma_f32	$s4, $s2, $s3, $s4;
	st_global_f32	$s4, [$d4+1024];
	ld_global_f32	$s3, [$d3+2048];
	ld_global_f32	$s4, [$d4+2048];
	fma_f32	$s4, $s2, $s3, $s4;
	st_global_f32	$s4, [$d4+2048];
	ld_global_f32	$s3, [$d3+3072];
	ld_global_f32	$s4, [$d4+3072];
	fma_f32	$s4, $s2, $s3, $s4;
	st_global_f32	$s4, [$d4+3072];
	add_u32	$s1, $s1, $s7;
	sub_u32	$s6, $s6, $s5;
	cmp_ne_b1_u32	$c0, $s6, 0;
	cbr_b1	$c0, @again;
	ret;
};
)";
const char* const kSaxpyDeep = R"(module &saxpy_module:1:0:$full:$large:$default;
prog kernel &saxpy(kernarg_f32 %alpha, kernarg_u64 %x, kernarg_u64 %y, kernarg_u32 %count)
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
	mov_b32	$s6, 100;
@again:
	fma_f32	$s4, $s2, $s4, $s3;
	fma_f32	$s4, $s2, $s4, $s3;
	fma_f32	$s4, $s2, $s4, $s3;
	fma_f32	$s4, $s2, $s4, $s3;
	fma_f32	$s4, $s2, $s4, $s3;
	fma_f32	$s4, $s2, $s4, $s3;
	fma_f32	$s4, $s2, $s4, $s3;
	fma_f32	$s4, $s2, $s4, $s3;
	sub_u32	$s6, $s6, 1;
	cmp_ne_b1_u32	$c0, $s6, 0;
	cbr_b1	$c0, @again;
	st_global_f32	$s4, [$d1];
	ret;
};
)";

base::Result<Saxpy> prepare_saxpy(const char* code, unsigned count, unsigned grid,
                                  unsigned threads) {
  Saxpy saxpy;
  std::optional<run::NotBuilt> missing;
  run::EngineOptions options;
  options.target = "gfx908";
  options.threads = threads;
  auto engine = make_engine(options, missing);
  if (!engine) return engine.error();
  saxpy.engine = std::move(*engine);
  hsa::DeviceMemory& memory = saxpy.engine->memory();
  run::Dispatch dispatch;
  dispatch.code.inline_hsail = code;
  dispatch.kernel = "&saxpy";
  auto shape = saxpy.engine->load(dispatch, {});
  if (!shape) return shape.error();

  run::ArgumentBytes arguments;
  arguments.values.resize(code == kSaxpy ? 3 : 4);
  const auto put = [](std::vector<uint8_t>& to, const auto& value) {
    to.resize(sizeof value);
    std::memcpy(to.data(), &value, sizeof value);
  };
  put(arguments.values[0], kSaxpyAlpha);
  const std::vector<float> ones(count, 1.0f);
  for (unsigned i = 1; i < 3; ++i) {
    auto address = memory.allocate(4 * uint64_t{count});
    if (!address) return address.error();
    if (!memory.write(*address, ones.data(), 4 * ones.size()).ok()) {
      return base::Error("a buffer cannot be written");
    }
    put(arguments.values[i], *address);
    saxpy.y = *address;
  }
  if (arguments.values.size() == 4) put(arguments.values[3], uint32_t{count});
  saxpy.launch.grid = {grid, 1, 1};
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

}  // namespace cuvette::bench
