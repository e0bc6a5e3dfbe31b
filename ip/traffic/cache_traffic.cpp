// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/cache_traffic.h"

#include <algorithm>
#include <cstring>

#include "ip/cache/block_history.h"
#include "ip/traffic/request_draws.h"

namespace cuvette::ip::traffic {

using cache::Role;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using memory::Mtype;
using memory::Scope;

LevelBelow::Bytes& LevelBelow::block(uint64_t address) {
  const uint64_t at = address / 64 * 64;
  const auto [found, is_new] = blocks_.try_emplace(at);
  if (is_new) {
    for (unsigned n = 0; n < 64; ++n) found->second[n] = static_cast<uint8_t>((at >> 6) * 29 + n);
  }
  return found->second;
}

void LevelBelow::step(Cycle now) {
  while (port_.request.front(now) != nullptr) {
    const MemReq r = port_.request.pop(now);
    Cycle due = now + 4 + rng_() % 40;
    if (rng_() % 50 == 0) due += 250;
    Cycle& last = due_[r.address / 64];
    last = due = std::max(due, last);
    const auto place =
        std::ranges::find_if(waiting_, [due](const Waits& w) { return w.due > due; });
    waiting_.insert(place, {r, due});
  }
  while (!waiting_.empty() && waiting_.front().due <= now) {
    port_.response.push(serve(waiting_.front().request), now);
    waiting_.pop_front();
  }
}

MemResp LevelBelow::serve(const MemReq& r) {
  MemResp answer;
  answer.id = r.id;
  answer.address = r.address;
  if (r.op == MemOp::Invalidate || r.op == MemOp::Writeback) {
    if (r.op == MemOp::Writeback && rng_() % 8 == 0) {
      answer.status = MemStatus::Fault;
      answer.address = 0x7700 + rng_() % 16 * 64;
    }
    return answer;
  }
  if (is_absent(r.address) || (r.op != MemOp::Read && is_read_only(r.address))) {
    answer.status = MemStatus::Fault;
    return answer;
  }
  Bytes& bytes = block(r.address);
  if (r.op == MemOp::Read) {
    answer.data = bytes;
    return answer;
  }
  answer.serial = ++serial_;
  if (r.op == MemOp::Write) {
    for (unsigned n = 0; n < 64; ++n) {
      if ((r.byte_mask >> n & 1) != 0) bytes[n] = r.data[n];
    }
    return answer;
  }
  uint64_t old = 0;
  std::memcpy(&old, &bytes[r.address % 64], r.atomic_bytes);
  std::memcpy(answer.data.data(), &old, r.atomic_bytes);
  const uint64_t value = ip::new_value(r, old);
  std::memcpy(&bytes[r.address % 64], &value, r.atomic_bytes);
  return answer;
}

CacheTraffic::CacheTraffic(ip::CacheSeat& seat, const cache::Config& config, const Options& options)
    : seat_(seat),
      config_(config),
      options_(options),
      rng_(options.seed * 977 + 5),
      host_rng_(options.seed + 99),
      below_(down_, options.seed),
      coverage_(config.role != Role::Instruction),
      under_way_(config.up_ports) {
  seat.connect(down_);
  const unsigned sets = config.bytes / (config.ways * config.line_bytes);
  // More tags than ways, in a few neighbouring sets.
  sets_ = std::min(sets, 4u);
  tags_ = config.ways * 2 + 2;
  stride_ = uint64_t{sets} * config.line_bytes * config.slices;
}

/// Block `number` of those that are used, in the pieces of the first slice.
uint64_t CacheTraffic::address(unsigned number) const {
  const uint64_t blocks = config_.line_bytes / 64;
  const uint64_t line = number % sets_;
  const uint64_t local = line * config_.line_bytes + number / sets_ % blocks * 64;
  const uint64_t piece = config_.interleave_bytes;
  const uint64_t low = local / piece * piece * config_.slices + local % piece;
  return 0x4'0000'0000 + number / sets_ * stride_ + low;
}

uint64_t CacheTraffic::pick(unsigned port) {
  for (;;) {
    // Some blocks more often than others.
    const unsigned number = below(3) == 0 ? below(sets_ * 2) : below(sets_ * tags_);
    if (!options_.shared && number % config_.up_ports != port) continue;
    const uint64_t at = address(number);
    const bool refuses = LevelBelow::is_absent(at) || LevelBelow::is_read_only(at);
    if (options_.faults || !refuses) return at;
  }
}

/// Numbers among which are those with meaning for float operations.
uint32_t CacheTraffic::word() {
  constexpr uint32_t kOften[] = {0,          1,          0x80000000, 0xffffffff, 0x3f800000,
                                 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0x00400000,
                                 0x80000001, 0x3c003c00, 0x7c00fc00, 0x00010001, 0x7fffffff};
  if (below(3) == 0) return kOften[below(std::size(kOften))];
  return static_cast<uint32_t>(rng_());
}

void CacheTraffic::make_atomic(MemReq& r) {
  draw_atomic(r, rng_);
  for (unsigned n = 0; n < 4; ++n) {
    const uint32_t value = word();
    std::memcpy(r.data.data() + 4 * n, &value, 4);
  }
}

MemReq CacheTraffic::make(unsigned port) {
  MemReq r;
  r.id = next_id_++ * 3 + port;
  r.cu = static_cast<uint16_t>(port + 1);
  r.wave = static_cast<uint16_t>(below(40));
  r.sequence = ++sequence_;
  r.scope = static_cast<Scope>(below(2) == 0 ? below(2) : below(4));
  r.glc = below(6) == 0;
  if (below(100) < options_.maintenance) {
    r.op = below(2) != 0 ? MemOp::Invalidate : MemOp::Writeback;
    r.byte_mask = 0;
    return r;
  }
  r.slc = below(4) == 0;
  r.scc = below(4) == 0;
  r.nv = below(4) == 0;
  r.address = pick(port);
  // A page has one memory type.
  constexpr Mtype kTypes[] = {Mtype::ReadWrite, Mtype::NonCoherent,     Mtype::ReadWrite,
                              Mtype::Uncached,  Mtype::ReadWrite,       Mtype::NonCoherent,
                              Mtype::ReadWrite, Mtype::CoherentlyCached};
  r.mtype = kTypes[r.address / 64 / 5 % 8];
  // Bytes of a block held by a vector L1 take a store, whether the level below refuses it or not.
  const bool reads = config_.role == Role::Instruction ||
                     (config_.role == Role::VectorL1 && LevelBelow::is_read_only(r.address));
  const unsigned kind = reads ? 0 : below(100);
  if (kind >= 80) {
    make_atomic(r);
    return r;
  }
  r.op = kind < 45 ? MemOp::Read : MemOp::Write;
  r.byte_mask = draw_bytes(rng_);
  if (r.op == MemOp::Write) {
    for (unsigned n = 0; n < 16; ++n) {
      const uint32_t value = word();
      std::memcpy(r.data.data() + 4 * n, &value, 4);
    }
  }
  return r;
}

bool CacheTraffic::step(Cycle now) {
  for (unsigned p = 0; p < under_way_.size(); ++p) {
    auto& answers = seat_.up(p).response;
    while (answers.front(now) != nullptr) {
      const MemResp answer = answers.pop(now);
      --under_way_[p];
      ++answers_;
      coverage_.answered(answer);
      if (answer.status == MemStatus::Fault) ++faults_;
    }
  }
  if (quiet_ != 0) {
    --quiet_;
  } else {
    for (unsigned p = 0; p < under_way_.size(); ++p) {
      if (sent_ == options_.requests || under_way_[p] >= options_.under_way || below(3) == 0) {
        continue;
      }
      MemReq r = make(p);
      r.time = now + 1;
      coverage_.asked(r);
      seat_.up(p).request.push(r, now + 1);
      ++sent_;
      ++under_way_[p];
    }
    if (below(40) == 0) quiet_ = below(60);
  }
  if (host_rng_() % 60 == 0) poke();
  return sent_ < options_.requests || answers_ < options_.requests;
}

/// A host writes behind the cache.
void CacheTraffic::poke() {
  const uint64_t at = address(below(sets_ * tags_)) + host_rng_() % 64;
  below_.poke(at, static_cast<uint8_t>(host_rng_()));
}

Coverage CacheTraffic::coverage() const {
  Coverage all = coverage_.points();
  const cache::Cache::Counters c = seat_.counters();
  all["read hit"] = c.read_hits;
  all["read miss"] = c.read_misses;
  return all;
}

}  // namespace cuvette::ip::traffic
