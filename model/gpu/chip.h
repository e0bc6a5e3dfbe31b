// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "gpu/domain.h"
#include "gpu/doorbell_aperture.h"
#include "gpu/registries.h"
#include "hsa/memory.h"
#include "machine/gpu_config.h"

namespace cuvette::gpu {

/// A machine composed of cores, cut into domains, without SystemC and without a clock of its own.
/// Domain 0 is what all compute units share; domain 1 + i is cluster i: compute units that share a
/// scalar or an instruction cache, with these and their vector L1s.
///
/// Between domains every message travels over a link of the description, so a domain may run
/// `lookahead()` cycles ahead of the others: a quantum. A message sent in a quantum lies at the
/// near end of the link until the quantum is over, so that domains of one quantum may run in any
/// order, or at the same time on several host threads (engines.md "ca on several host threads").
class Chip {
 public:
  /// Options of a machine beside its description.
  struct Options {
    unsigned order_seed = 0;  ///< permutes the order of ticks in a cycle; must not matter
    bool never_skip = false;  ///< no cycle is skipped while a domain is awake; must not matter
    bool check_next_event = false;  ///< as never_skip; early_ticks() tells who acts too early
    bool poison = false;            ///< registers start with a pattern
    bool allow_fallback = false;    ///< our blocks answer what a chosen one does not implement
    uint32_t lookahead = 0;         ///< instead of the description's
    unsigned threads = 1;           ///< of the host; must not matter. check_next_event takes one
    memory::Memory* external_memory = nullptr;  ///< instead of a registered one
  };
  /// Errors: an implementation that is not registered, a target, policy or lookahead that does not
  /// exist. The registries and the memory outlive the machine. `backing` may be null with
  /// external memory.
  static base::Result<std::unique_ptr<Chip>> create(const machine::GpuConfig& description,
                                                    const Registries& registries,
                                                    hsa::Backing* backing,
                                                    const hsa::AddressSpace& space,
                                                    const Options& options);

  uint32_t lookahead() const { return lookahead_; }
  unsigned domains() const { return static_cast<unsigned>(domains_.size()); }
  const Domain& domain(unsigned index) const { return *domains_[index]; }
  /// Runs every cycle before `end`, at most the next multiple of lookahead(), of these domains;
  /// what they send is with the others when it returns.
  void run(const std::vector<unsigned>& domains, machine::Cycle end);
  /// Called when a message makes a domain's next event earlier.
  void on_wake(std::function<void(unsigned domain, machine::Cycle at)> f) {
    wake_hook_ = std::move(f);
  }

  /// From outside, at cycle `now`, which may lie up to lookahead() cycles behind what has run.
  void ring(const command_processor::Doorbell& doorbell, machine::Cycle now);
  uint32_t bind(const command_processor::QueueBinding& queue, machine::Cycle now);
  void unbind(uint32_t queue) { processor_->unbind(queue); }
  void dequeue(const command_processor::Dequeue& dequeue, machine::Cycle now);
  void register_done(const command_processor::RegisterDone& done, machine::Cycle now);
  void launch(const command_processor::RegisterLaunch& grid, machine::Cycle now);
  void command(unsigned unit, const spi::WaveCommand& command, machine::Cycle now);
  void agent_done(const command_processor::AgentDone& done, machine::Cycle now);
  /// Something came to a core from outside the domains (external memory).
  void wake_shared(machine::Cycle at) { wake(0, memory_core_, at); }

  /// To the outside, with the cycle at which it leaves the chip; taken by the caller.
  struct Interrupt {
    machine::Cycle time = 0;
    command_processor::Interrupt what;
  };
  std::deque<Interrupt>& interrupts() { return interrupts_; }
  /// The same for what queues say to their registers, and for packets that others serve.
  struct QueueStatus {
    machine::Cycle time = 0;
    command_processor::QueueStatus what;
  };
  std::deque<QueueStatus>& queue_statuses() { return queue_statuses_; }
  struct AgentDispatch {
    machine::Cycle time = 0;
    command_processor::AgentDispatch what;
  };
  std::deque<AgentDispatch>& agent_dispatches() { return agent_dispatches_; }
  struct RegisterAccess {
    machine::Cycle time = 0;
    command_processor::RegisterAccess what;
  };
  std::deque<RegisterAccess>& register_accesses() { return register_accesses_; }
  struct Ring {
    machine::Cycle time = 0;
    command_processor::Doorbell what;
  };
  /// Doorbells that waves have stored to; none without an aperture.
  std::deque<Ring>& wave_rings() { return wave_rings_; }
  /// Where they are from now on. From outside, as ring().
  void place_doorbells(const DoorbellAperture& doorbells, machine::Cycle now);

  /// Waves that ended by an error, in the order in which the spi gets their ends; each is reported
  /// once.
  struct WaveError {
    machine::Cycle time = 0;
    unsigned compute_unit = 0;
    spi::WaveDone done;
  };
  std::vector<WaveError> take_wave_errors();

