// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "lds/lds_model.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/bits.h"
#include "wave/atomic.h"

namespace cuvette::lds {

using machine::Cycle;
using wave::MemoryKind;

namespace {

unsigned dwords_of(unsigned bytes) {
  return (bytes + 3) / 4;
}

bool in_range(const Request& r, unsigned which, unsigned lane) {
  return uint64_t{r.offset[which][lane]} + r.bytes <= r.limit &&
         uint64_t{r.base} + r.offset[which][lane] + r.bytes <= kBytes;
}

}  // namespace

LdsModel::LdsModel(const Config& config)
    : config_(config),
      banks_(kBanks, std::clamp(config.lanes_per_cycle, 1u, wave::kLanes)),
      bytes_(kBytes) {
  config_.latency_cycles = std::max(1u, config.latency_cycles);
}

Cycle LdsModel::next_event() const {
  const Cycle next = request.next_event();
  return next == machine::kNever ? next : std::max(next, free_at_);
}

void LdsModel::tick(Cycle now) {
  if (now < free_at_ || !response.can_push(now)) return;
  const Request* next = request.front(now);
  if (next == nullptr) return;
  const BankCycles cycles = cost(*next);
  ++counters_.requests;
  counters_.conflict_cycles += cycles.conflict;
  if (is_atomic(next->kind))
    counters_.atomics += static_cast<uint64_t>(__builtin_popcountll(next->exec));
  detail_.busy_cycles += cycles.busy;
  detail_.address_conflict_cycles += cycles.address_conflict;
  if (next->kind == MemoryKind::AtomicReturn) detail_.atomic_return_cycles += cycles.busy;
  free_at_ = now + std::max(1u, cycles.busy);
  last_answer_ = std::max(last_answer_, now + config_.latency_cycles + cycles.conflict);
  Response& answer = response.push_in_place(last_answer_);
  answer = Response{};
  answer.id = next->id;
  perform(*next, answer);
  detail_.violations += static_cast<uint64_t>(__builtin_popcountll(answer.out_of_range));
  request.drop(now);
}

BankCycles LdsModel::cost(const Request& r) const {
  BankCycles total;
  const unsigned places = r.operand_in_lds ? 2 : r.accesses;
  const uint32_t limit = std::min(r.limit, kBytes - std::min(r.base, kBytes));
  for (unsigned which = 0; which < places; ++which) {
    total += banks_.cycles_of(r.exec, r.base, limit, r.offset[which], r.bytes, is_atomic(r.kind));
  }
  return total;
}

/// Loads and stores of one place per lane in whole dwords: most.
void LdsModel::move_dwords(const Request& r, Response& answer) {
  const unsigned dwords = r.bytes / kWordBytes;
  for (uint64_t rest = r.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
    if (!in_range(r, 0, lane)) {
      answer.out_of_range |= uint64_t{1} << lane;
      continue;
    }
    uint8_t* const at = bytes_.data() + r.base + r.offset[0][lane];
    for (unsigned d = 0; d < dwords; ++d) {
      if (r.kind == MemoryKind::Load) {
        std::memcpy(&answer.data[d][lane], at + kWordBytes * d, kWordBytes);
      } else {
        std::memcpy(at + kWordBytes * d, &r.data[d][lane], kWordBytes);
      }
    }
  }
}

void LdsModel::perform(const Request& r, Response& answer) {
  if (!is_atomic(r.kind) && r.accesses == 1 && r.bytes % kWordBytes == 0 && !r.operand_in_lds) {
    return move_dwords(r, answer);
  }
  for (uint64_t rest = r.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
    for (unsigned which = 0; which < r.accesses; ++which) access(r, lane, which, answer);
  }
}

void LdsModel::access(const Request& r, unsigned lane, unsigned which, Response& answer) {
  const unsigned dwords = dwords_of(r.bytes);
  const unsigned first = which * dwords;
  assert(first + dwords <= 4);
  if (!in_range(r, which, lane) || (r.operand_in_lds && !in_range(r, 1, lane))) {
    answer.out_of_range |= uint64_t{1} << lane;  // reads 0, writes nothing (decisions.md D11)
    return;
  }
  uint8_t* at = bytes_.data() + r.base + r.offset[which][lane];
  if (r.kind == MemoryKind::Load) {
    if (r.bytes < 4) std::memcpy(&answer.data[first][lane], at, r.bytes);
    for (unsigned d = 0; d < r.bytes / 4u; ++d) {
      std::memcpy(&answer.data[first + d][lane], at + 4 * d, 4);
    }
    return;
  }
  if (r.kind == MemoryKind::Store) {
    if (r.bytes < 4) std::memcpy(at, &r.data[first][lane], r.bytes);
    for (unsigned d = 0; d < r.bytes / 4u; ++d) {
      std::memcpy(at + 4 * d, &r.data[first + d][lane], 4);
    }
    return;
  }
  const bool wide = r.bytes == 8;
  uint64_t data = base::join32(r.data[first][lane], wide ? r.data[first + 1][lane] : 0);
  if (r.operand_in_lds) {
    data = 0;
    std::memcpy(&data, bytes_.data() + r.base + r.offset[1][lane], r.bytes);
  }
  const uint64_t compare = base::join32(r.compare[0][lane], wide ? r.compare[1][lane] : 0);
  uint64_t old = 0;
  std::memcpy(&old, at, r.bytes);
  const uint64_t value =
      wave::apply_atomic(r.atomic, old, data, compare, r.bytes * 8u, r.flush_in, r.flush_out);
  std::memcpy(at, &value, r.bytes);
  answer.data[first][lane] = base::lo32(old);
  if (wide) answer.data[first + 1][lane] = base::hi32(old);
}

void LdsModel::peek(uint32_t address, uint8_t* bytes, uint32_t count) const {
  assert(uint64_t{address} + count <= kBytes);
  std::memcpy(bytes, bytes_.data() + address, count);
}

void LdsModel::poke(uint32_t address, const uint8_t* bytes, uint32_t count) {
  assert(uint64_t{address} + count <= kBytes);
  std::memcpy(bytes_.data() + address, bytes, count);
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<LdsModel>(config); });
}

}  // namespace cuvette::lds
