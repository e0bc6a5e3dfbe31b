// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit_harness.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "base/bits.h"
#include "finalizer/assembler.h"
#include "gds/gds_model.h"
#include "lds/lds_model.h"
#include "matrix_core/matrix_core_model.h"
#include "simd/simd_model.h"
#include "valu/valu_model.h"
#include "vrf/vrf_model.h"
#include "wave/atomic.h"
#include "wave/operand.h"

namespace cuvette::compute_unit::testing {

using machine::Cycle;
using memory::MemOp;

void FakeCache::tick(Cycle now) {
  while (const memory::MemReq* r = port.request.front(now)) {
    last_ = std::max(last_ + 1, now + latency_);
    const auto more = late.find(r->address & ~uint64_t{memory::kBlockBytes - 1});
    const Cycle at = last_ + (more == late.end() ? 0 : more->second);
    const auto behind = std::upper_bound(due_.begin(), due_.end(), at,
                                         [](Cycle t, const Due& due) { return t < due.at; });
    due_.insert(behind, {at, *r});
    log.push_back(*r);
    port.request.drop(now);
  }
  while (!due_.empty() && due_.front().at - 1 <= now) {
    port.response.push(serve(due_.front().request), now + 1);
    due_.pop_front();
  }
}

Cycle FakeCache::next_event() const {
  const Cycle request = port.request.next_event();
  return due_.empty() ? request : std::min(request, due_.front().at - 1);
}

memory::MemResp FakeCache::serve(const memory::MemReq& r) {
  memory::MemResp answer;
  answer.id = r.id;
  answer.address = r.address;
  hsa::Backing& backing = memory_.backing();
  switch (r.op) {
    case MemOp::Read:
    case MemOp::Write:
      ++(r.op == MemOp::Read ? reads : writes);
      EXPECT_EQ(r.address % memory::kBlockBytes, 0u);
      EXPECT_NE(r.byte_mask, 0u);
      for (unsigned i = 0; i < memory::kBlockBytes; ++i) {
        if (!base::bit(r.byte_mask, i)) continue;
        const bool ok = r.op == MemOp::Read ? backing.read(r.address + i, &answer.data[i], 1)
                                            : backing.write(r.address + i, &r.data[i], 1);
        if (!ok) answer.status = memory::MemStatus::Fault;
      }
      if (r.op == MemOp::Write) answer.serial = ++serial_;
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn: {
      ++atomics;
      uint64_t operand = 0, compare = 0, old = 0;
      std::memcpy(&operand, r.data.data(), 8);
      std::memcpy(&compare, r.data.data() + 8, 8);
      const auto change = [&](uint64_t before) {
        return wave::apply_atomic(r.atomic, before, operand, compare, r.atomic_bytes * 8u,
                                  r.flush_subnormals, r.flush_subnormals);
      };
      EXPECT_TRUE(backing.read_modify_write(r.address, r.atomic_bytes, change, &old));
      std::memcpy(answer.data.data(), &old, r.atomic_bytes);
      answer.serial = ++serial_;
      break;
    }
    case MemOp::Invalidate:
      ++invalidates;
      break;
    case MemOp::Writeback:
      ++writebacks;
      break;
  }
  return answer;
}

namespace {

/// A user's simd without a single instruction.
class EmptySimd final : public simd::Simd {
 public:
  explicit EmptySimd(const simd::Config& c) : rows_(c.registers) {}
  void tick(Cycle) override {}
  Cycle next_event() const override { return machine::kNever; }
  bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const override {
    return false;
  }
  unsigned issue_cycles(const isa::Instruction&) const override { return 4; }
  vrf::Vrf& registers() override { return rows_; }
  Counters counters() const override { return {}; }

