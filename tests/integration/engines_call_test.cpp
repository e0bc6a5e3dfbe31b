// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Functions, alloca, segment conversions, signals, queues and cross-lane instructions as machine
// code of every target: against plain C++ where it is short, and against the interpreter.
#include <algorithm>

#include <gmock/gmock.h>

#include "engines_testing.h"
#include "finalizer/finalize.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsail_calls.h"

namespace {

namespace calls = cuvette::hsail_calls;
namespace engines = cuvette::engines;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;
using engines::buffer;
using engines::Bytes;
using engines::Launch;
using ::testing::HasSubstr;

uint32_t word(const Bytes& bytes, size_t index) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * index, 4);
  return value;
}

template <class T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class EnginesCall : public ::testing::TestWithParam<const char*> {
 protected:
  Bytes run(const std::string& text, const Launch& launch, size_t result) {
    const auto module = load(text);
    auto object = cuvette::finalizer::finalize(module, {GetParam(), 5});
    EXPECT_TRUE(object.ok()) << (object.ok() ? "" : object.error().str());
    if (!object.ok()) return launch.buffers.at(result);
    const auto golden = engines::run_golden_object(module, *object, launch, GetParam());
    EXPECT_EQ(golden.error, "");
    return golden.error.empty() ? golden.buffers.at(result) : launch.buffers.at(result);
  }
  std::vector<Bytes> run_both(const std::string& text, const Launch& launch) {
    return engines::run_both(text, launch, GetParam());
  }
};

TEST_P(EnginesCall, EveryProgram) {
  for (const auto& program : calls::programs()) {
    SCOPED_TRACE(program.name);
    const Launch launch{
        "&k", {calls::kItems, 1, 1}, {64, 1, 1}, {buffer(0)}, {Bytes(4 * calls::kItems)}};
    const Bytes out = run(program.text, launch, 0);
    for (uint32_t i = 0; i < calls::kItems; ++i)
      ASSERT_EQ(word(out, i), program.expected(i)) << "item " << i;
  }
}

TEST_P(EnginesCall, IndirectFunctions) {
  Launch launch{"&k",
                {calls::kItems, 1, 1},
                {64, 1, 1},
                {buffer(0), buffer(1)},
                {Bytes(4 * calls::kItems), Bytes(16)}};
  launch.handles = {{1, 0, "&twice"}, {1, 8, "&square"}};
  const Bytes out = run(calls::indirect_program(), launch, 0);
  for (uint32_t i = 0; i < calls::kItems; ++i)
    ASSERT_EQ(word(out, i), calls::indirect_expected(i)) << "item " << i;
}

/// An indirect function and a kernel &k(out, table) that calls the entry of the table, then runs
/// `after`; $d0 is the address of out.
std::string one_indirect(const std::string& function, const std::string& before,
                         const std::string& after, const std::string& variables = "") {
  return "module &m:1:2:$full:$large:$default;\nsignature &t(arg_u32)();\n"
         "prog indirect function &f(arg_u32 %r)()\n{\n" +
         function + "};\nprog kernel &k(kernarg_u64 %out, kernarg_u64 %table)\n{\n" + variables +
         "ld_kernarg_align(8)_u64 $d0, [%out];\nld_kernarg_align(8)_u64 $d1, [%table];\n"
         "ld_global_align(8)_u64 $d1, [$d1];\n" +
         before + "{\narg_u32 %r;\nicall_u64 $d1 (%r)() &t;\nld_arg_align(4)_u32 $s0, [%r];\n}\n" +
         after + "ret;\n};\n";
}

Launch one_indirect_launch(size_t words) {
  Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}, {Bytes(4 * words), Bytes(8)}};
  launch.handles = {{1, 0, "&f"}};
  return launch;
}

/// The results on the machine, equal to the interpreter's; handles differ.
Bytes run_indirect(const std::string& text, const Launch& launch, const char* target) {
  const auto module = load(text);
  const auto expected = engines::run_interpreter(module, launch);
  const auto golden = engines::run_golden(module, launch, target);
  EXPECT_EQ(expected.error, "");
  EXPECT_EQ(golden.error, "") << target;
  if (!golden.error.empty()) return launch.buffers[0];
  EXPECT_EQ(golden.buffers[0], expected.buffers[0]) << target;
  return golden.buffers[0];
}

