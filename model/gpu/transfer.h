// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include "gpu/atomic_extension.h"
#include "memory/memory_messages.h"

/// Requests of the blocks as TLM-2.0 transactions of the base protocol.
namespace cuvette::gpu {

using MemoryTarget = tlm::tlm_fw_transport_if<>;

/// Form of the transactions to memory.
struct TransferOptions {
  /// A store with holes in its mask is one transaction for each run of bytes, instead of one with
  /// byte enables.
  bool split_masked_stores = false;
  /// Engine ca only. The four phases of the base protocol instead of b_transport.
  bool four_phase = false;
  /// Engine ca only: so many accesses may be under way, at least 1, never two to one block.
  unsigned outstanding = 1;
};

/// Read or Write, by b_transport: fills `response.data`, zeros before, in place and adds to
/// `delay`. `dmi_hint`, when not null, is the target's DMI hint. False for an error response. Reads
/// are one transaction from the first byte asked for to the last. `trans` is the payload: one that
/// nobody uses, without extensions.
bool transfer(MemoryTarget& target, tlm::tlm_generic_payload& trans, const memory::MemReq& request,
              const TransferOptions& options, memory::MemResp& response, sc_core::sc_time& delay,
              bool* dmi_hint);

/// Atomic or AtomicReturn: a read with AtomicExtension, and when the target ignores that, a write
/// of the new value; `performed` says which it was, `dmi_hint` as above. Nothing comes in between
/// unless the target waits, so initiators that share a target which waits go through
/// ExternalMemoryBus.
bool perform_atomic(MemoryTarget& target, const memory::MemReq& request, memory::MemResp& response,
                    sc_core::sc_time& delay, bool& performed, bool* dmi_hint = nullptr);

/// Value that the operation of `request` makes of `old`.
uint64_t new_value(const memory::MemReq& request, uint64_t old);

}  // namespace cuvette::gpu
