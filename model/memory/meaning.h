// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Meaningful bytes of the data of memory messages, for their comparison
/// (docs/reference/memory.md).
namespace cuvette::memory {

struct MemReq;

/// Bytes of MemReq::data: of a Write those of its byte mask, of an atomic its operand at byte 0
/// and, where the operation has one, the compare value at byte 8. A bit per byte.
uint64_t sent_bytes(const MemReq& request);

/// Bytes of MemResp::data in the answer to `request`: of a Read those of its byte mask, of an
/// AtomicReturn the old value at byte 0.
uint64_t answered_bytes(const MemReq& request);

}  // namespace cuvette::memory