// A call of no function is not left out, and nothing behind it runs: the module is legal (10.8.2).
TEST_P(EnginesCall, NullHandles) {
  const std::string head =
      "module &m:1:2:$full:$large:$default;\nsignature &t()();\n"
      "prog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_align(8)_u64 $d0, [%out];\n";
  const std::string call = "mov_b64 $d1, 0;\n{\nicall_u64 $d1 ()() &t;\n}\n";
  const std::string store = "st_global_align(4)_u32 2, [$d0];\nret;\n};\n";
  const std::string other =
      "prog kernel &other(kernarg_u64 %out)\n{\nld_kernarg_align(8)_u64 $d0, [%out];\n" + store;
  const std::string texts[] = {
      head + call + store,
      head + call + "ret;\n};\n" + other,
      head +
          "ld_global_align(4)_u32 $s0, [$d0];\ncmp_ne_b1_u32 $c0, $s0, 0;\ncbr_b1 $c0, @past;\n" +
          call + "@past:\n" + store,
  };
  for (const std::string& text : texts) {
    const auto module = load(text);
    const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(4)}};
    EXPECT_THAT(engines::run_interpreter(module, launch).error, HasSubstr("icall of a value"));
    EXPECT_THAT(engines::run_golden(module, launch, GetParam()).error,
                HasSubstr("instruction fetch from unmapped memory"))
        << text;
  }
}

// 11.4: the static size is that of the kernel that is running.
TEST_P(EnginesCall, GroupStaticSizeInIndirectFunctions) {
  const std::string text =
      one_indirect("groupstaticsize_u32 $s0;\nst_arg_align(4)_u32 $s0, [%r];\n", "",
                   "st_group_align(4)_u32 1, [%own];\nst_global_align(4)_u32 $s0, [$d0];\n"
                   "groupstaticsize_u32 $s1;\nst_global_align(4)_u32 $s1, [$d0+4];\n",
                   "group_u32 %own[5];\n");
  Launch launch = one_indirect_launch(2);
  launch.dynamic_group_bytes = 64;
  const Bytes out = run_indirect(text, launch, GetParam());
  EXPECT_EQ(word(out, 0), 20u);
  EXPECT_EQ(word(out, 1), 20u);
}

// 11.2.2: they work on the wavefront's field, in the kernel or elsewhere.
TEST_P(EnginesCall, DetectInstructionsInIndirectFunctions) {
  const std::string text = one_indirect(
      "setdetectexcept_u32 5;\ngetdetectexcept_u32 $s0;\ncleardetectexcept_u32 1;\n"
      "st_arg_align(4)_u32 $s0, [%r];\n",
      "setdetectexcept_u32 16;\n",
      "st_global_align(4)_u32 $s0, [$d0];\ngetdetectexcept_u32 $s1;\n"
      "st_global_align(4)_u32 $s1, [$d0+4];\n");
  const Bytes out = run_indirect(text, one_indirect_launch(2), GetParam());
  EXPECT_EQ(word(out, 0), 21u);
  EXPECT_EQ(word(out, 1), 20u);
}

// 13.5: an indirect function enables its own exceptions, and those of what it calls.
TEST_P(EnginesCall, ExceptionsOfIndirectFunctions) {
  const std::string divide = "mov_b32 $s1, 0f3f800000;\nmov_b32 $s2, 0;\ndiv_f32 $s3, $s1, $s2;\n";
  const std::string overflow = "mov_b32 $s1, 0f7f7fffff;\nmul_f32 $s3, $s1, $s1;\n";
  const std::string text = one_indirect(
      "enabledetectexceptions 2;\n" + divide + overflow +
          "getdetectexcept_u32 $s0;\nst_arg_align(4)_u32 $s0, [%r];\n",
      divide + "getdetectexcept_u32 $s8;\n",
      divide + overflow +
          "st_global_align(4)_u32 $s0, [$d0];\ngetdetectexcept_u32 $s1;\n"
          "st_global_align(4)_u32 $s1, [$d0+4];\nst_global_align(4)_u32 $s8, [$d0+8];\n");
  const Bytes out = run_indirect(text, one_indirect_launch(3), GetParam());
  EXPECT_EQ(word(out, 0), 2u);  // division by zero only
  EXPECT_EQ(word(out, 1), 2u);  // nothing more in the kernel, which enables none
  EXPECT_EQ(word(out, 2), 0u);
}

