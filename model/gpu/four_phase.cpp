// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/four_phase.h"

#include <algorithm>
#include <vector>

namespace cuvette::gpu {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

struct FourPhase::Transaction {
  tlm_generic_payload payload;
  std::deque<Step> steps;  // of the target, not yet taken, by time
  sc_core::sc_event stepped;
  bool request_ended = false;
};

/// Payloads are reference counted: the target may hold one for longer than the caller waits.
class FourPhase::Pool final : public tlm::tlm_mm_interface {
 public:
  Transaction& get() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Transaction>());
      all_.back()->payload.set_mm(this);
      free_.push_back(all_.back().get());
    }
    Transaction& t = *free_.back();
    free_.pop_back();
    t.payload.acquire();
    return t;
  }
  Transaction* find(const tlm_generic_payload& payload) {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const auto& t) { return &t->payload == &payload; });
    return found == all_.end() ? nullptr : found->get();
  }
  void free(tlm_generic_payload* payload) override {
    Transaction& t = *find(*payload);
    payload->reset();
    t.steps.clear();
    t.request_ended = false;
    free_.push_back(&t);
  }

 private:
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> free_;
};

FourPhase::FourPhase(tlm::tlm_fw_transport_if<>& target)
    : target_(target), pool_(std::make_unique<Pool>()) {}
FourPhase::~FourPhase() = default;

void FourPhase::take_request_channel() {
  const uint64_t mine = last_ticket_++;
  while (served_ticket_ != mine) sc_core::wait(request_free_);
}
void FourPhase::give_request_channel() {
  ++served_ticket_;
  request_free_.notify(sc_core::SC_ZERO_TIME);
}

/// Handles a phase of the target, at its time. True when the transaction is complete.
bool FourPhase::step(Transaction& t, const tlm_phase& phase) {
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    // A response that begins ends the request too.
    if (!t.request_ended) give_request_channel();
    t.request_ended = true;
  }
  if (phase != tlm::BEGIN_RESP) return false;
  tlm_phase end = tlm::END_RESP;
  sc_time now = sc_core::SC_ZERO_TIME;
  (void)target_.nb_transport_fw(t.payload, end, now);
  return true;
}

void FourPhase::b_transport(tlm_generic_payload& trans, sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  Transaction& t = pool_->get();
  // Data and byte enables stay the caller's, who waits for the response.
  t.payload.set_command(trans.get_command());
  t.payload.set_address(trans.get_address());
  t.payload.set_data_ptr(trans.get_data_ptr());
  t.payload.set_data_length(trans.get_data_length());
  t.payload.set_streaming_width(trans.get_streaming_width());
  t.payload.set_byte_enable_ptr(trans.get_byte_enable_ptr());
  t.payload.set_byte_enable_length(trans.get_byte_enable_length());
  t.payload.set_dmi_allowed(false);
  t.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const unsigned extensions = tlm::max_num_extensions();
  for (unsigned i = 0; i < extensions; ++i) t.payload.set_extension(i, trans.get_extension(i));

  take_request_channel();
  tlm_phase phase = tlm::BEGIN_REQ;
  sc_time offset = sc_core::SC_ZERO_TIME;
  const tlm_sync_enum answer = target_.nb_transport_fw(t.payload, phase, offset);
  bool complete = false;
  if (answer == tlm::TLM_COMPLETED) {
    sc_core::wait(offset);
    give_request_channel();
    complete = true;
  } else if (answer == tlm::TLM_UPDATED) {
    t.steps.push_back({sc_time_stamp() + offset, phase});
  }
  while (!complete) {
    if (t.steps.empty()) {
      sc_core::wait(t.stepped);
      continue;
    }
    const Step next = t.steps.front();
    if (next.at > sc_time_stamp()) {
      sc_core::wait(next.at - sc_time_stamp());
      continue;
    }
    t.steps.pop_front();
    complete = step(t, next.phase);
  }
  trans.set_response_status(t.payload.get_response_status());
  trans.set_dmi_allowed(t.payload.is_dmi_allowed());
  for (unsigned i = 0; i < extensions; ++i) t.payload.set_extension(i, nullptr);
  t.payload.release();
}

tlm_sync_enum FourPhase::nb_transport_bw(tlm_generic_payload& trans, tlm_phase& phase,
                                         sc_time& delay) {
  Transaction* const t = pool_->find(trans);
  if (t == nullptr) {
    SC_REPORT_ERROR("cuvette", "external memory answered a transaction that is not under way");
    return tlm::TLM_COMPLETED;
  }
  t->steps.push_back({sc_time_stamp() + delay, phase});
  t->stepped.notify(sc_core::SC_ZERO_TIME);
  return tlm::TLM_ACCEPTED;
}

}  // namespace cuvette::gpu
