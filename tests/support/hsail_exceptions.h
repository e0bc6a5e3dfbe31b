// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

/// Instructions and the exceptions that HSAIL PRM 12.2 and chapter 5 give them: bit 0 invalid
/// operation, 1 divide by zero, 2 overflow, 3 underflow, 4 inexact.
namespace cuvette::hsail_exceptions {

struct Case {
  const char* ids;
  const char* body;  ///< sources are $s1 to $s3 or $d1 to $d3, loaded from `in`
  uint64_t in[3];
  uint32_t expected;
};

constexpr uint32_t kInvalid = 1, kByZero = 2, kOverflow = 4, kUnderflow = 8, kInexact = 16;
constexpr uint64_t kOne = 0x3f800000, kThree = 0x40400000, kHuge = 0x7f7fffff, kTiny = 0x00800000;
constexpr uint64_t kHalf = 0x3f000000, kInf = 0x7f800000, kQuiet = 0x7fc00000,
                   kSignaling = 0x7fa00000;
constexpr uint64_t kTwo = 0x40000000, kMinus = 0xbf800000;

inline constexpr Case kCases[] = {
    {"HL-253", "add_f32 $s0, $s1, $s2;", {kOne, 0x30000000}, kInexact},
    {"", "add_f32 $s0, $s1, $s2;", {kOne, kTwo}, 0},
    {"HL-252", "add_f32 $s0, $s1, $s2;", {kInf, 0xff800000}, kInvalid},
    {"", "sub_f32 $s0, $s1, $s2;", {kInf, kInf}, kInvalid},
    {"", "add_f32 $s0, $s1, $s2;", {kSignaling, kOne}, kInvalid},
    {"", "add_f32 $s0, $s1, $s2;", {kQuiet, kOne}, 0},
    {"HL-249", "mul_f32 $s0, $s1, $s2;", {kHuge, kTwo}, kOverflow | kInexact},
    {"", "mul_zero_f32 $s0, $s1, $s2;", {kHuge, kTwo}, kOverflow | kInexact},
    {"", "mul_f32 $s0, $s1, $s2;", {0, kInf}, kInvalid},
    {"HL-250", "mul_f32 $s0, $s1, $s2;", {0x00800001, kHalf}, kUnderflow | kInexact},
    {"", "mul_f32 $s0, $s1, $s2;", {kTiny, kHalf}, 0},  // an exact subnormal
    {"", "fma_f32 $s0, $s1, $s2, $s3;", {0, kInf, kOne}, kInvalid},
    {"", "fma_f32 $s0, $s1, $s2, $s3;", {kThree, kThree, kOne}, 0},
    {"HL-251", "div_f32 $s0, $s1, $s2;", {kOne, 0}, kByZero},
    {"", "div_f32 $s0, $s1, $s2;", {0, 0}, kInvalid},
    {"", "div_f32 $s0, $s1, $s2;", {kInf, kInf}, kInvalid},
    {"", "div_f32 $s0, $s1, $s2;", {kInf, 0}, 0},
    {"", "div_f32 $s0, $s1, $s2;", {kOne, kThree}, kInexact},
    {"", "div_f32 $s0, $s1, $s2;", {kOne, kTwo}, 0},
    {"", "div_f32 $s0, $s1, $s2;", {kHuge, kHalf}, kOverflow | kInexact},
    {"", "div_f32 $s0, $s1, $s2;", {0x00800001, kTwo}, kUnderflow | kInexact},
    {"", "div_up_f32 $s0, $s1, $s2;", {kOne, kThree}, kInexact},
    {"", "sqrt_f32 $s0, $s1;", {kMinus}, kInvalid},
    {"", "sqrt_f32 $s0, $s1;", {0x80000000}, 0},
    {"", "sqrt_f32 $s0, $s1;", {kTwo}, kInexact},
    {"", "sqrt_f32 $s0, $s1;", {0x40800000}, 0},
    {"", "floor_f32 $s0, $s1;", {kHalf}, 0},
    {"", "rint_f32 $s0, $s1;", {kSignaling}, kInvalid},
    {"", "max_f32 $s0, $s1, $s2;", {kQuiet, kOne}, 0},
    {"", "max_f32 $s0, $s1, $s2;", {kSignaling, kOne}, kInvalid},
    {"", "abs_f32 $s0, $s1;", {kSignaling}, 0},
    {"", "neg_f32 $s0, $s1;", {kSignaling}, 0},
    {"", "class_b1_f32 $c0, $s1, 3;", {kSignaling}, 0},
    {"", "copysign_f32 $s0, $s1, $s2;", {kSignaling, kOne}, 0},
    {"", "cmp_lt_b1_f32 $c0, $s1, $s2;", {kQuiet, kOne}, 0},
    {"", "cmp_slt_b1_f32 $c0, $s1, $s2;", {kQuiet, kOne}, kInvalid},
    {"", "cmp_slt_b1_f32 $c0, $s1, $s2;", {kOne, kTwo}, 0},
    {"", "cmp_eq_b1_f32 $c0, $s1, $s2;", {kSignaling, kOne}, kInvalid},
    {"", "cvt_s32_f32 $s0, $s1;", {0x3fc00000}, 0},  // 1.5: plain conversions are never inexact
    {"", "cvt_szeroi_s32_f32 $s0, $s1;", {0x3fc00000}, kInexact},
    {"", "cvt_szeroi_s32_f32 $s0, $s1;", {kThree}, 0},
    {"", "cvt_zeroi_sat_s32_f32 $s0, $s1;", {kQuiet}, 0},
    {"", "cvt_zeroi_sat_s32_f32 $s0, $s1;", {kSignaling}, kInvalid},
    {"", "cvt_f32_s32 $s0, $s1;", {0x01000001}, kInexact},
    {"", "cvt_f32_s32 $s0, $s1;", {0x01000000}, 0},
    {"", "cvt_f16_f32 $s0, $s1;", {0x47800000}, kOverflow | kInexact},
    {"", "cvt_f32_f64 $s0, $d1;", {0x3ff0000000000001}, kInexact},
    {"", "cvt_f64_f32 $d0, $s1;", {kSignaling}, kInvalid},
    {"", "cvt_b1_f32 $c0, $s1;", {kSignaling}, kInvalid},
    {"", "fract_f32 $s0, $s1;", {0x3fc00000}, 0},
    {"", "fract_f32 $s0, $s1;", {0xb0000000}, kInexact},
    {"", "add_f64 $d0, $d1, $d2;", {0x3ff0000000000000, 0x3c00000000000000}, kInexact},
    {"", "div_f64 $d0, $d1, $d2;", {0x3ff0000000000000, 0x4008000000000000}, kInexact},
    {"", "div_f64 $d0, $d1, $d2;", {0x3ff0000000000000, 0x4000000000000000}, 0},
    {"", "div_f64 $d0, $d1, $d2;", {0x3ff0000000000000, 0}, kByZero},
    {"", "div_f64 $d0, $d1, $d2;", {0x7fefffffffffffff, 0x3fe0000000000000}, kOverflow | kInexact},
    {"", "div_f64 $d0, $d1, $d2;", {0x0010000000000001, 0x4000000000000000}, kUnderflow | kInexact},
    {"", "sqrt_f64 $d0, $d1;", {0x4000000000000000}, kInexact},
    {"", "sqrt_f64 $d0, $d1;", {0x4010000000000000}, 0},
    {"", "sqrt_f64 $d0, $d1;", {0xbff0000000000000}, kInvalid},
    {"", "add_f16 $s0, $s1, $s2;", {0x3c00, 0x1000}, kInexact},
    {"", "mul_f16 $s0, $s1, $s2;", {0x7bff, 0x4000}, kOverflow | kInexact},
    {"", "div_f16 $s0, $s1, $s2;", {0x3c00, 0x4200}, kInexact},
    {"", "div_f16 $s0, $s1, $s2;", {0x3c00, 0}, kByZero},
    {"", "add_pp_f16x2 $s0, $s1, $s2;", {0x3c007bff, 0x3c007bff}, kOverflow | kInexact},
    // Integers generate none here.
    {"", "div_u32 $s0, $s1, 7;", {100}, 0},
    {"", "add_u32 $s0, $s1, $s2;", {0xffffffff, 1}, 0},
};

/// A kernel that runs the case and stores what getdetectexcept gives.
inline std::string kernel(const Case& c, unsigned detect = 31, unsigned breaks = 0) {
  return "module &m:1:0:$full:$large:$default;\n"
         "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\n" +
         (detect != 0 ? "enabledetectexceptions " + std::to_string(detect) + ";\n"
                      : std::string()) +
         (breaks != 0 ? "enablebreakexceptions " + std::to_string(breaks) + ";\n" : std::string()) +
         "ld_kernarg_align(8)_u64 $d8, [%in];\nld_kernarg_align(8)_u64 $d9, [%out];\n"
         "ld_v3_global_u64 ($d1, $d2, $d3), [$d8];\nld_global_u32 $s1, [$d8];\n"
         "ld_global_u32 $s2, [$d8+8];\nld_global_u32 $s3, [$d8+16];\n" +
         c.body +
         "\ngetdetectexcept_u32 $s8;\nst_global_u32 $s8, [$d9];\n"
         "st_global_u32 $s0, [$d9+4];\nst_global_u64 $d0, [$d9+8];\n};\n";
}

}  // namespace cuvette::hsail_exceptions
