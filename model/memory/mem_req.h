// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/atomic_op.h"
#include "machine/core.h"

/// The message of every memory path inside the GPU: compute unit to vector L1, scalar and
/// instruction caches to L2, L2 to memory, command processor to L2. Names follow the coherence
/// terms of the Compute ABI.
namespace cuvette::memory {

inline constexpr unsigned kBlockBytes =
    64;  ///< most bytes one message carries; never crosses such a block

enum class MemOp : uint8_t {
  Read,
  Write,
  Atomic,  ///< no data comes back, only completion
  AtomicReturn,
  Invalidate,  ///< drop clean lines of the addressed cache; address unused
  Writeback,   ///< write dirty lines back and keep them
};

/// How far away other observers may be (HSA scopes). Wave and work-group need nothing from caches.
enum class Scope : uint8_t { Wave, Workgroup, Agent, System };

/// Memory type of a page, from AddressSpace::translate: MTYPE of the gfx9 page table, the numbers
/// of hsa::MemoryType.
enum class Mtype : uint8_t { NonCoherent, ReadWrite, CoherentlyCached, Uncached };

/// One request. The sender chooses `id`; every request is answered by exactly one MemResp with it.
struct MemReq {
  uint64_t id = 0;
  uint16_t cu = 0;          ///< requesting compute unit; 0xffff for the command processor
  uint16_t wave = 0;        ///< wave slot of the requester, for statistics and ordering domains
  machine::Cycle time = 0;  ///< when it was sent; L2 serves in (time, cu, sequence) order
  uint32_t sequence = 0;    ///< counts the requests of one cu
  MemOp op = MemOp::Read;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  uint8_t atomic_bytes = 4;       ///< 4 or 8
  bool flush_subnormals = false;  ///< float atomics at L2 (decisions.md D8)
  Scope scope = Scope::Wave;
  bool glc = false, slc = false, scc = false, nv = false;  ///< cache bits of the instruction
  Mtype mtype = Mtype::ReadWrite;
  uint64_t address = 0;    ///< physical, aligned to kBlockBytes for Read and Write; the operand's
                           ///< address for atomics
  uint64_t byte_mask = 0;  ///< bytes of the block read or written; atomics: those of the operand
  std::array<uint8_t, kBlockBytes>
      data{};           ///< Write: in place; atomics: operand at [0], compare at [8]
  uint64_t serial = 0;  ///< set by L2: position in the coherence log of stores and atomics
};

enum class MemStatus : uint8_t { Ok, Fault };

struct MemResp {
  uint64_t id = 0;
  machine::Cycle time = 0;
  MemStatus status = MemStatus::Ok;
  uint64_t address = 0;  ///< of the request
  uint64_t serial = 0;   ///< coherence log position (stores and atomics), 0 otherwise
  std::array<uint8_t, kBlockBytes>
      data{};  ///< Read: bytes in place; AtomicReturn: old value at [0]
};

}  // namespace cuvette::memory
