// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/compute_unit/traffic_ledger.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "memory/serve.h"

namespace cuvette::ip {

using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using wave::MemoryKind;

namespace {

/// Answers that a wave has not used: a device may ask for more than an instruction needs.
constexpr size_t kMostLoaded = 4096;

uint64_t value_of(const uint8_t* bytes, unsigned count) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, std::min(count, 8u));
  return value;
}
std::string lane_text(const wave::MemoryAccess& a) {
  return fmt::format("lane {}, {} bytes at {:#x}", a.lane, a.size, a.address);
}

}  // namespace

void TrafficLedger::sent(const MemReq& r) {
  if (r.op == MemOp::Write) {
    Bytes bytes{r.address, r.byte_mask, {}, false};
    std::copy_n(std::begin(r.data), memory::kBlockBytes, bytes.data.begin());
    stored_.push_back(bytes);
  } else if (r.op == MemOp::Atomic || r.op == MemOp::AtomicReturn) {
    Atomic atomic;
    atomic.address = r.address;
    atomic.operand = value_of(&r.data[0], r.atomic_bytes);
    atomic.op = r.atomic;
    atomic.bytes = r.atomic_bytes;
    atomic.answered = r.op == MemOp::Atomic;
    atomic.id = r.id;
    atomics_.push_back(atomic);
  }
}

void TrafficLedger::answered(const MemReq& r, const MemResp& answer) {
  if (r.op == MemOp::AtomicReturn) {
    for (Atomic& atomic : atomics_) {
      if (atomic.id != r.id || atomic.answered) continue;
      atomic.old = value_of(&answer.data[0], r.atomic_bytes);
      atomic.answered = true;
    }
  }
  if (r.op != MemOp::Read || answer.status != memory::MemStatus::Ok) return;
  if (loaded_.size() == kMostLoaded) loaded_.pop_front();
  Bytes bytes{r.address, r.byte_mask, {}, false};
  std::copy_n(std::begin(answer.data), memory::kBlockBytes, bytes.data.begin());
  loaded_.push_back(bytes);
}

std::string TrafficLedger::account(const std::vector<const wave::MemoryAccess*>& accesses,
                                   const Translate& translate) {
  std::vector<const wave::MemoryAccess*> stores;
  for (const wave::MemoryAccess* a : accesses) {
    if (a->fault) continue;
    if (a->kind == MemoryKind::Store) {
      stores.push_back(a);
      continue;
    }
    std::string wrong =
        a->kind == MemoryKind::Load ? account_load(*a, translate) : account_atomic(*a, translate);
    if (!wrong.empty()) return wrong;
  }
  loaded_.erase(
      std::remove_if(loaded_.begin(), loaded_.end(), [](const Bytes& b) { return b.used; }),
      loaded_.end());
  return stores.empty() ? std::string() : account_stores(stores, translate);
}

std::string TrafficLedger::account_load(const wave::MemoryAccess& a, const Translate& translate) {
  for (unsigned n = 0; n < a.size; ++n) {
    const auto pa = translate(a.address + n);
    if (!pa) return fmt::format("{}: loaded, and has no physical address", lane_text(a));
    const auto at = static_cast<unsigned>(*pa - memory::block_address(*pa));
    const auto brought = [&](const Bytes& b) {
      return b.address == memory::block_address(*pa) && base::bit(b.mask, at) &&
             b.data[at] == a.bytes[n];
    };
    // One that this instruction has used already, else the oldest.
    auto found = std::find_if(loaded_.begin(), loaded_.end(),
                              [&](const Bytes& b) { return b.used && brought(b); });
    if (found == loaded_.end()) found = std::find_if(loaded_.begin(), loaded_.end(), brought);
    if (found == loaded_.end()) {
      return fmt::format("{}: byte {} loaded as {:#x}, which no answer has brought", lane_text(a),
                         n, a.bytes[n]);
    }
    found->used = true;
  }
  return {};
}

std::string TrafficLedger::account_atomic(const wave::MemoryAccess& a, const Translate& translate) {
  const auto pa = translate(a.address);
  const uint64_t operand = value_of(a.bytes, a.size);
  const uint64_t old = value_of(a.old_bytes, a.size);
  const auto found = std::find_if(atomics_.begin(), atomics_.end(), [&](const Atomic& s) {
    return pa == s.address && s.bytes == a.size && s.op == a.atomic && s.operand == operand &&
           s.answered && (a.kind == MemoryKind::Atomic || s.old == old);
  });
  if (found == atomics_.end()) {
    return fmt::format("{}: an atomic that was not sent, or returned another value", lane_text(a));
  }
  atomics_.erase(found);
  return {};
}

/// Among lanes that store to one byte, the last one's value has to be sent; the others' may be sent
/// before it.
std::string TrafficLedger::account_stores(const std::vector<const wave::MemoryAccess*>& accesses,
                                          const Translate& translate) {
  std::map<uint64_t, std::vector<uint8_t>> values;  // by physical byte, in order of lanes
  for (const wave::MemoryAccess* a : accesses) {
    for (unsigned n = 0; n < a->size; ++n) {
      const auto pa = translate(a->address + n);
      if (!pa) return fmt::format("{}: stored, and has no physical address", lane_text(*a));
      values[*pa].push_back(a->bytes[n]);
    }
  }
  for (const auto& [pa, wanted] : values) {
    const auto at = static_cast<unsigned>(pa - memory::block_address(pa));
    size_t next = 0;
    for (Bytes& b : stored_) {
      if (next == wanted.size()) break;
      if (b.address != memory::block_address(pa) || !base::bit(b.mask, at)) continue;
      const auto match =
          std::find(wanted.begin() + static_cast<ptrdiff_t>(next), wanted.end(), b.data[at]);
      if (match == wanted.end()) break;
      next = static_cast<size_t>(match - wanted.begin()) + 1;
      b.mask &= ~(uint64_t{1} << at);
    }
    // The last value may be sent before an equal one of an earlier lane is looked for.
    if (next != wanted.size() && (next == 0 || wanted[next - 1] != wanted.back())) {
      return fmt::format("physical byte {:#x} stored as {:#x}, which was not sent", pa,
                         wanted.back());
    }
  }
  stored_.erase(
      std::remove_if(stored_.begin(), stored_.end(), [](const Bytes& b) { return b.mask == 0; }),
      stored_.end());
  return {};
}

std::string TrafficLedger::left() const {
  if (!stored_.empty()) {
    return fmt::format("bytes {:#x} of the block at {:#x} were sent by no instruction",
                       stored_.front().mask, stored_.front().address);
  }
  if (!atomics_.empty()) {
    return fmt::format("the atomic at {:#x} was sent by no instruction", atomics_.front().address);
  }
  return {};
}

}  // namespace cuvette::ip
