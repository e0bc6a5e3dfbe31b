// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Connections between cores, and the cores that a tick may have given something to do. A message
// that crosses a border of domains stays at the near end of its link until the end of the quantum.
#include <algorithm>
#include <numeric>

#include "gpu/chip.h"
#include "gpu/link.h"

namespace cuvette::gpu {

using machine::Cycle;
using Port = cache::Cache::Port;

void Chip::wire() {
  crossbar_->rely_on_notices();
  wire_clusters();
  wire_front_end();
  wire_gds();
  wire_l2();

  std::vector<Port*> near_fences, far_fences;
  for (auto& cache : first_level_) near_fences.push_back(&cache->fence);
  for (const auto& slice : l2_) far_fences.push_back(&slice->up(1));
  Port& of_processor = crossbar_->source(crossbar_->sources() - 1);
  processor_->connect(*spi_, of_processor, near_fences, far_fences);
}

/// Compute units that share a cache are in one cluster, whichever cache it is.
void Chip::wire_clusters() {
  const unsigned n = compute_units();
  const unsigned by_scalar = description_.scalar_cache.shared_by;
  const unsigned by_instruction = description_.instruction_cache.shared_by;
  const uint64_t width = std::lcm(uint64_t{by_scalar}, uint64_t{by_instruction});
  const auto cluster = [width](unsigned unit) { return static_cast<unsigned>(unit / width); };
  clusters_.resize(cluster(n - 1) + 1);
  for (unsigned i = 0; i < clusters_.size() + 1; ++i) {
    domains_.push_back(std::make_unique<Domain>());
  }
  for (unsigned i = 0; i < n; ++i) units_[i]->cluster = cluster(i);
  // In the order of their sources at the crossbar, and of the ports of a compute unit.
  const auto level = [this](auto& caches, unsigned shared_by, Cycle way) {
    for (unsigned k = 0; k < caches.size(); ++k) {
      wire_first_level(static_cast<unsigned>(first_level_.size()), *caches[k], k * shared_by,
                       shared_by, way);
    }
  };
  level(vector_l1_, 1, 0);
  level(scalar_, by_scalar, description_.links.cluster_cycles);
  level(instruction_, by_instruction, description_.links.cluster_cycles);
  for (unsigned i = 0; i < n; ++i) wire_compute_unit(i);
}

/// A first-level cache below the compute units that share it, the vector L1 of one of them.
void Chip::wire_first_level(unsigned source, cache::Cache& core, unsigned first_unit,
                            unsigned units, Cycle way) {
  first_level_.push_back(std::make_unique<FirstLevel>());
  FirstLevel& cache = *first_level_.back();
  cache.cluster = units_[first_unit]->cluster;
  cache.near_fence = &core.up(core.up_ports() - 1);
  core.connect(cache.down);
  cache.near_fence->response.travel(description_.links.front_end_cycles);
  std::vector<std::pair<Port*, Unit*>> above;
  for (unsigned i = 0; i < units && first_unit + i < compute_units(); ++i) {
    Port& port = core.up(i);
    port.request.travel(way);
    port.response.travel(way);
    above.emplace_back(&port, units_[first_unit + i].get());
    above.back().second->caches.emplace_back(&port, &cache);
  }
  Domain& domain = domain_of(cache.cluster);
  Cluster& cluster = clusters_[cache.cluster];
  cluster.caches.push_back(source);
  cache.number = domain.add(core, [=, &cache, &cluster, &domain](Cycle) {
    for (const auto& [port, unit] : above) {
      domain.arrive(unit->number, port->response.next_event());
    }
    const auto sends = [&](Link link) {
      cluster.sending_caches.add(source, cache, &FirstLevel::sends, link);
    };
    if (!cache.down.request.empty()) sends(kDown);
    if (!cache.near_fence->response.empty()) sends(kFence);
  });
}

void Chip::wire_compute_unit(unsigned index) {
  Unit& unit = *units_[index];
  Domain& domain = domain_of(unit.cluster);
  Cluster& cluster = clusters_[unit.cluster];
  cluster.units.push_back(index);
  const Cycle way = description_.links.front_end_cycles;
  unit.core->gds.request.travel(way);
  unit.waves.done.travel(way);
  const auto& above = unit.caches;
  unit.core->connect(unit.waves, *above[0].first, *above[1].first, *above[2].first);
  unit.number = domain.add(*unit.core, [=, &unit, &cluster, &domain](Cycle now) {
    for (const auto& [port, cache] : unit.caches) {
      domain.notice(cache->number, port->request.next_event());
    }
    const auto sends = [&](Link link) {
      cluster.sending_units.add(index, unit, &Unit::sends, link);
    };
    if (!unit.core->gds.request.empty()) sends(kGds);
    const auto& done = unit.waves.done;
    if (!done.empty()) sends(kWaves);
    for (; unit.done_seen < done.size(); ++unit.done_seen) {
      const spi::WaveDone& wave = done.peek(unit.done_seen);
      if (!wave.error) continue;
      cluster.errors.push_back({now, index, wave});
      cluster.tells = true;
    }
    while (!unit.core->messages.empty()) {
      const Cycle sent = unit.core->messages.next_event();
      const auto message = unit.core->messages.pop(sent);
      cluster.interrupts.push_back(
          {sent + way, {command_processor::kWaveMessage | message.message, index, message.m0}});
      cluster.tells = true;
    }
  });
}

void Chip::wire_l2() {
  for (unsigned k = 0; k < l2_.size(); ++k) {
    cache::Cache& c = *l2_[k];
    memory_ports_.push_back(std::make_unique<Port>());
    Port& down = *memory_ports_.back();
    c.connect(down);
    Port& near = c.up(0);
    Port& fence = c.up(1);
    memory_ends_.push_back(&memory_->port(k));
    l2_core_.push_back(domains_[0]->add(c, [=, this, &near, &fence, &down](Cycle) {
      if (!near.response.empty()) {
        const Cycle answered = near.response.next_event();
        crossbar_->slice(k).response.take_all(near.response);
        notice_here(crossbar_core_, answered);
      }
      notice_here(processor_core_, fence.response.next_event());
      wake_here(memory_core_, carry(down.request, memory_ends_[k]->request, 0));
    }));
  }
  crossbar_core_ = domains_[0]->add(*crossbar_, [this](Cycle now) { after_crossbar(now); });
  memory_core_ = domains_[0]->add(*memory_, [this](Cycle) {
    for (unsigned k = 0; k < l2_.size(); ++k) {
      wake_here(l2_core_[k], carry(memory_ends_[k]->response, memory_ports_[k]->response, 0));
    }
  });
}

void Chip::after_crossbar(Cycle now) {
  crossbar_->take_sent(fed_slices_, fed_sources_);
  for (const unsigned k : fed_slices_) {
    auto& requests = crossbar_->slice(k).request;
    if (!requests.empty()) {
      const Cycle first = std::max(requests.next_event(), now + 1);
      l2_[k]->up(0).request.take_all(requests);
      wake_here(l2_core_[k], first);
    }
    auto& stores = crossbar_->aperture_store(k);
    for (; !stores.empty(); stores.drop(stores.next_event())) {
      const Cycle sent = stores.next_event();
      const memory::MemReq& store = *stores.front(sent);
      DoorbellAperture of_store;  // which may have moved since
      of_store.place(true, store.address / DoorbellAperture::kBytes * DoorbellAperture::kBytes);
      for (const auto& ring : of_store.rung(store.address, store.data.data(), store.byte_mask)) {
        wave_rings_.push_back({sent - 1 + description_.links.front_end_cycles, ring});
      }
    }
  }
  for (const unsigned s : fed_sources_) {
    const Cycle first = crossbar_->source(s).response.next_event();
    if (first == machine::kNever) continue;
    if (s < first_level_.size()) {
      feed_cache(s, kDown);
    } else {
      wake_here(processor_core_, std::max(first, now + 1));
    }
  }
}

void Chip::wire_front_end() {
  for (unsigned i = 0; i < compute_units(); ++i) {
    spi_->compute_unit(i).launch.travel(description_.links.front_end_cycles);
    spi_->compute_unit(i).command.travel(description_.links.front_end_cycles);
  }
  for (auto& cache : first_level_) {
    cache->fence.request.travel(description_.links.front_end_cycles);
  }
  spi_core_ = domains_[0]->add(*spi_, [this](Cycle) {
    spi_->take_sent(sent_);
    for (const unsigned i : sent_) feed_unit(i, kWaves);
    notice_here(processor_core_,
                std::min(spi_->saved.next_event(), spi_->dispatch_done.next_event()));
    const Cycle order = carry(spi_->wave_order, gds_->waves, 0);
    if (gds_->wants_waves()) notice_here(gds_core_, order);
  });
  processor_core_ = domains_[0]->add(*processor_, [this](Cycle now) { after_processor(now); });
}

void Chip::wire_gds() {
  for (unsigned i = 0; i < compute_units(); ++i) {
    gds_->compute_unit(i).taken.travel(description_.links.front_end_cycles);
    gds_->compute_unit(i).response.travel(description_.links.front_end_cycles);
  }
  gds_core_ = domains_[0]->add(*gds_, [this](Cycle) {
    for (unsigned i = 0; i < compute_units(); ++i) {
      const gds::Port& port = gds_->compute_unit(i);
      if (!port.taken.empty() || !port.response.empty()) feed_unit(i, kGds);
    }
  });
}

void Chip::after_processor(Cycle now) {
  for (unsigned i = 0; i < first_level_.size(); ++i) {
    if (!first_level_[i]->fence.request.empty()) feed_cache(i, kFence);
  }
  for (unsigned k = 0; k < l2_.size(); ++k) {
    notice_here(l2_core_[k], l2_[k]->up(1).request.next_event());
  }
  send_down(crossbar_->sources() - 1, now);
  notice_here(spi_core_, std::min({spi_->dispatch.next_event(), spi_->cancel.next_event(),
                                   spi_->save.next_event(), spi_->restore.next_event()}));
  while (!processor_->interrupt.empty()) {
    const Cycle sent = processor_->interrupt.next_event();
    interrupts_.push_back({sent, processor_->interrupt.pop(sent)});
  }
  // A message that the host side sees at t was sent a link earlier, which is at least the
  // lookahead: every core has run that far, whatever the order of domains.
  const Cycle way = description_.links.front_end_cycles;
  while (!processor_->queue_status.empty()) {
    const Cycle sent = processor_->queue_status.next_event();
    queue_statuses_.push_back({sent + way, processor_->queue_status.pop(sent)});
  }
  while (!processor_->agent_dispatch.empty()) {
    const Cycle sent = processor_->agent_dispatch.next_event();
    agent_dispatches_.push_back({sent + way, processor_->agent_dispatch.pop(sent)});
  }
  while (!processor_->register_access.empty()) {
    const Cycle sent = processor_->register_access.next_event();
    register_accesses_.push_back({sent + way, processor_->register_access.pop(sent)});
  }
}

}  // namespace cuvette::gpu
