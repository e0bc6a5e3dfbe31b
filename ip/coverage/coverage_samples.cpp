// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/coverage/coverage_samples.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "ip/vrf/vrf_device.h"

namespace cuvette::ip {
namespace {

using G = CoverageGroup;
using isa::Encoding;
using isa::OperandKind;
using isa::Type;

// Places on the axes of ip/coverage/coverage_plan.yaml.
constexpr size_t kNowhere = ~size_t{0};
enum Format : size_t { kF16, kF32, kF64 };
/// The first three of every target's axis; then bf16 1k of gfx90a or xf32 of gfx942, and doubles.
enum MatrixFormat : size_t { kMatrixF32, kMatrixF16, kMatrixBf16, kMatrixOther, kMatrixF64 };

const isa::Row& row_at(uint16_t number) {
  return *(isa::rows().begin() + number);
}

size_t bit(uint64_t word, unsigned at) {
  return word >> at & 1;
}

/// The place on axis `class` of a number with so many exponent and fraction bits.
size_t class_of(uint64_t bits, unsigned exponent_bits, unsigned fraction_bits) {
  const uint64_t most = (uint64_t{1} << exponent_bits) - 1;
  const uint64_t exponent = bits >> fraction_bits & most;
  const uint64_t fraction = bits & ((uint64_t{1} << fraction_bits) - 1);
  const size_t negative = bit(bits, exponent_bits + fraction_bits);
  if (exponent == most && fraction != 0) return bit(fraction, fraction_bits - 1) != 0 ? 8 : 9;
  if (exponent == most) return 6 + negative;
  if (exponent != 0) return 4 + negative;
  return (fraction != 0 ? 2 : 0) + negative;
}

size_t format_of(Type type) {
  if (type == Type::F16 || type == Type::PkF16) return kF16;
  if (type == Type::F32) return kF32;
  return type == Type::F64 ? size_t{kF64} : kNowhere;
}

size_t class_of(uint64_t bits, size_t format) {
  if (format == kF16) return class_of(bits, 5, 10);
  return format == kF32 ? class_of(bits, 8, 23) : class_of(bits, 11, 52);
}

void cover_operands(Coverage& c, const isa::Row& row, const valu::Request& q) {
  for (unsigned s = 0; s < 3; ++s) {
    const size_t format = format_of(row.src[s].type);
    if (format == kNowhere) continue;
    const isa::Modifiers& m = q.modifiers;
    if (s < 2 && m.sdwa_src[s] != isa::SdwaSelect::Dword) continue;
    if (row.has(isa::kOpSel) && bit(m.op_sel, s) != 0) continue;
    for (unsigned l = 0; l < valu::kLanes; ++l) {
      if (bit(q.exec, l) != 0) {
        c.hit(G::ValuOperand, {format, s, class_of(q.src[s][l], format)});
      }
    }
  }
}

size_t select_width(isa::SdwaSelect select) {
  const auto n = static_cast<size_t>(select);
  return n < 4 ? 0 : n < 6 ? 1 : 2;
}

void cover_sdwa(Coverage& c, const isa::Row& row, const isa::Modifiers& m) {
  const auto source = [&](unsigned s) { return static_cast<size_t>(m.sdwa_src[s]); };
  const auto dst = static_cast<size_t>(m.sdwa_dst), unused = static_cast<size_t>(m.sdwa_unused);
  c.hit(G::ValuSdwaSources, {source(0), source(1)});
  c.hit(G::ValuSdwaResults, {dst, unused});
  c.hit(G::ValuSdwa, row, {select_width(m.sdwa_src[0])});
  c.hit(G::ValuSdwa, row, {3 + select_width(m.sdwa_dst)});
  c.hit(G::ValuSdwa, row, {6 + unused});
  const bool uses[] = {(m.sext & 3) != 0, (m.abs & 3) != 0, (m.neg & 3) != 0, m.clamp};
  for (size_t n = 0; n < 4; ++n) {
    if (uses[n]) c.hit(G::ValuSdwa, row, {9 + n});
  }
}

void cover_vop3(Coverage& c, const isa::Row& row, const isa::Modifiers& m) {
  const bool uses[] = {m.abs == 0 && m.neg == 0 && m.omod == 0 && !m.clamp, m.abs != 0, m.neg != 0,
                       m.omod != 0, m.clamp};
  for (size_t n = 0; n < 5; ++n) {
    if (uses[n]) c.hit(G::ValuVop3, row, {n});
  }
  if (bit(m.op_sel, 0) != 0) c.hit(G::ValuOpSel, row, {0});
  if (bit(m.op_sel, 1) != 0) c.hit(G::ValuOpSel, row, {1});
  if (bit(m.op_sel, 3) != 0) c.hit(G::ValuOpSel, row, {2});
}

void cover_packed(Coverage& c, const isa::Row& row, const isa::Modifiers& m) {
  const bool high = (m.op_sel_hi & 7) != 7;
  const bool uses[] = {m.op_sel == 0 && !high && m.neg == 0 && m.neg_hi == 0 && !m.clamp,
                       m.op_sel != 0,
                       high,
                       m.neg != 0,
                       m.neg_hi != 0,
                       m.clamp};
  for (size_t n = 0; n < 6; ++n) {
    if (uses[n]) c.hit(G::ValuPacked, row, {n});
  }
}

/// Instructions between blocks of results share A: the bin of cbsz and abid for `blocks` blocks.
size_t shares(unsigned cbsz, unsigned abid, unsigned blocks) {
  if (cbsz == 0) return 0;
  if (cbsz > 2 || 1u << cbsz > blocks || abid >= 1u << cbsz) return kNowhere;
  return (cbsz == 1 ? 1 : 3) + abid;
}

void cover_classes(Coverage& c, G group, size_t format, size_t source, uint32_t lane) {
  if (format == kMatrixF32) return c.hit(group, {format, source, class_of(lane, 8, 23)});
  if (format == kMatrixOther && group == G::MatrixCoreGfx942Operand) {
    return c.hit(group, {format, source, class_of(lane, 8, 23)});
  }
  const bool half = format == kMatrixF16;
  for (const uint32_t word : {lane & 0xffff, lane >> 16}) {
    c.hit(group, {format, source, half ? class_of(word, 5, 10) : class_of(word, 8, 7)});
  }
}

/// The place on axis `dpp_control`.
size_t dpp_place(unsigned ctrl) {
  if (ctrl < 0x100) return ctrl;
  const unsigned kind = ctrl >> 4, n = ctrl & 15;
  if (kind < 0x13 && n != 0) return 256 + 15 * (kind - 0x10) + n - 1;
  constexpr unsigned kOthers[] = {0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  const auto* const found = std::find(std::begin(kOthers), std::end(kOthers), ctrl);
  if (found == std::end(kOthers)) return kNowhere;
  return 256 + 45 + static_cast<size_t>(found - std::begin(kOthers));
}

size_t wave_lanes(uint64_t exec) {
  if (exec == 0) return 0;
  if (std::popcount(exec) == 1) return 1;
  if (exec >> 32 == 0) return 2;
  if (static_cast<uint32_t>(exec) == 0) return 3;
  return exec == ~uint64_t{0} ? 5 : 4;
}

size_t work_of(const isa::Instruction& i) {
  switch (i.row->semantic) {
    case isa::SemanticId::v_readlane_b32:
      return 3;
    case isa::SemanticId::v_readfirstlane_b32:
      return 4;
    case isa::SemanticId::v_writelane_b32:
      return 5;
    case isa::SemanticId::v_swap_b32:
      return 6;
    case isa::SemanticId::v_accvgpr_read_b32:
    case isa::SemanticId::v_accvgpr_write_b32:
      return 7;
    case isa::SemanticId::v_nop:
    case isa::SemanticId::v_clrexcp:
      return 8;
    default:
      return i.encoding == Encoding::Dpp ? 1 : i.encoding == Encoding::Sdwa ? 2 : 0;
  }
}

size_t operand_place(OperandKind kind) {
  switch (kind) {
    case OperandKind::Vgpr:
      return 0;
    case OperandKind::Sgpr:
      return 1;
    case OperandKind::Inline:
      return 2;
    case OperandKind::Literal:
      return 3;
    case OperandKind::None:
      return 4;
    default:
      return kNowhere;
  }
}

void cover_dpp(Coverage& c, const isa::Modifiers& m) {
  const size_t bound = m.dpp_bound_ctrl ? 1 : 0;
  c.hit(G::SimdDppControl, {dpp_place(m.dpp_ctrl), bound});
  const unsigned rows = m.dpp_row_mask & 15, banks = m.dpp_bank_mask & 15;
  const bool uses[] = {rows == 15 && banks == 15, rows != 0 && rows != 15,
                       banks != 0 && banks != 15, rows == 0, banks == 0};
  for (size_t n = 0; n < 5; ++n) {
    if (uses[n]) c.hit(G::SimdDppMasks, {n, bound});
  }
}

/// GPR indexing by M0 (MI100 ISA 6.6): bits 15:12 switch it on for three sources and destination.
void cover_indexing(Coverage& c, const simd::Issue& issue) {
  if (bit(issue.mode, 27) == 0) return;
  for (unsigned n = 0; n < 4; ++n) {
    const isa::Operand& o = n < 3 ? issue.instruction.src[n] : issue.instruction.dst[0];
    if (o.kind != OperandKind::Vgpr || bit(issue.m0, 12 + n) == 0) continue;
    const unsigned last = o.index + (issue.m0 & 0xff) + o.dwords - 1;
    c.hit(G::SimdIndexing, {n, last < issue.vgpr_count ? size_t{0} : size_t{1}});
  }
}

bool same_place(vrf::RowAddress a, unsigned a_beat, vrf::RowAddress b, unsigned b_beat) {
  return a.acc == b.acc && a.row % kVrfRows == b.row % kVrfRows && a_beat == b_beat;
}

}  // namespace

void cover(Coverage& c, const valu::Request& q, uint8_t flags) {
  const isa::Row& row = row_at(q.row);
  const isa::Modifiers& m = q.modifiers;
  c.hit(G::ValuMode, row, {q.mode & 3, q.mode >> 4 & 3});
  c.hit(G::ValuModeHd, row, {q.mode >> 2 & 3, q.mode >> 6 & 3});
  const unsigned switches[] = {8, 9, 23};
  for (size_t n = 0; n < 3; ++n) c.hit(G::ValuSwitch, row, {2 * n + bit(q.mode, switches[n])});
  const auto lanes = static_cast<unsigned>(std::popcount(q.exec));
  c.hit(G::ValuExec, row, {lanes < 2 ? lanes : lanes == valu::kLanes ? 3u : 2u});
  const bool sdwa = valu::encoding_of(m) == Encoding::Sdwa;
  sdwa ? cover_sdwa(c, row, m) : cover_vop3(c, row, m);
  if (row.format == isa::Format::Vop3p) cover_packed(c, row, m);
  c.hit(G::ValuPass, row, {q.pass});
  cover_operands(c, row, q);
  size_t format = format_of(row.src[0].type);
  if (format == kNowhere) format = format_of(row.dst[0].type);
  for (size_t n = 0; n < 6 && format != kNowhere; ++n) {
    if (bit(flags, static_cast<unsigned>(n)) != 0) c.hit(G::ValuFlag, {format, n});
  }
}

void cover_valu_cycle(Coverage& c, bool offered, bool taken, bool ready) {
  c.hit(G::ValuChannel, {!offered ? 0u : !taken ? 3u : ready ? 1u : 2u});
}

namespace {

/// The groups of the matrix core of one target.
struct MatrixGroups {
  G blgp, cbsz_16, cbsz_4, cbsz_2, pair, operand, accumulator, flow;
};
constexpr MatrixGroups kGfx908Groups = {
    G::MatrixCoreBlgp, G::MatrixCoreCbsz16,  G::MatrixCoreCbsz4,       G::MatrixCoreCbsz2,
    G::MatrixCorePair, G::MatrixCoreOperand, G::MatrixCoreAccumulator, G::MatrixCoreFlow};
constexpr MatrixGroups kGfx90aGroups = {G::MatrixCoreGfx90aBlgp,        G::MatrixCoreGfx90aCbsz16,
                                        G::MatrixCoreGfx90aCbsz4,       G::MatrixCoreGfx90aCbsz2,
                                        G::MatrixCoreGfx90aPair,        G::MatrixCoreGfx90aOperand,
                                        G::MatrixCoreGfx90aAccumulator, G::MatrixCoreGfx90aFlow};
constexpr MatrixGroups kGfx942Groups = {G::MatrixCoreGfx942Blgp,        G::MatrixCoreGfx942Cbsz16,
                                        G::MatrixCoreGfx942Cbsz4,       G::MatrixCoreGfx942Cbsz2,
                                        G::MatrixCoreGfx942Pair,        G::MatrixCoreGfx942Operand,
                                        G::MatrixCoreGfx942Accumulator, G::MatrixCoreGfx942Flow};

size_t matrix_format_of(const isa::Row& row) {
  switch (row.matrix.a) {
    case Type::F32:
      return kMatrixF32;
    case Type::F16:
      return kMatrixF16;
    case Type::Bf16:
      return row.mnemonic.ends_with("_1k") ? kMatrixOther : kMatrixBf16;
    case Type::Xf32:
      return kMatrixOther;
    case Type::F64:
      return kMatrixF64;
    default:
      return kNowhere;
  }
}

/// Doubles have their halves in two rows; those of A come in two passes.
void cover_doubles(Coverage& c, const MatrixTransaction& t, const MatrixGroups& groups) {
  const auto class_at = [](const wave::LaneRow& low, const wave::LaneRow& high, unsigned l) {
    return class_of(uint64_t{high[l]} << 32 | low[l], 11, 52);
  };
  for (unsigned l = 0; l < wave::kLanes; ++l) {
    const auto &low = t.passes[0], &high = t.passes[1];
    c.hit(groups.operand, {kMatrixF64, 0, class_at(low.a, high.a, l)});
    c.hit(groups.operand, {kMatrixF64, 1, class_at(low.b[0], low.b[1], l)});
    for (const matrix_core::Operands& pass : t.passes) {
      if (pass.c_rows == 2) c.hit(groups.accumulator, {1, class_at(pass.c[0], pass.c[1], l)});
    }
  }
}

/// Classes of everything an instruction reads; those of gfx908 know one accumulator.
void cover_numbers(Coverage& c, const MatrixTransaction& t, const isa::Row& row,
                   const MatrixGroups& groups) {
  const size_t format = matrix_format_of(row);
  if (format == kNowhere) return;
  if (format == kMatrixF64) return cover_doubles(c, t, groups);
  for (const matrix_core::Operands& pass : t.passes) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (pass.pass < row.src[0].dwords) cover_classes(c, groups.operand, format, 0, pass.a[l]);
      for (unsigned r = 0; r < matrix_core::kRowsPerPass; ++r) {
        const bool used = pass.pass * matrix_core::kRowsPerPass + r < row.src[1].dwords;
        if (used) cover_classes(c, groups.operand, format, 1, pass.b[r][l]);
      }
      for (unsigned r = 0; r < pass.c_rows; ++r) {
        const size_t place = class_of(pass.c[r][l], 8, 23);
        if (groups.accumulator == G::MatrixCoreAccumulator) {
          c.hit(groups.accumulator, {place});
        } else {
          c.hit(groups.accumulator, {0, place});
        }
      }
    }
  }
}

}  // namespace

