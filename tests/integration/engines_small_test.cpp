// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The small machine model (HSAIL PRM 2.9) on the interpreter and as machine code of every target:
// what translations of large programs (small_text.h) do not reach. Expectations by hand.
#include "engines_testing.h"
#include "hsa/code_object.h"
#include "hsa/elf.h"
#include "hsa/kernel_code.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsa/small_model.h"

namespace cuvette::engines {
namespace {

using finalizer_testing::kTargets;
using finalizer_testing::load;

class EnginesSmall : public ::testing::TestWithParam<const char*> {
 protected:
  /// The words of buffer `index` afterwards, equal on both engines.
  std::vector<uint32_t> run(const std::string& text, const Launch& launch, size_t index = 1) {
    return values_of<uint32_t>(run_both(text, launch, GetParam())[index]);
  }
};

const std::string kHeader = "module &m:1:0:$full:$small:$default;\n";

/// One work-item; $s0 and $s1 are the addresses of buffers 0 and 1.
std::string single(const std::string& body, const std::string& before = "",
                   const std::string& variables = "") {
  return kHeader + before + "prog kernel &k(kernarg_u32 %a, kernarg_u32 %out)\n{\n" + variables +
         "ld_kernarg_align(4)_u32 $s0, [%a];\nld_kernarg_align(4)_u32 $s1, [%out];\n" + body +
         "ret;\n};\n";
}
Launch single_launch(const Bytes& a, size_t words) {
  return {"&k", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}, {a, Bytes(4 * words)}};
}

/// Stores $c0 as 0 or 1 in word `at`.
std::string store_flag(size_t at) {
  return "cvt_u32_b1 $s9, $c0;\nst_global_align(4)_u32 $s9, [$s1+" + std::to_string(4 * at) +
         "];\n";
}
std::string store(const std::string& reg, size_t at) {
  return "st_global_align(4)_u32 " + reg + ", [$s1+" + std::to_string(4 * at) + "];\n";
}

// The apertures of the Compute ABI: 64 KiB from 0x10000 and from 0x20000.
TEST_P(EnginesSmall, SegmentConversions) {
  std::string body = "st_group_align(4)_u32 0, [%before];\nst_group_align(4)_u32 0, [%g];\n";
  body += "lda_group_u32 $s2, [%g];\nstof_group_u32_u32 $s3, $s2;\n" + store("$s3", 0);
  body += "stof_group_nonull_u32_u32 $s4, 0xfffc;\n" + store("$s4", 1);
  body += "ftos_group_u32_u32 $s4, $s3;\n" + store("$s4", 2);
  body += "stof_private_u32_u32 $s4, 0x18;\n" + store("$s4", 3);
  body += "ftos_private_u32_u32 $s4, 0x2fff8;\n" + store("$s4", 4);
  body += "nullptr_group_u32 $s5;\nstof_group_u32_u32 $s4, $s5;\n" + store("$s4", 5);
  body += "nullptr_u32 $s5;\nftos_private_u32_u32 $s4, $s5;\n" + store("$s4", 6) + store("$s5", 7);
  body += "nullptr_private_u32 $s5;\n" + store("$s5", 8) + "nullptr_kernarg_u32 $s5;\n" +
          store("$s5", 9);
  size_t at = 10;
  std::vector<uint32_t> flags;
  struct Row {
    const char* flat;
    bool group, own;
  };
  for (const Row& row :
       {Row{"0x0ffff", false, false}, Row{"0x10000", true, false}, Row{"0x1ffff", true, false},
        Row{"0x20000", false, true}, Row{"0x2ffff", false, true}, Row{"0x30000", false, false},
        Row{"$s0", false, false}, Row{"$s3", true, false}}) {
    for (const std::string segment : {"group", "private", "global"}) {
      body += "segmentp_" + segment + "_b1_u32 $c0, " + row.flat + ";\n" + store_flag(at++);
      flags.push_back(segment == "group"     ? row.group
                      : segment == "private" ? row.own
                                             : !row.group && !row.own);
    }
  }
  body += "nullptr_u32 $s5;\n";
  for (const char* segment : {"group", "private", "global"}) {
    body += "segmentp_" + std::string(segment) + "_b1_u32 $c0, $s5;\n" + store_flag(at++);
    flags.push_back(1);
  }
  const auto out =
      run(single(body, "", "group_u32 %before;\ngroup_u32 %g;\n"), single_launch(Bytes(4), at));
  const std::vector<uint32_t> values{0x10004, 0x1fffc, 4, 0x20018, 0xfff8, 0, ~0u, 0, ~0u, ~0u};
  EXPECT_EQ(std::vector<uint32_t>(out.begin(), out.begin() + 10), values);
  EXPECT_EQ(std::vector<uint32_t>(out.begin() + 10, out.end()), flags);
}

// One instruction, three kinds of memory: flat loads and stores; atomics in two, which the private
// segment does not have (6.5).
TEST_P(EnginesSmall, FlatAccesses) {
  const std::string text =
      kHeader +
      "prog kernel &k(kernarg_u32 %a, kernarg_u32 %out)\n{\ngroup_u32 %g[64];\nprivate_u32 %p[4];\n"
      "workitemid_u32 $s10, 0;\nworkitemabsid_u32 $s11, 0;\nshl_u32 $s12, $s10, 2;\n"
      "shl_u32 $s13, $s11, 2;\n"
      "ld_kernarg_align(4)_u32 $s0, [%a];\nadd_u32 $s0, $s0, $s13;\n"
      "lda_group_u32 $s1, [%g][$s12];\nstof_group_u32_u32 $s1, $s1;\n"
      "lda_private_u32 $s2, [%p];\nstof_private_u32_u32 $s2, $s2;\n"
      // $s3: global, group or private memory, by work-item.
      "rem_u32 $s4, $s11, 3;\ncmp_eq_b1_u32 $c0, $s4, 0;\ncmp_eq_b1_u32 $c1, $s4, 1;\n"
      "cmov_b32 $s3, $c1, $s1, $s2;\ncmov_b32 $s3, $c0, $s0, $s3;\n"
      "st_align(4)_u32 100, [$s3];\nadd_u32 $s5, $s11, 7;\n"
      "cmp_eq_b1_u32 $c2, $s4, 2;\ncbr_b1 $c2, @plain;\n"
      "atomic_add_rlx_wg_u32 $s6, [$s3], $s5;\natomicnoret_or_rlx_wg_b32 [$s3], 0x10000;\n"
      "br @both;\n@plain:\nld_align(4)_u32 $s6, [$s3];\nadd_u32 $s14, $s6, $s5;\n"
      "or_b32 $s14, $s14, 0x10000;\nst_align(4)_u32 $s14, [$s3];\n@both:\n"
      "sub_u32 $s3, $s3, 1000;\nld_align(4)_u32 $s7, [$s3+1000];\nadd_u32 $s7, $s7, $s6;\n"
      "st_align(1)_u8 0xab, [$s3+1003];\nld_align(4)_u32 $s8, [$s3+1000];\n"
      "add_u32 $s7, $s7, $s8;\n"
      "ld_kernarg_align(4)_u32 $s9, [%out];\nadd_u32 $s9, $s9, $s13;\n"
      "st_align(4)_u32 $s7, [$s9];\nret;\n};\n";
  const uint32_t items = 192;
  const Launch launch{"&k",
                      {items, 1, 1},
                      {64, 1, 1},
                      {buffer(0), buffer(1)},
                      {Bytes(4 * items), Bytes(4 * items)}};
  const auto out = run(text, launch);
  for (uint32_t i = 0; i < items; ++i) {
    const uint32_t whole = (107 + i) | 0x10000;
    ASSERT_EQ(out[i], whole + 100 + (whole | 0xab000000)) << i;
  }
}

// 6.1.1: sums of 32 bits. $s0 is far below the wrap.
TEST_P(EnginesSmall, AddressesWrap) {
  const std::string body =
      "add_u32 $s2, $s0, 0x80000000;\nld_global_align(4)_u32 $s3, [$s2+0x80000004];\n" +
      store("$s3", 0) + "ld_align(4)_u32 $s3, [$s2-0x7ffffff8];\n" + store("$s3", 1) +
      "add_u32 $s2, $s0, 0xfff;\nld_global_align(4)_u32 $s3, [$s2-4095];\n" + store("$s3", 2) +
      "lda_u32 $s3, [$s2+0xfffffff0];\nsub_u32 $s3, $s3, $s0;\n" + store("$s3", 3) +
      "lda_global_u32 $s4, [&x];\nld_global_align(4)_u32 $s3, [&x][8];\n" + store("$s3", 4) +
      "mov_b32 $s5, 0xfffffffc;\nld_global_align(4)_u32 $s3, [&x][$s5+8];\n" + store("$s3", 5) +
      "lda_global_u32 $s3, [&x][$s5];\nsub_u32 $s3, $s3, $s4;\n" + store("$s3", 6) +
      "sub_u32 $s5, 0, $s4;\nlda_global_u32 $s3, [&x][$s5+12];\n" + store("$s3", 7) +
      "ld_global_align(4)_u32 $s3, [&x][0x10000000c];\n" + store("$s3", 8) +
      "mov_b32 $s5, 4;\nld_readonly_align(4)_u32 $s3, [&r][$s5];\n" + store("$s3", 9);
  const auto out = run_golden(load(single(body,
                                          "global_u32 &x[4] = u32[](10, 11, 12, 13);\n"
                                          "readonly_u32 &r[2] = u32[](20, 21);\n")),
                              single_launch(bytes_of<uint32_t>({1, 2, 3}), 10), GetParam());
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(values_of<uint32_t>(out.buffers[1]),
            (std::vector<uint32_t>{2, 3, 1, 0xfef, 12, 11, 0xfffffffc, 12, 13, 21}));
}

TEST_P(EnginesSmall, KernargAddresses) {
  const std::string text =
      kHeader +
      "prog kernel &k(kernarg_u32 %out, kernarg_u8 %c, kernarg_u64 %wide, kernarg_u32 "
      "%list[3])\n{\n"
      "ld_kernarg_align(4)_u32 $s1, [%out];\nkernargbaseptr_u32 $s2;\n"
      "lda_kernarg_u32 $s3, [%list];\nsub_u32 $s4, $s3, $s2;\n" +
      store("$s4", 0) + "ld_kernarg_align(4)_u32 $s4, [$s2+20];\n" + store("$s4", 1) +
      "mov_b32 $s5, 8;\nld_kernarg_align(4)_u32 $s4, [%list][$s5];\n" + store("$s4", 2) +
      "ld_kernarg_align(4)_u32 $s4, [%list][4];\n" + store("$s4", 3) +
      "ld_kernarg_align(8)_u64 $d0, [%wide];\nst_global_align(4)_u64 $d0, [$s1+16];\n"
      "ld_kernarg_u8 $s4, [%c];\n" +
      store("$s4", 6) + "add_u32 $s5, $s3, 100;\nld_kernarg_align(4)_u32 $s4, [$s5-100];\n" +
      store("$s4", 7) + "ret;\n};\n";
  const Launch launch{"&k",
                      {1, 1, 1},
                      {1, 1, 1},
                      {buffer(0), by_value(uint8_t{200}), by_value(uint64_t{0x123456789abcdef0}),
                       by_value(std::array<uint32_t, 3>{71, 72, 73})},
                      {Bytes(32)}};
  // 4.21: out 0, c 4, wide 8, list 16.
  EXPECT_EQ(run(text, launch, 0),
            (std::vector<uint32_t>{16, 72, 73, 72, 0x9abcdef0, 0x12345678, 200, 71}));
}

/// A signal's value and what follows: the upper half stays.
TEST_P(EnginesSmall, Signals) {
  const char* operations[] = {"signal_ld_scacq_b32_sig32 $s2, $d0",
                              "signal_and_scar_b32_sig32 $s2, $d0, 0xff00ff",
                              "signal_or_screl_b32_sig32 $s2, $d0, 0x12",
                              "signal_xor_rlx_b32_sig32 $s2, $d0, 0xffff",
                              "signal_exch_scar_b32_sig32 $s2, $d0, 1000",
                              "signal_add_rlx_u32_sig32 $s2, $d0, 5",
                              "signal_sub_screl_s32_sig32 $s2, $d0, 2000",
                              "signal_cas_scar_b32_sig32 $s2, $d0, 0xfffffc1d, 8",
                              "signal_wait_eq_scacq_s32_sig32 $s2, $d0, 8",
                              "signal_wait_lt_rlx_s32_sig32 $s2, $d0, 9",
                              "signal_wait_gte_rlx_s32_sig32 $s2, $d0, 0xffffffff",
                              "signal_waittimeout_ne_scacq_s32_sig32 $s2, $d0, 77, 10",
                              "signalnoret_sub_scacq_u32_sig32 $d0, 20",
                              "signal_wait_lt_rlx_s32_sig32 $s2, $d0, 0"};
  std::string text = kHeader +
                     "prog kernel &k(kernarg_sig32 %s, kernarg_u32 %out)\n{\n"
                     "ld_kernarg_align(8)_sig32 $d0, [%s];\nld_kernarg_align(4)_u32 $s1, [%out];\n";
  size_t at = 0;
  for (const std::string operation : operations)
    text += operation + ";\n" +
            (operation.find("noret") == std::string::npos ? store("$s2", at++) : "");
  text += "packetcompletionsig_sig32 $d2;\nst_global_align(4)_sig32 $d2, [$s1+" +
          std::to_string(4 * at) + "];\nret;\n};\n";
  hsa::AmdSignal signal;
  signal.value = 0x7700123456;
  Launch launch{"&k",
                {1, 1, 1},
                {1, 1, 1},
                {buffer(0), buffer(1)},
                {Bytes(sizeof signal), Bytes(4 * at + 8)}};
  std::memcpy(launch.buffers[0].data(), &signal, sizeof signal);
  launch.completion_signal = 0x123456789a00;
  const auto after = run_both(text, launch, GetParam());
  std::memcpy(&signal, after[0].data(), sizeof signal);
  EXPECT_EQ(signal.value, 0x77fffffff4);
  EXPECT_EQ(values_of<uint32_t>(after[1]),
            (std::vector<uint32_t>{0x123456, 0x123456, 0x120056, 0x120056, 0x12ffa9, 1000, 1005,
                                   0xfffffc1d, 8, 8, 8, 8, 0xfffffff4, 0x56789a00, 0x1234}));
}

TEST_P(EnginesSmall, Queues) {
  const std::string body =
      "addqueuewriteindex_global_scar_u64 $d2, [$s0], 3;\nst_global_align(4)_u64 $d2, [$s1];\n"
      "casqueuewriteindex_scacq_u64 $d2, [$s0], 0x10000000d, 0x10000000e;\n"
      "st_global_align(4)_u64 $d2, [$s1+8];\nadd_u32 $s2, $s0, 0xfffffff0;\n"
      "ldqueuereadindex_rlx_u64 $d2, [$s2+16];\nst_global_align(4)_u64 $d2, [$s1+16];\n"
      "stqueuereadindex_global_screl_u64 [$s2+16], 77;\n";
  hsa::AmdQueue queue;
  queue.write_dispatch_id = 0x10000000a;
  queue.read_dispatch_id = 4;
  Bytes contents(sizeof queue);
  std::memcpy(contents.data(), &queue, sizeof queue);
  const auto after = run_both(single(body), single_launch(contents, 6), GetParam());
  std::memcpy(&queue, after[0].data(), sizeof queue);
  EXPECT_EQ(queue.write_dispatch_id, 0x10000000eu);
  EXPECT_EQ(queue.read_dispatch_id, 77u);
  EXPECT_EQ(values_of<uint32_t>(after[1]), (std::vector<uint32_t>{10, 1, 13, 1, 4, 0}));
}

// Handles of 32 bits: from a buffer, from a variable, as an operand and through an argument.
TEST_P(EnginesSmall, FunctionHandles) {
  const std::string functions =
      "prog indirect function &twice(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s0, [%x];\n"
      "add_u32 $s0, $s0, $s0;\nst_arg_align(4)_u32 $s0, [%r];\n};\n"
      "prog indirect function &square(arg_u32 %r)(arg_u32 %x)\n{\nld_arg_align(4)_u32 $s0, [%x];\n"
      "mul_u32 $s0, $s0, $s0;\nst_arg_align(4)_u32 $s0, [%r];\n};\n"
      "signature &unary(arg_u32 %r)(arg_u32 %x);\n"
      "function &apply(arg_u32 %r)(arg_u32 %f, arg_u32 %x)\n{\nld_arg_align(4)_u32 $s5, [%f];\n"
      "ld_arg_align(4)_u32 $s6, [%x];\n{\narg_u32 %y;\narg_u32 %z;\n"
      "st_arg_align(4)_u32 $s6, [%z];\nicall_u32 $s5 (%y)(%z) &unary;\n"
      "ld_arg_align(4)_u32 $s6, [%y];\n}\nst_arg_align(4)_u32 $s6, [%r];\n};\n";
  const auto apply = [](const std::string& handle, int x, size_t at) {
    return handle +
           "{\narg_u32 %r;\narg_u32 %f;\narg_u32 %x;\nst_arg_align(4)_u32 $s4, [%f];\n"
           "st_arg_align(4)_u32 " +
           std::to_string(x) +
           ", [%x];\ncall &apply(%r)(%f, %x);\nld_arg_align(4)_u32 $s5, [%r];\n}\n" +
           store("$s5", at);
  };
  const std::string body = apply("ld_global_align(4)_u32 $s4, [$s0];\n", 30, 0) +
                           apply("ld_global_align(4)_u32 $s4, [$s0+4];\n", 30, 1) +
                           apply("mov_b32 $s4, addr(&twice);\n", 8, 2) +
                           apply("mov_b64 $d1, addr(&square);\ncvt_u32_u64 $s4, $d1;\n", 8, 3);
  Launch launch = single_launch(Bytes(8), 4);
  launch.handles = {{0, 0, "&twice"}, {0, 4, "&square"}};
  const auto module = load(single(body, functions));
  for (const bool golden : {false, true}) {
    const Outcome out =
        golden ? run_golden(module, launch, GetParam()) : run_interpreter(module, launch);
    ASSERT_EQ(out.error, "");
    EXPECT_EQ(values_of<uint32_t>(out.buffers[1]), (std::vector<uint32_t>{60, 900, 16, 64}));
  }
}

TEST_P(EnginesSmall, AllocaIsFlat) {
  const std::string body =
      "ld_global_align(4)_u32 $s2, [$s0];\nalloca_align(16)_u32 $s3, 40;\n"
      "stof_private_u32_u32 $s4, $s3;\nadd_u32 $s7, $s4, $s2;\nst_align(4)_u32 5, [$s7];\n"
      "ld_private_align(4)_u32 $s5, [$s3+36];\n" +
      store("$s5", 0) + "and_b32 $s6, $s4, 0xffff0000;\n" + store("$s6", 1) +
      "and_b32 $s6, $s4, 15;\n" + store("$s6", 2);
  EXPECT_EQ(run(single(body), single_launch(bytes_of<uint32_t>({36}), 3)),
            (std::vector<uint32_t>{5, 0x20000, 0}));
}

// Flat addresses reach 64 KiB of private memory.
TEST_P(EnginesSmall, TooMuchPrivateMemory) {
  const char* const kVariable = "private_u32 %p[25000];\n";
  const std::string array =
      "st_private_align(4)_u32 8, [%p][99996];\n"
      "ld_private_align(4)_u32 $s2, [%p][99996];\n" +
      store("$s2", 0);
  EXPECT_EQ(run(single(array, "", kVariable), single_launch(Bytes(4), 1)),
            (std::vector<uint32_t>{8}));
  const auto module =
      load(single(array + "ld_global_align(4)_u32 $s3, [$s0];\nlda_private_u32 $s2, [%p][$s3];\n"
                          "stof_private_u32_u32 $s2, $s2;\nst_align(4)_u32 1, [$s2];\n",
                  "", kVariable));
  const Outcome interpreted = run_interpreter(module, single_launch(Bytes(4), 1));
  EXPECT_NE(interpreted.error.find("more than 65536 bytes of private memory"), std::string::npos)
      << interpreted.error;
  const auto object = finalizer::finalize(module, {GetParam(), 4});
  ASSERT_FALSE(object.ok());
  EXPECT_NE(object.error().str().find("test.hsail:12:1: error: flat addresses of private memory "
                                      "reach 65536 bytes of it in the small machine model, kernel "
                                      "&k needs "),
            std::string::npos)
      << object.error().str();
}

TEST(SmallModel, CodeObjectsSaySo) {
  const auto small = load(single(""));
  const auto large = load(finalizer_testing::kernel(""));
  for (const auto& [target, version] :
       {std::pair{"gfx908", 4u}, {"gfx942", 5u}, {"gfx900", 2u}, {"gfx906", 2u}}) {
    for (const bool is_small : {true, false}) {
      const auto object = finalizer::finalize(is_small ? small : large, {target, version});
      ASSERT_TRUE(object.ok()) << object.error().str();
      const auto elf = hsa::parse_elf(object->data(), object->size(), "k.co");
      ASSERT_TRUE(elf.ok());
      EXPECT_EQ(hsa::is_small_model(*elf, object->data()), is_small);
      const hsa::TargetId machine = hsa::default_machine(hsa::parse_target(target)->processor);
      hsa::DeviceMemory high;
      const auto loaded = hsa::load_code_object(*object, "k.co", high, machine);
      ASSERT_TRUE(loaded.ok()) << loaded.error().str();
      EXPECT_EQ(loaded->small_model, is_small);
      EXPECT_EQ(loaded->block + loaded->bytes <= hsa::kSmallModelEnd, is_small);
      hsa::DeviceAllocator::Config config;
      config.first = hsa::kSmallModelFirst;
      hsa::DeviceMemory low(config);
      const auto placed = hsa::load_code_object(*object, "k.co", low, machine);
      ASSERT_TRUE(placed.ok()) << placed.error().str();
      EXPECT_EQ(placed->small_model, is_small);
      if (version != 2) continue;
      // Compute ABI: is_ptr64 of amd_kernel_code_t.
      hsa::AmdKernelCode code;
      ASSERT_TRUE(low.read_value(placed->kernels[0].descriptor, &code).ok());
      EXPECT_EQ((code.kernel_code_properties >> 19 & 1) != 0, !is_small);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesSmall, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace cuvette::engines
