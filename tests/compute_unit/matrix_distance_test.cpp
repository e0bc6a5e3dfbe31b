// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Cycles from a matrix instruction to the one behind it, for every V_MFMA and V_SMFMAC of every
// target: independent, accumulating in place, with an accumulator that overlaps the result, with a
// factor, a vector instruction or a store that reads the result; on the model and on the RTL. The
// wait states are those of the documents, written down here by hand; results are those of the
// instructions executed one after the other.

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute_unit_harness.h"
#include "ip/matrix_core/register_matrix.h"
#include "isa/encode.h"
#include "wave/matrix.h"

namespace cuvette::compute_unit::testing {
namespace {

using isa::Instruction;
using isa::OperandKind;
using isa::Row;
using isa::Target;
using machine::Cycle;

constexpr unsigned kChain = 24;  ///< instructions whose distances are measured
constexpr unsigned kRegisters = 128;
// Registers of the programs below; D at kD or, where two accumulators take turns, at kOther.
constexpr unsigned kD = 8, kA = 64, kB = 68, kIndex = 72, kAddress = 74, kSpare = 75, kOther = 88;

/// From D to an overlapping C. VGPR tuples are aligned to two.
constexpr unsigned kShift = 2;

enum Kind { kIndependent, kInPlace, kAbove, kBelow, kFactor, kVector, kStore, kKinds };
constexpr const char* kNames[] = {"independent", "in place", "above", "below",
                                  "factor",      "vector",   "store"};

/// Wait states that a document asks for behind a matrix instruction.
struct Distances {
  unsigned in_place, overlapping, factor, vector, store;
};
/// By passes of the first. MI100 ISA 7.2: SrcC that overlaps 2 in any case; V_ACCVGPR_READ, the
/// only other reader of AccVGPRs, 4, 10 and 18; factors have no forwarding path and wait for the
/// same.
const std::map<unsigned, Distances> kMi100 = {
    {2, {0, 2, 4, 4, 0}}, {8, {0, 2, 10, 10, 0}}, {16, {0, 2, 18, 18, 0}}};
/// LLVM 19 for gfx90a: F32, F16, BF16 and I8.
const std::map<unsigned, Distances> kMi200 = {
    {2, {0, 2, 5, 5, 5}}, {8, {0, 8, 11, 11, 11}}, {16, {0, 16, 19, 19, 19}}};
/// CDNA3 table 37, cases 102, 103, 105, 106: neither F32 nor F64.
const std::map<unsigned, Distances> kXdl = {
    {2, {2, 3, 5, 5, 5}}, {4, {0, 5, 7, 7, 7}}, {8, {0, 9, 11, 11, 11}}, {16, {0, 17, 19, 19, 19}}};
/// Cases 107, 109 to 111: F32.
const std::map<unsigned, Distances> kSgemm = {
    {2, {0, 2, 4, 4, 4}}, {4, {0, 4, 6, 6, 6}}, {8, {0, 8, 10, 10, 10}}, {16, {0, 16, 18, 18, 18}}};
/// Cases 112, 113, 116, 119, 120, and LLVM 19 for the smaller one: F64.
const std::map<unsigned, Distances> kDgemm = {{4, {4, 4, 6, 6, 9}}, {8, {0, 9, 11, 11, 18}}};

const Distances& distances(const Row& row, Target target) {
  const unsigned passes = isa::passes_on(row, target);
  if (row.matrix.a == isa::Type::F64) return kDgemm.at(passes);
  if (target == Target::Gfx908) return kMi100.at(passes);
  if (target == Target::Gfx90a) return kMi200.at(passes);
  return (row.matrix.a == isa::Type::F32 ? kSgemm : kXdl).at(passes);
}

/// Cycles from issue to issue.
Cycle documented(const Row& row, Target target, Kind kind) {
  const Distances& d = distances(row, target);
  const unsigned states[] = {0,        d.in_place, d.overlapping, d.overlapping,
                             d.factor, d.vector,   d.store};
  const Cycle distance = 4 * (1 + Cycle{states[kind]});
  // The matrix core is taken for all passes of an instruction.
  return kind < kVector ? std::max<Cycle>(distance, 4 * isa::passes_on(row, target)) : distance;
}

isa::Operand vector(OperandKind kind, unsigned index, const isa::OperandSpec& info) {
  isa::Operand o;
  o.kind = kind;
  o.index = static_cast<uint16_t>(index);
  o.dwords = info.dwords;
  o.type = info.type;
  return o;
}

/// Registers of the operands of one instruction.
struct Places {
  unsigned d = kD, c = kD, a = kA;
  bool a_is_result = false;
};

class Matrix {
 public:
  Matrix(const Row& row, Target target) : row_(row), target_(target) {}

