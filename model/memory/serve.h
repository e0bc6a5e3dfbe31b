// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsa/memory.h"
#include "memory/memory_messages.h"

/// Effect of a request on the bytes of a Backing, without time.
namespace cuvette::memory {

/// Address of the block that has the byte.
constexpr uint64_t block_address(uint64_t address) {
  return address / kBlockBytes * kBlockBytes;
}

constexpr bool is_atomic(MemOp op) {
  return op == MemOp::Atomic || op == MemOp::AtomicReturn;
}
/// Does the operation have a place in the coherence log?
constexpr bool is_store(MemOp op) {
  return op == MemOp::Write || is_atomic(op);
}

/// Bytes of a block whose bit is set, in place. False when none of them exists; those that do not
/// read as 0.
bool read_masked(const hsa::Backing& backing, uint64_t address, uint64_t byte_mask, uint8_t* block);
/// False when a byte does not exist.
bool write_masked(hsa::Backing& backing, uint64_t address, uint64_t byte_mask,
                  const uint8_t* block);

/// Data, status, id and address of the response; Invalidate and Writeback do nothing.
MemResp serve(hsa::Backing& backing, const MemReq& request);

}  // namespace cuvette::memory
