// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Connections between cores, and the cores that a tick may have given something to do. A message
// that crosses a border of domains stays at the near end of its link until the end of the quantum.
#include <algorithm>

#include "gpu/chip.h"
#include "gpu/link.h"

namespace cuvette::gpu {

using machine::Cycle;
using Port = cache::Cache::Port;

void Chip::wire() {
  const unsigned n = compute_units();
  fed_links_.resize(n);
  for (unsigned i = 0; i < n + 1; ++i) domains_.push_back(std::make_unique<Domain>());
  source_cores_.resize(crossbar_->sources());
  crossbar_->rely_on_notices();
  wire_front_end();
  wire_gds();
  wire_l2();
  for (unsigned i = 0; i < n; ++i) wire_compute_unit(i);
  const unsigned scalars = static_cast<unsigned>(scalar_.size());
  wire_first_level(scalar_, kScalar, description_.scalar_cache.shared_by, n, scalar_core_);
  wire_first_level(instruction_, kInstruction, description_.instruction_cache.shared_by,
                   n + scalars, instruction_core_);

  for (auto& unit : units_) near_fences_.push_back(&unit->fence);
  for (const auto* caches : {&scalar_, &instruction_}) {
    for (const auto& c : *caches) near_fences_.push_back(&c->up(c->up_ports() - 1));
  }
  for (const auto& slice : l2_) far_fences_.push_back(&slice->up(1));
  Port& of_processor = crossbar_->source(crossbar_->sources() - 1);
  processor_->connect(*spi_, of_processor, near_fences_, far_fences_);
}

void Chip::wire_compute_unit(unsigned index) {
  Unit& unit = *units_[index];
  Domain& domain = *domains_[index + 1];
  const auto& links = description_.links;
  unit.scalar_cache = index / description_.scalar_cache.shared_by;
  unit.far_scalar = &scalar_[unit.scalar_cache]->up(index % description_.scalar_cache.shared_by);
  unit.instruction_cache = index / description_.instruction_cache.shared_by;
  unit.far_instruction =
      &instruction_[unit.instruction_cache]->up(index % description_.instruction_cache.shared_by);
  unit.l1->connect(unit.down);
  unit.core->connect(unit.waves, unit.l1->up(0), unit.scalar, unit.instruction);

  Port& near_l1 = unit.l1->up(0);
  unit.near_fence = &unit.l1->up(1);
  unit.scalar.request.travel(links.cluster_cycles);
  unit.instruction.request.travel(links.cluster_cycles);
  unit.core->gds.request.travel(links.front_end_cycles);
  unit.waves.done.travel(links.front_end_cycles);
  unit.near_fence->response.travel(links.front_end_cycles);
  unit.core_number = domain.add(*unit.core, [=, &unit, &domain, &near_l1](Cycle now) {
    domain.notice(unit.l1_number, near_l1.request.next_event());
    const auto& done = unit.waves.done;
    if (!unit.scalar.request.empty()) unit.sends |= kScalar;
    if (!unit.instruction.request.empty()) unit.sends |= kInstruction;
    if (!unit.core->gds.request.empty()) unit.sends |= kGds;
    if (!done.empty()) unit.sends |= kWaves;
    for (; unit.done_seen < done.size(); ++unit.done_seen) {
      const spi::WaveDone& wave = done.peek(unit.done_seen);
      if (!wave.error) continue;
      unit.errors.push_back({now, index, wave});
      unit.tells = true;
    }
    while (!unit.core->messages.empty()) {
      const Cycle sent = unit.core->messages.next_event();
      const auto message = unit.core->messages.pop(sent);
      unit.interrupts.push_back(
          {sent + links.front_end_cycles,
           {command_processor::kWaveMessage | message.message, index, message.m0}});
      unit.tells = true;
    }
  });
  unit.l1_number = domain.add(*unit.l1, [&unit, &domain, &near_l1](Cycle) {
    domain.notice(unit.core_number, near_l1.response.next_event());
    if (!unit.down.request.empty()) unit.sends |= kVector;
    if (!unit.near_fence->response.empty()) unit.sends |= kFence;
  });
  source_cores_[index] = unit.l1_number;
}

void Chip::wire_first_level(std::vector<std::unique_ptr<cache::Cache>>& caches, Link link,
                            unsigned shared_by, unsigned first_source,
                            std::vector<unsigned>& cores) {
  for (unsigned k = 0; k < caches.size(); ++k) {
    cache::Cache& c = *caches[k];
    c.connect(crossbar_->source(first_source + k));
    std::vector<Port*> ports;
    for (unsigned i = k * shared_by; i < compute_units() && i < (k + 1) * shared_by; ++i) {
      ports.push_back(&c.up(i - k * shared_by));
      ports.back()->response.travel(description_.links.cluster_cycles);
    }
    Port& fence = c.up(c.up_ports() - 1);
    cores.push_back(domains_[0]->add(c, [=, this, &fence](Cycle now) {
      for (unsigned i = 0; i < ports.size(); ++i) {
        if (!ports[i]->response.empty()) feed(k * shared_by + i, link);
      }
      send_down(first_source + k, now);
      notice_here(processor_core_, fence.response.next_event());
    }));
    source_cores_[first_source + k] = cores.back();
  }
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
    if (s < compute_units()) {
      feed(s, kVector);
    } else {
      wake_here(source_cores_[s], std::max(first, now + 1));
    }
  }
}

void Chip::wire_front_end() {
  for (unsigned i = 0; i < compute_units(); ++i) {
    spi_->compute_unit(i).launch.travel(description_.links.front_end_cycles);
    spi_->compute_unit(i).command.travel(description_.links.front_end_cycles);
    units_[i]->fence.request.travel(description_.links.front_end_cycles);
  }
  spi_core_ = domains_[0]->add(*spi_, [this](Cycle) {
    spi_->take_sent(sent_);
    for (const unsigned i : sent_) feed(i, kWaves);
    notice_here(processor_core_,
                std::min(spi_->saved.next_event(), spi_->dispatch_done.next_event()));
    const Cycle order = carry(spi_->wave_order, gds_->waves, 0);
    if (gds_->wants_waves()) notice_here(gds_core_, order);
  });
  processor_core_ = domains_[0]->add(*processor_, [this](Cycle now) { after_processor(now); });
  source_cores_.back() = processor_core_;
}

void Chip::wire_gds() {
  for (unsigned i = 0; i < compute_units(); ++i) {
    gds_->compute_unit(i).taken.travel(description_.links.front_end_cycles);
    gds_->compute_unit(i).response.travel(description_.links.front_end_cycles);
  }
  gds_core_ = domains_[0]->add(*gds_, [this](Cycle) {
    for (unsigned i = 0; i < compute_units(); ++i) {
      const gds::Port& port = gds_->compute_unit(i);
      if (!port.taken.empty() || !port.response.empty()) feed(i, kGds);
    }
  });
}

void Chip::after_processor(Cycle now) {
  for (unsigned i = 0; i < compute_units(); ++i) {
    if (!units_[i]->fence.request.empty()) feed(i, kFence);
  }
  for (unsigned k = 0; k < scalar_.size(); ++k) {
    notice_here(scalar_core_[k], scalar_[k]->up(scalar_[k]->up_ports() - 1).request.next_event());
  }
  for (unsigned k = 0; k < instruction_.size(); ++k) {
    auto& c = *instruction_[k];
    notice_here(instruction_core_[k], c.up(c.up_ports() - 1).request.next_event());
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
