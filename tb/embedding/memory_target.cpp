// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "memory_target.h"

#include <algorithm>
#include <cstring>

namespace embedding {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint8_t kGone = 0xee;

}  // namespace

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name, uint64_t base, size_t bytes,
                           const MemoryOptions& options)
    : sc_module(name),
      ports("ports", kPorts),
      base_(base),
      options_(options),
      bytes_(std::make_unique<std::vector<uint8_t>>(bytes)) {
  for (unsigned i = 0; i < kPorts; ++i) {
    ports[i].register_b_transport(this, &MemoryTarget::b_transport, static_cast<int>(i));
    ports[i].register_nb_transport_fw(this, &MemoryTarget::nb_transport_fw, static_cast<int>(i));
    ports[i].register_get_direct_mem_ptr(this, &MemoryTarget::get_dmi, static_cast<int>(i));
  }
}

void MemoryTarget::move() {
  auto fresh = std::make_unique<std::vector<uint8_t>>(*bytes_);
  std::swap(bytes_, fresh);
  for (auto& port : ports) port->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
  std::fill(fresh->begin(), fresh->end(), kGone);
  moved_.push_back(std::move(fresh));
}

void MemoryTarget::b_transport(int, Payload& trans, sc_core::sc_time&) {
  sc_core::wait(options_.latency);
  trans.set_response_status(serve(trans));
  trans.set_dmi_allowed(options_.dmi);
}

/// END_REQ after 5 ns, BEGIN_RESP after the latency, one response of a port at a time.
tlm::tlm_sync_enum MemoryTarget::nb_transport_fw(int port, Payload& trans, tlm::tlm_phase& phase,
                                                 sc_core::sc_time&) {
  if (phase == tlm::END_RESP) {
    state_[port].ended.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_COMPLETED;
  }
  trans.acquire();
  sc_core::sc_spawn([this, port, &trans] { answer(port, trans); });
  return tlm::TLM_ACCEPTED;
}

void MemoryTarget::answer(int port, Payload& trans) {
  sc_core::sc_time now = sc_core::SC_ZERO_TIME;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::wait(5, sc_core::SC_NS);
  (void)ports[static_cast<size_t>(port)]->nb_transport_bw(trans, phase, now);
  sc_core::wait(options_.latency);
  Port& state = state_[port];
  while (state.responding) sc_core::wait(state.free);
  state.responding = true;
  trans.set_response_status(serve(trans));
  phase = tlm::BEGIN_RESP;
  now = sc_core::SC_ZERO_TIME;
  const auto answered = ports[static_cast<size_t>(port)]->nb_transport_bw(trans, phase, now);
  if (answered == tlm::TLM_ACCEPTED) sc_core::wait(state.ended);
  state.responding = false;
  state.free.notify(sc_core::SC_ZERO_TIME);
  trans.release();
}

tlm::tlm_response_status MemoryTarget::serve(Payload& trans) {
  const uint64_t address = trans.get_address();
  const unsigned count = trans.get_data_length();
  if (address < base_ || address - base_ > bytes_->size() ||
      count > bytes_->size() - (address - base_)) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  uint8_t* here = bytes_->data() + (address - base_);
  if (trans.is_read()) {
    std::memcpy(trans.get_data_ptr(), here, count);
    return tlm::TLM_OK_RESPONSE;
  }
  const unsigned char* enables = trans.get_byte_enable_ptr();
  if (enables != nullptr) ++masked_;
  if (enables != nullptr && !options_.byte_enables) {
    ++refused_;
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  for (unsigned i = 0; i < count; ++i) {
    if (enables != nullptr && enables[i % trans.get_byte_enable_length()] == TLM_BYTE_DISABLED) {
      continue;
    }
    here[i] = trans.get_data_ptr()[i];
  }
  return tlm::TLM_OK_RESPONSE;
}

bool MemoryTarget::get_dmi(int, Payload& trans, tlm::tlm_dmi& dmi) {
  const uint64_t first = trans.get_address() / kPage * kPage;
  dmi.set_start_address(first);
  dmi.set_end_address(first + kPage - 1);
  if (!options_.dmi || first < base_ || first - base_ + kPage > bytes_->size()) return false;
  ++pointers_;
  dmi.set_dmi_ptr(bytes_->data() + (first - base_));
  dmi.set_read_latency(options_.latency);
  dmi.set_write_latency(options_.latency);
  dmi.allow_read_write();
  return true;
}

}  // namespace embedding
