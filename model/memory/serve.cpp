// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/serve.h"

#include <bit>
#include <cstring>

#include "base/bits.h"
#include "wave/atomic.h"

namespace cuvette::memory {
namespace {

/// Calls `act(first, count)` for each run of set bits.
template <class Act>
bool for_runs(uint64_t mask, Act act) {
  for (uint64_t left = mask; left != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const auto count = static_cast<unsigned>(std::countr_one(left >> first));
    if (!act(first, count)) return false;
    left &= ~(base::low_mask(count) << first);
  }
  return true;
}

}  // namespace

bool read_masked(const hsa::Backing& backing, uint64_t address, uint64_t byte_mask,
                 uint8_t* block) {
  bool any = false;
  for_runs(byte_mask, [&](unsigned first, unsigned count) {
    if (backing.read(address + first, block + first, count)) {
      any = true;
      return true;
    }
    for (unsigned i = first; i < first + count; ++i) {
      any |= backing.read(address + i, block + i, 1);
    }
    return true;
  });
  return any;
}

bool write_masked(hsa::Backing& backing, uint64_t address, uint64_t byte_mask,
                  const uint8_t* block) {
  return for_runs(byte_mask, [&](unsigned first, unsigned count) {
    return backing.write(address + first, block + first, count);
  });
}

MemResp serve(hsa::Backing& backing, const MemReq& request) {
  MemResp response;
  bool ok = true;
  switch (request.op) {
    case MemOp::Read:
      ok = read_masked(backing, request.address, request.byte_mask, response.data.data());
      break;
    case MemOp::Write:
      ok = write_masked(backing, request.address, request.byte_mask, request.data.data());
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn: {
      uint64_t data = 0;
      uint64_t compare = 0;
      uint64_t old = 0;
      std::memcpy(&data, request.data.data(), 8);
      std::memcpy(&compare, request.data.data() + 8, 8);
      ok = backing.read_modify_write(
          request.address, request.atomic_bytes,
          [&](uint64_t before) {
            return wave::apply_atomic(request.atomic, before, data, compare,
                                      request.atomic_bytes * 8u, request.flush_subnormals,
                                      request.flush_subnormals);
          },
          &old);
      std::memcpy(response.data.data(), &old, request.atomic_bytes);
      break;
    }
    case MemOp::Invalidate:
    case MemOp::Writeback:
      break;
  }
  response.id = request.id;
  response.address = request.address;
  response.status = ok ? MemStatus::Ok : MemStatus::Fault;
  return response;
}

}  // namespace cuvette::memory
