// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "csv.h"
#include "matrix_core/matrix_core_model.h"
#include "wave/execute.h"

// By pass through the block against the whole instruction of layer wave (which is judged by
// wave_matrix_test), and times against the published cycles of tests/oracles/mfma.
namespace cuvette::matrix_core {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Target;
using machine::Cycle;

constexpr uint64_t kSeed = 20240917;

std::vector<const isa::Row*> rows_of(Target target) {
  std::vector<const isa::Row*> out;
  for (const isa::Row& row : isa::rows()) {
    if (row.on(target) && row.has(isa::kMatrix)) out.push_back(&row);
  }
  return out;
}

Operand vgpr(unsigned index, const isa::OperandSpec& spec) {
  Operand o;
  o.kind = OperandKind::Vgpr;
  o.index = static_cast<uint16_t>(index);
  o.type = spec.type;
  o.dwords = spec.dwords;
  return o;
}

/// Random bits with ordinary floats in most places.
uint32_t random_bits(std::mt19937_64& rng, isa::Type type) {
  const auto raw = static_cast<uint32_t>(rng());
  if (rng() % 16 == 0) return raw;
  const auto half = [](uint32_t r) { return (r & 0x83ffu) | (10 + r % 8) << 10; };
  switch (type) {
    case isa::Type::F32:
    case isa::Type::Xf32:
      return (raw & 0x807fffffu) | (120 + raw % 16) << 23;
    case isa::Type::F16:
      return half(raw & 0xffff) | half(raw >> 16) << 16;
    default:
      return raw;
  }
}

struct Job {
  const isa::Row* row;
  isa::Instruction instruction;
  std::vector<wave::LaneRow> registers;  // A at 0, B at 4, C at 8, indices at 40
  std::vector<wave::LaneRow> expected;   // D
  unsigned d_rows = 0;
};

Job make_job(const isa::Row& row, Target target, std::mt19937_64& rng) {
  Job job;
  job.row = &row;
  job.d_rows = row.dst[0].dwords;
  job.registers.resize(8 + 32 + 1);
  for (unsigned r = 0; r < job.registers.size(); ++r) {
    const isa::Type type = r < 8 ? row.matrix.a : row.matrix.c;
    for (auto& lane : job.registers[r]) lane = random_bits(rng, type);
  }
  isa::Instruction& i = job.instruction;
  i.row = &row;
  i.target = target;
  i.src[0] = vgpr(0, row.src[0]);
  i.src[1] = vgpr(4, row.src[1]);
  i.src[2] = vgpr(row.has(isa::kSparse) ? 40 : 8, row.src[2]);
  i.dst[0] = vgpr(8, row.dst[0]);
  if (row.matrix.cbsz_abid) {
    i.mod.cbsz = static_cast<uint8_t>(rng() % 3);
    i.mod.abid = static_cast<uint8_t>(rng() % 4);
  }
  if (row.matrix.blgp) i.mod.blgp = static_cast<uint8_t>(rng() % 8);

  std::vector<wave::LaneRow> copy = job.registers;
  wave::WaveState state;
  state.target = target;
  state.v.arch = copy.data();
  state.v.arch_count = static_cast<uint16_t>(copy.size());
  state.s.set_exec(0);
  EXPECT_EQ(wave::execute_matrix(state, i).event, wave::Event::None);
  job.expected.assign(copy.begin() + 8, copy.begin() + 8 + job.d_rows);
  return job;
}

/// All passes of a job, and collects results; returns {first operands visible, last result
/// visible}.
struct Feed {
  explicit Feed(MatrixCore& c) : core(c) {}
  MatrixCore& core;
  Cycle now = 0;

  std::vector<Operands> passes(const Job& job, uint32_t id) const {
    const bool sparse = job.row->has(isa::kSparse);
    const unsigned a = job.row->src[0].dwords;
    const unsigned b = job.row->src[1].dwords;
    const unsigned count = std::max(
        {a, (b + kRowsPerPass - 1) / kRowsPerPass, (job.d_rows + kRowsPerPass - 1) / kRowsPerPass});
    std::vector<Operands> out(count);
    for (unsigned p = 0; p < count; ++p) {
      Operands& o = out[p];
      o.id = id;
      o.row = static_cast<uint16_t>(isa::index_of(*job.row));
      o.pass = static_cast<uint8_t>(p);
      o.last = p + 1 == count;
      o.cbsz = job.instruction.mod.cbsz;
      o.abid = job.instruction.mod.abid;
      o.blgp = job.instruction.mod.blgp;
      if (p < a) o.a = job.registers[p];
      if (sparse && p == 0) o.index = job.registers[40];
      for (unsigned r = 0; r < kRowsPerPass; ++r) {
        if (p * kRowsPerPass + r < b) o.b[r] = job.registers[4 + p * kRowsPerPass + r];
      }
      for (unsigned r = p * kRowsPerPass; r < std::min((p + 1) * kRowsPerPass, job.d_rows); ++r) {
        o.c[o.c_rows++] = job.registers[8 + r];
      }
    }
    return out;
  }

