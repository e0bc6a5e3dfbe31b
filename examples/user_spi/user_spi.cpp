// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "user_spi.h"

#include <algorithm>

#include "hsa/queue_error.h"
#include "ip/core_dut.h"

using cuvette::machine::Cycle;
using cuvette::spi::Dispatch;
using cuvette::spi::WaveCommand;
using cuvette::spi::WaveDone;
using cuvette::spi::WaveLaunch;

namespace {

constexpr auto kTarget = cuvette::isa::Target::Gfx908;

uint32_t rounded(uint32_t count, uint32_t granule) {
  return (count + granule - 1) / granule * granule;
}

}  // namespace

bool UserSpi::Ranges::allocate(uint32_t count, uint32_t& base) {
  const uint32_t wanted = rounded(count, granule);
  base = 0;
  if (wanted == 0) return true;
  if (wanted > size) return false;
  for (uint32_t at = size - wanted;; at -= granule) {
    const bool is_free = std::all_of(used.begin(), used.end(), [&](const Used& u) {
      return at + wanted <= u.base || u.base + u.count <= at;
    });
    if (is_free) {
      base = at;
      used.push_back({at, wanted});
      return true;
    }
    if (at < granule) return false;
  }
}

void UserSpi::Ranges::free(uint32_t base) {
  const auto found =
      std::find_if(used.begin(), used.end(), [base](const Used& u) { return u.base == base; });
  if (found != used.end()) used.erase(found);
}

UserSpi::UserSpi(bool overlaps) : overlaps_(overlaps) {}

void UserSpi::tick(Cycle now) {
  take_dispatch(now);
  take_cancels(now);
  take_done(now);
  while (save.front(now) != nullptr) save.drop(now);        // nothing is saved
  while (restore.front(now) != nullptr) restore.drop(now);  // so that nothing comes back
  place(now);
  finish(now);
}

void UserSpi::take_dispatch(Cycle now) {
  if (dispatch.front(now) == nullptr) return;
  const Dispatch d = dispatch.pop(now);
  auto active = std::make_unique<Active>();
  active->done.id = d.id;
  active->next_group = d.next_group;
  if (!cuvette::spi::replan(active->plan, d, kTarget).ok()) {
    active->over = active->done.error = true;
    active->done.error_code = cuvette::spi::check_sizes(d).ok() ? cuvette::hsa::kQueueErrorResources
                                                                : cuvette::hsa::kQueueErrorDispatch;
  }
  active_.push_back(std::move(active));
}

void UserSpi::take_cancels(Cycle now) {
  while (cancel.front(now) != nullptr) {
    const uint32_t id = cancel.pop(now).dispatch;
    for (auto& active : active_) {
      if (active->done.id != id) continue;
      active->over = true;
      if (active->waves == 0) continue;
      WaveCommand kill;
      kill.of_dispatch = true;
      kill.dispatch = id;
      unit_.command.push(kill, std::max(now, launched_) + 1);
    }
  }
}

void UserSpi::take_done(Cycle now) {
  while (unit_.done.front(now) != nullptr) {
    const WaveDone done = unit_.done.pop(now);
    const auto wave = std::find_if(live_.begin(), live_.end(),
                                   [&done](const WaveLaunch& w) { return w.id == done.id; });
    release(*wave);
    live_.erase(wave);
    wave_order.push({done.id, done.dispatch, true}, now + 1);
    for (auto& active : active_) {
      if (active->done.id != done.dispatch) continue;
      --active->waves;
      if (!done.error || active->done.error) continue;
      active->over = active->done.error = true;
      active->done.error_code = done.error_code;
      active->done.error_address = done.error_address;
      active->done.error_pc = done.error_pc;
    }
  }
}

/// Work-groups in the order of dispatches.
void UserSpi::place(Cycle now) {
  for (auto& active : active_) {
    while (!active->over && active->next_group < active->plan.workgroups()) {
      if (launched_ > now) return;
      if (place_group(*active, now)) continue;
      if (!live_.empty()) return;
      active->over = active->done.error = true;  // an empty machine has no room for it
      active->done.error_code = cuvette::hsa::kQueueErrorResources;
    }
  }
}

