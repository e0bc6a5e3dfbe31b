// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_case.h"

// Loads, stores, atomics, branches and what the PRM leaves undefined, by hand from the HSAIL PRM.
namespace cuvette::hsail {
namespace {

using namespace testing;

TEST(Interp, LoadAndStore) {
  const Case cases[] = {
      // The addresses in.. and out.. are in $d10 and $d11.
      {"HI-153", "ld_global_u64 $d8, [$d10+8];", {0, 0x1122334455667788}, 'd', 0x1122334455667788},
      {"HI-152", "ld_u32 $s8, [$d10+4];", {0x1122334455667788}, 's', 0x11223344},
      {"HI-153 HL-191", "ld_global_u32 $s8, [$d10+3];", {0x1122334455667788}, 's', 0x22334455},
      {"HI-153", "ld_global_align(4)_const_equiv(2)_width(all)_nt_u32 $s8, [$d10];", {7}, 's', 7},
      {"HI-153 HL-161", "add_u64 $d4, $d10, 8; ld_global_u32 $s8, [$d4-8];", {9}, 's', 9},
      {"HI-155", "ld_kernarg_u64 $d8, [%in]; sub_u64 $d8, $d10, $d8;", {}, 'd', 0},
      {"HI-155",
       "kernargbaseptr_u64 $d4; ld_kernarg_u64 $d8, [$d4+8]; sub_u64 $d8, $d11, $d8;",
       {},
       'd',
       0},
      {"HI-163", "ld_global_s8 $s8, [$d10];", {0x80}, 's', 0xffffff80},
      {"HI-163", "ld_global_u8 $s8, [$d10];", {0x1ff}, 's', 0xff},
      {"HI-163", "ld_global_s16 $s8, [$d10];", {0x18000}, 's', 0xffff8000},
      {"HI-163", "ld_global_u16 $s8, [$d10];", {0x18000}, 's', 0x8000},
      {"HI-163", "ld_global_f16 $s8, [$d10];", {0x13c00}, 's', 0x3c00},
      {"HI-160", "ld_v2_global_u32 ($s7, $s8), [$d10];", {0x200000001}, 's', 2},
      {"HI-161", "ld_v3_global_u32 ($s6, $s7, $s8), [$d10];", {0, 3}, 's', 3},
      {"HI-162", "ld_v4_global_u8 ($s5, $s6, $s7, $s8), [$d10];", {0x44332211}, 's', 0x44},
      // The address register may be a destination.
      {"HI-160", "mov_b64 $d8, $d10; ld_v2_global_u64 ($d8, $d7), [$d8];", {5, 6}, 'd', 5},
      {"HI-153", "ld_global_b128 $q4, [$d10];", {5, 6}, 'Q', 6},
      {"HI-166",
       "st_global_u32 $s0, [$d11+40]; ld_global_u32 $s8, [$d11+40];",
       {0x1234},
       's',
       0x1234},
      {"HI-166", "st_global_u8 $s0, [$d11+40]; ld_global_u32 $s8, [$d11+40];", {0x1234}, 's', 0x34},
      {"HI-166", "st_global_u32 -1, [$d11+40]; ld_global_u32 $s8, [$d11+40];", {}, 's', kM1},
      {"HI-165", "st_u64 WAVESIZE, [$d11+40]; ld_u64 $d8, [$d11+40];", {}, 'd', 64},
      {"HI-171",
       "st_v2_global_u32 ($s0, 7), [$d11+40]; ld_global_u64 $d8, [$d11+40];",
       {3},
       'd',
       0x700000003},
      {"HI-172",
       "st_v3_global_u16 ($s0, $s1, $s0), [$d11+40]; ld_global_u64 $d8, [$d11+40];",
       {3, 4},
       'd',
       0x000300040003},
      {"HI-173",
       "st_v4_global_u8 ($s0, $s1, $s2, $s3), [$d11+40]; ld_global_u32 $s8, [$d11+40];",
       {0x101, 2, 3, 4},
       's',
       0x04030201},
      {"HI-156 HI-167",
       "st_group_u32 $s0, [%scratch][4]; mov_b32 $s4, 4; ld_group_u32 $s8, "
       "[%scratch][$s4];",
       {77},
       's',
       77},
      // 6.1.1: group addresses wrap at 32 bits.
      {"HI-156 HL-190",
       "st_group_u32 $s0, [%scratch]; ld_group_u32 $s8, [$s1+8];",
       {77, 0xfffffff8},
       's',
       77},
  };
  for (const Case& c : cases) check(c);
}

TEST(Interp, PrivateAndSpill) {
  const std::string text = R"(module &m:1:0:$full:$large:$default;
readonly_u32 &table[3] = u32[](10, 20, 30);
global_u32 &counter = 5;
prog kernel &k(kernarg_u64 %out)
{
	private_u32 %p[2];
	spill_u64 %s;
	workitemabsid_u32 $s0, 0;
	add_u32 $s1, $s0, 100;
	st_private_u32 $s1, [%p][4];
	cvt_u64_u32 $d0, $s0;
	st_spill_u64 $d0, [%s];
	ld_private_u32 $s2, [%p][4];
	ld_spill_u64 $d1, [%s];
	cvt_u32_u64 $s3, $d1;
	add_u32 $s2, $s2, $s3;
	ld_readonly_u32 $s4, [&table][8];
	ld_global_u32 $s5, [&counter];
	add_u32 $s4, $s4, $s5;
	add_u32 $s2, $s2, $s4;
	ld_kernarg_u64 $d2, [%out];
	mad_u64 $d2, $d0, 4, $d2;
	st_global_u32 $s2, [$d2];
};
)";
  const auto module = load_text(text, "private.hsail");
  ASSERT_TRUE(module.ok()) << module.error().str();
  TestMemory memory;
  VariableAddresses addresses;
  for (const ModuleVariable& v : module_variables(*module)) {
    const uint64_t address = memory.add(v.bytes);
    ASSERT_TRUE(memory.write(address, v.initial.data(), v.initial.size()));
    addresses[v.variable] = address;
  }
  const uint64_t out = memory.add(130 * 4);
  Machine machine(*module, memory, addresses);
  Dispatch d;
  d.kernel = module->find_kernel("&k");
  d.grid = {130, 1, 1};
  d.workgroup = {128, 1, 1};
  d.kernarg = Kernarg().add(out).bytes();
  const auto status = machine.run(d);
  ASSERT_TRUE(status.ok()) << status.error().str();
  const auto values = memory.values<uint32_t>(out);
  for (uint32_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 2 * i + 135) << i;
  Ledger::cover("HI-154 HI-157 HI-158 HI-168 HI-169 HL-020 HL-022 HL-023 HL-136 HL-139");
}

TEST(Interp, Atomics) {
  // Each body works on the word at $d11+40, which is set first; the old value goes to $s8 or $d8
  // and the new one to $q4's low half.
  struct AtomicCase {
    const char* ids;
    const char* op;  ///< with ADDR for the address
    uint64_t before;
    std::vector<uint64_t> in;
    bool wide;
    uint64_t old;
    uint64_t after;
  };
  const AtomicCase cases[] = {
      {"HI-176", "atomic_ld_global_rlx_system_b32 $s8, ADDR;", 7, {}, false, 7, 7},
      {"HI-176", "atomic_ld_scacq_agent_b64 $d8, ADDR;", kMin64, {}, true, kMin64, kMin64},
      {"HI-177",
       "atomic_and_global_rlx_agent_b32 $s8, ADDR, $s0;",
       0xff,
       {0x0f0},
       false,
       0xff,
       0xf0},
      {"HI-178", "atomic_or_global_scar_wg_b64 $d8, ADDR, $d0;", 1, {kMin64}, true, 1, kMin64 | 1},
      {"HI-179", "atomic_xor_global_rlx_agent_b32 $s8, ADDR, 1;", 3, {}, false, 3, 2},
      {"HI-180", "atomic_exch_global_screl_system_b32 $s8, ADDR, $s0;", 3, {9}, false, 3, 9},
      {"HI-181",
       "atomic_add_global_rlx_system_u32 $s8, ADDR, $s0;",
       0xffffffff,
       {2},
       false,
       0xffffffff,
       1},
      {"HI-181", "atomic_add_global_scar_agent_s64 $d8, ADDR, -1;", 0, {}, true, 0, kAll64},
      {"HI-182", "atomic_sub_global_rlx_agent_u32 $s8, ADDR, $s0;", 1, {2}, false, 1, 0xffffffff},
      {"HI-183", "atomic_wrapinc_global_rlx_agent_u32 $s8, ADDR, $s0;", 5, {5}, false, 5, 0},
      {"HI-183", "atomic_wrapinc_global_rlx_agent_u32 $s8, ADDR, $s0;", 4, {5}, false, 4, 5},
      {"HI-184", "atomic_wrapdec_global_rlx_agent_u32 $s8, ADDR, $s0;", 0, {5}, false, 0, 5},
      {"HI-184", "atomic_wrapdec_global_rlx_agent_u64 $d8, ADDR, $d0;", 9, {5}, true, 9, 5},
      {"HI-184", "atomic_wrapdec_global_rlx_agent_u32 $s8, ADDR, $s0;", 3, {5}, false, 3, 2},
      {"HI-185", "atomic_max_global_rlx_agent_s32 $s8, ADDR, $s0;", kM1, {1}, false, kM1, 1},
      {"HI-185", "atomic_max_global_rlx_agent_u32 $s8, ADDR, $s0;", kM1, {1}, false, kM1, kM1},
      {"HI-186", "atomic_min_global_rlx_agent_s64 $d8, ADDR, $d0;", 1, {kAll64}, true, 1, kAll64},
      {"HI-186", "atomic_min_global_rlx_agent_u32 $s8, ADDR, $s0;", 5, {3}, false, 5, 3},
      {"HI-187", "atomic_cas_global_rlx_agent_b32 $s8, ADDR, $s0, $s1;", 5, {5, 9}, false, 5, 9},
      {"HI-187", "atomic_cas_global_rlx_agent_b32 $s8, ADDR, $s0, $s1;", 5, {4, 9}, false, 5, 5},
      {"HI-188", "atomicnoret_st_global_screl_agent_b32 ADDR, $s0;", 5, {4}, false, 0, 4},
      {"HI-189", "atomicnoret_and_global_rlx_agent_b32 ADDR, $s0;", 5, {4}, false, 0, 4},
      {"HI-190", "atomicnoret_or_global_rlx_agent_b32 ADDR, $s0;", 1, {4}, false, 0, 5},
      {"HI-191", "atomicnoret_xor_global_rlx_agent_b32 ADDR, $s0;", 5, {4}, false, 0, 1},
      {"HI-192", "atomicnoret_add_global_rlx_agent_u32 ADDR, $s0;", 5, {4}, false, 0, 9},
      {"HI-193", "atomicnoret_sub_global_rlx_agent_u32 ADDR, $s0;", 5, {4}, false, 0, 1},
      {"HI-194", "atomicnoret_wrapinc_global_rlx_agent_u32 ADDR, $s0;", 4, {4}, false, 0, 0},
      {"HI-195", "atomicnoret_wrapdec_global_rlx_agent_u32 ADDR, $s0;", 5, {4}, false, 0, 4},
      {"HI-196", "atomicnoret_max_global_rlx_agent_u32 ADDR, $s0;", 3, {4}, false, 0, 4},
      {"HI-197", "atomicnoret_min_global_rlx_agent_s32 ADDR, $s0;", 3, {kM1}, false, 0, kM1},
  };
  for (const AtomicCase& c : cases) {
    for (const bool group : {false, true}) {
      std::string op = c.op;
      const bool flat = op.find("_global_") == std::string::npos;
      if (group && flat) continue;
      op.replace(op.find("ADDR"), 4, group ? "[%scratch]" : "[$d11+40]");
      std::string address = group ? "_group_u64 $d4, [%scratch]" : "_global_u64 $d4, [$d11+40]";
      if (group) {
        op.replace(op.find("_global_"), 8, "_group_");
        for (const char* scope : {"_agent_", "_system_"}) {
          const size_t at = op.find(scope);
          if (at != std::string::npos) op.replace(at, std::strlen(scope), "_wg_");
        }
      }
      const std::string body = "mov_b64 $d4, " + std::to_string(c.before) + "; st" + address +
                               "; " + op + " ld" + address + "; combine_v2_b128_b64 $q4, ($d4, 0);";
      SCOPED_TRACE(std::string(c.ids) + ": " + op);
      const CaseResult r = execute(body, c.in);
      EXPECT_EQ(c.wide ? r.out[1] : r.out[0] & 0xffffffff, c.old);
      EXPECT_EQ(c.wide ? r.out[4] : r.out[4] & 0xffffffff, c.after);
      if (!HasFailure()) Ledger::cover(c.ids);
    }
  }
}

TEST(Interp, BranchesAndMisc) {
  const Case cases[] = {
      {"HI-248", "mov_b32 $s8, 1; br @end; mov_b32 $s8, 2; @end:", {}, 's', 1},
      {"HI-249", "mov_b32 $s8, 1; cbr_b1 $c0, @end; mov_b32 $s8, 2; @end:", {1}, 's', 1},
      {"HI-249", "mov_b32 $s8, 1; cbr_b1 $c0, @end; mov_b32 $s8, 2; @end:", {0}, 's', 2},
      {"HI-249",
       "mov_b32 $s8, 1; cbr_width(WAVESIZE)_b1 1, @end; mov_b32 $s8, 2; @end:",
       {},
       's',
       1},
      {"HI-250",
       "mov_b32 $s8, 9; sbr_u32 $s0 [@a, @b, @c]; @a: mov_b32 $s8, 1; br @c; @b: mov_b32 "
       "$s8, 2; @c:",
       {1},
       's',
       2},
      {"HI-250",
       "mov_b32 $s8, 9; sbr_u64 $d0 [@a, @b, @c]; @a: mov_b32 $s8, 1; br @c; @b: mov_b32 "
       "$s8, 2; @c:",
       {2},
       's',
       9},
      {"HI-251", "mov_b32 $s8, 1; barrier; mov_b32 $s8, 2;", {}, 's', 2},
      {"HI-251", "barrier_width(64); mov_b32 $s8, 2;", {}, 's', 2},
      {"HI-252", "wavebarrier; mov_b32 $s8, 2;", {}, 's', 2},
      {"HI-214",
       "memfence_scar_system; memfence_screl_wg; memfence_scacq_agent; mov_b32 $s8, 3;",
       {},
       's',
       3},
      {"HI-301", "nop; mov_b32 $s8, 3;", {}, 's', 3},
      {"HI-294", "groupbaseptr_u32 $s8;", {}, 's', 0},
      {"HI-295", "groupstaticsize_u32 $s8;", {}, 's', 16},
      {"HI-296", "grouptotalsize_u32 $s8;", {}, 's', 16},
      {"HI-297", "kernargbaseptr_u64 $d8;", {}, 'd', 0x7000},
  };
  for (const Case& c : cases) check(c);
}

TEST(Interp, ReturnInBody) {
  // The store before the return happens, what follows does not.
  const CaseResult r = execute("st_global_u32 5, [$d11]; ret; st_global_u32 6, [$d11]; ret;", {});
  EXPECT_EQ(r.out[0] & 0xffffffff, 5u);
  Ledger::cover("HI-267");
}

TEST(Interp, UndefinedResultsAreNoted) {
  const auto one = [](const std::string& body, std::vector<uint64_t> in, const std::string& why) {
    SCOPED_TRACE(body);
    const CaseResult r = execute(body, in);
    ASSERT_EQ(r.undefined.size(), 1u);
    EXPECT_EQ(r.undefined[0].why, why);
    EXPECT_EQ(r.undefined[0].lanes, 1u);
  };
  one("div_s32 $s8, $s0, $s1;", {5, 0}, "integer division by zero");
  one("div_s32 $s8, $s0, $s1;", {kMin32, kM1}, "integer division overflow");
  one("rem_u64 $d8, $d0, $d1;", {5, 0}, "integer division by zero");
  one("mul24_u32 $s8, $s0, $s1;", {0x1000000, 1}, "source outside the 24-bit range");
  one("bitextract_u32 $s8, $s0, 24, 16;", {5}, "bit field beyond the operand");
  one("cvt_s32_f32 $s8, $s0;", {kQnan32}, "conversion of a float outside the range of the integer");
  one("cvt_u32_f32 $s8, $s0;", {f32(-1)}, "conversion of a float outside the range of the integer");
  one("ld_global_align(8)_u32 $s8, [$d10+4];", {}, "address breaks the promise of align(n)");
  Ledger::cover("HL-205");
}

}  // namespace
}  // namespace cuvette::hsail
