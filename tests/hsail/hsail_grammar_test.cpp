// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The instruction rules of the grammar (HSAIL PRM 19.2), every alternative of each: accepted, and
// printed as it was written.
#include <algorithm>

#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::Ledger;

struct Rule {
  const char* ids;
  const char* text;     ///< canonical statements; {a|b} stands for each of a and b
  const char* refused;  ///< the like, each an error; may be empty
};

const Rule kRules[] = {
    {"HL-443", "{nop|imagefence};", "{nop|imagefence} $s0;"},
    {"HL-444 HL-445",
     "{cleardetectexcept|setdetectexcept}_u32 5;~"
     "{cuid|dim|getdetectexcept|groupbaseptr|groupstaticsize|grouptotalsize|laneid|maxcuid|"
     "maxwaveid|waveid|workitemflatabsid|workitemflatid|currentworkitemflatid}_u32 $s0;~"
     "{clock|kernargbaseptr|packetid|workitemflatabsid}_u64 $d0;~debugtrap_u32 $s0;~"
     "nullptr{_group|_private}_u32 $s0;~nullptr{|_kernarg}_u64 $d0;",
     "{cuid|dim|getdetectexcept|laneid}_u32 5;~cleardetectexcept_u32 $s0;"},
    {"HL-446 HL-447 HL-448",
     "{abs|neg}_{s32|f32} $s0, $s1;~{bitrev|not}_b32 $s0, $s1;~"
     "{ncos|nexp2|nlog2|nrcp|nrsqrt|nsin|nsqrt}_f32 $s0, $s1;~"
     "{fract|sqrt}{|_ftz|_up|_ftz_down}_f64 $d0, $d1;~{ceil|floor|rint|trunc}{|_ftz}_f32 $s0, "
     "$s1;~{ceil|floor|rint|trunc|fract|sqrt|abs|neg}{_p|_s}_f32x2 $d0, $d1;~"
     "{popcount_u32_b64|firstbit_u32_s64|lastbit_u32_u64} $s0, $d1;~"
     "{currentworkgroupsize|gridgroups|gridsize|workgroupid|workgroupsize|workitemabsid|"
     "workitemid}_u32 $s0, {0|1|2};",
     "{ceil|floor|rint|trunc}_up_f32 $s0, $s1;~{abs|neg}_ftz_f32 $s0, $s1;~workitemid_u32 $s0, 3;"},
    {"HL-449 HL-450 HL-451",
     "{add|sub}{|_ftz|_near|_ftz_zero}_f32 $s0, $s1, $s2;~{add|sub}_sat_{u8|s16|u32} $s0, $s1, "
     "$s2;~{add|sub}{_pp|_ps|_sp|_ss|_pp_sat|_ps_sat|_sp_sat|_ss_sat}_s8x4 $s0, $s1, $s2;~"
     "{borrow|carry|rem|div}_u64 $d0, $d1, $d2;~div_ftz_up_f16 $s0, $s1, $s2;~"
     "copysign_f64 $d0, $d1, $d2;~{shl|shr}_s64 $d0, $d1, $s2;~{and|or|xor}_b64 $d0, $d1, $d2;~"
     "bitmask_b32 $s0, $s1, $s2;~{unpackhi|unpacklo}_u8x4 $s0, $s1, $s2;~"
     "{max|min}{|_ftz}_f32 $s0, $s1, $s2;~{max|min}_ftz_pp_f16x2 $s0, $s1, $s2;~"
     "class_b1_f32 $c0, $s1, 3;",
     "{max|min}_up_f32 $s0, $s1, $s2;~{borrow|carry|rem}_sat_u32 $s0, $s1, $s2;"},
    {"HL-452 HL-453 HL-454",
     "{fma|mad}{|_ftz|_zero|_ftz_up}_f32 $s0, $s1, $s2, $s3;~mad_sat_u32 $s0, $s1, $s2, $s3;~"
     "bitextract_s32 $s0, $s1, 4, 8;~bitselect_b64 $d0, $d1, $d2, $d3;~shuffle_u8x4 $s0, $s1, $s2, "
     "27;~{cmov_b32 $s0, $c0|cmov_u8x4 $s0, $s1}, $s2, $s3;~{bitalign|bytealign}_b32 $s0, $s1, "
     "$s2, $s3;~"
     "lerp_u8x4 $s0, $s1, $s2, $s3;~nfma_f64 $d0, $d1, $d2, $d3;",
     "nfma_ftz_f32 $s0, $s1, $s2, $s3;~shuffle_u8x4 $s0, $s1, $s2, $s3;"},
    {"HL-455",
     "mul{|_ftz_down}_f32 $s0, $s1, $s2;~mul_pp_sat_u16x2 $s0, $s1, $s2;~mulhi_u64 $d0, $d1, $d2;~"
     "mulhi_pp_s16x2 $s0, $s1, $s2;~{mul24|mul24hi}_u32 $s0, $s1, $s2;~"
     "{mad24|mad24hi}_s32 $s0, $s1, $s2, $s3;",
     "mul24_u64 $d0, $d1, $d2;~mulhi_ftz_u32 $s0, $s1, $s2;"},
    {"HL-456", "bitinsert_{u32|s32} $s0, $s1, $s2, 4, 8;", "bitinsert_u32 $s0, $s1, $s2, 4;"},
    {"HL-457", "combine_v2_b64_b32 $d0, ($s0, $s1);~combine_v4_b128_b32 $q0, ($s0, $s1, $s2, 7);",
     "combine_b64_b32 $d0, $s0;"},
    {"HL-458", "expand_v2_b32_b64 ($s0, $s1), $d0;~expand_v2_b64_b128 ($d0, $d1), $q0;",
     "expand_v2_b32_b64 ($s0, 5), $d0;"},
    {"HL-459",
     "lda{_global|_readonly}_u64 $d0, [$d1];~lda_group_u32 $s0, [%t][$s1+4];~"
     "lda_u64 $d0, [$d1-8];",
     "lda_arg_u32 $s0, [$s1];"},
    {"HL-460",
     "mov_{b32|u32|s32|f32|f16} $s0, $s1;~mov_{sig64|roimg|woimg|rwimg|samp} $d0, $d1;~"
     "mov_b1 $c0, $c1;~mov_b128 $q0, $q1;",
     "mov_samp $d0, 5;"},
    {"HL-461", "pack_{u8x4_u32|s8x4_s32|u16x2_u32|f16x2_f16} $s0, $s1, $s2, {0|1};",
     "pack_u8x4_u64 $s0, $s1, $d2, 0;"},
    {"HL-462", "unpack_{u32_u8x4|s32_s16x2|f16_f16x2} $s0, $s1, {1|$s2};",
     "unpack_u64_u8x4 $d0, $s1, 0;"},
    {"HL-463", "packcvt_u8x4_f32 $s0, $s1, $s2, $s3, $s4;", "packcvt_u8x4_f32 $s0, $s1, $s2, $s3;"},
    {"HL-464", "unpackcvt_f32_u8x4 $s0, $s1, {0|1|2|3};", "unpackcvt_f32_u8x4 $s0, $s1, 4;"},
    {"HL-465", "sad_u32_{u32|u16x2|u8x4} $s0, $s1, $s2, $s3;~sadhi_u16x2_u8x4 $s0, $s1, $s2, $s3;",
     "sadhi_u32_u8x4 $s0, $s1, $s2, $s3;"},
    {"HL-466 HL-528",
     "segmentp{_global|_group|_private}{|_nonull}_b1_u64 $c0, $d0;~"
     "ftos{_group|_private}{|_nonull}_u32_u64 $s0, $d0;~"
     "stof{_group|_private}{|_nonull}_u64_u32 $d0, $s0;",
     "ftos_global_u64_u64 $d0, $d0;~segmentp_b1_u64 $c0, $d0;"},
    {"HL-467 HL-468",
     "cmp{_eq|_ne|_lt|_le|_gt|_ge}_b1_s32 $c0, $s1, $s2;~cmp{_eq|_ne}_u32_b32 $s0, $s1, $s2;~"
     "cmp{_eq|_ne|_lt|_le|_gt|_ge|_equ|_neu|_ltu|_leu|_gtu|_geu|_num|_nan|_seq|_sne|_slt|_sle|_sgt|"
     "_sge|_snum|_snan|_sequ|_sneu|_sltu|_sleu|_sgtu|_sgeu}{|_ftz}_b1_f32 $c0, $s1, $s2;~"
     "cmp_ltu_ftz_pp_u16x2_f16x2 $s0, $s1, $s2;",
     "cmp{_ltu|_num|_seq}_b1_s32 $c0, $s1, $s2;~cmp_xx_b1_f32 $c0, $s1, $s2;"},
    {"HL-469 HL-470 HL-471 HL-536",
     "cvt{|_upi|_downi|_neari|_upi_sat|_downi_sat|_zeroi_sat|_neari_sat|_supi|_sdowni|_szeroi|"
     "_sneari|_supi_sat|_sdowni_sat|_szeroi_sat|_sneari_sat}_s32_f32 $s0, $s1;~"
     "cvt_ftz{_upi|_sneari_sat}_u8_f32 $s0, $s1;~cvt{|_ftz|_up|_ftz_down}_f32_f64 $s0, $d1;~"
     "cvt{|_zero}_f32_u64 $s0, $d1;~cvt_sat_u8_s32 $s0, $s1;~cvt_pp_f16x2_s16x2 $s0, $s1;",
     "cvt_upi_f32_f64 $s0, $d1;~cvt_up_s32_f32 $s0, $s1;~cvt_ftz_f32_s32 $s0, $s1;"},
    {"HL-477 HL-479 HL-480",
     "signal{_add|_sub}{_rlx|_scacq|_screl|_scar}_s64_sig64 $d0, $d1, 5;~"
     "signal{_and|_exch|_or|_xor}_scar_b64_sig64 $d0, $d1, $d2;~signal_ld{_rlx|_scacq}_b64_sig64 "
     "$d0, $d1;~signal_cas_scar_b64_sig64 $d0, $d1, 1, 2;~"
     "signal_wait{_eq|_ne|_lt|_gte}_rlx_s64_sig64 $d0, $d1, 7;~"
     "signal_waittimeout{_eq|_ne|_lt|_gte}_scacq_s64_sig64 $d0, $d1, 7, $d2;",
     "signal_ld_screl_b64_sig64 $d0, $d1;~signal_wait_gt_rlx_s64_sig64 $d0, $d1, 7;"},
    {"HL-478",
     "signalnoret{_add|_sub}{_rlx|_scacq|_screl|_scar}_s64_sig64 $d1, 5;~"
     "signalnoret{_and|_or|_xor}_scar_b64_sig64 $d1, $d2;~signalnoret_st{_rlx|_screl}_b64_sig64 "
     "$d1, 9;",
     "signalnoret_st_scacq_b64_sig64 $d1, 9;~signalnoret_ld_rlx_b64_sig64 $d1;"},
    {"HL-487",
     "rdimage_v4{_1d_f32_roimg_f32 ($s0, $s1, $s2, $s3), $d1, $d2, $s4|"
     "_2d_equiv(9)_u32_roimg_s32 ($s0, $s1, $s2, $s3), $d1, $d2, ($s4, $s5)|"
     "_3d_s32_roimg_f32 ($s0, $s1, $s2, $s3), $d1, $d2, ($s4, $s5, $s6)};~"
     "rdimage_2dadepth_f16_roimg_f32 $s0, $d1, $d2, ($s4, $s5, $s6);",
     "rdimage_v4_1db_f32_roimg_f32 ($s0, $s1, $s2, $s3), $d1, $d2, $s4;"},
    {"HL-488 HL-490 HL-554 HL-555",
     "ldimage_v4_{1d|1db}_f32_{roimg|rwimg}_u32 ($s0, $s1, $s2, $s3), $d1, $s4;~"
     "ldimage_v4_{2d|1da}_f32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, ($s4, 1);~"
     "ldimage_v4_{3d|2da}_f32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, ($s4, $s5, $s6);~"
     "ldimage_2ddepth_f32_roimg_u32 $s0, $d1, ($s4, $s5);~"
     "ldimage_2dadepth_f32_roimg_u32 $s0, $d1, ($s4, $s5, $s6);",
     "ldimage_v4_1d_f32_woimg_u32 ($s0, $s1, $s2, $s3), $d1, $s4;~"
     "ldimage_v4_4d_f32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, $s4;"},
    {"HL-489",
     "stimage_v4_1d{|_equiv(3)}_f32_{woimg|rwimg}_u32 ($s0, 0f3f800000, $s2, $s3), $d1, $s4;~"
     "stimage_2ddepth_f32_rwimg_u32 $s0, $d1, ($s4, $s5);",
     "stimage_v4_1d_f32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, $s4;"},
    {"HL-491 HL-492",
     "queryimage_3d{_width|_height|_depth|_channelorder|_channeltype}_u32_{roimg|woimg|rwimg} $s0, "
     "$d1;~queryimage_{1da|2da|2dadepth}_array_u32_rwimg $s0, $d1;",
     "queryimage_1d_height_u32_rwimg $s0, $d1;~queryimage_2d_samples_u32_rwimg $s0, $d1;"},
    {"HL-493 HL-494 HL-556 HL-557",
     "querysampler{_coord|_filter|_addressing}_u32 $s0, $d1;~"
     "{ld_kernarg|ld_global}_samp $d0, [$d1];",
     "querysampler_width_u32 $s0, $d1;"},
    {"HL-497", "barrier{|_width(64)|_width(WAVESIZE)};", "barrier_width(3);"},
    {"HL-498", "wavebarrier;", "wavebarrier_width(64);"},
    {"HL-499",
     "{initfbar|releasefbar} {&fb|$s0};~{joinfbar|waitfbar|arrivefbar|leavefbar}"
     "{|_width(128)|_width(all)} {&fb|$s0};~ldf_u32 $s0, &fb;",
     "ldf_u32 $s0, $s1;~joinfbar_width(32) &fb;"},
    {"HL-500",
     "activelaneid{|_width(64)}_u32 $s0;~activelanecount{|_width(all)}_u32_b1 $s0, $c1;~"
     "activelanemask_v4{|_width(WAVESIZE)}_b64_b1 ($d0, $d1, $d2, $d3), $c1;~"
     "activelanepermute{|_width(64)}_b32 $s0, $s1, $s2, $s3, $c4;",
     "activelanemask_b64_b1 $d0, $c1;"},
    {"HL-505 HL-440",
     "{~arg_u32 %r;~arg_u32 %x;~scall_u32 $s0 (%r) (%x) [&f];~}~"
     "{~arg_u32 %r;~arg_u32 %x;~scall_width(all)_u64 $d0 (%r) (%x) [&f, &f];~}",
     ""},
    {"HL-506", "ret;", "ret $s0;"},
    {"HL-507", "alloca{|_align(16)}_u32 $s0, {$s1|64};", "alloca_group_u32 $s0, 4;"},
    {"HL-508", "packetcompletionsig_sig64 $d0;", "packetcompletionsig_sig32 $d0;"},
    {"HL-509",
     "addqueuewriteindex{|_global}_{rlx|scacq|screl|scar}_u64 $d0, [$d1], 3;~"
     "casqueuewriteindex_global_scar_u64 $d0, [$d1], 3, $d2;~"
     "{ldqueuereadindex|ldqueuewriteindex}_global_{rlx|scacq}_u64 $d0, [$d1];~"
     "{stqueuereadindex|stqueuewriteindex}_global_{rlx|screl}_u64 [$d1], 3;",
     "ldqueuereadindex_global_screl_u64 $d0, [$d1];~addqueuewriteindex_group_rlx_u64 $d0, [$s1], "
     "3;"},
    {"HL-511 HL-512",
     "add_u32 $s0, {$s1|7|WAVESIZE}, $s2;~add_f32 $s0, $s1, 0f40000000;~mov_b64 $d0, "
     "0;~add_pp_u8x4 $s0, $s1, u8x4(4, 3, 2, 1);",
     "add_u32 $s0, &g, $s2;~add_f32 $s0, WAVESIZE, $s2;"},
    {"HL-533 HL-534 HL-535", "mul{|_ftz}{|_up|_down|_zero|_near}_f64 $d0, $d1, $d2;",
     "mul_up_ftz_f64 $d0, $d1, $d2;~mul_left_f64 $d0, $d1, $d2;"},
    {"HL-537 HL-538 HL-539",
     "add{_pp|_ps|_sp|_ss|_pp_sat|_ps_sat|_sp_sat|_ss_sat}_u16x4 $d0, $d1, $d2;~"
     "neg{_p|_s}_s16x4 $d0, $d1;~add_sat_u32 $s0, $s1, $s2;",
     "add{_p|_s|_p_sat|_s_sat}_u16x4 $d0, $d1, $d2;~neg{_pp|_p_sat}_s16x4 $d0, $d1;"},
    {"HL-540 HL-541 HL-542 HL-543",
     "ld_global_{u8|s8|u16|s16|u32|s32|f16|f32} $s0, [$d1];~ld_global_{u64|s64|f64|sig64|roimg|"
     "woimg|rwimg|samp} $d0, [$d1];~ld_global_b128 $q0, [$d1];~"
     "neg_p_{s8x4|s16x2|f16x2} $s0, $s1;~neg_p_{s8x8|s16x4|s32x2|f16x4|f32x2} $d0, $d1;~"
     "neg_p_{s8x16|s16x8|s32x4|s64x2|f16x8|f32x4|f64x2} $q0, $q1;",
     "ld_global_{u128|f8|b32|x} $s0, [$d1];"},
};

