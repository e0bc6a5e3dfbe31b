// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/vector.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "wave/dpp.h"
#include "wave/lane_op.h"
#include "wave/operand.h"
#include "wave/status.h"
#include "wave/vector_index.h"
#include "wave/vector_source.h"

namespace cuvette::wave {
namespace {

using isa::Operand;
using isa::OperandKind;
using S = isa::SemanticId;

constexpr unsigned kSources = 3;
constexpr unsigned kDwords = 4;

bool is_mask(const Operand& operand) {
  return operand.type == isa::Type::Mask;
}

/// The rows of one instruction: pointers into registers, or copies for scalars and DPP.
struct Rows {
  alignas(64) LaneRow copy[kSources][kDwords];
};

void route(const DppRouting& routing, const uint32_t* from, LaneRow& to) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    to[lane] = base::bit(routing.zero, lane) ? 0 : from[routing.source[lane]];
  }
}

/// Fills op.src and op.mask_in. `routing` is null without DPP.
void collect(const WaveState& wave, const isa::Instruction& instruction, const DppRouting* routing,
             LaneOp& op, Rows& rows) {
  for (unsigned s = 0; s < 4; ++s) {
    if (instruction.src[s].kind == OperandKind::None) continue;
    if (is_mask(instruction.src[s])) {
      op.mask_in = read_scalar64(wave, instruction.src[s]);
      continue;
    }
    if (s >= kSources) continue;
    const Operand operand = indexed(wave, instruction.src[s], source_index(s));
    for (unsigned d = 0; d < operand.dwords && d < kDwords; ++d) {
      if (!operand.is_vector()) {
        rows.copy[s][d].fill(scalar_dword(wave, operand, d));
        op.src[s][d] = rows.copy[s][d].data();
      } else if (routing != nullptr && s == 0) {
        route(*routing, source_row(wave, operand, d).data(), rows.copy[s][d]);
        op.src[s][d] = rows.copy[s][d].data();
      } else {
        op.src[s][d] = source_row(wave, operand, d).data();
      }
    }
  }
}

/// Destinations of results. One destination out of range suppresses them all (isa_notes 23): the
/// handler then works on copies that are dropped.
struct Destinations {
  Operand vector;  ///< kind None when there is none
  const Operand* mask = nullptr;
  bool suppressed = false;
};

Destinations destinations(const WaveState& wave, const isa::Instruction& instruction) {
  Destinations d;
  for (const Operand& operand : instruction.dst) {
    if (operand.kind == OperandKind::None) continue;
    if (is_mask(operand)) {
      d.mask = &operand;
      if (!scalar_in_range(wave, operand.index & ~1u, 2)) d.suppressed = true;
    } else if (operand.is_vector()) {
      d.vector = indexed(wave, operand, Index::Dst);
      if (!vector_in_range(wave, operand.kind, d.vector.index, operand.dwords)) d.suppressed = true;
    }
  }
  return d;
}

/// Lanes that row and bank masks keep from being written: they gate the VGPR alone, so that these
/// lanes work, and get their old value back (Vega ISA 13 "DPP", decisions.md D55).
class MaskedLanes {
 public:
  MaskedLanes(const DppRouting& routing, const LaneResult& result, unsigned dwords)
      : lanes_(routing.work & ~routing.write), dwords_(lanes_ == 0 ? 0 : dwords) {
    for (unsigned n = 0; n < dwords_; ++n) {
      std::copy(result.dst[n], result.dst[n] + kLanes, old_[n].begin());
    }
  }
  void restore(const LaneResult& result) const {
    for (uint64_t rest = lanes_; dwords_ != 0 && rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      for (unsigned n = 0; n < dwords_; ++n) result.dst[n][lane] = old_[n][lane];
    }
  }

 private:
  uint64_t lanes_;
  unsigned dwords_;
  LaneRow old_[kDwords];
};

/// Executes the handler for the lanes that DPP leaves. A lane without a valid source keeps its bit
/// of a carry-out too.
void run_dpp(const WaveState& wave, const Destinations& d, const DppRouting& routing,
             LaneHandler handler, LaneOp& op, LaneResult& result) {
  const uint64_t idle = op.exec & ~routing.work;
  op.exec = routing.work;
  const bool vector = d.vector.kind != OperandKind::None;
  const MaskedLanes masked(routing, result, vector ? d.vector.dwords : 0);
  handler(op, result);
  masked.restore(result);
  if (d.mask != nullptr && idle != 0) result.mask |= read_scalar64(wave, *d.mask) & idle;
}

