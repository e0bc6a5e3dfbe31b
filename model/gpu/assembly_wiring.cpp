// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Who is connected to whom, and whom a core's tick may have given something to do. What crosses a
// border of domains stays at the near end of its link until the end of the quantum.
#include <algorithm>

#include "gpu/assembly.h"
#include "gpu/link.h"

namespace cuvette::gpu {

using machine::Cycle;
using Port = cache::Cache::Port;

void Assembly::wire() {
  const unsigned n = compute_units();
  fed_links_.resize(n);
  for (unsigned i = 0; i < n + 1; ++i) domains_.push_back(std::make_unique<Domain>());
  const unsigned sources = n + static_cast<unsigned>(scalar_.size() + instruction_.size()) + 1;
  for (unsigned i = 0; i < sources; ++i) {
    sources_.push_back(std::make_unique<Source>());
    Source& source = *sources_[i];
    crossbar_->connect_source(i, i < n ? source.answers : source.port.response);
  }
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
  processor_->connect(*spi_, sources_.back()->port, near_fences_, far_fences_);
}

Cycle Assembly::send_down(unsigned source, machine::Channel<memory::MemReq>& requests) {
  Cycle first = machine::kNever;
  while (!requests.empty()) {
    const Cycle sent = requests.next_event();
    const Cycle arrival = crossbar_->send(source, *requests.front(sent), sent);
    requests.drop(sent);
    if (first == machine::kNever) first = arrival;
  }
  return first;
}

void Assembly::wire_compute_unit(unsigned index) {
  Unit& unit = *units_[index];
  Domain& domain = *domains_[index + 1];
  Source& source = *sources_[index];
  const auto& links = description_.links;
  unit.scalar_cache = index / description_.scalar_cache.shared_by;
  unit.far_scalar = &scalar_[unit.scalar_cache]->up(index % description_.scalar_cache.shared_by);
  unit.instruction_cache = index / description_.instruction_cache.shared_by;
  unit.far_instruction =
      &instruction_[unit.instruction_cache]->up(index % description_.instruction_cache.shared_by);
  unit.l1->connect(source.port);
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
  unit.l1_number = domain.add(*unit.l1, [&unit, &domain, &near_l1, &source](Cycle) {
    domain.notice(unit.core_number, near_l1.response.next_event());
    if (!source.port.request.empty()) unit.sends |= kVector;
    if (!unit.near_fence->response.empty()) unit.sends |= kFence;
  });
  source.core = unit.l1_number;
}

void Assembly::wire_first_level(std::vector<std::unique_ptr<cache::Cache>>& caches, Link link,
                                unsigned shared_by, unsigned first_source,
                                std::vector<unsigned>& cores) {
  for (unsigned k = 0; k < caches.size(); ++k) {
    cache::Cache& c = *caches[k];
    Source& source = *sources_[first_source + k];
    c.connect(source.port);
    std::vector<Port*> ports;
    for (unsigned i = k * shared_by; i < compute_units() && i < (k + 1) * shared_by; ++i) {
      ports.push_back(&c.up(i - k * shared_by));
      ports.back()->response.travel(description_.links.cluster_cycles);
    }
    Port& fence = c.up(c.up_ports() - 1);
    cores.push_back(domains_[0]->add(c, [=, this, &fence, &source](Cycle) {
      for (unsigned i = 0; i < ports.size(); ++i) {
        if (!ports[i]->response.empty()) feed(k * shared_by + i, link);
      }
      wake_here(crossbar_core_, send_down(first_source + k, source.port.request));
      notice_here(processor_core_, fence.response.next_event());
    }));
    source.core = cores.back();
  }
}

void Assembly::wire_l2() {
  for (unsigned k = 0; k < l2_.size(); ++k) {
    cache::Cache& c = *l2_[k];
    memory_ports_.push_back(std::make_unique<Port>());
    Port& down = *memory_ports_.back();
    c.connect(down);
    crossbar_->connect_slice(k, c.up(0));
    Port& near = c.up(0);
    Port& fence = c.up(1);
    memory_ends_.push_back(&memory_->port(k));
    l2_core_.push_back(domains_[0]->add(c, [=, this, &near, &fence, &down](Cycle) {
      notice_here(crossbar_core_, near.response.next_event());
      notice_here(processor_core_, fence.response.next_event());
      wake_here(memory_core_, carry(down.request, memory_ends_[k]->request, 0));
    }));
  }
  crossbar_core_ = domains_[0]->add(*crossbar_, [this](Cycle now) {
    for (const unsigned slice : crossbar_->slices_fed()) wake_here(l2_core_[slice], now + 1);
    for (const auto& ring : crossbar_->rung()) {
      wave_rings_.push_back({now + description_.links.front_end_cycles, ring});
    }
    for (const auto& delivery : crossbar_->deliveries()) {
      if (delivery.source < compute_units()) {
        feed(delivery.source, kVector);
      } else {
        wake_here(sources_[delivery.source]->core, delivery.time);
      }
    }
  });
  memory_core_ = domains_[0]->add(*memory_, [this](Cycle) {
    for (unsigned k = 0; k < l2_.size(); ++k) {
      wake_here(l2_core_[k], carry(memory_ends_[k]->response, memory_ports_[k]->response, 0));
    }
  });
}

void Assembly::wire_front_end() {
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
  processor_core_ = domains_[0]->add(*processor_, [this](Cycle) { after_processor(); });
  sources_.back()->core = processor_core_;
}

void Assembly::wire_gds() {
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

void Assembly::after_processor() {
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
  const auto own = static_cast<unsigned>(sources_.size()) - 1;
  wake_here(crossbar_core_, send_down(own, sources_[own]->port.request));
  notice_here(spi_core_, std::min({spi_->dispatch.next_event(), spi_->cancel.next_event(),
                                   spi_->save.next_event(), spi_->restore.next_event()}));
  while (!processor_->interrupt.empty()) {
    const Cycle sent = processor_->interrupt.next_event();
    interrupts_.push_back({sent, processor_->interrupt.pop(sent)});
  }
  // What the host side sees at t was sent a link earlier, which is at least the lookahead: every
  // core has run that far, whatever the order of domains.
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
