// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "simd/simd_model.h"

#include <algorithm>
#include <utility>

#include "vrf/vrf_model.h"
#include "wave/vector.h"

namespace cuvette::simd {

using machine::Cycle;

namespace {

constexpr size_t kInstructionsUnderWay = 4;

bool known(const isa::Row& row) {
  return wave::has_vector_semantics(row.semantic) ||
         row.semantic == isa::SemanticId::v_accvgpr_read_b32 ||
         row.semantic == isa::SemanticId::v_accvgpr_write_b32 ||
         row.semantic == isa::SemanticId::v_accvgpr_mov_b32;
}

}  // namespace

SimdModel::SimdModel(const Config& config, std::unique_ptr<vrf::Vrf> registers,
                     std::unique_ptr<valu::Valu> device)
    : config_(config), registers_(std::move(registers)), device_(std::move(device)) {
  if (device_ != nullptr && device_->witness() != nullptr) spectator_ = std::move(device_);
}

bool SimdModel::implements(const isa::Row& row, isa::Encoding encoding,
                           const isa::Modifiers& modifiers) const {
  if (!known(row)) return false;
  const valu::Valu* const chosen = device_ != nullptr ? device_.get() : spectator_.get();
  if (chosen == nullptr || is_own(row) || config_.allow_fallback) return true;
  return chosen->implements(row, encoding, modifiers);
}

/// 0 where a retirement could be late for lack of room in the channels: messages say when.
uint32_t SimdModel::pipeline_at_issue() const {
  const uint32_t cycles =
      std::min({config_.valu_cycles, config_.transcendental_cycles, config_.double_cycles});
  const bool has_room = cycles >= 2 && config_.pipeline_cycles <= cycles + 2;
  const bool seen = device_ != nullptr || by_ports();
  const bool plain = registers_->view(0, 1, 0, 0).arch != nullptr;
  return has_room && !seen && plain ? config_.pipeline_cycles : 0;
}

vrf::Vrf& SimdModel::registers() {
  if (by_ports()) return counted_;
  return *registers_;
}

Cycle SimdModel::next_event() const {
  if (by_ports() && !schedule_.idle()) return 0;
  Cycle next = std::min(fill.next_event(), read.next_event());
  if (!due_.empty()) next = std::min(next, due_.front().at);
  if (device_ != nullptr) {
    next = std::min(next, device_->next_event());
    next = std::min(next, device_->response.next_event());
    if (!under_way_.empty() && !under_way_.back().all_sent()) next = 0;
  }
  if (!issue.empty()) next = std::min(next, std::max(issue.next_event(), free_at_));
  return next;
}

void SimdModel::tick(Cycle now) {
  if (by_ports()) return tick_ports(now);
  take_fills(now);
  take_reads(now);
  if (device_ != nullptr) {
    take_responses(now);
    send_beats(now);
  }
  accept(now);
  send_retires(now);
  if (device_ != nullptr) device_->tick(now);
}

/// Writes rows as they come: senders may read them past the channels from now on, however long the
/// ports take.
void SimdModel::write_fills(Cycle now) {
  for (; filled_ < fill.size(); ++filled_) {
    const Fill& f = fill.peek(filled_);
    registers_->write(f.port, now, f.row, f.lanes, f.data);
  }
}

/// Results are made when an instruction is taken; what moves when is the schedule's.
void SimdModel::tick_ports(Cycle now) {
  take_reads(now);
  const Issue* next = issue.front(now);
  const Fill* row = fill.front(now);
  write_fills(now);
  if (schedule_.idle() && next == nullptr && row == nullptr) return;
  Schedule::Ports ports;
  ports.issue = next;
  ports.fill = row != nullptr;
  ports.retire_ready = retire.can_push(now);
  const Schedule::Moved moved = schedule_.cycle(ports);
  if (moved.fill) {
    fill.drop(now);
    --filled_;
  }
  if (moved.retire) {
    retire.push(due_.front().retire, now + 1);
    due_.pop_front();
  }
  if (!moved.issue) return;
  ++counters_.instructions;
  counters_.lane_operations += static_cast<uint64_t>(__builtin_popcountll(next->exec));
  execute(*next, now);
  for (const Retire& beat : beats_) wait(now, beat);
  issue.drop(now);
}

void SimdModel::take_fills(Cycle now) {
  while (const Fill* f = fill.front(now)) {
    registers_->write(f->port, now, f->row, f->lanes, f->data);
    fill.drop(now);
  }
}

void SimdModel::take_reads(Cycle now) {
  while (row_data.can_push(now)) {
    const ReadRow* r = read.front(now);
    if (r == nullptr) return;
    RowData answer;
    answer.id = r->id;
    registers_->read(r->port, now, r->row, answer.data);
    read.drop(now);
    row_data.push(answer, now + 1);
  }
}

/// Instructions with a circuit in the device; its own valu answers everything else.
bool SimdModel::on_device(const isa::Instruction& i) const {
  return device_ != nullptr && !is_own(*i.row) && device_->implements(*i.row, i.encoding, i.mod);
}

void SimdModel::take_responses(Cycle now) {
  while (const valu::Response* response = device_->response.front(now)) {
    if (const Retire* beat = under_way_.front().accept(*response, *registers_, now)) {
      wait(now, *beat);  // the device has its own pipeline
    }
    device_->response.drop(now);
    if (under_way_.front().complete()) under_way_.pop_front();
  }
}

void SimdModel::send_beats(Cycle now) {
  if (under_way_.empty() || under_way_.back().all_sent() || !device_->request.can_push(now)) return;
  device_->request.push(under_way_.back().next(next_request_++), now + 1);
}

/// Registers of one wave are read when an instruction is accepted, so its earlier instructions must
/// have left; other waves have other registers. The shortcut past the device must not overtake.
bool SimdModel::may_accept(const Issue& next) const {
  if (under_way_.empty()) return true;
  if (!on_device(next.instruction)) return false;
  if (under_way_.size() >= kInstructionsUnderWay || !under_way_.back().all_sent()) return false;
  for (size_t n = 0; n < under_way_.size(); ++n) {
    if (under_way_[n].issue().slot == next.slot) return false;
  }
  return true;
}

/// Whole, at once.
void SimdModel::execute(const Issue& next, Cycle now) {
  if (spectator_ != nullptr && !is_own(*next.instruction.row)) show(next, now);
  beats_.clear();
  execute_whole(next, config_.target, *registers_, now, beats_);
}

bool SimdModel::witness_wants(const isa::Instruction& i) {
  if (spectator_->implements(*i.row, i.encoding, i.mod)) {
    return spectator_->witness()->wants(Beats::requests_of(i));
  }
  fall_back(*i.row);
  return false;
}

bool SimdModel::looks_at(const isa::Instruction& i) {
  if (spectator_ == nullptr || is_own(*i.row)) return false;
  if (!implements(*i.row, i.encoding, i.mod)) return true;  // it is refused there
  return asked_ = witness_wants(i);
}

/// To the witness, what a valu would be asked.
void SimdModel::show(const Issue& next, Cycle now) {
  if (!std::exchange(asked_, false) && !witness_wants(next.instruction)) return;
  Beats beats;
  beats.start(next, *registers_, now);
  while (!beats.all_sent()) {
    const valu::Request request = beats.next(next_request_++);
    spectator_->witness()->see(request, beats.all_sent(), now);
  }
}

void SimdModel::accept(Cycle now) {
  const Issue* next = issue.front(now);
  if (next == nullptr || now < free_at_ || !may_accept(*next)) return;
  // Back-pressure: no more than one instruction waits for room in `retire`.
  if (due_.size() > valu::kBeats) return;
  const unsigned cycles = issue_cycles(next->instruction);
  free_at_ = now + cycles;
  ++counters_.instructions;
  counters_.lane_operations += static_cast<uint64_t>(__builtin_popcountll(next->exec));
  if (on_device(next->instruction)) {
    under_way_.append().start(*next, *registers_, now);
    send_beats(now);
  } else {
    if (device_ != nullptr && !is_own(*next->instruction.row)) {
      fall_back(*next->instruction.row);
    }
    execute(*next, now);
    // The first beat was issued when the message was sent, one cycle ago; the last one leaves the
    // pipeline `pipeline_cycles` after it was issued.
    const Cycle last = now - 1 + (cycles - 1) + config_.pipeline_cycles;
    const auto count = static_cast<Cycle>(beats_.size());
    for (Cycle b = 0; b < count; ++b) {
      const Cycle earlier = (count - 1 - b) * cycles / valu::kBeats;
      const Cycle visible =
          std::max(last_retire_, std::max(now + 1, last - std::min(last, earlier)));
      last_retire_ = visible;
      wait(visible - 1, beats_[b]);
    }
  }
  issue.drop(now);
}

void SimdModel::send_retires(Cycle now) {
  while (!due_.empty() && due_.front().at <= now && retire.can_push(now)) {
    retire.push(due_.front().retire, now + 1);
    due_.pop_front();
  }
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) -> std::unique_ptr<Simd> {
    std::unique_ptr<valu::Valu> device;
    if (config.valu_implementation != "tlm") {
      if (config.valus == nullptr) return nullptr;
      device = config.valus->make(config.valu_implementation, config.valu);
      if (device == nullptr) return nullptr;
    }
    std::unique_ptr<vrf::Vrf> registers;
    if (config.vrf_implementation == "tlm") {
      registers = std::make_unique<vrf::VrfModel>(config.registers);
    } else if (config.vrfs != nullptr) {
      registers = config.vrfs->make(config.vrf_implementation, config.registers);
    }
    if (registers == nullptr) return nullptr;
    return std::make_unique<SimdModel>(config, std::move(registers), std::move(device));
  });
}

}  // namespace cuvette::simd
