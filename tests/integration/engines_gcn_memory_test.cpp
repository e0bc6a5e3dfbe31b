// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Extension amd:gcn (hsail_gcn.md) beyond registers: atomics, region memory, times, lanes that
// are not active, targets that lack something, and the machine instructions that come out.
#include <algorithm>
#include <random>
#include <set>

#include "engines_vendor.h"
#include "hsa/elf.h"
#include "isa/decode.h"

namespace cuvette::engines {
namespace {

using finalizer_testing::kTargets;
using finalizer_testing::load;

/// `n` work-items; $s0 is the work-item's number, $s1 four times that, $d1 and $d2 the places of
/// its eight bytes in the buffers.
std::string program(const std::string& body, const std::string& variables = "") {
  return "module &m:1:0:$full:$large:$default;\nextension \"amd:gcn\";\n"
         "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\n" +
         variables +
         "workitemabsid_u32 $s0, 0;\nshl_u32 $s1, $s0, 2;\nshl_u32 $s2, $s0, 3;\n"
         "cvt_u64_u32 $d0, $s2;\n"
         "ld_kernarg_align(8)_u64 $d1, [%in];\nld_kernarg_align(8)_u64 $d2, [%out];\n"
         "add_u64 $d1, $d1, $d0;\nadd_u64 $d2, $d2, $d0;\n" +
         body + "ret;\n};\n";
}
Launch launch_of(const Bytes& in, uint32_t items, uint16_t group = 64) {
  return {"&k", {items, 1, 1}, {group, 1, 1}, {buffer(0), buffer(1)}, {in, Bytes(8 * items)}};
}

/// Mnemonics of all instructions of a finalized text, with " gds" where the instruction has that
/// bit.
std::multiset<std::string> mnemonics(const std::string& text, const char* target) {
  finalizer::Options options;
  options.target = target;
  const auto object = finalizer::finalize(load(text), options);
  if (!object.ok()) {
    ADD_FAILURE() << object.error().str();
    return {};
  }
  const auto file = hsa::parse_elf(object->data(), object->size(), "k.co");
  std::multiset<std::string> all;
  if (!file.ok()) {
    ADD_FAILURE() << file.error().str();
    return all;
  }
  for (const hsa::ElfSegment& segment : file->segments) {
    if (segment.type != 1 || (segment.flags & 1) == 0) continue;
    std::vector<uint32_t> words(segment.file_bytes / 4);
    std::memcpy(words.data(), object->data() + segment.offset, 4 * words.size());
    for (size_t at = 0; at < words.size();) {
      const auto decoded =
          isa::decode(*isa::target_from_name(target), &words[at], words.size() - at);
      at += decoded.length;
      const auto& i = decoded.instruction;
      if (i.row != nullptr) all.insert(std::string(i.row->mnemonic) + (i.mem.gds ? " gds" : ""));
    }
  }
  return all;
}

class EnginesGcnMemory : public ::testing::TestWithParam<const char*> {
 protected:
  bool has_region() const { return engines::has_region(GetParam()); }

  /// A program on both engines, with as many inputs as it is given.
  void use(const std::string& text) {
    module_ = load(text);
    finalizer::Options options;
    options.target = GetParam();
    const auto object = finalizer::finalize(module_, options);
    ASSERT_TRUE(object.ok()) << object.error().str();
    object_ = *object;
  }
  /// The output of golden, equal to that of the interpreter.
  Bytes both(const Launch& launch) {
    const Outcome expected = run_interpreter(module_, launch, GetParam());
    EXPECT_EQ(expected.error, "");
    const Outcome golden = run_golden_object(module_, object_, launch, GetParam());
    EXPECT_EQ(golden.error, "");
    if (!golden.error.empty()) return launch.buffers[1];
    EXPECT_EQ(golden.buffers, expected.buffers);
    return golden.buffers[1];
  }
  void ran(const char* row, size_t operands) { VendorLedger::ran(row, GetParam(), operands); }

