// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/scalar/scalar.h"
#include "wave/trap.h"

// SOPP, program counter, traps, and the fork/join stack (MI100 ISA 4; Vega ISA 12.3, 12.5).
namespace cuvette::wave::scalar {
namespace {

Outcome nothing(WaveState&, const isa::Instruction&) {
  return {};
}
bool quick_nothing(const MicroOp&, WaveState&, Context&) {
  return true;
}
template <Event kEvent>
Outcome signal(WaveState&, const isa::Instruction& i) {
  return {kEvent, simm16(i), ""};
}

Outcome branch(WaveState& wave, const isa::Instruction& i) {
  set_pc(wave, branch_target(wave, i));
  return {};
}
template <auto Taken>
Outcome branch_if(WaveState& wave, const isa::Instruction& i) {
  return Taken(wave.s) ? branch(wave, i) : Outcome{};
}
template <auto Taken>
bool quick_branch_if(const MicroOp& p, WaveState& wave, Context&) {
  if (Taken(wave.s)) set_pc(wave, branch_target(wave, *p.instruction));
  return true;
}
bool always(const ScalarState&) {
  return true;
}
bool scc0(const ScalarState& s) {
  return !s.scc;
}
bool scc1(const ScalarState& s) {
  return s.scc;
}
bool vccz(const ScalarState& s) {
  return s.vcc() == 0;
}
bool vccnz(const ScalarState& s) {
  return s.vcc() != 0;
}
bool execz(const ScalarState& s) {
  return s.exec() == 0;
}
bool execnz(const ScalarState& s) {
  return s.exec() != 0;
}
bool debug_sys(const ScalarState& s) {
  return (s.status & kStatusCondDbgSys) != 0;
}
bool debug_user(const ScalarState& s) {
  return (s.status & kStatusCondDbgUser) != 0;
}
bool debug_or(const ScalarState& s) {
  return debug_sys(s) || debug_user(s);
}
bool debug_and(const ScalarState& s) {
  return debug_sys(s) && debug_user(s);
}

Outcome getpc(WaveState& wave, const isa::Instruction& i) {
  write_scalar64(wave, i.dst[0], wave.s.pc);
  return {};
}
Outcome setpc(WaveState& wave, const isa::Instruction& i) {
  set_pc(wave, read_scalar64(wave, i.src[0]));
  return {};
}
Outcome swappc(WaveState& wave, const isa::Instruction& i) {
  const uint64_t target = read_scalar64(wave, i.src[0]);
  write_scalar64(wave, i.dst[0], wave.s.pc);
  set_pc(wave, target);
  return {};
}
Outcome call(WaveState& wave, const isa::Instruction& i) {
  const uint64_t target = branch_target(wave, i);
  write_scalar64(wave, i.dst[0], wave.s.pc);
  set_pc(wave, target);
  return {};
}
Outcome return_from_exception(WaveState& wave, const isa::Instruction& i) {
  set_pc(wave, read_scalar64(wave, i.src[0]));
  wave.s.status &= ~kStatusPriv;
  return {};
}

/// The saved PC is that of the S_TRAP itself; a NOP where STATUS.TRAP_EN is 0 (MI100 ISA 3.10).
Outcome trap(WaveState& wave, const isa::Instruction& i) {
  if ((wave.s.status & kStatusTrapEn) == 0) return {};
  const unsigned id = simm16(i) & 0xff;
  if (wave.s.tba == 0) return {Event::Abort, id, ""};
  enter_trap(wave, wave.s.pc - 4u * i.length, id, 0);
  return {Event::Trap, id, ""};
}

void set_halt(WaveState& wave, bool halt) {
  wave.s.status = halt ? wave.s.status | kStatusHalt : wave.s.status & ~kStatusHalt;
}
Outcome sethalt(WaveState& wave, const isa::Instruction& i) {
  const bool halt = base::bit(simm16(i), 0);
  set_halt(wave, halt);
  return {Event::Halt, halt, ""};
}
Outcome sendmsghalt(WaveState& wave, const isa::Instruction& i) {
  set_halt(wave, true);
  return {Event::SendMessage, simm16(i), ""};
}
/// KILL ends the wave; clearing it has nothing to undo (Vega ISA 12.5 row 11).
Outcome setkill(WaveState&, const isa::Instruction& i) {
  return {base::bit(simm16(i), 0) ? Event::EndProgram : Event::None, 0, ""};
}
Outcome sleep(WaveState&, const isa::Instruction& i) {
  return {Event::Sleep, 64u * (simm16(i) & 0x7fu), ""};
}
Outcome setprio(WaveState& wave, const isa::Instruction& i) {
  const uint32_t priority = simm16(i) & 3u;
  wave.s.status = static_cast<uint32_t>(base::insert_bits(wave.s.status, 4, 3, priority));
  return {Event::Priority, priority, ""};
}

// Fork and join: six entries {PC, EXEC} in SGPRs CSP*4.. of MODE.CSP (MI100 ISA 4.6).

unsigned stack_pointer(const WaveState& wave) {
  return static_cast<unsigned>(base::bits(wave.s.mode.raw, 31, 29));
}
void set_stack_pointer(WaveState& wave, unsigned csp) {
  wave.s.mode.raw = static_cast<uint32_t>(base::insert_bits(wave.s.mode.raw, 31, 29, csp));
}
void push(WaveState& wave, uint64_t pc, uint64_t exec) {
  const unsigned csp = stack_pointer(wave);
  write_code64(wave, csp * 4, exec);
  write_code64(wave, csp * 4 + 2, pc);
  set_stack_pointer(wave, csp + 1);
}

/// The smaller side runs first, so six entries are enough for 64 lanes.
void fork(WaveState& wave, uint64_t mask, uint64_t target) {
  const uint64_t exec = wave.s.exec();
  const uint64_t pass = mask & exec;
  const uint64_t fail = ~mask & exec;
  if (pass == exec) {
    set_pc(wave, target);
  } else if (fail == exec) {
    return;
  } else if (std::popcount(fail) < std::popcount(pass)) {
    push(wave, target, pass);
    wave.s.set_exec(fail);
  } else {
    push(wave, wave.s.pc, fail);
    wave.s.set_exec(pass);
    set_pc(wave, target);
  }
}
Outcome g_fork(WaveState& wave, const isa::Instruction& i) {
  fork(wave, read_scalar64(wave, i.src[0]), read_scalar64(wave, i.src[1]));
  return {};
}
Outcome i_fork(WaveState& wave, const isa::Instruction& i) {
  fork(wave, read_scalar64(wave, sopk_register(i)), branch_target(wave, i));
  return {};
}
Outcome join(WaveState& wave, const isa::Instruction& i) {
  const unsigned csp = stack_pointer(wave);
  if (csp == read_scalar32(wave, i.src[0])) return {};
  const unsigned top = (csp - 1) & 7;
  set_stack_pointer(wave, top);
  wave.s.set_exec(read_code64(wave, top * 4));
  set_pc(wave, read_code64(wave, top * 4 + 2));
  return {};
}

constexpr Entry kEntries[] = {
    {Id::s_nop, nothing, quick_nothing},
    {Id::s_endpgm, signal<Event::EndProgram>},
    {Id::s_endpgm_saved, signal<Event::EndProgram>},
    {Id::s_endpgm_ordered_ps_done, signal<Event::EndProgram>},
    {Id::s_setkill, setkill},
    {Id::s_branch, branch, quick_branch_if<always>},
    {Id::s_cbranch_scc0, branch_if<scc0>, quick_branch_if<scc0>},
    {Id::s_cbranch_scc1, branch_if<scc1>, quick_branch_if<scc1>},
    {Id::s_cbranch_vccz, branch_if<vccz>, quick_branch_if<vccz>},
    {Id::s_cbranch_vccnz, branch_if<vccnz>, quick_branch_if<vccnz>},
    {Id::s_cbranch_execz, branch_if<execz>, quick_branch_if<execz>},
    {Id::s_cbranch_execnz, branch_if<execnz>, quick_branch_if<execnz>},
    {Id::s_cbranch_cdbgsys, branch_if<debug_sys>},
    {Id::s_cbranch_cdbguser, branch_if<debug_user>},
    {Id::s_cbranch_cdbgsys_or_user, branch_if<debug_or>},
    {Id::s_cbranch_cdbgsys_and_user, branch_if<debug_and>},
    {Id::s_barrier, signal<Event::Barrier>},
    {Id::s_wakeup, signal<Event::Wakeup>},
    {Id::s_waitcnt, signal<Event::WaitCount>, quick_nothing},
    {Id::s_sethalt, sethalt},
    {Id::s_sleep, sleep},
    {Id::s_setprio, setprio},
    {Id::s_sendmsg, signal<Event::SendMessage>},
    {Id::s_sendmsghalt, sendmsghalt},
    {Id::s_trap, trap},
    {Id::s_icache_inv, signal<Event::InstructionCacheInvalidate>},
    {Id::s_incperflevel, nothing},
    {Id::s_decperflevel, nothing},
    {Id::s_ttracedata, nothing},
    {Id::s_getpc_b64, getpc},
    {Id::s_setpc_b64, setpc},
    {Id::s_swappc_b64, swappc},
    {Id::s_call_b64, call},
    {Id::s_rfe_b64, return_from_exception},
    {Id::s_rfe_restore_b64, return_from_exception},
    {Id::s_cbranch_g_fork, g_fork},
    {Id::s_cbranch_i_fork, i_fork},
    {Id::s_cbranch_join, join},
};

}  // namespace

EntryList control_entries() {
  return kEntries;
}

}  // namespace cuvette::wave::scalar
