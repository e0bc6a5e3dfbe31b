// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/kit_blocks.h"

#include <algorithm>

#include <fmt/format.h>

#include "ip/lds/lds_lockstep.h"
#include "run/chosen_device.h"

namespace cuvette::run {

KitBlocks::Block& KitBlocks::entry(const std::string& name, const std::string& device) {
  const auto found = std::ranges::find(blocks_, name, &Block::name);
  if (found != blocks_.end()) return *found;
  return blocks_.emplace_back(Block{name, device, {}});
}

base::Status KitBlocks::add_to(const machine::Description& description, gpu::Registries& registries,
                               const std::function<void()>& on_mismatch) {
  const auto stop = [on_mismatch](const ip::BlockMismatch&) { on_mismatch(); };
  // The beats of the RTL take time that the model does not have (docs/lds.md).
  const auto options = lockstep_options<ip::LockstepOptions>(description, "lds", true);
  if (options.timing.kind == machine::TimingRule::Kind::Exact) {
    return description.error("implementations.lds",
                             "block lds: no exact timing, expected bounded(min,max) or ignore");
  }
  ip::register_lds(lds_, stop, options);
  const auto chosen = chosen_device(description, "lds", [](const std::string& path) {
    return ip::DutLibrary::load(path, "lds", ip::dut_channels(lds::kChannels));
  });
  if (!chosen) return chosen.error();
  std::string device;
  if (chosen->library != nullptr) {
    ip::register_lds_dut(lds_, chosen->name, chosen->library, stop, options);
    device = kDevice + chosen->name;
  }
  for (const auto& name : lds_.names()) {
    registries.lds.add(name, [this, name, device](const lds::Config& config) {
      auto block = lds_.make(name, config);
      if (block != nullptr) {
        entry("lds", device).objects.push_back(&static_cast<ip::LdsLockstep&>(*block).kit());
      }
      return block;
    });
  }
  return {};
}

std::vector<ip::LockstepView*> KitBlocks::objects() const {
  std::vector<ip::LockstepView*> all;
  for (const Block& b : blocks_) all.insert(all.end(), b.objects.begin(), b.objects.end());
  return all;
}

void KitBlocks::report(EngineReport& report) const {
  for (const Block& b : blocks_) {
    if (!report.lockstep_scope.empty()) report.lockstep_scope += "; ";
    report.lockstep_scope += b.objects.size() == 1
                                 ? b.objects.front()->place().text
                                 : fmt::format("{} in {} places", b.name, b.objects.size());
    if (!b.device.empty()) report.lockstep_scope += ", " + b.device;
    for (const ip::LockstepView* l : b.objects) {
      for (const auto& [name, count] : l->items()) report.lockstep_items[name] += count;
      if (l->mismatch()) ++report.lockstep_mismatches;
    }
  }
}

void KitBlocks::conclude(EngineReport& report) const {
  for (const Block& b : blocks_) {
    uint64_t seen = 0, compared = 0;
    for (ip::LockstepView* l : b.objects) {
      const bool told = l->mismatch().has_value();
      l->conclude();
      seen += l->seen();
      compared += l->compared();
      if (!told && l->mismatch()) report.failures.push_back("lockstep: " + l->mismatch()->report);
    }
    if (compared != 0) continue;
    report.failures.push_back(
        "lockstep compared nothing: " +
        (seen == 0 ? fmt::format("no kernel used the block {}", b.name)
                   : fmt::format("none of the {} messages of block {} is in the sample of 1/{}",
                                 seen, b.name, b.objects.front()->options().share)));
  }
}

}  // namespace cuvette::run
