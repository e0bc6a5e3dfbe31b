// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/transfer.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "wave/atomic.h"

namespace cuvette::gpu {

using memory::kBlockBytes;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using sc_core::sc_time;

namespace {

void describe(tlm::tlm_generic_payload& trans, tlm::tlm_command command, uint64_t address,
              uint8_t* data, unsigned bytes) {
  trans.set_command(command);
  trans.set_address(address);
  trans.set_data_ptr(data);
  trans.set_data_length(bytes);
  trans.set_streaming_width(bytes);
  trans.set_byte_enable_ptr(nullptr);
  trans.set_byte_enable_length(0);
  trans.set_dmi_allowed(false);
  trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

bool store_by_runs(MemoryTarget& target, const MemReq& request, uint8_t* data, sc_time& delay) {
  tlm::tlm_generic_payload trans;
  for (uint64_t left = request.byte_mask; left != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const auto count = static_cast<unsigned>(std::countr_one(left >> first));
    describe(trans, tlm::TLM_WRITE_COMMAND, request.address + first, data + first, count);
    target.b_transport(trans, delay);
    if (!trans.is_response_ok()) return false;
    left &= ~(base::low_mask(count) << first);
  }
  return true;
}

}  // namespace

bool transfer(MemoryTarget& target, tlm::tlm_generic_payload& trans, const MemReq& request,
              const TransferOptions& options, MemResp& response, sc_time& delay, bool* dmi_hint) {
  if (request.byte_mask == 0) return true;
  const bool read = request.op == MemOp::Read;
  const auto first = static_cast<unsigned>(std::countr_zero(request.byte_mask));
  const auto count = static_cast<unsigned>(std::bit_width(request.byte_mask)) - first;
  const bool holes = static_cast<unsigned>(std::popcount(request.byte_mask)) != count;
  // Nobody writes through the pointer of a write.
  uint8_t* data = read ? response.data.data() : const_cast<uint8_t*>(request.data.data());
  if (!read && holes && options.split_masked_stores) {
    return store_by_runs(target, request, data, delay);
  }
  describe(trans, read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, request.address + first,
           data + first, count);
  std::array<uint8_t, kBlockBytes> enables;
  if (!read && holes) {
    for (unsigned i = 0; i < count; ++i) {
      enables[i] = base::bit(request.byte_mask, first + i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    trans.set_byte_enable_ptr(enables.data());
    trans.set_byte_enable_length(count);
  }
  target.b_transport(trans, delay);
  if (!trans.is_response_ok()) {
    if (read) response.data = {};
    return false;
  }
  if (dmi_hint != nullptr) *dmi_hint = trans.is_dmi_allowed();
  return true;
}

uint64_t new_value(const MemReq& request, uint64_t old) {
  uint64_t data = 0;
  uint64_t compare = 0;
  std::memcpy(&data, request.data.data(), 8);
  std::memcpy(&compare, request.data.data() + 8, 8);
  return wave::apply_atomic(request.atomic, old, data, compare, request.atomic_bytes * 8u,
                            request.flush_subnormals, request.flush_subnormals);
}

bool perform_atomic(MemoryTarget& target, const MemReq& request, MemResp& response, sc_time& delay,
                    bool& performed, bool* dmi_hint) {
  tlm::tlm_generic_payload trans;
  AtomicExtension extension;
  extension.request = request;
  uint64_t old = 0;
  describe(trans, tlm::TLM_READ_COMMAND, request.address, reinterpret_cast<uint8_t*>(&old),
           request.atomic_bytes);
  trans.set_extension(&extension);
  target.b_transport(trans, delay);
  trans.clear_extension(&extension);
  if (!trans.is_response_ok()) return false;
  std::memcpy(response.data.data(), &old, request.atomic_bytes);
  performed = extension.performed;
  if (dmi_hint != nullptr) *dmi_hint = trans.is_dmi_allowed();
  if (performed) return true;
  uint64_t value = new_value(request, old);
  describe(trans, tlm::TLM_WRITE_COMMAND, request.address, reinterpret_cast<uint8_t*>(&value),
           request.atomic_bytes);
  target.b_transport(trans, delay);
  return trans.is_response_ok();
}

}  // namespace cuvette::gpu
