// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/cosim_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "base/bits.h"
#include "wave/access_pieces.h"
#include "wave/atomic.h"
#include "wave/memory/sampling.h"

namespace cuvette::golden {

using wave::MemoryKind;
using wave::MemoryOp;
using wave::MemoryReply;
using wave::MemorySpace;

namespace {

void put_byte(uint32_t planes[][wave::kLanes], unsigned lane, unsigned byte, uint8_t value) {
  uint32_t& word = planes[byte / 4][lane];
  word = (word & ~(0xffu << 8 * (byte % 4))) | uint32_t{value} << 8 * (byte % 4);
}

uint8_t get_byte(const uint32_t planes[][wave::kLanes], unsigned lane, unsigned byte) {
  return static_cast<uint8_t>(planes[byte / 4][lane] >> 8 * (byte % 4));
}

}  // namespace

void CosimMemory::perform(const MemoryOp& op, const wave::Mode& mode, MemoryReply& reply) {
  switch (op.space) {
    case MemorySpace::Scalar:
      scalar(op, reply);
      break;
    case MemorySpace::Global: {
      if (op.sampling != nullptr) {
        sample(*op.sampling, op.exec, reply);
        break;
      }
      if (op.transfer == wave::LdsTransfer::FromLds) {
        const MemoryOp filled = filled_from_lds(op);
        vector(filled, op.exec, reply);
        std::copy(std::begin(filled.data[0]), std::end(filled.data[0]), reply.data[0]);
        break;
      }
      if (const uint64_t local = op.exec & op.flat_lds; local != 0) {
        MemoryOp part = op;
        part.exec = local;
        port_.perform(part, mode, lds_, reply);
      }
      vector(op, op.exec & ~op.flat_lds, reply);
      if (op.transfer == wave::LdsTransfer::ToLds) put_into_lds(op, reply);
      break;
    }
    default:
      port_.perform(op, mode, lds_, reply);
      first_fault_ = port_.first_fault();
  }
}

/// BUFFER_STORE_LDS_DWORD with the data it finds.
MemoryOp CosimMemory::filled_from_lds(const MemoryOp& op) const {
  MemoryOp filled = op;
  for (uint64_t rest = op.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint32_t value = 0;
    if (in_lds(op.address[1][lane])) std::memcpy(&value, &lds_[op.address[1][lane]], 4);
    filled.data[0][lane] = value;
  }
  return filled;
}

/// A dword of every lane; those that failed a range check of memory give 0.
void CosimMemory::put_into_lds(const MemoryOp& op, const MemoryReply& reply) {
  for (uint64_t rest = op.exec | op.out_of_range; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t value = wave::loaded_value(op, reply, lane, 0, 0, false);
    if (in_lds(op.address[1][lane])) std::memcpy(&lds_[op.address[1][lane]], &value, 4);
  }
}

void CosimMemory::describe(std::vector<wave::MemoryAccess>& accesses) {
  for (wave::MemoryAccess& a : accesses) {
    if (a.space != MemorySpace::Global && a.space != MemorySpace::Scalar) continue;
    if (a.fault && !is_atomic(a.kind)) a.fault = !visible_.exists(a.address, a.size);
    if (declare_ && a.kind != MemoryKind::Load && !a.fault) a.serial = visible_.last_serial();
  }
}

void CosimMemory::fault(MemoryReply& reply, unsigned lane, uint64_t address) {
  if (reply.faulted == 0) first_fault_ = {hsa::Fault::Unmapped, address};
  reply.faulted |= uint64_t{1} << lane;
}

bool CosimMemory::observation_fits(uint64_t lanes, size_t bytes) {
  if (observation_ == nullptr) return false;
  if (observation_->lanes == lanes && observation_->bytes.size() == bytes) return true;
  complain(fmt::format("load observed with lanes {:#x} and {} bytes, expected {:#x} and {}",
                       observation_->lanes, observation_->bytes.size(), lanes, bytes));
  return false;
}

/// `from`: where the bytes are in the observation.
void CosimMemory::load(Cache cache, uint64_t address, unsigned bytes, size_t from, uint8_t* data) {
  ++loads_;
  const bool observed = observation_ != nullptr && wrong_.empty();
  if (observed) std::memcpy(data, observation_->bytes.data() + from, bytes);
  const uint64_t upper = observed ? observation_->upper : visible_.last_serial();
  const auto seen = visible_.load(wave_, cache, upper, address, bytes, observed, data);
  candidates_ = std::max(candidates_, seen.candidates);
  if (!seen.wrong.empty()) complain(seen.wrong);
}

uint64_t CosimMemory::write(VisibleMemory::Write w, bool returns) {
  uint64_t old = 0;
  w.name.wave = wave_;
  w.name.order = order_;
  if (declare_) {
    // A lane's second piece shares the place of its first.
    (void)visible_.declare(w.name, visible_.last_serial() + 1);
  }
  std::string wrong = visible_.write(w, returns ? &old : nullptr);
  if (!wrong.empty()) complain(wrong);
  return old;
}

void CosimMemory::vector(const MemoryOp& op, uint64_t lanes, MemoryReply& reply) {
  const size_t lane_bytes = size_t{op.bytes} * op.accesses;
  const auto active = static_cast<size_t>(std::popcount(lanes));
  const bool load_kind = op.kind == MemoryKind::Load;
  if (load_kind && observation_ != nullptr && !observation_fits(lanes, active * lane_bytes)) return;
  size_t index = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1, ++index) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    for (unsigned access = 0; access < op.accesses; ++access) {
      const unsigned plane = access * ((op.bytes + 3u) / 4);
      for (unsigned d = 0; d < (op.bytes + 3u) / 4; ++d) reply.data[plane + d][lane] = 0;
      wave::for_access_pieces(
          op, access, lane, [&](uint64_t address, unsigned first, unsigned count) {
            const bool misaligned = is_atomic(op.kind) && address % op.bytes != 0;
            if (misaligned || !visible_.exists(address, count)) {
              fault(reply, lane, address);
              return;
            }
            if (load_kind) {
              uint8_t data[16] = {};
              load(Cache::Vector, address, count, index * lane_bytes + access * op.bytes + first,
                   data);
              for (unsigned n = 0; n < count; ++n) {
                put_byte(reply.data + plane, lane, first + n, data[n]);
              }
              return;
            }
            VisibleMemory::Write w;
            w.name.lane = static_cast<uint8_t>(lane);
            w.address = address;
            w.bytes = count;
            for (unsigned n = 0; n < count; ++n) {
              w.data[n] = get_byte(op.data + plane, lane, first + n);
            }
            if (is_atomic(op.kind)) {
              w.atomic = true;
              w.op = op.atomic;
              w.flush_subnormals = wave::flushes_in_l2(op.instruction->target);
              for (unsigned n = 0; n < count; ++n) {
                w.operand |= uint64_t{w.data[n]} << 8 * n;
                w.compare |= uint64_t{get_byte(op.compare, lane, first + n)} << 8 * n;
              }
            }
            const uint64_t old = write(w, op.kind == MemoryKind::AtomicReturn);
            for (unsigned n = 0; n < count && op.kind == MemoryKind::AtomicReturn; ++n) {
              put_byte(reply.data + plane, lane, first + n, static_cast<uint8_t>(old >> 8 * n));
            }
          });
    }
  }
}

