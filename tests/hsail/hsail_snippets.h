// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Small HSAIL texts, each with the rows of the language checklist that it shows.
namespace cuvette::hsail::testing {

struct Snippet {
  const char* ids;
  const char* text;  ///< behind the module header
};

inline const Snippet kSnippets[] = {
    {"HL-047 HL-067 HL-318 HL-355 HL-361", ""},
    {"HL-260 HL-262 HL-365 HL-366", "extension \"IMAGE\":1:0;\nextension \"amd:gcn\";\n"},
    {"HL-068 HL-069 HL-264 HL-265 HL-332 HL-356 HL-357 HL-358 HL-359",
     "// one\n/* two\n lines */\nloc 3;\nloc 4 5;\nloc 6 7 \"a\\\"b\\\\c.cl\";\npad;\npad "
     "16383;\n"},
    {"HL-266 HL-267 HL-360 HL-510",
     "global_u32 &x;\npragma \"vendor.unknown\", \"s\", 4, -4, &x, 1.5f, u8x4(4, 3, 2, 1), "
     "WAVESIZE, "
     "{u32(1), align(8)}, s16[](1, -2);\n"},
    {"HL-079 HL-082 HL-084 HL-146 HL-368 HL-369 HL-522 HL-544 HL-545 HL-546 HL-547",
     "global_u8 &a = 255;\nglobal_s8 &b = -1;\nglobal_u16 &c;\nglobal_s16 &d;\nglobal_u32 &e;\n"
     "global_s32 &f;\nglobal_u64 &g = 0xffffffffffffffff;\nglobal_s64 &h = -1;\nglobal_f16 &i = "
     "1.5h;\n"
     "global_f32 &j = -0x1.8p+1f;\nglobal_f64 &k = 0d3ff0000000000000;\nglobal_b8 &l;\nglobal_b16 "
     "&m1;\n"
     "global_b32 &n = 0f3f800000;\nglobal_b64 &o;\nglobal_b128 &p;\nreadonly_u32 &q;\ngroup_u32 "
     "&r;\n"
     "private_u32 &s;\n"},
    {"HL-147 HL-153 HL-384 HL-548 HL-549 HL-550 HL-551 HL-552",
     "global_u8x4 &a = u8x4(1, 2, 3, 4);\nglobal_s16x4 &b = s16x4(-1, 2, -3, 4);\n"
     "global_f16x2 &c = f16x2(1.0h, 2.0h);\nglobal_f32x4 &d = f32x4(1.0f, 2.0f, 3.0f, 4.0f);\n"
     "global_f64x2 &e = f64x2(1.0, 2.0d);\nglobal_u64x2 &f;\nglobal_b128 &g = u32x4(1, 2, 3, "
     "4);\n"},
    {"HL-148 HL-125 HL-395 HL-404 HL-553 HL-558 HL-559",
     "global_sig64 &s = sig64(0);\nglobal_sig64 &t[2] = sig64[](sig64(0), sig64(0));\n"},
    {"HL-086 HL-087 HL-088 HL-089 HL-090 HL-092 HL-093 HL-422 HL-423 HL-424 HL-425 HL-426 HL-427 "
     "HL-428",
     "decl global_u32 &a;\nglobal_u32 &a;\nprog global_u32 &b;\ndecl prog global_u32 "
     "&c;\nalloc(agent) global_u32 "
     "&d;\n"
     "align(16) global_u32 &e;\nconst global_u32 &f = 1;\nprog alloc(agent) align(8) const "
     "global_u32 &g = "
     "2;\nconst readonly_u32 &h = 3;\n"},
    {"HL-083 HL-126 HL-137 HL-149 HL-370 HL-371 HL-396 HL-397 HL-398 HL-399 HL-400 HL-401 HL-429",
     "global_u32 &a[3];\nglobal_u32 &b[] = u32[](1, 2, 3);\nglobal_s8 &c[2] = s8[](-1, s8(2));\n"
     "global_f16 &d[] = f16[](1.0h, 0h4000);\nglobal_f32 &e[] = f32[](1.0f, f32(2.0f));\n"
     "global_f64 &f[] = f64[](1.0, 2.0);\nglobal_u8x4 &g[] = u8x4[](u8x4(1, 2, 3, 4));\n"
     "decl prog global_u32 &h[];\n"},
    {"HL-128 HL-129 HL-372 HL-373 HL-374 HL-376 HL-377 HL-379 HL-123 HL-124",
     "global_b8 &a[8] = {u32(1), u16(2), align(4)};\nglobal_b16 &b[2] = {s8(0), u16(1), s8(2)};\n"
     "global_b8 &c[] = {u8(1), u16[](1, 2, 3, 4, u16(9)), f16(2.0h)};\n"},
    {"HL-130 HL-375", "global_b8 &a[] = {u16(1), align(8), sig64(0), zero(128)};\n"},
    {"HL-114 HL-115 HL-119 HL-120 HL-121 HL-122 HL-334 HL-335 HL-336 HL-337 HL-338 HL-339 HL-340 "
     "HL-341 "
     "HL-342 HL-343 HL-344 HL-345 HL-378 HL-380 HL-381 HL-382 HL-383 HL-132 HL-133 HL-134",
     "global_u32 &a = 0;\nglobal_u32 &b = 017;\nglobal_u32 &c = 0XfF;\nglobal_s32 &d = +5;\n"
     "global_f32 &e = 1.f;\nglobal_f32 &f = .5F;\nglobal_f32 &g = 1e3f;\nglobal_f64 &h = 1E-3;\n"
     "global_f16 &i = 0x1p-14h;\nglobal_f32 &j = 0x.8p1f;\nglobal_f64 &k = 0x1p+3;\nglobal_f16 &l "
     "= 0H3C00;\n"
     "global_f32 &n = 0F7F800000;\nglobal_f64 &o = -0D0000000000000001;\n"},
    {"HL-070 HL-071 HL-076 HL-078 HL-086 HL-407 HL-408 HL-409 HL-410 HL-430",
     "decl prog kernel &later(kernarg_u64 %a);\nkernel &empty()\n{\n};\nprog kernel &k(kernarg_u64 "
     "%a, "
     "align(16) kernarg_u32 %b[4])\n{\n\tret;\n};\nprog kernel &later(kernarg_u64 "
     "%a)\n{\n\tret;\n};\n"},
    {"HL-073 HL-074 HL-075 HL-244 HL-411 HL-412 HL-413 HL-414 HL-415 HL-416 HL-417 HL-418 HL-419 "
     "HL-420 "
     "HL-421 HL-105",
     "decl prog function &abort()();\nfunction &f(arg_u32 %r)(arg_u32 %x, arg_f32 %y[2])\n{\n\t"
     "ld_arg_u32 $s0, [%x];\n\tst_arg_u32 $s0, [%r];\n\tret;\n};\ndecl prog indirect function "
     "&g()(arg_u64 %p);\n"
     "signature &s(arg_u32)(arg_u64 %x, align(8) arg_f32);\n"},
    {"HL-077 HL-104 HL-144 HL-150 HL-240 HL-243 HL-437 HL-438 HL-439 HL-440 HL-501 HL-502 "
     "HL-503 "
     "HL-504",
     "decl prog function &f(arg_u32 %r)(arg_u32 %x);\nkernel &k()\n{\n\t{\n\t\targ_u32 "
     "%r;\n\t\targ_u32 "
     "%x;\n"
     "\t\tst_arg_u32 7, [%x];\n\t\tcall &f(%r)(%x);\n\t\tld_arg_u32 $s0, [%r];\n\t}\n\tret;\n};\n"},
    {"HL-085 HL-405 HL-406 HL-435",
     "fbarrier &fb;\ndecl prog fbarrier &fc;\nkernel &k()\n{\n\tfbarrier %l;\n\tret;\n};\n"},
    {"HL-306 HL-307 HL-308 HL-309 HL-310 HL-311 HL-313 HL-316 HL-317 HL-431 HL-432",
     "kernel &k()\n{\n\tenablebreakexceptions 31;\n\tenabledetectexceptions "
     "0;\n\tmaxdynamicgroupsize 64;\n"
     "\tmaxflatgridsize 4096;\n\tmaxflatworkgroupsize WAVESIZE;\n\trequireddim "
     "2;\n\trequiredgridsize 64, 64, "
     "1;\n\trequiredworkgroupsize WAVESIZE, 1, 1;\n\trequirenopartialwavefronts;\n"
     "\trequirenopartialworkgroups;\n\tret;\n};\n"},
    {"HL-314", "kernel &k()\n{\n\trequiredgroupbaseptralign 16;\n\tret;\n};\n"},
    {"HL-081 HL-433 HL-434 HL-143 HL-102 HL-103",
     "kernel &k()\n{\n\tglobal_u32 %g;\n\treadonly_u32 %r;\n\tgroup_u32 %h[2];\n\tprivate_u32 %p;\n"
     "\tspill_u64 %s;\n\talign(8) private_u32 %q;\n\tst_global_u32 1, [%g];\n\tld_readonly_u32 "
     "$s0, [%r];\n"
     "\tst_group_u32 1, [%h];\n\tst_private_u32 1, [%p];\n\tst_spill_u64 1, "
     "[%s];\n\tst_private_u32 1, "
     "[%q];\n\tret;\n};\n"},
    {"HL-099 HL-100 HL-135 HL-333 HL-441 HL-495 HL-496",
     "kernel &k_1.x()\n{\n@a:\n\tcbr_width(all)_b1 $c0, @b.1;\n\tbr @a;\n@b.1:\n\tsbr_width(4)_u32 "
     "$s0 [@a, "
     "@b.1];\n\tret;\n};\n"},
    {"HL-107 HL-108 HL-109 HL-110 HL-111 HL-521 HL-348 HL-349",
     "kernel &k()\n{\n\tmov_b1 $c127, $c0;\n\tmov_b32 $s2045, $s0;\n\tmov_b64 $d0, "
     "1;\n\tret;\n};\n"},
    {"HL-160 HL-161 HL-162 HL-513 HL-514 HL-515 HL-159 HL-516 HL-517 HL-518 HL-519 HL-520",
     "global_u32 &g[8];\nkernel &k(kernarg_u64 %a)\n{\n\tgroup_u32 %t[8];\n\tld_global_u32 $s0, "
     "[&g];\n"
     "\tld_global_u32 $s0, [&g][4];\n\tld_global_u32 $s0, [&g][$d0];\n\tld_global_u32 $s0, "
     "[&g][$d0+8];\n"
     "\tld_global_u32 $s0, [&g][$d0-8];\n\tld_global_u32 $s0, [$d0];\n\tld_global_u32 $s0, [16];\n"
     "\tld_global_u32 $s0, [+16];\n\tld_global_u32 $s0, [-16];\n\tld_u32 $s0, [$d0+0x10];\n"
     "\tld_group_u32 $s0, [%t][$s1+4];\n\tld_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0];\n"
     "\tst_v2_global_u32 ($s0, 7), [$d0];\n\tret;\n};\n"},
    {"HL-205 HL-206 HL-207 HL-193 HL-046 HL-047 HL-048 HL-472 HL-473 HL-523 HL-524 HL-525 HL-526 "
     "HL-527 "
     "HL-529 HL-530 HL-531 HL-532",
     "kernel &k()\n{\n\tld_v2_global_align(8)_const_equiv(255)_width(WAVESIZE)_nt_u32 ($s0, $s1), "
     "[$d0];\n"
     "\tld_global_width(2147483648)_u32 $s0, [$d0];\n\tst_v3_global_align(256)_equiv(1)_nt_u64 "
     "($d1, $d2, 5), "
     "[$d0];\n\tatomic_add_global_scar_agent_equiv(3)_u32 $s0, [$d0], 1;\n\tret;\n};\n"},
    {"HL-194 HL-196 HL-474 HL-475 HL-476 HL-481 HL-482 HL-483 HL-484 HL-485 HL-486",
     "kernel &k()\n{\n\tatomic_ld_scacq_system_b32 $s0, [$d0];\n\tatomic_cas_group_rlx_wave_b64 "
     "$d0, [$s0], 1, "
     "2;\n\tatomicnoret_st_group_screl_wg_b32 [$s0], "
     "1;\n\tmemfence_scar_system;\n\tmemfence_scacq_wave;\n"
     "\tret;\n};\n"},
    {"HL-016 HL-346",
     "kernel &k()\n{\n\tadd_u32 $s0, $s0, WAVESIZE;\n\tmov_b64 $d0, WAVESIZE;\n\tret;\n};\n"},
    {"HL-098 HL-347", "pragma \"a\\n\\t\\101\\x42\\\\\\\"\\?\";\n"},
    // Directives that compilers emit in front of their kernels.
    {"HL-071",
     "extension \"amd:gcn\";\nextension \"IMAGE\";\ndecl prog function &abort()();\n"
     "prog kernel &__OpenCL_k_kernel(\n\tkernarg_u64 %__global_offset_0,\n\tkernarg_u64 "
     "%__global_offset_1,\n"
     "\tkernarg_u64 %__global_offset_2,\n\tkernarg_u64 %__printf_buffer,\n\tkernarg_u64 "
     "%__vqueue_pointer,\n"
     "\tkernarg_u64 %__aqlwrap_pointer,\n\tkernarg_u64 %a)\n{\n\tpragma  \"AMD RTI\", "
     "\"ARGSTART:k\";\n"
     "\tpragma  \"AMD RTI\", \"version:3:1:104\";\n\tpragma  \"AMD RTI\", \"ARGEND:k\";\n"
     "@__OpenCL_k_kernel_entry:\n\t// BB#0:\n\tworkitemabsid_u32\t$s0, 0;\n\tcvt_u64_u32\t$d0, "
     "$s0;\n"
     "\tld_kernarg_align(8)_width(all)_u64\t$d1, [%__global_offset_0];\n\tadd_u64\t$d0, $d0, $d1;\n"
     "\tshl_u64\t$d0, $d0, 2;\n\tld_kernarg_align(8)_width(all)_u64\t$d1, [%a];\n\tadd_u64\t$d0, "
     "$d1, $d0;\n"
     "\tst_global_align(4)_u32\t0, [$d0];\n\tret;\n};\n"},
    {"HL-261", "extension \"CORE\";\nextension \"CORE\";\n"},
};

}  // namespace cuvette::hsail::testing
