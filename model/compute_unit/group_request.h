// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/coalesce.h"
#include "gds/gds.h"
#include "memory/memory_messages.h"
#include "wave/memory_op.h"

// Between the lanes of an operation and requests to memory, in both directions.
namespace cuvette::compute_unit {

/// The request of a group into a fresh `request`, data of stores and atomics included; who sends it
/// adds id, sender and time.
void fill_request(const wave::MemoryOp& op, const Coalesced& requests, const Group& group,
                  memory::MemReq& request);

/// Puts what a load or returning atomic gave for a group into the reply (sampled images: into the
/// fetches of `op`).
void take_response(const Coalesced& requests, const Group& group, const memory::MemResp& response,
                   wave::MemoryOp& op, wave::MemoryReply& reply);

/// A DS instruction for the gds; who sends it adds id and sender.
gds::Request gds_request_of(const wave::MemoryOp& op);

}  // namespace cuvette::compute_unit