/// Texts of a pattern: at "~" it is split, {a|b} gives both; braces of arg blocks stand alone.
void expand(const std::string& pattern, std::vector<std::string>& out) {
  const size_t open = pattern.find('{');
  const size_t close = pattern.find('}', open);
  if (open == std::string::npos || pattern[open + 1] == '\n') {
    out.push_back(pattern);
    return;
  }
  size_t at = open + 1;
  while (at <= close) {
    const size_t end = std::min(pattern.find('|', at), close);
    expand(pattern.substr(0, open) + pattern.substr(at, end - at) + pattern.substr(close + 1), out);
    at = end + 1;
  }
}

std::vector<std::string> statements(const std::string& patterns) {
  std::vector<std::string> out;
  std::string block;
  for (size_t at = 0; at <= patterns.size();) {
    const size_t end = std::min(patterns.find('~', at), patterns.size());
    const std::string one = patterns.substr(at, end - at);
    at = end + 1;
    if (one == "{") {
      block = "{\n";
    } else if (one == "}") {
      out.push_back(block + "}");
      block.clear();
    } else if (!block.empty()) {
      block += one + "\n";
    } else if (!one.empty()) {
      expand(one, out);
    }
  }
  return out;
}

std::string module_with(const std::string& statement) {
  return "module &m:1:2:$full:$large:$default;\nextension \"IMAGE\";\nfbarrier &fb;\n"
         "global_u32 &g;\nfunction &f(arg_u32 %r)(arg_u32 %x)\n{\n\tret;\n};\n"
         "prog kernel &k()\n{\n\tgroup_u32 %t[4];\n" +
         statement + "\n};\n";
}

/// The statements of the kernel as print() writes them, tabs as spaces.
std::string printed(const Module& m) {
  std::string text = print(m);
  text = text.substr(text.find("%t[4];\n") + 7);
  text = text.substr(0, text.rfind("};"));
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::string out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(0, line.find_first_not_of(' '));
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

TEST(Grammar, InstructionRules) {
  size_t accepted = 0;
  size_t refused = 0;
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.ids);
    for (const std::string& text : statements(rule.text)) {
      const auto m = load_text(module_with(text), "rule.hsail");
      EXPECT_TRUE(m.ok()) << text << "\n" << (m.ok() ? "" : m.error().str());
      if (!m.ok()) continue;
      EXPECT_EQ(printed(*m), text);
      ++accepted;
    }
    for (const std::string& text : statements(rule.refused)) {
      EXPECT_FALSE(load_text(module_with(text), "rule.hsail").ok()) << text;
      ++refused;
    }
    if (!HasFailure()) Ledger::cover(rule.ids);
  }
  std::cout << "grammar: " << accepted << " statements accepted, " << refused << " refused\n";
  if (!HasFailure()) Ledger::cover("HL-331 HL-442 HL-436");
}

}  // namespace
}  // namespace cuvette::hsail
