// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wave_termination.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute_unit/wave_control.h"
#include "hsa/queue_error.h"

namespace cuvette::compute_unit {

using machine::Cycle;

/// The wave leaves its barrier and its sync, or they might never end.
void WaveTermination::stop(WaveContext& w) {
  stalls_.start(w, Stall::End, slots_.now());
  groups_.withdraw(w);
  if (w.phase != Phase::Ending) slots_.begin_end(w);
  gds_.withdraw(w);
}

void WaveTermination::kill(WaveContext& w) {
  stop(w);
  w.killed = true;
}

void WaveTermination::fail(WaveContext& w, uint32_t code, uint64_t address, const std::string& why,
                           const isa::Instruction* instruction) {
  if (w.failed || w.killed) return;
  w.failed = true;
  stop(w);
  w.error_code = code;
  w.error_address = address;
  w.error_pc = w.state.s.pc;
  w.failure = place_of(config_.index, w, w.state.s.pc, instruction) + ": " + why;
  if (failure_.empty()) failure_ = w.failure;
  failures_[w.launch.id] = w.failure;
}

void WaveTermination::fail_access(WaveContext& w, const Operation& o) {
  const uint64_t address = o.requests.fault_address;
  fail(w, hsa::kQueueErrorMemoryFault, address,
       fmt::format("{} {:#x}: {}{}", hsa::name(o.requests.fault), address, o.op.what(),
                   near_buffer(w, address)),
       o.instruction);
}

bool WaveTermination::refuse(WaveContext& w, const isa::Instruction& i, const std::string& why) {
  w.unsupported = true;
  fail(w, hsa::kQueueErrorIllegalInstruction, 0, "unsupported: " + why, &i);
  return false;
}

void WaveTermination::fail_halted(WaveContext& w, const isa::Instruction* instruction) {
  fail(w, hsa::kQueueErrorException, 0, "wave halted itself", instruction);
}

std::string WaveTermination::near_buffer(const WaveContext& w, uint64_t address) const {
  const std::string place = config_.address_space->place_of(w.launch.vmid, address, 0);
  return place.empty() ? place : ", " + place;
}

void WaveTermination::take_ended(Cycle now) {
  slots_.for_ending([this, now](WaveContext& w) {
    if (w.idle_at() > now) return;
    port_->done.push(done_of(w), now + 1);
    fetch_.stop(w.index);
    stalls_.account(w, now);
    slots_.vacate(w);
    statistics_.count_end(w.residency.accounted - w.launched_at, now);
    probe_.tell_end(w, now);
    groups_.leave(w, now);
  });
}

Cycle WaveTermination::next_end() const {
  Cycle next = machine::kNever;
  slots_.for_ending([&next](const WaveContext& w) { next = std::min(next, w.idle_at()); });
  return next;
}

std::string WaveTermination::failure_of(uint64_t wave) const {
  const auto found = failures_.find(wave);
  return found == failures_.end() ? std::string() : found->second;
}

}  // namespace cuvette::compute_unit