  hsail::Module module_;
  Bytes object_;
};

struct Emitted {
  const char* statement;
  const char* instruction;  ///< of tests/ledger/hsail_vendor.csv
};

TEST_P(EnginesGcnMemory, MachineInstructions) {
  const Emitted kRegisters[] = {
      {"amd_gcn_madu $d5, $s3, $s4, $d6;", "v_mad_u64_u32"},
      {"amd_gcn_mads $d5, $s3, $s4, $d6;", "v_mad_i64_i32"},
      {"amd_gcn_max3_s32 $s5, $s3, $s4, $s6;", "v_max3_i32"},
      {"amd_gcn_max3_u32 $s5, $s3, $s4, $s6;", "v_max3_u32"},
      {"amd_gcn_max3_f32 $s5, $s3, $s4, $s6;", "v_max3_f32"},
      {"amd_gcn_min3_s32 $s5, $s3, $s4, $s6;", "v_min3_i32"},
      {"amd_gcn_min3_u32 $s5, $s3, $s4, $s6;", "v_min3_u32"},
      {"amd_gcn_min3_f32 $s5, $s3, $s4, $s6;", "v_min3_f32"},
      {"amd_gcn_med3_s32 $s5, $s3, $s4, $s6;", "v_med3_i32"},
      {"amd_gcn_med3_u32 $s5, $s3, $s4, $s6;", "v_med3_u32"},
      {"amd_gcn_med3_f32 $s5, $s3, $s4, $s6;", "v_med3_f32"},
      {"amd_gcn_fldexp_f16 $s5, $s3, $s4;", "v_ldexp_f16"},
      {"amd_gcn_fldexp_f32 $s5, $s3, $s4;", "v_ldexp_f32"},
      {"amd_gcn_fldexp_ftz_f32 $s5, $s3, $s4;", "v_ldexp_f32"},
      {"amd_gcn_fldexp_f64 $d5, $d6, $s4;", "v_ldexp_f64"},
      {"amd_gcn_frexp_exp_f16 $s5, $s3;", "v_frexp_exp_i16_f16"},
      {"amd_gcn_frexp_exp_f32 $s5, $s3;", "v_frexp_exp_i32_f32"},
      {"amd_gcn_frexp_exp_f64 $s5, $d6;", "v_frexp_exp_i32_f64"},
      {"amd_gcn_frexp_mant_f16 $s5, $s3;", "v_frexp_mant_f16"},
      {"amd_gcn_frexp_mant_f32 $s5, $s3;", "v_frexp_mant_f32"},
      {"amd_gcn_frexp_mant_f64 $d5, $d6;", "v_frexp_mant_f64"},
      {"amd_gcn_trig_preop_f64 $d5, $d6, $s4;", "v_trig_preop_f64"},
      {"amd_gcn_bfm_b32 $s5, $s3, $s4;", "v_bfm_b32"},
      {"amd_gcn_msad_b32 $s5, $s3, $s4, $s6;", "v_msad_u8"},
      {"amd_gcn_qsad_b64 $d5, $d6, $s4, $d7;", "v_qsad_pk_u16_u8"},
      {"amd_gcn_mqsad_b64 $d5, $d6, $s4, $d7;", "v_mqsad_pk_u16_u8"},
      {"amd_gcn_mqsad4 ($s5, $s7, $s8, $s9), $d6, $s4, ($s3, $s4, $s6, $s3);", "v_mqsad_u32_u8"},
      {"amd_gcn_sadw_b32 $s5, $s3, $s4, $s6;", "v_sad_u16"},
      {"amd_gcn_sadd_b32 $s5, $s3, $s4, $s6;", "v_sad_u32"},
      {"amd_gcn_b4xchg_b32 $s5, $s3, 27;", "ds_swizzle_b32"},
      {"amd_gcn_b32xchg_b32 $s5, $s3, 31;", "ds_swizzle_b32"},
      {"amd_gcn_max_s32 $s5, $s3, $s4;", "v_max_i32"},
      {"amd_gcn_max_u32 $s5, $s3, $s4;", "v_max_u32"},
      {"amd_gcn_max_f16 $s5, $s3, $s4;", "v_max_f16"},
      {"amd_gcn_max_f32 $s5, $s3, $s4;", "v_max_f32"},
      {"amd_gcn_max_f64 $d5, $d6, $d7;", "v_max_f64"},
      {"amd_gcn_min_s32 $s5, $s3, $s4;", "v_min_i32"},
      {"amd_gcn_min_u32 $s5, $s3, $s4;", "v_min_u32"},
      {"amd_gcn_min_f16 $s5, $s3, $s4;", "v_min_f16"},
      {"amd_gcn_min_f32 $s5, $s3, $s4;", "v_min_f32"},
      {"amd_gcn_min_f64 $d5, $d6, $d7;", "v_min_f64"},
      {"amd_gcn_divrelaxed_f32 $s5, $s3, $s4;", "v_rcp_f32"},
      {"amd_gcn_divrelaxednarrow_f32 $s5, $s3, $s4;", "v_rcp_f32"},
      {"amd_gcn_atomic_add_group_rlx_wg_f32 $s5, [$s1], $s3;", "ds_add_rtn_f32"},
      {"amd_gcn_atomic_max_group_scar_wg_f32 $s5, [$s1], $s3;", "ds_max_rtn_f32"},
      {"amd_gcn_atomic_min_group_rlx_wave_f32 $s5, [$s1], $s3;", "ds_min_rtn_f32"},
      {"amd_gcn_atomic_max_group_rlx_wg_f64 $d5, [$s2], $d6;", "ds_max_rtn_f64"},
      {"amd_gcn_atomic_min_group_rlx_wg_f64 $d5, [$s2], $d6;", "ds_min_rtn_f64"},
      {"amd_gcn_atomicNoRet_add_group_rlx_wg_f32 [$s1], $s3;", "ds_add_f32"},
      {"amd_gcn_atomicNoRet_max_group_rlx_wg_f32 [$s1], $s3;", "ds_max_f32"},
      {"amd_gcn_atomicNoRet_min_group_rlx_wg_f32 [$s1], $s3;", "ds_min_f32"},
      {"amd_gcn_atomicNoRet_max_group_rlx_wg_f64 [$s2], $d6;", "ds_max_f64"},
      {"amd_gcn_atomicNoRet_min_group_rlx_wg_f64 [$s2], $d6;", "ds_min_f64"},
      {"amd_gcn_sleep_u32 5;", "s_sleep"},
      {"amd_gcn_sleep_u32 $s3;", "s_sleep"},
      {"amd_gcn_priority_u32 3;", "s_setprio"},
      {"amd_gcn_priority_u32 $s3;", "s_setprio"},
  };
  const Emitted kRegion[] = {
      {"amd_gcn_ld_region_align(4)_u32 $s5, [$s1];", "ds_read_b32 gds"},
      {"amd_gcn_ld_region_u8 $s5, [$s1];", "ds_read_u8 gds"},
      {"amd_gcn_ld_region_u64 $d5, [$s2];", "ds_read_b64 gds"},
      {"amd_gcn_st_region_align(4)_u32 $s3, [$s1];", "ds_write_b32 gds"},
      {"amd_gcn_st_region_align(2)_u16 $s3, [$s1];", "ds_write_b16 gds"},
      {"amd_gcn_atomic_append_u32 $s5, [16];", "ds_append gds"},
      {"amd_gcn_atomic_consume_u32 $s5, [16];", "ds_consume gds"},
  };
  const auto check = [&](const Emitted& e) {
    const std::string text =
        program(std::string(has_region() ? "amd_gcn_region_alloc 256;\n" : "") +
                    "mov_b32 $s5, 0;\nmov_b64 $d5, 0;\n"
                    "ld_global_u32 $s3, [$d1];\nld_global_u32 $s4, [$d1+4];\n"
                    "ld_global_u32 $s6, [$d1+8];\nld_global_u64 $d6, [$d1+8];\n"
                    "ld_global_u64 $d7, [$d1+16];\n" +
                    e.statement +
                    "\nst_global_u32 $s5, [$d2];\nst_global_u64 $d5, [$d2+8];\n"
                    "ld_group_u32 $s15, [%g];\nst_global_u32 $s15, [$d2+16];\n",
                "group_u64 %g[64];\n");
    EXPECT_GE(mnemonics(text, GetParam()).count(e.instruction), 1u) << e.statement;
  };
  for (const Emitted& e : kRegisters) check(e);
  if (!has_region()) return;
  for (const Emitted& e : kRegion) check(e);
}

/// Each work-item alone at its place, then all of a wavefront at one place, in the order of lanes.
TEST_P(EnginesGcnMemory, Atomics) {
  std::mt19937_64 random(13);
  constexpr uint32_t kItems = 64;
  for (const char* operation : {"add", "min", "max"}) {
    for (const char* type : {"f32", "f64"}) {
      if (operation[0] == 'a' && type[1] == '6') continue;
      const std::string t = type;
      const std::string r = t == "f64" ? "$d" : "$s";
      const std::string form = std::string(operation) + "_group_scar_wg_" + t + " ";
      const std::string text =
          program("ld_global_" + t + " " + r + "5, [$d1];\nst_group_" + t + " " + r +
                      "5, [%g][$s2];\n"
                      "ld_global_" +
                      t + " " + r +
                      "6, [$d1+8];\n"
                      "amd_gcn_atomic_" +
                      form + r + "7, [%g][$s2], " + r +
                      "6;\n"
                      "amd_gcn_atomicNoRet_" +
                      form + "[%g][$s2], " + r +
                      "5;\n"
                      "ld_group_" +
                      t + " " + r +
                      "8, [%g][$s2];\n"
                      "barrier;\namd_gcn_atomic_" +
                      form + r + "9, [%g], " + r +
                      "6;\n"
                      "st_global_" +
                      t + " " + r + "7, [$d2];\nst_global_" + t + " " + r +
                      "8, [$d2+512];\n"
                      "st_global_" +
                      t + " " + r +
                      "9, [$d2+1024];\nbarrier;\n"
                      "ld_group_" +
                      t + " " + r + "9, [%g][$s2];\nst_global_" + t + " " + r + "9, [$d2+1536];\n",
                  "group_u64 %g[64];\n");
      use(text);
      if (HasFatalFailure()) return;
      const unsigned rounds = std::max(8u, item_count() / kItems);
      for (unsigned round = 0; round < rounds; ++round) {
        std::vector<uint64_t> in(kItems + 1);
        for (uint64_t& v : in) {
          v = random();
          if (round % 2 == 0 && t == "f32") v = v % 0x1000 | 0x3f800000;
          if (round % 8 == 3) v &= 0x800fffff800fffff;  // subnormals
          if (round % 8 == 5 && random() % 3 == 0) v |= 0x7ff000007f800000;
        }
        Launch launch = launch_of(bytes_of(in), kItems);
        launch.buffers[1].resize(4 * 512 + 8);
        both(launch);
      }
      ran("HV-13", rounds * kItems);
      ran("HV-14", rounds * kItems);
    }
  }
}

/// A lane gets 0 from one that is not there, or that took another way.
TEST_P(EnginesGcnMemory, LanesThatAreNotActive) {
  for (const char* statement :
       {"amd_gcn_b4xchg_b32 $s5, $s0, 0x1b;", "amd_gcn_b32xchg_b32 $s5, $s0, 0x041f;"}) {
    const std::string text = program(
        "mov_b32 $s5, 77;\nand_b32 $s3, $s0, 3;\ncmp_eq_b1_u32 $c0, $s3, 2;\ncbr_b1 $c0, @end;\n"
        "add_u32 $s0, $s0, 100;\n" +
        std::string(statement) + "\n@end:\nst_global_u32 $s5, [$d2];\n");
    const auto out =
        values_of<uint32_t>(run_both(text, launch_of(Bytes(8 * 75), 75), GetParam())[1]);
    EXPECT_EQ(out[2 * 2], 77u);
    EXPECT_EQ(out[2 * 1], statement[9] == '4' ? 0u : 100u) << statement;
  }
}

/// No result depends on them. Each work-item is a wavefront with numbers of its own.
TEST_P(EnginesGcnMemory, SleepAndPriority) {
  use(
      program("ld_global_u32 $s3, [$d1];\nld_global_u32 $s4, [$d1+4];\n"
              "amd_gcn_priority_u32 3;\namd_gcn_sleep_u32 2;\n"
              "amd_gcn_sleep_u32 $s3;\namd_gcn_priority_u32 $s4;\namd_gcn_sleep_u32 WAVESIZE;\n"
              "amd_gcn_priority_u32 0;\nst_global_u32 $s3, [$d2];\nst_global_u32 $s4, [$d2+4];\n"));
  if (HasFatalFailure()) return;
  std::mt19937_64 random(15);
  std::vector<uint64_t> in(item_count());
  for (uint64_t& v : in) v = random();
  const auto items = static_cast<uint32_t>(in.size());
  EXPECT_EQ(values_of<uint64_t>(both(launch_of(bytes_of(in), items, 1))), in);
  ran("HV-15", items);
  ran("HV-16", items);
}

TEST_P(EnginesGcnMemory, RegionLoadsAndStores) {
  if (!has_region()) return;
  // Every access of its own work-item: 16 bytes for each of 64.
  use(program(
      "amd_gcn_region_alloc 1088;\nshl_u32 $s2, $s0, 4;\n"
      "ld_global_u64 $d5, [$d1];\nld_global_u64 $d6, [$d1+8];\n"
      "combine_v2_b128_b64 $q0, ($d5, $d6);\namd_gcn_st_region_b128 $q0, [$s2];\n"
      "amd_gcn_ld_v4_region_u8 ($s3, $s4, $s5, $s6), [$s2+3];\n"
      "amd_gcn_ld_region_s16 $s7, [$s2+1];\nadd_u32 $s3, $s3, $s7;\nadd_u32 $s3, $s3, $s4;\n"
      "xor_b32 $s5, $s5, $s6;\nshl_u32 $s5, $s5, 8;\nadd_u32 $s3, $s3, $s5;\n"
      "amd_gcn_st_v2_region_u32 ($s3, 7), [$s2+5];\namd_gcn_st_region_u8 255, [$s2+15];\n"
      "amd_gcn_ld_region_b128 $q1, [$s2];\nexpand_v2_b64_b128 ($d5, $d6), $q1;\n"
      "add_u64 $d5, $d5, $d6;\nst_global_u64 $d5, [$d2];\n"));
  if (HasFatalFailure()) return;
  std::mt19937_64 random(11);
  for (uint32_t done = 0; done < item_count(); done += 64) {
    std::vector<uint64_t> in(65);
    for (uint64_t& v : in) v = random();
    both(launch_of(bytes_of(in), 64));
  }
  ran("HV-11", item_count());
  ran("HV-12", item_count());
  ran("HV-17", 1);
}

/// Work-groups take numbers that no other has, and give as many back; random work-items take part.
TEST_P(EnginesGcnMemory, AppendAndConsume) {
  if (!has_region()) return;
  const uint32_t items = std::max(1024u, item_count());
  // The work-items with an odd input alone, then all; a place behind the wavefront's first for each
  // of its lanes.
  const std::string text = program(
      "amd_gcn_region_alloc 64;\nmov_b32 $s6, 16;\nmov_b32 $s7, 0xffffffff;\n"
      "ld_global_u32 $s3, [$d1];\nand_b32 $s3, $s3, 1;\n"
      "cmp_eq_b1_u32 $c0, $s3, 0;\ncbr_b1 $c0, @all;\namd_gcn_atomic_append_u32 $s7, [20];\n"
      "activelaneid_u32 $s5;\nadd_u32 $s7, $s7, $s5;\n"
      "@all:\namd_gcn_atomic_append_u32 $s4, [$s6];\nactivelaneid_u32 $s5;\n"
      "add_u32 $s4, $s4, $s5;\namd_gcn_atomic_consume_u32 $s5, [$s6+8];\n"
      "add_u64 $d2, $d2, $d0;\nst_v3_global_u32 ($s4, $s5, $s7), [$d2];\n");
  std::mt19937_64 random(24);
  std::vector<uint64_t> in(items);
  for (uint64_t& v : in) v = random();
  const auto odd = static_cast<size_t>(
      std::count_if(in.begin(), in.end(), [](uint64_t v) { return v % 2 != 0; }));
  const auto sorted = [](const Bytes& bytes) {
    std::array<std::vector<uint32_t>, 3> parts;
    const auto words = values_of<uint32_t>(bytes);
    for (size_t i = 0; i < words.size(); ++i)
      if (i % 4 != 3) parts[i % 4].push_back(words[i]);
    for (auto& part : parts) std::sort(part.begin(), part.end());
    return parts;
  };
  const hsail::Module module = load(text);
  Launch launch = launch_of(bytes_of(in), items, 128);
  launch.buffers[1].resize(16 * items);
  const Outcome expected = run_interpreter(module, launch, GetParam());
  const Outcome golden = run_golden(module, launch, GetParam());
  ASSERT_EQ(expected.error, "");
  ASSERT_EQ(golden.error, "");
  const auto numbers = sorted(golden.buffers[1]);
  EXPECT_EQ(numbers, sorted(expected.buffers[1]));
  for (uint32_t i = 0; i < items; ++i) {
    EXPECT_EQ(numbers[0][i], i);
    EXPECT_EQ(0 - numbers[1][i], i < 64 ? 0 : items - i / 64 * 64) << i;  // 0, then upwards
    EXPECT_EQ(numbers[2][i], i < odd ? i : 0xffffffff) << i;
  }
  ran("HV-24", items);
  ran("HV-25", items);
}

TEST_P(EnginesGcnMemory, WhatATargetLacks) {
  const auto refusal = [&](const std::string& statement) {
    finalizer::Options options;
    options.target = GetParam();
    const auto module = load(program(statement + "\n"));
    const auto object = finalizer::finalize(module, options);
    const std::string what = object.ok() ? "" : object.error().what;
    EXPECT_EQ(run_interpreter(module, launch_of(Bytes(512), 64), GetParam()).error.empty(),
              what.empty());
    return what;
  };
  const std::string target = GetParam();
  const std::string most = target == "gfx908" ? "4096" : "65535";
  const std::string beyond = target == "gfx908" ? "4097" : "65536";
  if (has_region()) {
    EXPECT_EQ(refusal("amd_gcn_region_alloc " + most + ";"), "");
    EXPECT_EQ(
        refusal("amd_gcn_region_alloc " + beyond + ";"),
        "'amd_gcn_region_alloc': target " + target + " has " + most + " bytes of region memory");
    return;
  }
  for (const auto& [statement, name] :
       {std::pair{"amd_gcn_ld_region_u32 $s5, [$s1];", "amd_gcn_ld_u32"},
        std::pair{"amd_gcn_st_region_u32 $s0, [$s1];", "amd_gcn_st_u32"},
        std::pair{"amd_gcn_region_alloc 4;", "amd_gcn_region_alloc"},
        std::pair{"amd_gcn_atomic_append_u32 $s5, [4];", "amd_gcn_atomic_append_u32"},
        std::pair{"amd_gcn_atomic_consume_u32 $s5, [4];", "amd_gcn_atomic_consume_u32"}}) {
    EXPECT_EQ(refusal(statement),
              "'" + std::string(name) + "': target " + target + " has no region memory");
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EnginesGcnMemory, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace cuvette::engines
