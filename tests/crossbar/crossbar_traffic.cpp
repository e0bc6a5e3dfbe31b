// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "crossbar_traffic.h"

#include "crossbar/crossbar_model.h"
#include "ip/traffic/crossbar_ledger.h"
#include "ip/traffic/crossbar_traffic.h"

namespace cuvette::crossbar::testing {

using machine::Cycle;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

namespace {

bool is_same(const MemReq& a, const MemReq& b) {
  return ip::traffic::content(a) == ip::traffic::content(b);
}
/// A fault has no data.
bool is_same(const MemResp& a, const MemResp& b) {
  const bool fault = a.status == MemStatus::Fault;
  return a.status == b.status && a.address == b.address && (fault || a.data == b.data);
}

/// The model without a device, fed alike: it shows when a port takes nothing although it has to.
class Alone {
 public:
  explicit Alone(const Config& config) : model_(config) {}
  CrossbarModel& model() { return model_; }
  /// After a cycle: what was given in it is what the device gave.
  std::string compare(Crossbar& device, Cycle now) {
    for (unsigned k = 0; k < device.slices(); ++k) {
      const std::string of = " of slice " + std::to_string(k) + ", cycle " + std::to_string(now);
      if (!alike(model_.slice(k).request, device.slice(k).request, now)) return "request" + of;
      if (!alike(model_.aperture_store(k), device.aperture_store(k), now)) return "store" + of;
    }
    for (unsigned s = 0; s < device.sources(); ++s) {
      if (alike(model_.source(s).response, device.source(s).response, now)) continue;
      return "answer of source " + std::to_string(s) + ", cycle " + std::to_string(now);
    }
    return {};
  }

 private:
  template <class M>
  static bool alike(machine::Channel<M>& mine, machine::Channel<M>& other, Cycle now) {
    const M* const a = mine.front(now);
    const M* const b = other.front(now);
    if (a == nullptr || b == nullptr) return a == b;
    const bool same = a->id == b->id && is_same(*a, *b);
    mine.drop(now);
    return same;
  }
  CrossbarModel model_;
};

}  // namespace

Outcome run(std::unique_ptr<ip::PinDevice> device, const Config& config, const Options& options) {
  ip::LockstepOptions kit_options;
  if (options.exact) kit_options.timing.kind = machine::TimingRule::Kind::Exact;
  ip::CrossbarSeat seat(std::move(device), config, kit_options, {});
  Alone alone(config);
  ip::traffic::CrossbarTraffic traffic(
      seat, config, {options.requests, options.seed, options.exact, options.under_way},
      options.exact ? &alone.model() : nullptr);
  auto& ledger = traffic.ledger();
  Cycle now = 1, last = 1;
  while (!seat.kit().mismatch() && now < last + 3000 && traffic.step(now)) {
    if (options.exact) alone.model().tick(now);
    seat.tick(now++);
    if (options.exact && !seat.kit().mismatch()) {
      const std::string wrong = alone.compare(seat, now);
      if (!wrong.empty()) ledger.fail("model", "other than the model alone: " + wrong);
    }
    const uint64_t before = traffic.answers();
    traffic.follow(now);
    if (traffic.answers() != before) last = now;
  }
  if (traffic.answers() != options.requests) ledger.fail("once", "requests without an answer");
  seat.kit().conclude();
  Outcome out;
  out.answers = traffic.answers();
  out.faults = traffic.faults();
  out.broadcasts = traffic.broadcasts();
  out.stores = traffic.stores();
  out.by_slice = traffic.by_slice();
  out.mismatch = seat.kit().mismatch();
  out.wrong = ledger.wrong();
  out.compared = seat.kit().compared();
  if (options.exact) out.times = seat.kit().items().at("crossbar times");
  out.end = now;
  return out;
}

}  // namespace cuvette::crossbar::testing
