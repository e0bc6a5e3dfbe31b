// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Programs with functions and what every work-item stores, by plain C++.
namespace cuvette::hsail_calls {

constexpr uint32_t kItems = 100;

struct Program {
  const char* name;
  const char* ids;  ///< rows of the instruction checklist
  std::string text;
  uint32_t (*expected)(uint32_t item);
};

/// A module with a kernel &k(out): `body` leaves its result in $s0; the item is in $s1.
inline std::string program(const std::string& functions, const std::string& body,
                           const std::string& variables = "",
                           const std::string& arguments = "kernarg_u64 %out") {
  return "module &m:1:0:$full:$large:$default;\n" + functions + "prog kernel &k(" + arguments +
         ")\n{\n" + variables + "workitemabsid_u32 $s1, 0;\n" + body +
         "ld_kernarg_align(8)_u64 $d0, [%out];\ncvt_u64_u32 $d1, $s1;\nshl_u64 $d1, $d1, 2;\n"
         "add_u64 $d0, $d0, $d1;\nst_global_align(4)_u32 $s0, [$d0];\nret;\n};\n";
}

/// $s0 = function($s1) in an arg block.
inline std::string call(const std::string& instruction) {
  return "{\narg_u32 %r;\narg_u32 %x;\nst_arg_align(4)_u32 $s1, [%x];\n" + instruction +
         "\nld_arg_align(4)_u32 $s0, [%r];\n}\n";
}

inline uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

inline std::vector<Program> programs() {
  const std::string add3 =
      "function &add3(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s0, [%x];\n"
      "add_u32 $s0, $s0, 3;\nst_arg_align(4)_u32 $s0, [%r];\nret;\n};\n";
  const std::string times5 =
      "function &times5(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s5, [%x];\n"
      "mul_u32 $s5, $s5, 5;\nst_arg_align(4)_u32 $s5, [%r];\n};\n";
  return {
      {"direct call", "HI-264 HI-159 HI-170 HI-267", program(add3, call("call &add3(%r)(%x);")),
       [](uint32_t i) { return i + 3; }},
      // The callee's registers are its own: $s1 survives.
      {"call in divergent code", "HI-264",
       program(add3,
               "mov_b32 $s0, 7;\nand_b32 $s2, $s1, 1;\ncmp_eq_b1_u32 $c0, $s2, 0;\n"
               "cbr_b1 $c0, @skip;\n" +
                   call("call &add3(%r)(%x);") + "@skip:\n"),
       [](uint32_t i) { return i % 2 == 0 ? 7 : i + 3; }},
      {"early return", "HI-267 HI-264",
       program("function &f(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s0, [%x];\n"
               "st_arg_align(4)_u32 1, [%r];\ncmp_lt_b1_u32 $c0, $s0, 10;\ncbr_b1 $c0, @done;\n"
               "cmp_lt_b1_u32 $c0, $s0, 50;\ncbr_b1 $c0, @more;\nst_arg_align(4)_u32 3, [%r];\n"
               "ret;\n@more:\nst_arg_align(4)_u32 2, [%r];\nret;\n@done:\n};\n",
               call("call &f(%r)(%x);") + "add_u32 $s0, $s0, $s1;\n"),
       [](uint32_t i) {
         return (i < 10 ? 1 : i < 50 ? 2 : 3) + i;
       }},
      {"recursion", "HI-264",
       program("decl function &fib(arg_u32 %r)(arg_u32 %x);\n"
               "function &fib(arg_u32 %r)(arg_u32 %x)\n{\nprivate_u32 %kept;\nspill_u32 %n;\n"
               "ld_arg_align(4)_u32 $s0, [%x];\nst_spill_align(4)_u32 $s0, [%n];\n"
               "cmp_lt_b1_u32 $c0, $s0, 2;\ncbr_b1 $c0, @leaf;\n"
               "{\narg_u32 %y;\narg_u32 %a;\nsub_u32 $s1, $s0, 1;\n"
               "st_arg_align(4)_u32 $s1, [%a];\ncall &fib(%y)(%a);\n"
               "ld_arg_align(4)_u32 $s1, [%y];\n}\nst_private_align(4)_u32 $s1, [%kept];\n"
               "{\narg_u32 %y;\narg_u32 %a;\nld_spill_align(4)_u32 $s0, [%n];\n"
               "sub_u32 $s2, $s0, 2;\nst_arg_align(4)_u32 $s2, [%a];\ncall &fib(%y)(%a);\n"
               "ld_arg_align(4)_u32 $s2, [%y];\n}\nld_private_align(4)_u32 $s1, [%kept];\n"
               "add_u32 $s0, $s1, $s2;\n@leaf:\nst_arg_align(4)_u32 $s0, [%r];\nret;\n};\n",
               "mov_b32 $s3, $s1;\nand_b32 $s1, $s1, 7;\n" + call("call &fib(%r)(%x);") +
                   "mov_b32 $s1, $s3;\n"),
       [](uint32_t i) { return fibonacci(i & 7); }},
      {"switch call", "HI-265",
       program(add3 + times5,
               "rem_u32 $s2, $s1, 3;\n" + call("scall_u32 $s2 (%r)(%x) [&add3, &times5, &add3];")),
       [](uint32_t i) { return i % 3 == 1 ? 5 * i : i + 3; }},
      {"switch call by u64", "HI-265",
       program(add3 + times5, "rem_u32 $s2, $s1, 2;\ncvt_u64_u32 $d2, $s2;\n" +
                                  call("scall_width(1)_u64 $d2 (%r)(%x) [&times5, &add3];")),
       [](uint32_t i) { return i % 2 == 0 ? 5 * i : i + 3; }},
      // 2.12.2: lanes that call one function are together, whatever their index.
      {"switch call of one function by several indices", "HI-265",
       program(add3 + "function &lanes(arg_u32 %r)(arg_u32 %x)\n{\n"
                      "activelanecount_u32_b1 $s0, 1;\nst_arg_align(4)_u32 $s0, [%r];\n};\n",
               "and_b32 $s2, $s1, 3;\n" +
                   call("scall_u32 $s2 (%r)(%x) [&lanes, &add3, &lanes, &lanes];")),
       [](uint32_t i) { return i % 4 == 1 ? i + 3
                               : i < 64   ? 48u
                                          : 27u; }},
      {"switch call of one function with a barrier", "HI-265",
       program(add3 + "function &meet(arg_u32 %r)(arg_u32 %x)\n{\nbarrier;\n"
                      "activelanecount_u32_b1 $s0, 1;\nst_arg_align(4)_u32 $s0, [%r];\n};\n",
               "and_b32 $s2, $s1, 2;\n" +
                   call("scall_width(all)_u32 $s2 (%r)(%x) [&meet, &add3, &meet];")),
       [](uint32_t i) { return i < 64 ? 64u : 36u; }},
      // Arguments of several types, a vector, an array, a signal handle.
      {"arguments", "HI-159 HI-170",
       program(
           "function &f(arg_u64 %r)(arg_u8 %a, arg_s16 %b, arg_u64 %c, align(8) arg_u32 %d[3])\n"
           "{\nld_arg_u8 $s0, [%a];\nld_arg_align(2)_s16 $s1, [%b];\n"
           "ld_arg_align(8)_u64 $d0, [%c];\n"
           "ld_v3_arg_align(4)_u32 ($s2, $s3, $s4), [%d];\nmov_b32 $s6, 4;\n"
           "ld_arg_align(4)_u32 $s5, [%d][$s6+4];\n"
           "add_u32 $s0, $s0, $s1;\nadd_u32 $s0, $s0, $s2;\nmul_u32 $s3, $s3, $s5;\n"
           "add_u32 $s0, $s0, $s3;\ncvt_u64_u32 $d1, $s0;\nadd_u64 $d0, $d0, $d1;\n"
           "st_arg_align(8)_u64 $d0, [%r];\n};\n",
           "{\narg_u64 %r;\narg_u8 %a;\narg_s16 %b;\narg_u64 %c;\nalign(8) arg_u32 %d[3];\n"
           "st_arg_u8 $s1, [%a];\nst_arg_align(2)_s16 -5, [%b];\n"
           "st_arg_align(8)_u64 0x100000000, [%c];\n"
           "st_v3_arg_align(4)_u32 (10, 20, $s1), [%d];\ncall &f(%r)(%a, %b, %c, %d);\n"
           "ld_arg_align(8)_u64 $d4, [%r];\n}\nexpand_v2_b32_b64 ($s0, $s2), $d4;\n"
           "add_u32 $s0, $s0, $s2;\n"),
       [](uint32_t i) { return i - 5 + 10 + 20 * i + 1; }},
      // 10.4: the last argument has as many elements as the caller's.
      {"variadic", "HI-264",
       program("function &sum(arg_u32 %r)(arg_u32 %n, arg_u32 %more[])\n{\n"
               "ld_arg_align(4)_u32 $s0, [%n];\nmov_b32 $s1, 0;\nmov_b32 $s3, 0;\n@loop:\n"
               "cmp_eq_b1_u32 $c1, $s0, 0;\ncbr_b1 $c1, @done;\n"
               "ld_arg_align(4)_u32 $s4, [%more][$s3];\nadd_u32 $s1, $s1, $s4;\n"
               "add_u32 $s3, $s3, 4;\nsub_u32 $s0, $s0, 1;\nbr @loop;\n@done:\n"
               "st_arg_align(4)_u32 $s1, [%r];\n};\n",
               "{\narg_u32 %r;\narg_u32 %n;\narg_u32 %a[4];\nand_b32 $s2, $s1, 3;\n"
               "st_arg_align(4)_u32 $s2, [%n];\nst_v4_arg_align(4)_u32 (100, 20, 3, 4000), [%a];\n"
               "call &sum(%r)(%n, %a);\nld_arg_align(4)_u32 $s0, [%r];\n}\n"),
       [](uint32_t i) {
         const uint32_t all[] = {0, 100, 120, 123};
         return all[i & 3];
       }},
      // Module-scope private memory, group memory and dispatch queries in a function.
      {"what functions see", "HI-264",
       program("private_u32 &seen[2];\ngroup_u32 &shared[64];\n"
               "function &f(arg_u32 %r)(arg_u32 %x)\n{\ngroup_u32 %own[64];\n"
               "ld_arg_align(4)_u32 $s0, [%x];\nst_private_align(4)_u32 $s0, [&seen][4];\n"
               "workitemid_u32 $s1, 0;\nshl_u32 $s2, $s1, 2;\n"
               "st_group_align(4)_u32 $s0, [%own][$s2];\nworkgroupid_u32 $s3, 0;\n"
               "ld_group_align(4)_u32 $s4, [&shared][$s2];\n"
               "ld_group_align(4)_u32 $s5, [%own][$s2];\nadd_u32 $s4, $s4, $s5;\n"
               "mad_u32 $s4, $s3, 1000, $s4;\nkernargbaseptr_u64 $d0;\n"
               "ld_kernarg_align(8)_u64 $d1, [$d0];\ncmp_ne_b1_u64 $c0, $d1, 0;\n"
               "cvt_u32_b1 $s5, $c0;\nadd_u32 $s4, $s4, $s5;\nworkgroupsize_u32 $s5, 0;\n"
               "add_u32 $s4, $s4, $s5;\nst_arg_align(4)_u32 $s4, [%r];\n};\n",
               "workitemid_u32 $s3, 0;\nshl_u32 $s4, $s3, 2;\n"
               "st_group_align(4)_u32 $s3, [&shared][$s4];\n" +
                   call("call &f(%r)(%x);") +
                   "ld_private_align(4)_u32 $s2, [&seen][4];\nadd_u32 $s0, $s0, $s2;\n"),
       [](uint32_t i) { return i % 64 + i + i / 64 * 1000 + 1 + 64 + i; }},
      // The memory of one call is free for the next; addresses go to callees.
      {"alloca in functions", "HI-268",
       program("function &fill()(arg_u32 %p, arg_u32 %v)\n{\nld_arg_align(4)_u32 $s0, [%p];\n"
               "ld_arg_align(4)_u32 $s1, [%v];\nst_private_align(4)_u32 $s1, [$s0+4];\nret;\n};\n"
               "function &f(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s0, [%x];\n"
               "and_b32 $s1, $s0, 15;\nadd_u32 $s1, $s1, 8;\nalloca_align(8)_u32 $s2, $s1;\n"
               "{\narg_u32 %p;\narg_u32 %v;\nst_arg_align(4)_u32 $s2, [%p];\nmul_u32 $s3, $s0, 3;\n"
               "st_arg_align(4)_u32 $s3, [%v];\ncall &fill()(%p, %v);\n}\n"
               "ld_private_align(4)_u32 $s4, [$s2+4];\nst_arg_align(4)_u32 $s4, [%r];\n};\n",
               "mov_b32 $s9, 0;\nmov_b32 $s8, 0;\n@loop:\n" + call("call &f(%r)(%x);") +
                   "add_u32 $s9, $s9, $s0;\nadd_u32 $s8, $s8, 1;\ncmp_lt_b1_u32 $c0, $s8, 4;\n"
                   "cbr_b1 $c0, @loop;\nmov_b32 $s0, $s9;\n"),
       [](uint32_t i) { return 12 * i; }},
      {"alloca in the kernel", "HI-268",
       program("",
               "alloca_align(4)_u32 $s2, 64;\nmov_b32 $s3, 0;\n@fill:\nshl_u32 $s4, $s3, 2;\n"
               "add_u32 $s4, $s4, $s2;\nmul_u32 $s5, $s3, $s1;\n"
               "st_private_align(4)_u32 $s5, [$s4];\nadd_u32 $s3, $s3, 1;\n"
               "cmp_lt_b1_u32 $c0, $s3, 16;\ncbr_b1 $c0, @fill;\nand_b32 $s4, $s1, 15;\n"
               "shl_u32 $s4, $s4, 2;\nadd_u32 $s4, $s4, $s2;\n"
               "ld_private_align(4)_u32 $s0, [$s4];\n"),
       [](uint32_t i) { return (i & 15) * i; }},
      // Flat addresses of group and private memory.
      {"flat conversions", "HI-122 HI-123 HI-124",
       program("group_u32 &tile[64];\n",
               "workitemid_u32 $s2, 0;\nshl_u32 $s2, $s2, 2;\nlda_group_u32 $s3, [&tile][$s2];\n"
               "stof_group_u64_u32 $d2, $s3;\nst_align(4)_u32 $s1, [$d2];\n"
               "lda_private_u32 $s4, [%p][4];\nstof_private_u64_u32 $d3, $s4;\n"
               "st_align(4)_u32 1000, [$d3];\nand_b32 $s5, $s1, 1;\ncmp_eq_b1_u32 $c0, $s5, 0;\n"
               "cmov_b64 $d4, $c0, $d2, $d3;\nld_align(4)_u32 $s0, [$d4];\n"
               "segmentp_group_b1_u64 $c1, $d4;\ncvt_u32_b1 $s6, $c1;\n"
               "mad_u32 $s0, $s6, 10000, $s0;\nsegmentp_private_b1_u64 $c1, $d4;\n"
               "cvt_u32_b1 $s6, $c1;\nmad_u32 $s0, $s6, 20000, $s0;\n"
               "segmentp_global_b1_u64 $c1, $d4;\ncvt_u32_b1 $s6, $c1;\n"
               "mad_u32 $s0, $s6, 40000, $s0;\nftos_group_u32_u64 $s7, $d2;\n"
               "cmp_eq_b1_u32 $c1, $s7, $s3;\ncvt_u32_b1 $s6, $c1;\n"
               "mad_u32 $s0, $s6, 100000, $s0;\nld_private_align(4)_u32 $s7, [%p][4];\n"
               "add_u32 $s0, $s0, $s7;\n",
               "private_u32 %p[2];\n"),
       [](uint32_t i) { return (i % 2 == 0 ? i + 10000 : 1000 + 20000) + 100000 + 1000; }},
      // Group address 0 is a good one, also as a constant.
      {"group address 0", "HI-123 HI-124",
       program("group_u32 &word;\n",
               "st_group_align(4)_u32 41, [&word];\nstof_group_u64_u32 $d2, 0;\n"
               "ld_align(4)_u32 $s0, [$d2];\nftos_group_u32_u64 $s2, $d2;\n"
               "add_u32 $s0, $s0, $s2;\nsegmentp_group_nonull_b1_u64 $c0, $d2;\n"
               "cvt_u32_b1 $s2, $c0;\nadd_u32 $s0, $s0, $s2;\n"),
       [](uint32_t) { return 42u; }},
      {"null pointers", "HI-302 HI-122 HI-124",
       program("",
               "nullptr_u64 $d2;\ncmp_eq_b1_u64 $c0, $d2, 0;\ncvt_u32_b1 $s0, $c0;\n"
               "nullptr_group_u32 $s2;\nstof_group_u64_u32 $d3, $s2;\n"
               "cmp_eq_b1_u64 $c0, $d3, $d2;\ncvt_u32_b1 $s3, $c0;\nmad_u32 $s0, $s3, 2, $s0;\n"
               "nullptr_private_u32 $s2;\nstof_private_u64_u32 $d3, $s2;\n"
               "cmp_eq_b1_u64 $c0, $d3, $d2;\ncvt_u32_b1 $s3, $c0;\nmad_u32 $s0, $s3, 4, $s0;\n"
               "ftos_private_u32_u64 $s3, $d2;\ncmp_eq_b1_u32 $c0, $s3, $s2;\n"
               "cvt_u32_b1 $s3, $c0;\nmad_u32 $s0, $s3, 8, $s0;\n"
               "segmentp_group_b1_u64 $c0, $d2;\ncvt_u32_b1 $s3, $c0;\nmad_u32 $s0, $s3, 16, "
               "$s0;\nnullptr_kernarg_u64 $d3;\ncmp_eq_b1_u64 $c0, $d3, 0;\n"
               "cvt_u32_b1 $s3, $c0;\nmad_u32 $s0, $s3, 32, $s0;\n"),
       [](uint32_t) { return 63u; }},
  };
}

/// Kernel &k(out, table): item i calls table[i % 2] with i.
inline std::string indirect_program() {
  const std::string head =
      "signature &t(arg_u32)(arg_u32);\n"
      "prog indirect function &twice(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s0, [%x];\n"
      "shl_u32 $s0, $s0, 1;\nst_arg_align(4)_u32 $s0, [%r];\nret;\n};\n"
      "prog indirect function &square(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s0, [%x];\n"
      "mul_u32 $s0, $s0, $s0;\nworkgroupid_u32 $s1, 0;\nadd_u32 $s0, $s0, $s1;\n"
      "st_arg_align(4)_u32 $s0, [%r];\n};\n"
      "prog indirect function &wide(arg_u64 %r)(arg_u32 %x)\n{\nst_arg_align(8)_u64 1, [%r];\n};\n";
  return program(head,
                 "ld_kernarg_align(8)_u64 $d3, [%table];\nand_b32 $s2, $s1, 1;\n"
                 "cvt_u64_u32 $d4, $s2;\nshl_u64 $d4, $d4, 3;\nadd_u64 $d3, $d3, $d4;\n"
                 "ld_global_align(8)_u64 $d5, [$d3];\n" +
                     call("icall_u64 $d5 (%r)(%x) &t;"),
                 "", "kernarg_u64 %out, kernarg_u64 %table");
}
inline uint32_t indirect_expected(uint32_t i) {
  return i % 2 == 0 ? 2 * i : i * i + i / 64;
}

}  // namespace cuvette::hsail_calls