void cover(Coverage& c, const MatrixTransaction& t, const MatrixTransaction* before,
           isa::Target target) {
  const MatrixGroups& groups = target == isa::Target::Gfx942   ? kGfx942Groups
                               : target == isa::Target::Gfx90a ? kGfx90aGroups
                                                               : kGfx908Groups;
  const matrix_core::Operands& o = t.passes.front();
  const isa::Row& row = row_at(o.row);
  c.hit(groups.blgp, row, {o.blgp});
  c.hit(groups.cbsz_16, row, {o.cbsz, o.abid});
  c.hit(groups.cbsz_4, row, {shares(o.cbsz, o.abid, 4)});
  c.hit(groups.cbsz_2, row, {shares(o.cbsz, o.abid, 2)});
  if (row.has(isa::kSparse)) {
    c.hit(G::MatrixCoreGfx942Index, row, {o.cbsz != 0 ? size_t{4} : o.abid % size_t{4}});
  }
  cover_numbers(c, t, row, groups);
  const auto apart = [](const std::vector<machine::Cycle>& cycles) {
    for (size_t n = 1; n < cycles.size(); ++n) {
      if (cycles[n] - cycles[n - 1] > 4) return true;
    }
    return false;
  };
  const bool operands = apart(t.offered), results = apart(t.answered);
  if (operands) c.hit(groups.flow, row, {1});
  if (results) c.hit(groups.flow, row, {2});
  if (!operands && !results) c.hit(groups.flow, row, {0});
  if (before == nullptr) return;
  const isa::Row& first = row_at(before->passes.front().row);
  const machine::Cycle free = before->offered.front() + 4 * isa::passes_on(first, target);
  const machine::Cycle start = t.offered.front();
  const machine::Cycle gap = start > free ? start - free : 0;
  c.hit(groups.pair, first, row, gap == 0 ? 0 : gap < 5 ? 1 : gap < 13 ? 2 : 3);
}

