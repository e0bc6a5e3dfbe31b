// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/tlm/base_protocol_checker.h"

#include <cinttypes>
#include <cstdio>

namespace cuvette::ip {

using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

std::string name_of(const tlm_phase& phase) {
  return phase.get_name();
}
const char* name_of(tlm_sync_enum answer) {
  switch (answer) {
    case tlm::TLM_ACCEPTED:
      return "TLM_ACCEPTED";
    case tlm::TLM_UPDATED:
      return "TLM_UPDATED";
    default:
      return "TLM_COMPLETED";
  }
}

}  // namespace

BaseProtocolRules::BaseProtocolRules(const sc_core::sc_module_name& name) : Interposer(name) {}

std::string BaseProtocolRules::report() const {
  std::string out;
  for (const Violation& v : violations_) {
    out += v.time.to_string() + " " + name() + ": " + v.rule + ": " + v.what + "\n";
  }
  return out;
}

void BaseProtocolRules::expect(bool good, const char* rule, const Payload& trans,
                               const std::string& what) {
  if (good) return;
  char place[64];
  std::snprintf(place, sizeof place, "%s of %u bytes at 0x%" PRIx64 ": ",
                trans.is_read()    ? "read"
                : trans.is_write() ? "write"
                                   : "transaction",
                trans.get_data_length(), static_cast<uint64_t>(trans.get_address()));
  violations_.push_back({sc_core::sc_time_stamp(), rule, place + what});
}

void BaseProtocolRules::check_new(const Payload& trans) {
  const auto ignored = trans.get_command() == tlm::TLM_IGNORE_COMMAND;
  expect(ignored || trans.get_data_ptr() != nullptr, "data pointer (14.11)", trans, "it is null");
  expect(ignored || trans.get_data_length() > 0, "data length (14.12)", trans, "it is 0");
  expect(trans.get_streaming_width() > 0, "streaming width (14.15)", trans, "it is 0");
  expect(trans.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "response status (14.17)",
         trans, "it is not TLM_INCOMPLETE_RESPONSE when the transaction is handed over");
  expect(!trans.is_dmi_allowed(), "DMI hint (14.16)", trans, "it is set by the initiator");
  const unsigned char* const enables = trans.get_byte_enable_ptr();
  if (enables == nullptr) return;
  expect(trans.get_byte_enable_length() > 0, "byte enable length (14.14)", trans, "it is 0");
  for (unsigned i = 0; i < trans.get_byte_enable_length(); ++i) {
    const bool known = enables[i] == TLM_BYTE_ENABLED || enables[i] == TLM_BYTE_DISABLED;
    expect(known, "byte enables (14.13)", trans, "a byte is neither 0 nor 0xff");
    if (!known) break;
  }
}

/// An interconnect behind this place may map the address while the transaction is with it.
void BaseProtocolRules::check_fixed(const Payload& trans, const Fixed& f, bool address_too) {
  const bool same = trans.get_command() == f.command && trans.get_data_ptr() == f.data &&
                    trans.get_byte_enable_ptr() == f.enables &&
                    trans.get_data_length() == f.length &&
                    trans.get_streaming_width() == f.streaming &&
                    (f.enables == nullptr || trans.get_byte_enable_length() == f.enables_length) &&
                    (!address_too || trans.get_address() == f.address);
  expect(same, "modifiability of attributes (14.7)", trans,
         "the target changed what is the initiator's");
}

void BaseProtocolRules::check_response(const Payload& trans) {
  expect(trans.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "response status (14.17)",
         trans, "it is still TLM_INCOMPLETE_RESPONSE in the response");
}

/// A call that takes no time only adds to the delay.
void BaseProtocolRules::check_delay(const Payload& trans, const sc_time& before,
                                    const sc_time& after) {
  expect(after >= before, "timing annotation (11.1)", trans, "the delay shrank in the call");
}

void BaseProtocolRules::b_transport(Payload& trans, sc_time& delay) {
  ++blocking_;
  const auto process = sc_core::sc_get_current_process_handle();
  const bool thread = process.valid() && (process.proc_kind() == sc_core::SC_THREAD_PROC_ ||
                                          process.proc_kind() == sc_core::SC_CTHREAD_PROC_);
  expect(thread, "b_transport (11.1)", trans, "called by what is not a thread process");
  check_new(trans);
  const Fixed fixed{trans.get_command(),           trans.get_address(),
                    trans.get_data_ptr(),          trans.get_byte_enable_ptr(),
                    trans.get_data_length(),       trans.get_streaming_width(),
                    trans.get_byte_enable_length()};
  // Local time never runs back; what the target waited for is gone from the delay.
  const sc_time before = sc_core::sc_time_stamp() + delay;
  forward().b_transport(trans, delay);
  expect(sc_core::sc_time_stamp() + delay >= before, "timing annotation (11.1)", trans,
         "the local time ran back");
  check_fixed(trans, fixed, false);
  check_response(trans);
}

