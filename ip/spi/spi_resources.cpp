// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/spi/spi_resources.h"

#include <algorithm>

#include "isa/target.h"
#include "spi/spi_model.h"

namespace cuvette::ip {

using spi::WaveLaunch;

namespace {

uint32_t rounded(uint32_t amount, uint32_t granule) {
  return (amount + granule - 1) / granule * granule;
}
/// [a, a + n) and [b, b + m) in whole granules.
bool overlap(uint32_t a, uint32_t n, uint32_t b, uint32_t m, uint32_t granule) {
  return n != 0 && m != 0 && a < b + rounded(m, granule) && b < a + rounded(n, granule);
}
std::string range(uint32_t base, uint32_t count) {
  return std::to_string(base) + " to " + std::to_string(uint64_t{base} + count - 1);
}
std::string place(const WaveLaunch& w) {
  return "SIMD " + std::to_string(w.simd) + " slot " + std::to_string(w.slot);
}

}  // namespace

/// With one register file both kinds lie side by side in one range.
uint32_t UnitResources::vgprs_of(const WaveLaunch& w) const {
  return isa::unified_vgprs(config_->target) ? uint32_t{w.vgpr_count} + w.acc_count : w.vgpr_count;
}

UnitResources::Wrong UnitResources::check_range(const char* rule, const char* what, uint32_t base,
                                                uint32_t count, uint32_t granule,
                                                uint32_t size) const {
  if (count == 0) return {};
  if (base % granule != 0) {
    return {rule, std::string(what) + " from " + std::to_string(base) +
                      " on, expected a multiple of " + std::to_string(granule)};
  }
  if (uint64_t{base} + rounded(count, granule) > size) {
    return {rule, std::string(what) + " " + range(base, rounded(count, granule)) + ", of " +
                      std::to_string(size)};
  }
  return {};
}

UnitResources::Wrong UnitResources::take(const WaveLaunch& w, uint64_t group) {
  const spi::Config& c = *config_;
  if (w.simd >= c.simds || w.slot >= c.slots) {
    return {"slot", place(w) + ", expected below " + std::to_string(c.simds) + " and " +
                        std::to_string(c.slots)};
  }
  const bool unified = isa::unified_vgprs(c.target);
  const uint32_t vgprs = vgprs_of(w);
  if (unified && w.acc_count != 0 && w.acc_base != w.vgpr_base + w.vgpr_count) {
    return {"accvgprs", "first row " + std::to_string(w.acc_base) + ", expected " +
                            std::to_string(w.vgpr_base + w.vgpr_count) + ", behind the VGPRs"};
  }
  struct Kind {
    const char* rule;
    const char* what;
    uint32_t base, count, granule, size;
  };
  const Kind kinds[] = {
      {"vgprs", "rows", w.vgpr_base, vgprs, c.vgpr_granule, c.vgpr_rows},
      {"accvgprs", "rows", w.acc_base, unified ? 0u : w.acc_count, c.vgpr_granule, c.acc_rows},
      {"sgprs", "SGPRs", w.sgpr_base, w.sgpr_count, spi::kSgprGranule, c.sgprs_per_simd},
      {"lds", "bytes", w.lds_base, w.lds_bytes, c.lds_granule, c.lds_bytes},
  };
  for (const Kind& k : kinds) {
    if (auto wrong = check_range(k.rule, k.what, k.base, k.count, k.granule, k.size);
        !wrong.rule.empty()) {
      return wrong;
    }
  }
  for (const Wave& other : waves_) {
    const WaveLaunch& o = other.launch;
    if (o.simd != w.simd) continue;
    const std::string whose = " of " + place(o);
    if (o.slot == w.slot) return {"slot", place(w) + " has a wave"};
    const auto taken = [&](const char* what, uint32_t base, uint32_t count) {
      return std::string(what) + " " + range(base, count) + ", which overlap those" + whose;
    };
    if (overlap(w.vgpr_base, vgprs, o.vgpr_base, vgprs_of(o), c.vgpr_granule)) {
      return {"vgprs", taken("rows", w.vgpr_base, vgprs)};
    }
    if (!unified && overlap(w.acc_base, w.acc_count, o.acc_base, o.acc_count, c.vgpr_granule)) {
      return {"accvgprs", taken("rows", w.acc_base, w.acc_count)};
    }
    if (overlap(w.sgpr_base, w.sgpr_count, o.sgpr_base, o.sgpr_count, spi::kSgprGranule)) {
      return {"sgprs", taken("SGPRs", w.sgpr_base, w.sgpr_count)};
    }
  }
  if (auto wrong = check_group(w, group); !wrong.rule.empty()) return wrong;
  waves_.push_back({w, group});
  return {};
}

UnitResources::Wrong UnitResources::check_group(const WaveLaunch& w, uint64_t group) const {
  for (const Wave& other : waves_) {
    const WaveLaunch& o = other.launch;
    const bool same = o.dispatch == w.dispatch && other.group == group;
    if (same && o.lds_base != w.lds_base) {
      return {"lds", "from " + std::to_string(w.lds_base) +
                         " on, other waves of the work-group from " + std::to_string(o.lds_base) +
                         " on"};
    }
    if (same && o.workgroup != w.workgroup) {
      return {"key", std::to_string(w.workgroup) + ", other waves of the work-group have " +
                         std::to_string(o.workgroup)};
    }
    if (same) continue;
    if (o.workgroup == w.workgroup) {
      return {"key", std::to_string(w.workgroup) + ", which another work-group has"};
    }
    if (overlap(w.lds_base, w.lds_bytes, o.lds_base, o.lds_bytes, config_->lds_granule)) {
      return {"lds", "bytes " + range(w.lds_base, w.lds_bytes) + ", which overlap bytes " +
                         range(o.lds_base, o.lds_bytes) + " of work-group " +
                         std::to_string(other.group) + " of dispatch " +
                         std::to_string(o.dispatch)};
    }
  }
  return {};
}

bool UnitResources::give(uint64_t id) {
  const auto found =
      std::find_if(waves_.begin(), waves_.end(), [id](const Wave& w) { return w.launch.id == id; });
  if (found == waves_.end()) return false;
  waves_.erase(found);
  return true;
}

const UnitResources::Wave* UnitResources::find(uint64_t id) const {
  const auto found =
      std::find_if(waves_.begin(), waves_.end(), [id](const Wave& w) { return w.launch.id == id; });
  return found == waves_.end() ? nullptr : &*found;
}

bool fits(const spi::DispatchPlan& plan, const spi::Config& c) {
  if (rounded(plan.dispatch.group_bytes, c.lds_granule) > c.lds_bytes) return false;
  const bool unified = isa::unified_vgprs(c.target);
  const uint32_t vgprs = unified ? uint32_t{plan.vgpr_rows} + plan.acc_rows : plan.vgpr_rows;
  const auto of = [](uint32_t size, uint32_t amount, uint32_t granule) {
    return amount == 0 ? ~0u : size / rounded(amount, granule);
  };
  uint32_t waves = std::min<uint32_t>(c.slots, of(c.vgpr_rows, vgprs, c.vgpr_granule));
  if (!unified) waves = std::min(waves, of(c.acc_rows, plan.acc_rows, c.vgpr_granule));
  waves = std::min(waves, of(c.sgprs_per_simd, plan.sgprs, spi::kSgprGranule));
  return waves * c.simds >= plan.waves_per_group;
}

}  // namespace cuvette::ip
