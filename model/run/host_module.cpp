// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/host_module.h"

#include <fmt/format.h>

namespace cuvette::run {

HostModule::HostModule(const sc_core::sc_module_name& name) : sc_module(name), mmio("mmio") {}

base::Status HostModule::ring(uint32_t doorbell, uint64_t value) {
  // The first call elaborates: sockets are bound from then on.
  if (sc_core::sc_get_status() < sc_core::SC_RUNNING) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload trans;
  sc_core::sc_time delay;
  trans.set_command(tlm::TLM_WRITE_COMMAND);
  trans.set_address(uint64_t{doorbell} * 8);
  trans.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  trans.set_data_length(sizeof value);
  trans.set_streaming_width(sizeof value);
  mmio->b_transport(trans, delay);
  if (trans.is_response_ok()) return {};
  return base::Error(fmt::format("doorbell {}: {}", doorbell, trans.get_response_string()));
}

void HostModule::pass(const sc_core::sc_time& end) {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  if (end > now) sc_core::sc_start(end - now, sc_core::SC_RUN_TO_TIME);
}

bool HostModule::simulate(const sc_core::sc_time& end) {
  const sc_core::sc_time left = end - sc_core::sc_time_stamp();
  const bool started = sc_core::sc_get_status() == sc_core::SC_PAUSED;
  // With nothing before `end`, a start that may end by starvation would not move the clock at all.
  const bool later =
      started && sc_core::sc_pending_activity() && sc_core::sc_time_to_pending_activity() > left;
  if (started && !sc_core::sc_pending_activity()) return false;
  sc_core::sc_start(left, later ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
  return true;
}

}  // namespace cuvette::run
