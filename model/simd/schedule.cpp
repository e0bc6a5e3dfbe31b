// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "simd/schedule.h"

#include <algorithm>
#include <array>
#include <vector>

#include "simd/lane_file.h"

namespace cuvette::simd {
namespace {

using isa::Operand;
using isa::SemanticId;

constexpr unsigned kPorts = 3;
constexpr unsigned kRowBeats = 4;
constexpr unsigned kSelectsUpperHalf = 8;

using Banks = std::array<std::vector<unsigned>, kPorts>;  ///< of the rows of each port, in order

/// 16-bit results that leave the other half of the register (MI100 ISA 6.4).
bool keeps_half(SemanticId id) {
  return id == SemanticId::v_mad_f16 || id == SemanticId::v_fma_f16 ||
         id == SemanticId::v_mad_u16 || id == SemanticId::v_mad_i16 ||
         id == SemanticId::v_div_fixup_f16;
}

bool needs_old(const isa::Instruction& i) {
  const bool sdwa = i.encoding == isa::Encoding::Sdwa;
  return i.dst[0].read || keeps_half(i.semantic()) ||
         (i.row->has(isa::kOpSel) && (i.mod.op_sel & kSelectsUpperHalf) != 0) ||
         (sdwa && i.mod.sdwa_unused == isa::SdwaUnused::Preserve);
}

/// Adds the banks of `count` rows of an operand; out of range is register 0 (MI100 ISA 3.6.1).
void add_rows(const Issue& issue, const Operand& operand, unsigned count,
              std::vector<unsigned>& banks) {
  const unsigned registers = limit(issue, operand);
  if (!operand.is_vector() || registers == 0) return;
  for (unsigned n = 0; n < count; ++n) {
    Operand o = operand;
    const bool in_range = unsigned{operand.index} + n < registers;
    if (!in_range) o.index = 0;
    banks.push_back(physical(issue, o, in_range ? n : 0).row % vrf::kBanks);
  }
}

/// Cycles until every port has read all its rows: a bank serves one port per cycle, the lowest.
unsigned cycles_for(const Banks& banks) {
  std::array<size_t, kPorts> next{};
  const auto left = [&](unsigned p) { return next[p] < banks[p].size(); };
  unsigned cycles = 0;
  while (left(0) || left(1) || left(2)) {
    std::array<bool, vrf::kBanks> taken{};
    for (unsigned p = 0; p < kPorts; ++p) {
      if (!left(p)) continue;
      bool& bank = taken[banks[p][next[p]]];
      if (!bank) ++next[p];
      bank = true;
    }
    ++cycles;
  }
  return std::max(1u, cycles);
}

/// Rows an ordinary instruction reads in each beat, by port.
unsigned lane_step_cycles(const Issue& issue, const Destinations& d, bool gathers) {
  const isa::Instruction& i = issue.instruction;
  Banks banks;
  for (unsigned s = 0; s < kPorts; ++s) {
    if (s == 0 && gathers) continue;
    add_rows(issue, indexed(issue, i.src[s], s), std::min<unsigned>(i.src[s].dwords, 4), banks[s]);
  }
  const Operand& dst = i.dst[0];
  if (dst.is_vector() && d.vector && needs_old(i)) {
    const unsigned count = std::min<unsigned>(dst.dwords, kDwordsPerPass);
    add_rows(issue, d.operand, count, banks[2]);
  }
  return cycles_for(banks);
}

}  // namespace

Schedule::Job Schedule::job_of(const Issue& issue) {
  const isa::Instruction& i = issue.instruction;
  const Destinations d = destinations(issue);
  Job job;
  job.slot = issue.slot;
  job.dwords = d.vector ? i.dst[0].dwords : 0;
  job.passes = i.dst[0].is_vector() && i.dst[0].dwords > kDwordsPerPass ? 2 : 1;
  switch (i.semantic()) {
    case SemanticId::v_readlane_b32:
    case SemanticId::v_readfirstlane_b32:
      job.beats = 1;
      job.gather_steps = i.src[0].is_vector() ? kRowBeats : 0;
      break;
    case SemanticId::v_swap_b32: {
      const Operand other = indexed(issue, i.src[0], 0);
      if (other.index >= limit(issue, other)) job.dwords = 0;
      job.beats = 2 * kRowBeats;
      job.gather_steps = kRowBeats;
      break;
    }
    default:
      if (is_own(*i.row)) break;  // one row at most
      const bool dpp = i.encoding == isa::Encoding::Dpp && i.src[0].is_vector();
      job.gather_steps = dpp ? kRowBeats : 0;
      job.step_cycles = lane_step_cycles(issue, d, dpp);
      break;
  }
  return job;
}

Schedule::Pass Schedule::pass_of(const Beat& beat, unsigned pass) {
  Pass p;
  p.slot = beat.slot;
  p.last_pass = pass + 1 == beat.passes;
  p.last = beat.last && p.last_pass;
  const unsigned before = kDwordsPerPass * pass;
  p.cycles = beat.dwords > before + 1 ? kDwordsPerPass : 1;
  return p;
}

/// True if a row goes in in this cycle.
bool Schedule::fill_cycle(const Ports& ports, Moved& moved) {
  if (fill_beat_ == 0) {
    if (issue_waits_ || read_waits_ || ports.reading) return false;
    fill_is_direct_ = !direct_.empty() && direct_.front() <= fills_;
    if (!fill_is_direct_ && !ports.fill) return false;
  }
  if (++fill_beat_ == kRowBeats) {
    fill_beat_ = 0;
    if (fill_is_direct_) {
      direct_.pop_front();
    } else {
      ++fills_;
      moved.fill = true;
    }
  }
  return true;
}

/// True if the oldest pass leaves the vector ALU.
bool Schedule::retire_cycle(bool retire_ready, Moved& moved) {
  if (!stage3_) return false;
  const bool written = written_ + 1 >= stage3_->cycles;
  const bool leaves = written && (!stage3_->last_pass || retire_ready);
  written_ = leaves ? 0 : written ? written_ : written_ + 1;
  moved.retire = leaves && stage3_->last_pass;
  moved.last = leaves && stage3_->last;
  return leaves;
}

Schedule::Moved Schedule::cycle(const Ports& ports) {
  Moved moved;
  const bool filling = fill_cycle(ports, moved);
  const Issue* offered = filling ? nullptr : ports.issue;
  read_waits_ = ports.read && !filling;

  // From the last stage to the first: a stage takes when it is empty or being emptied.
  const uint8_t retiring = stage3_ ? stage3_->slot : uint8_t{0};
  const bool take3 = retire_cycle(ports.retire_ready, moved) || !stage3_;
  const bool take2 = take3 || !stage2_;
  const bool take1 = take2 || !stage1_;
  const bool pass_moves = offered_.has_value() && take1;
  const bool beat_leaves = pass_moves && pass_ + 1 == offered_->passes;
  const bool go = beat_leaves || !offered_;
  const bool gathering = job_ && step_ < job_->gather_steps;
  const unsigned needed = !job_ || gathering ? 1 : job_->step_cycles;
  const bool step_done = job_.has_value() && go && step_cycle_ + 1 >= needed;
  const bool job_leaves = step_done && step_ + 1 == job_->gather_steps + job_->beats;
  moved.issue = offered != nullptr && (job_leaves || !job_) && !busy_[offered->slot];
  issue_waits_ = offered != nullptr && !moved.issue;

  if (take3) stage3_ = stage2_;
  if (take2) stage2_ = stage1_;
  if (take1) {
    stage1_.reset();
    if (pass_moves) stage1_ = pass_of(*offered_, pass_);
  }
  if (pass_moves) pass_ = beat_leaves ? 0 : pass_ + 1;
  if (go) {
    offered_ = coming_;
    coming_.reset();
    if (step_done && !gathering) {
      const unsigned beat = step_ - job_->gather_steps;
      coming_ = Beat{job_->slot, beat + 1 == job_->beats, job_->passes, job_->dwords};
    }
    if (job_) {
      step_cycle_ = step_done ? 0 : step_cycle_ + 1;
      if (step_done) ++step_;
    }
  }
  if (job_leaves) job_.reset();
  if (moved.last) {
    busy_.reset(retiring);
    --under_way_;
  }
  if (moved.issue) {
    job_ = job_of(*offered);
    step_ = step_cycle_ = 0;
    busy_.set(offered->slot);
    ++under_way_;
  }
  return moved;
}

}  // namespace cuvette::simd
