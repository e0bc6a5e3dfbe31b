// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/prepared.h"

#include <algorithm>
#include <limits>

#include "wave/formats.h"
#include "wave/lanes/plain.h"
#include "wave/matrix.h"
#include "wave/memory/prepared_memory.h"
#include "wave/scalar/scalar.h"
#include "wave/vector_source.h"

namespace cuvette::wave {
namespace {

using isa::Format;
using isa::Operand;
using isa::OperandKind;
using S = isa::SemanticId;

constexpr unsigned kSources = 3;
constexpr uint32_t kGprIndexing = 1u << 27;  // MODE.GPR_IDX_EN
constexpr uint32_t kSkipping = 1u << 28;     // MODE.VSKIP
// MODE.DEBUG and MODE.EXCP_EN: a trap may follow.
constexpr uint32_t kDebugging = 1u << 11;
constexpr uint32_t kTrapping = kDebugging | 0x1ffu << 12;

void need(uint16_t& registers, unsigned count) {
  registers = std::max(registers, static_cast<uint16_t>(count));
}

bool run_scalar(const Prepared& p, WaveState& wave, HostSlice&) {
  p.scalar(wave, *p.instruction);
  return true;
}

/// Matrix instructions want MXCSR as it was found.
bool run_matrix(const Prepared& p, WaveState& wave, HostSlice& slice) {
  const bool ready = slice.ready();
  slice.leave();
  execute_matrix(wave, *p.instruction);
  if (ready) slice.enter();
  return true;
}

Prepared prepare_matrix(const isa::Instruction& instruction) {
  if (!has_matrix_semantics(*instruction.row)) return {};
  Prepared p;
  p.instruction = &instruction;
  p.length = instruction.length;
  p.shortness = Shortness::Straight;
  p.modes = kSkipping | kDebugging;
  p.run = run_matrix;
  const auto take = [&p](const Operand& o) {
    if (o.kind == OperandKind::Vgpr) need(p.vgprs, o.index + o.dwords);
  };
  for (const Operand& o : instruction.src) take(o);
  for (const Operand& o : instruction.dst) take(o);
  return p;
}

bool is_vector(Format format) {
  return format == Format::Vop1 || format == Format::Vop2 || format == Format::Vopc ||
         format == Format::Vop3a || format == Format::Vop3b || format == Format::Vop3p;
}

/// Where scalar_source finds a scalar operand. False: nowhere.
bool locate_scalar(const Operand& operand, unsigned s, Prepared& p) {
  if (operand.kind == OperandKind::Sgpr) {
    const unsigned code = operand.dwords == 2 ? operand.index & ~1u : operand.index;
    const unsigned reserved = operand.dwords == 2 ? isa::kM0 : isa::kM0 + 1;
    if (code == reserved) return false;
    if (code <= isa::kLastSgpr) need(p.sgprs, code + operand.dwords);
    p.src[s] = code * 4;
    return true;
  }
  const bool constant = operand.kind == OperandKind::Inline || operand.kind == OperandKind::Literal;
  if (!constant) return false;
  p.src[s] = static_cast<uint32_t>(reinterpret_cast<const char*>(&operand.value) -
                                   reinterpret_cast<const char*>(p.instruction));
  p.scalars = static_cast<uint8_t>(p.scalars | 0x10u << s);
  return true;
}

/// Sources and destination of a scalar instruction; trap temporaries have rules of their own.
bool locate_scalars(const isa::Instruction& instruction, Prepared& p) {
  for (unsigned s = 0; s < 4; ++s) {
    const Operand& operand = instruction.src[s];
    if (operand.kind == OperandKind::None || operand.kind == OperandKind::Immediate) continue;
    p.scalars = static_cast<uint8_t>(p.scalars | 1u << s);
    if (s >= kSources || !locate_scalar(operand, s, p)) return false;
  }
  const Operand& d = instruction.dst[0];
  if (d.kind == OperandKind::None) return true;
  const unsigned code = d.dwords == 2 ? d.index & ~1u : d.index;
  const bool reserved = code == isa::kM0 + 1 || (code == isa::kM0 && d.dwords == 2);
  const bool temporary = code >= isa::kTtmp0 && code <= isa::kTtmp15;
  if (d.kind != OperandKind::Sgpr || reserved || temporary) return false;
  if (code <= isa::kLastSgpr) need(p.sgprs, code + d.dwords);
  p.dst = code * 4;
  return instruction.dst[1].kind == OperandKind::None;
}

/// What lanes::plain_row may rely on.
bool is_direct(const isa::Instruction& instruction, Prepared& p) {
  for (unsigned s = 0; s < p.sources; ++s) {
    if (base::bit(p.scalars, s) && !locate_scalar(instruction.src[s], s, p)) return false;
  }
  if (p.mask_in < 0) return true;
  const Operand& mask = instruction.src[p.mask_in];
  const unsigned even = mask.index & ~1u;
  if (mask.kind != OperandKind::Sgpr || even == isa::kM0) return false;
  if (even <= isa::kLastSgpr) need(p.sgprs, even + 2);
  return true;
}

/// False: an operand the short way does not know.
bool take_source(const Operand& operand, unsigned s, Prepared& p) {
  if (operand.type == isa::Type::Mask) {
    p.mask_in = static_cast<int8_t>(s);
    return true;
  }
  if (s >= kSources || s != p.sources) return false;
  ++p.sources;
  switch (operand.kind) {
    case OperandKind::Vgpr:
      p.src[s] = Prepared::offset_of(operand.index);
      need(p.vgprs, operand.index + operand.dwords);
      return operand.dwords <= 4;
    case OperandKind::Agpr:
      return false;
    case OperandKind::Special:
      if (operand.index == isa::kLdsDirect) return false;
      break;
    default:
      break;
  }
  p.scalars = static_cast<uint8_t>(p.scalars | 1u << s);
  return operand.dwords <= 2;
}

bool take_destination(const Operand& operand, unsigned n, Prepared& p) {
  if (operand.type == isa::Type::Mask) {
    p.mask_out = static_cast<int8_t>(n);
    if (operand.kind != OperandKind::Sgpr) return false;
    const unsigned even = operand.index & ~1u;
    if (even <= isa::kLastSgpr) need(p.sgprs, even + 2);
    // Trap temporaries, M0 and what follows: rare, and rules of their own.
    return even <= isa::kLastSgpr + 1u || even == isa::kVccLo || even == isa::kExecLo;
  }
  if (operand.kind != OperandKind::Vgpr || p.dst_dwords != 0) return false;
  p.dst = Prepared::offset_of(operand.index);
  p.dst_dwords = operand.dwords;
  need(p.vgprs, operand.index + operand.dwords);
  return operand.dwords <= 4;
}

bool take_operands(const isa::Instruction& instruction, Prepared& p) {
  for (unsigned s = 0; s < 4; ++s) {
    const Operand& operand = instruction.src[s];
    if (operand.kind != OperandKind::None && !take_source(operand, s, p)) return false;
  }
  for (unsigned n = 0; n < 2; ++n) {
    const Operand& operand = instruction.dst[n];
    if (operand.kind != OperandKind::None && !take_destination(operand, n, p)) return false;
  }
  return true;
}

Prepared prepare_vector(const isa::Instruction& instruction) {
  Prepared p;
  p.instruction = &instruction;
  p.length = instruction.length;
  p.lanes = lane_handler(instruction.semantic());
  p.shortness = Shortness::Straight;
  p.modes = kGprIndexing | kSkipping | kTrapping;
  p.writes_exec = writes_exec(instruction);
  const bool encoded_plainly =
      instruction.encoding != isa::Encoding::Dpp && instruction.encoding != isa::Encoding::Sdwa;
  if (p.lanes == nullptr || !encoded_plainly || !take_operands(instruction, p)) return {};
  p.run = run_lanes;
  Prepared direct = p;
  if (!is_direct(instruction, direct)) return p;
  direct.run = lanes::plain_row(instruction, direct);  // and perhaps Shortness::Float
  return direct.run != nullptr ? direct : p;
}

}  // namespace

bool run_lanes(const Prepared& p, WaveState& wave, HostSlice&) {
  const isa::Instruction& instruction = *p.instruction;
  alignas(64) LaneRow copy[kSources][2];
  LaneOp op;
  op.instruction = &instruction;
  op.mode = wave.s.mode;
  op.exec = wave.s.exec();
  for (unsigned s = 0; s < p.sources; ++s) {
    const unsigned dwords = instruction.src[s].dwords;
    if (!base::bit(p.scalars, s)) {
      for (unsigned d = 0; d < dwords; ++d)
        op.src[s][d] = Prepared::row(wave, p.src[s]) + d * kLanes;
      continue;
    }
    for (unsigned d = 0; d < dwords; ++d) {
      copy[s][d].fill(scalar_dword(wave, instruction.src[s], d));
      op.src[s][d] = copy[s][d].data();
    }
  }
  if (p.mask_in >= 0) op.mask_in = read_scalar64(wave, instruction.src[p.mask_in]);
  LaneResult result;
  for (unsigned d = 0; d < p.dst_dwords; ++d)
    result.dst[d] = Prepared::row(wave, p.dst) + d * kLanes;
  p.lanes(op, result);
  if (p.mask_out >= 0) write_scalar64(wave, instruction.dst[p.mask_out], result.mask);
  if (p.writes_exec) wave.s.set_exec(result.mask);
  wave.s.trapsts |= result.flags & kExcpMask;
  return true;
}

Prepared prepare(const isa::Instruction& instruction) {
  const isa::Row& row = *instruction.row;
  if (row.has(isa::kGraphicsOnly)) return {};
  if (row.format == Format::Vop3pMai) return prepare_matrix(instruction);
  if (is_vector(row.format)) return prepare_vector(instruction);
  if (!is_scalar(row.format)) return memory::prepare_memory(instruction);
  Prepared p;
  p.shortness = scalar::shortness_of(row.semantic);
  if (p.shortness == Shortness::None) return {};
  p.instruction = &instruction;
  p.length = instruction.length;
  p.scalar = scalar::find_handler(row.semantic);
  p.modes = kDebugging;
  p.run = run_scalar;
  const Prepared::Run quick = scalar::find_quick(row.semantic);
  if (quick == nullptr) return p;
  Prepared direct = p;
  if (!locate_scalars(instruction, direct)) return p;
  direct.run = quick;
  return direct;
}

void join_rows(std::span<Prepared> code) {
  constexpr size_t kMost = std::numeric_limits<uint8_t>::max();
  for (size_t n = 0; n < code.size();) {
    const Prepared::Run one = code[n].run;
    size_t end = n + 1;
    while (end < code.size() && end - n < kMost && code[end].run == one) ++end;
    if (const auto many = end > n + 1 ? lanes::sequence_row(code[n]) : nullptr) {
      code[n].run = many;
      code[n].pieces = static_cast<uint8_t>(end - n);
    }
    n = end;
  }
}

}  // namespace cuvette::wave
