// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/front.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "gpu/vm_contexts.h"
#include "hsa/queue_error.h"

namespace cuvette::gpu {

using machine::Cycle;
using sc_core::sc_time;

namespace {

constexpr unsigned kDoorbellBytes = 8;

const char* error_name(uint32_t code) {
  switch (code) {
    case hsa::kQueueErrorMemoryFault:
      return "memory fault";
    case hsa::kQueueErrorIllegalInstruction:
      return "illegal or unsupported instruction";
    case hsa::kQueueErrorException:
      return "trap";
    default:
      return "error";
  }
}

void spawn_method(sc_core::sc_event& event, const char* name, std::function<void()> body) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&event);
  options.dont_initialize();
  sc_core::sc_spawn(std::move(body), sc_core::sc_gen_unique_name(name), &options);
}

}  // namespace

bool DoorbellWindow::write(tlm::tlm_generic_payload& trans, command_processor::Doorbell& ring) {
  const unsigned bytes = trans.get_data_length();
  const uint64_t index = trans.get_address() / kDoorbellBytes;
  if (trans.get_address() % kDoorbellBytes != 0 || index > ~uint32_t{0}) {
    trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  if (trans.get_command() != tlm::TLM_WRITE_COMMAND) {
    trans.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return false;
  }
  if ((bytes != 4 && bytes != 8) || trans.get_streaming_width() < bytes) {
    trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return false;
  }
  if (trans.get_byte_enable_ptr() != nullptr) {
    trans.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return false;
  }
  ring.index = static_cast<uint32_t>(index);
  std::memcpy(&ring.value, trans.get_data_ptr(), bytes);
  written_[ring.index] = ring.value;
  trans.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

unsigned DoorbellWindow::debug(tlm::tlm_generic_payload& trans) const {
  if (trans.get_command() != tlm::TLM_READ_COMMAND || trans.get_address() % kDoorbellBytes != 0) {
    return 0;
  }
  const auto found = written_.find(trans.get_address() / kDoorbellBytes);
  const uint64_t value = found == written_.end() ? 0 : found->second;
  const unsigned bytes = std::min(trans.get_data_length(), kDoorbellBytes);
  std::memcpy(trans.get_data_ptr(), &value, bytes);
  trans.set_response_status(tlm::TLM_OK_RESPONSE);
  return bytes;
}

InterruptLine::InterruptLine(const sc_time& period, Sink sink)
    : period_(period), sink_(std::move(sink)) {
  spawn_method(event_, "interrupts", [this] { deliver(); });
}

InterruptLine::InterruptLine(const sc_time& period,
                             tlm::tlm_analysis_port<command_processor::Interrupt>& port)
    : InterruptLine(period,
                    [&port](Cycle, const command_processor::Interrupt& i) { port.write(i); }) {}

void InterruptLine::raise(Cycle time, const command_processor::Interrupt& interrupt) {
  pending_.emplace(std::tuple(time, interrupt.source, interrupt.queue, interrupt.context),
                   interrupt);
  notify();
}

void InterruptLine::notify() {
  if (pending_.empty()) return;
  const Cycle first = std::get<0>(pending_.begin()->first);
  event_.notify(sc_time::from_value(period_.value() * first) - sc_core::sc_time_stamp());
}

void InterruptLine::deliver() {
  const Cycle now = sc_core::sc_time_stamp().value() / period_.value();
  while (!pending_.empty() && std::get<0>(pending_.begin()->first) <= now) {
    const auto what = pending_.begin()->second;
    pending_.erase(pending_.begin());
    sink_(now, what);
  }
  notify();
}

AgentQueue::AgentQueue(const sc_time& period, Answer answer)
    : period_(period), answer_(std::move(answer)) {
  spawn_method(event_, "agent_dispatches", [this] { deliver(); });
}

void AgentQueue::raise(Cycle time, const command_processor::AgentDispatch& packet) {
  pending_.emplace(time, packet);
  notify();
}

void AgentQueue::notify() {
  if (pending_.empty()) return;
  const Cycle first = pending_.begin()->first;
  event_.notify(sc_time::from_value(period_.value() * first) - sc_core::sc_time_stamp());
}

void AgentQueue::deliver() {
  const Cycle now = sc_core::sc_time_stamp().value() / period_.value();
  while (!pending_.empty() && pending_.begin()->first <= now) {
    const auto packet = pending_.begin()->second;
    pending_.erase(pending_.begin());
    const bool served = handler_ && handler_(packet);
    answer_(now, {packet.id, !served});
  }
  notify();
}

template <class Message>
OrderedQueue<Message>::OrderedQueue(const sc_time& period, Sink sink)
    : period_(period), sink_(std::move(sink)) {
  spawn_method(event_, "ordered_line", [this] { deliver(); });
}

template <class Message>
void OrderedQueue<Message>::raise(Cycle time, const Message& message) {
  pending_.emplace_back(time, message);
  notify();
}

template <class Message>
void OrderedQueue<Message>::notify() {
  if (pending_.empty()) return;
  const sc_time at = sc_time::from_value(period_.value() * pending_.front().first);
  const sc_time& now = sc_core::sc_time_stamp();
  event_.notify(at > now ? at - now : sc_core::SC_ZERO_TIME);
}

template <class Message>
void OrderedQueue<Message>::deliver() {
  const Cycle now = sc_core::sc_time_stamp().value() / period_.value();
  while (!pending_.empty() && pending_.front().first <= now) {
    const Message message = pending_.front().second;
    pending_.pop_front();
    sink_(now, message);
  }
  notify();
}

template class OrderedQueue<command_processor::RegisterAccess>;
template class OrderedQueue<command_processor::Doorbell>;

std::string wave_line(unsigned compute_unit, const compute_unit::WaveReport& w) {
  return fmt::format("compute unit {} simd {} slot {} wave {:#x} pc {:#x} {}: waits for {}",
                     compute_unit, w.simd, w.slot, w.id, w.pc, w.instruction, w.waits_for);
}

std::string wave_error_text(unsigned index, const compute_unit::ComputeUnit& unit,
                            const spi::WaveDone& done, const VmContexts& contexts) {
  std::string words = unit.failure_of(done.id);
  if (!words.empty()) return words;
  std::string place;
  // The record does not say whose address it is: with page tables it could be anybody's.
  if (done.error_code == hsa::kQueueErrorMemoryFault && !contexts.any()) {
    place = contexts.place_of(0, done.error_address, 0);
    if (!place.empty()) place = ", " + place;
  }
  return fmt::format("compute unit {} wave {:#x} pc {:#x}: {} (code {:#x}, address {:#x}{})", index,
                     done.id, done.error_pc, error_name(done.error_code), done.error_code,
                     done.error_address, place);
}

}  // namespace cuvette::gpu