  /// Observers of all compute units and first-level caches, called by the thread that called run():
  /// in order of time within a cluster, by cluster within a quantum.
  /// Observers given to a block itself are called by the host thread that runs its domain.
  /// False when a block does not tell.
  void observe(const compute_unit::ComputeUnit::Observer& observer);
  using Watcher = std::function<void(unsigned unit, const compute_unit::Activity& activity)>;
  bool watch(const Watcher& watcher);
  bool watch_residency(const compute_unit::ComputeUnit::ResidencyWatcher& watcher);
  /// `index`: among the caches of the role.
  using CacheWatcher =
      std::function<void(cache::Role role, unsigned index, const cache::Cache::Event& event)>;
  bool watch_first_level(const CacheWatcher& watcher);

  unsigned compute_units() const { return static_cast<unsigned>(units_.size()); }
  compute_unit::ComputeUnit& compute_unit(unsigned index) { return *units_[index]->core; }
  cache::Cache& vector_l1(unsigned index) { return *vector_l1_[index]; }
  cache::Cache& scalar_cache(unsigned index) { return *scalar_[index]; }
  cache::Cache& instruction_cache(unsigned index) { return *instruction_[index]; }
  cache::Cache& l2(unsigned index) { return *l2_[index]; }
  unsigned scalar_caches() const { return static_cast<unsigned>(scalar_.size()); }
  unsigned instruction_caches() const { return static_cast<unsigned>(instruction_.size()); }
  unsigned l2_slices() const { return static_cast<unsigned>(l2_.size()); }
  const command_processor::CommandProcessor& processor() const { return *processor_; }
  command_processor::CommandProcessor& processor() { return *processor_; }
  spi::Spi& spi() { return *spi_; }
  gds::Gds& gds() { return *gds_; }
  const memory::Memory& memory() const { return *memory_; }
  memory::Memory& memory() { return *memory_; }
  const crossbar::Crossbar& crossbar() const { return *crossbar_; }

  /// Calls `write` with every run of bytes that only the L2 and the scalar caches have, in an order
  /// in which the last word counts. False when a call gave false, or a cache cannot tell.
  using WriteBytes = std::function<bool(uint64_t pa, const uint8_t* bytes, unsigned count)>;
  bool for_dirty(const WriteBytes& write) const;

  /// With check_next_event: "domain 3 core 0 cycle 17", one for each core that acted before its own
  /// next_event, up to a hundred.
  const std::vector<std::string>& early_ticks() const { return early_ticks_; }

  /// True when no core has work.
  bool idle() const;
  /// The next event of any domain.
  machine::Cycle next() const;

 private:
  explicit Chip(const machine::GpuConfig& description) : description_(description) {}
  base::Status build(const Registries& registries, hsa::Backing* backing,
                     const hsa::AddressSpace& space, const Options& options);
  base::Status build_compute_units(const Registries& registries, const hsa::AddressSpace& space,
                                   isa::Target target, const Options& options);
  base::Status build_shared(const Registries& registries, hsa::Backing* backing,
                            const hsa::AddressSpace& space, isa::Target target,
                            const Options& options);
  /// `asked`: 0, or by whom the machine is made. Error: more than links and crossbar allow.
  base::Status choose_lookahead(uint32_t asked);
  void check_next_event(unsigned domain);
  /// Messages that a domain has sent in this quantum.
  uint64_t sent(unsigned domain) const;
  void run_domain(unsigned domain, machine::Cycle end);
  /// Links between a cluster and the shared domain, a bit each: those with something at the near
  /// end. The first two are of a compute unit, the others of a first-level cache.
  enum Link : uint8_t { kWaves = 1, kGds = 2, kDown = 4, kFence = 8 };
  void wire();
  void wire_clusters();
  void wire_compute_unit(unsigned index);
  /// `way`: cycles between it and its compute units.
  void wire_first_level(unsigned source, cache::Cache& core, unsigned first_unit, unsigned units,
                        machine::Cycle way);
  void wire_l2();
  void wire_front_end();
  void wire_gds();
  void after_processor(machine::Cycle now);
  /// From outside the domains, and in the shared one from inside it.
  void wake(unsigned domain, unsigned core, machine::Cycle at) {
    if (at != machine::kNever) wake_at(domain, core, at);
  }
  void wake_at(unsigned domain, unsigned core, machine::Cycle at);
  void wake_here(unsigned core, machine::Cycle at) {
    if (at != machine::kNever) domains_[0]->wake(core, at);
  }
  void notice_here(unsigned core, machine::Cycle oldest) { domains_[0]->notice(core, oldest); }
  /// A source in the shared domain has sent something, if anything.
  void send_down(unsigned source, machine::Cycle now) {
    const machine::Cycle oldest = crossbar_->source(source).request.next_event();
    if (oldest == machine::kNever) return;
    wake_here(crossbar_core_, crossbar_->notice(source, oldest > now ? oldest : now + 1));
  }
  void after_crossbar(machine::Cycle now);

