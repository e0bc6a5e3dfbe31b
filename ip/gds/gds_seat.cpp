// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/gds/gds_seat.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ip/common/share_access.h"
#include "ip/gds/gds_times.h"
#include "wave/memory/share_access.h"

namespace cuvette::ip {

using machine::Cycle;

namespace {

constexpr unsigned kRequest = 0, kTaken = 1, kResponse = 2, kWaves = 3;
/// A device that says nothing for so long is not followed any more: it owes an answer.
constexpr Cycle kPatience = 5000;
/// Cycles behind the last message in which a walk over waiting requests may still be under way.
constexpr Cycle kWalk = 256;

/// Error in a request of a recording; empty: none.
std::string admit(const gds::Request& r) {
  return share_access_error(r, r.operand_in_gds, "gds");
}

}  // namespace

GdsReference::GdsReference(const gds::Config& config)
    : data_(wave::gds_bytes(config.target)), arrived_(config.compute_units) {
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
  while (feed(now)) {
  }
}

bool GdsReference::feed(Cycle now) {
  if (!turns_.empty()) {
    const Pending turn = turns_.front();
    if (turn.wave) {
      sync_.note(*turn.wave);
      end_walk(now);
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
  act(unit, from.requests.front(), now);
  from.requests.pop_front();
  if (from.with_turn != 0) --from.with_turn;
  since_ = now;
  return true;
}

void GdsReference::act(unsigned unit, const gds::Request& r, Cycle now) {
  if (!r.withdraw) {
    ++counters_.requests;
    ports_[unit]->taken.push(gds::Taken{r.id}, now);
  }
  if (r.withdraw || r.sync != wave::SyncOp::None) {
    if (!r.withdraw) ++counters_.syncs;
    if (const auto done = sync_.act(unit, r)) answer(*done, now);
    return end_walk(now);
  }
  if (gds::is_atomic(r)) {
    counters_.atomics += static_cast<uint64_t>(__builtin_popcountll(r.exec[0]));
  }
  answer({unit, data_.access(r)}, now);
}

void GdsReference::answer(const gds::Answer& answer, Cycle now) {
  ports_[answer.unit]->response.push(answer.response, now);
}

void GdsReference::end_walk(Cycle now) {
  while (sync_.walks()) {
    if (const auto done = sync_.step(true)) answer(*done, now);
  }
}

gds::Gds::Counters GdsReference::counters() const {
  Counters all = counters_;
  all.waits = sync_.waits();
  return all;
}

bool GdsReference::waits() const {
  return std::any_of(arrived_.begin(), arrived_.end(),
                     [](const Arrived& a) { return !a.requests.empty(); });
}

Cycle GdsReference::next_event() const {
  Cycle next = waves.next_event();
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
  kit_.keep_clock(kWalk);
  GdsTimes* times = nullptr;
  if (options.timing.kind == machine::TimingRule::Kind::Exact) {
    auto made = std::make_unique<GdsTimes>(config);
    times = made.get();
    kit_.schedule(std::move(made));
    kit_.input<spi::WaveOrder>(kWaves).on_offered(
        [times](const spi::WaveOrder& w, Cycle now) { times->offer(w, now); });
  }
  for (unsigned u = 0; u < ports_.size(); ++u) {
    kit_.input<gds::Request>(kRequest, u).admit(admit);
    kit_.output<gds::Taken>(kTaken, u).on_arrived([this, times, u](const gds::Taken& t, Cycle) {
      static_cast<GdsReference&>(kit_.reference()).follow(u);
      if (times != nullptr) times->give_taken(u, t.id);
    });
    if (times == nullptr) continue;
    kit_.input<gds::Request>(kRequest, u).on_offered([times, u](const gds::Request& r, Cycle now) {
      times->offer(u, r, now);
    });
    kit_.output<gds::Response>(kResponse, u).on_arrived([times, u](const gds::Response& r, Cycle) {
      times->give_response(u, r.id);
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
