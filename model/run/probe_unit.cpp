// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "cache/cache.h"
#include "compute_unit/compute_unit.h"
#include "gpu/configs.h"
#include "gpu/link.h"
#include "memory/memory.h"
#include "run/probe_wave.h"

namespace cuvette::run {
namespace {

using base::Status;
using compute_unit::Backdoor;
using machine::Cycle;
using memory::MemOp;

constexpr unsigned kSimd = 0, kSlot = 0;  // where the wave lives
/// Longer than any instruction takes, S_SLEEP 127 included.
constexpr Cycle kPatience = 1'000'000;

/// A compute unit, its caches, a gds, one slice of L2 and the memory behind it. Requesters of the
/// L2 are its ports 0 to 2; the last port of the L2 and of the scalar cache is for write_back().
class UnitMachine {
 public:
  Status build(machine::GpuConfig d, isa::Target target, const gpu::Registries& registries,
               hsa::DeviceMemory& memory) {
    d.target = std::string(isa::name_of(target));
    d.sramecc = target >= isa::Target::Gfx908;
    d.shared_aperture = kProbeSharedAperture;
    d.private_aperture = kProbePrivateAperture;
    d.compute_unit.vgpr_rows = isa::unified_vgprs(target) ? 512 : 256;
    d.compute_unit.accvgpr_rows = target == isa::Target::Gfx908 ? 256 : 0;
    const auto unit =
        gpu::compute_unit_config(d, registries, memory.space(), target, {false, false});
    const auto named = [&](const char* block) { return gpu::implementation(d, block); };
    if (auto s = make(registries.compute_units, "compute_unit", named("compute_unit"), unit, unit_);
        !s.ok()) {
      return s;
    }
    if (unit_->backdoor() == nullptr) {
      return base::Error("this compute unit has no backdoor for registers");
    }
    const auto cache = [&](const machine::CacheDescription& c, cache::Role role, unsigned up,
                           std::unique_ptr<cache::Cache>& out) {
      return make(registries.caches, "cache", named("cache"), gpu::cache_config(c, role, up), out);
    };
    if (auto s = cache(d.vector_l1, cache::Role::VectorL1, 1, vector_); !s.ok()) return s;
    if (auto s = cache(d.scalar_cache, cache::Role::Scalar, 2, scalar_); !s.ok()) return s;
    if (auto s = cache(d.instruction_cache, cache::Role::Instruction, 1, instruction_); !s.ok())
      return s;
    if (auto s = cache(d.l2.slice, cache::Role::L2, 4, l2_); !s.ok()) return s;
    d.compute_units = 1;
    if (auto s = make(registries.gds, "gds", named("gds"), gpu::gds_config(d, target), gds_);
        !s.ok()) {
      return s;
    }
    memory::Config m;
    m.latency_cycles = d.memory.latency_cycles;
    m.cycles_per_block = d.memory.cycles_per_block;
    m.backing = &memory.backing();
    if (auto s = make(registries.memories, "memory", named("memory"), m, memory_); !s.ok())
      return s;
    unit_->connect(waves_, vector_->up(0), scalar_->up(0), instruction_->up(0));
    vector_->connect(l2_->up(0));
    scalar_->connect(l2_->up(1));
    instruction_->connect(l2_->up(2));
    l2_->connect(l2_down_);
    cores_ = {unit_.get(), vector_.get(), scalar_.get(), instruction_.get(),
              l2_.get(),   memory_.get(), gds_.get()};
    return {};
  }

  compute_unit::ComputeUnit& unit() { return *unit_; }
  Backdoor& door() { return *unit_->backdoor(); }
  Cycle now() const { return now_; }

  void launch(const spi::WaveLaunch& record) {
    waves_.launch.push(record, now_ + 1);
    step();
    step();  // the record has been taken
  }

  /// To the end of the wave. Error: it has none.
  Status run() {
    Cycle patience = now_ + kPatience;
    uint64_t issued = 0;
    while (waves_.done.front(now_) == nullptr) {
      const Backdoor::Progress p = door().progress(kSimd, kSlot);
      if (p.running && p.issued >= kProbeInstructionLimit) {
        return base::Error(fmt::format("more than {} instructions", kProbeInstructionLimit));
      }
      if (p.issued != issued) {
        issued = p.issued;
        patience = now_ + kPatience;
      }
      if (!step() || now_ > patience) return base::Error("deadlock: " + waits_for());
    }
    return {};
  }

  /// Writes the contents of caches to memory, the scalar cache's first.
  Status write_back() {
    for (cache::Cache* c : {scalar_.get(), l2_.get()}) {
      cache::Cache::Port& port = c->up(c->up_ports() - 1);
      memory::MemReq r;
      r.op = MemOp::Writeback;
      r.time = now_ + 1;
      port.request.push(r, now_ + 1);
      while (port.response.front(now_) == nullptr) {
        if (!step()) return base::Error("a cache does not write back");
      }
      port.response.drop(now_);
    }
    return {};
  }

 private:
  template <class Interface, class Config>
  static Status make(const machine::Registry<Interface, Config>& registry, const char* block,
                     const std::string& name, const Config& config,
                     std::unique_ptr<Interface>& out) {
    return gpu::make(registry, block, name, config, out);
  }

