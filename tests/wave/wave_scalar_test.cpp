// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "wave/scalar/scalar.h"
#include "wave_fixture.h"
#include "wave_scalar_cases.h"

// Every scalar instruction with directed values; expectations from Vega ISA 5 and 12.1 to 12.5 and
// MI100 ISA 3 to 5, worked out by hand.
namespace cuvette::wave::testing {
namespace {

std::set<std::string>& covered() {
  static std::set<std::string> names;
  return names;
}
Build make(const std::string& mnemonic) {
  covered().insert(mnemonic);
  return Build(mnemonic);
}
std::string name_of(const Case& c) {
  return std::string(c.mnemonic) + " " + std::to_string(c.s0) + " " + std::to_string(c.s1);
}
int expected_scc(const Case& c) {
  return c.scc_out == kKeeps ? c.scc : c.scc_out;
}

/// Every scalar register but those of `changed` is as in `before`.
void expect_untouched(const WaveState& before, const WaveState& after,
                      std::initializer_list<unsigned> changed, const std::string& name) {
  for (unsigned code = 0; code < 128; ++code) {
    if (std::find(changed.begin(), changed.end(), code) != changed.end()) continue;
    EXPECT_EQ(after.s.sgpr[code], before.s.sgpr[code]) << name << " scalar code " << code;
  }
}

void fill_pattern(Wave& wave) {
  for (unsigned code = 0; code < 126; ++code) wave.sgpr(code) = 0xa5000000u + code;
}

TEST(WaveScalar, TwoSources) {
  for (const Case& c : kTwoSources) {
    Wave wave;
    fill_pattern(wave);
    wave.state.s.set_pair(4, c.s0);
    wave.state.s.set_pair(8, c.s1);
    wave.state.s.scc = c.scc;
    const WaveState before = wave.state;
    Build b = make(c.mnemonic);
    b.dst(sgpr(12)).src(0, sgpr(4)).src(1, sgpr(8));
    EXPECT_EQ(execute_scalar(wave.state, b.i).event, Event::None);
    if (b.i.row->dst[0].dwords == 2) {
      EXPECT_EQ(wave.state.s.pair(12), c.d) << name_of(c);
    } else {
      EXPECT_EQ(wave.sgpr(12), c.d) << name_of(c);
      EXPECT_EQ(wave.sgpr(13), before.s.sgpr[13]) << name_of(c);
    }
    EXPECT_EQ(wave.state.s.scc, expected_scc(c)) << name_of(c);
    expect_untouched(before, wave.state, {12, 13}, name_of(c));
  }
}

TEST(WaveScalar, OneSource) {
  for (const Case& c : kOneSource) {
    Wave wave;
    fill_pattern(wave);
    wave.state.s.set_pair(4, c.s0);
    wave.state.s.scc = c.scc;
    const WaveState before = wave.state;
    Build b = make(c.mnemonic);
    b.dst(sgpr(12)).src(0, sgpr(4));
    EXPECT_EQ(execute_scalar(wave.state, b.i).event, Event::None);
    if (b.i.row->dst[0].dwords == 2) {
      EXPECT_EQ(wave.state.s.pair(12), c.d) << name_of(c);
    } else {
      EXPECT_EQ(wave.sgpr(12), c.d) << name_of(c);
      EXPECT_EQ(wave.sgpr(13), before.s.sgpr[13]) << name_of(c);
    }
    EXPECT_EQ(wave.state.s.scc, expected_scc(c)) << name_of(c);
    expect_untouched(before, wave.state, {12, 13}, name_of(c));
  }
}

TEST(WaveScalar, Compares) {
  for (const Case& c : kCompares) {
    Wave wave;
    wave.state.s.set_pair(4, c.s0);
    wave.state.s.set_pair(8, c.s1);
    wave.state.s.scc = c.scc;
    const WaveState before = wave.state;
    Build b = make(c.mnemonic);
    b.src(0, sgpr(4)).src(1, sgpr(8));
    EXPECT_EQ(execute_scalar(wave.state, b.i).event, Event::None);
    EXPECT_EQ(wave.state.s.scc, expected_scc(c)) << name_of(c);
    expect_untouched(before, wave.state, {}, name_of(c));
  }
}

TEST(WaveScalar, Constants) {
  for (const Case& c : kConstants) {
    Wave wave;
    wave.sgpr(4) = static_cast<uint32_t>(c.s0);
    wave.state.s.scc = c.scc;
    const WaveState before = wave.state;
    Build b = make(c.mnemonic);
    b.role(isa::Role::Sdst, sgpr(4)).simm(static_cast<uint16_t>(c.s1));
    EXPECT_EQ(execute_scalar(wave.state, b.i).event, Event::None);
    EXPECT_EQ(wave.sgpr(4), c.d) << name_of(c);
    EXPECT_EQ(wave.state.s.scc, expected_scc(c)) << name_of(c);
    expect_untouched(before, wave.state, {4}, name_of(c));
  }
}

TEST(WaveScalar, ExecutionMask) {
  for (const Case& c : kExec) {
    const bool writes_result = std::string(c.mnemonic).find("wrexec") != std::string::npos;
    for (unsigned d : {12u, 4u}) {  // the destination may be the source
      Wave wave;
      wave.state.s.set_pair(4, c.s0);
      wave.state.s.set_exec(c.s1);
      wave.state.s.scc = c.scc;
      Build b = make(c.mnemonic);
      b.dst(sgpr(d)).src(0, sgpr(4));
      execute_scalar(wave.state, b.i);
      EXPECT_EQ(wave.state.s.exec(), c.d) << name_of(c);
      EXPECT_EQ(wave.state.s.pair(d), writes_result ? c.d : c.s1) << name_of(c);
      EXPECT_EQ(wave.state.s.scc, c.scc_out) << name_of(c);
    }
  }
}

TEST(WaveScalar, ConditionalMoves) {
  for (bool scc : {false, true}) {
    Wave wave;
    wave.state.s.scc = scc;
    wave.state.s.set_pair(4, 0x1122334455667788);
    execute_scalar(wave.state, make("s_cmov_b32").dst(sgpr(12)).src(0, sgpr(4)).i);
    EXPECT_EQ(wave.sgpr(12), scc ? 0x55667788u : 0u);
    execute_scalar(wave.state, make("s_cmov_b64").dst(sgpr(14)).src(0, sgpr(4)).i);
    EXPECT_EQ(wave.state.s.pair(14), scc ? 0x1122334455667788u : 0u);
    EXPECT_EQ(wave.state.s.scc, scc);
  }
}

TEST(WaveScalar, BitSet) {
  Wave wave;
  wave.state.s.set_pair(12, 0xffffffff00000000);
  wave.sgpr(4) = 36;
  execute_scalar(wave.state, make("s_bitset1_b32").dst(sgpr(12)).src(0, sgpr(4)).i);
  EXPECT_EQ(wave.state.s.pair(12), 0xffffffff00000010u);
  execute_scalar(wave.state, make("s_bitset0_b64").dst(sgpr(12)).src(0, sgpr(4)).i);
  EXPECT_EQ(wave.state.s.pair(12), 0xffffffef00000010u);
  execute_scalar(wave.state, make("s_bitset0_b32").dst(sgpr(12)).src(0, sgpr(4)).i);
  EXPECT_EQ(wave.state.s.pair(12), 0xffffffef00000000u);
  execute_scalar(wave.state, make("s_bitset1_b64").dst(sgpr(12)).src(0, sgpr(4)).i);
  EXPECT_EQ(wave.state.s.pair(12), 0xffffffff00000000u);
}

TEST(WaveScalar, RelativeMoves) {
  Wave wave;
  for (unsigned n = 0; n < 40; ++n) wave.sgpr(n) = 0x100 + n;
  wave.sgpr(isa::kM0) = 10;
  execute_scalar(wave.state, make("s_movrels_b32").dst(sgpr(5)).src(0, sgpr(7)).i);
  EXPECT_EQ(wave.sgpr(5), 0x100u + 17);
  execute_scalar(wave.state, make("s_movreld_b32").dst(sgpr(6)).src(0, sgpr(7)).i);
  EXPECT_EQ(wave.sgpr(16), 0x107u);
  execute_scalar(wave.state, make("s_movrels_b64").dst(sgpr(2)).src(0, sgpr(8)).i);
  EXPECT_EQ(wave.state.s.pair(2), 0x0000011300000112u);
  execute_scalar(wave.state, make("s_movreld_b64").dst(sgpr(20)).src(0, sgpr(8)).i);
  EXPECT_EQ(wave.state.s.pair(30), 0x0000010900000108u);
  // Out of range: the source is SGPR0, the destination is not written.
  wave.sgpr(isa::kM0) = 0xfffffff0;
  const WaveState before = wave.state;
  execute_scalar(wave.state, make("s_movrels_b32").dst(sgpr(5)).src(0, sgpr(7)).i);
  EXPECT_EQ(wave.sgpr(5), 0x100u);
  execute_scalar(wave.state, make("s_movreld_b32").dst(sgpr(6)).src(0, sgpr(7)).i);
  expect_untouched(before, wave.state, {5}, "s_movreld_b32 out of range");
}

// -- control
// ----------------------------------------------------------------------------------------

TEST(WaveScalar, Branches) {
  struct Branch {
    const char* mnemonic;
    void (*prepare)(WaveState&, bool taken);
  };
  const Branch branches[] = {
      {"s_cbranch_scc0", [](WaveState& w, bool t) { w.s.scc = !t; }},
      {"s_cbranch_scc1", [](WaveState& w, bool t) { w.s.scc = t; }},
      {"s_cbranch_vccz", [](WaveState& w, bool t) { w.s.set_vcc(t ? 0 : 0x100000000); }},
      {"s_cbranch_vccnz", [](WaveState& w, bool t) { w.s.set_vcc(t ? 0x100000000 : 0); }},
      {"s_cbranch_execz", [](WaveState& w, bool t) { w.s.set_exec(t ? 0 : 0x100000000); }},
      {"s_cbranch_execnz", [](WaveState& w, bool t) { w.s.set_exec(t ? 0x100000000 : 0); }},
      {"s_cbranch_cdbgsys", [](WaveState& w, bool t) { w.s.status = t ? 1u << 21 : 1u << 20; }},
      {"s_cbranch_cdbguser", [](WaveState& w, bool t) { w.s.status = t ? 1u << 20 : 1u << 21; }},
      {"s_cbranch_cdbgsys_or_user", [](WaveState& w, bool t) { w.s.status = t ? 1u << 20 : 0; }},
      {"s_cbranch_cdbgsys_and_user",
       [](WaveState& w, bool t) { w.s.status = t ? 3u << 20 : 1u << 21; }},
  };
  for (const Branch& branch : branches) {
    for (bool taken : {false, true}) {
      Wave wave;
      branch.prepare(wave.state, taken);
      wave.state.s.pc = 0x1004;
      EXPECT_EQ(execute_scalar(wave.state, make(branch.mnemonic).simm(0xfffe).i).event,
                Event::None);
      EXPECT_EQ(wave.state.s.pc, taken ? 0xffcu : 0x1004u) << branch.mnemonic;
    }
  }
  Wave wave;
  wave.state.s.pc = 0x1004;
  execute_scalar(wave.state, make("s_branch").simm(0x7fff).i);
  EXPECT_EQ(wave.state.s.pc, 0x1004u + 0x7fff * 4);
}

TEST(WaveScalar, ProgramCounter) {
  Wave wave;
  wave.state.s.pc = 0x123456789004;
  execute_scalar(wave.state, make("s_getpc_b64").dst(sgpr(4)).i);
  EXPECT_EQ(wave.state.s.pair(4), 0x123456789004u);
  wave.state.s.set_pair(8, 0x2000);
  execute_scalar(wave.state, make("s_setpc_b64").src(0, sgpr(8)).i);
  EXPECT_EQ(wave.state.s.pc, 0x2000u);
  wave.state.s.pc = 0x3004;
  execute_scalar(wave.state, make("s_swappc_b64").dst(sgpr(8)).src(0, sgpr(8)).i);
  EXPECT_EQ(wave.state.s.pc, 0x2000u);
  EXPECT_EQ(wave.state.s.pair(8), 0x3004u);
  execute_scalar(wave.state, make("s_call_b64").dst(sgpr(10)).simm(0xffff).i);
  EXPECT_EQ(wave.state.s.pc, 0x1ffcu);
  EXPECT_EQ(wave.state.s.pair(10), 0x2000u);
  for (const char* rfe : {"s_rfe_b64", "s_rfe_restore_b64"}) {
    wave.state.s.status = 1u << 5;
    execute_scalar(wave.state, make(rfe).src(0, sgpr(8)).i);
    EXPECT_EQ(wave.state.s.pc, 0x3004u);
    EXPECT_EQ(wave.state.s.status, 0u);
  }
}

TEST(WaveScalar, Trap) {
  Wave wave;
  wave.state.s.pc = 0x123456789004;
  wave.state.s.tba = 0xabcd00001000;
  EXPECT_EQ(execute_scalar(wave.state, make("s_trap").simm(7).i).event, Event::None);
  EXPECT_EQ(wave.state.s.pc, 0x123456789004u);
  wave.state.s.status = 1u << 6;  // TRAP_EN
  const Outcome outcome = execute_scalar(wave.state, make("s_trap").simm(7).i);
  EXPECT_EQ(outcome.event, Event::Trap);
  EXPECT_EQ(outcome.argument, 7u);
  EXPECT_EQ(wave.sgpr(isa::kTtmp0), 0x56789000u);
  EXPECT_EQ(wave.sgpr(isa::kTtmp0 + 1), 0x00071234u);
  EXPECT_EQ(wave.state.s.pc, 0xabcd00001000u);
  EXPECT_EQ(wave.state.s.status, 3u << 5);
}

TEST(WaveScalar, Events) {
  struct Expected {
    const char* mnemonic;
    uint16_t simm;
    Event event;
    uint32_t argument;
  };
  const Expected expected[] = {
      {"s_nop", 3, Event::None, 0},
      {"s_endpgm", 0, Event::EndProgram, 0},
      {"s_endpgm_saved", 0, Event::EndProgram, 0},
      {"s_endpgm_ordered_ps_done", 0, Event::EndProgram, 0},
      {"s_setkill", 1, Event::EndProgram, 0},
      {"s_setkill", 0xfffe, Event::None, 0},
      {"s_barrier", 0, Event::Barrier, 0},
      {"s_wakeup", 0, Event::Wakeup, 0},
      {"s_waitcnt", 0xcf7f, Event::WaitCount, 0xcf7f},
      {"s_sleep", 0x83, Event::Sleep, 192},
      {"s_setprio", 7, Event::Priority, 3},
      {"s_sendmsg", 1, Event::SendMessage, 1},
      {"s_icache_inv", 0, Event::InstructionCacheInvalidate, 0},
      {"s_incperflevel", 0, Event::None, 0},
      {"s_decperflevel", 0, Event::None, 0},
      {"s_ttracedata", 0, Event::None, 0},
  };
  for (const Expected& e : expected) {
    Wave wave;
    const Outcome outcome = execute_scalar(wave.state, make(e.mnemonic).simm(e.simm).i);
    EXPECT_EQ(outcome.event, e.event) << e.mnemonic;
    EXPECT_EQ(outcome.argument, e.argument) << e.mnemonic;
  }
  Wave wave;
  execute_scalar(wave.state, make("s_setprio").simm(2).i);
  EXPECT_EQ(wave.state.s.status, 2u << 3);
  EXPECT_EQ(execute_scalar(wave.state, make("s_sethalt").simm(1).i).event, Event::Halt);
  EXPECT_EQ(wave.state.s.status, (2u << 3) | (1u << 13));
  execute_scalar(wave.state, make("s_sethalt").simm(0).i);
  EXPECT_EQ(wave.state.s.status, 2u << 3);
  const Outcome outcome = execute_scalar(wave.state, make("s_sendmsghalt").simm(4).i);
  EXPECT_EQ(outcome.event, Event::SendMessage);
  EXPECT_EQ(wave.state.s.status, (2u << 3) | (1u << 13));
}

TEST(WaveScalar, ForkAndJoin) {
  // More lanes pass than fail: the failing ones go first, straight on; join resumes the others.
  Wave wave;
  wave.state.s.set_exec(0xff);
  wave.state.s.set_pair(20, 0xfc);    // pass mask
  wave.state.s.set_pair(22, 0x8000);  // target
  wave.state.s.pc = 0x1004;
  execute_scalar(wave.state, make("s_cbranch_g_fork").src(0, sgpr(20)).src(1, sgpr(22)).i);
  EXPECT_EQ(wave.state.s.exec(), 0x03u);
  EXPECT_EQ(wave.state.s.pc, 0x1004u);
  EXPECT_EQ(wave.state.s.pair(0), 0xfcu);
  EXPECT_EQ(wave.state.s.pair(2), 0x8000u);
  EXPECT_EQ(wave.state.s.mode.raw >> 29, 1u);
  // Nested: fewer pass, so they jump and the others wait at the next instruction.
  wave.state.s.set_pair(20, 0x01);
  execute_scalar(wave.state, make("s_cbranch_i_fork").role(isa::Role::Sdst, sgpr(20)).simm(0x10).i);
  EXPECT_EQ(wave.state.s.exec(), 0x01u);
  EXPECT_EQ(wave.state.s.pc, 0x1044u);
  EXPECT_EQ(wave.state.s.pair(4), 0x02u);
  EXPECT_EQ(wave.state.s.pair(6), 0x1004u);
  EXPECT_EQ(wave.state.s.mode.raw >> 29, 2u);
  wave.sgpr(24) = 1;  // CSP when the inner fork began
  Build join = make("s_cbranch_join");
  join.src(0, sgpr(24));
  execute_scalar(wave.state, join.i);
  EXPECT_EQ(wave.state.s.exec(), 0x02u);
  EXPECT_EQ(wave.state.s.pc, 0x1004u);
  wave.state.s.pc = 0x2000;
  execute_scalar(wave.state, join.i);  // second time: go on
  EXPECT_EQ(wave.state.s.pc, 0x2000u);
  // Uniform forks push nothing.
  wave.state.s.set_pair(20, 0xff);
  execute_scalar(wave.state, make("s_cbranch_g_fork").src(0, sgpr(20)).src(1, sgpr(22)).i);
  EXPECT_EQ(wave.state.s.pc, 0x8000u);
  wave.state.s.set_pair(20, 0);
  execute_scalar(wave.state, make("s_cbranch_g_fork").src(0, sgpr(20)).src(1, sgpr(22)).i);
  EXPECT_EQ(wave.state.s.pc, 0x8000u);
  EXPECT_EQ(wave.state.s.mode.raw >> 29, 1u);
}

// -- hardware registers
// -----------------------------------------------------------------------------

constexpr uint16_t hwreg(unsigned id, unsigned offset, unsigned size) {
  return static_cast<uint16_t>(id | offset << 6 | (size - 1) << 11);
}
uint32_t getreg(Wave& wave, unsigned id, unsigned offset = 0, unsigned size = 32) {
  EXPECT_EQ(
      execute_scalar(wave.state, make("s_getreg_b32").dst(sgpr(40)).simm(hwreg(id, offset, size)).i)
          .event,
      Event::None);
  return wave.sgpr(40);
}

TEST(WaveScalar, HardwareRegisters) {
  Wave wave;
  wave.state.s.mode.raw = 0x08c3f3f5;
  EXPECT_EQ(getreg(wave, 1), 0x08c3f3f5u);
  EXPECT_EQ(getreg(wave, 1, 4, 4), 0xfu);
  EXPECT_EQ(getreg(wave, 1, 28, 32), 0u);  // bits beyond the top read 0
  wave.state.s.status = 1u << 5;
  wave.state.s.scc = true;
  wave.state.s.set_vcc(0);
  EXPECT_EQ(getreg(wave, 2), (1u << 5) | 1u | (1u << 10) | (1u << 16));
  wave.state.s.set_exec(0);
  wave.state.s.set_vcc(1);
  EXPECT_EQ(getreg(wave, 2), (1u << 5) | 1u | (1u << 9) | (1u << 16));
  wave.state.s.trapsts = 0x123;
  EXPECT_EQ(getreg(wave, 3), 0x123u);
  wave.state.alloc.hw_id = 0x77;
  EXPECT_EQ(getreg(wave, 4), 0x77u);
  wave.state.alloc.vgprs = 24;
  wave.state.alloc.sgprs = 104;
  wave.state.alloc.vgpr_base = 3;
  wave.state.alloc.sgpr_base = 2;
  // As the trap handler of the public driver takes it apart: 16 SGPRs; with one file of VGPRs 8 of
  // all of them at bit 6, 4 of those that are not AccVGPRs at bit 12.
  EXPECT_EQ(getreg(wave, 5), 3u | 5u << 8 | 2u << 16 | 6u << 24);
  wave.state.alloc.accvgprs = 16;
  for (const auto target : {isa::Target::Gfx90a, isa::Target::Gfx942}) {
    const auto before = std::exchange(wave.state.target, target);
    EXPECT_EQ(getreg(wave, 5), 3u | 4u << 6 | 5u << 12 | 2u << 18 | 6u << 24);
    wave.state.target = before;
  }
  wave.state.alloc.lds_bytes = 1024;
  wave.state.alloc.lds_base = 9;
  EXPECT_EQ(getreg(wave, 6), 9u | 4u << 12);
  wave.state.s.ib_sts = 0x4321;
  EXPECT_EQ(getreg(wave, 7), 0x4321u);
  wave.state.alloc.private_aperture = 0x2000000000000000;
  wave.state.alloc.shared_aperture = 0x1000000000000000;
  EXPECT_EQ(getreg(wave, 15), 0x10002000u);
  wave.state.s.tba = 0x123400005600;
  wave.state.s.tma = 0x567800009a00;
  EXPECT_EQ(getreg(wave, 16), 0x5600u);
  EXPECT_EQ(getreg(wave, 17), 0x1234u);
  EXPECT_EQ(getreg(wave, 18), 0x9a00u);
  EXPECT_EQ(getreg(wave, 19), 0x5678u);
  EXPECT_EQ(
      execute_scalar(wave.state, make("s_getreg_b32").dst(sgpr(40)).simm(hwreg(9, 0, 32)).i).event,
      Event::Unsupported);
  wave.state.target = isa::Target::Gfx942;
  wave.state.alloc.xcc_id = 5;
  EXPECT_EQ(getreg(wave, 20), 5u);
}

TEST(WaveScalar, SetHardwareRegister) {
  Wave wave;
  wave.state.s.mode.raw = 0x3f0;
  wave.sgpr(4) = 0xffffff03;
  execute_scalar(wave.state,
                 make("s_setreg_b32").role(isa::Role::Sdst, sgpr(4)).simm(hwreg(1, 2, 2)).i);
  EXPECT_EQ(wave.state.s.mode.raw, 0x3fcu);
  Build imm = make("s_setreg_imm32_b32");
  imm.simm(hwreg(1, 23, 1));
  imm.i.words[1] = 1;
  execute_scalar(wave.state, imm.i);
  EXPECT_EQ(wave.state.s.mode.raw, 0x8003fcu);
  imm.simm(hwreg(3, 0, 9));
  imm.i.words[1] = 0x155;
  execute_scalar(wave.state, imm.i);
  EXPECT_EQ(wave.state.s.trapsts, 0x155u);
  imm.simm(hwreg(2, 0, 32));  // STATUS is read-only
  imm.i.words[1] = 0xffffffff;
  EXPECT_EQ(execute_scalar(wave.state, imm.i).event, Event::None);
  EXPECT_EQ(wave.state.s.status, 0u);
  EXPECT_FALSE(wave.state.s.scc);
  // But in a trap handler (decisions.md D38): SCC, two priorities, HALT and the debug conditions.
  wave.state.s.status = 1u << 5;
  execute_scalar(wave.state, imm.i);
  EXPECT_EQ(wave.state.s.status, 1u << 5 | 0x1eu | 1u << 13 | 3u << 20);
  EXPECT_TRUE(wave.state.s.scc);
  imm.simm(hwreg(2, 0, 1));
  imm.i.words[1] = 0;
  execute_scalar(wave.state, imm.i);
  EXPECT_FALSE(wave.state.s.scc);
  EXPECT_EQ(wave.state.s.status, 1u << 5 | 0x1eu | 1u << 13 | 3u << 20);
}

TEST(WaveScalar, GprIndexing) {
  Wave wave;
  wave.state.s.mode.raw = 0;
  wave.sgpr(isa::kM0) = 0xffffffff;
  wave.sgpr(4) = 0x12345605;
  Build on = make("s_set_gpr_idx_on");
  on.src(0, sgpr(4));
  on.i.words[0] = 0x9u << 8;  // the S1 field
  execute_scalar(wave.state, on.i);
  EXPECT_EQ(wave.state.s.mode.raw, 1u << 27);
  EXPECT_EQ(wave.sgpr(isa::kM0), 0xffff9f05u);
  execute_scalar(wave.state, make("s_set_gpr_idx_mode").simm(6).i);
  EXPECT_EQ(wave.sgpr(isa::kM0), 0xffff6f05u);
  wave.sgpr(4) = 0x777;
  execute_scalar(wave.state, make("s_set_gpr_idx_idx").src(0, sgpr(4)).i);
  EXPECT_EQ(wave.sgpr(isa::kM0), 0xffff6f77u);
  execute_scalar(wave.state, make("s_set_gpr_idx_off").i);
  EXPECT_EQ(wave.state.s.mode.raw, 0u);
  EXPECT_EQ(wave.sgpr(isa::kM0), 0xffff6f77u);
  wave.sgpr(4) = 0x20;
  wave.sgpr(5) = 37;
  execute_scalar(wave.state, make("s_setvskip").src(0, sgpr(4)).src(1, sgpr(5)).i);
  EXPECT_EQ(wave.state.s.mode.raw, 1u << 28);
  execute_scalar(wave.state, make("s_setvskip").src(0, constant(0)).src(1, constant(0)).i);
  EXPECT_EQ(wave.state.s.mode.raw, 0u);
}

// -- operands
// ---------------------------------------------------------------------------------------

TEST(WaveScalar, Sources) {
  Wave wave;
  const auto read32 = [&wave](const isa::Operand& o) {
    execute_scalar(wave.state, make("s_mov_b32").dst(sgpr(40)).src(0, o).i);
    return wave.sgpr(40);
  };
  const auto read64 = [&wave](const isa::Operand& o) {
    execute_scalar(wave.state, make("s_mov_b64").dst(sgpr(40)).src(0, o).i);
    return wave.state.s.pair(40);
  };
  wave.state.alloc.shared_aperture = 0x1000000000000000;
  wave.state.alloc.private_aperture = 0x2000000000000000;
  EXPECT_EQ(read64(special(isa::kSharedBase)), 0x1000000000000000u);
  EXPECT_EQ(read64(special(isa::kSharedLimit)), 0x10000000ffffffffu);
  EXPECT_EQ(read64(special(isa::kPrivateBase)), 0x2000000000000000u);
  EXPECT_EQ(read64(special(isa::kPrivateLimit)), 0x20000000ffffffffu);
  wave.state.s.set_vcc(0);
  EXPECT_EQ(read32(special(isa::kVccz)), 1u);
  EXPECT_EQ(read32(special(isa::kExecz)), 0u);
  wave.state.s.set_vcc(0x100000000);
  wave.state.s.set_exec(0);
  EXPECT_EQ(read32(special(isa::kVccz)), 0u);
  EXPECT_EQ(read32(special(isa::kExecz)), 1u);
  wave.state.s.scc = true;
  EXPECT_EQ(read32(special(isa::kScc)), 1u);
  EXPECT_EQ(read32(constant(0xfffffff0)), 0xfffffff0u);
  EXPECT_EQ(read64(constant(0x3ff0000000000000)), 0x3ff0000000000000u);
  EXPECT_EQ(read64(operand(isa::OperandKind::Literal, 0, 0x89abcdef)), 0x89abcdefu);
}

TEST(WaveScalar, OutOfRange) {
  Wave wave;
  wave.state.alloc.sgprs = 16;
  wave.sgpr(0) = 0x11;
  wave.sgpr(1) = 0x22;
  wave.sgpr(16) = 0x33;
  wave.sgpr(15) = 0x44;
  execute_scalar(wave.state, make("s_mov_b32").dst(sgpr(4)).src(0, sgpr(16)).i);
  EXPECT_EQ(wave.sgpr(4), 0x11u);
  execute_scalar(wave.state, make("s_mov_b64").dst(sgpr(4)).src(0, sgpr(16)).i);
  EXPECT_EQ(wave.state.s.pair(4), 0x2200000011u);
  execute_scalar(wave.state, make("s_mov_b32").dst(sgpr(4)).src(0, sgpr(15)).i);
  EXPECT_EQ(wave.sgpr(4), 0x44u);
  // The destination is not written, SCC and EXEC are.
  execute_scalar(wave.state, make("s_or_b32").dst(sgpr(16)).src(0, sgpr(0)).src(1, sgpr(1)).i);
  EXPECT_EQ(wave.sgpr(16), 0x33u);
  EXPECT_TRUE(wave.state.s.scc);
  wave.state.s.set_exec(0xff);
  execute_scalar(wave.state, make("s_and_saveexec_b64").dst(sgpr(18)).src(0, sgpr(0)).i);
  EXPECT_EQ(wave.state.s.exec(), 0x11u);
  EXPECT_EQ(wave.state.s.pair(18), 0u);
  // VCC and the others above the SGPRs always exist; trap temporaries want privilege.
  execute_scalar(wave.state, make("s_mov_b32").dst(sgpr(isa::kVccLo)).src(0, sgpr(1)).i);
  EXPECT_EQ(wave.sgpr(isa::kVccLo), 0x22u);
  execute_scalar(wave.state, make("s_mov_b32").dst(sgpr(isa::kTtmp0)).src(0, sgpr(1)).i);
  EXPECT_EQ(wave.sgpr(isa::kTtmp0), 0u);
  wave.state.s.status = 1u << 5;
  execute_scalar(wave.state, make("s_mov_b32").dst(sgpr(isa::kTtmp0)).src(0, sgpr(1)).i);
  EXPECT_EQ(wave.sgpr(isa::kTtmp0), 0x22u);
}

TEST(WaveScalar, EveryRowIsCovered) {
  unsigned with = 0;
  unsigned rows = 0;
  for (const isa::Row& row : isa::rows()) {
    if (row.format > isa::Format::Sopp) continue;
    ++rows;
    const bool has = scalar::find_handler(row.semantic) != nullptr;
    with += has;
    const std::string name(row.mnemonic);
    EXPECT_TRUE(has) << name;
    EXPECT_EQ(covered().count(name) != 0, has) << name << ": no directed value";
  }
  std::printf("semantics: %u of %u scalar rows\n", with, rows);
  std::printf("semantics tested: %zu of %u scalar rows\n", covered().size(), rows);
}

}  // namespace
}  // namespace cuvette::wave::testing