// Called directly it is a function of the kernel: what that enables goes with the call.
TEST_P(EnginesCall, ExceptionsOfIndirectFunctionsCalledDirectly) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nprog indirect function &f(arg_u32 %r)()\n{\n"
      "mov_b32 $s1, 0f3f800000;\nmov_b32 $s2, 0;\ndiv_f32 $s3, $s1, $s2;\n"
      "st_arg_align(4)_u32 $s3, [%r];\n};\n"
      "prog kernel &k(kernarg_u64 %out)\n{\nenabledetectexceptions 31;\n"
      "ld_kernarg_align(8)_u64 $d0, [%out];\n{\narg_u32 %r;\ncall &f(%r)();\n"
      "ld_arg_align(4)_u32 $s0, [%r];\n}\ngetdetectexcept_u32 $s1;\n"
      "st_v2_global_align(4)_u32 ($s0, $s1), [$d0];\n};\n";
  const Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(8)}};
  const Bytes out = run_both(text, launch)[0];
  EXPECT_EQ(word(out, 0), 0x7f800000u);
  EXPECT_EQ(word(out, 1), 2u);
}

// Group memory of one function lies elsewhere in each kernel that calls it.
TEST_P(EnginesCall, OneFunctionInTwoKernels) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\ngroup_u32 &only_b[7];\n"
      "function &where(arg_u32 %r)()\n{\ngroup_u32 %own;\nst_group_align(4)_u32 5, [%own];\n"
      "lda_group_u32 $s0, [%own];\nst_arg_align(4)_u32 $s0, [%r];\n};\n"
      "prog kernel &a(kernarg_u64 %out)\n{\n{\narg_u32 %r;\ncall &where(%r)();\n"
      "ld_arg_align(4)_u32 $s0, [%r];\n}\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "st_global_align(4)_u32 $s0, [$d0];\n};\n"
      "prog kernel &b(kernarg_u64 %out)\n{\nst_group_align(4)_u32 1, [&only_b];\n{\narg_u32 %r;\n"
      "call &where(%r)();\nld_arg_align(4)_u32 $s0, [%r];\n}\n"
      "ld_kernarg_align(8)_u64 $d0, [%out];\nst_global_align(4)_u32 $s0, [$d0];\n};\n";
  Launch launch{"&a", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(4)}};
  EXPECT_EQ(word(run_both(text, launch)[0], 0), 0u);
  launch.kernel = "&b";
  EXPECT_EQ(word(run_both(text, launch)[0], 0), 28u);
}

/// One work-item, its handles and addresses in $d0 (buffer 0) and $d1 (results).
std::string single(const std::string& body) {
  return "module &m:1:0:$full:$large:$default;\n"
         "prog kernel &k(kernarg_sig64 %a, kernarg_u64 %out)\n{\n"
         "ld_kernarg_align(8)_sig64 $d0, [%a];\nld_kernarg_align(8)_u64 $d1, [%out];\n" +
         body + "ret;\n};\n";
}