void BaseProtocolRules::begin_request(Payload& trans) {
  ++non_blocking_;
  check_new(trans);
  expect(trans.has_mm(), "memory management (14.5)", trans,
         "non-blocking transport without a memory manager");
  expect(request_ == nullptr, "request exclusion (15.2)", trans,
         "BEGIN_REQ while another request has not ended");
  request_ = &trans;
  under_way_[&trans] = {
      Stage::Request,
      {trans.get_command(), trans.get_address(), trans.get_data_ptr(), trans.get_byte_enable_ptr(),
       trans.get_data_length(), trans.get_streaming_width(), trans.get_byte_enable_length()}};
}
void BaseProtocolRules::end_request(const Payload& trans, State& state) {
  expect(state.stage == Stage::Request, "phase sequence (15.2)", trans,
         "END_REQ, but the request had ended");
  if (state.stage == Stage::Request) state.stage = Stage::RequestEnded;
  if (request_ == &trans) request_ = nullptr;
}
void BaseProtocolRules::begin_response(const Payload& trans, State& state) {
  expect(state.stage != Stage::Response, "phase sequence (15.2)", trans, "BEGIN_RESP twice");
  expect(response_ == nullptr || response_ == &trans, "response exclusion (15.2)", trans,
         "BEGIN_RESP while another response has not ended");
  if (request_ == &trans) request_ = nullptr;
  response_ = &trans;
  state.stage = Stage::Response;
  check_fixed(trans, state.fixed, false);
  check_response(trans);
}
void BaseProtocolRules::end_response(const Payload& trans) {
  if (request_ == &trans) request_ = nullptr;
  if (response_ == &trans) response_ = nullptr;
  under_way_.erase(&trans);
}

void BaseProtocolRules::check_answer(const Payload& trans, bool forward, const tlm_phase& before,
                                     const tlm_phase& after, tlm_sync_enum answer) {
  const auto found = under_way_.find(&trans);
  if (found == under_way_.end()) return;
  State& state = found->second;
  const auto bad = [&] {
    expect(false, "answer to a call (15.2)", trans,
           name_of(before) + " answered " + name_of(answer) + " with " + name_of(after));
  };
  if (answer == tlm::TLM_ACCEPTED) {
    if (forward && before == tlm::END_RESP) end_response(trans);
    return;
  }
  if (answer == tlm::TLM_COMPLETED) {
    // Early completion: the response is there, or it had been.
    if (before == tlm::BEGIN_REQ) {
      check_fixed(trans, state.fixed, false);
      check_response(trans);
    }
    if (before == tlm::END_REQ) bad();
    end_response(trans);
    return;
  }
  if (forward && before == tlm::BEGIN_REQ && after == tlm::END_REQ) {
    end_request(trans, state);
  } else if (forward && before == tlm::BEGIN_REQ && after == tlm::BEGIN_RESP) {
    begin_response(trans, state);
  } else if (!forward && before == tlm::BEGIN_RESP && after == tlm::END_RESP) {
    end_response(trans);
  } else {
    bad();
  }
}

tlm_sync_enum BaseProtocolRules::nb_transport_fw(Payload& trans, tlm_phase& phase, sc_time& delay) {
  const tlm_phase before = phase;
  if (before == tlm::BEGIN_REQ) {
    expect(under_way_.count(&trans) == 0, "phase sequence (15.2)", trans,
           "BEGIN_REQ of a transaction that is under way");
    begin_request(trans);
  } else if (before == tlm::END_RESP) {
    const auto found = under_way_.find(&trans);
    expect(found != under_way_.end() && found->second.stage == Stage::Response,
           "phase sequence (15.2)", trans, "END_RESP without BEGIN_RESP");
  } else {
    expect(false, "phase sequence (15.2)", trans, name_of(before) + " on the forward path");
  }
  const sc_time annotated = delay;
  const tlm_sync_enum answer = forward().nb_transport_fw(trans, phase, delay);
  check_delay(trans, annotated, delay);
  check_answer(trans, true, before, phase, answer);
  return answer;
}

tlm_sync_enum BaseProtocolRules::nb_transport_bw(Payload& trans, tlm_phase& phase, sc_time& delay) {
  const tlm_phase before = phase;
  const auto found = under_way_.find(&trans);
  if (found == under_way_.end()) {
    expect(false, "phase sequence (15.2)", trans,
           name_of(before) + " of a transaction that is not under way");
  } else if (before == tlm::END_REQ) {
    end_request(trans, found->second);
  } else if (before == tlm::BEGIN_RESP) {
    begin_response(trans, found->second);
  } else {
    expect(false, "phase sequence (15.2)", trans, name_of(before) + " on the backward path");
  }
  const sc_time annotated = delay;
  const tlm_sync_enum answer = backward().nb_transport_bw(trans, phase, delay);
  check_delay(trans, annotated, delay);
  check_answer(trans, false, before, phase, answer);
  return answer;
}

bool BaseProtocolRules::get_direct_mem_ptr(Payload& trans, tlm::tlm_dmi& dmi) {
  const bool granted = forward().get_direct_mem_ptr(trans, dmi);
  expect(!granted || dmi.get_start_address() <= dmi.get_end_address(), "DMI region (11.2)", trans,
         "it ends before it starts");
  expect(!granted || dmi.get_dmi_ptr() != nullptr, "DMI pointer (11.2)", trans, "it is null");
  return granted;
}

unsigned BaseProtocolRules::transport_dbg(Payload& trans) {
  const unsigned bytes = forward().transport_dbg(trans);
  expect(bytes <= trans.get_data_length(), "transport_dbg (11.3)", trans,
         "more bytes than were asked for");
  return bytes;
}

void BaseProtocolRules::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  backward().invalidate_direct_mem_ptr(first, last);
}

}  // namespace cuvette::ip