  /// One cycle, then on to the next event. False: there is none.
  bool step() {
    for (machine::Core* core : cores_) {
      if (core->next_event() <= now_) core->tick(now_);
    }
    gpu::carry(l2_down_.request, memory_->port(0).request, 0);
    gpu::carry(memory_->port(0).response, l2_down_.response, 0);
    gpu::carry(unit_->gds.request, gds_->compute_unit(0).request, 0);
    gpu::carry(gds_->compute_unit(0).taken, unit_->gds.taken, 0);
    gpu::carry(gds_->compute_unit(0).response, unit_->gds.response, 0);
    Cycle next = waves_.done.next_event();
    for (const machine::Core* core : cores_) next = std::min(next, core->next_event());
    const auto answered = [&](cache::Cache& c) {
      next = std::min(next, c.up(c.up_ports() - 1).response.next_event());
    };
    answered(*scalar_);
    answered(*l2_);
    if (next == machine::kNever) return false;
    now_ = std::max(next, now_ + 1);
    return true;
  }

  std::string waits_for() const {
    const auto waves = unit_->waves();
    if (waves.empty()) return "no wave";
    const auto& w = waves.front();
    return fmt::format("pc {:#x}: {} waits for {}", w.pc, w.instruction, w.waits_for);
  }

  std::unique_ptr<compute_unit::ComputeUnit> unit_;
  std::unique_ptr<cache::Cache> vector_, scalar_, instruction_, l2_;
  cache::Cache::Port l2_down_;  // the L2's end of its port to memory
  std::unique_ptr<memory::Memory> memory_;
  std::unique_ptr<gds::Gds> gds_;
  spi::Spi::ComputeUnitPort waves_;
  std::vector<machine::Core*> cores_;
  Cycle now_ = 0;
};

spi::WaveLaunch record_of(const ProbeCase& c, uint64_t code_at) {
  spi::WaveLaunch w;
  w.simd = kSimd;
  w.slot = kSlot;
  w.vgpr_count = kProbeVgprs;
  w.acc_count = probe_accvgprs(c.target);
  w.acc_base = isa::unified_vgprs(c.target) ? kProbeVgprs : 0;
  w.sgpr_count = isa::kLastSgpr + 1;
  w.lds_bytes = kProbeLdsBytes;
  w.pc = code_at;
  w.exec = c.exec;
  w.mode = c.mode;
  return w;
}

vrf::RowAddress row_of(const ProbeCase& c, bool acc, unsigned index) {
  const bool second_file = acc && !isa::unified_vgprs(c.target);
  return {second_file, static_cast<uint16_t>(acc && !second_file ? kProbeVgprs + index : index)};
}

void set_registers(const ProbeCase& c, uint64_t code_at, UnitMachine& m) {
  m.door().on_violation(compute_unit::OnViolation::Record);
  m.door().set_scalars(kSimd, kSlot, probe_scalars(c, code_at));
  vrf::Vrf& registers = m.unit().simd(kSimd)->registers();
  const auto set = [&](bool acc, unsigned index, const wave::LaneRow& row) {
    registers.write(vrf::WritePort::Backdoor, m.now(), row_of(c, acc, index), ~uint64_t{0}, row);
  };
  for (const auto& [index, row] : c.vgpr) set(false, index, row);
  for (const auto& [index, row] : c.agpr) {
    if (index < probe_accvgprs(c.target)) set(true, index, row);
  }
  for (const auto& [at, bytes] : c.lds) {
    m.unit().local_data_share()->poke(static_cast<uint32_t>(at), bytes.data(),
                                      static_cast<uint32_t>(bytes.size()));
  }
}

void read_registers(const ProbeCase& c, UnitMachine& m, ProbeOutcome& out) {
  out.scalars = m.door().scalars(kSimd, kSlot);
  vrf::Vrf& registers = m.unit().simd(kSimd)->registers();
  out.vgprs.resize(kProbeVgprs);
  out.accvgprs.resize(probe_accvgprs(c.target));
  for (const bool acc : {false, true}) {
    auto& rows = acc ? out.accvgprs : out.vgprs;
    for (unsigned i = 0; i < rows.size(); ++i) {
      registers.read(vrf::ReadPort::Backdoor, m.now(), row_of(c, acc, i), rows[i]);
    }
  }
  out.lds.resize(kProbeLdsBytes);
  m.unit().local_data_share()->peek(0, out.lds.data(), kProbeLdsBytes);
}

}  // namespace

ProbeOutcome probe_on_unit(const ProbeCase& c, ProbeImage& image,
                           const machine::GpuConfig& description,
                           const gpu::Registries& registries) {
  ProbeOutcome out;
  UnitMachine m;
  const auto failed = [&out](const Status& s) {
    out.failure = s.error().what;
    return out;
  };
  if (auto s = m.build(description, c.target, registries, image.memory()); !s.ok())
    return failed(s);
  m.launch(record_of(c, image.code_at()));
  set_registers(c, image.code_at(), m);
  if (auto s = m.run(); !s.ok()) return failed(s);
  if (m.door().progress(kSimd, kSlot).failed) {
    out.failure = m.door().failure_of(kSimd, kSlot);
    out.unsupported = m.door().progress(kSimd, kSlot).unsupported;
    return out;
  }
  if (auto s = m.write_back(); !s.ok()) return failed(s);
  read_registers(c, m, out);
  const auto counters = m.unit().counters();
  for (const isa::Row& row : isa::rows()) {
    const uint64_t count = counters.by_row[isa::index_of(row)];
    if (count != 0) out.executed[&row] = count;
  }
  return out;
}

}  // namespace cuvette::run
