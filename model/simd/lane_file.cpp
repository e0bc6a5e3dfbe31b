// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "simd/lane_file.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/bits.h"
#include "wave/dpp.h"
#include "wave/execute.h"
#include "wave/lane_op.h"
#include "wave/operand.h"

namespace cuvette::simd {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::SemanticId;

constexpr unsigned kDestinationIndex = 3;
constexpr unsigned kFirstIndexBit = 12;

bool is_accvgpr_copy(const isa::Row& row) {
  return row.semantic == SemanticId::v_accvgpr_read_b32 ||
         row.semantic == SemanticId::v_accvgpr_write_b32 ||
         row.semantic == SemanticId::v_accvgpr_mov_b32;
}

bool is_double(const isa::Row& row) {
  const auto wide = [](const isa::OperandSpec& o) { return o.type == isa::Type::F64; };
  return std::any_of(std::begin(row.dst), std::end(row.dst), wide) ||
         std::any_of(std::begin(row.src), std::end(row.src), wide);
}

/// Scalar sources become constants: their values are in the Issue.
isa::Instruction bound(const Issue& issue) {
  isa::Instruction i = issue.instruction;
  for (unsigned s = 0; s < 4; ++s) {
    Operand& o = i.src[s];
    if (o.kind == OperandKind::None || o.is_vector()) continue;
    const bool mask = o.type == isa::Type::Mask;
    if (!mask && s >= issue.scalar.size()) continue;
    o.kind = OperandKind::Inline;
    o.value = mask ? issue.mask_in : issue.scalar[s];
  }
  return i;
}

/// The four beats of one destination row group.
void append_beats(const Issue& issue, const Destinations& d, const Operand* vector, uint64_t mask,
                  uint8_t flags, const wave::VectorFile& rows, bool last,
                  std::vector<Retire>& beats) {
  const wave::LaneRow* first = nullptr;
  if (vector != nullptr) {
    first = (vector->kind == OperandKind::Agpr ? rows.acc : rows.arch) + vector->index;
  }
  for (unsigned b = 0; b < valu::kBeats; ++b) {
    Retire r;
    r.id = issue.id;
    r.beat = static_cast<uint8_t>(b);
    r.last = last && b + 1 == valu::kBeats;
    r.has_mask = d.mask && !d.suppressed;
    r.mask = r.has_mask ? static_cast<uint16_t>(mask >> valu::kLanes * b) : uint16_t{0};
    if (r.last) r.flags = flags;
    if (vector != nullptr) {
      r.dwords = vector->dwords;
      r.row = physical(issue, *vector);
      r.write = static_cast<uint16_t>(d.lanes >> valu::kLanes * b);
      for (unsigned n = 0; n < r.dwords; ++n) {
        for (unsigned l = 0; l < valu::kLanes; ++l) {
          r.data[n][l] = base::bit(r.write, l) ? first[n][valu::kLanes * b + l] : 0;
        }
      }
    }
    beats.push_back(r);
  }
}

/// The rows an instruction names, copied from a register file that is no host memory (or an
/// allocation that wraps around its end), and what was written copied back.
class StagedRows {
 public:
  StagedRows(const Issue& issue, vrf::Vrf& registers, machine::Cycle now)
      : issue_(issue),
        registers_(registers),
        now_(now),
        arch_(issue.vgpr_count),
        acc_(issue.acc_count) {}

  wave::VectorFile read(const Destinations& d) {
    const isa::Instruction& i = issue_.instruction;
    const bool copy = is_accvgpr_copy(*i.row);
    // Out of range reads register 0 (MI100 ISA 3.6.1).
    for (const OperandKind kind : {OperandKind::Vgpr, OperandKind::Agpr}) {
      Operand first;
      first.kind = kind;
      first.dwords = 1;
      take(vrf::ReadPort::Backdoor, first);
    }
    for (unsigned s = 0; s < 3; ++s) {
      if (!i.src[s].is_vector()) continue;
      take(static_cast<vrf::ReadPort>(s), copy ? i.src[s] : indexed(issue_, i.src[s], s));
    }
    if (i.dst[0].is_vector()) take(vrf::ReadPort::Source2, d.operand);
    wave::VectorFile file;
    file.arch = arch_.data();
    file.arch_count = issue_.vgpr_count;
    file.acc = acc_.empty() ? nullptr : acc_.data();
    file.acc_count = issue_.acc_count;
    return file;
  }
  void write(const Operand& operand, uint64_t lanes) {
    for (unsigned n = 0; n < operand.dwords; ++n) {
      registers_.write(vrf::WritePort::Valu, now_, physical(issue_, operand, n), lanes,
                       file_of(operand)[operand.index + n]);
    }
  }

 private:
  std::vector<wave::LaneRow>& file_of(const Operand& operand) {
    return operand.kind == OperandKind::Agpr ? acc_ : arch_;
  }
  void take(vrf::ReadPort port, const Operand& operand) {
    auto& file = file_of(operand);
    for (unsigned n = 0; n < operand.dwords && operand.index + n < file.size(); ++n) {
      registers_.read(port, now_, physical(issue_, operand, n), file[operand.index + n]);
    }
  }

  const Issue& issue_;
  vrf::Vrf& registers_;
  machine::Cycle now_;
  std::vector<wave::LaneRow> arch_, acc_;
};

}  // namespace

bool is_own(const isa::Row& row) {
  return is_accvgpr_copy(row) || wave::lane_handler(row.semantic) == nullptr;
}