Outcome run(WaveState& wave, const isa::Instruction& instruction, LaneHandler handler) {
  Rows rows;
  LaneOp op;
  op.instruction = &instruction;
  op.mode = wave.s.mode;
  op.exec = wave.s.exec();
  const bool dpp = instruction.encoding == isa::Encoding::Dpp;
  DppRouting routing;
  if (dpp) routing = dpp_route(instruction.mod, op.exec);
  collect(wave, instruction, dpp ? &routing : nullptr, op, rows);

  const Destinations d = destinations(wave, instruction);
  LaneResult result;
  LaneRow dropped[kDwords];
  for (unsigned n = 0; d.vector.kind != OperandKind::None && n < d.vector.dwords; ++n) {
    if (d.suppressed) {
      dropped[n].fill(0);
      result.dst[n] = dropped[n].data();
    } else {
      result.dst[n] = destination_row(wave, d.vector, n)->data();
    }
  }
  if (dpp) {
    run_dpp(wave, d, routing, handler, op, result);
  } else {
    handler(op, result);
  }
  if (d.mask != nullptr && !d.suppressed) write_scalar64(wave, *d.mask, result.mask);
  if (writes_exec(instruction)) wave.s.set_exec(result.mask);
  wave.s.trapsts |= result.flags & kExcpMask;
  return {};
}

// The rows that move single lanes ignore EXEC, or have an effect no lane has.

uint32_t lane_of(const WaveState& wave, const Operand& operand, unsigned lane) {
  const Operand source = indexed(wave, operand, Index::Src0);
  return source.is_vector() ? source_row(wave, source)[lane] : scalar_dword(wave, source, 0);
}

Outcome readfirstlane(WaveState& wave, const isa::Instruction& instruction) {
  const uint64_t exec = wave.s.exec();
  const auto lane = exec == 0 ? 0u : static_cast<unsigned>(std::countr_zero(exec));
  write_scalar32(wave, instruction.dst[0], lane_of(wave, instruction.src[0], lane));
  return {};
}

Outcome readlane(WaveState& wave, const isa::Instruction& instruction) {
  const unsigned lane = read_scalar32(wave, instruction.src[1]) % kLanes;
  write_scalar32(wave, instruction.dst[0], lane_of(wave, instruction.src[0], lane));
  return {};
}

Outcome writelane(WaveState& wave, const isa::Instruction& instruction) {
  const unsigned lane = read_scalar32(wave, instruction.src[1]) % kLanes;
  const uint32_t value = read_scalar32(wave, instruction.src[0]);
  const Operand dst = indexed(wave, instruction.dst[0], Index::Dst);
  if (LaneRow* row = destination_row(wave, dst)) (*row)[lane] = value;
  return {};
}

Outcome swap(WaveState& wave, const isa::Instruction& instruction) {
  const Operand a = indexed(wave, instruction.dst[0], Index::Dst);
  const Operand b = indexed(wave, instruction.src[0], Index::Src0);
  LaneRow* const row_a = destination_row(wave, a);
  LaneRow* const row_b = destination_row(wave, b);
  if (row_a == nullptr || row_b == nullptr) return {};
  for (uint64_t rest = wave.s.exec(); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::swap((*row_a)[lane], (*row_b)[lane]);
  }
  return {};
}

/// V_NOP; V_CLREXCP clears what the SIMD has gathered and not yet reported, and this model reports
/// at once (Vega ISA 12.7 row 53).
Outcome nothing(WaveState&, const isa::Instruction&) {
  return {};
}

struct WaveEntry {
  S semantic;
  WaveHandler handler;
};
constexpr WaveEntry kWaveEntries[] = {
    {S::v_nop, nothing},
    {S::v_clrexcp, nothing},
    {S::v_readfirstlane_b32, readfirstlane},
    {S::v_readlane_b32, readlane},
    {S::v_writelane_b32, writelane},
    {S::v_swap_b32, swap},
};

