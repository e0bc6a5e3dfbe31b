// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A quantum of domains, and what passes between them at its end.
#include <algorithm>
#include <iterator>
#include <utility>

#include "compute_unit/code_store.h"
#include "gpu/chip.h"
#include "gpu/configs.h"

namespace cuvette::gpu {

using machine::Cycle;

namespace {

/// Fewer domains are not worth waking a thread for.
constexpr size_t kWorthwhile = 4;

}  // namespace

void Chip::start_pool(unsigned threads) {
  const auto of_others = [this](const char* block) {
    return implementation(description_, block) != "tlm";
  };
  for (unsigned i = 0; i < units_.size(); ++i) {
    bool& foreign = units_[i]->foreign;
    foreign = of_others("compute_unit") ||
              cache_implementation(description_, cache::Role::VectorL1, i) != "tlm";
    for (const char* block : {"simd", "valu", "vrf", "matrix_core", "lds"}) {
      foreign = foreign || (of_others(block) && (i == 0 || !in_one_place(description_, block)));
    }
  }
  threads = std::min(threads, compute_units());
  if (threads > 1) pool_ = std::make_unique<DomainPool>(threads, domains());
}

void Chip::run_domain(unsigned domain, Cycle end) {
  domains_[domain]->run(end);
}

/// Domain 0 stays with the calling thread, as its memory and queues may be the simulation's. Page
/// tables are read from memory as they are walked: nothing may write to it meanwhile, and one
/// domain after the other is the order that they are seen in.
void Chip::run(const std::vector<unsigned>& domains, Cycle end) {
  if (pool_ != nullptr && domains.size() >= kWorthwhile && space_->stays()) {
    here_.clear();
    anywhere_.clear();
    for (const unsigned d : domains) {
      const bool stays = d == 0 || units_[d - 1]->foreign;
      (stays ? here_ : anywhere_).push_back(d);
    }
    pool_->run(here_, anywhere_, [this, end](unsigned d) { run_domain(d, end); });
    for (const unsigned d : domains) take_from(d);
  } else {
    // Messages just sent are still in the host's caches, and may be with the others early.
    for (const unsigned d : domains) {
      run_domain(d, end);
      take_from(d);
    }
  }
  for (const unsigned unit : fed_) give_to(unit);
  fed_.clear();
  code_->publish();
}

/// In the order of domains: what one thread does and what several do comes out in one order.
void Chip::take_from(unsigned domain) {
  if (domain == 0) return;
  const unsigned index = domain - 1;
  Unit& u = *units_[index];
  if (const uint8_t links = std::exchange(u.sends, uint8_t{0}); links != 0) {
    const auto pass = [this, links](Link link, auto& near, auto& far, unsigned core) {
      if ((links & link) == 0) return;
      const Cycle first = near.next_event();
      far.take_all(near);
      wake(0, core, first);
    };
    pass(kScalar, u.scalar.request, u.far_scalar->request, scalar_core_[u.scalar_cache]);
    pass(kInstruction, u.instruction.request, u.far_instruction->request,
         instruction_core_[u.instruction_cache]);
    if ((links & kGds) != 0) {
      pass(kGds, u.core->gds.request, gds_->compute_unit(index).request, gds_core_);
    }
    if ((links & kWaves) != 0) {
      pass(kWaves, u.waves.done, spi_->compute_unit(index).done, spi_core_);
      u.done_seen = 0;
    }
    pass(kFence, u.near_fence->response, u.fence.response, processor_core_);
    if ((links & kVector) != 0) {
      const Cycle sent = u.down.request.next_event();
      crossbar_->source(index).request.take_all(u.down.request);
      wake(0, crossbar_core_, crossbar_->notice(index, sent));
    }
  }
  if (!std::exchange(u.tells, false)) return;
  std::move(u.errors.begin(), u.errors.end(), std::back_inserter(wave_errors_));
  u.errors.clear();
  std::move(u.interrupts.begin(), u.interrupts.end(), std::back_inserter(interrupts_));
  u.interrupts.clear();
  for (const auto& tell : u.told) tell();
  u.told.clear();
}

void Chip::give_to(unsigned index) {
  Unit& u = *units_[index];
  const uint8_t links = std::exchange(fed_links_[index], uint8_t{0});
  const auto pass = [this, index](auto& near, auto& far, unsigned core) {
    const Cycle first = near.next_event();
    far.take_all(near);
    wake(index + 1, core, first);
  };
  if ((links & kScalar) != 0) pass(u.far_scalar->response, u.scalar.response, u.core_number);
  if ((links & kInstruction) != 0) {
    pass(u.far_instruction->response, u.instruction.response, u.core_number);
  }
  if ((links & kVector) != 0) {
    pass(crossbar_->source(index).response, u.down.response, u.l1_number);
  }
  if ((links & kWaves) != 0) {
    auto& waves = spi_->compute_unit(index);
    pass(waves.launch, u.waves.launch, u.core_number);
    pass(waves.command, u.waves.command, u.core_number);
  }
  if ((links & kGds) != 0) {
    gds::Port& gds = gds_->compute_unit(index);
    pass(gds.taken, u.core->gds.taken, u.core_number);
    pass(gds.response, u.core->gds.response, u.core_number);
  }
  if ((links & kFence) != 0) pass(u.fence.request, u.near_fence->request, u.l1_number);
}

uint64_t Chip::sent(unsigned domain) const {
  if (domain != 0) {
    Unit& u = *units_[domain - 1];
    return u.scalar.request.size() + u.instruction.request.size() + u.core->gds.request.size() +
           u.waves.done.size() + u.near_fence->response.size() + u.down.request.size();
  }
  uint64_t all = 0;
  for (unsigned i = 0; i < units_.size(); ++i) {
    Unit& u = *units_[i];
    auto& waves = spi_->compute_unit(i);
    gds::Port& gds = gds_->compute_unit(i);
    all += u.far_scalar->response.size() + u.far_instruction->response.size() +
           crossbar_->source(i).response.size() + waves.launch.size() + waves.command.size() +
           gds.taken.size() + gds.response.size() + u.fence.request.size();
  }
  return all;
}

void Chip::observe(const compute_unit::ComputeUnit::Observer& observer) {
  for (const auto& unit : units_) {
    if (pool_ == nullptr || !observer) {
      unit->core->observe(observer);
      continue;
    }
    unit->core->observe([u = unit.get(), observer](const wave::RetireRecord& record) {
      u->tells = true;
      u->told.emplace_back([observer, record] { observer(record); });
    });
  }
}

bool Chip::watch(const Watcher& watcher) {
  bool all = true;
  for (unsigned i = 0; i < units_.size(); ++i) {
    Unit* u = units_[i].get();
    const bool direct = pool_ == nullptr;
    const bool can = u->core->watch([u, i, watcher, direct](const compute_unit::Activity& a) {
      if (direct) return watcher(i, a);
      u->tells = true;
      if (a.instruction == nullptr) {
        u->told.emplace_back([watcher, i, a] { watcher(i, a); });
        return;
      }
      // The instruction is there during the call only.
      u->told.emplace_back([watcher, i, copy = a, instruction = *a.instruction]() mutable {
        copy.instruction = &instruction;
        watcher(i, copy);
      });
    });
    all = all && can;
  }
  return all;
}

bool Chip::watch_residency(const compute_unit::ComputeUnit::ResidencyWatcher& watcher) {
  bool all = true;
  for (const auto& unit : units_) {
    Unit* u = unit.get();
    const bool direct = pool_ == nullptr;
    const bool can =
        u->core->watch_residency([u, watcher, direct](const compute_unit::ResidencyCycles& r) {
          if (direct) return watcher(r);
          u->tells = true;
          u->told.emplace_back([watcher, r] { watcher(r); });
        });
    all = all && can;
  }
  return all;
}

bool Chip::watch_vector_caches(const CacheWatcher& watcher) {
  bool all = true;
  for (unsigned i = 0; i < units_.size(); ++i) {
    Unit* u = units_[i].get();
    const bool direct = pool_ == nullptr;
    const bool can = u->l1->watch([u, i, watcher, direct](const cache::Cache::Event& e) {
      if (direct) return watcher(i, e);
      u->tells = true;
      u->told.emplace_back([watcher, i, e] { watcher(i, e); });
    });
    all = all && can;
  }
  return all;
}

}  // namespace cuvette::gpu