unsigned issue_cycles(const Config& config, const isa::Instruction& instruction) {
  const isa::Row& row = *instruction.row;
  const uint32_t cycles = row.unit == isa::Unit::Trans ? config.transcendental_cycles
                          : is_double(row)             ? config.double_cycles
                                                       : config.valu_cycles;
  return std::max(1u, cycles);
}

Operand indexed(const Issue& issue, const Operand& operand, unsigned which) {
  Operand result = operand;
  const bool enabled =
      wave::Mode{issue.mode}.gpr_idx_en() && base::bit(issue.m0, kFirstIndexBit + which);
  if (enabled && operand.kind == OperandKind::Vgpr) {
    result.index = static_cast<uint16_t>(operand.index + (issue.m0 & 0xff));
  }
  return result;
}

vrf::RowAddress physical(const Issue& issue, const Operand& operand, unsigned dword) {
  const bool acc = operand.kind == OperandKind::Agpr;
  vrf::RowAddress address;
  address.acc = acc && !isa::unified_vgprs(issue.instruction.target);
  address.row =
      static_cast<uint16_t>((acc ? issue.acc_base : issue.vgpr_base) + operand.index + dword);
  return address;
}

Destinations destinations(const Issue& issue) {
  const isa::Instruction& i = issue.instruction;
  Destinations d;
  d.work = d.lanes = issue.exec;
  if (i.encoding == isa::Encoding::Dpp) {
    const wave::DppRouting routing = wave::dpp_route(i.mod, issue.exec);
    d.work = routing.work;
    d.lanes = routing.write;
    d.stays = issue.exec & ~routing.work;
  }
  if (i.semantic() == SemanticId::v_writelane_b32) {
    d.work = d.lanes = uint64_t{1} << (issue.scalar[1] % wave::kLanes);  // EXEC takes no part
  }
  for (const Operand& o : i.dst) {
    if (o.kind == OperandKind::None) continue;
    if (o.is_vector()) {
      // Layer wave leaves the AccVGPR copies out of indexing.
      d.operand = is_accvgpr_copy(*i.row) ? o : indexed(issue, o, kDestinationIndex);
      d.row = physical(issue, d.operand);
      d.vector = unsigned{d.operand.index} + o.dwords <= limit(issue, o);
      if (!d.vector) d.suppressed = true;
    } else if (o.type == isa::Type::Mask) {
      d.mask = true;
    } else if (o.kind == OperandKind::Sgpr) {
      d.scalar = true;
    }
  }
  return d;
}

void execute_whole(const Issue& issue, isa::Target target, vrf::Vrf& registers, machine::Cycle now,
                   std::vector<Retire>& beats) {
  wave::WaveState state;
  state.target = target;
  state.v = registers.view(issue.vgpr_base, issue.vgpr_count, issue.acc_base, issue.acc_count);
  state.alloc.vgprs = issue.vgpr_count;
  state.alloc.accvgprs = issue.acc_count;
  state.s.mode.raw = issue.mode;
  // The compute unit decides whether an SGPR may be written.
  state.s.status = wave::kStatusPriv;
  state.s.sgpr[isa::kM0] = issue.m0;
  state.s.set_exec(issue.exec);
  if (issue.instruction.encoding == isa::Encoding::Dpp) {
    for (const Operand& o : issue.instruction.dst) {
      // The carry-out as it was: bits of it may stay.
      const bool mask = o.kind == OperandKind::Sgpr && o.type == isa::Type::Mask;
      if (mask) state.s.set_pair(o.index & ~1u, issue.mask_in);
    }
  }

  const isa::Instruction instruction = bound(issue);
  const Destinations d = destinations(issue);
  std::optional<StagedRows> staged;
  if (state.v.arch == nullptr && issue.vgpr_count + issue.acc_count != 0) {
    state.v = staged.emplace(issue, registers, now).read(d);
  }
  const wave::Outcome outcome = is_accvgpr_copy(*instruction.row)
                                    ? wave::execute_matrix(state, instruction)
                                    : wave::execute_vector(state, instruction);
  assert(outcome.event == wave::Event::None);  // implements() was asked first
  (void)outcome;

  if (d.scalar) {
    Retire r;
    r.id = issue.id;
    r.last = true;
    r.has_scalar = true;
    r.scalar = state.s.sgpr[instruction.dst[0].index];
    beats.push_back(r);
    return;
  }
  uint64_t mask = 0;
  for (const Operand& o : instruction.dst) {
    if (o.kind == OperandKind::Sgpr && o.type == isa::Type::Mask)
      mask = state.s.pair(o.index & ~1u);
  }
  // V_CMPX: the pair may be one that takes no upper half; EXEC has the whole mask.
  if (instruction.row->format == isa::Format::Vopc && instruction.row->has(isa::kWritesExec)) {
    mask = state.s.exec();
  }
  const auto flags = static_cast<uint8_t>(state.s.trapsts & wave::kExcpMask);
  const bool swap = instruction.semantic() == SemanticId::v_swap_b32;
  if (swap) {
    const Operand other = indexed(issue, instruction.src[0], 0);
    const bool in_range = d.vector && other.index < limit(issue, other);
    if (staged && in_range) {
      staged->write(d.operand, d.lanes);
      staged->write(other, d.lanes);
    }
    append_beats(issue, d, in_range ? &d.operand : nullptr, 0, 0, state.v, false, beats);
    append_beats(issue, d, in_range ? &other : nullptr, 0, 0, state.v, true, beats);
    return;
  }
  if (staged && d.vector) staged->write(d.operand, d.lanes);
  append_beats(issue, d, d.vector ? &d.operand : nullptr, mask, flags, state.v, true, beats);
}

}  // namespace cuvette::simd
