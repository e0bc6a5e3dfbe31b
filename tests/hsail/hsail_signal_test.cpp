// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsail_case.h"

// Signals, queues, fbarriers and what the packet says (HSAIL PRM 6.8, 9.2, 11.1, 11.3).
namespace cuvette::hsail {
namespace {

using namespace testing;

const std::string kHeader = "module &m:1:0:$full:$large:$default;\n";

/// Runs &k(sig, out) of `body` on one work-item: the signal's handle is in $d0, the address of two
/// words in $d1.
struct SignalResult {
  std::string error;
  uint64_t value = 0;  ///< of the signal
  std::vector<uint64_t> out;
};
SignalResult with_signal(const std::string& body, uint64_t value, bool null = false) {
  const auto m = load_text(kHeader +
                               "prog kernel &k(kernarg_sig64 %sig, kernarg_u64 %out)\n{\n"
                               "\tld_kernarg_sig64 $d0, [%sig];\n\tld_kernarg_u64 $d1, [%out];\n" +
                               body + "};\n",
                           "signal.hsail");
  EXPECT_TRUE(m.ok()) << body << (m.ok() ? "" : m.error().str());
  if (!m.ok()) return {};
  TestMemory memory;
  hsa::AmdSignal contents;
  contents.value = static_cast<int64_t>(value);
  const uint64_t signal = memory.add_values(std::vector<hsa::AmdSignal>{contents});
  const uint64_t out = memory.add(16);
  Machine machine(*m, memory, {});
  const auto status = machine.run(
      dispatch(*m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(null ? 0 : signal).add(out)));
  return {status.ok() ? "" : status.error().str(),
          static_cast<uint64_t>(memory.values<hsa::AmdSignal>(signal)[0].value),
          memory.values<uint64_t>(out)};
}

TEST(Signals, EveryOperation) {
  struct SignalCase {
    const char* ids;
    const char* text;
    uint64_t before, result, after;
  };
  const SignalCase cases[] = {
      {"HI-198", "signal_ld_scacq_b64_sig64 $d2, $d0;", 7, 7, 7},
      {"HI-199", "signal_and_scar_b64_sig64 $d2, $d0, 0xf0;", 0xff, 0xff, 0xf0},
      {"HI-200", "signal_or_screl_b64_sig64 $d2, $d0, 0xf0;", 0x0f, 0x0f, 0xff},
      {"HI-201", "signal_xor_rlx_b64_sig64 $d2, $d0, 0xff;", 0x0f, 0x0f, 0xf0},
      {"HI-202", "signal_exch_scar_b64_sig64 $d2, $d0, 5;", 9, 9, 5},
      {"HI-203", "signal_add_rlx_u64_sig64 $d2, $d0, 5;", kAll64, kAll64, 4},
      {"HI-203", "signal_add_scacq_s64_sig64 $d2, $d0, -1;", 5, 5, 4},
      {"HI-204", "signal_sub_screl_s64_sig64 $d2, $d0, 2;", 1, 1, kAll64},
      {"HI-205", "signal_cas_scar_b64_sig64 $d2, $d0, 3, 8;", 3, 3, 8},
      {"HI-205", "signal_cas_scar_b64_sig64 $d2, $d0, 4, 8;", 3, 3, 3},
      {"HI-206", "signal_wait_eq_scacq_s64_sig64 $d2, $d0, 6;", 6, 6, 6},
      {"HI-206", "signal_wait_ne_rlx_s64_sig64 $d2, $d0, 7;", 6, 6, 6},
      {"HI-206", "signal_wait_lt_rlx_s64_sig64 $d2, $d0, 0;", kAll64, kAll64, kAll64},  // signed
      {"HI-206", "signal_wait_gte_rlx_s64_sig64 $d2, $d0, -5;", 6, 6, 6},
      // Never true: it returns all the same, after its time or spuriously.
      {"HI-206", "signal_wait_eq_rlx_s64_sig64 $d2, $d0, 1;", 6, 6, 6},
      {"HI-207", "signal_waittimeout_eq_rlx_s64_sig64 $d2, $d0, 1, 0;", 6, 6, 6},
      {"HI-207", "signal_waittimeout_lt_scacq_s64_sig64 $d2, $d0, 9, 1000;", 6, 6, 6},
      {"HI-207", "mov_b64 $d5, 3; signal_waittimeout_ne_rlx_s64_sig64 $d2, $d0, 9, $d5;", 6, 6, 6},
      {"HI-207", "signal_waittimeout_gte_rlx_s64_sig64 $d2, $d0, 6, 3;", 6, 6, 6},
      {"HI-208", "signalnoret_st_screl_b64_sig64 $d0, 12;", 6, 0, 12},
      {"HI-209", "signalnoret_and_rlx_b64_sig64 $d0, 12;", 6, 0, 4},
      {"HI-210", "signalnoret_or_scacq_b64_sig64 $d0, 12;", 6, 0, 14},
      {"HI-211", "signalnoret_xor_scar_b64_sig64 $d0, 12;", 6, 0, 10},
      {"HI-212", "signalnoret_add_rlx_u64_sig64 $d0, 12;", 6, 0, 18},
      {"HI-213", "signalnoret_sub_rlx_s64_sig64 $d0, 12;", 6, 0, static_cast<uint64_t>(-6)},
      // Handles move as values of their type.
      {"HI-062 HI-174 HI-164",
       "mov_sig64 $d4, $d0; st_global_sig64 $d4, [$d1+8]; ld_global_sig64 $d5, [$d1+8]; "
       "signal_ld_rlx_b64_sig64 $d2, $d5; st_global_u64 0, [$d1+8];",
       21, 21, 21},
  };
  for (const SignalCase& c : cases) {
    SCOPED_TRACE(c.text);
    const auto r = with_signal(
        std::string("\tmov_b64 $d2, 0;\n\t") + c.text + "\n\tst_global_u64 $d2, [$d1];\n",
        c.before);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.out[0], c.result);
    EXPECT_EQ(r.value, c.after);
    // HI-062 and HI-164 name image handles too: see Images.
    const bool handles = std::string(c.ids).find("HI-062") != std::string::npos;
    if (!HasFailure()) Ledger::cover(handles ? "HI-174" : c.ids);
  }
  EXPECT_NE(with_signal("\tsignal_ld_rlx_b64_sig64 $d2, $d0;\n", 0, true)
                .error.find("the signal handle is null"),
            std::string::npos);
  EXPECT_NE(with_signal("\tmov_b64 $d0, 4;\n\tsignalnoret_st_rlx_b64_sig64 $d0, 1;\n", 0)
                .error.find("signal at an address that is not accessible or not aligned"),
            std::string::npos);
  if (!HasFailure()) Ledger::cover("HL-209");
}

TEST(Signals, SmallModel) {
  const auto m = load_text(
      "module &m:1:0:$full:$small:$default;\nprog kernel &k(kernarg_sig32 %sig)\n{\n"
      "\tld_kernarg_sig32 $d0, [%sig];\n\tsignal_add_rlx_u32_sig32 $s0, $d0, 3;\n"
      "\tsignalnoret_sub_rlx_u32_sig32 $d0, $s0;\n};\n",
      "small.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  TestMemory memory;
  const uint64_t signal = memory.add_values(std::vector<uint64_t>{0, 0xffffffff00000004, 0, 0});
  run(*m, memory, dispatch(*m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(signal)));
  EXPECT_EQ(memory.values<uint64_t>(signal)[1], 0xffffffff00000003u);
}

TEST(Signals, WavefrontsWaitForEachOther) {
  // Group 1 counts down what group 0 waits for; waits return spuriously, so in a loop.
  const auto m = load_text(kHeader + R"(prog kernel &k(kernarg_sig64 %sig, kernarg_u64 %out)
{
	ld_kernarg_sig64 $d0, [%sig];
	ld_kernarg_u64 $d1, [%out];
	workitemabsid_u32 $s0, 0;
	cmp_ge_b1_u32 $c0, $s0, 64;
	cbr_b1 $c0, @worker;
@wait:
	signal_wait_eq_scacq_s64_sig64 $d2, $d0, 0;
	cmp_ne_b1_s64 $c1, $d2, 0;
	cbr_b1 $c1, @wait;
	ld_global_u32 $s1, [$d1+4];
	st_global_u32 $s1, [$d1];
	ret;
@worker:
	mov_b32 $s2, 5000;
@loop:
	sub_u32 $s2, $s2, 1;
	cmp_ne_b1_u32 $c1, $s2, 0;
	cbr_b1 $c1, @loop;
	st_global_u32 17, [$d1+4];
	signalnoret_sub_screl_s64_sig64 $d0, 1;
};
)",
                           "wait.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  TestMemory memory;
  hsa::AmdSignal contents;
  contents.value = 64;
  const uint64_t signal = memory.add_values(std::vector<hsa::AmdSignal>{contents});
  const uint64_t out = memory.add(8);
  run(*m, memory, dispatch(*m, "&k", {128, 1, 1}, {64, 1, 1}, Kernarg().add(signal).add(out)));
  EXPECT_EQ(memory.values<uint32_t>(out)[0], 17u);
}

/// The destination of a wait may be any of its sources (nothing in 6.8.1 forbids it): while it goes
/// on they stay what they were. The other work-group changes the signal by `change`, 64 times.
TEST(Signals, WaitsKeepTheirSources) {
  struct WaitCase {
    const char* text;  // $d0: the signal; its result in $d2
    const char* change;
    int64_t before, result;
  };
  const WaitCase cases[] = {
      {"mov_b64 $d2, 0; signal_wait_eq_scacq_s64_sig64 $d2, $d0, $d2;", "sub", 64, 0},
      {"mov_b64 $d2, -1; signal_wait_lt_rlx_s64_sig64 $d2, $d0, $d2;", "sub", 62, -2},
      {"mov_b64 $d2, 7; signal_wait_ne_rlx_s64_sig64 $d2, $d0, $d2;", "add", 7, 71},
      {"mov_b64 $d2, 64; signal_wait_gte_rlx_s64_sig64 $d2, $d0, $d2;", "add", 0, 64},
      // The handle, and the time (0 would be none).
      {"mov_b64 $d2, $d0; signal_wait_eq_scacq_s64_sig64 $d2, $d2, 0;", "sub", 64, 0},
      {"mov_b64 $d2, 9999; signal_waittimeout_gte_rlx_s64_sig64 $d2, $d0, 64, $d2;", "add", 0, 64},
  };
  for (const WaitCase& c : cases) {
    SCOPED_TRACE(c.text);
    const auto m = load_text(kHeader +
                                 "prog kernel &k(kernarg_sig64 %sig, kernarg_u64 %out)\n{\n"
                                 "\tld_kernarg_sig64 $d0, [%sig];\n\tld_kernarg_u64 $d1, [%out];\n"
                                 "\tworkitemabsid_u32 $s0, 0;\n\tcmp_ge_b1_u32 $c0, $s0, 64;\n"
                                 "\tcbr_b1 $c0, @worker;\n\t" +
                                 c.text + "\n\tst_global_u64 $d2, [$d1];\n\tret;\n@worker:\n" +
                                 "\tsignalnoret_" + c.change + "_screl_s64_sig64 $d0, 1;\n};\n",
                             "sources.hsail");
    ASSERT_TRUE(m.ok()) << m.error().str();
    TestMemory memory;
    hsa::AmdSignal contents;
    contents.value = c.before;
    const uint64_t signal = memory.add_values(std::vector<hsa::AmdSignal>{contents});
    const uint64_t out = memory.add(8);
    run(*m, memory, dispatch(*m, "&k", {128, 1, 1}, {64, 1, 1}, Kernarg().add(signal).add(out)));
    EXPECT_EQ(static_cast<int64_t>(memory.values<uint64_t>(out)[0]), c.result);
  }
}

TEST(Queues, Indices) {
  const auto m = load_text(kHeader + R"(prog kernel &k(kernarg_u64 %queue, kernarg_u64 %out)
{
	ld_kernarg_u64 $d0, [%queue];
	ld_kernarg_u64 $d1, [%out];
	addqueuewriteindex_global_scar_u64 $d2, [$d0], 3;
	st_global_u64 $d2, [$d1];
	casqueuewriteindex_scacq_u64 $d2, [$d0], 13, 20;
	st_global_u64 $d2, [$d1+8];
	casqueuewriteindex_global_screl_u64 $d2, [$d0], 1, 2;
	st_global_u64 $d2, [$d1+16];
	ldqueuereadindex_global_scacq_u64 $d2, [$d0];
	st_global_u64 $d2, [$d1+24];
	sub_u64 $d3, $d0, 16;
	ldqueuewriteindex_rlx_u64 $d2, [$d3+16];
	st_global_u64 $d2, [$d1+32];
	stqueuewriteindex_global_screl_u64 [$d0], 40;
	add_u64 $d2, $d2, 5;
	stqueuereadindex_rlx_u64 [$d0], $d2;
};
)",
                           "queue.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  TestMemory memory;
  hsa::AmdQueue contents;
  contents.write_dispatch_id = 10;
  contents.read_dispatch_id = 4;
  const uint64_t queue = memory.add_values(std::vector<hsa::AmdQueue>{contents});
  const uint64_t out = memory.add(40);
  run(*m, memory, dispatch(*m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(queue).add(out)));
  EXPECT_EQ(memory.values<uint64_t>(out), (std::vector<uint64_t>{10, 13, 20, 4, 20}));
  const hsa::AmdQueue after = memory.values<hsa::AmdQueue>(queue)[0];
  EXPECT_EQ(after.write_dispatch_id, 40u);
  EXPECT_EQ(after.read_dispatch_id, 25u);
  if (!HasFailure()) Ledger::cover("HI-285 HI-286 HI-287 HI-288 HI-289 HI-290");
}

TEST(Packet, SignalAndId) {
  const Module m = module_of(
      "\tld_kernarg_u64 $d1, [%out];\n\tpacketcompletionsig_sig64 $d2;\n"
      "\tst_global_sig64 $d2, [$d1];\n\tpacketid_u64 $d2;\n\tst_global_u64 $d2, [$d1+8];\n"
      "\tclock_u64 $d3;\n\tclock_u64 $d4;\n\tsub_u64 $d4, $d4, $d3;\n"
      "\tst_global_u64 $d4, [$d1+16];\n");
  TestMemory memory;
  const uint64_t out = memory.add(24);
  Dispatch d = dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(out));
  d.completion_signal = 0x1234567890;
  d.packet_id = uint64_t{7} << 33;
  run(m, memory, d);
  const auto v = memory.values<uint64_t>(out);
  EXPECT_EQ(v[0], 0x1234567890u);
  EXPECT_EQ(v[1], uint64_t{7} << 33);
  EXPECT_GT(v[2], 0u);  // time goes on
  EXPECT_LT(v[2], 100u);
  if (!HasFailure()) Ledger::cover("HI-274 HI-275 HI-291");
}

TEST(Images, HandlesAreValues) {
  const auto m = load_text(kHeader + R"(extension "IMAGE";
function &f()(arg_roimg %i, arg_samp %s, arg_u64 %to)
{
	ld_arg_roimg $d0, [%i];
	ld_arg_samp $d1, [%s];
	ld_arg_u64 $d2, [%to];
	mov_roimg $d3, $d0;
	mov_samp $d4, $d1;
	mov_b64 $d0, $d3;
	st_global_u64 $d0, [$d2];
	mov_b64 $d0, $d4;
	st_global_u64 $d0, [$d2+8];
};
prog kernel &k(kernarg_roimg %i, kernarg_samp %s, kernarg_rwimg %rw, kernarg_u64 %out)
{
	ld_kernarg_roimg $d0, [%i];
	ld_kernarg_samp $d1, [%s];
	ld_kernarg_rwimg $d3, [%rw];
	mov_rwimg $d4, $d3;
	mov_b64 $d5, $d4;
	ld_kernarg_u64 $d2, [%out];
	st_global_u64 $d5, [$d2+16];
	{
		arg_roimg %a;
		arg_samp %b;
		arg_u64 %c;
		st_arg_roimg $d0, [%a];
		st_arg_samp $d1, [%b];
		st_arg_u64 $d2, [%c];
		call &f()(%a, %b, %c);
	}
};
)",
                           "images.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  TestMemory memory;
  const uint64_t out = memory.add(24);
  run(*m, memory,
      dispatch(*m, "&k", {1, 1, 1}, {1, 1, 1},
               Kernarg().add(uint64_t{11}).add(uint64_t{22}).add(uint64_t{33}).add(out)));
  EXPECT_EQ(memory.values<uint64_t>(out), (std::vector<uint64_t>{11, 22, 33}));
  if (!HasFailure()) Ledger::cover("HI-062 HI-164 HI-175");
}

// --- fbarriers ---

std::string fbarrier_kernel(const std::string& body) {
  return kHeader +
         "fbarrier &fb;\nprog kernel &k(kernarg_u64 %out)\n{\n\tfbarrier %own;\n"
         "\tworkitemid_u32 $s0, 0;\n\tshr_u32 $s1, $s0, 6;\n" +
         body + "};\n";
}
std::string fbarrier_failure(const std::string& body, uint32_t items = 128) {
  const auto m = load_text(fbarrier_kernel(body), "fb.hsail");
  if (!m.ok()) return m.error().str();
  TestMemory memory;
  const uint64_t out = memory.add(64);
  Machine machine(*m, memory, {});
  const auto status = machine.run(
      dispatch(*m, "&k", {items, 1, 1}, {static_cast<uint32_t>(items), 1, 1}, Kernarg().add(out)));
  return status.ok() ? "no error" : status.error().str();
}

TEST(Fbarriers, ProducersAndConsumers) {
  // Wavefronts 0 and 1 are members of &fb, 2 takes no part. Wavefront 0 produces and only arrives,
  // 1 waits for it; then 0 waits for 1 by the value of ldf. Wavefront 3 joins and leaves at once.
  const std::string body =
      "\tcmp_ne_b1_u32 $c0, $s0, 0;\n\tcbr_b1 $c0, @started;\n\tinitfbar &fb;\n\tinitfbar %own;\n"
      "@started:\n\tldf_u32 $s9, &fb;\n\tcmp_eq_b1_u32 $c2, $s1, 2;\n\tcbr_b1 $c2, @joined0;\n"
      "@joined0:\n\tbarrier;\n\tcbr_b1 $c2, @joined;\n\tjoinfbar &fb;\n@joined:\n\tbarrier;\n"
      "\tld_kernarg_u64 $d0, [%out];\n\tcmp_eq_b1_u32 $c1, $s1, 0;\n\tcbr_b1 $c1, @producer;\n"
      "\tcmp_eq_b1_u32 $c1, $s1, 1;\n\tcbr_b1 $c1, @consumer;\n\tcbr_b1 $c2, @end;\n"
      "\tleavefbar_width(all) &fb;\n\tbr @end;\n"
      "@producer:\n\tmov_b32 $s5, 3000;\n@spin:\n\tsub_u32 $s5, $s5, 1;\n"
      "\tcmp_ne_b1_u32 $c3, $s5, 0;\n\tcbr_b1 $c3, @spin;\n\tst_global_u32 7, [$d0];\n"
      "\tmemfence_screl_wg;\n\tarrivefbar &fb;\n\tst_global_u32 1, [$d0+12];\n"
      "\twaitfbar_width(64) $s9;\n\tld_global_u32 $s3, [$d0+4];\n\tst_global_u32 $s3, [$d0+8];\n"
      "\tleavefbar $s9;\n\tbr @end;\n"
      "@consumer:\n\twaitfbar &fb;\n\tmemfence_scacq_wg;\n\tld_global_u32 $s3, [$d0];\n"
      "\tadd_u32 $s3, $s3, 1;\n\tst_global_u32 $s3, [$d0+4];\n\twaitfbar $s9;\n\tleavefbar &fb;\n"
      "@end:\n\tbarrier;\n\tcbr_b1 $c0, @out;\n\treleasefbar &fb;\n\treleasefbar %own;\n"
      "\tinitfbar &fb;\n\treleasefbar &fb;\n@out:\n";
  const auto m = load_text(fbarrier_kernel(body), "fb.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  TestMemory memory;
  const uint64_t out = memory.add(16);
  run(*m, memory, dispatch(*m, "&k", {256, 1, 1}, {256, 1, 1}, Kernarg().add(out)));
  EXPECT_EQ(memory.values<uint32_t>(out), (std::vector<uint32_t>{7, 8, 8, 1}));
  if (!HasFailure()) {
    Ledger::cover("HI-253 HI-254 HI-255 HI-256 HI-257 HI-258 HI-259");
  }
}

/// 9.2.3: whoever releases, and in whichever work-group.
TEST(Fbarriers, ReleasedByAnotherWavefront) {
  EXPECT_EQ(fbarrier_failure("\tcmp_ne_b1_u32 $c0, $s0, 0;\n\tcbr_b1 $c0, @a;\n\tinitfbar &fb;\n"
                             "@a:\n\tbarrier;\n\tcmp_ne_b1_u32 $c0, $s0, 127;\n"
                             "\tcbr_b1 $c0, @b;\n\treleasefbar &fb;\n@b:\n"),
            "no error");
}

TEST(Fbarriers, WhatThePrmForbids) {
  const std::string init =
      "\tcmp_ne_b1_u32 $c0, $s0, 0;\n\tcbr_b1 $c0, @a;\n\tinitfbar &fb;\n@a:\n\tbarrier;\n";
  const std::pair<std::string, std::string> cases[] = {
      {"\tjoinfbar &fb;\n", "fbarrier '&fb' is not initialised"},
      {"\tinitfbar &fb;\n", "one work-item alone initialises or releases an fbarrier"},
      {init + "\twaitfbar &fb;\n", "the wavefront is no member of fbarrier '&fb'"},
      {init + "\tjoinfbar &fb;\n\tjoinfbar &fb;\n", "is a member of fbarrier '&fb' already"},
      {init, "fb.hsail:10:2: error: the work-group ends with fbarrier '&fb' initialised"},
      {"\tcmp_ne_b1_u32 $c0, $s0, 127;\n\tcbr_b1 $c0, @a;\n\tinitfbar %own;\n@a:\n",
       "the work-group ends with fbarrier '%own' initialised"},
      {init + "\tcbr_b1 $c0, @b;\n\treleasefbar &fb;\n\tinitfbar &fb;\n@b:\n",
       "fb.hsail:15:2: error: the work-group ends with fbarrier '&fb' initialised"},
      {init + "\tjoinfbar &fb;\n", "ends as a member of fbarrier '&fb'"},
      {init + "\tmov_b32 $s5, 1;\n\tjoinfbar $s5;\n", "the value names no fbarrier"},
      {init + "\tldf_u32 $s5, &fb;\n\tadd_u32 $s5, $s5, $s0;\n\tjoinfbar $s5;\n",
       "the fbarrier is not the same in the whole wavefront"},
      {init + "\tcmp_lt_b1_u32 $c1, $s0, 3;\n\tcbr_b1 $c1, @b;\n\tjoinfbar &fb;\n@b:\n",
       "in divergent control flow: this work-item does not reach it"},
      {init + "\tjoinfbar &fb;\n\tbarrier;\n\tcbr_b1 $c0, @b;\n\treleasefbar &fb;\n@b:\n",
       "is released while it has members"},
      {init + "\tjoinfbar &fb;\n\tbarrier;\n\tarrivefbar &fb;\n\tarrivefbar &fb;\n",
       "has arrived at fbarrier '&fb' already"},
      // The second wavefront never arrives.
      {init + "\tjoinfbar &fb;\n\tbarrier;\n\tcmp_eq_b1_u32 $c1, $s1, 1;\n\tcbr_b1 $c1, @b;\n"
              "\twaitfbar &fb;\n\tleavefbar &fb;\n@b:\n\tbarrier;\n",
       "no wavefront of the work-group can go on"},
  };
  for (const auto& [body, what] : cases) {
    const std::string error = fbarrier_failure(body);
    EXPECT_NE(error.find(what), std::string::npos) << body << error;
  }
  if (!HasFailure()) Ledger::cover("HL-236");
}

}  // namespace
}  // namespace cuvette::hsail
