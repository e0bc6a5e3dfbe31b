// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/lt_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.h"
#include "memory/serve.h"

namespace cuvette::gpu {

LtMemory::LtMemory(const sc_core::sc_module_name& name, hsa::Backing& backing,
                   const sc_core::sc_time& access, unsigned initiators)
    : sc_module(name), sockets("sockets", initiators), backing_(backing), access_(access) {
  for (auto& socket : sockets) {
    socket.register_b_transport(this, &LtMemory::b_transport);
    socket.register_get_direct_mem_ptr(this, &LtMemory::get_dmi);
    socket.register_transport_dbg(this, &LtMemory::transport_dbg);
  }
}

void LtMemory::b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
  trans.set_dmi_allowed(false);
  if (trans.get_streaming_width() < trans.get_data_length()) {
    trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  auto* atomic = trans.get_extension<AtomicExtension>();
  const bool ok = atomic != nullptr ? perform(trans, *atomic) : copy(trans);
  delay += access_;
  trans.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  trans.set_dmi_allowed(ok && is_direct(trans.get_address()));
}

bool LtMemory::is_direct(uint64_t address) {
  constexpr uint64_t kBytes = 4096;
  if (doorbells_ != nullptr && doorbells_->covers(address)) return false;
  const uint64_t page = address / kBytes;
  uint64_t& known = direct_[page % direct_.size()];
  if (known == page + 1) return true;
  if (backing_.host_pointer(page * kBytes, kBytes) != nullptr) {
    known = page + 1;
    return true;
  }
  return backing_.host_pointer(address, 1) != nullptr;
}

bool LtMemory::perform(tlm::tlm_generic_payload& trans, AtomicExtension& atomic) {
  const auto response = memory::serve(backing_, atomic.request);
  if (response.status != memory::MemStatus::Ok) return false;
  std::memcpy(trans.get_data_ptr(), response.data.data(),
              std::min<size_t>(trans.get_data_length(), response.data.size()));
  atomic.performed = true;
  return true;
}

bool LtMemory::copy(tlm::tlm_generic_payload& trans) {
  const uint8_t* enables = trans.get_byte_enable_ptr();
  const unsigned total = trans.get_data_length();
  // Fast path of nearly all of them: all bytes, where there is memory.
  if (enables == nullptr && trans.is_read() &&
      backing_.read(trans.get_address(), trans.get_data_ptr(), total)) {
    return true;
  }
  if (enables == nullptr && trans.is_write() && total > memory::kBlockBytes &&
      (doorbells_ == nullptr || !doorbells_->overlaps(trans.get_address(), total)) &&
      backing_.write(trans.get_address(), trans.get_data_ptr(), total)) {
    return true;
  }
  for (unsigned done = 0; done < total; done += memory::kBlockBytes) {
    const unsigned count = std::min(total - done, memory::kBlockBytes);
    uint64_t mask = enables == nullptr ? base::low_mask(count) : 0;
    for (unsigned i = 0; enables != nullptr && i < count; ++i) {
      const bool on = enables[(done + i) % trans.get_byte_enable_length()] != 0;
      mask |= uint64_t{on} << i;
    }
    if (mask == 0) continue;
    const bool whole = enables == nullptr;
    uint8_t* data = trans.get_data_ptr() + done;
    const uint64_t address = trans.get_address() + done;
    if (trans.is_write() && doorbells_ != nullptr && doorbells_->covers(address)) {
      for (const auto& d : doorbells_->rung(address, data, mask)) ring_(d);
      continue;
    }
    if (trans.is_write()) {
      if (whole ? !backing_.write(address, data, count)
                : !memory::write_masked(backing_, address, mask, data)) {
        return false;
      }
    } else if (trans.is_read()) {
      std::array<uint8_t, memory::kBlockBytes> block{};
      if (!memory::read_masked(backing_, address, mask, block.data())) return false;
      if (enables == nullptr) {
        std::memcpy(data, block.data(), count);
        continue;
      }
      for (unsigned i = 0; i < count; ++i) {
        if ((mask >> i & 1) != 0) data[i] = block[i];
      }
    }
  }
  return true;
}

/// Host address of [first, first + bytes) when it is in one place; null too where a store by
/// pointer would ring nothing.
uint8_t* LtMemory::place_of(uint64_t first, uint64_t bytes) {
  if (doorbells_ != nullptr && doorbells_->overlaps(first, bytes)) return nullptr;
  return backing_.host_pointer(first, bytes);
}

bool LtMemory::get_dmi(tlm::tlm_generic_payload& trans, tlm::tlm_dmi& dmi) {
  constexpr uint64_t kMost = uint64_t{16} << 20, kLeast = 64;
  // An aligned piece around the address that the host has in one place, and what is beside it.
  for (uint64_t bytes = 65536; bytes >= kLeast; bytes /= 4) {
    uint64_t first = trans.get_address() / bytes * bytes;
    if (place_of(first, bytes) == nullptr) continue;
    for (uint64_t step = kMost / 4; step >= kLeast; step /= 4) {
      while (bytes + step <= kMost && place_of(first, bytes + step) != nullptr) bytes += step;
      while (bytes + step <= kMost && first >= step &&
             place_of(first - step, bytes + step) != nullptr) {
        first -= step;
        bytes += step;
      }
    }
    uint8_t* const host = place_of(first, bytes);
    dmi.set_dmi_ptr(host);
    dmi.set_start_address(first);
    dmi.set_end_address(first + bytes - 1);
    dmi.set_read_latency(access_);
    dmi.set_write_latency(access_);
    dmi.allow_read_write();
    return true;
  }
  dmi.set_start_address(trans.get_address() / 64 * 64);
  dmi.set_end_address(trans.get_address() / 64 * 64 + 63);
  return false;
}

unsigned LtMemory::transport_dbg(tlm::tlm_generic_payload& trans) {
  const uint64_t address = trans.get_address();
  const unsigned bytes = trans.get_data_length();
  bool ok = false;
  if (trans.is_read()) ok = backing_.read(address, trans.get_data_ptr(), bytes);
  if (trans.is_write()) ok = backing_.write(address, trans.get_data_ptr(), bytes);
  return ok ? bytes : 0;
}

void LtMemory::invalidate_dmi() {
  direct_ = {};
  for (auto& socket : sockets) socket->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
}

}  // namespace cuvette::gpu
