// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/lt_shell.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "gpu/lt_memory.h"
#include "wave/atomic.h"

namespace cuvette::gpu {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using sc_core::sc_time;

LtShell::LtShell(const sc_core::sc_module_name& name, machine::Core& core, const sc_time& period,
                 bool dmi)
    : sc_module(name), memory("memory"), core_(core), period_(period), use_dmi_(dmi) {
  memory.register_invalidate_direct_mem_ptr(this, &LtShell::drop_dmi);
  sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("run"));
}

void LtShell::run() {
  keeper_.reset();
  for (;;) {
    const Cycle next = core_.next_event();
    if (next == machine::kNever) {
      sc_core::wait(wake_);
      keeper_.reset();
      continue;
    }
    const Cycle at = std::max({next, next_tick_, cycle_from(sc_core::sc_time_stamp())});
    const sc_time ahead = time_of(at) - sc_core::sc_time_stamp();
    keeper_.set(ahead);
    if (keeper_.need_sync() && ahead != sc_core::SC_ZERO_TIME) {
      // As keeper_.sync(), but a message may come before the core's own next event.
      sc_core::wait(ahead, wake_);
      keeper_.reset();
      continue;
    }
    tick(at);
  }
}

void LtShell::tick(Cycle now) {
  core_.tick(now);
  next_tick_ = now + 1;
  for (Served& served : ports_) serve(served);
  if (after_) after_(now);
}

void LtShell::serve(Served& served) {
  auto& port = *served.port;
  while (!port.request.empty()) {
    const Cycle sent = port.request.next_event();
    const MemReq request = port.request.pop(sent);
    sc_time delay = time_of(sent) - sc_core::sc_time_stamp();
    MemResp response = access(request, delay);
    response.id = request.id;
    response.address = request.address;
    response.time = std::max({cycle_from(sc_core::sc_time_stamp() + delay), sent + 1, served.last});
    served.last = response.time;
    port.response.push(response, response.time);
  }
}

MemResp LtShell::access(const MemReq& request, sc_time& delay) {
  MemResp response;
  bool ok = true;
  switch (request.op) {
    case MemOp::Invalidate:
    case MemOp::Writeback:
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn:
      ok = atomic(request, response, delay);
      break;
    case MemOp::Read:
    case MemOp::Write: {
      if (request.byte_mask == 0) break;
      const auto first = static_cast<unsigned>(std::countr_zero(request.byte_mask));
      const auto count = static_cast<unsigned>(std::bit_width(request.byte_mask)) - first;
      ok = by_dmi(request, first, count, response, delay) ||
           by_transport(request, first, count, response, delay);
      break;
    }
  }
  response.status = ok ? memory::MemStatus::Ok : memory::MemStatus::Fault;
  return response;
}

bool LtShell::by_dmi(const MemReq& request, unsigned first, unsigned count, MemResp& response,
                     sc_time& delay) {
  const uint64_t address = request.address + first;
  auto found = dmi_.upper_bound(address);
  if (found == dmi_.begin()) return false;
  const tlm::tlm_dmi& dmi = (--found)->second;
  if (address + count - 1 > dmi.get_end_address()) return false;
  uint8_t* host = dmi.get_dmi_ptr() + (address - dmi.get_start_address());
  if (request.op == MemOp::Read) {
    if (!dmi.is_read_allowed()) return false;
    std::memcpy(response.data.data() + first, host, count);
    delay += dmi.get_read_latency();
    return true;
  }
  if (!dmi.is_write_allowed()) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (base::bit(request.byte_mask, first + i)) host[i] = request.data[first + i];
  }
  delay += dmi.get_write_latency();
  return true;
}

bool LtShell::by_transport(const MemReq& request, unsigned first, unsigned count, MemResp& response,
                           sc_time& delay) {
  tlm::tlm_generic_payload trans;
  std::array<uint8_t, memory::kBlockBytes> data = request.data;
  if (request.op == MemOp::Read) data = {};
  std::array<uint8_t, memory::kBlockBytes> enables;
  for (unsigned i = 0; i < count; ++i) {
    enables[i] = base::bit(request.byte_mask, first + i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  trans.set_command(request.op == MemOp::Read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  trans.set_address(request.address + first);
  trans.set_data_ptr(data.data() + first);
  trans.set_data_length(count);
  trans.set_streaming_width(count);
  if (static_cast<unsigned>(std::popcount(request.byte_mask)) != count) {
    trans.set_byte_enable_ptr(enables.data());
    trans.set_byte_enable_length(count);
  }
  memory->b_transport(trans, delay);
  if (!trans.is_response_ok()) return false;
  if (request.op == MemOp::Read) response.data = data;
  if (use_dmi_ && trans.is_dmi_allowed()) ask_for_dmi(trans);
  return true;
}

bool LtShell::atomic(const MemReq& request, MemResp& response, sc_time& delay) {
  tlm::tlm_generic_payload trans;
  AtomicExtension extension;
  extension.request = request;
  uint64_t old = 0;
  trans.set_command(tlm::TLM_READ_COMMAND);
  trans.set_address(request.address);
  trans.set_data_ptr(reinterpret_cast<unsigned char*>(&old));
  trans.set_data_length(request.atomic_bytes);
  trans.set_streaming_width(request.atomic_bytes);
  trans.set_extension(&extension);
  memory->b_transport(trans, delay);
  trans.clear_extension(&extension);
  if (!trans.is_response_ok()) return false;
  std::memcpy(response.data.data(), &old, request.atomic_bytes);
  if (extension.performed) return true;
  // The target ignored the extension. No other initiator runs in between unless the target waits.
  uint64_t data = 0;
  uint64_t compare = 0;
  std::memcpy(&data, request.data.data(), 8);
  std::memcpy(&compare, request.data.data() + 8, 8);
  uint64_t value = wave::apply_atomic(request.atomic, old, data, compare, request.atomic_bytes * 8u,
                                      request.flush_subnormals, request.flush_subnormals);
  trans.set_command(tlm::TLM_WRITE_COMMAND);
  trans.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  memory->b_transport(trans, delay);
  return trans.is_response_ok();
}

void LtShell::ask_for_dmi(tlm::tlm_generic_payload& trans) {
  tlm::tlm_dmi dmi;
  if (!memory->get_direct_mem_ptr(trans, dmi)) return;
  dmi_[dmi.get_start_address()] = dmi;
}

void LtShell::drop_dmi(sc_dt::uint64 first, sc_dt::uint64 last) {
  std::erase_if(dmi_, [&](const auto& entry) {
    return entry.second.get_start_address() <= last && entry.second.get_end_address() >= first;
  });
}

}  // namespace cuvette::gpu
