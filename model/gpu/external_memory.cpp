// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/external_memory.h"

#include <algorithm>
#include <cstring>

#include "gpu/payload.h"
#include "memory/serve.h"

namespace cuvette::gpu {

using machine::Cycle;
using memory::MemOp;
using memory::MemResp;
using sc_core::sc_time;

namespace {
constexpr const char* kUnexpectedPhase =
    "external memory used the backward path of the non-blocking transport, which was not asked for";
}

ExternalMemory::ExternalMemory(unsigned ports, const sc_time& period, uint32_t way_cycles,
                               const TransferOptions& options)
    : period_(period), way_cycles_(way_cycles), options_(options) {
  for (unsigned i = 0; i < ports; ++i) ports_.push_back(std::make_unique<Port>());
}

void ExternalMemory::start(MemorySocket& socket, MemoryClient* sharer,
                           std::function<void(Cycle)> answered) {
  socket_ = &socket;
  sharer_ = sharer;
  answered_ = std::move(answered);
  socket.register_nb_transport_bw(this, &MemoryClient::nb_transport_bw);
  socket.register_invalidate_direct_mem_ptr(this, &MemoryClient::invalidate_dmi);
  for (unsigned i = 0; i < std::max(1u, options_.outstanding); ++i) {
    sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("run"));
  }
}

tlm::tlm_sync_enum ExternalMemory::nb_transport_bw(tlm::tlm_generic_payload& trans,
                                                   tlm::tlm_phase& phase, sc_time& delay) {
  if (four_phase_ != nullptr) return four_phase_->nb_transport_bw(trans, phase, delay);
  SC_REPORT_ERROR("cuvette", kUnexpectedPhase);
  return tlm::TLM_COMPLETED;
}

/// It asks for no pointers itself.
void ExternalMemory::invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (sharer_ != nullptr) sharer_->invalidate_dmi(first, last);
}

Cycle ExternalMemory::next_event() const {
  Cycle next = answers_.empty() ? machine::kNever : answers_.front().time;
  for (const auto& p : ports_) next = std::min(next, p->request.next_event());
  return next;
}

void ExternalMemory::tick(Cycle now) {
  for (unsigned i = 0; i < ports_.size(); ++i) {
    auto& requests = ports_[i]->request;
    while (requests.front(now) != nullptr) {
      requests_.push_back({i, now, requests.pop(now)});
      asked_.notify(sc_core::SC_ZERO_TIME);
    }
  }
  while (!answers_.empty() && answers_.front().time <= now) {
    Answer& answer = answers_.front();
    answer.what.time = now + 1;
    ports_[answer.port]->response.push(answer.what, now + 1);
    answers_.pop_front();
  }
}

void ExternalMemory::run() {
  if (options_.four_phase && four_phase_ == nullptr) {
    four_phase_ = std::make_unique<FourPhase>(*socket_->operator->());
  }
  const auto block_of = [](const Request& r) { return r.what.address / memory::kBlockBytes; };
  const auto is_under_way = [this](uint64_t block) {
    return std::find(under_way_.begin(), under_way_.end(), block) != under_way_.end();
  };
  for (;;) {
    // A request that waits for a block stays in the queue: none overtakes another.
    while (requests_.empty() || is_under_way(block_of(requests_.front()))) {
      sc_core::wait(asked_ | served_);
    }
    const Request request = requests_.front();
    requests_.pop_front();
    const uint64_t block = block_of(request);
    under_way_.push_back(block);
    const sc_time at = time_of(request.time);  // its domain runs ahead of the simulation
    if (at > sc_core::sc_time_stamp()) sc_core::wait(at - sc_core::sc_time_stamp());
    serve(request);
    under_way_.erase(std::find(under_way_.begin(), under_way_.end(), block));
    served_.notify(sc_core::SC_ZERO_TIME);
  }
}

void ExternalMemory::serve(const Request& request) {
  traffic_.add(request.what);
  Answer answer;
  answer.port = request.port;
  MemResp& response = answer.what;
  sc_time delay = sc_core::SC_ZERO_TIME;
  MemoryTarget& target = four_phase_ != nullptr ? *four_phase_ : *socket_->operator->();
  bool ok = true;
  Payload payload;
  switch (request.what.op) {
    case MemOp::Invalidate:
    case MemOp::Writeback:
      break;
    case MemOp::Read:
    case MemOp::Write:
      ++counters_.accesses;
      ok = transfer(target, *payload, request.what, options_, response, delay, nullptr);
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn: {
      ++counters_.accesses;
      bool performed = true;
      ok = perform_atomic(target, request.what, response, delay, performed);
      if (!performed) ++counters_.emulated_atomics;
      break;
    }
  }
  response.id = request.what.id;
  response.address = request.what.address;
  response.status = ok ? memory::MemStatus::Ok : memory::MemStatus::Fault;
  if (memory::is_store(request.what.op)) response.serial = next_serial_++;
  const sc_time back = sc_core::sc_time_stamp() + delay;
  answer.time = (back.value() + period_.value() - 1) / period_.value() + way_cycles_;
  // A later transaction with a shorter delay does not overtake.
  if (!answers_.empty()) answer.time = std::max(answer.time, answers_.back().time);
  const Cycle at = answer.time;
  answers_.push_back(answer);
  answered_(at);
}

