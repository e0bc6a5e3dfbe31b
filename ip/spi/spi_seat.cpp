// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/spi/spi_seat.h"

#include <algorithm>
#include <utility>

namespace cuvette::ip {

SpiSeat::SpiSeat(std::unique_ptr<PinDevice> device, const spi::Config& config,
                 const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : ports_([&config] {
        std::vector<std::unique_ptr<ComputeUnitPort>> ports(config.compute_units);
        for (auto& port : ports) port = std::make_unique<ComputeUnitPort>();
        return ports;
      }()),
      checker_(config),
      kit_(spi::kChannels, checker_, std::move(device),
           pin_channels(spi::kChannels, config.compute_units), {"spi", 0, 0, "spi"}, options,
           std::move(on_mismatch)) {
  visit_channels(static_cast<spi::Spi&>(*this), kit_);
  kit_.in(kDispatch, 0, behind_restores_);
  kit_.may_leave(kit_.pin_of(kDispatch, 0));  // until there is room for another dispatch
  kit_.in(kCancel, 0, cancels_.known);
  kit_.in(kSave, 0, saves_.known);
  kit_.in(kRestore, 0, restores_);
  kit_.input<spi::SavedGroup>(kRestore, 0)
      .on_taken([this](const spi::SavedGroup& g, machine::Cycle) {
        const auto found = restoring_.find(g.dispatch);  // none in a rerun
        if (found != restoring_.end() && --found->second == 0) restoring_.erase(found);
      });
  kit_.input<spi::Dispatch>(kDispatch, 0).on_taken([this](const spi::Dispatch& d, machine::Cycle) {
    taken_.insert(d.id);
  });
  // A device may rely on that only its waves end, and once.
  for (unsigned unit = 0; unit < config.compute_units; ++unit) {
    kit_.input<spi::WaveDone>(kDone, unit).admit([this, unit](const spi::WaveDone& done) {
      const bool runs = checker_.may_end(unit, done) && ended_.insert(done.id).second;
      return runs ? std::string() : std::string("'id' is of no wave that runs");
    });
  }
}

template <class M>
void SpiSeat::pass(machine::Channel<M>& from, About<M>& to, machine::Cycle now) {
  while (from.front(now) != nullptr) to.early.push_back(from.pop(now));
  if (to.early.empty()) return;
  const bool all = dispatch.empty() && behind_restores_.empty();
  const auto goes = [&](const M& message) {
    if (!all && taken_.count(message.dispatch) == 0) return false;
    to.known.push(message, now);
    return true;
  };
  to.early.erase(std::remove_if(to.early.begin(), to.early.end(), goes), to.early.end());
}

void SpiSeat::tick(machine::Cycle now) {
  // On pins channels go side by side: what is restored has to be there before its dispatch.
  while (restore.front(now) != nullptr) {
    ++restoring_[restore.front(now)->dispatch];
    restores_.push(restore.pop(now), now);
  }
  while (dispatch.front(now) != nullptr && restoring_.count(dispatch.front(now)->id) == 0 &&
         behind_restores_.can_push(now)) {
    behind_restores_.push(dispatch.pop(now), now);
  }
  pass(cancel, cancels_, now);
  pass(save, saves_, now);
  kit_.tick(now);
}

machine::Cycle SpiSeat::next_event() const {
  return std::min({kit_.next_event(), dispatch.next_event(), cancel.next_event(), save.next_event(),
                   restore.next_event()});
}

}  // namespace cuvette::ip
