// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/executor/decoder.h"

#include <algorithm>

#include "wave/formats.h"
#include "wave/lanes/level_table.h"
#include "wave/matrix.h"
#include "wave/scalar/scalar.h"
#include "wave/vector.h"
#include "wave/vector_source.h"

namespace cuvette::wave {
namespace {

using isa::Format;
using isa::Operand;
using isa::OperandKind;
using S = isa::SemanticId;

constexpr unsigned kSources = 3;

bool run_scalar(const MicroOp& p, WaveState& wave, Context&) {
  p.scalar(wave, *p.instruction);
  return true;
}
/// Matrix instructions want MXCSR as it was found.
bool run_matrix(const MicroOp& p, WaveState& wave, Context& c) {
  c.floats.leave();
  execute_matrix(wave, *p.instruction);
  return true;
}
/// The reference's way through a vector instruction.
bool run_reference(const MicroOp& p, WaveState& wave, Context&) {
  execute_vector(wave, *p.instruction);
  return true;
}

bool is_vector(Format format) {
  return format == Format::Vop1 || format == Format::Vop2 || format == Format::Vopc ||
         format == Format::Vop3a || format == Format::Vop3b || format == Format::Vop3p;
}
bool is_constant(const Operand& operand) {
  return operand.kind == OperandKind::Inline || operand.kind == OperandKind::Literal;
}

/// Trap temporaries, M0 and what follows it have rules of their own.
bool take_mask(const Operand& operand, bool written, int8_t& code, MicroOp& op) {
  const unsigned even = operand.index & ~1u;
  if (operand.kind != OperandKind::Sgpr || even == isa::kM0) return false;
  if (even <= isa::kLastSgpr) need(op.sgprs, even + 2);
  code = static_cast<int8_t>(even);
  return !written || even <= isa::kLastSgpr + 1u || even == isa::kVccLo || even == isa::kExecLo;
}

}  // namespace

uint32_t Decoder::constant(uint64_t value) {
  const auto [it, fresh] = places_.try_emplace(value, row_count_);
  if (fresh) {
    if (rows_.empty() || row_count_ == rows_.back().size()) {
      LaneRows larger(row_count_ * 2 + 16);
      if (!rows_.empty()) std::copy(rows_.back().begin(), rows_.back().end(), larger.begin());
      rows_.push_back(std::move(larger));
    }
    rows_.back()[row_count_++].fill(base::lo32(value));
    rows_.back()[row_count_++].fill(base::hi32(value));
    constants_.store(rows_.back().data(), std::memory_order_release);
  }
  return it->second * static_cast<uint32_t>(sizeof(LaneRow));
}

/// A register, or a constant.
bool Decoder::take_scalar(const Operand& operand, unsigned s, MicroOp& op) {
  op.src_dwords[s] = operand.dwords;
  if (is_constant(operand)) {
    op.place[s] = Place::Constant;
    op.src[s] = constant(operand.value);
    return operand.dwords <= 2;
  }
  if (operand.kind != OperandKind::Sgpr || operand.dwords > 2) return false;
  const bool pair = operand.dwords == 2;
  const unsigned code = pair ? operand.index & ~1u : operand.index;
  if (code == (pair ? unsigned{isa::kM0} : isa::kM0 + 1u)) return false;
  if (code <= isa::kLastSgpr) need(op.sgprs, code + operand.dwords);
  op.place[s] = Place::Scalar;
  op.src[s] = code * 4;
  return true;
}

bool Decoder::take_source(const Operand& operand, unsigned s, MicroOp& op) {
  if (operand.type == isa::Type::Mask) return take_mask(operand, false, op.mask_in, op);
  if (s >= kSources || s != op.sources) return false;
  ++op.sources;
  const bool acc = operand.kind == OperandKind::Agpr;
  if (!acc && operand.kind != OperandKind::Vgpr) {
    if (!take_scalar(operand, s, op)) return false;
    if (op.place[s] == Place::Constant) return true;
    op.place[s] = Place::Copy;
    op.copied |= static_cast<uint8_t>(1u << s);
    op.scalar_src[s] = static_cast<uint16_t>(op.src[s]);
    op.src[s] = s * static_cast<uint32_t>(sizeof(Context::copy[0]));
    return true;
  }
  op.place[s] = acc ? Place::Agpr : Place::Vgpr;
  op.src[s] = operand.index * static_cast<uint32_t>(sizeof(LaneRow));
  op.src_dwords[s] = operand.dwords;
  need(acc ? op.accvgprs : op.vgprs, operand.index + operand.dwords);
  return operand.dwords <= 4;
}

MicroOp Decoder::decode_scalar(const isa::Instruction& i) {
  MicroOp op;
  op.kind = scalar::micro_kind_of(i.semantic());
  if (op.kind == MicroKind::None) return {};
  op.scalar = scalar::find_handler(i.semantic());
  op.run = run_scalar;
  op.modes = kDebugging;
  const MicroOp::Run quick = scalar::find_quick(i.semantic());
  if (quick == nullptr) return op;
  MicroOp direct = op;
  for (unsigned s = 0; s < 4; ++s) {
    const Operand& o = i.src[s];
    if (o.kind == OperandKind::None || o.kind == OperandKind::Immediate) continue;
    if (s >= kSources || !take_scalar(o, s, direct)) return op;
  }
  const Operand& d = i.dst[0];
  if (d.kind != OperandKind::None) {
    const unsigned code = d.dwords == 2 ? d.index & ~1u : d.index;
    const bool reserved = code == isa::kM0 + 1u || (code == isa::kM0 && d.dwords == 2);
    const bool temporary = code >= isa::kTtmp0 && code <= isa::kTtmp15;
    if (d.kind != OperandKind::Sgpr || reserved || temporary) return op;
    if (i.dst[1].kind != OperandKind::None) return op;
    if (code <= isa::kLastSgpr) need(direct.sgprs, code + d.dwords);
    direct.dst = code * 4;
  }
  direct.run = quick;
  return direct;
}

/// The function of a row for instructions like this one. False: there is none.
bool Decoder::choose_handler(const isa::Instruction& i, S semantic, MicroOp& op) {
  const lanes::LevelTable* const level = lanes::level_table();
  if (level == nullptr) return false;
  const isa::Modifiers& mod = i.mod;
  lanes::LevelChoice choice = lanes::choose_level(i, semantic);
  Route route;
  route.dpp = i.encoding == isa::Encoding::Dpp;
  route.sdwa = i.encoding == isa::Encoding::Sdwa;
  const bool wide = op.dst_dwords > 1 || op.src_dwords[0] > 1 || op.src_dwords[1] > 1;
  if (choice.function.lanes == nullptr || (route.sdwa && wide)) {
    choice = {{lane_handler(semantic), level->called}, lanes::HostMode::None, false};
    route.sdwa = false;
  }
  if (choice.function.lanes == nullptr) return false;
  route.clamp = choice.clamp;
  op.lanes = choice.function.lanes;
  op.run = choice.function.run;
  op.mode = choice.mode;
  if (!route.dpp && !route.sdwa && !route.clamp) return true;
  for (unsigned lane = 0; route.dpp && lane < kLanes; ++lane) {
    const int source = dpp_source_lane(mod.dpp_ctrl, lane);
    route.source[lane] = static_cast<uint8_t>(source == kNoLane ? 0 : source);
    if (source != kNoLane) route.inside |= uint64_t{1} << lane;
  }
  if (route.dpp) route.selected = dpp_selected(mod);
  routes_.push_back(route);
  op.route = &routes_.back();
  op.run = level->routed;
  return true;
}

/// A row that works on lanes alone, done as `semantic`.
MicroOp Decoder::decode_lanes(const isa::Instruction& i, S semantic) {
  MicroOp op;
  op.kind = MicroKind::Straight;
  op.modes = kGprIndexing | kSkipping | kTrapping;
  op.writes_exec = writes_exec(i);
  for (unsigned s = 0; s < 4; ++s) {
    const Operand& o = i.src[s];
    if (o.kind != OperandKind::None && !take_source(o, s, op)) return {};
  }
  for (const Operand& o : i.dst) {
    if (o.kind == OperandKind::None) continue;
    if (o.type == isa::Type::Mask) {
      if (!take_mask(o, true, op.mask_out, op)) return {};
      continue;
    }
    const bool acc = o.kind == OperandKind::Agpr;
    if ((!acc && o.kind != OperandKind::Vgpr) || op.dst_dwords != 0 || o.dwords > 4) return {};
    op.dst_place = acc ? Place::Agpr : Place::Vgpr;
    op.dst = o.index * static_cast<uint32_t>(sizeof(LaneRow));
    op.dst_dwords = o.dwords;
    need(acc ? op.accvgprs : op.vgprs, o.index + o.dwords);
  }
  return choose_handler(i, semantic, op) ? op : MicroOp{};
}

MicroOp Decoder::decode_vector(const isa::Instruction& i) {
  const bool direct = std::any_of(std::begin(i.src), std::end(i.src), [](const Operand& o) {
    return o.kind == OperandKind::Special && o.index == isa::kLdsDirect;
  });
  if (direct || !has_vector_semantics(i.semantic())) return {};
  MicroOp op;
  op.kind = MicroKind::Straight;
  op.modes = kSkipping | kTrapping;
  op.run = run_scalar;
  op.scalar = wave_handler(i.semantic());
  if (op.scalar != nullptr) return op;
  if (const MicroOp quick = decode_lanes(i, i.semantic()); quick.run != nullptr) return quick;
  op.run = run_reference;
  return op;
}

MicroOp Decoder::decode_matrix(const isa::Instruction& i) {
  if (!has_matrix_semantics(*i.row)) return {};
  const S semantic = i.semantic();
  if (semantic != S::v_mfma && semantic != S::v_smfmac) {  // AccVGPR copies
    if (const MicroOp quick = decode_lanes(i, S::v_mov_b32); quick.run != nullptr) return quick;
  }
  MicroOp op;
  op.kind = MicroKind::Straight;
  op.modes = kSkipping | kDebugging;
  op.run = run_matrix;
  return op;
}

MicroOp Decoder::decode(const isa::Instruction& i) {
  const isa::Row& row = *i.row;
  MicroOp op;
  if (row.has(isa::kGraphicsOnly)) return op;
  if (row.format == Format::Vop3pMai || i.semantic() == S::v_accvgpr_mov_b32) {
    op = decode_matrix(i);
  } else if (is_vector(row.format)) {
    op = decode_vector(i);
  } else if (is_scalar(row.format)) {
    op = decode_scalar(i);
  } else {
    op = decode_memory(i);
  }
  op.instruction = &i;
  op.length = i.length;
  return op;
}

}  // namespace cuvette::wave
