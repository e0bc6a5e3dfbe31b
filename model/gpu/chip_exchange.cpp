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
  const auto others_cache = [this](cache::Role role, unsigned index) {
    return cache_implementation(description_, role, index) != "tlm";
  };
  for (unsigned i = 0; i < units_.size(); ++i) {
    bool& foreign = clusters_[units_[i]->cluster].foreign;
    foreign = foreign || of_others("compute_unit") || others_cache(cache::Role::VectorL1, i) ||
              others_cache(cache::Role::Scalar, i / description_.scalar_cache.shared_by) ||
              others_cache(cache::Role::Instruction, i / description_.instruction_cache.shared_by);
    for (const char* block : {"simd", "valu", "vrf", "matrix_core", "lds"}) {
      foreign = foreign || (of_others(block) && (i == 0 || !in_one_place(description_, block)));
    }
  }
  threads = std::min(threads, static_cast<unsigned>(clusters_.size()));
  if (threads > 1) pool_ = std::make_unique<base::ThreadPool>(threads, domains());
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
      const bool stays = d == 0 || clusters_[d - 1].foreign;
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
  for (const unsigned unit : fed_units_.list) give_to_unit(unit);
  for (const unsigned source : fed_caches_.list) give_to_cache(source);
  fed_units_.list.clear();
  fed_caches_.list.clear();
  code_->publish();
}

/// In the order of domains: what one thread does and what several do comes out in one order.
void Chip::take_from(unsigned domain) {
  if (domain == 0) return;
  Cluster& c = clusters_[domain - 1];
  for (const unsigned unit : c.sending_units.list) take_from_unit(unit);
  for (const unsigned source : c.sending_caches.list) take_from_cache(source);
  c.sending_units.list.clear();
  c.sending_caches.list.clear();
  if (!std::exchange(c.tells, false)) return;
  std::move(c.errors.begin(), c.errors.end(), std::back_inserter(wave_errors_));
  c.errors.clear();
  std::move(c.interrupts.begin(), c.interrupts.end(), std::back_inserter(interrupts_));
  c.interrupts.clear();
  for (const auto& tell : c.told) tell();
  c.told.clear();
}

template <class Message>
void Chip::pass(machine::Channel<Message>& near, machine::Channel<Message>& far, unsigned domain,
                unsigned core) {
  const Cycle first = near.next_event();
  far.take_all(near);
  wake(domain, core, first);
}

void Chip::take_from_unit(unsigned index) {
  Unit& u = *units_[index];
  const uint8_t links = std::exchange(u.sends, uint8_t{0});
  if ((links & kGds) != 0) {
    pass(u.core->gds.request, gds_->compute_unit(index).request, 0, gds_core_);
  }
  if ((links & kWaves) != 0) {
    pass(u.waves.done, spi_->compute_unit(index).done, 0, spi_core_);
    u.done_seen = 0;
  }
}

void Chip::take_from_cache(unsigned source) {
  FirstLevel& c = *first_level_[source];
  const uint8_t links = std::exchange(c.sends, uint8_t{0});
  if ((links & kFence) != 0) pass(c.near_fence->response, c.fence.response, 0, processor_core_);
  if ((links & kDown) != 0) {
    const Cycle sent = c.down.request.next_event();
    crossbar_->source(source).request.take_all(c.down.request);
    wake(0, crossbar_core_, crossbar_->notice(source, sent));
  }
}

void Chip::give_to_unit(unsigned index) {
  Unit& u = *units_[index];
  const unsigned domain = u.cluster + 1;
  const uint8_t links = std::exchange(u.fed, uint8_t{0});
  if ((links & kWaves) != 0) {
    auto& waves = spi_->compute_unit(index);
    pass(waves.launch, u.waves.launch, domain, u.number);
    pass(waves.command, u.waves.command, domain, u.number);
  }
  if ((links & kGds) != 0) {
    gds::Port& gds = gds_->compute_unit(index);
    pass(gds.taken, u.core->gds.taken, domain, u.number);
    pass(gds.response, u.core->gds.response, domain, u.number);
  }
}

