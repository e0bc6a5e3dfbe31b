// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/bits.h"
#include "isa/decode.h"
#include "isa/text.h"
#include "simd/simd_model.h"
#include "valu/valu_model.h"
#include "vrf/vrf_model.h"
#include "wave/execute.h"
#include "wave/operand.h"

// Every vector instruction of a target, random operands and modifiers, through both ways of the
// simd and against the whole instruction of layer wave (judged by the tests of that layer).
namespace cuvette::simd {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Target;
using machine::Cycle;

constexpr uint64_t kSeed = 77002;
constexpr unsigned kRegisters = 256;

const valu::Registry& valus() {
  static const valu::Registry registry = [] {
    valu::Registry r;
    valu::register_valu_tlm(r);
    // The same arithmetic under another name takes the way by beats.
    r.add("beats", [](const valu::Config& c) { return std::make_unique<valu::ValuModel>(c); });
    return r;
  }();
  return registry;
}

/// A register file that is no host memory, and counts who uses it.
class PortedVrf final : public vrf::Vrf {
 public:
  explicit PortedVrf(const vrf::Config& config) : rows_(config) {}
  void read(vrf::ReadPort port, Cycle now, vrf::RowAddress address, wave::LaneRow& out) override {
    ++reads[static_cast<unsigned>(port)];
    times.push_back(now);
    rows_.read(port, now, address, out);
  }
  void write(vrf::WritePort port, Cycle now, vrf::RowAddress address, uint64_t lanes,
             const wave::LaneRow& data) override {
    ++writes[static_cast<unsigned>(port)];
    times.push_back(now);
    rows_.write(port, now, address, lanes, data);
  }
  wave::VectorFile view(uint16_t, uint16_t, uint16_t, uint16_t) override { return {}; }

  unsigned reads[vrf::kReadPorts] = {}, writes[vrf::kWritePorts] = {};
  std::vector<Cycle> times;  ///< of all accesses

 private:
  vrf::VrfModel rows_;
};

std::unique_ptr<Simd> make_simd(const std::string& valu, Target target,
                                const std::string& vrf = "tlm", uint32_t pipeline_cycles = 1) {
  vrf::Registry vrfs;
  vrfs.add("ported", [](const vrf::Config& c) { return std::make_unique<PortedVrf>(c); });
  Registry registry;
  register_tlm(registry);
  Config config;
  config.target = target;
  config.valu.target = target;
  config.valu.latency_cycles = 3;
  config.valus = &valus();
  config.valu_implementation = valu;
  config.vrfs = &vrfs;
  config.vrf_implementation = vrf;
  config.pipeline_cycles = pipeline_cycles;
  if (isa::unified_vgprs(target)) {
    config.registers.rows = 2 * kRegisters;
    config.registers.acc_rows = 0;
  }
  return registry.make("tlm", config);
}

bool is_vector(const Operand& o) {
  return o.kind == OperandKind::Vgpr || o.kind == OperandKind::Agpr;
}

/// First row of the AccVGPRs: the upper half of a unified file, or the start of their own.
uint16_t acc_base(Target target) {
  return isa::unified_vgprs(target) ? kRegisters : 0;
}

struct Machine {
  std::vector<wave::LaneRow> v = std::vector<wave::LaneRow>(kRegisters);
  std::vector<wave::LaneRow> a = std::vector<wave::LaneRow>(kRegisters);
  wave::WaveState state;
  uint16_t count = kRegisters;