struct DefinedEntry {
  S semantic;
  const char* reason;
};
constexpr const char* kReciprocal = "correctly rounded; silicon may differ within 1 ULP (D4)";
constexpr const char* kElementary = "our own algorithm within the documented error (D4)";
constexpr const char* kLegacy = "legacy semantics are not described: as without legacy (D4)";
constexpr const char* kScale = "corner cases of the manual are open (D3)";
constexpr const char* kMix = "intermediate rounding (D5)";
constexpr const char* kNarrowMix = "intermediate rounding (D5), subnormal results (D53)";
constexpr const char* kDot = "subnormal operands and order of the two roundings (D52)";
constexpr const char* kNorm = "rounding of normalised integers follows MODE";
constexpr const char* kByte = "rounding to a byte follows MODE";
constexpr const char* kFp8 = "rounding and flushing of 8-bit floats are not in the manuals";
constexpr DefinedEntry kDefined[] = {
    {S::v_cvt_f32_fp8, kFp8},
    {S::v_cvt_f32_bf8, kFp8},
    {S::v_cvt_pk_f32_fp8, kFp8},
    {S::v_cvt_pk_f32_bf8, kFp8},
    {S::v_cvt_pk_fp8_f32, kFp8},
    {S::v_cvt_pk_bf8_f32, kFp8},
    {S::v_cvt_sr_fp8_f32, kFp8},
    {S::v_cvt_sr_bf8_f32, kFp8},
    {S::v_exp_f16, kElementary},
    {S::v_exp_f32, kElementary},
    {S::v_exp_legacy_f32, kLegacy},
    {S::v_log_f16, kElementary},
    {S::v_log_f32, kElementary},
    {S::v_log_legacy_f32, kLegacy},
    {S::v_sin_f16, kElementary},
    {S::v_sin_f32, kElementary},
    {S::v_cos_f16, kElementary},
    {S::v_cos_f32, kElementary},
    {S::v_mad_i64_i32, "carry out of a signed sum: bit 64 of the exact result"},
    {S::v_rcp_f16, kReciprocal},
    {S::v_rcp_f32, kReciprocal},
    {S::v_rcp_f64, kReciprocal},
    {S::v_rcp_iflag_f32, kReciprocal},
    {S::v_rsq_f16, kReciprocal},
    {S::v_rsq_f32, kReciprocal},
    {S::v_rsq_f64, kReciprocal},
    {S::v_sqrt_f16, kReciprocal},
    {S::v_sqrt_f32, kReciprocal},
    {S::v_sqrt_f64, kReciprocal},
    {S::v_div_scale_f32, kScale},
    {S::v_div_scale_f64, kScale},
    {S::v_div_fmas_f32, "scaling factor (D2)"},
    {S::v_div_fmas_f64, "scaling factor (D2)"},
    {S::v_div_fixup_f16, "NaN quotient of regular operands (D3b)"},
    {S::v_div_fixup_legacy_f16, "NaN quotient of regular operands (D3b)"},
    {S::v_div_fixup_f32, "NaN quotient of regular operands (D3b)"},
    {S::v_div_fixup_f64, "NaN quotient of regular operands (D3b)"},
    {S::v_mad_mix_f32, kMix},
    {S::v_mad_mixlo_f16, kNarrowMix},
    {S::v_mad_mixhi_f16, kNarrowMix},
    {S::v_fma_mix_f32, kMix},
    {S::v_fma_mixlo_f16, kMix},
    {S::v_fma_mixhi_f16, kMix},
    {S::v_dot2_f32_f16, kDot},
    {S::v_dot2c_f32_f16, kDot},
    {S::v_cvt_norm_i16_f16, kNorm},
    {S::v_cvt_norm_u16_f16, kNorm},
    {S::v_cvt_pknorm_i16_f16, kNorm},
    {S::v_cvt_pknorm_u16_f16, kNorm},
    {S::v_cvt_pknorm_i16_f32, kNorm},
    {S::v_cvt_pknorm_u16_f32, kNorm},
    {S::v_cvt_pk_u8_f32, kByte},
    {S::v_cvt_pkaccum_u8_f32, kByte},
    {S::v_clrexcp, "exceptions are reported at once, nothing is left to clear"},
};

bool reads_lds_direct(const isa::Instruction& instruction) {
  for (const Operand& operand : instruction.src) {
    if (operand.kind == OperandKind::Special && operand.index == isa::kLdsDirect) return true;
  }
  return false;
}

}  // namespace

WaveHandler wave_handler(S semantic) {
  for (const WaveEntry& entry : kWaveEntries) {
    if (entry.semantic == semantic) return entry.handler;
  }
  return nullptr;
}

bool has_vector_semantics(S semantic) {
  return wave_handler(semantic) != nullptr || lane_handler(semantic) != nullptr;
}

StatusOf status_of_vector(const isa::Row& row, isa::Target target) {
  const S semantic = row.semantic;
  if (!has_vector_semantics(semantic)) {
    return {Status::Unsupported, "no semantics for this vector instruction"};
  }
  const bool dots = semantic == S::v_dot2_f32_f16 || semantic == S::v_dot2c_f32_f16;
  if (dots && target == isa::Target::Gfx90a) return {Status::Exact, ""};  // D52
  for (const DefinedEntry& entry : kDefined) {
    if (entry.semantic == semantic) return {Status::Defined, entry.reason};
  }
  return {Status::Exact, ""};
}

Outcome execute_vector(WaveState& wave, const isa::Instruction& instruction) {
  if (reads_lds_direct(instruction)) {
    return {Event::Unsupported, 0, "LDS direct operands are not modelled"};
  }
  if (const WaveHandler handler = wave_handler(instruction.semantic())) {
    return handler(wave, instruction);
  }
  if (const LaneHandler handler = lane_handler(instruction.semantic())) {
    return run(wave, instruction, handler);
  }
  return {Event::Unsupported, 0, "no semantics for this vector instruction"};
}

}  // namespace cuvette::wave
