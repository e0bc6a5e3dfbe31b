// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/gds/gds_times.h"

#include <algorithm>
#include <utility>

namespace cuvette::ip {

using machine::Cycle;

namespace {

/// The message that is visible behind cycle `now`.
template <class M>
std::optional<uint32_t> take(machine::Channel<M>& channel, Cycle now) {
  if (channel.front(now + 1) == nullptr) return std::nullopt;
  return channel.pop(now + 1).id;
}

std::string text_of(const std::optional<uint32_t>& id) {
  return id ? "id " + std::to_string(*id) : "nothing";
}

}  // namespace

GdsTimes::GdsTimes(const gds::Config& config) : model_(config), given_(config.compute_units) {}

void GdsTimes::offer(unsigned unit, const gds::Request& request, Cycle now) {
  model_.compute_unit(unit).request.push(request, now);
}

void GdsTimes::offer(const spi::WaveOrder& wave, Cycle now) {
  model_.waves.push(wave, now);
}

std::string GdsTimes::check(const PinAdapter& pins, Cycle now) {
  for (size_t n = 0; n < pins.channels().size(); ++n) {
    const PinChannel& channel = pins.channels()[n];
    if (channel.to_device || pins.end(static_cast<unsigned>(n)).ready()) continue;
    return channel.name + ": its receiver is not ready, exact times are those of ready ones";
  }
  for (Cycle at = model_.next_event(); at <= now; at = model_.next_event()) {
    ticked_ = std::max(at, ticked_ + 1);
    model_.tick(ticked_);
  }
  for (unsigned u = 0; u < given_.size(); ++u) {
    gds::Port& port = model_.compute_unit(u);
    const Given due{take(port.taken, now), take(port.response, now)};
    const Given given = std::exchange(given_[u], {});
    compared_ += (due.taken ? 1 : 0) + (due.response ? 1 : 0);
    const std::string place = "[" + std::to_string(u) + "] in cycle " + std::to_string(now) + ": ";
    if (due.taken != given.taken) {
      return "taken" + place + text_of(given.taken) + ", expected " + text_of(due.taken);
    }
    if (due.response != given.response) {
      return "response" + place + text_of(given.response) + ", expected " + text_of(due.response);
    }
  }
  return {};
}

}  // namespace cuvette::ip