  Machine(Target target, std::mt19937_64& rng) {
    state.target = target;
    // Small numbers and ordinary floats, so that compares, shifts and selects see all cases.
    const auto value = [&rng] {
      const auto raw = static_cast<uint32_t>(rng());
      switch (rng() % 4) {
        case 0:
          return raw & 0x3f;
        case 1:
          return (raw & 0x807fffffu) | (120 + raw % 16) << 23;
        default:
          return raw;
      }
    };
    for (auto* file : {&v, &a}) {
      for (auto& row : *file) {
        for (auto& lane : row) lane = value();
      }
    }
    for (auto& s : state.s.sgpr) s = value();
    attach();
  }
  Machine(const Machine& o) : v(o.v), a(o.a), state(o.state), count(o.count) { attach(); }
  void attach() {
    state.v.arch = v.data();
    state.v.acc = a.data();
    state.v.arch_count = state.v.acc_count = kRegisters;
    state.alloc.vgprs = state.alloc.accvgprs = count;
  }
};

/// Issue of an instruction as the sequencer makes it: scalar values in, scalar results out.
Issue issue_of(const Machine& m, const isa::Instruction& i, uint32_t id) {
  Issue issue;
  issue.id = id;
  issue.instruction = i;
  issue.vgpr_count = issue.acc_count = m.count;
  issue.acc_base = acc_base(m.state.target);
  issue.mode = m.state.s.mode.raw;
  issue.exec = m.state.s.exec();
  issue.m0 = m.state.s.m0();
  for (unsigned s = 0; s < 4; ++s) {
    const Operand& o = i.src[s];
    if (o.kind == OperandKind::None || is_vector(o)) continue;
    if (o.type == isa::Type::Mask) {
      issue.mask_in = wave::read_scalar64(m.state, o);
    } else if (s < 3) {
      issue.scalar[s] =
          o.dwords == 2 ? wave::read_scalar64(m.state, o) : wave::read_scalar32(m.state, o);
    }
  }
  for (const Operand& o : i.dst) {
    const bool mask = o.kind == OperandKind::Sgpr && o.type == isa::Type::Mask;
    if (mask && i.encoding == isa::Encoding::Dpp) issue.mask_in = wave::read_scalar64(m.state, o);
  }
  return issue;
}

/// Runs one instruction on a simd whose registers are those of `m`; `m` holds the results after it.
void run(Simd& simd, Machine& m, const isa::Instruction& i, Cycle& now, uint64_t* beats = nullptr) {
  const bool own_file = !isa::unified_vgprs(m.state.target);
  const auto for_rows = [&](auto act) {
    for (uint16_t r = 0; r < kRegisters; ++r) {
      act(vrf::RowAddress{false, r}, m.v[r]);
      act(vrf::RowAddress{own_file, static_cast<uint16_t>(acc_base(m.state.target) + r)}, m.a[r]);
    }
  };
  for_rows([&](vrf::RowAddress at, wave::LaneRow& row) {
    simd.registers().write(vrf::WritePort::Backdoor, now, at, ~uint64_t{0}, row);
  });
  ASSERT_TRUE(simd.issue.can_push(now));
  simd.issue.push(issue_of(m, i, 9), now + 1);
  uint64_t mask = 0;
  uint32_t scalar = 0;
  bool has_mask = false, has_scalar = false, last = false;
  uint32_t flags = 0;
  std::vector<wave::LaneRow> shadow_v = m.v, shadow_a = m.a;
  for (const Cycle end = now + 1000; !last && now < end; ++now) {
    simd.tick(now);
    while (simd.retire.front(now) != nullptr && !last) {
      const Retire r = simd.retire.pop(now);
      EXPECT_EQ(r.id, 9u);
      last = r.last;
      flags |= r.flags;
      if (beats != nullptr) ++*beats;
      if (r.has_mask) {
        has_mask = true;
        mask |= uint64_t{r.mask} << 16 * r.beat;
      }
      if (r.has_scalar) {
        has_scalar = true;
        scalar = r.scalar;
      }
      for (unsigned n = 0; n < r.dwords; ++n) {
        auto& file = r.row.acc || r.row.row >= kRegisters ? shadow_a : shadow_v;
        for (unsigned l = 0; l < 16; ++l) {
          if (base::bit(r.write, l))
            file[(r.row.row + n) % kRegisters][16 * r.beat + l] = r.data[n][l];
        }
      }
    }
  }
  ASSERT_TRUE(last) << isa::text(i);
  for_rows([&](vrf::RowAddress at, wave::LaneRow& row) {
    simd.registers().read(vrf::ReadPort::Backdoor, now, at, row);
  });
  EXPECT_TRUE(shadow_v == m.v && shadow_a == m.a)
      << "retired data is what was written: " << isa::text(i);
  for (const Operand& o : i.dst) {
    if (o.kind != OperandKind::Sgpr) continue;
    if (o.type == isa::Type::Mask) {
      if (has_mask) wave::write_scalar64(m.state, o, mask);
    } else if (has_scalar) {
      wave::write_scalar32(m.state, o, scalar);
    }
  }
  if (i.row->format == isa::Format::Vopc && i.row->has(isa::kWritesExec)) m.state.s.set_exec(mask);
  m.state.s.trapsts |= flags & wave::kExcpMask;
}

void expect_equal(const Machine& got, const Machine& want, const isa::Instruction& i,
                  const char* way) {
  ASSERT_TRUE(got.v == want.v) << way << ": " << isa::text(i) << " seed " << kSeed;
  ASSERT_TRUE(got.a == want.a) << way << ": " << isa::text(i) << " seed " << kSeed;
  ASSERT_TRUE(got.state.s.sgpr == want.state.s.sgpr) << way << ": " << isa::text(i);
  ASSERT_EQ(got.state.s.trapsts, want.state.s.trapsts) << way << ": " << isa::text(i);
}

/// A word of each vector format for an opcode; the operand fields come from `low` and `high`.
struct FormatBits {
  unsigned opcodes;
  uint32_t fixed, free;
  unsigned shift;
};
constexpr FormatBits kFormats[] = {
    {62, 0x00000000, 0x01ffffff, 25},    // VOP2 (62, 63 are VOPC and VOP1)
    {256, 0x7e000000, 0x01fe01ff, 9},    // VOP1
    {256, 0x7c000000, 0x0001ffff, 17},   // VOPC
    {1024, 0xd0000000, 0x0000ffff, 16},  // VOP3
    {128, 0xd3800000, 0x0000ffff, 16},   // VOP3P
};

constexpr uint16_t kSdwa = 249, kDpp = 250;

struct Drawn {
  isa::Instruction instruction;
  bool ok = false;
};

Drawn draw(const FormatBits& f, unsigned opcode, Target target, std::mt19937_64& rng) {
  uint32_t words[4] = {};
  for (auto& word : words) word = static_cast<uint32_t>(rng());
  words[0] = f.fixed | (words[0] & f.free) | opcode << f.shift;
  const bool short_form = f.opcodes <= 256 && f.fixed != 0xd3800000;
  if (!short_form && rng() % 2 == 0) {  // without modifiers, which many rows do not have
    words[0] &= ~0xff00u;
    words[1] &= rng() % 2 == 0 ? 0x07ffffffu : 0x0003ffffu;  // with and without a third source
  }
  if (f.fixed == 0xd3800000 && rng() % 4 == 0) {  // op_sel_hi of a row that has none
    words[0] = (words[0] & ~0xff00u) | 0x4000u;
    words[1] = (words[1] & 0x000003ffu) | 0x18000000u;
  }
  if (short_form && rng() % 8 == 0) words[0] &= ~f.free;  // rows without operands
  if (short_form && rng() % 2 == 0) {
    words[0] = (words[0] & ~0x1ffu) | (rng() % 2 == 0 ? kSdwa : kDpp);
  }
  const isa::Decoded d = isa::decode(target, words, 4);
  Drawn out;
  // Fields without a meaning make an instruction Reserved; they are ignored.
  if (d.status != isa::DecodeStatus::Legal && d.status != isa::DecodeStatus::Reserved) return out;
  const isa::Instruction& i = d.instruction;
  if (i.row->unit != isa::Unit::Valu && i.row->unit != isa::Unit::Trans) return out;
  if (wave::status_of(*i.row, target).status == wave::Status::Unsupported) return out;
  for (const Operand& o : i.src) {
    if (o.kind == OperandKind::Special && o.index == isa::kLdsDirect) return out;
    if (o.kind == OperandKind::Sgpr && o.dwords > 2) return out;
  }
  out.instruction = i;
  out.ok = true;
  return out;
}

void randomize(Machine& m, std::mt19937_64& rng) {
  constexpr uint64_t kExec[] = {~uint64_t{0}, 0, 0x8000000000000001, 0xffff0000ffff0000};
  m.state.s.mode.raw = static_cast<uint32_t>(rng()) & 0x0080003ffu;
  if (rng() % 8 == 0) m.state.s.mode.raw |= 1u << 27;  // GPR indexing
  m.state.s.set_exec(rng() % 3 == 0 ? kExec[rng() % 4] : rng());
  m.state.s.sgpr[isa::kM0] = static_cast<uint32_t>(rng()) & 0xf03f;
  m.count = rng() % 8 == 0 ? 100 : kRegisters;  // many operands out of range
  m.attach();
}

void compare_target(Target target, unsigned draws) {
  std::mt19937_64 rng(kSeed);
  Machine base(target, rng);
  const auto whole = make_simd("tlm", target);
  const auto beats = make_simd("beats", target);
  const auto ported = make_simd("tlm", target, "ported");
  Cycle now_whole = 10, now_beats = 10, now_ported = 10;
  std::set<std::string> covered;
  for (const FormatBits& f : kFormats) {
    for (unsigned opcode = 0; opcode < f.opcodes; ++opcode) {
      unsigned drawn = 0;
      for (unsigned tries = 0; tries < 4000 && drawn < draws; ++tries) {
        const Drawn d = draw(f, opcode, target, rng);
        if (!d.ok) continue;
        ++drawn;
        const isa::Instruction& i = d.instruction;
        randomize(base, rng);
        Machine want(base), fast(base), slow(base), through_ports(base);
        const wave::Outcome o = i.row->semantic == isa::SemanticId::v_accvgpr_read_b32 ||
                                        i.row->semantic == isa::SemanticId::v_accvgpr_write_b32 ||
                                        i.row->semantic == isa::SemanticId::v_accvgpr_mov_b32
                                    ? wave::execute_matrix(want.state, i)
                                    : wave::execute_vector(want.state, i);
        ASSERT_EQ(o.event, wave::Event::None) << isa::text(i) << ": " << o.reason;
        // SGPR pairs of masks out of range are the sequencer's work (compute_unit_test).
        ASSERT_TRUE(whole->implements(*i.row, i.encoding, i.mod)) << isa::text(i);
        run(*whole, fast, i, now_whole);
        run(*beats, slow, i, now_beats);
        run(*ported, through_ports, i, now_ported);
        if (testing::Test::HasFatalFailure()) return;
        expect_equal(fast, want, i, "whole");
        expect_equal(slow, want, i, "beats");
        expect_equal(through_ports, want, i, "ported");
        if (testing::Test::HasFailure()) return;
        covered.insert(isa::row_id(*i.row));
        now_whole += 20;
        now_beats += 20;
        now_ported += 20;
      }
    }
  }
  // Every row of the units that layer wave supports and that can be drawn.
  for (const isa::Row& row : isa::rows()) {
    if (!row.on(target) || (row.unit != isa::Unit::Valu && row.unit != isa::Unit::Trans)) continue;
    if (wave::status_of(row, target).status == wave::Status::Unsupported) continue;
    EXPECT_EQ(covered.count(isa::row_id(row)), 1u) << isa::row_id(row);
  }
}

TEST(Simd, AllWaysEqualLayerWaveGfx908) {
  compare_target(Target::Gfx908, 24);
}
TEST(Simd, AllWaysEqualLayerWaveGfx90a) {
  compare_target(Target::Gfx90a, 12);
}

isa::Instruction decoded(std::initializer_list<uint32_t> words, Target target = Target::Gfx908) {
  const isa::Decoded d = isa::decode(target, words.begin(), words.size());
  EXPECT_EQ(d.status, isa::DecodeStatus::Legal);
  return d.instruction;
}

TEST(Simd, RetirementTakesFourCycles) {
  // v_add_u32_e32 v0, v1, v2, issued in cycle 10: beats 0 to 3 occupy 10 to 13, the result is there
  // in 14, and so are those of an instruction issued in 14 four cycles later.
  const isa::Instruction add = decoded({0x68000501});
  std::mt19937_64 rng(1);
  Machine m(Target::Gfx908, rng);
  const auto simd = make_simd("tlm", Target::Gfx908);
  EXPECT_EQ(simd->issue_cycles(add), 4u);
  std::vector<std::pair<Cycle, bool>> seen;
  for (Cycle now = 10; now < 30; ++now) {
    simd->tick(now);
    while (simd->retire.front(now) != nullptr) seen.push_back({now, simd->retire.pop(now).last});
    if (now == 10 || now == 14) simd->issue.push(issue_of(m, add, 1), now + 1);
  }
  ASSERT_EQ(seen.size(), 8u);
  EXPECT_EQ(seen[3], (std::pair<Cycle, bool>{14, true}));
  EXPECT_EQ(seen[7], (std::pair<Cycle, bool>{18, true}));
}

TEST(Simd, APipelineDelaysEachBeatAndNoIssue) {
  // As above with five stages: beats leave in 15 to 18, those of the next instruction right behind.
  const isa::Instruction add = decoded({0x68000501});
  std::mt19937_64 rng(1);
  Machine m(Target::Gfx908, rng);
  const auto simd = make_simd("tlm", Target::Gfx908, "tlm", 5);
  std::vector<Cycle> seen;
  for (Cycle now = 10; now < 30; ++now) {
    simd->tick(now);
    while (simd->retire.front(now) != nullptr) {
      seen.push_back(now);
      simd->retire.drop(now);
    }
    if (now == 10 || now == 14) simd->issue.push(issue_of(m, add, 1), now + 1);
  }
  EXPECT_EQ(seen, (std::vector<Cycle>{15, 16, 17, 18, 19, 20, 21, 22}));
}

TEST(Simd, BackPressureLosesNothing) {
  const isa::Instruction add = decoded({0x68000500});  // v_add_u32_e32 v0, v0, v2
  for (const char* valu : {"tlm", "beats"}) {
    const auto simd = make_simd(valu, Target::Gfx908);
    std::mt19937_64 rng(1);
    Machine m(Target::Gfx908, rng);
    wave::VectorFile rows = simd->registers().view(0, kRegisters, 0, kRegisters);
    rows.arch[0].fill(0);
    rows.arch[2].fill(5);
    unsigned sent = 0, done = 0;
    for (Cycle now = 1; now < 3000 && done < 20; ++now) {
      simd->tick(now);
      if (now % 37 == 0) {
        while (simd->retire.front(now) != nullptr) {
          const Retire r = simd->retire.pop(now);
          EXPECT_EQ(r.id, done) << valu;
          EXPECT_EQ(r.data[0][0], 5 * (done + 1)) << valu;
          if (r.last) ++done;
        }
      }
      if (sent < 20 && simd->issue.can_push(now)) {
        Issue issue = issue_of(m, add, sent++);
        issue.exec = ~uint64_t{0};
        simd->issue.push(issue, now + 1);
      }
    }
    EXPECT_EQ(done, 20u) << valu;
    EXPECT_EQ(rows.arch[0][63], 100u) << valu;
    EXPECT_EQ(simd->counters().instructions, 20u);
  }
}

TEST(Simd, FillAndReadPorts) {
  const auto simd = make_simd("tlm", Target::Gfx908);
  Fill fill;
  fill.row = {true, 17};
  fill.lanes = 0xf0;
  fill.data.fill(0x1234);
  simd->fill.push(fill, 5);
  ReadRow read;
  read.id = 3;
  read.row = {true, 17};
  simd->read.push(read, 6);
  Cycle now = 5;
  while (simd->row_data.front(now) == nullptr && now < 20) simd->tick(now++);
  const RowData row = simd->row_data.pop(now);
  EXPECT_EQ(now, 7u);
  EXPECT_EQ(row.id, 3u);
  EXPECT_EQ(row.data[3], 0u);
  EXPECT_EQ(row.data[4], 0x1234u);
}

/// A valu that has nothing but V_MOV_B32.
class OnlyMoves final : public valu::Valu {
 public:
  explicit OnlyMoves(const valu::Config& c) : inner_(c) {}
  void tick(Cycle now) override {
    std::swap(request, inner_.request);
    std::swap(response, inner_.response);
    inner_.tick(now);
    std::swap(request, inner_.request);
    std::swap(response, inner_.response);
  }
  Cycle next_event() const override { return request.next_event(); }
  bool implements(const isa::Row& row, isa::Encoding, const isa::Modifiers&) const override {
    return row.semantic == isa::SemanticId::v_mov_b32;
  }

