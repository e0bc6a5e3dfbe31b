// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/share_data.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "wave/memory/lane_data.h"
#include "wave/memory/share_access.h"

namespace cuvette::gds {

using wave::MemoryKind;

namespace {

/// The fields that wave's functions look at.
void fill(const Request& r, wave::MemoryOp& op) {
  op.space = wave::MemorySpace::Gds;
  op.kind = r.kind;
  op.atomic = r.atomic;
  op.accesses = r.accesses;
  op.bytes = r.bytes;
  op.operand_in_lds = r.operand_in_gds;
  op.exec = r.exec[0] | r.exec[1];
  const unsigned dwords = wave::memory::dwords_of(r.bytes);
  for (unsigned access = 0; access < r.accesses; ++access) {
    for (unsigned d = 0; d < dwords; ++d) op.partial[access * dwords + d] = ~r.exec[access];
  }
  for (unsigned a = 0; a < 2; ++a) {
    std::copy(r.offset[a].begin(), r.offset[a].end(), op.address[a]);
    std::copy(r.compare[a].begin(), r.compare[a].end(), op.compare[a]);
  }
  for (unsigned d = 0; d < 4; ++d) std::copy(r.data[d].begin(), r.data[d].end(), op.data[d]);
}

/// MODE.FP_DENORM, of F32 and of F16.
wave::Mode mode_of(const Request& r) {
  return {(r.flush_in ? 0u : 1u << 4 | 1u << 6) | (r.flush_out ? 0u : 1u << 5 | 1u << 7)};
}

}  // namespace

bool is_atomic(const Request& r) {
  return is_atomic(r.kind);
}

Response ShareData::access(const Request& r) {
  wave::MemoryOp op;
  wave::MemoryReply reply;
  fill(r, op);
  wave::access_share(op, op.exec, mode_of(r), bytes_, reply);
  Response done;
  done.id = r.id;
  for (unsigned d = 0; d < 4; ++d) {
    std::copy_n(reply.data[d], wave::kLanes, done.data[d].begin());
  }
  return done;
}

void ShareData::peek(uint32_t address, uint8_t* bytes, uint32_t count) const {
  assert(uint64_t{address} + count <= bytes_.size());
  std::memcpy(bytes, bytes_.data() + address, count);
}

void ShareData::poke(uint32_t address, const uint8_t* bytes, uint32_t count) {
  assert(uint64_t{address} + count <= bytes_.size());
  std::memcpy(bytes_.data() + address, bytes, count);
}

}  // namespace cuvette::gds
