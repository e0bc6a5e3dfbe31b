// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "steady_loop_run.h"

#include <algorithm>
#include <random>

namespace cuvette::golden::steady {
namespace {

constexpr uint32_t kFloatFlags = 0x7f;
constexpr uint64_t kCodeBytes = 4096;

uint64_t run_slices(Wave& w, Program& program, MemoryPort& port, const Judgement& how,
                    HostLevel level) {
  uint64_t done = 0;
  while (w.status == WaveStatus::Running && done < how.limit) {
    const uint64_t slice = std::min(how.slice[static_cast<size_t>(level)], how.limit - done);
    const uint64_t now = w.run(slice, program, port, nullptr);
    EXPECT_LE(now, slice);
    EXPECT_GT(now, 0u);
    if (now == 0) break;
    done += now;
  }
  if (done < how.limit) {
    EXPECT_EQ(w.status, WaveStatus::Ended) << w.failure;
  }
  EXPECT_NE(w.status, WaveStatus::Failed) << w.failure;
  EXPECT_EQ(w.order, done);
  return done;
}

/// As State::next.
size_t next_of(const Wave& w, const Code& code, uint64_t address) {
  if (w.status == WaveStatus::Ended) return code.begins.size();
  const auto here = std::find(code.begins.begin(), code.begins.end(), (w.state.s.pc - address) / 4);
  EXPECT_NE(here, code.begins.end());
  return static_cast<size_t>(here - code.begins.begin());
}

void look_at_short_cuts(Program& program, uint64_t address, Actual& out) {
  Program::Block& block = program.block(address, *program.at(address));
  const wave::SteadyCode& loop = program.steady_loop(block);
  out.loop = !loop.empty();
  out.stream = out.loop && loop.pieces().size() < block.straight.size();
  out.once = !block.once.empty();
}

size_t first_difference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                             a.begin());
}

}  // namespace

void set_up(Wave& w, const State& before, uint64_t pc, PartsMemory& memory) {
  memory.bytes = before.memory;
  memory.put();
  w.trap_on_violation = true;
  w.state.s.sgpr = before.sgpr;
  w.state.s.scc = before.scc;
  w.state.s.pc = pc;
  w.state.s.mode.raw = wave::kDefaultMode;
  w.state.alloc.vgprs = kVgprs;
  w.state.alloc.lds_bytes = kLdsBytes;
  w.state.alloc.shared_aperture = before.aperture;
  std::copy(before.rows.begin(), before.rows.end(), w.state.v.arch);
}

State state_of(const Wave& w, PartsMemory& memory) {
  State state;
  state.rows.assign(w.state.v.arch, w.state.v.arch + kVgprs);
  state.sgpr = w.state.s.sgpr;
  state.scc = w.state.s.scc;
  state.memory = memory.get();
  state.lds = w.group->lds;
  state.trapsts = w.state.s.trapsts;
  return state;
}

Actual run(const Code& code, uint64_t address, const State& before, PartsMemory& memory,
           HostLevel level, const Judgement& how) {
  wave::lanes::limit_host_level(level);
  EXPECT_LE(4 * code.words.size(), kCodeBytes);
  EXPECT_TRUE(memory.device.poke(address, code.words.data(), 4 * code.words.size()).ok());
  Program program(memory.device, kTarget);
  Actual out;
  uint64_t all = 0;
  for (unsigned n = 0; n < how.waves; ++n) {
    MemoryPort port(memory.device);
    Workgroup group;
    group.waves = 1;
    group.lds = before.lds;
    Wave w(kTarget, kVgprs, 0);
    w.group = &group;
    set_up(w, before, address, memory);
    const uint64_t done = run_slices(w, program, port, how, level);
    all += done;
    out.state = state_of(w, memory);
    out.state.instructions = done;
    out.state.next = next_of(w, code, address);
  }
  look_at_short_cuts(program, address, out);
  wave::lanes::limit_host_level(HostLevel::Avx512);
  uint64_t counted = 0;
  for (const auto& [row, count] : program.executed()) counted += count;
  EXPECT_EQ(counted, all);
  return out;
}

void expect_same(const State& want, const State& got, const std::string& what) {
  ASSERT_EQ(want.instructions, got.instructions) << what;
  ASSERT_EQ(want.next, got.next) << what;
  for (unsigned r = 0; r < 128; ++r) ASSERT_EQ(want.sgpr[r], got.sgpr[r]) << what << " s" << r;
  ASSERT_EQ(want.scc, got.scc) << what;
  for (unsigned r = 0; r < kVgprs; ++r) ASSERT_EQ(want.rows[r], got.rows[r]) << what << " v" << r;
  ASSERT_TRUE(want.memory == got.memory)
      << what << " memory at " << first_difference(want.memory, got.memory);
  ASSERT_EQ(want.lds, got.lds) << what;
  ASSERT_EQ(want.trapsts & ~kFloatFlags, got.trapsts & ~kFloatFlags) << what;
}

SteadyCodeTest::SteadyCodeTest(const PartsMemory::Layout& layout) : memory_(layout) {
  hsa::DeviceMemory::Options executable;
  executable.permitted = hsa::Access::Execute;
  code_ = *memory_.device.allocate(kCodeBytes, executable);
  std::mt19937_64 content(11);
  memory_.fill(content);
  memory_.put();
  bytes_ = memory_.get();  // holes read as zeros
  lds_.resize(kLdsBytes);
  for (uint8_t& b : lds_) b = static_cast<uint8_t>(content());
}

void SteadyCodeTest::judge(unsigned seed, const Loop& loop, const State& before,
                           const Judgement& how) {
  const Code code = code_of(loop);
  ASSERT_FALSE(HasFailure()) << "seed " << seed;
  const State want = evaluate(loop, before, memory_, how.limit);
  clean_ += want.trapsts == 0;
  uint32_t flags = 0;
  for (const HostLevel level :
       {HostLevel::None, HostLevel::Baseline, HostLevel::Avx2, HostLevel::Avx512}) {
    const Actual got = run(code, code_, before, memory_, level, how);
    expect_same(want, got.state,
                "seed " + std::to_string(seed) + " level " +
                    std::to_string(static_cast<int>(level)) + " slice " +
                    std::to_string(how.slice[static_cast<size_t>(level)]) + " limit " +
                    std::to_string(how.limit));
    if (HasFailure()) GTEST_FAIL() << "seed " << seed << "\n" << text_of(loop);
    // Those of the general handlers, which have tests of their own.
    if (level == HostLevel::None) flags = got.state.trapsts & kFloatFlags;
    ASSERT_EQ(got.state.trapsts & kFloatFlags, flags) << "seed " << seed;
    if (level != HostLevel::Avx2) continue;
    streams_ += got.stream;
    loops_ += got.loop;
    onces_ += got.once;
  }
}

}  // namespace cuvette::golden::steady