  struct Times {
    Cycle first_in = machine::kNever, last_out = 0;
  };
  std::map<uint32_t, Times> run(const std::vector<Job>& jobs) {
    std::vector<Operands> in;
    for (uint32_t j = 0; j < jobs.size(); ++j) {
      for (auto& p : passes(jobs[j], j)) in.push_back(p);
    }
    std::map<uint32_t, Times> times;
    std::vector<std::vector<wave::LaneRow>> d(jobs.size());
    size_t next = 0;
    size_t finished = 0;
    while (finished < jobs.size() && now < 100000) {
      while (next < in.size() && core.operands.can_push(now)) {
        Times& t = times[in[next].id];
        t.first_in = std::min(t.first_in, now + 1);
        core.operands.push(in[next++], now + 1);
      }
      while (core.result.front(now) != nullptr) {
        const Result r = core.result.pop(now);
        auto& rows = d[r.id];
        EXPECT_EQ(r.first_row, rows.size());
        for (unsigned n = 0; n < r.rows; ++n) rows.push_back(r.d[n]);
        times[r.id].last_out = now;
        if (r.last) ++finished;
      }
      core.tick(now++);
    }
    for (size_t j = 0; j < jobs.size(); ++j) {
      EXPECT_TRUE(d[j] == jobs[j].expected) << jobs[j].row->mnemonic << " seed " << kSeed;
    }
    return times;
  }
};

TEST(MatrixCore, EveryInstructionByPass) {
  for (const Target target : {Target::Gfx908, Target::Gfx90a, Target::Gfx942}) {
    std::mt19937_64 rng(kSeed);
    unsigned count = 0;
    for (const isa::Row* row : rows_of(target)) {
      MatrixCoreModel core{Config{target}};
      ASSERT_TRUE(core.implements(*row)) << row->mnemonic;
      Feed feed(core);
      std::vector<Job> jobs;
      for (unsigned n = 0; n < 3; ++n) jobs.push_back(make_job(*row, target, rng));
      feed.run(jobs);
      ++count;
    }
    // isa_notes 4: 20 on gfx908, 7 more on gfx90a; gfx942 has 32 dense and 14 sparse ones.
    EXPECT_EQ(count, target == Target::Gfx908 ? 20u : target == Target::Gfx90a ? 27u : 46u);
  }
}

/// mnemonic -> cycles of the rows of a target.
std::map<std::string, unsigned> published_cycles(Target target) {
  std::map<std::string, unsigned> out;
  for (const csv::Row& f : csv::read("oracles/mfma/instructions.csv")) {
    if (f.size() > 8 && f[0] == isa::name_of(target)) {
      out[f[1]] = static_cast<unsigned>(std::stoul(f[8]));
    }
  }
  return out;
}

TEST(MatrixCore, OccupancyIsThePublishedOne) {
  for (const auto& [target, count] :
       {std::pair{Target::Gfx908, 20u}, {Target::Gfx90a, 27u}, {Target::Gfx942, 46u}}) {
    const auto published = published_cycles(target);
    ASSERT_EQ(published.size(), count);
    MatrixCoreModel core{Config{target}};
    for (const isa::Row* row : rows_of(target)) {
      const auto found = published.find(std::string(row->mnemonic_on(target)));
      ASSERT_NE(found, published.end()) << row->mnemonic;
      EXPECT_EQ(core.occupancy_cycles(*row), found->second) << row->mnemonic;
    }
  }
}

TEST(MatrixCore, ResultsComeAtTheLatencyAndInstructionsAtTheOccupancy) {
  std::mt19937_64 rng(kSeed);
  for (const isa::Row* row : rows_of(Target::Gfx908)) {
    MatrixCoreModel core{Config{Target::Gfx908}};
    Feed feed(core);
    const auto times = feed.run({make_job(*row, Target::Gfx908, rng)});
    EXPECT_EQ(times.at(0).last_out - times.at(0).first_in, core.latency_cycles(*row))
        << row->mnemonic;
    MatrixCoreModel twice{Config{Target::Gfx908}};
    Feed two(twice);
    const auto pair =
        two.run({make_job(*row, Target::Gfx908, rng), make_job(*row, Target::Gfx908, rng)});
    EXPECT_EQ(pair.at(1).last_out - pair.at(0).last_out, core.occupancy_cycles(*row))
        << row->mnemonic;
  }
}

TEST(MatrixCore, RefusesWhatIsNoMatrixInstructionOfTheTarget) {
  MatrixCoreModel core{Config{Target::Gfx908}};
  unsigned implemented = 0;
  for (const isa::Row& row : isa::rows()) implemented += core.implements(row) ? 1 : 0;
  EXPECT_EQ(implemented, 20u);
}

}  // namespace
}  // namespace cuvette::matrix_core
