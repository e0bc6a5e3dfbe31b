// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/plain.h"

#include "wave/lanes/host_unit.h"
#include "wave/operand.h"

namespace cuvette::wave {

#if defined(__x86_64__)
void HostSlice::enter() {
  if (ready()) return;
  leave();
  found_ = lanes::host::store_mxcsr(nullptr);
  lanes::host::load_mxcsr(lanes::host::wanted_mxcsr(scalar_.mode.env_f32(), false));
  mode_ = scalar_.mode.raw;
}
void HostSlice::restore(uint32_t dropped) {
  const uint32_t flags = lanes::host::store_mxcsr(nullptr) & lanes::host::kFlags;
  lanes::host::load_mxcsr(found_);
  scalar_.trapsts |= flags & ~dropped;
  mode_ = kNone;
}
void HostSlice::leave_without_invalid() {
  if (mode_ != kNone) restore(lanes::host::kInvalid);
}
#else
void HostSlice::enter() {}
void HostSlice::restore(uint32_t) {}
void HostSlice::leave_without_invalid() {}
#endif

namespace lanes {
namespace {

using S = isa::SemanticId;

struct PlainEntry {
  S semantic;
  HostOp op;
  bool accumulates = false;
};
constexpr PlainEntry kPlain[] = {
    {S::v_add_f32, HostOp::Add},   {S::v_sub_f32, HostOp::Sub},
    {S::v_mul_f32, HostOp::Mul},   {S::v_subrev_f32, HostOp::Subrev},
    {S::v_fma_f32, HostOp::Fma},   {S::v_fmac_f32, HostOp::Fma, true},
    {S::v_fmamk_f32, HostOp::Fma}, {S::v_fmaak_f32, HostOp::Fma},
};

}  // namespace

Prepared::Run plain_row(const isa::Instruction& instruction, Prepared& prepared) {
  const isa::Modifiers& mod = instruction.mod;
  if (mod.omod != 0 || mod.clamp) return nullptr;
  for (const PlainEntry& entry : kPlain) {
    if (entry.semantic != instruction.semantic()) continue;
    const bool registers = mod.abs == 0 && mod.neg == 0 && prepared.scalars == 0;
    Prepared::Run run = nullptr;
    if (host_level() == HostLevel::Avx512) run = plain_avx512(entry.op, registers);
    if (host_level() == HostLevel::Avx2) run = plain_avx2(entry.op, registers);
    if (run != nullptr && entry.accumulates) prepared.src[2] = prepared.dst;
    return run;
  }
  return nullptr;
}

void finish_with_nans(const Prepared& p, WaveState& wave, HostSlice& slice, const uint32_t* row,
                      uint64_t nan) {
  slice.leave_without_invalid();
  LaneRow copy[3];
  LaneOp op;
  op.instruction = p.instruction;
  op.mode = wave.s.mode;
  op.exec = nan;
  for (unsigned s = 0; s < p.sources; ++s) {
    if (base::bit(p.scalars, s)) {
      copy[s].fill(read_scalar32(wave, p.instruction->src[s]));
      op.src[s][0] = copy[s].data();
    } else {
      op.src[s][0] = Prepared::row(wave, p.src[s]);
    }
  }
  LaneResult result;
  uint32_t* const dst = Prepared::row(wave, p.dst);
  result.dst[0] = dst;
  p.lanes(op, result);
  wave.s.trapsts |= result.flags & kExcpMask;
  for (uint64_t rest = wave.s.exec() & ~nan; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    dst[lane] = row[lane];
  }
}

}  // namespace lanes
}  // namespace cuvette::wave