/// Fetches of a sampled image, in the order of docs/reference/memory_semantics.md.
void CosimMemory::sample(wave::Sampling& sampling, uint64_t lanes, MemoryReply& reply) {
  const size_t bytes = sampling.fetches.size() * sampling.bytes;
  if (observation_ != nullptr && !observation_fits(lanes, bytes)) return;
  size_t from = 0;
  for (wave::Sampling::Fetch& fetch : sampling.fetches) {
    uint8_t data[16] = {};
    if (visible_.exists(fetch.address, sampling.bytes)) {
      load(Cache::Vector, fetch.address, sampling.bytes, from, data);
    } else {
      fault(reply, fetch.lane, fetch.address);
    }
    std::memcpy(fetch.raw, data, sizeof data);
    from += sampling.bytes;
  }
}

void CosimMemory::scalar(const MemoryOp& op, MemoryReply& reply) {
  std::memset(reply.scalar_data, 0, sizeof reply.scalar_data);
  if (op.exec == 0) return;
  const uint64_t address = op.address[0][0];
  const unsigned bytes = 4u * static_cast<unsigned>(std::popcount(op.exec));
  constexpr unsigned kPiece = 16;
  for (unsigned first = 0; first < bytes; first += kPiece) {
    if (!visible_.exists(address + first, std::min(kPiece, bytes - first))) {
      fault(reply, 0, address);
      return;
    }
  }
  if (op.kind == MemoryKind::Load) {
    if (observation_ != nullptr && !observation_fits(1, bytes)) return;
    uint8_t data[64] = {};
    load(Cache::Scalar, address, bytes, 0, data);
    std::memcpy(reply.scalar_data, data, bytes);
    return;
  }
  VisibleMemory::Write w;
  w.cache = Cache::Scalar;
  w.address = address;
  w.bytes = bytes;
  std::memcpy(w.data, op.scalar_data, bytes);
  if (is_atomic(op.kind)) {
    w.atomic = true;
    w.op = op.atomic;
    w.operand = base::join32(op.scalar_data[0], bytes == 8 ? op.scalar_data[1] : 0);
    w.compare = base::join32(op.compare[0][0], bytes == 8 ? op.compare[1][0] : 0);
  }
  const uint64_t old = write(w, op.kind == MemoryKind::AtomicReturn);
  reply.scalar_data[0] = base::lo32(old);
  reply.scalar_data[1] = base::hi32(old);
}

}  // namespace cuvette::golden
