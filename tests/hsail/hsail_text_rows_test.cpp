// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_support.h"

// Errors in the text of packed, segment, signal, queue, fbarrier and call instructions, and
// accepted text that prints and reads back.
namespace cuvette::hsail {
namespace {

const std::string kHead =
    "module &m:1:2:$full:$large:$default;\nextension \"IMAGE\";\nfbarrier &fb;\n"
    "signature &s(arg_u32)(arg_u32);\nindirect function &i(arg_u32 %r)(arg_u32 %x)\n{\n};\n"
    "function &f(arg_u32 %r)(arg_u32 %x)\n{\n};\nfunction &v()(arg_u32 %n, arg_u32 %a[])\n{\n};\n";

std::string errors_in(const std::string& text) {
  auto outcome = parse_text(text, "t");
  if (outcome.ok()) outcome.errors = validate(outcome.module);
  return outcome.ok() ? "" : outcome.errors.front().str();
}
std::string in_kernel(const std::string& body) {
  return kHead + "kernel &k(kernarg_sig64 %sig)\n{\n" + body + "\n};\n";
}
/// An arg block with matching arguments around a call.
std::string in_block(const std::string& call) {
  return in_kernel("{\narg_u32 %r;\narg_u32 %x;\n" + call + "\n}");
}

TEST(Rows, AcceptedTextsPrintAndReadBack) {
  const std::string bodies[] = {
      "add_pp_u8x4 $s0, $s1, u8x4(1, 2, 3, 4);",
      "add_ss_sat_s16x8 $q0, $q1, $q2;",
      "mul_ftz_up_ps_f16x4 $d0, $d1, $d2;",
      "neg_s_f64x2 $q0, $q1;",
      "sqrt_zero_p_f32x2 $d0, $d1;",
      "cmp_sgeu_ftz_pp_u64x2_f64x2 $q0, $q1, $q2;",
      "cvt_pp_s32x2_u16x2 $d0, $s1;",
      "cvt_pp_sat_u8x4_s8x4 $s0, $s1;",
      "cvt_ftz_neari_sat_pp_u8x8_f16x8 $d0, $q1;",
      "cvt_up_pp_f32x4_u32x4 $q0, $q1;",
      "shuffle_f16x4 $d0, $d1, $d2, 0x39;",
      "pack_u8x16_u32 $q0, $q1, 7, 9;",
      "unpack_f64_f64x2 $d0, $q1, $s0;",
      "cmov_s8x16 $q0, $q1, $q2, $q3;",
      "shl_s64x2 $q0, $q1, 5;",
      "packcvt_u8x4_f32 $s0, $s1, 1.0f, $s2, $s3;",
      "unpackcvt_f32_u8x4 $s0, $s1, 3;",
      "sadhi_u16x2_u8x4 $s0, $s1, $s2, $s3;",
      "segmentp_global_nonull_b1_u64 $c0, $d0;",
      "stof_private_u64_u32 $d0, $s0;\nftos_group_nonull_u32_u64 $s0, $d0;",
      "nullptr_u64 $d0;\nnullptr_kernarg_u64 $d0;\nnullptr_private_u32 $s0;",
      "alloca_align(32)_u32 $s0, $s1;\nalloca_u32 $s0, WAVESIZE;",
      "signal_waittimeout_gte_scacq_s64_sig64 $d0, $d1, 5, $d2;",
      "signal_wait_ne_rlx_s64_sig64 $d0, $d1, $d2;\nsignal_cas_scar_b64_sig64 $d0, $d1, 1, 2;",
      "signalnoret_st_screl_b64_sig64 $d1, WAVESIZE;",
      "ldqueuereadindex_scacq_u64 $d0, [$d1+8];\ncasqueuewriteindex_global_scar_u64 $d0, [$d1], 1, "
      "2;",
      "initfbar &fb;\njoinfbar_width(all) &fb;\nwaitfbar_width(128) $s0;\nldf_u32 $s0, &fb;\n"
      "arrivefbar &fb;\nleavefbar $s0;\nreleasefbar &fb;",
      "packetid_u64 $d0;\npacketcompletionsig_sig64 $d0;\nclock_u64 $d0;",
      "mov_roimg $d0, $d1;\nmov_samp $d0, $d1;\nld_global_rwimg $d0, [$d1];",
      "{\narg_u32 %r;\narg_u32 %x;\nscall_width(all)_u64 $d0 (%r)(%x) [&f, &i];\n}",
      "{\narg_u32 %r;\narg_u32 %x;\nicall_width(64)_u64 $d0 (%r)(%x) &s;\n}",
      "{\narg_u32 %n;\narg_u32 %a[7];\ncall &v()(%n, %a);\n}",
  };
  for (const std::string& body : bodies) {
    SCOPED_TRACE(body);
    const std::string text = in_kernel(body);
    ASSERT_EQ(errors_in(text), "");
    const auto first = parse_text(text, "first");
    const std::string printed = print(first.module);
    const auto second = parse_text(printed, "second");
    ASSERT_TRUE(second.ok()) << second.errors[0].str() << printed;
    EXPECT_TRUE(same_module(first.module, second.module)) << printed;
    EXPECT_EQ(print(second.module), printed);
    for (const std::string_view line : {std::string_view(body).substr(0, body.find(' '))}) {
      if (line[0] != '{') {
        EXPECT_NE(printed.find(std::string(line) + "\t"), std::string::npos) << printed;
      }
    }
  }
}

TEST(Rows, RefusedTexts) {
  const std::pair<std::string, std::string> cases[] = {
      {"add_u8x4 $s0, $s1, $s2;",
       "'add_u8x4' needs a packing control, one of: _pp, _ps, _sp, _ss, _pp_sat, _ps_sat, _sp_sat, "
       "_ss_sat"},
      {"add_pp_u32 $s0, $s1, $s2;", "modifier '_pp' is not valid for 'add_u32'"},
      {"add_p_u8x4 $s0, $s1, $s2;", "modifier '_p' is not valid for 'add_u8x4'"},
      {"abs_pp_s8x4 $s0, $s1;", "modifier '_pp' is not valid for 'abs_s8x4'"},
      {"abs_p_sat_s8x4 $s0, $s1;", "modifier '_p_sat' is not valid for 'abs_s8x4'"},
      {"abs_p_u8x4 $s0, $s1;", "type 'u8x4' is not valid for 'abs', expected one of: s8x4"},
      {"mulhi_pp_sat_u8x4 $s0, $s1, $s2;", "modifier '_pp_sat' is not valid for 'mulhi_u8x4'"},
      {"add_pp_sat_f16x2 $s0, $s1, $s2;", "modifier '_pp_sat' is not valid for 'add_f16x2'"},
      {"max_up_pp_f32x2 $d0, $d1, $d2;", "modifier '_up' is not valid for 'max_f32x2'"},
      {"add_pp_u8x8 $s0, $s1, $s2;", "a $s register cannot hold type 'u8x8', expected $d"},
      {"add_pp_u8x4 $s0, $s1, 5;", "an integer constant is not valid here"},
      {"add_pp_u8x4 $s0, $s1, s8x4(1, 2, 3, 4);",
       "a constant of type 's8x4' is not valid here, expected type 'u8x4'"},
      {"add_pp_u8x4 $s0, $s1, WAVESIZE;", "WAVESIZE cannot stand for type 'u8x4'"},
      {"div_pp_s16x2 $s0, $s1, $s2;", "type 's16x2' is not valid for 'div'"},
      {"cmp_lt_pp_s8x4_s8x4 $s0, $s1, $s2;", "type 's8x4' is not valid for 'cmp'"},
      {"cmp_lt_pp_u16x4_s8x4 $d0, $s1, $s2;", "the result of a packed cmp is 'u8x4'"},
      {"cmp_ltu_pp_u8x4_s8x4 $s0, $s1, $s2;", "integers compare with eq, ne, lt, le, gt and ge"},
      {"cmp_lt_u8x4_s8x4 $s0, $s1, $s2;", "needs a packing control, one of: _pp"},
      {"cvt_u8x4_s8x4 $s0, $s1;", "needs the packing control '_pp'"},
      {"cvt_ss_u8x4_s8x4 $s0, $s1;", "needs the packing control '_pp'"},
      {"cvt_pp_u8_s16 $s0, $s1;", "modifier '_pp' is not valid for 'cvt_u8_s16'"},
      {"cvt_pp_u8x4_s8x4 $s0, $s1;", "cvt between integers of one size needs '_sat'"},
      {"cvt_pp_u16x2_u8x4 $s0, $s1;", "a packed cvt keeps the number of elements"},
      {"cvt_pp_sat_u8x4_f32x4 $s0, $q1;", "modifier '_sat' is not valid"},
      {"cvt_near_pp_f32x2_f16x2 $d0, $s1;", "rounding '_near' is not valid"},
      {"shuffle_u8x4 $s0, $s1, $s2, $s3;", "the selectors are a constant of type 'b32'"},
      {"shuffle_u8x16 $q0, $q1, $q2, 1;", "type 'u8x16' is not valid for 'shuffle'"},
      {"pack_u8x4_s32 $s0, $s1, $s2, 0;", "'s32' is not the type of an element of 'u8x4'"},
      {"unpack_u64_u32x2 $d0, $d1, 0;", "'u64' is not the type of an element of 'u32x2'"},
      {"cmov_u8x4 $s0, $c0, $s1, $s2;", "a $c register cannot hold type 'u8x4', expected $s"},
      {"shl_u8x4 $s0, $s1, $d0;", "a $d register cannot hold type 'u32', expected $s"},
      {"lerp_s8x4 $s0, $s1, $s2, $s3;", "type 's8x4' is not valid for 'lerp'"},
      {"unpackcvt_f32_u8x4 $s0, $s1, 4;", "the element is a literal from 0 to 3"},
      {"sad_u32_u8x8 $s0, $d1, $d2, $s3;", "source type 'u8x8' is not valid for 'sad_u32'"},
      {"nsin_f64 $d0, $d1;", "type 'f64' is not valid for 'nsin'"},
      {"nexp2_ftz_f32 $s0, $s1;", "'_ftz' is neither a modifier nor a type that 'nexp2' takes"},
      {"segmentp_readonly_b1_u64 $c0, $d0;", "segmentp tests for global, group and private memory"},
      {"segmentp_group_b1_u32 $c0, $s0;", "an address in segment 'flat' has 64 bits"},
      {"stof_global_u64_u32 $d0, $s0;", "segment conversions are for group and private memory"},
      {"stof_group_u32_u32 $s0, $s0;", "an address in segment 'flat' has 64 bits"},
      {"ftos_group_u64_u64 $d0, $d0;", "type 'u64' is not valid for 'ftos'"},
      {"ftos_u32_u64 $s0, $d0;", "segment conversions are for group and private memory"},
      {"nullptr_global_u64 $d0;", "nullptr is for flat, group, private and kernarg addresses"},
      {"nullptr_group_u64 $d0;", "an address in segment 'group' has 32 bits"},
      {"alloca_align(3)_u32 $s0, 4;", "'align' takes a power of two from 1 to 256"},
      {"alloca_u64 $d0, 4;", "type 'u64' is not valid for 'alloca'"},
      {"signal_ld_screl_b64_sig64 $d0, $d1;", "takes rlx or scacq"},
      {"signal_wait_eq_scar_s64_sig64 $d0, $d1, 1;", "takes rlx or scacq"},
      {"signalnoret_st_scacq_b64_sig64 $d0, 1;", "takes rlx or screl"},
      {"signal_wait_gt_rlx_s64_sig64 $d0, $d1, 1;", "expected a signal operation"},
      {"signal_max_rlx_s64_sig64 $d0, $d1, 1;", "operation 'max' is not valid for 'signal'"},
      {"signalnoret_exch_rlx_b64_sig64 $d0, 1;", "operation 'exch' is not valid for 'signalnoret'"},
      {"signal_ld_rlx_b32_sig64 $s0, $d1;", "the value of a 'sig64' is not of type 'b32'"},
      {"signal_ld_rlx_b32_sig32 $s0, $d1;", "type 'sig32' does not belong to the machine model"},
      {"signal_add_rlx_b64_sig64 $d0, $d1, 1;", "type 'b64' is not valid for 'signal'"},
      {"signal_ld_rlx_b64_sig64 $d0, 0;", "an integer constant is not valid here"},
      {"signal_ld_rlx_b64_sig64 $d0, sig64(0);", "the signal must be a register"},
      {"ldqueuereadindex_screl_u64 $d0, [$d1];", "takes rlx or scacq"},
      {"stqueuewriteindex_scar_u64 [$d1], 1;", "takes rlx or screl"},
      {"addqueuewriteindex_group_rlx_u64 $d0, [$s1], 1;", "queues are in global or flat memory"},
      {"addqueuewriteindex_u64 $d0, [$d1], 1;", "expected a memory order"},
      {"initfbar %x;", "'%x' is not declared"},
      {"initfbar $d0;", "a $d register cannot hold type 'u32', expected $s"},
      {"joinfbar_width(32) &fb;", "the width of an fbarrier instruction is a multiple of WAVESIZE"},
      {"ldf_u32 $s0, $s1;", "expected an fbarrier"},
      {"ldf_u64 $d0, &fb;", "type 'u64' is not valid for 'ldf'"},
      {"packetid_u32 $s0;", "type 'u32' is not valid for 'packetid'"},
      {"packetcompletionsig_sig32 $d0;", "type 'sig32' does not belong to the machine model"},
      {"st_global_roimg $d0, [$d1];", "image and sampler handles are stored to segment 'arg' only"},
      {"clock_u32 $s0;", "type 'u32' is not valid for 'clock'"},
  };
  for (const auto& [body, what] : cases) {
    const std::string error = errors_in(in_kernel(body));
    EXPECT_NE(error.find(what), std::string::npos) << body << "\n" << error;
    EXPECT_EQ(error.rfind("t:1", 0), 0u) << error;  // with its place
  }
  EXPECT_NE(
      errors_in("module &m:1:0:$full:$large:$default;\nkernel &k()\n{\nmov_roimg $d0, $d1;\n};\n")
          .find("type 'roimg' needs the extension \"IMAGE\""),
      std::string::npos);
  EXPECT_NE(errors_in("module &m:1:0:$base:$large:$default;\nkernel &k()\n{\n"
                      "add_ftz_pp_f64x2 $q0, $q1, $q2;\n};\n")
                .find("type 'f64' is not available in the base profile"),
            std::string::npos);
  EXPECT_NE(errors_in("module &m:1:0:$base:$large:$default;\nkernel &k()\n{\n"
                      "add_pp_f32x2 $d0, $d1, $d2;\n};\n")
                .find("the base profile needs the modifier '_ftz' here"),
            std::string::npos);
}

TEST(Rows, RefusedCalls) {
  const std::pair<std::string, std::string> cases[] = {
      {in_block("scall_u32 $s0 (%r)(%x) [&f, &v];"), "'&v' takes 0 output and 2 input arguments"},
      {in_block("scall_s32 $s0 (%r)(%x) [&f];"), "type 's32' is not valid for 'scall'"},
      {in_block("scall_u32 $s0 (%r)(%x) [&k];"), "a call needs a function"},
      {in_block("icall_u32 $s0 (%r)(%x) &s;"), "a handle of an indirect function has 64 bits"},
      {in_kernel("mov_sig64 $d0, 0;"), "an integer constant is not valid here"},
      {in_kernel("mov_sig64 $d0, sig64(1);"), "the only signal constant is 0"},
      {in_block("icall_u64 1 (%r)(%x) &s;"), "the handle must be a register"},
      {in_block("icall_u64 $d0 (%r)(%x) &f;"), "icall needs a signature"},
      {in_block("call &s(%r)(%x);"), "a call needs a function"},
      {in_block("call &f(%r)(%x);\ncall &f(%r)(%x);"),
       "each argument of a call is another variable of its arg block"},
      {in_kernel("{\n}"), "an arg block has exactly one call"},
      {in_block("alloca_u32 $s0, 4;\ncall &f(%r)(%x);"), "'alloca' cannot stand in an arg block"},
      {in_kernel("{\narg_u32 %r;\narg_s32 %x;\ncall &f(%r)(%x);\n}"),
       "'%x' has not the type of argument 2 of '&f'"},
      {in_kernel("{\narg_u32 %r;\nalign(8) arg_u32 %x;\ncall &f(%r)(%x);\n}"),
       "'%x' has not the type of argument 2 of '&f'"},
      {in_kernel("{\narg_u32 %n;\narg_u32 %a;\ncall &v()(%n, %a);\n}"),
       "'%a' has not the type of argument 2 of '&v'"},
      {in_kernel("{\narg_u32 %r;\narg_u32 %x;\narg_u32 %y;\ncall &f(%r)(%x);\n}"),
       "'%y' is no argument of the call of its arg block"},
      {in_kernel("{\narg_u32 %r;\ncall &f(%r)(%r);\n}"),
       "each argument of a call is another variable of its arg block"},
      {kHead + "function &w(arg_u32 %r)(arg_u32 %x)\n{\nst_arg_u32 1, [%x];\n};\n",
       "an input argument of a function is only loaded"},
      {kHead + "function &w(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_u32 $s0, [%r];\n};\n",
       "the output argument of a function is only stored"},
      {in_kernel("icall_u64 $d0 ()() &s;"), "a call stands in an arg block"},
  };
  for (const auto& [text, what] : cases) {
    const std::string error = errors_in(text);
    EXPECT_NE(error.find(what), std::string::npos) << text << "\n" << error;
  }
}

}  // namespace
}  // namespace cuvette::hsail