void cover(Coverage& c, const simd::Issue& issue, unsigned registers) {
  const isa::Instruction& i = issue.instruction;
  const bool native = i.encoding == Encoding::Native || i.encoding == Encoding::Literal;
  if (native) c.hit(G::SimdNative, *i.row);
  if (i.encoding == Encoding::Vop3) c.hit(G::SimdVop3, *i.row);
  if (i.encoding == Encoding::Sdwa) c.hit(G::SimdSdwa, *i.row);
  if (i.encoding == Encoding::Dpp) {
    c.hit(G::SimdDpp, *i.row);
    cover_dpp(c, i.mod);
  }
  for (size_t s = 0; s < 3; ++s) c.hit(G::SimdOperand, {s, operand_place(i.src[s].kind)});
  c.hit(G::SimdExec, {work_of(i), wave_lanes(issue.exec)});
  cover_indexing(c, issue);
  if (registers != 0) c.hit(G::SimdResult, {registers == 1 ? 0u : registers == 2 ? 1u : 2u});
}

void cover_simd_order(Coverage& c, bool others) {
  c.hit(G::SimdOrder, {others ? 1u : 0u});
}

void cover(Coverage& c, const VrfInputs& in, const VrfOutputs& out) {
  const auto bank = [](vrf::RowAddress a) { return size_t{a.row % vrf::kBanks}; };
  const auto file = [](vrf::RowAddress a) { return size_t{a.acc ? 1u : 0u}; };
  size_t pair = 0;
  for (size_t p = 0; p < vrf::kReadPorts; ++p) {
    const auto& r = in.reads[p];
    const bool taken = r.valid && out.reads[p].ready;
    if (taken) c.hit(G::VrfRead, {p, bank(r.address), file(r.address)});
    if (out.reads[p].data_valid && !r.data_ready) c.hit(G::VrfHeld, {p});
    for (size_t q = p + 1; q < vrf::kReadPorts; ++q, ++pair) {
      const auto& other = in.reads[q];
      const bool room = !out.reads[q].data_valid || other.data_ready;
      const bool waits = other.valid && room && !out.reads[q].ready;
      if (taken && waits && bank(r.address) == bank(other.address)) {
        c.hit(G::VrfConflict, {pair, bank(r.address)});
      }
    }
  }
  pair = 0;
  for (size_t w = 0; w < vrf::kWritePorts; ++w) {
    const auto& write = in.writes[w];
    if (write.valid) c.hit(G::VrfWrite, {w, bank(write.address), file(write.address)});
    for (size_t v = w + 1; v < vrf::kWritePorts; ++v, ++pair) {
      const auto& other = in.writes[v];
      if (write.valid && other.valid && write.lanes != 0 && other.lanes != 0 &&
          same_place(write.address, write.beat, other.address, other.beat)) {
        c.hit(G::VrfWrites, {pair});
      }
    }
    for (size_t p = 0; p < vrf::kReadPorts && write.valid; ++p) {
      const auto& r = in.reads[p];
      if (r.valid && out.reads[p].ready &&
          same_place(write.address, write.beat, r.address, r.beat)) {
        c.hit(G::VrfWriteAndRead, {w, p});
      }
    }
  }
}

}  // namespace cuvette::ip
