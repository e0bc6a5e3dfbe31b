// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/sdma_module.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "gpu/transfer.h"

namespace cuvette::gpu {

using machine::Cycle;
using sc_core::sc_time;

command_processor::Interrupt interrupt_of(const sdma::Interrupt& i) {
  using Kind = sdma::Interrupt::Kind;
  command_processor::Interrupt out;
  out.source = i.kind == Kind::Trap ? kSdmaTrap : i.kind == Kind::Fault ? kSdmaFault : kSdmaError;
  out.queue = i.engine << 24 | uint32_t{i.vmid} << 16 | (i.ring & 0xffff);
  out.context = i.context;
  return out;
}

sdma::Engines::Config sdma_config(const machine::GpuConfig& d, const hsa::AddressSpace& space,
                                  bool timed) {
  sdma::Engines::Config c;
  c.general = d.sdma.engines;
  c.link = d.sdma.xgmi_engines;
  c.rings = d.sdma.rings_per_engine;
  if (timed) c.timing = {d.sdma.packet_cycles, d.sdma.latency_cycles, d.sdma.bytes_per_cycle};
  c.space = &space;
  return c;
}

SdmaModule::SdmaModule(const sc_core::sc_module_name& name, sdma::Engine& core,
                       const sc_time& period)
    : sc_module(name), memory("memory"), core_(core), period_(period) {
  core_.connect(*this);
  sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("run"));
}

void SdmaModule::run() {
  for (;;) {
    const Cycle next = core_.next_event();
    if (next == machine::kNever) {
      sc_core::wait(wake_);
      continue;
    }
    const sc_time at = sc_time::from_value(period_.value() * std::max(next, next_tick_));
    if (at > sc_core::sc_time_stamp()) {
      sc_core::wait(at - sc_core::sc_time_stamp(), wake_);
      continue;
    }
    const Cycle now = (sc_core::sc_time_stamp().value() + period_.value() - 1) / period_.value();
    if (now < next_tick_) continue;
    delay_ = sc_core::SC_ZERO_TIME;
    working_ = true;
    core_.tick(now);
    next_tick_ = now + 1;
    if (delay_ != sc_core::SC_ZERO_TIME) sc_core::wait(delay_);
    working_ = false;
  }
}

bool SdmaModule::transport(tlm::tlm_command command, uint64_t pa, uint8_t* data, unsigned bytes) {
  tlm::tlm_generic_payload trans;
  trans.set_command(command);
  trans.set_address(pa);
  trans.set_data_ptr(data);
  trans.set_data_length(bytes);
  trans.set_streaming_width(bytes);
  memory->b_transport(trans, delay_);
  return trans.is_response_ok();
}

bool SdmaModule::read(uint64_t pa, void* out, unsigned bytes) {
  return transport(tlm::TLM_READ_COMMAND, pa, static_cast<uint8_t*>(out), bytes);
}

bool SdmaModule::write(uint64_t pa, const void* data, unsigned bytes) {
  // Nobody writes through the pointer of a write.
  return transport(tlm::TLM_WRITE_COMMAND, pa, static_cast<uint8_t*>(const_cast<void*>(data)),
                   bytes);
}

bool SdmaModule::atomic(uint64_t pa, unsigned bytes, base::AtomicOp op, uint64_t data,
                        uint64_t compare, uint64_t& old) {
  memory::MemReq request;
  request.op = memory::MemOp::AtomicReturn;
  request.atomic = op;
  request.atomic_bytes = static_cast<uint8_t>(bytes);
  request.address = pa;
  request.byte_mask = ((uint64_t{1} << bytes) - 1) << pa % memory::kBlockBytes;
  std::memcpy(request.data.data(), &data, sizeof data);
  std::memcpy(request.data.data() + sizeof data, &compare, sizeof compare);
  memory::MemResp response;
  bool performed = false;
  if (!perform_atomic(*memory.operator->(), request, response, delay_, performed)) return false;
  old = 0;
  std::memcpy(&old, response.data.data(), bytes);
  return true;
}

SdmaBlock::SdmaBlock(const machine::GpuConfig& description, const hsa::AddressSpace& space,
                     const sc_time& period)
    : engines_(sdma_config(description, space, true)) {
  for (unsigned i = 0; i < engines_.count(); ++i) {
    modules_.push_back(std::make_unique<SdmaModule>(fmt::format("sdma_{}", i).c_str(),
                                                    engines_.engine(i), period));
  }
  engines_.on_wake([this](unsigned engine) { modules_[engine]->wake(); });
}

void SdmaBlock::use(hsa::Backing& backing, const DoorbellAperture& doorbells, LtMemory::Ring ring) {
  if (modules_.empty()) return;
  memory_.emplace("sdma_memory", backing, sc_core::SC_ZERO_TIME, count());
  memory_->connect_doorbells(doorbells, std::move(ring));
  for (unsigned i = 0; i < count(); ++i) modules_[i]->memory.bind(memory_->sockets[i]);
}

bool SdmaBlock::idle() const {
  return std::all_of(modules_.begin(), modules_.end(), [](const auto& m) { return m->idle(); });
}

}  // namespace cuvette::gpu