TEST_P(EnginesCall, Signals) {
  const char* operations[] = {"signal_ld_scacq_b64_sig64 $d2, $d0",
                              "signal_and_scar_b64_sig64 $d2, $d0, 0xff00ff",
                              "signal_or_screl_b64_sig64 $d2, $d0, 0x12",
                              "signal_xor_rlx_b64_sig64 $d2, $d0, 0xffff",
                              "signal_exch_scar_b64_sig64 $d2, $d0, 1000",
                              "signal_add_rlx_u64_sig64 $d2, $d0, 5",
                              "signal_sub_screl_s64_sig64 $d2, $d0, 2000",
                              "signal_cas_scar_b64_sig64 $d2, $d0, -995, 8",
                              "signal_cas_rlx_b64_sig64 $d2, $d0, 1, 9",
                              "signal_wait_eq_scacq_s64_sig64 $d2, $d0, 8",
                              "signal_wait_ne_rlx_s64_sig64 $d2, $d0, 3",
                              "signal_wait_lt_rlx_s64_sig64 $d2, $d0, 9",
                              "signal_wait_gte_rlx_s64_sig64 $d2, $d0, -1",
                              "signal_wait_eq_rlx_s64_sig64 $d2, $d0, 77",
                              "signal_waittimeout_eq_rlx_s64_sig64 $d2, $d0, 77, 0",
                              "signal_waittimeout_ne_scacq_s64_sig64 $d2, $d0, 77, 10",
                              "signal_waittimeout_lt_rlx_s64_sig64 $d2, $d0, 9, 10",
                              "signal_waittimeout_gte_rlx_s64_sig64 $d2, $d0, 9, 1",
                              "signalnoret_st_screl_b64_sig64 $d0, 0x100",
                              "signalnoret_and_scar_b64_sig64 $d0, 0x1f0",
                              "signalnoret_or_rlx_b64_sig64 $d0, 7",
                              "signalnoret_xor_rlx_b64_sig64 $d0, 1",
                              "signalnoret_add_screl_s64_sig64 $d0, 10",
                              "signalnoret_sub_scacq_u64_sig64 $d0, 3"};
  std::string body = "mov_b64 $d2, 0;\n";
  size_t at = 0;
  for (const char* operation : operations) {
    body += std::string(operation) + ";\nst_global_align(8)_u64 $d2, [$d1+" + std::to_string(at) +
            "];\n";
    at += 8;
  }
  body += "mov_sig64 $d3, $d0;\nst_global_align(8)_sig64 $d3, [$d1+" + std::to_string(at) +
          "];\nld_global_align(8)_sig64 $d4, [$d1+" + std::to_string(at) +
          "];\nsignalnoret_add_rlx_s64_sig64 $d4, 1;\nst_global_align(8)_u64 0, [$d1+" +
          std::to_string(at) + "];\n";
  cuvette::hsa::AmdSignal signal;
  signal.value = 0x123456;
  const Launch launch{
      "&k", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}, {bytes_of(signal), Bytes(at + 8)}};
  const auto after = run_both(single(body), launch);
  cuvette::hsa::AmdSignal result;
  std::memcpy(&result, after[0].data(), sizeof result);
  EXPECT_EQ(result.value, ((0x100 | 7) ^ 1) + 10 - 3 + 1);
  EXPECT_EQ(word(after[1], 2), 0x123456u);        // what and saw
  EXPECT_EQ(word(after[1], 4), 0x120056u);        // what or saw
  EXPECT_EQ(word(after[1], 14), uint32_t(-995));  // what the first cas saw
}

// Sizes that only the work-items know, aligned more than the stack is; another one lies behind. All
// words but the last of each keep what the other wrote.
TEST_P(EnginesCall, AllocaOfDifferingSizes) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nprog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\n"
      "workitemabsid_u32 $s0, 0;\nshl_u32 $s1, $s0, 2;\ncvt_u64_u32 $d5, $s1;\n"
      "ld_kernarg_align(8)_u64 $d0, [%in];\nld_kernarg_align(8)_u64 $d1, [%out];\n"
      "add_u64 $d0, $d0, $d5;\nadd_u64 $d1, $d1, $d5;\nld_global_align(4)_u32 $s2, [$d0];\n"
      "alloca_align(64)_u32 $s3, $s2;\nalloca_u32 $s6, 64;\nadd_u32 $s7, $s0, 1000;\n"
      "st_private_align(4)_u32 $s7, [$s6];\nst_private_align(4)_u32 $s7, [$s6+60];\n"
      "stof_private_u64_u32 $d2, $s3;\ncvt_u64_u32 $d3, $s2;\nadd_u64 $d2, $d2, $d3;\n"
      "st_align(4)_u32 $s2, [$d2-4];\nst_private_align(4)_u32 77, [$s3];\nadd_u32 $s8, $s3, $s2;\n"
      "ld_private_align(4)_u32 $s5, [$s8-4];\nst_global_align(4)_u32 $s5, [$d1];\n"
      "ld_private_align(4)_u32 $s5, [$s6];\nld_private_align(4)_u32 $s9, [$s6+60];\n"
      "add_u32 $s5, $s5, $s9;\nst_global_align(4)_u32 $s5, [$d1+256];\n"
      "and_b32 $s5, $s3, 63;\nst_global_align(4)_u32 $s5, [$d1+512];\n};\n";
  std::vector<uint32_t> sizes(64);
  for (uint32_t i = 0; i < 64; ++i) sizes[i] = 40 + 4 * i;
  const Launch launch{
      "&k", {64, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1)}, {Bytes(256), Bytes(768)}};
  Launch filled = launch;
  std::memcpy(filled.buffers[0].data(), sizes.data(), 256);
  const Bytes out = run_both(text, filled)[1];
  for (uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(word(out, i), sizes[i]) << i;
    EXPECT_EQ(word(out, 64 + i), 2 * (1000 + i)) << i;
    EXPECT_EQ(word(out, 128 + i), 0u) << i;
  }
}

