// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/gds_traffic.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "wave/memory/share_access.h"

namespace cuvette::ip::traffic {

using machine::Cycle;
using wave::SyncOp;

namespace {

constexpr unsigned kWavesOfUnit = 10;
constexpr unsigned kUnderWay = 3;  // accesses of a wave

constexpr const char* kSyncs[] = {"access",         "init",         "semaphore v",
                                  "semaphore bulk", "semaphore p",  "semaphore release all",
                                  "barrier",        "ordered count"};

std::string coverage_text(const gds::Request& r) {
  if (r.sync != SyncOp::None) return kSyncs[static_cast<unsigned>(r.sync)];
  return text(LdsOperation{r.kind, r.atomic, r.bytes, r.accesses, r.operand_in_gds});
}

}  // namespace

GdsTraffic::GdsTraffic(ip::GdsSeat& seat, uint32_t seed, unsigned requests, bool accesses)
    : seat_(seat), maker_(seed), left_(requests), accesses_(accesses) {
  for (const auto target : isa::kAllTargets) {
    if (wave::gds_bytes(target) == 0) continue;
    for (const auto& o : operations_of(target)) {
      if (std::ranges::find(operations_, o) == operations_.end()) operations_.push_back(o);
    }
  }
  for (unsigned n = 1; n < std::size(kSyncs); ++n) coverage_[kSyncs[n]] = 0;
  for (const auto& o : operations_) {
    if (accesses) coverage_[text(o)] = 0;
  }
}

Coverage GdsTraffic::coverage() const {
  Coverage all = coverage_;
  all["request withdrawn"] = counts_.withdrawals;
  all["sync that waited long"] = counts_.waited;
  return all;
}

bool GdsTraffic::step(Cycle now) {
  take(now);
  if (left_ != 0 && draw(8) == 0) begin(now);
  for (size_t n = 0; n < waves_.size(); ++n) {
    Wave& wave = waves_[n];
    const bool late = left_ == 0 || now - wave.since > 3000;
    if (wave.sync != 0) {
      if (!wave.withdrawn && (now - wave.since > 400) && (late || draw(2000) == 0)) {
        withdraw(wave, now);
      }
    } else if (left_ == 0 || wave.left == 0) {
      if (wave.under_way == 0) {
        end(n, now);
        break;
      }
    } else if (wave.under_way < kUnderWay && draw(20) == 0) {
      send(wave, now);
    }
  }
  return left_ != 0 || !waves_.empty();
}

void GdsTraffic::begin(Cycle now) {
  const unsigned units = seat_.compute_units();
  if (waves_.size() >= size_t{units} * kWavesOfUnit) return;
  Wave wave;
  wave.id = next_wave_++;
  wave.unit = draw(units);
  const auto of_unit = [&](const Wave& w) { return w.unit == wave.unit; };
  if (std::ranges::count_if(waves_, of_unit) >= int{kWavesOfUnit}) return;
  wave.dispatch = 7 + draw(2);
  wave.left = 1 + draw(12);
  wave.known = draw(8) != 0;
  if (wave.known) seat_.waves.push(spi::WaveOrder{wave.id, wave.dispatch, false}, now + 1);
  waves_.push_back(wave);
}

void GdsTraffic::end(size_t at, Cycle now) {
  const Wave wave = waves_[at];
  if (wave.known) seat_.waves.push(spi::WaveOrder{wave.id, wave.dispatch, true}, now + 1);
  waves_.erase(waves_.begin() + static_cast<std::ptrdiff_t>(at));
}

void GdsTraffic::send(Wave& wave, Cycle now) {
  const bool syncs = !accesses_ || draw(3) == 0;
  gds::Request r = syncs ? sync(wave) : access();
  r.id = next_id_++;
  r.wave = wave.id;
  r.dispatch = wave.dispatch;
  owner_[r.id] = {wave.id, 0};
  if (syncs) wave.since = now;
  wave.sync = syncs ? r.id : 0;
  wave.withdrawn = false;
  ++wave.under_way;
  --wave.left;
  --left_;
  ++(r.sync == SyncOp::None           ? counts_.accesses
     : r.sync == SyncOp::OrderedCount ? counts_.counts
                                      : counts_.syncs);
  ++coverage_[coverage_text(r)];
  seat_.compute_unit(wave.unit).request.push(r, now + 1);
}

/// Accesses as of the local data share, whose operations are the same.
gds::Request GdsTraffic::access() {
  const lds::Request from =
      maker_.make(operations_[draw(static_cast<uint32_t>(operations_.size()))]);
  gds::Request r;
  r.kind = from.kind;
  r.atomic = from.atomic;
  r.flush_in = from.flush_in;
  r.flush_out = from.flush_out;
  r.operand_in_gds = from.operand_in_lds;
  r.accesses = from.accesses;
  r.bytes = from.bytes;
  r.exec = {from.exec, from.exec};
  for (auto& exec : r.exec) {
    if (draw(3) != 0) continue;
    for (unsigned n = 0; n < 8; ++n) exec &= ~(uint64_t{1} << draw(64));
  }
  // Mostly in a few bytes, so that compute units meet.
  const uint32_t window = draw(3) == 0 ? 65600 : draw(2) == 0 ? 4200 : 300;
  for (unsigned a = 0; a < 2; ++a) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      const uint32_t at = from.offset[a][l];
      r.offset[a][l] = draw(64) == 0 ? at | 0x80000000 : at % window;
    }
  }
  r.data = from.data;
  r.compare = from.compare;
  return r;
}

gds::Request GdsTraffic::sync(const Wave& wave) {
  gds::Request r;
  r.kind = wave::MemoryKind::Atomic;
  r.sync = static_cast<SyncOp>(1 + draw(7));
  r.resource = static_cast<uint8_t>(draw(16) == 0 ? draw(64) : draw(3));
  r.value = draw(6) == 0 ? 0xffffffff - draw(3) : draw(4);
  if (wave.known && draw(3) == 0) r.sync = SyncOp::OrderedCount;
  if (r.sync == SyncOp::OrderedCount) {
    r.kind = wave::MemoryKind::AtomicReturn;
    r.releases = draw(4) != 0;
  }
  return r;
}

void GdsTraffic::withdraw(Wave& wave, Cycle now) {
  gds::Request r;
  r.id = next_id_++;
  r.wave = wave.id;
  r.dispatch = wave.dispatch;
  r.withdraw = true;
  wave.withdrawn = true;
  ++counts_.withdrawals;
  seat_.compute_unit(wave.unit).request.push(r, now + 1);
}

void GdsTraffic::take(Cycle now) {
  for (unsigned u = 0; u < seat_.compute_units(); ++u) {
    gds::Port& port = seat_.compute_unit(u);
    while (port.taken.front(now) != nullptr) {
      // Channels may be held back each by itself: the answer may have come before.
      const auto owner = owner_.find(port.taken.pop(now).id);
      if (owner != owner_.end()) owner->second.second = now;
    }
    while (port.response.front(now) != nullptr) {
      const uint32_t id = port.response.pop(now).id;
      answers_.emplace_back(u, id);
      const auto owner = owner_.find(id);
      if (owner == owner_.end()) continue;  // the kit has told
      const auto [wave, taken] = owner->second;
      owner_.erase(owner);
      if (taken != 0) longest_ = std::max(longest_, now - taken);
      const auto found = std::ranges::find(waves_, wave, &Wave::id);
      if (found->sync == id) {
        if (now - found->since > 400 && !found->withdrawn) ++counts_.waited;
        found->sync = 0;
        found->since = now;
      }
      --found->under_way;
    }
  }
}

}  // namespace cuvette::ip::traffic