 private:
  vrf::VrfModel rows_;
};

}  // namespace

Machine::Machine(const Options& o)
    : options(o),
      vector(memory, o.vector_latency),
      scalar(memory, o.scalar_latency),
      instruction(memory, o.instruction_latency) {
  valu::Registry valus;
  valu::register_valu_tlm(valus);
  valus.add("beats", [](const valu::Config& c) { return std::make_unique<valu::ValuModel>(c); });
  simd::Registry simds;
  simd::register_tlm(simds);
  simds.add("dut:empty", [](const simd::Config& c) { return std::make_unique<EmptySimd>(c); });
  lds::Registry ldss;
  lds::register_tlm(ldss);
  matrix_core::Registry cores;
  matrix_core::register_tlm(cores);
  if (o.more_matrix_cores) o.more_matrix_cores(cores);
  Registry units;
  register_tlm(units);
  Config config;
  config.target = o.target;
  config.simds = o.simds;
  config.slots = 10;
  config.issue_order = o.issue_order;
  config.implementations.valu = o.valu;
  config.implementations.simd = o.simd;
  config.implementations.matrix_core = o.matrix_core;
  config.simd_in_simd0_only = o.simd_in_simd0_only;
  config.simd.valus = &valus;
  if (isa::unified_vgprs(o.target)) {
    config.simd.registers.rows = 512;
    config.simd.registers.acc_rows = 0;
  }
  config.lds.latency_cycles = 20;
  config.simds_registry = &simds;
  config.lds_registry = &ldss;
  config.matrix_registry = &cores;
  config.address_space = &memory.space();
  config.timing.salu_cycles = 4;
  config.timing.branch_cycles = 8;
  config.timing.barrier_cycles = 4;
  config.timing.fetch_cycles = 3;
  config.shared_aperture = uint64_t{1} << 48;
  config.private_aperture = uint64_t{2} << 48;
  cu = units.make("tlm", config);
  if (cu == nullptr) throw std::runtime_error("no compute unit");
  cu->connect(waves, vector.port, scalar.port, instruction.port);
  gds = std::make_unique<gds::GdsModel>(gds::Config{o.target, 1, 20, 128});
}

namespace {

template <class Message>
void move_all(machine::Channel<Message>& from, machine::Channel<Message>& to) {
  while (!from.empty()) {
    const Cycle at = from.next_event();
    to.push(from.pop(at), at);
  }
}

}  // namespace

void Machine::command(spi::WaveAction action, unsigned simd, unsigned slot) {
  spi::WaveCommand c;
  c.action = action;
  c.one = true;
  c.simd = static_cast<uint8_t>(simd);
  c.slot = static_cast<uint8_t>(slot);
  waves.command.push(c, now + 1);
}

uint64_t Machine::load_words(const std::vector<uint32_t>& words) {
  hsa::DeviceMemory::Options code;
  code.permitted = hsa::Access::All;
  const auto address = memory.allocate(4 * words.size(), code);
  EXPECT_TRUE(address.ok());
  EXPECT_TRUE(memory.write(*address, words.data(), 4 * words.size()).ok());
  return *address;
}

std::vector<uint32_t> Machine::assemble(const std::vector<std::string>& lines) const {
  const auto words = finalizer::assemble(lines, std::string(isa::name_of(options.target)));
  if (words) return *words;
  ADD_FAILURE() << words.error().str();
  return {};
}

uint64_t Machine::load(const std::vector<std::string>& lines) {
  return load_words(assemble(lines));
}

uint64_t Machine::launch(uint64_t pc, const Launch& what) {
  spi::WaveLaunch w;
  w.id = next_wave_++;
  w.workgroup = what.workgroup;
  w.wave_in_group = static_cast<uint8_t>(what.wave_in_group);
  w.waves_in_group = static_cast<uint8_t>(what.waves_in_group);
  w.simd = static_cast<uint8_t>(what.simd);
  w.slot = static_cast<uint8_t>(what.slot);
  w.vgpr_count = static_cast<uint16_t>(what.vgprs);
  // Two waves fit: slots 0 and 1 have registers of their own, later ones share slot 1's place.
  w.vgpr_base = static_cast<uint16_t>(what.slot == 0 ? 0 : 128);
  w.acc_count = w.vgpr_count;
  w.acc_base =
      static_cast<uint16_t>(isa::unified_vgprs(options.target) ? w.vgpr_base + 256 : w.vgpr_base);
  w.sgpr_count = static_cast<uint16_t>(what.sgprs);
  w.lds_bytes = what.lds_bytes;
  w.lds_base = what.lds_bytes == 0 ? 0 : 1024;
  w.priority = what.priority;
  w.pc = pc;
  w.exec = what.exec;
  w.mode = wave::kDefaultMode | what.exceptions << 12;
  w.tba = what.tba;
  w.tma = what.tma;
  w.doorbell = what.doorbell;
  if (what.tba != 0 || what.trap_en) w.status |= wave::kStatusTrapEn;
  std::copy(what.sgpr.begin(), what.sgpr.end(), w.sgpr.begin());
  w.sgprs = static_cast<uint8_t>(what.sgpr.size());
  w.vgprs = 1;
  for (unsigned lane = 0; lane < 64; ++lane) w.vgpr[0][lane] = lane;
  waves.launch.push(w, now + 1);
  ++pending_;
  return w.id;
}

void Machine::run(Cycle limit) {
  pass(limit);
  EXPECT_EQ(pending_, 0u) << "still running: "
                          << (cu->waves().empty() ? std::string("nothing")
                                                  : cu->waves().front().waits_for);
}

void Machine::pass(Cycle limit) {
  const Cycle end = now + limit;
  while (pending_ != 0 && now < end) {
    ++ticks;
    if (options.caches_first) {
      instruction.tick(now);
      scalar.tick(now);
      vector.tick(now);
      cu->tick(now);
    } else {
      cu->tick(now);
      vector.tick(now);
      scalar.tick(now);
      instruction.tick(now);
    }
    gds->tick(now);
    gds::Port& port = gds->compute_unit(0);
    move_all(cu->gds.request, port.request);
    move_all(port.taken, cu->gds.taken);
    move_all(port.response, cu->gds.response);
    while (waves.done.front(now) != nullptr) {
      done.push_back(waves.done.pop(now));
      --pending_;
      finished_at = now;
    }
    Cycle next = now + 1;
    if (options.clock == Clock::Skip) {
      next = std::min({cu->next_event(), vector.next_event(), scalar.next_event(),
                       instruction.next_event(), gds->next_event(), waves.done.next_event(), end});
      next = std::max(next, now + 1);
    }
    now = next;
  }
}

void Machine::run_one(const std::vector<std::string>& lines, const Launch& what) {
  launch(load(lines), what);
  run();
}

uint64_t Machine::buffer(uint64_t bytes) {
  const auto address = memory.allocate(bytes);
  EXPECT_TRUE(address.ok());
  return *address;
}

uint32_t Machine::word(uint64_t address) {
  uint32_t value = 0;
  EXPECT_TRUE(memory.read_value(address, &value).ok());
  return value;
}

void Machine::set(uint64_t address, uint32_t value) {
  EXPECT_TRUE(memory.write_value(address, value).ok());
}

uint32_t Machine::vgpr(unsigned simd, unsigned slot, unsigned index, unsigned lane) {
  wave::LaneRow row{};
  const auto at = static_cast<uint16_t>((slot == 0 ? 0 : 128) + index);
  cu->simd(simd)->registers().read(vrf::ReadPort::Backdoor, now, {false, at}, row);
  return row[lane];
}

std::vector<uint32_t> pointers(const std::vector<uint64_t>& addresses) {
  std::vector<uint32_t> out;
  for (const uint64_t a : addresses) {
    out.push_back(base::lo32(a));
    out.push_back(base::hi32(a));
  }
  return out;
}

}  // namespace cuvette::compute_unit::testing