bool UserSpi::place_group(Active& active, Cycle now) {
  const cuvette::spi::DispatchPlan& plan = active.plan;
  const uint32_t count = cuvette::spi::waves_of(plan, active.next_group);
  Group group;
  group.key = next_key_;
  if (!lds_.allocate(plan.dispatch.group_bytes, group.lds_base)) return false;
  std::vector<WaveLaunch> waves;
  for (uint32_t i = 0; i < count; ++i) {
    WaveLaunch w =
        cuvette::spi::initial_state(plan, kTarget, active.next_group, i,
                                    cuvette::spi::wave_number(plan, active.next_group, i), false);
    w.workgroup = group.key;
    w.lds_base = group.lds_base;
    if (!place_wave(w)) {
      for (const WaveLaunch& placed : waves) release(placed);
      if (waves.empty()) lds_.free(group.lds_base);
      return false;
    }
    if (i == 0) groups_.push_back(group);
    ++groups_.back().waves;
    waves.push_back(w);
  }
  for (WaveLaunch& w : waves) {
    // The error: work-groups are put where the LDS ends, whoever is there.
    if (overlaps_ && w.lds_bytes != 0) w.lds_base = 65536 - rounded(w.lds_bytes, 512);
    launched_ = std::max(launched_, now) + 8;
    wave_order.push({w.id, w.dispatch, false}, now + 1);
    unit_.launch.push(w, launched_);
    live_.push_back(w);
  }
  active.waves += count;
  ++active.next_group;
  ++next_key_;
  return true;
}

bool UserSpi::place_wave(WaveLaunch& w) {
  for (unsigned s = kSimds; s-- > 0;) {
    Simd& simd = simds_[s];
    unsigned slot = kSlots;
    while (slot != 0 && (simd.slots >> (slot - 1) & 1) != 0) --slot;
    if (slot == 0) continue;
    uint32_t vgprs = 0, acc = 0, sgprs = 0;
    if (!simd.vgprs.allocate(w.vgpr_count, vgprs)) continue;
    if (!simd.acc.allocate(w.acc_count, acc)) {
      simd.vgprs.free(vgprs);
      continue;
    }
    if (!simd.sgprs.allocate(w.sgpr_count, sgprs)) {
      simd.vgprs.free(vgprs);
      simd.acc.free(acc);
      continue;
    }
    simd.slots |= 1u << (slot - 1);
    w.simd = static_cast<uint8_t>(s);
    w.slot = static_cast<uint8_t>(slot - 1);
    w.vgpr_base = static_cast<uint16_t>(vgprs);
    w.acc_base = static_cast<uint16_t>(acc);
    w.sgpr_base = static_cast<uint16_t>(sgprs);
    return true;
  }
  return false;
}

void UserSpi::release(const WaveLaunch& w) {
  Simd& simd = simds_[w.simd];
  simd.slots &= ~(1u << w.slot);
  simd.vgprs.free(w.vgpr_base);
  simd.acc.free(w.acc_base);
  simd.sgprs.free(w.sgpr_base);
  const auto group = std::find_if(groups_.begin(), groups_.end(),
                                  [&w](const Group& g) { return g.key == w.workgroup; });
  if (--group->waves != 0) return;
  if (w.lds_bytes != 0) lds_.free(group->lds_base);
  groups_.erase(group);
}

void UserSpi::finish(Cycle now) {
  for (auto it = active_.begin(); it != active_.end();) {
    Active& active = **it;
    const bool starts = !active.over && active.next_group < active.plan.workgroups();
    if (starts || active.waves != 0 || !dispatch_done.can_push(now)) {
      ++it;
      continue;
    }
    dispatch_done.push(active.done, now + 1);
    it = active_.erase(it);
  }
}

#ifndef USER_SPI_OVERLAPS
#define USER_SPI_OVERLAPS 0
#endif

extern "C" __attribute__((visibility("default"))) const cuvette_dut_table* cuvette_dut(void) {
  return cuvette::ip::dut::core_table<cuvette::spi::Spi>(
      "spi", "user_spi", cuvette::spi::kChannels, 1, []() -> std::unique_ptr<cuvette::spi::Spi> {
        return std::make_unique<UserSpi>(USER_SPI_OVERLAPS != 0);
      });
}