constexpr char kAllocaHeader[] = "module &m:1:0:$full:$large:$default;\n";

// One more in every round of a loop whose rounds only memory knows: all stay, apart and aligned.
TEST_P(EnginesCall, AllocaInALoop) {
  for (const unsigned align : {4u, 32u, 64u}) {
    SCOPED_TRACE(align);
    const std::string text =
        kAllocaHeader + std::string("prog kernel &k(kernarg_u64 %out)\n{\nprivate_u32 %p[8];\n") +
        "ld_kernarg_align(8)_u64 $d0, [%out];\nld_global_align(4)_u32 $s9, [$d0];\n"
        "mov_b32 $s1, 0;\n@more:\nalloca_align(" +
        std::to_string(align) +
        ")_u32 $s3, 16;\nshl_u32 $s4, $s1, 2;\nst_private_align(4)_u32 $s3, [%p][$s4];\n"
        "add_u32 $s5, $s1, 100;\nst_private_align(4)_u32 $s5, [$s3];\n"
        "st_private_align(4)_u32 $s5, [$s3+12];\nadd_u32 $s1, $s1, 1;\n"
        "cmp_lt_b1_u32 $c0, $s1, $s9;\ncbr_b1 $c0, @more;\nmov_b32 $s1, 0;\n@look:\n"
        "shl_u32 $s4, $s1, 2;\nld_private_align(4)_u32 $s3, [%p][$s4];\n"
        "ld_private_align(4)_u32 $s5, [$s3];\nld_private_align(4)_u32 $s6, [$s3+12];\n"
        "add_u32 $s5, $s5, $s6;\nrem_u32 $s3, $s3, " +
        std::to_string(align) +
        ";\nadd_u64 $d0, $d0, 8;\nst_global_align(4)_u32 $s5, [$d0];\n"
        "st_global_align(4)_u32 $s3, [$d0+4];\nadd_u32 $s1, $s1, 1;\n"
        "cmp_lt_b1_u32 $c0, $s1, $s9;\ncbr_b1 $c0, @look;\n};\n";
    Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(72)}};
    launch.buffers[0][0] = 8;
    const Bytes out = run_both(text, launch)[0];
    for (uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(word(out, 2 + 2 * i), 2 * (100 + i)) << i;
      EXPECT_EQ(word(out, 3 + 2 * i), 0u) << i;
    }
  }
}