ExternalMemoryBus::ExternalMemoryBus(const sc_core::sc_module_name& name, unsigned initiators,
                                     MemorySocket& out)
    : sc_module(name), sockets("sockets", initiators), out_(out) {
  for (auto& s : sockets) {
    s.register_b_transport(this, &ExternalMemoryBus::b_transport);
    s.register_get_direct_mem_ptr(this, &ExternalMemoryBus::get_dmi);
    s.register_transport_dbg(this, &ExternalMemoryBus::transport_dbg);
  }
}

void ExternalMemoryBus::b_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  while (exclusive_) sc_core::wait(left_);
  ++counters_.accesses;
  if (auto* atomic = trans.get_extension<AtomicExtension>(); atomic != nullptr) {
    exclusive_ = true;
    while (under_way_ != 0) sc_core::wait(left_);
    alone(trans, *atomic, delay);
    exclusive_ = false;
  } else {
    ++under_way_;
    out_->b_transport(trans, delay);
    --under_way_;
  }
  left_.notify(sc_core::SC_ZERO_TIME);
}

void ExternalMemoryBus::alone(tlm::tlm_generic_payload& trans, AtomicExtension& atomic,
                              sc_time& delay) {
  out_->b_transport(trans, delay);
  if (!trans.is_response_ok() || atomic.performed) return;
  ++counters_.emulated_atomics;
  atomic.performed = true;
  if (by_dmi(trans, atomic)) return;
  uint64_t old = 0;
  const unsigned bytes = trans.get_data_length();
  std::memcpy(&old, trans.get_data_ptr(), bytes);
  uint64_t value = new_value(atomic.request, old);
  tlm::tlm_generic_payload write;
  write.set_command(tlm::TLM_WRITE_COMMAND);
  write.set_address(trans.get_address());
  write.set_data_ptr(reinterpret_cast<uint8_t*>(&value));
  write.set_data_length(bytes);
  write.set_streaming_width(bytes);
  out_->b_transport(write, delay);
  trans.set_response_status(write.get_response_status());
}

/// Holders of a DMI pointer write without asking, also while a target waits. Where pointers are
/// granted the operation is therefore done through one, which takes no simulated time.
bool ExternalMemoryBus::by_dmi(tlm::tlm_generic_payload& trans, const AtomicExtension& atomic) {
  const uint64_t first = trans.get_address();
  const unsigned bytes = trans.get_data_length();
  tlm::tlm_generic_payload write;
  write.set_command(tlm::TLM_WRITE_COMMAND);
  write.set_address(first);
  write.set_data_length(bytes);
  write.set_streaming_width(bytes);
  tlm::tlm_dmi dmi;
  if (!out_->get_direct_mem_ptr(write, dmi)) return false;
  if (!dmi.is_read_write_allowed() || first < dmi.get_start_address() ||
      first + bytes - 1 > dmi.get_end_address()) {
    return false;
  }
  uint8_t* host = dmi.get_dmi_ptr() + (first - dmi.get_start_address());
  uint64_t old = 0;
  std::memcpy(&old, host, bytes);
  const uint64_t value = new_value(atomic.request, old);
  std::memcpy(host, &value, bytes);
  std::memcpy(trans.get_data_ptr(), &old, bytes);
  return true;
}

bool ExternalMemoryBus::get_dmi(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) {
  if (exclusive_) return false;
  return out_->get_direct_mem_ptr(trans, dmi);
}

unsigned ExternalMemoryBus::transport_dbg(tlm::tlm_generic_payload& trans) {
  return out_->transport_dbg(trans);
}

tlm::tlm_sync_enum ExternalMemoryBus::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                      sc_time&) {
  SC_REPORT_ERROR("cuvette", kUnexpectedPhase);
  return tlm::TLM_COMPLETED;
}

void ExternalMemoryBus::invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last) {
  for (auto& s : sockets) s->invalidate_direct_mem_ptr(first, last);
}

}  // namespace cuvette::gpu