void Chip::give_to_cache(unsigned source) {
  FirstLevel& c = *first_level_[source];
  const unsigned domain = c.cluster + 1;
  const uint8_t links = std::exchange(c.fed, uint8_t{0});
  if ((links & kDown) != 0) {
    pass(crossbar_->source(source).response, c.down.response, domain, c.number);
  }
  if ((links & kFence) != 0) pass(c.fence.request, c.near_fence->request, domain, c.number);
}

uint64_t Chip::sent(unsigned domain) const {
  uint64_t all = 0;
  if (domain != 0) {
    const Cluster& cluster = clusters_[domain - 1];
    for (const unsigned i : cluster.units) {
      const Unit& u = *units_[i];
      all += u.core->gds.request.size() + u.waves.done.size();
    }
    for (const unsigned i : cluster.caches) {
      const FirstLevel& c = *first_level_[i];
      all += c.near_fence->response.size() + c.down.request.size();
    }
    return all;
  }
  for (unsigned i = 0; i < units_.size(); ++i) {
    auto& waves = spi_->compute_unit(i);
    gds::Port& gds = gds_->compute_unit(i);
    all += waves.launch.size() + waves.command.size() + gds.taken.size() + gds.response.size();
  }
  for (unsigned i = 0; i < first_level_.size(); ++i) {
    all += crossbar_->source(i).response.size() + first_level_[i]->fence.request.size();
  }
  return all;
}

void Chip::observe(const compute_unit::ComputeUnit::Observer& observer) {
  for (const auto& unit : units_) {
    if (pool_ == nullptr || !observer) {
      unit->core->observe(observer);
      continue;
    }
    Cluster& cluster = clusters_[unit->cluster];
    unit->core->observe([&cluster, observer](const wave::RetireRecord& record) {
      cluster.tell([observer, record] { observer(record); });
    });
  }
}

bool Chip::watch(const Watcher& watcher) {
  bool all = true;
  for (unsigned i = 0; i < units_.size(); ++i) {
    const Unit& u = *units_[i];
    Cluster& cluster = clusters_[u.cluster];
    const bool direct = pool_ == nullptr;
    const bool can = u.core->watch([&cluster, i, watcher, direct](const compute_unit::Activity& a) {
      if (direct) return watcher(i, a);
      if (a.instruction == nullptr) return cluster.tell([watcher, i, a] { watcher(i, a); });
      // The instruction is there during the call only.
      cluster.tell([watcher, i, copy = a, instruction = *a.instruction]() mutable {
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
    Cluster& cluster = clusters_[unit->cluster];
    const bool direct = pool_ == nullptr;
    const bool can = unit->core->watch_residency(
        [&cluster, watcher, direct](const compute_unit::ResidencyCycles& r) {
          if (direct) return watcher(r);
          cluster.tell([watcher, r] { watcher(r); });
        });
    all = all && can;
  }
  return all;
}

bool Chip::watch_first_level(const CacheWatcher& watcher) {
  bool all = true;
  const auto level = [&](cache::Role role, auto& caches, unsigned first_source) {
    for (unsigned i = 0; i < caches.size(); ++i) {
      Cluster& cluster = clusters_[first_level_[first_source + i]->cluster];
      const bool direct = pool_ == nullptr;
      const bool can =
          caches[i]->watch([&cluster, role, i, watcher, direct](const cache::Cache::Event& e) {
            if (direct) return watcher(role, i, e);
            cluster.tell([watcher, role, i, e] { watcher(role, i, e); });
          });
      all = all && can;
    }
  };
  level(cache::Role::VectorL1, vector_l1_, 0);
  level(cache::Role::Scalar, scalar_, compute_units());
  level(cache::Role::Instruction, instruction_, compute_units() + scalar_caches());
  return all;
}

}  // namespace cuvette::gpu