// Frames of functions that are called later lie elsewhere.
TEST_P(EnginesCall, AllocaBesideFrames) {
  const std::string text =
      kAllocaHeader +
      std::string(
          "function &f(arg_u32 %sum)(arg_u32 %n)\n{\nprivate_u32 %p[16];\n"
          "ld_arg_align(4)_u32 $s0, [%n];\nmov_b32 $s1, 0;\n@fill:\n"
          "shl_u32 $s2, $s1, 2;\nst_private_align(4)_u32 7, [%p][$s2];\n"
          "add_u32 $s1, $s1, 1;\ncmp_lt_b1_u32 $c0, $s1, 16;\ncbr_b1 $c0, @fill;\n"
          "mov_b32 $s4, 0;\ncmp_eq_b1_u32 $c0, $s0, 0;\ncbr_b1 $c0, @end;\n"
          "sub_u32 $s3, $s0, 1;\n{\narg_u32 %s;\narg_u32 %m;\n"
          "st_arg_align(4)_u32 $s3, [%m];\ncall &f(%s)(%m);\n"
          "ld_arg_align(4)_u32 $s4, [%s];\n}\n@end:\nshl_u32 $s2, $s0, 2;\n"
          "ld_private_align(4)_u32 $s3, [%p][$s2];\nadd_u32 $s4, $s4, $s3;\n"
          "st_arg_align(4)_u32 $s4, [%sum];\n};\n") +
      "prog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "ld_global_align(4)_u32 $s9, [$d0];\nalloca_align(4)_u32 $s1, $s9;\n"
      "st_private_align(4)_u32 1, [$s1];\nst_private_align(4)_u32 2, [$s1+96];\n"
      "{\narg_u32 %s;\narg_u32 %n;\nst_arg_align(4)_u32 5, [%n];\ncall &f(%s)(%n);\n"
      "ld_arg_align(4)_u32 $s4, [%s];\n}\nld_private_align(4)_u32 $s2, [$s1];\n"
      "ld_private_align(4)_u32 $s3, [$s1+96];\nst_global_align(4)_u32 $s2, [$d0];\n"
      "st_global_align(4)_u32 $s3, [$d0+4];\nst_global_align(4)_u32 $s4, [$d0+8];\n};\n";
  Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0)}, {Bytes(12)}};
  launch.buffers[0][0] = 100;
  const Bytes out = run_both(text, launch)[0];
  EXPECT_EQ(word(out, 0), 1u);
  EXPECT_EQ(word(out, 1), 2u);
  EXPECT_EQ(word(out, 2), 6 * 7u);
}

// 200 calls ask for 256 bytes each, more than there is at a time. Work-items differ in how often.
// The same input gives the same code.
TEST_P(EnginesCall, AllocaEndsWithItsFunction) {
  const std::string text =
      kAllocaHeader +
      std::string(
          "function &f(arg_u32 %r)(arg_u32 %n)\n{\nld_arg_align(4)_u32 $s0, [%n];\n"
          "and_b32 $s2, $s0, 1;\ncmp_eq_b1_u32 $c0, $s2, 0;\n"
          "alloca_align(4)_u32 $s1, 256;\nst_private_align(4)_u32 $s0, [$s1+252];\n"
          "cbr_b1 $c0, @even;\nalloca_align(8)_u32 $s3, $s2;\n"
          "st_private_u8 9, [$s3];\nld_private_align(4)_u32 $s0, [$s1+252];\n"
          "st_arg_align(4)_u32 $s0, [%r];\nret;\n@even:\n"
          "ld_private_align(4)_u32 $s0, [$s1+252];\nst_arg_align(4)_u32 $s0, [%r];\n"
          "};\n") +
      "prog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "workitemabsid_u32 $s0, 0;\nshl_u32 $s1, $s0, 2;\ncvt_u64_u32 $d1, $s1;\n"
      "add_u64 $d0, $d0, $d1;\nadd_u32 $s5, $s0, 150;\nmov_b32 $s2, 0;\nmov_b32 $s6, 0;\n"
      "@more:\n{\narg_u32 %r;\narg_u32 %n;\nst_arg_align(4)_u32 $s2, [%n];\n"
      "call &f(%r)(%n);\nld_arg_align(4)_u32 $s3, [%r];\n}\nadd_u32 $s6, $s6, $s3;\n"
      "add_u32 $s2, $s2, 1;\ncmp_lt_b1_u32 $c0, $s2, $s5;\ncbr_b1 $c0, @more;\n"
      "st_global_align(4)_u32 $s6, [$d0];\n};\n";
  const Launch launch{"&k", {64, 1, 1}, {64, 1, 1}, {buffer(0)}, {Bytes(256)}};
  const Bytes out = run_both(text, launch)[0];
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(word(out, i), (150 + i) * (149 + i) / 2) << i;
  const auto module = load(text);
  const auto first = cuvette::finalizer::finalize(module, {GetParam(), 5});
  ASSERT_TRUE(first.ok());
  for (unsigned again = 0; again < 8; ++again) {
    const auto object = cuvette::finalizer::finalize(module, {GetParam(), 5});
    ASSERT_TRUE(object.ok());
    EXPECT_TRUE(*object == *first);
  }
}

