// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/lt_shell.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bits.h"

namespace cuvette::gpu {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using sc_core::sc_time;

LtShell::LtShell(const sc_core::sc_module_name& name, machine::Core& core, const sc_time& period,
                 const Options& options)
    : sc_module(name), memory("memory"), core_(core), period_(period), options_(options) {
  memory.register_invalidate_direct_mem_ptr(this, &LtShell::drop_dmi);
  sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("run"));
}

/// The keeper's times as cycles: dividing at every tick would cost more than many a tick.
void LtShell::look_at_time() {
  now_cycle_ = cycle_from(now());
  sync_from_ = cycle_from(keeper_.sync_point());
}

void LtShell::run() {
  keeper_.reset();
  look_at_time();
  for (;;) {
    const Cycle next = core_.next_event();
    if (next == machine::kNever) {
      sc_core::wait(wake_);
      keeper_.reset();
      look_at_time();
      continue;
    }
    const Cycle at = std::max({next, next_tick_, now_cycle_});
    if (at >= sync_from_) {
      if (const sc_time ahead = until(at); ahead != sc_core::SC_ZERO_TIME) {
        // As keeper_.sync(), but a message may come before the core's own next event.
        sc_core::wait(ahead, wake_);
        keeper_.reset();
        look_at_time();
        continue;
      }
    }
    if (stop_ != nullptr && stop_->here()) {
      sc_core::sc_pause();
      sc_core::wait(sc_core::SC_ZERO_TIME);
      continue;
    }
    const sc_time before = now();
    tick(at);
    if (now() != before) look_at_time();  // a target has waited
  }
}

void LtShell::tick(Cycle cycle) {
  before_tick(sync_from_);
  working_ = true;  // some cores access memory in their tick
  core_.tick(cycle);
  next_tick_ = cycle + 1;
  after_tick(cycle);
  for (Served& served : ports_) {
    if (!served.port->request.empty()) serve(served);
  }
  working_ = false;
}

void LtShell::serve(Served& served) {
  auto& port = *served.port;
  while (!port.request.empty()) {
    const Cycle sent = port.request.next_event();
    // It stays where it is: the core sends nothing while this thread waits for a target.
    const MemReq& request = *port.request.front(sent);
    sc_time delay = until(sent);  // nothing when the target of the one before has waited
    MemResp response;
    access(request, response, delay);
    response.id = request.id;
    response.address = request.address;
    response.time = std::max({cycle_from(now() + delay), sent + 1, served.last});
    served.last = response.time;
    port.request.drop(sent);
    port.response.push(response, response.time);
  }
}

void LtShell::access(const MemReq& request, MemResp& response, sc_time& delay) {
  bool ok = true;
  switch (request.op) {
    case MemOp::Invalidate:
    case MemOp::Writeback:
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn: {
      bool performed = false, hint = false;
      ok = perform_atomic(*memory.operator->(), request, response, delay, performed, &hint);
      if (hint) ask_for_dmi(request);
      break;
    }
    case MemOp::Read:
    case MemOp::Write: {
      if (request.byte_mask == 0) break;
      const auto first = static_cast<unsigned>(std::countr_zero(request.byte_mask));
      const auto count = static_cast<unsigned>(std::bit_width(request.byte_mask)) - first;
      if (by_dmi(request, first, count, response, delay)) break;
      bool hint = false;
      ok = transfer(*memory.operator->(), payload_, request, options_.transfer, response, delay,
                    &hint);
      if (hint) ask_for_dmi(request);
      break;
    }
  }
  response.status = ok ? memory::MemStatus::Ok : memory::MemStatus::Fault;
}

const tlm::tlm_dmi* LtShell::grant_at(uint64_t address) const {
  auto found = dmi_.upper_bound(address);
  if (found == dmi_.begin()) return nullptr;
  const tlm::tlm_dmi& dmi = (--found)->second;
  return address <= dmi.get_end_address() ? &dmi : nullptr;
}

bool LtShell::by_dmi(const MemReq& request, unsigned first, unsigned count, MemResp& response,
                     sc_time& delay) {
  const uint64_t address = request.address + first;
  const tlm::tlm_dmi* const grant = grant_at(address);
  if (grant == nullptr || address + count - 1 > grant->get_end_address()) return false;
  const tlm::tlm_dmi& dmi = *grant;
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

/// After a hint of the target; there may be a grant already, for accesses that go by transport.
void LtShell::ask_for_dmi(const MemReq& request) {
  const bool write = request.op != MemOp::Read;
  const tlm::tlm_dmi* const known = grant_at(request.address);
  const bool granted =
      known != nullptr && (write ? known->is_write_allowed() : known->is_read_allowed());
  if (!options_.dmi || granted) return;
  tlm::tlm_generic_payload trans;
  trans.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  trans.set_address(request.address);
  tlm::tlm_dmi dmi;
  if (!memory->get_direct_mem_ptr(trans, dmi)) return;
  dmi_[dmi.get_start_address()] = dmi;
}

void LtShell::drop_dmi(sc_dt::uint64 first, sc_dt::uint64 last) {
  ++withdrawals_;
  std::erase_if(dmi_, [&](const auto& entry) {
    return entry.second.get_start_address() <= last && entry.second.get_end_address() >= first;
  });
}

}  // namespace cuvette::gpu
