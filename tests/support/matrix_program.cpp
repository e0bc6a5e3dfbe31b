// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_program.h"

#include <algorithm>

#include "matrix_core/computation.h"
#include "wave/matrix.h"

namespace cuvette::matrix_program {
namespace {

using isa::Type;

/// Distribution of the numbers of one instruction.
enum class Mood { Near, Tiny, Huge, Wild, Corners };

/// A float of `width` bits.
uint32_t number(std::mt19937_64& random, unsigned width, unsigned exponent_bits, Mood mood) {
  const unsigned fraction_bits = width - 1 - exponent_bits;
  const uint64_t word = random();
  const uint32_t most = (1u << exponent_bits) - 1;
  const uint32_t bias = most / 2;
  const auto sign = static_cast<uint32_t>(word & 1) << (width - 1);
  const auto fraction = static_cast<uint32_t>(word >> 8) & ((1u << fraction_bits) - 1);
  const auto some = static_cast<uint32_t>(word >> 40);
  const auto with = [&](uint32_t exponent) { return sign | exponent << fraction_bits | fraction; };
  if (mood == Mood::Corners && some % 24 < 6) {
    const uint32_t corners[] = {
        0, most << fraction_bits,           (most << fraction_bits) - 1, 1u << fraction_bits,
        1, most << fraction_bits | fraction};
    return sign | corners[some % 24];
  }
  switch (mood) {
    case Mood::Tiny:
      // Products around the smallest numbers of binary32, or subnormal factors.
      return some % 4 == 0 ? with(0) : with(bias / 2 - 4 + some % 8);
    case Mood::Huge:
      return with(bias + bias / 2 - 2 + some % 4);
    case Mood::Wild:
      return with(some % most);
    default:
      return with(bias - 3 + some % 6);
  }
}

/// The same for binary64.
uint64_t double_number(std::mt19937_64& random, Mood mood) {
  constexpr uint64_t kMost = 2047, kBias = 1023;
  const uint64_t word = random(), some = random();
  const uint64_t sign = word & uint64_t{1} << 63, fraction = word & ((uint64_t{1} << 52) - 1);
  const auto with = [&](uint64_t exponent) { return sign | exponent << 52 | fraction; };
  if (mood == Mood::Corners && some % 24 < 6) {
    const uint64_t corners[] = {0, kMost << 52,           (kMost << 52) - 1, uint64_t{1} << 52,
                                1, kMost << 52 | fraction};
    return sign | corners[some % 24];
  }
  switch (mood) {
    case Mood::Tiny:
      return some % 4 == 0 ? with(0) : with(kBias / 2 - 24 + some % 48);
    case Mood::Huge:
      return with(kBias + kBias / 2 - 2 + some % 4);
    case Mood::Wild:
      return with(some % kMost);
    default:
      return with(kBias - 3 + some % 6);
  }
}

/// Halves of doubles in two registers.
void draw_doubles(std::mt19937_64& random, Mood mood, wave::LaneRow& low, wave::LaneRow& high) {
  for (unsigned l = 0; l < wave::kLanes; ++l) {
    const uint64_t value = double_number(random, mood);
    low[l] = static_cast<uint32_t>(value);
    high[l] = static_cast<uint32_t>(value >> 32);
  }
}

uint32_t lane(std::mt19937_64& random, Type type, Mood mood) {
  switch (type) {
    case Type::F32:
    case Type::Xf32:
      return number(random, 32, 8, mood);
    case Type::Fp8:
    case Type::Bf8: {
      uint32_t word = 0;
      for (unsigned n = 0; n < 4; ++n) {
        word |= number(random, 8, type == Type::Bf8 ? 5 : 4, mood) << 8 * n;
      }
      return word;
    }
    case Type::F16: {
      const uint32_t low = number(random, 16, 5, mood);
      return low | number(random, 16, 5, mood) << 16;
    }
    case Type::Bf16: {
      const uint32_t low = number(random, 16, 8, mood);
      return low | number(random, 16, 8, mood) << 16;
    }
    default:
      break;
  }
  const uint64_t word = random();  // integers
  const uint32_t corners[] = {0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80000000, 0x7fffffff};
  if (mood == Mood::Corners && word >> 32 < 0x80000000) return corners[(word >> 8) % 5];
  return static_cast<uint32_t>(word);
}

/// Accumulators at the size of what is added.
uint32_t accumulator(std::mt19937_64& random, Type type, Mood mood) {
  if (type == Type::F32 && mood == Mood::Tiny) return lane(random, type, Mood::Wild) & 0x81ffffff;
  if (type == Type::F32 && mood == Mood::Huge) return lane(random, type, Mood::Wild) | 0x7e000000;
  return lane(random, type, mood);
}

}  // namespace

std::vector<const isa::Row*> rows(isa::Target target) {
  std::vector<const isa::Row*> out;
  for (const isa::Row& row : isa::rows()) {
    const bool mfma = row.semantic == isa::SemanticId::v_mfma;
    if (row.on(target) && (mfma || row.has(isa::kSparse))) out.push_back(&row);
  }
  return out;
}

Instruction instruction(const isa::Row& row, uint32_t id, std::mt19937_64& random) {
  const auto mood = static_cast<Mood>(random() % 5);
  const uint64_t word = random();
  matrix_core::Operands common;
  common.id = id;
  common.row = static_cast<uint16_t>(isa::index_of(row));
  // The bits are ignored in rows without such a field (mfma_numerics.md).
  common.cbsz = word & 7;
  common.abid = word >> 3 & 15;
  common.blgp = word >> 8 & 7;
  common.wave = id;
  common.pc = 0x1000 + 8 * uint64_t{id};
  const unsigned passes = matrix_core::operand_passes(row);
  Instruction out(passes, common);
  for (unsigned p = 0; p < passes; ++p) {
    matrix_core::Operands& o = out[p];
    o.pass = static_cast<uint8_t>(p);
    o.last = p + 1 == passes;
    const unsigned results = matrix_core::result_rows(row), first = p * matrix_core::kRowsPerPass;
    o.c_rows = static_cast<uint8_t>(
        std::min(matrix_core::kRowsPerPass, results - std::min(results, first)));
    // Bits outside of operands are noise.
    for (uint32_t& l : o.a) l = lane(random, row.matrix.a, mood);
    for (auto& b : o.b) {
      for (uint32_t& l : b) l = lane(random, row.matrix.b, mood);
    }
    for (auto& c : o.c) {
      for (uint32_t& l : c) l = accumulator(random, row.matrix.c, mood);
    }
  }
  if (row.has(isa::kSparse)) {
    // Any positions, also equal ones; later passes have noise there.
    for (matrix_core::Operands& o : out) {
      for (uint32_t& l : o.index) l = static_cast<uint32_t>(random());
    }
  }
  if (row.matrix.a == Type::F64) {
    draw_doubles(random, mood, out[0].a, out[1].a);
    draw_doubles(random, mood, out[0].b[0], out[0].b[1]);
    // Doubles near the smallest beside products that are.
    const Mood added = mood == Mood::Tiny && (word >> 12 & 1) == 0 ? Mood::Wild : mood;
    for (matrix_core::Operands& o : out) draw_doubles(random, added, o.c[0], o.c[1]);
  }
  return out;
}

namespace {
int result_rows(const Instruction& i) {
  return static_cast<int>(matrix_core::result_rows(*(isa::rows().begin() + i.front().row)));
}
}  // namespace

void forward(Instruction& instruction, const Instruction& earlier, unsigned from, int shift) {
  const int most = result_rows(earlier), rows = result_rows(instruction);
  const int least = std::max(0, most - static_cast<int>(matrix_core::kKeptRows));
  if (from != 0 && least != 0) return;
  for (int r = 0; r < rows; ++r) {
    const int row = r + shift;
    if (row < least || row >= most) continue;
    matrix_core::Operands& o = instruction[r / matrix_core::kRowsPerPass];
    const int half = r % matrix_core::kRowsPerPass;
    o.forward |= 1 << half;
    o.forward_from = static_cast<uint8_t>(from);
    o.forward_row = static_cast<uint8_t>((row - half) & 31);
  }
}

void forward(Instruction& instruction, const Instruction& earlier, unsigned from,
             std::mt19937_64& random) {
  const int most = result_rows(earlier), rows = result_rows(instruction);
  const bool in_place = random() % 2 != 0;
  const int below = from == 0 ? rows - 1 : 0;
  const int shift = static_cast<int>(random() % static_cast<unsigned>(most + below)) - below;
  forward(instruction, earlier, from, in_place ? 0 : shift);
}

void detach(std::vector<Instruction>& program) {
  for (size_t n = 0; n < std::min<size_t>(2, program.size()); ++n) {
    for (matrix_core::Operands& o : program[n]) {
      if (n <= o.forward_from) o.forward = 0;
    }
  }
}

std::vector<Instruction> mixed(size_t count, uint64_t seed, isa::Target target) {
  std::mt19937_64 random(seed);
  const auto all = rows(target);
  std::vector<Instruction> out;
  for (size_t n = 0; n < count; ++n) {
    out.push_back(instruction(*all[n % all.size()], static_cast<uint32_t>(n + 1), random));
    const size_t from = n % 3;
    if (from < 2 && n > from)
      forward(out[n], out[n - 1 - from], static_cast<unsigned>(from), random);
  }
  return out;
}

std::vector<wave::LaneRow> golden(const Instruction& instruction, isa::Target target,
                                  const std::vector<wave::LaneRow>& earlier) {
  isa::Instruction i;
  i.row = isa::rows().begin() + instruction.front().row;
  i.target = target;
  i.mod.cbsz = instruction.front().cbsz;
  i.mod.abid = instruction.front().abid;
  i.mod.blgp = instruction.front().blgp;
  std::vector<wave::LaneRow> a, b, d;
  for (const matrix_core::Operands& o : instruction) {
    a.push_back(o.a);
    b.insert(b.end(), o.b.begin(), o.b.end());
    for (unsigned r = 0; r < o.c_rows; ++r) {
      const bool forwarded = (o.forward >> r & 1) != 0;
      d.push_back(forwarded ? earlier.at((o.forward_row + r) % 32) : o.c[r]);
    }
  }
  if (i.row->has(isa::kSparse)) {
    wave::SparseMatrixOp op;
    op.instruction = &i;
    op.a = a.data();
    op.b = b.data();
    op.index = &instruction.front().index;
    op.d = d.data();
    wave::compute_sparse_matrix(op);
    return d;
  }
  wave::MatrixOp op;
  op.instruction = &i;
  op.a = a.data();
  op.b = b.data();
  op.d = d.data();
  wave::compute_matrix(op);
  return d;
}

std::vector<std::vector<wave::LaneRow>> golden(const std::vector<Instruction>& program,
                                               isa::Target target) {
  std::vector<std::vector<wave::LaneRow>> out;
  for (const Instruction& i : program) {
    unsigned from = 0;
    bool forwards = false;
    for (const matrix_core::Operands& o : i) {
      if (o.forward == 0) continue;
      forwards = true;
      from = o.forward_from;
    }
    const std::vector<wave::LaneRow> none;
    out.push_back(golden(i, target, forwards ? out.at(out.size() - 1 - from) : none));
  }
  return out;
}

Run run(matrix_core::MatrixCore& block, const std::vector<Instruction>& program, unsigned offers,
        unsigned takes, uint64_t seed, const std::function<bool()>& stop) {
  std::mt19937_64 random(seed);
  Run out;
  out.results.resize(program.size());
  std::vector<const matrix_core::Operands*> passes;
  for (const Instruction& i : program) {
    for (const matrix_core::Operands& o : i) passes.push_back(&o);
  }
  size_t next = 0, finished = 0;
  const machine::Cycle limit = 200 + 320 * program.size();
  machine::Cycle now = 0;
  for (; finished < program.size() && now < limit; ++now) {
    if (stop && stop()) break;
    if (next < passes.size() && random() % 8 < offers && block.operands.can_push(now)) {
      block.operands.push(*passes[next++], now);
    }
    block.tick(now);
    while (random() % 8 < takes && block.result.front(now) != nullptr) {
      out.results[finished].push_back(block.result.pop(now));
      if (!out.results[finished].back().last) continue;
      if (++finished == program.size()) break;
    }
  }
  out.cycles = now;
  out.complete = finished == program.size();
  return out;
}

}  // namespace cuvette::matrix_program