// Work-items of another work-group lower the signal.
TEST_P(EnginesCall, SignalsBetweenWorkGroups) {
  const std::string body =
      "workitemabsid_u32 $s0, 0;\ncmp_ge_b1_u32 $c0, $s0, 64;\ncbr_b1 $c0, @worker;\n"
      "@wait:\nsignal_wait_eq_scacq_s64_sig64 $d2, $d0, 0;\ncmp_ne_b1_s64 $c1, $d2, 0;\n"
      "cbr_b1 $c1, @wait;\nld_global_align(4)_u32 $s1, [$d1+4];\n"
      "st_global_align(4)_u32 $s1, [$d1];\nret;\n"
      "@worker:\nst_global_align(4)_u32 17, [$d1+4];\nsignalnoret_sub_screl_s64_sig64 $d0, 1;\n";
  cuvette::hsa::AmdSignal signal;
  signal.value = 64;
  const Launch launch{
      "&k", {128, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1)}, {bytes_of(signal), Bytes(8)}};
  EXPECT_EQ(word(run_both(single(body), launch)[1], 0), 17u);
}

// The destination of a wait is its compare value, its handle, its time: these stay while it goes
// on.
TEST_P(EnginesCall, SignalWaitsKeepTheirSources) {
  struct WaitCase {
    const char* text;
    const char* change;
    int64_t before;
    uint32_t result;
  };
  const WaitCase cases[] = {
      {"mov_b64 $d2, 0;\nsignal_wait_eq_scacq_s64_sig64 $d2, $d0, $d2;\n", "sub", 64, 0},
      {"mov_b64 $d2, $d0;\nsignal_wait_eq_scacq_s64_sig64 $d2, $d2, 0;\n", "sub", 64, 0},
      {"mov_b64 $d2, 9999;\nsignal_waittimeout_gte_rlx_s64_sig64 $d2, $d0, 64, $d2;\n", "add", 0,
       64},
  };
  for (const WaitCase& c : cases) {
    SCOPED_TRACE(c.text);
    const std::string body =
        std::string("workitemabsid_u32 $s0, 0;\ncmp_ge_b1_u32 $c0, $s0, 64;\n") +
        "cbr_b1 $c0, @worker;\n" + c.text +
        "st_global_align(8)_u64 $d2, [$d1];\nret;\n@worker:\nsignalnoret_" + c.change +
        "_screl_s64_sig64 $d0, 1;\n";
    cuvette::hsa::AmdSignal signal;
    signal.value = c.before;
    const Launch launch{
        "&k", {128, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1)}, {bytes_of(signal), Bytes(8, 0xee)}};
    const Bytes out = run_both(single(body), launch)[1];
    EXPECT_EQ(word(out, 0), c.result);
    EXPECT_EQ(word(out, 1), 0u);
  }
}

