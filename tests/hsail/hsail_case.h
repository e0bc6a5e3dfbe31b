// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsail_support.h"

// Runs a few instructions on one work-item and looks at one register.
namespace cuvette::hsail::testing {

/// One instruction sequence on one work-item. Inputs: in[i] is in $d<i> and its low half in $s<i>;
/// $c<i> is in[i] != 0. The result is read from $s8, $d8, $c8 or the low and high half of $q4.
struct Case {
  const char* ids;
  const char* body;
  std::vector<uint64_t> in;
  char result;  ///< s, d, c, q (low half) or Q (high half)
  uint64_t expected;
};

inline std::string kernel_text(const std::string& body) {
  return R"(module &m:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)
{
	group_u32 %scratch[4];
	ld_kernarg_u64 $d10, [%in];
	ld_kernarg_u64 $d11, [%out];
	ld_v4_global_u64 ($d0, $d1, $d2, $d3), [$d10];
	ld_global_u32 $s0, [$d10];
	ld_global_u32 $s1, [$d10+8];
	ld_global_u32 $s2, [$d10+16];
	ld_global_u32 $s3, [$d10+24];
	cmp_ne_b1_u64 $c0, $d0, 0;
	cmp_ne_b1_u64 $c1, $d1, 0;
	cmp_ne_b1_u64 $c2, $d2, 0;
)" + body +
         R"(
	st_global_u32 $s8, [$d11];
	st_global_u64 $d8, [$d11+8];
	cmov_b32 $s9, $c8, 1, 0;
	st_global_u32 $s9, [$d11+16];
	st_global_b128 $q4, [$d11+32];
};
)";
}

struct CaseResult {
  std::vector<uint64_t> out;
  std::vector<UndefinedUse> undefined;
};

inline CaseResult execute(const std::string& body, const std::vector<uint64_t>& in) {
  const auto module = load_text(kernel_text(body), "case.hsail");
  EXPECT_TRUE(module.ok()) << body << "\n" << (module.ok() ? "" : module.error().str());
  if (!module.ok()) return {std::vector<uint64_t>(6), {}};
  TestMemory memory;
  std::vector<uint64_t> padded = in;
  padded.resize(4);
  const uint64_t input = memory.add_values(padded);
  const uint64_t output = memory.add(64);
  Machine machine(*module, memory, {});
  Dispatch d;
  d.kernel = module->find_kernel("&k");
  d.kernarg = Kernarg().add(input).add(output).bytes();
  d.kernarg_address = 0x7000;
  const auto status = machine.run(d);
  EXPECT_TRUE(status.ok()) << body << "\n" << (status.ok() ? "" : status.error().str());
  return {memory.values<uint64_t>(output), machine.undefined_uses()};
}

inline void check(const Case& c) {
  SCOPED_TRACE(std::string(c.ids) + ": " + c.body);
  const CaseResult r = execute(c.body, c.in);
  uint64_t value = 0;
  switch (c.result) {
    case 's':
      value = r.out[0] & 0xffffffff;
      break;
    case 'd':
      value = r.out[1];
      break;
    case 'c':
      value = r.out[2] & 0xffffffff;
      break;
    case 'q':
      value = r.out[4];
      break;
    default:
      value = r.out[5];
      break;
  }
  EXPECT_EQ(value, c.expected) << std::hex << value << " instead of " << c.expected;
  EXPECT_TRUE(r.undefined.empty());
  if (!::testing::Test::HasFailure()) Ledger::cover(c.ids);
}

inline uint64_t f32(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, 4);
  return bits;
}
inline uint64_t f64(double x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, 8);
  return bits;
}
[[maybe_unused]] constexpr uint64_t kM1 = 0xffffffff;     // -1 as s32
[[maybe_unused]] constexpr uint64_t kMin32 = 0x80000000;  // smallest s32
[[maybe_unused]] constexpr uint64_t kMin64 = 0x8000000000000000;
[[maybe_unused]] constexpr uint64_t kAll64 = 0xffffffffffffffff;
[[maybe_unused]] constexpr uint64_t kQnan32 = 0x7fc00000;
[[maybe_unused]] constexpr uint64_t kSnan32 = 0x7f800001;
[[maybe_unused]] constexpr uint64_t kInf32 = 0x7f800000;

}  // namespace cuvette::hsail::testing
