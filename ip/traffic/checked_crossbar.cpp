// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/checked_crossbar.h"

#include <utility>

namespace cuvette::ip::traffic {

using machine::Cycle;
using memory::MemReq;
using memory::MemResp;

namespace {

constexpr unsigned kApertureStore = 5;

}  // namespace

CrossbarChecker::Finding CrossbarChecker::taken(unsigned /*channel*/, unsigned port,
                                                const MemReq& r, Cycle now) {
  ledger_.asked(port, r, now);
  return ledger_.violation();
}

CrossbarChecker::Finding CrossbarChecker::taken(unsigned /*channel*/, unsigned /*port*/,
                                                const MemResp& r, Cycle /*now*/) {
  ledger_.replied(r);
  return ledger_.violation();
}

CrossbarChecker::Finding CrossbarChecker::taken(unsigned /*channel*/, unsigned /*port*/,
                                                const crossbar::Aperture& a, Cycle now) {
  ledger_.placed(a, now);
  return ledger_.violation();
}

CrossbarChecker::Finding CrossbarChecker::given(unsigned channel, unsigned port, MemReq& r,
                                                Cycle now) {
  r.time = now + 1;
  ledger_.given(port, r, channel == kApertureStore);
  return ledger_.violation();
}

CrossbarChecker::Finding CrossbarChecker::given(unsigned /*channel*/, unsigned port, MemResp& r,
                                                Cycle now) {
  r.time = now + 1;
  ledger_.answered(port, r);
  return ledger_.violation();
}

std::string CrossbarChecker::owed() const {
  return std::to_string(ledger_.open() - ledger_.at_slices()) +
         " requests are to be given to a slice or to be answered";
}

CrossbarChecker::Finding CrossbarChecker::conclude() const {
  if (ledger_.open() == 0) return {};
  return Violation{"once", std::to_string(ledger_.open()) + " requests have no answer"};
}

CheckedCrossbar::CheckedCrossbar(std::unique_ptr<PinDevice> device, const crossbar::Config& config,
                                 const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : CrossbarPorts(config),
      checker_(config),
      kit_(crossbar::kChannels, checker_, std::move(device),
           pin_channels(crossbar::kChannels, {config.sources, config.slices}),
           {"crossbar", 0, 0, "crossbar"}, options, std::move(on_mismatch)) {
  visit_channels(static_cast<crossbar::Crossbar&>(*this), kit_);
}

}  // namespace cuvette::ip::traffic