  OperandKind result_file() const {
    return target_ == Target::Gfx908 ? OperandKind::Agpr : OperandKind::Vgpr;
  }
  unsigned results() const { return row_.dst[0].dwords; }
  Instruction at(const Places& p) const {
    const bool sparse = row_.has(isa::kSparse);
    Instruction i;
    i.row = &row_;
    i.target = target_;
    i.dst[0] = vector(result_file(), p.d, row_.dst[0]);
    i.src[0] = vector(p.a_is_result ? result_file() : OperandKind::Vgpr, p.a, row_.src[0]);
    i.src[1] = vector(OperandKind::Vgpr, kB, row_.src[1]);
    i.src[2] = sparse ? vector(OperandKind::Vgpr, kIndex, row_.src[2])
                      : vector(result_file(), p.c, row_.src[2]);
    const base::Status encoded = isa::encode(i);
    EXPECT_TRUE(encoded.ok()) << encoded.error().str();
    return i;
  }

  /// The matrix instructions of a chain, in order.
  std::vector<Instruction> chain(Kind kind) const {
    std::vector<Instruction> out;
    for (unsigned n = 0; n < kChain; ++n) {
      const bool odd = n % 2 != 0;
      Places p;
      switch (kind) {
        case kIndependent:
          p.d = p.c = odd ? kOther : kD;
          break;
        case kAbove:
        case kBelow:
          // C of V_SMFMAC is its D: one after the other is above and below in turn.
          p.c = kind == kAbove ? kD + kShift : kD - kShift;
          if (row_.has(isa::kSparse)) p.d = odd ? p.c : kD;
          break;
        case kFactor:
          p.a = kD + results() - std::max<unsigned>(row_.src[0].dwords, results() % 2 == 0 ? 2 : 1);
          p.a_is_result = true;
          p.c = kOther;
          if (row_.has(isa::kSparse)) p.c = p.d;
          break;
        case kInPlace:
          break;
        default:
          p.c = kOther;
          break;
      }
      out.push_back(at(p));
    }
    return out;
  }

  /// Instruction that reads the last row of D; empty when none of the kind does.
  std::string reader(Kind kind) const {
    const std::string row = std::to_string(kD + results() - 1);
    const std::string spare = "v" + std::to_string(kSpare);
    if (kind == kVector && target_ == Target::Gfx908) {
      return "v_accvgpr_read_b32 " + spare + ", a" + row;
    }
    if (kind == kVector) return "v_mov_b32 " + spare + ", v" + row;
    if (kind == kStore && target_ != Target::Gfx908) {
      return "ds_write_b32 v" + std::to_string(kAddress) + ", v" + row;
    }
    return {};
  }

 private:
  const Row& row_;
  Target target_;
};

/// One run of a chain.
struct ChainRun {
  std::vector<Cycle> matrix, readers;    ///< cycles of issue
  std::vector<wave::LaneRow> registers;  ///< VGPRs, then AccVGPRs
};

class MatrixDistance : public ::testing::TestWithParam<Target> {
 public:
  ChainRun run(const std::string& core, const std::vector<Instruction>& chain,
               const std::string& reader) const {
    Options options;
    options.target = GetParam();
    options.matrix_core = core;
    options.more_matrix_cores = [](matrix_core::Registry& r) { ip::register_matrix(r); };
    Machine machine(options);
    std::vector<uint32_t> words;
    const auto append = [&](const std::string& line) {
      const auto code = machine.assemble({line});
      words.insert(words.end(), code.begin(), code.end());
    };
    // Time to change registers before the first of the chain.
    for (unsigned n = 0; n < 8; ++n) append("s_nop 15");
    for (const Instruction& i : chain) {
      words.insert(words.end(), i.words, i.words + i.length);
      if (!reader.empty()) append(reader);
    }
    append("s_endpgm");

    ChainRun out;
    machine.cu->watch([&](const Activity& a) {
      if (a.kind != Activity::Kind::Issue) return;
      if (a.instruction->row->has(isa::kMatrix)) {
        out.matrix.push_back(a.time);
      } else if (!out.matrix.empty()) {
        out.readers.push_back(a.time);
      }
    });
    Launch launch;
    launch.vgprs = kRegisters;
    launch.lds_bytes = 1024;
    machine.launch(machine.load_words(words), launch);
    machine.pass(40);
    EXPECT_TRUE(out.matrix.empty());
    for (unsigned r = 0; r < 2 * kRegisters; ++r) {
      write_row(machine, r, start_[r]);
    }
    machine.run();
    for (unsigned r = 0; r < 2 * kRegisters; ++r) out.registers.push_back(read_row(machine, r));
    return out;
  }

