// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/spi_traffic.h"

#include <algorithm>
#include <string>

namespace cuvette::ip::traffic {

using machine::Cycle;
using spi::Dispatch;
using spi::WaveDone;
using spi::WaveLaunch;

SpiTraffic::SpiTraffic(spi::Spi& spi, const spi::Config& config, const Options& options)
    : spi_(spi), config_(config), options_(options), random_(options.seed), saves_(random_) {}

/// Every enable bit, partial work-groups along all dimensions, and now and then what cannot run.
Dispatch SpiTraffic::random_dispatch(uint32_t id) {
  Dispatch d;
  d.id = id;
  d.vmid = static_cast<uint8_t>(1 + below(3));
  if (options_.priorities) d.queue_priority = static_cast<uint8_t>(below(4));
  d.packet_address = 0x1'0000'0000 + 64 * uint64_t{id};
  d.dispatch_index = 0x5'0000'0000 + id;
  d.queue_address = 0x7'0000'0800 + 0x1000 * uint64_t{below(8)};
  d.kernel_object = 0x9'0000'0000;
  d.entry = 0x9'0000'0a00 + 256 * uint64_t{below(99)};
  d.kernarg = 0xb'0000'0c00 + 64 * uint64_t{id};
  static constexpr uint16_t kShapes[][3] = {
      {64, 1, 1}, {256, 1, 1}, {1024, 1, 1}, {8, 8, 1}, {16, 4, 2},  {4, 4, 4},  {7, 5, 3},
      {1, 1, 1},  {100, 3, 1}, {1, 33, 5},   {2, 2, 9}, {320, 1, 3}, {5, 1, 64}, {10, 10, 10}};
  const auto& shape = kShapes[below(std::size(kShapes))];
  for (unsigned n = 0; n < 3; ++n) {
    d.workgroup[n] = shape[n];
    const uint32_t most = n == 0 ? 12 : 4;
    d.grid[n] = 1 + below(shape[n] * (1 + below(most)));
    if (below(6) == 0) d.start[n] = below(4);
  }
  d.group_bytes = below(3) == 0 ? 0 : below(options_.huge ? 65537 : 20'000);
  // Waves that fill a SIMD do so with vector registers, with scalar registers, or with both.
  const uint32_t fills = options_.huge ? below(4) : 0;
  d.rsrc1 = static_cast<uint32_t>(random_()) & ~0x3ffu;
  d.rsrc1 |= below((fills & 1) != 0 ? 64 : 12) | below((fills & 2) != 0 ? 14 : 6) << 6;
  d.rsrc2 = static_cast<uint32_t>(random_()) & ~(0x3fu | 3u << 11);
  d.rsrc2 |= below(2) | below(3) << 11;
  d.rsrc3 = below(2 * (d.rsrc1 & 0x3f) + 2);
  const bool architected = config_.target == isa::Target::Gfx942;
  d.properties = below(1024) & (architected ? ~0x21u : ~0u);
  uint32_t user = (d.properties & 1) != 0 ? 4 : 0;
  for (unsigned n = 1; n < 10; ++n) {
    if ((d.properties >> n & 1) != 0) user += n < 6 ? 2 : 1;
  }
  d.from_registers = below(8) == 0;
  const bool bare =
      d.from_registers && below(2) == 0;  // user SGPRs are those of the registers alone
  if (bare) d.properties = user = 0;
  if (below(2) == 0) {
    const uint32_t preload = below(18);
    if (config_.target >= isa::Target::Gfx90a && !d.from_registers) user += preload;
    d.properties |= (preload | below(64) << 7) << 16;
  }
  if (user > 31) {  // more than there are
    d.properties &= 0xf;
    user = std::min(user, 10u);
  }
  d.rsrc2 |= std::min(31u, user + below(bare ? 17 : 4)) << 1;
  // And some of these have no SGPRs of the system behind them.
  if (bare && below(2) == 0) d.rsrc2 &= ~(1u | 0xfu << 7);
  for (auto& word : d.scratch_descriptor) word = static_cast<uint32_t>(random_());
  for (auto& word : d.user_data) word = static_cast<uint32_t>(random_());
  d.private_bytes = below(2) == 0 ? 0 : below(300);
  d.scratch_waves = below(2) == 0 ? 0 : 16 + below(300);
  d.scratch_base =
      (d.scratch_waves == 0 ? 0x8'0000'0000 : 0x7'0000'0000) + 0x1000'0000 * uint64_t{below(2)};
  d.scratch_bytes_per_wave = 4096;
  d.tba = below(4) == 0 ? 0 : 0xf000 + 256 * uint64_t{below(9)};
  d.tma = 0xe000 + 256 * uint64_t{below(9)};
  d.doorbell = static_cast<uint16_t>(below(1024));
  if (below(3) == 0) {
    for (auto& word : d.cu_mask) word = static_cast<uint16_t>(1 + below(15));
  }
  if (!options_.errors) {
    if (!allows_any(d)) d.cu_mask = spi::kAllUnits;
    return d;
  }
  switch (below(30)) {
    case 0:
      d.grid[below(3)] = 0;
      break;
    case 1:
      d.workgroup = {1024, 2, 1};
      break;
    case 2:
      d.rsrc1 |= 0xfu << 6;
      break;
    case 3:
      d.rsrc2 |= 3u << 11;
      break;
    case 4:
      d.rsrc2 &= ~0x3eu;
      break;
    case 5:
      d.group_bytes = 65536 + below(1u << 31);
      break;
    case 6:
      d.cu_mask = {0, 0, 0, 0, 0, 0, 0, 0};
      break;
    case 7:
      d.rsrc3 = 0x3f;
      break;
    case 8:
      d.scratch_waves = 1, d.private_bytes = 8;
      d.scratch_base = 0x9'0000'0000;
      break;
    default:
      break;
  }
  return d;
}

bool SpiTraffic::allows_any(const Dispatch& d) const {
  return spi::leaves_any(d.cu_mask, config_.compute_units, config_.shader_engines);
}

void SpiTraffic::start(Cycle now) {
  if (started_.size() == options_.dispatches || now < next_start_) return;
  if (!spi_.dispatch.can_push(now)) return;
  started_.push_back(random_dispatch(++next_id_));
  spi_.dispatch.push(started_.back(), now + 1);
  saves_.start(started_.back());
  next_start_ = now + 1 + below(options_.pause);
  plan_events(next_id_, now);
}

/// What happens to a dispatch that has been sent.
void SpiTraffic::plan_events(uint32_t dispatch, Cycle now) {
  if (options_.cancels && below(5) == 0) cancels_.emplace(now + 1 + below(1000), dispatch);
  if (options_.saves && below(4) != 0) asks_.emplace(now + 60 + below(500), dispatch);
}

/// Sends what is left of a dispatch that was saved: its work-groups, then the dispatch.
void SpiTraffic::resume(Cycle now) {
  if (resumes_.empty() || resumes_.begin()->first > now || !spi_.dispatch.can_push(now)) return;
  const SpiSaves::Resumed& r = resumes_.begin()->second;
  for (const spi::SavedGroup& g : r.groups) spi_.restore.push(g, now + 1);
  spi_.dispatch.push(r.dispatch, now + 1);
  plan_events(r.dispatch.id, now);
  resumes_.erase(resumes_.begin());
}

/// Waves that save themselves end soon, but for those that come to their end in time.
void SpiTraffic::take_command(unsigned unit, const spi::WaveCommand& command, Cycle now) {
  if (command.action != spi::WaveAction::Save) {
    ++killed_;
    return;
  }
  for (const auto& [wave, ending] : saves_.told(unit, command)) {
    const auto found = std::find_if(ends_.begin(), ends_.end(), [id = wave](const auto& end) {
      return end.second.second.id == id;
    });
    endings_[wave] = ending;
    ends_.emplace(now + 5 + below(120), found->second);
    ends_.erase(found);
  }
}

void SpiTraffic::take_done(Cycle now) {
  while (spi_.dispatch_done.front(now) != nullptr) {
    done_.push_back(spi_.dispatch_done.pop(now));
    auto rest = saves_.done(done_.back(), next_id_ + 1, options_.errors);
    if (!rest) continue;
    ++next_id_;
    ++resumed_;
    resumes_.emplace(now + below(600), std::move(*rest));
  }
}

void SpiTraffic::end_waves(Cycle now) {
  for (; !ends_.empty() && ends_.begin()->first <= now; ends_.erase(ends_.begin())) {
    const auto& [unit, w] = ends_.begin()->second;
    WaveDone over;
    over.id = w.id;
    over.simd = w.simd;
    over.slot = w.slot;
    over.dispatch = w.dispatch;
    over.workgroup = w.workgroup;
    if (const auto saved = endings_.find(w.id); saved != endings_.end()) {
      over.saved = saved->second.saved;
      over.first = over.saved && saved->second.first;
      endings_.erase(saved);
    }
    over.error = options_.failures && !over.saved && below(200) == 0;
    if (over.error) {
      over.error_code = 0x20 + below(9);
      over.error_address = 0x1234'0000'0000 + w.id;
      over.error_pc = w.pc + 4 * below(9);
      saves_.given_up(w.dispatch);
    }
    saves_.ended(unit, w, over.saved);
    spi_.compute_unit(unit).done.push(over, now + 1);
  }
}

bool SpiTraffic::step(Cycle) {
  return done_.size() < options_.dispatches + resumed_ || !ends_.empty();
}

void SpiTraffic::follow(Cycle now) {
  for (unsigned u = 0; u < spi_.compute_units(); ++u) {
    auto& port = spi_.compute_unit(u);
    while (port.launch.front(now) != nullptr) {
      const WaveLaunch w = port.launch.pop(now);
      launches_.push_back({u, now, w});
      saves_.launched(u, w);
      ends_.emplace(now + 20 + below(options_.lasts), std::pair(u, w));
    }
    while (port.command.front(now) != nullptr) {
      take_command(u, port.command.pop(now), now);
    }
  }
  while (spi_.saved.front(now) != nullptr) saves_.saved(spi_.saved.pop(now));
  take_done(now);
  while (spi_.wave_order.front(now) != nullptr) spi_.wave_order.drop(now);
  end_waves(now);
  for (; !cancels_.empty() && cancels_.begin()->first <= now; cancels_.erase(cancels_.begin())) {
    spi_.cancel.push({cancels_.begin()->second}, now + 1);
    saves_.given_up(cancels_.begin()->second);
    ++cancelled_;
  }
  for (; !asks_.empty() && asks_.begin()->first <= now; asks_.erase(asks_.begin())) {
    if (const auto save = saves_.request(asks_.begin()->second)) spi_.save.push(*save, now + 1);
  }
  resume(now);
  start(now);
}

Coverage SpiTraffic::coverage() const {
  Coverage all = {{"dispatch cancelled", cancelled_},
                  {"wave killed", killed_},
                  {"dispatch done", 0},
                  {"dispatch done with an error", 0},
                  {"dispatch with a mask of compute units", 0},
                  {"dispatch from registers", 0},
                  {"dispatch with scratch memory", 0},
                  {"dispatch with group memory", 0},
                  {"partial work-group", 0}};
  if (options_.saves) saves_.count(all);
  for (unsigned u = 0; u < config_.compute_units; ++u) {
    all["wave of compute unit " + std::to_string(u)] = 0;
  }
  for (unsigned p = 0; options_.priorities && p < 4; ++p) {
    all["queue priority " + std::to_string(p)] = 0;
  }
  for (const auto& d : done_) ++all[d.error ? "dispatch done with an error" : "dispatch done"];
  for (const Launched& l : launches_) ++all["wave of compute unit " + std::to_string(l.unit)];
  for (const Dispatch& d : started_) {
    if (d.cu_mask != spi::kAllUnits) ++all["dispatch with a mask of compute units"];
    if (d.from_registers) ++all["dispatch from registers"];
    if (d.private_bytes != 0) ++all["dispatch with scratch memory"];
    if (d.group_bytes != 0) ++all["dispatch with group memory"];
    for (unsigned n = 0; n < 3; ++n) {
      if (d.grid[n] % d.workgroup[n] != 0) {
        ++all["partial work-group"];
        break;
      }
    }
    if (options_.priorities) ++all["queue priority " + std::to_string(d.queue_priority)];
  }
  return all;
}

}  // namespace cuvette::ip::traffic
