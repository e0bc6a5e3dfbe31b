// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/gds/gds_seat.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gds/gds_model.h"

namespace cuvette::ip {

using machine::Cycle;

namespace {

constexpr unsigned kRequest = 0, kTaken = 1;
/// A device that says nothing for so long is not followed any more: it owes an answer.
constexpr Cycle kPatience = 5000;

/// Error in a request of a recording; empty: none.
std::string admit(const gds::Request& r) {
  if (r.accesses != 1 && r.accesses != 2) return "'accesses' must be 1 or 2";
  const bool atomic =
      r.kind == wave::MemoryKind::Atomic || r.kind == wave::MemoryKind::AtomicReturn;
  if (r.operand_in_gds && r.accesses != 1) return "'accesses' must be 1 with an operand in the gds";
  const bool words = r.bytes == 4 || r.bytes == 8;
  if ((atomic || r.accesses == 2) && !words) return "'bytes' must be 4 or 8 here";
  const bool one = r.bytes == 1 || r.bytes == 2 || r.bytes == 12 || r.bytes == 16;
  if (!words && !one) return "'bytes' must be 1, 2, 4, 8, 12 or 16";
  if (r.atomic > base::AtomicOp::CondXchg32) return "'atomic' is no operation";
  return {};
}

}  // namespace

GdsReference::GdsReference(const gds::Config& config)
    : model_(std::make_unique<gds::GdsModel>(config)), arrived_(config.compute_units) {
  for (unsigned i = 0; i < config.compute_units; ++i) {
    ports_.push_back(std::make_unique<gds::Port>());
  }
}

void GdsReference::follow(unsigned unit) {
  note(unit);
  Arrived& of_unit = arrived_[unit];
  if (of_unit.untold != 0) {
    --of_unit.untold;
    return;
  }
  turns_.push_back({unit, std::nullopt});
  ++of_unit.with_turn;
}

void GdsReference::note() {
  while (!waves.empty()) turns_.push_back({0, waves.pop(waves.next_event())});
  for (unsigned i = 0; i < ports_.size(); ++i) note(i);
}

/// Withdrawals have their turn behind the request before them.
void GdsReference::note(unsigned unit) {
  machine::Channel<gds::Request>& from = ports_[unit]->request;
  Arrived& to = arrived_[unit];
  while (!from.empty()) {
    if (!waits()) since_ = from.next_event();
    to.requests.push_back(from.pop(from.next_event()));
  }
  while (to.with_turn < to.requests.size() && to.requests[to.with_turn].withdraw) {
    turns_.push_back({unit, std::nullopt});
    ++to.with_turn;
  }
}

void GdsReference::tick(Cycle now) {
  now_ = now;
  note();
  // One at a time: what the model would choose among several is the device's choice.
  while (model_->next_event() == machine::kNever && feed(now)) {
  }
  model_->tick(now);
  for (unsigned i = 0; i < ports_.size(); ++i) {
    gds::Port& port = model_->compute_unit(i);
    ports_[i]->taken.take_all(port.taken);
    ports_[i]->response.take_all(port.response);
  }
}

bool GdsReference::feed(Cycle now) {
  if (!turns_.empty()) {
    const Pending turn = turns_.front();
    if (turn.wave) {
      model_->waves.push(*turn.wave, now);
    } else if (!feed_from(turn.unit, now)) {
      return false;
    }
    turns_.pop_front();
    return true;
  }
  if (!waits() || now < since_ + kPatience) return false;
  for (unsigned i = 0; i < ports_.size(); ++i) {
    if (!feed_from(i, now)) continue;
    ++arrived_[i].untold;
    return true;
  }
  return false;
}

bool GdsReference::feed_from(unsigned unit, Cycle now) {
  Arrived& from = arrived_[unit];
  if (from.requests.empty()) return false;
  model_->compute_unit(unit).request.push(from.requests.front(), now);
  from.requests.pop_front();
  if (from.with_turn != 0) --from.with_turn;
  since_ = now;
  return true;
}

bool GdsReference::waits() const {
  return std::any_of(arrived_.begin(), arrived_.end(),
                     [](const Arrived& a) { return !a.requests.empty(); });
}

Cycle GdsReference::next_event() const {
  Cycle next = std::min(model_->next_event(), waves.next_event());
  for (const auto& port : ports_) next = std::min(next, port->request.next_event());
  return !turns_.empty() || waits() ? std::min(next, now_ + 1) : next;
}

GdsSeat::GdsSeat(std::unique_ptr<PinDevice> device, const gds::Config& config,
                 const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : ports_([&config] {
        std::vector<std::unique_ptr<gds::Port>> ports(config.compute_units);
        for (auto& port : ports) port = std::make_unique<gds::Port>();
        return ports;
      }()),
      kit_(gds::kChannels, *this, std::make_unique<GdsReference>(config), std::move(device),
           pin_channels(gds::kChannels, config.compute_units), {"gds", 0, 0, "gds"}, options,
           std::move(on_mismatch)) {
  for (unsigned u = 0; u < ports_.size(); ++u) {
    kit_.input<gds::Request>(kRequest, u).admit(admit);
    kit_.output<gds::Taken>(kTaken, u).on_arrived([this, u](const gds::Taken&, Cycle) {
      static_cast<GdsReference&>(kit_.reference()).follow(u);
    });
  }
}

void GdsSeat::tick(Cycle now) {
  kit_.tick(now);
  static_cast<GdsReference&>(kit_.reference()).note();
}

void GdsSeat::poke(uint32_t address, const uint8_t* bytes, uint32_t count) {
  for (uint32_t done = 0; done < count;) {
    gds::Request r;
    r.kind = wave::MemoryKind::Store;
    r.bytes = 1;
    const uint32_t lanes = std::min<uint32_t>(wave::kLanes, count - done);
    for (uint32_t l = 0; l < lanes; ++l) {
      r.exec[0] |= uint64_t{1} << l;
      r.offset[0][l] = address + done + l;
      r.data[0][l] = bytes[done + l];
    }
    done += lanes;
    kit_.inject(kRequest, r);
  }
}

}  // namespace cuvette::ip
