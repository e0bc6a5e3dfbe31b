// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wave_control.h"

#include <fmt/format.h>

#include "isa/text.h"

namespace cuvette::compute_unit {
namespace {

/// Spaces of SQ_IND_INDEX: registers of the wave, scalar operand codes, VGPRs of one lane.
constexpr uint32_t kScalarSpace = 0x200, kVectorSpace = 0x400, kVectorEnd = 0x600;
constexpr uint32_t kInBarrier = 1u << 12, kValid = 1u << 16;

}  // namespace

bool is_meant(const spi::WaveCommand& c, const Identity& l) {
  return !((c.one && (l.simd != c.simd || l.slot != c.slot)) || (c.of_vmid && l.vmid != c.vmid) ||
           (c.of_dispatch && l.dispatch != c.dispatch));
}

std::optional<VectorIndex> vector_index(uint32_t index, const Identity& l) {
  if (index < kVectorSpace || index >= kVectorEnd) return std::nullopt;
  // AccVGPRs of gfx908 behind the VGPRs, as in the numbering of vector operands.
  VectorIndex v;
  v.acc = index >= kVectorSpace + 256;
  v.row = index - kVectorSpace - (v.acc ? 256 : 0);
  if (v.row >= (v.acc ? l.acc_count : l.vgpr_count)) return std::nullopt;
  return v;
}

std::optional<uint32_t> inspect_scalar(const WaveContext& w, uint32_t index, const uint32_t* words,
                                       unsigned held) {
  const wave::ScalarState& s = w.state.s;
  if (index >= kScalarSpace && index < kScalarSpace + s.sgpr.size()) {
    return s.sgpr[index - kScalarSpace];
  }
  switch (index) {
    case 0x11:  // SQ_WAVE_MODE
      return s.mode.raw;
    case 0x12:  // SQ_WAVE_STATUS
      return s.status | (s.scc ? wave::kStatusScc : 0) | (s.exec() == 0 ? wave::kStatusExecz : 0) |
             (s.vcc() == 0 ? wave::kStatusVccz : 0) |
             (w.phase == Phase::AtBarrier ? kInBarrier : 0) | kValid;
    case 0x13:  // SQ_WAVE_TRAPSTS
      return s.trapsts;
    case 0x14:  // SQ_WAVE_HW_ID
      return w.state.alloc.hw_id;
    case 0x17:  // SQ_WAVE_IB_STS
      return ib_sts(w);
    case 0x18:  // SQ_WAVE_PC_LO
      return static_cast<uint32_t>(s.pc);
    case 0x19:  // SQ_WAVE_PC_HI
      return static_cast<uint32_t>(s.pc >> 32) & 0xffff;
    case 0x1a:                                        // SQ_WAVE_INST_DW0
    case 0x1b:                                        // SQ_WAVE_INST_DW1
      if (index - 0x1a >= held) return std::nullopt;  // not fetched
      return words[index - 0x1a];
    default:
      return std::nullopt;
  }
}

spi::WaveDone done_of(const WaveContext& w) {
  spi::WaveDone done;
  done.id = w.launch.id;
  done.simd = w.launch.simd;
  done.slot = w.launch.slot;
  done.dispatch = w.launch.dispatch;
  done.workgroup = w.launch.workgroup;
  done.error = w.failed;
  done.error_code = w.error_code;
  done.error_address = w.error_address;
  done.error_pc = w.error_pc;
  done.saved = w.saved && !w.failed && !w.killed;
  done.first = done.saved && w.save_first;
  return done;
}

std::string place_of(unsigned unit, const WaveContext& w, uint64_t pc, const isa::Instruction* i) {
  return fmt::format("compute unit {} simd {} slot {} wave {:#x} pc {:#x}{}{}", unit, w.launch.simd,
                     w.launch.slot, w.launch.id, pc, i != nullptr ? ": " : "",
                     i != nullptr ? isa::text(*i) : "");
}

WaveReport report_of(const WaveContext& w) {
  WaveReport r;
  r.id = w.launch.id;
  r.dispatch = w.launch.dispatch;
  r.workgroup = w.launch.workgroup;
  r.wave_in_group = w.launch.wave_in_group;
  r.simd = w.launch.simd;
  r.slot = w.launch.slot;
  r.pc = w.state.s.pc;
  r.exp = w.exp;
  r.at_barrier = w.phase == Phase::AtBarrier;
  r.halted = is_halted(w);
  r.ending = w.phase == Phase::Ending;
  return r;
}

void count_units(ComputeUnit::Counters& c) {
  using C = ComputeUnit::Counters;
  // In the order of isa::Unit.
  static constexpr uint64_t C::* kCounters[] = {
      &C::salu, &C::smem,  &C::valu,  &C::valu,   &C::matrix, &C::vmem, &C::vmem,
      &C::lds,  &C::other, &C::other, &C::branch, &C::other,  &C::other};
  static_assert(std::size(kCounters) == static_cast<size_t>(isa::Unit::Wave) + 1);
  const isa::RowList rows = isa::rows();
  for (uint32_t n = 0; n < rows.count; ++n) {
    c.instructions += c.by_row[n];
    c.*kCounters[static_cast<size_t>(rows.first[n].unit)] += c.by_row[n];
  }
}

}  // namespace cuvette::compute_unit
