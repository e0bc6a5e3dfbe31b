// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/register_port.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bits.h"
#include "gpu/payload.h"
#include "gpu/transfer.h"

namespace cuvette::gpu {

using machine::Cycle;
using sc_core::sc_time;

namespace {

constexpr unsigned kBytes = 4;

tlm::tlm_response_status response_of(MmioRegisters::Status status) {
  using Status = MmioRegisters::Status;
  switch (status) {
    case Status::Ok:
      return tlm::TLM_OK_RESPONSE;
    case Status::Width:
      return tlm::TLM_BURST_ERROR_RESPONSE;
    case Status::ReadOnly:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case Status::UnknownOffset:
    case Status::Alignment:
    case Status::Selection:
      break;
  }
  return tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

}  // namespace

RegisterPort::RegisterPort(const sc_time& period, uint32_t link_cycles, MmioRegisters& front,
                           const hsa::AddressSpace& space, WriteMemory write,
                           tlm::tlm_analysis_port<command_processor::Interrupt>& interrupts)
    : period_(period),
      link_cycles_(link_cycles),
      front_(front),
      space_(space),
      write_(std::move(write)),
      interrupts_(interrupts) {
  sc_core::sc_spawn_options options;
  options.set_sensitivity(&wake_);
  options.dont_initialize();
  sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("interrupt_ring"), &options);
}

void RegisterPort::b_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const unsigned length = trans.get_data_length(), streaming = trans.get_streaming_width();
  // Streaming is a wrong width: that of a beat, or of all beats of four bytes.
  const unsigned bytes = streaming < length && streaming != kBytes ? streaming : length;
  if (trans.get_byte_enable_ptr() != nullptr) {
    front_.report(fmt::format("{:#x}: byte enables, expected none", trans.get_address()));
    trans.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (trans.is_read() || trans.is_write()) {
    const uint64_t address = trans.get_address();
    // Beyond 32 bits is nothing, as at the highest offsets.
    const auto low = static_cast<uint32_t>(address);
    const uint32_t offset = address > ~uint32_t{0} ? ~uint32_t{3} | (low & 3) : low;
    // The GPU has not run ahead to the initiator's own time: what is there now counts.
    const Cycle now = sc_core::sc_time_stamp().value() / period_.value();
    uint32_t value = 0;
    MmioRegisters::Status status;
    if (trans.is_read()) {
      status = front_.read(now, offset, bytes, value);
      if (status == MmioRegisters::Status::Ok) std::memcpy(trans.get_data_ptr(), &value, kBytes);
      delay += sc_time::from_value(period_.value() * 2 * link_cycles_);
    } else {
      if (bytes == kBytes) std::memcpy(&value, trans.get_data_ptr(), kBytes);
      status = front_.write(now, offset, bytes, value);
    }
    trans.set_response_status(response_of(status));
    return;
  }
  trans.set_response_status(tlm::TLM_OK_RESPONSE);  // TLM_IGNORE_COMMAND
}

unsigned RegisterPort::debug(tlm::tlm_generic_payload& trans) {
  uint32_t value = 0;
  if (!trans.is_read() || trans.get_data_length() != kBytes || trans.get_address() > ~uint32_t{0} ||
      !front_.file().peek(static_cast<uint32_t>(trans.get_address()), value)) {
    return 0;
  }
  std::memcpy(trans.get_data_ptr(), &value, kBytes);
  trans.set_response_status(tlm::TLM_OK_RESPONSE);
  return kBytes;
}

void RegisterPort::interrupt(Cycle now, const command_processor::Interrupt& interrupt) {
  MmioRegisters::RingEntry entry;
  switch (front_.route(now, interrupt, entry)) {
    case MmioRegisters::Route::Direct:
      interrupts_.write(interrupt);
      return;
    case MmioRegisters::Route::Masked:
      return;
    case MmioRegisters::Route::Ring:
      waiting_.emplace_back(entry, interrupt);
      wake_.notify(sc_core::SC_ZERO_TIME);
      return;
  }
}

bool RegisterPort::store(uint64_t address, const void* data, unsigned bytes) {
  constexpr uint32_t kKernel = 0;  // the driver's address space
  const auto t = space_.translate(kKernel, address, hsa::Access::Write);
  if (t.ok() && write_(t.pa, data, bytes)) return true;
  front_.report(fmt::format("interrupt ring: no memory to write at {:#x}", address));
  return false;
}

/// Memory first, then the write pointer, then the host: an entry can be read once its interrupt
/// comes.
void RegisterPort::run() {
  for (;;) {
    while (!waiting_.empty()) {
      const auto slot = front_.ring_slot();
      if (slot.full) break;
      const auto [entry, interrupt] = waiting_.front();
      if (store(slot.address, entry.data(), sizeof entry)) {
        if (const uint64_t copy = front_.ring_advance(); copy != 0) {
          const uint32_t pointer = front_.ring_write_pointer();
          store(copy, &pointer, sizeof pointer);
        }
        if (front_.ring_interrupts()) interrupts_.write(interrupt);
      }
      waiting_.pop_front();
    }
    sc_core::wait(wake_);
  }
}

VmContexts::Read read_memory(hsa::Backing* backing, MemorySocket& socket) {
  if (backing != nullptr) {
    return
        [backing](uint64_t pa, void* out, size_t bytes) { return backing->read(pa, out, bytes); };
  }
  return [&socket](uint64_t pa, void* out, size_t bytes) {
    tlm::tlm_generic_payload trans;
    trans.set_command(tlm::TLM_READ_COMMAND);
    trans.set_address(pa);
    trans.set_data_ptr(static_cast<unsigned char*>(out));
    trans.set_data_length(static_cast<unsigned>(bytes));
    trans.set_streaming_width(static_cast<unsigned>(bytes));
    return socket->transport_dbg(trans) == bytes;
  };
}

RegisterPort::WriteMemory write_memory(hsa::Backing* backing, MemorySocket& socket,
                                       const TransferOptions& options) {
  if (backing != nullptr) {
    return [backing](uint64_t pa, const void* data, unsigned bytes) {
      return backing->write(pa, data, bytes);
    };
  }
  return [&socket, options](uint64_t pa, const void* data, unsigned bytes) {
    memory::MemReq request;
    const auto offset = static_cast<unsigned>(pa % memory::kBlockBytes);
    request.op = memory::MemOp::Write;
    request.address = pa - offset;
    request.byte_mask = base::low_mask(bytes) << offset;
    std::memcpy(request.data.data() + offset, data, bytes);
    memory::MemResp response;
    sc_time delay = sc_core::SC_ZERO_TIME;
    Payload payload;
    const bool ok =
        transfer(*socket.operator->(), *payload, request, options, response, delay, nullptr);
    sc_core::wait(delay);
    return ok;
  };
}

}  // namespace cuvette::gpu
