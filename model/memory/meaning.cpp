// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/meaning.h"

#include "memory/memory_messages.h"

namespace cuvette::memory {
namespace {

/// The operation reads the second value of a request.
bool has_compare(base::AtomicOp op) {
  using base::AtomicOp;
  return op == AtomicOp::CmpSwap || op == AtomicOp::FCmpSwap || op == AtomicOp::MSkOr ||
         op == AtomicOp::Wrap;
}
uint64_t first_bytes(unsigned count) {
  return (uint64_t{1} << count) - 1;
}

}  // namespace

uint64_t sent_bytes(const MemReq& request) {
  switch (request.op) {
    case MemOp::Write:
      return request.byte_mask;
    case MemOp::Atomic:
    case MemOp::AtomicReturn: {
      const uint64_t operand = first_bytes(request.atomic_bytes);
      return has_compare(request.atomic) ? operand | operand << 8 : operand;
    }
    default:
      return 0;
  }
}

uint64_t answered_bytes(const MemReq& request) {
  if (request.op == MemOp::Read) return request.byte_mask;
  return request.op == MemOp::AtomicReturn ? first_bytes(request.atomic_bytes) : 0;
}

}  // namespace cuvette::memory