TEST_P(EnginesCall, QueuesAndPacket) {
  const std::string body =
      "mov_b64 $d5, $d0;\naddqueuewriteindex_global_scar_u64 $d2, [$d5], 3;\n"
      "st_global_align(8)_u64 $d2, [$d1];\ncasqueuewriteindex_scacq_u64 $d2, [$d5], 13, 20;\n"
      "st_global_align(8)_u64 $d2, [$d1+8];\n"
      "casqueuewriteindex_global_screl_u64 $d2, [$d5], 1, 2;\n"
      "st_global_align(8)_u64 $d2, [$d1+16];\nldqueuereadindex_global_scacq_u64 $d2, [$d5];\n"
      "st_global_align(8)_u64 $d2, [$d1+24];\nsub_u64 $d3, $d5, 16;\n"
      "ldqueuewriteindex_rlx_u64 $d2, [$d3+16];\nst_global_align(8)_u64 $d2, [$d1+32];\n"
      "stqueuewriteindex_global_screl_u64 [$d5], 40;\nadd_u64 $d2, $d2, 5;\n"
      "stqueuereadindex_rlx_u64 [$d5], $d2;\npacketid_u64 $d2;\n"
      "st_global_align(8)_u64 $d2, [$d1+40];\npacketcompletionsig_sig64 $d2;\n"
      "st_global_align(8)_sig64 $d2, [$d1+48];\nclock_u64 $d3;\nclock_u64 $d4;\n"
      "cmp_ge_b1_u64 $c0, $d4, $d3;\ncvt_u64_b1 $d2, $c0;\n"
      "st_global_align(8)_u64 $d2, [$d1+56];\n";
  cuvette::hsa::AmdQueue queue;
  queue.write_dispatch_id = 10;
  queue.read_dispatch_id = 4;
  Launch launch{"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}, {bytes_of(queue), Bytes(64)}};
  launch.completion_signal = 0x123456789a00;
  launch.packet_id = uint64_t{5} << 33;
  const auto after = run_both(single(body), launch);
  std::memcpy(&queue, after[0].data(), sizeof queue);
  EXPECT_EQ(queue.write_dispatch_id, 40u);
  EXPECT_EQ(queue.read_dispatch_id, 25u);
  EXPECT_EQ(word(after[1], 2), 13u);
  EXPECT_EQ(word(after[1], 11), 10u);  // upper half of the packet's number
  EXPECT_EQ(word(after[1], 12), 0x56789a00u);
  EXPECT_EQ(word(after[1], 14), 1u);
}

// Only two of three work-items take part; 32 bytes of results each.
TEST_P(EnginesCall, CrossLane) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nprog kernel &k(kernarg_u64 %out)\n{\n"
      "workitemabsid_u32 $s0, 0;\nrem_u32 $s1, $s0, 3;\ncmp_eq_b1_u32 $c0, $s1, 0;\n"
      "cbr_b1 $c0, @done;\ncmp_eq_b1_u32 $c1, $s1, 1;\nactivelaneid_u32 $s2;\n"
      "activelanecount_u32_b1 $s3, $c1;\n"
      "activelanemask_v4_width(WAVESIZE)_b64_b1 ($d0, $d1, $d2, $d3), $c1;\n"
      "add_u32 $s4, $s0, 1;\ncmp_eq_b1_u32 $c2, $s0, 4;\n"
      "activelanepermute_b32 $s5, $s0, $s4, 1000, $c2;\nactivelanepermute_b1 $c3, $c1, $s4, 0, 0;\n"
      "cvt_u32_b1 $s6, $c3;\ncombine_v2_b64_b32 $d6, ($s0, $s4);\n"
      "activelanepermute_b64 $d6, $d6, $s4, 7, 0;\ncombine_v2_b128_b64 $q2, ($d6, $d0);\n"
      "activelanepermute_b128 $q2, $q2, $s4, $q2, 0;\n"
      "ld_kernarg_align(8)_u64 $d4, [%out];\ncvt_u64_u32 $d5, $s0;\nmad_u64 $d4, $d5, 64, $d4;\n"
      "st_v4_global_align(4)_u32 ($s2, $s3, $s5, $s6), [$d4];\n"
      "st_v4_global_align(8)_u64 ($d0, $d1, $d3, $d6), [$d4+16];\n"
      "st_global_align(8)_b128 $q2, [$d4+48];\n@done:\nret;\n};\n";
  const Launch launch{"&k", {150, 1, 1}, {150, 1, 1}, {buffer(0)}, {Bytes(150 * 64)}};
  const Bytes out = run_both(text, launch)[0];
  for (uint32_t i = 0; i < 150; ++i) {
    if (i % 3 == 0) continue;
    const uint32_t first = i / 64 * 64;
    const uint32_t last = std::min(first + 64, 150u);
    uint32_t id = 0;
    uint32_t count = 0;
    for (uint32_t j = first; j < last; ++j) {
      id += j % 3 != 0 && j < i ? 1 : 0;
      count += j % 3 == 1 ? 1 : 0;
    }
    const uint32_t next = first + (i + 1) % 64;
    EXPECT_EQ(word(out, 16 * i), id) << i;
    EXPECT_EQ(word(out, 16 * i + 1), count) << i;
    EXPECT_EQ(word(out, 16 * i + 2), i == 4 || next >= last || next % 3 == 0 ? 1000 : next) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesCall, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
