// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "user_compute_unit.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ip/core_dut.h"

using namespace cuvette;

namespace {

/// The error that is wanted; 0: none.
unsigned bug() {
  const char* text = std::getenv("USER_BUG");
  return text == nullptr ? 0 : static_cast<unsigned>(std::atoi(text));
}

constexpr size_t kMostRecords = 32;  ///< the core stands still while so many wait for the pins

compute_unit::MemoryAccess message_of(const wave::RetireRecord& r, const wave::MemoryAccess& a) {
  compute_unit::MemoryAccess m;
  m.wave = r.wave;
  m.order = r.order;
  m.lane = a.lane;
  m.space = a.space;
  m.kind = a.kind;
  m.atomic = a.atomic;
  m.size = a.size;
  m.glc = a.glc, m.slc = a.slc, m.scc = a.scc, m.nv = a.nv;
  m.scope = static_cast<memory::Scope>(a.scope);
  m.fault = a.fault;
  m.memory_type = static_cast<memory::Mtype>(a.memory_type);
  m.address = a.address;
  std::copy(std::begin(a.bytes), std::end(a.bytes), m.bytes.begin());
  std::copy(std::begin(a.old_bytes), std::end(a.old_bytes), m.old_bytes.begin());
  m.serial = a.serial;
  return m;
}

}  // namespace

UserComputeUnit::UserComputeUnit(unsigned bug) : bug_(bug) {
  valu::register_valu_tlm(valus_);
  vrf::register_tlm(vrfs_);
  simd::register_tlm(simds_);
  lds::register_tlm(lds_);
  matrix_core::register_tlm(matrix_cores_);
  compute_unit::Config c;
  c.issue_order = "greedy_then_oldest";
  c.sramecc = true;
  c.simd.registers.rows = c.simd.registers.acc_rows = 256;
  c.simd.valus = &valus_;
  c.simd.vrfs = &vrfs_;
  c.simd.valu.latency_cycles = 5;
  c.simd.pipeline_cycles = 5;
  c.lds.latency_cycles = 17;
  c.lds.lanes_per_cycle = 16;
  c.simds_registry = &simds_;
  c.lds_registry = &lds_;
  c.matrix_registry = &matrix_cores_;
  c.address_space = &space_;
  c.units_per_engine = 1;
  c.timing.salu_cycles = 3;
  c.timing.coalescer_lanes_per_cycle = 4;
  c.shared_aperture = uint64_t{1} << 48;
  c.private_aperture = uint64_t{2} << 48;
  model_ = compute_unit::ComputeUnitModel::make(c);
  model_->connect(waves_, vector_, scalar_, instruction_);
  model_->observe([this](const wave::RetireRecord& record) { retire(record); });
}

void UserComputeUnit::tick(Cycle now) {
  send_record(now);
  send_done(now);
  const bool due = records_.size() < kMostRecords && model_->next_event() <= now;
  if (!due && !space_.waits()) return;
  if (space_.run(now, [this, now] { model_->tick(now); })) send_requests(now);
}

void UserComputeUnit::send_requests(Cycle now) {
  while (vector_.request.front(now + 1) != nullptr) {
    memory::MemReq r = vector_.request.pop(now + 1);
    if (bug_ == 1 && r.op == memory::MemOp::Write) r.byte_mask &= r.byte_mask - 1;
    if (bug_ == 5 && r.op == memory::MemOp::Read) r.address ^= uint64_t{1} << 40;
    requests_.push(r, now + 1);
  }
}

void UserComputeUnit::retire(const wave::RetireRecord& record) {
  records_.push_back(record);
  wave::RetireRecord& r = records_.back();
  if (r.vector_writes.empty() || r.vector_writes[0].lanes == 0) return;
  const auto lane = static_cast<unsigned>(__builtin_ctzll(r.vector_writes[0].lanes));
  if (bug_ == 2 && r.accesses.empty()) r.vector_writes[0].data[lane] ^= 1;
  if (bug_ != 4 || r.accesses.empty()) return;
  wave::MemoryAccess& a = r.accesses[0];
  if (a.space != wave::MemorySpace::Lds || a.kind != wave::MemoryKind::Load) return;
  std::fill(std::begin(a.bytes), std::end(a.bytes), uint8_t{0});  // as before any store
  r.vector_writes[0].data[a.lane] = 0;
}

/// Writes and accesses first; the end of the record when they have left.
void UserComputeUnit::send_record(Cycle now) {
  if (records_.empty()) return;
  const wave::RetireRecord& r = records_.front();
  if (!parts_sent_) {
    parts_sent_ = true;
    for (const wave::VectorWrite& w : r.vector_writes) {
      compute_unit::VectorWrite m{r.wave, r.order, w.kind, w.index, w.lanes, {}};
      std::copy(w.data.begin(), w.data.end(), m.data.begin());
      vector_writes_.push(m, now + 1);
    }
    for (const wave::ScalarWrite& w : r.scalar_writes) {
      scalar_writes_.push({r.wave, r.order, w.code, w.value}, now + 1);
    }
    for (const wave::MemoryAccess& a : r.accesses) accesses_.push(message_of(r, a), now + 1);
  }
  if (!vector_writes_.empty() || !scalar_writes_.empty() || !accesses_.empty()) return;
  compute_unit::Retired m;
  m.wave = r.wave;
  m.order = r.order;
  m.pc = r.pc;
  std::copy_n(r.instruction.words, r.instruction.length, m.instruction.begin());
  m.exec = r.exec;
  m.vector_writes = static_cast<uint8_t>(r.vector_writes.size());
  m.scalar_writes = static_cast<uint8_t>(r.scalar_writes.size());
  m.accesses = static_cast<uint16_t>(r.accesses.size());
  m.mode = r.mode;
  m.status = r.status;
  m.trapsts = r.trapsts;
  m.flags = r.flags;
  m.trap = r.trap;
  retired_.push(m, now + 1);
  records_.pop_front();
  parts_sent_ = false;
}

/// The end of a wave, behind its last record.
void UserComputeUnit::send_done(Cycle now) {
  if (!records_.empty() || !retired_.empty()) return;
  while (waves_.done.front(now) != nullptr) {
    spi::WaveDone done = waves_.done.pop(now);
    if (bug_ == 3) done.slot ^= 1;
    done_.push(done, now + 1);
  }
}

extern "C" __attribute__((visibility("default"))) const cuvette_dut_table* cuvette_dut(void) {
  return ip::dut::core_table<UserComputeUnit>(
      "compute_unit", "user_compute_unit", compute_unit::kChannels, 0,
      [] { return std::make_unique<UserComputeUnit>(bug()); });
}