  /// Blocks of one kind that have used a link in this quantum, once each.
  struct Users {
    std::vector<unsigned> list;
    template <class Block>
    void add(unsigned index, Block& block, uint8_t Block::* links, Link link) {
      if (block.*links == 0) list.push_back(index);
      block.*links |= link;
    }
  };
  /// One first-level cache, and its ends of the links. Its number is its source at the crossbar:
  /// vector L1s, scalar caches, instruction caches.
  struct FirstLevel {
    unsigned cluster = 0;
    unsigned number = 0;                       // in its domain
    cache::Cache::Port down;                   // to the crossbar
    cache::Cache::Port fence;                  // the command processor's end
    cache::Cache::Port* near_fence = nullptr;  // the cache's
    uint8_t sends = 0, fed = 0;
  };
  /// One compute unit, and its ends of the links.
  struct Unit {
    std::unique_ptr<compute_unit::ComputeUnit> core;
    unsigned cluster = 0;
    unsigned number = 0;  // in its domain
    /// Vector L1, scalar and instruction cache, with the port of each for this compute unit.
    std::vector<std::pair<cache::Cache::Port*, const FirstLevel*>> caches;
    spi::Spi::ComputeUnitPort waves;
    size_t done_seen = 0;
    uint8_t sends = 0, fed = 0;  // links used in this quantum, from here and to here
  };
  struct Cluster {
    std::vector<unsigned> units, caches;
    Users sending_units, sending_caches;
    // Events of this quantum, in the order in which they happened.
    bool tells = false;  // there are some
    std::vector<WaveError> errors;
    std::vector<Interrupt> interrupts;
    std::vector<std::function<void()>> told;  // calls of observers
    bool foreign = false;  // a block is of others: it may know the simulation, or share something

    /// Keeps the call of an observer for the end of the quantum.
    template <class Call>
    void tell(Call call) {
      tells = true;
      told.emplace_back(std::move(call));
    }
  };
  Domain& domain_of(unsigned cluster) { return *domains_[cluster + 1]; }
  /// The shared domain has sent something in this quantum.
  void feed_unit(unsigned unit, Link link) {
    fed_units_.add(unit, *units_[unit], &Unit::fed, link);
  }
  void feed_cache(unsigned source, Link link) {
    fed_caches_.add(source, *first_level_[source], &FirstLevel::fed, link);
  }
  // chip_exchange.cpp: what passes between domains at the end of a quantum.
  template <class Message>
  void pass(machine::Channel<Message>& near, machine::Channel<Message>& far, unsigned domain,
            unsigned core);
  void take_from(unsigned domain);
  void take_from_unit(unsigned unit);
  void take_from_cache(unsigned source);
  void give_to_unit(unsigned unit);
  void give_to_cache(unsigned source);
  void start_pool(unsigned threads);

  machine::GpuConfig description_;
  uint32_t lookahead_ = 1;
  std::vector<std::unique_ptr<Domain>> domains_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<std::unique_ptr<cache::Cache>> vector_l1_, scalar_, instruction_, l2_;
  std::vector<std::unique_ptr<FirstLevel>> first_level_;
  std::vector<Cluster> clusters_;
  std::unique_ptr<memory::Memory> own_memory_;
  memory::Memory* memory_ = nullptr;
  std::vector<std::unique_ptr<cache::Cache::Port>> memory_ports_;  // L2 ends
  std::vector<memory::Memory::Port*> memory_ends_;
  std::unique_ptr<spi::Spi> spi_;
  std::unique_ptr<gds::Gds> gds_;
  std::vector<unsigned> sent_;  // compute units that the spi has given waves or commands, of one
                                // tick
  std::unique_ptr<command_processor::CommandProcessor> processor_;
  std::unique_ptr<crossbar::Crossbar> crossbar_;
  std::vector<unsigned> fed_slices_, fed_sources_;  // of one tick of the crossbar
  unsigned crossbar_core_ = 0, memory_core_ = 0, spi_core_ = 0, processor_core_ = 0, gds_core_ = 0;
  std::vector<unsigned> l2_core_;
  std::deque<Interrupt> interrupts_;
  std::deque<QueueStatus> queue_statuses_;
  std::deque<AgentDispatch> agent_dispatches_;
  std::deque<RegisterAccess> register_accesses_;
  std::deque<Ring> wave_rings_;
  std::vector<WaveError> wave_errors_;
  std::function<void(unsigned, machine::Cycle)> wake_hook_;
  Users fed_units_, fed_caches_;  // to which the shared domain has sent something
  const hsa::AddressSpace* space_ = nullptr;
  std::shared_ptr<compute_unit::CodeStore> code_;
  std::unique_ptr<base::ThreadPool> pool_;
  std::vector<unsigned> here_, anywhere_;  // domains of a quantum
  std::vector<std::string> early_ticks_;
};

}  // namespace cuvette::gpu