 private:
  valu::ValuModel inner_;
};

TEST(Simd, FallbacksAreAllowedAndCountedOrRefused) {
  const isa::Instruction add = decoded({0x68000501});   // v_add_u32_e32 v0, v1, v2
  const isa::Instruction move = decoded({0x7e000301});  // v_mov_b32_e32 v0, v1
  valu::Registry valus_with_moves;
  valus_with_moves.add("moves",
                       [](const valu::Config& c) { return std::make_unique<OnlyMoves>(c); });
  Registry registry;
  register_tlm(registry);
  Config config;
  config.valus = &valus_with_moves;
  config.valu_implementation = "moves";
  const auto strict = registry.make("tlm", config);
  EXPECT_FALSE(strict->implements(*add.row, add.encoding, add.mod));
  EXPECT_TRUE(strict->implements(*move.row, move.encoding, move.mod));

  config.allow_fallback = true;
  const auto lenient = registry.make("tlm", config);
  ASSERT_TRUE(lenient->implements(*add.row, add.encoding, add.mod));
  std::mt19937_64 rng(2);
  Machine m(Target::Gfx908, rng);
  m.state.s.set_exec(~uint64_t{0});
  Cycle now = 1;
  const uint32_t expected = m.v[1][40] + m.v[2][40];
  run(*lenient, m, move, now);
  EXPECT_EQ(lenient->counters().fallbacks, 0u);
  run(*lenient, m, add, now);
  EXPECT_EQ(m.v[0][40], expected);
  EXPECT_EQ(lenient->counters().fallbacks, 1u);
  EXPECT_EQ(lenient->counters().fallbacks_by_row,
            (std::map<const isa::Row*, uint64_t>{{add.row, 1}}));

  config.valu_implementation = "missing";
  EXPECT_EQ(registry.make("tlm", config), nullptr);
}

/// A difference in the register file is told with its time, and one file has all times in order.
TEST(Simd, TheRegisterFileHearsTheTimeOfEveryAccess) {
  for (const char* valu : {"tlm", "beats"}) {
    const auto simd = make_simd(valu, Target::Gfx908, "ported");
    auto& registers = dynamic_cast<PortedVrf&>(simd->registers());
    std::mt19937_64 rng(3);
    Machine m(Target::Gfx908, rng);
    m.state.s.mode.raw = 0;
    m.state.s.set_exec(~uint64_t{0});
    Cycle now = 100;
    run(*simd, m, decoded({0x68000501}), now);  // v_add_u32_e32 v0, v1, v2
    ASSERT_GE(registers.times.size(), 3u) << valu;
    EXPECT_GE(registers.times.front(), 100u) << valu;
    EXPECT_LE(registers.times.back(), now) << valu;
    EXPECT_TRUE(std::is_sorted(registers.times.begin(), registers.times.end())) << valu;
  }
}

TEST(Simd, TheRegisterFileComesFromItsRegistry) {
  const auto simd = make_simd("tlm", Target::Gfx908, "ported");
  auto& registers = dynamic_cast<PortedVrf&>(simd->registers());
  std::mt19937_64 rng(3);
  Machine m(Target::Gfx908, rng);
  m.state.s.mode.raw = 0;
  m.state.s.set_exec(~uint64_t{0});
  Cycle now = 1;
  run(*simd, m, decoded({0x68000501}), now);  // v_add_u32_e32 v0, v1, v2
  EXPECT_GE(registers.reads[static_cast<unsigned>(vrf::ReadPort::Source0)], 1u);
  EXPECT_GE(registers.reads[static_cast<unsigned>(vrf::ReadPort::Source1)], 1u);
  EXPECT_EQ(registers.writes[static_cast<unsigned>(vrf::WritePort::Valu)], 1u);
  EXPECT_EQ(make_simd("tlm", Target::Gfx908, "missing"), nullptr);
}

}  // namespace
}  // namespace cuvette::simd