  /// The same, an instruction at a time.
  std::vector<wave::LaneRow> in_order(const std::vector<Instruction>& chain) const {
    std::vector<wave::LaneRow> rows = start_;
    wave::WaveState state;
    state.target = GetParam();
    state.v.arch = rows.data();
    state.v.arch_count = kRegisters;
    state.v.acc = rows.data() + kRegisters;
    state.v.acc_count = kRegisters;
    for (const Instruction& i : chain) {
      EXPECT_EQ(wave::execute_matrix(state, i).event, wave::Event::None);
    }
    return rows;
  }

 protected:
  void SetUp() override {
    std::mt19937_64 random(27);
    for (auto& row : start_) {
      // Small numbers in every format.
      for (uint32_t& lane : row) lane = static_cast<uint32_t>(random()) & 0x9dff9dff;
    }
    start_[kAddress].fill(0);
  }

 private:
  vrf::RowAddress address(unsigned r) const {
    const bool acc = r >= kRegisters;
    if (acc && isa::unified_vgprs(GetParam())) {
      return {false, static_cast<uint16_t>(r - kRegisters + 256)};
    }
    return {acc, static_cast<uint16_t>(r % kRegisters)};
  }
  void write_row(Machine& m, unsigned r, const wave::LaneRow& row) const {
    m.cu->simd(0)->registers().write(vrf::WritePort::Backdoor, m.now, address(r), ~uint64_t{0},
                                     row);
  }
  wave::LaneRow read_row(Machine& m, unsigned r) const {
    wave::LaneRow row{};
    m.cu->simd(0)->registers().read(vrf::ReadPort::Backdoor, m.now, address(r), row);
    return row;
  }

  std::vector<wave::LaneRow> start_ = std::vector<wave::LaneRow>(2 * kRegisters);
};

/// The distance that all but the first few of a chain have; 0 when they differ.
Cycle distance_of(const ChainRun& run, Kind kind) {
  std::vector<Cycle> distances;
  for (size_t n = 4; n + 1 < run.matrix.size(); ++n) {
    const Cycle to = kind < kVector ? run.matrix[n + 1] : run.readers.at(n);
    distances.push_back(to - run.matrix[n]);
  }
  const bool equal =
      !distances.empty() && std::all_of(distances.begin(), distances.end(),
                                        [&](Cycle c) { return c == distances.front(); });
  return equal ? distances.front() : 0;
}

TEST_P(MatrixDistance, IsThatOfTheDocumentsOnModelAndRtl) {
  std::printf("%-32s passes", isa::name_of(GetParam()).data());
  for (const char* name : kNames) std::printf(" %11s", name);
  std::printf("   cycles: model/RTL/document\n");
  unsigned rows = 0;
  for (const Row& row : isa::rows()) {
    if (!row.on(GetParam()) || !row.has(isa::kMatrix) || !wave::has_matrix_semantics(row)) continue;
    ++rows;
    const Matrix matrix(row, GetParam());
    std::printf("%-32s %6u", std::string(row.mnemonic).c_str(), isa::passes_on(row, GetParam()));
    for (unsigned k = 0; k < kKinds; ++k) {
      const auto kind = static_cast<Kind>(k);
      const std::string reader = matrix.reader(kind);
      const bool overlapping = kind == kAbove || kind == kBelow;
      if ((kind >= kVector && reader.empty()) || (overlapping && matrix.results() <= kShift)) {
        std::printf(" %11s", "-");
        continue;
      }
      const std::vector<Instruction> chain = matrix.chain(kind);
      const std::vector<wave::LaneRow> wanted = in_order(chain);
      const Cycle document = documented(row, GetParam(), kind);
      Cycle measured[2] = {};
      for (unsigned c = 0; c < 2; ++c) {
        const char* core = c == 0 ? "tlm" : "rtl";
        const ChainRun got = run(core, chain, reader);
        measured[c] = distance_of(got, kind);
        EXPECT_EQ(measured[c], document) << row.mnemonic << " " << kNames[k] << " " << core;
        for (unsigned r = 0; r < 2 * kRegisters; ++r) {
          if (r == kSpare) continue;
          ASSERT_EQ(got.registers[r], wanted[r])
              << row.mnemonic << " " << kNames[k] << " " << core << " register " << r;
        }
      }
      std::printf(" %3u/%3u/%3u", static_cast<unsigned>(measured[0]),
                  static_cast<unsigned>(measured[1]), static_cast<unsigned>(document));
    }
    std::printf("\n");
  }
  EXPECT_EQ(rows, GetParam() == Target::Gfx908 ? 20u : GetParam() == Target::Gfx90a ? 27u : 46u);
}

INSTANTIATE_TEST_SUITE_P(Targets, MatrixDistance,
                         ::testing::Values(Target::Gfx908, Target::Gfx90a, Target::Gfx942),
                         [](const auto& i) { return std::string(isa::name_of(i.param)); });

}  // namespace
}  // namespace cuvette::compute_unit::testing
