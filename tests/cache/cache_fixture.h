// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cache block alone: a requester on its up ports, a memory block behind it.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cache/cache_model.h"
#include "memory/memory_model.h"

namespace cuvette::cache {

using base::AtomicOp;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using memory::Mtype;

inline constexpr uint32_t kHit = 5;
inline constexpr uint32_t kLatency = 40;
inline constexpr uint64_t kBase = 0x10000;

class CacheTest : public testing::Test {
 protected:
  CacheTest() { EXPECT_TRUE(backing_.reserve(kBase, 0x10000).ok()); }

  void make(Role role, uint32_t bytes = 1024, uint32_t ways = 2, unsigned misses = 4) {
    Config c;
    c.role = role;
    c.up_ports = 2;
    c.bytes = bytes;
    c.ways = ways;
    c.line_bytes = 64;
    c.hit_cycles = kHit;
    c.misses = misses;
    c.replacement = replacement_;
    c.replacement_seed = replacement_seed_;
    cache_ = std::make_unique<CacheModel>(c);
    memory::Config m;
    m.latency_cycles = kLatency;
    m.backing = &backing_;
    memory_ = std::make_unique<memory::MemoryModel>(m);
    cache_->connect(down_);
  }

  /// Moves messages between the cache and the memory in a cycle.
  virtual void pass_levels_below() {}
  void step() {
    cache_->tick(now_);
    pass_levels_below();
    while (!down_.request.empty()) {
      const Cycle at = down_.request.next_event();
      memory_->port(0).request.push(down_.request.pop(at), at);
      ++sent_down_;
    }
    memory_->tick(now_);
    auto& back = memory_->port(0).response;
    while (!back.empty()) {
      const Cycle at = back.next_event();
      down_.response.push(back.pop(at), at);
    }
    for (unsigned p = 0; p < 2; ++p) {
      while (cache_->up(p).response.front(now_) != nullptr) {
        const MemResp r = cache_->up(p).response.pop(now_);
        order_.push_back(r.id);
        answers_[r.id] = r;
        times_[r.id] = now_;
      }
    }
    ++now_;
  }
  void settle() {
    for (int i = 0; i < 2000; ++i) step();
  }

  uint64_t send(MemReq r, unsigned port = 0) {
    r.id = next_id_++;
    r.time = now_ + 1;
    r.sequence = static_cast<uint32_t>(r.id);
    cache_->up(port).request.push(r, now_ + 1);
    return r.id;
  }
  static MemReq word(MemOp op, uint64_t address, uint32_t value = 0) {
    MemReq r;
    r.op = op;
    const unsigned at = address % 64;
    if (op == MemOp::Atomic || op == MemOp::AtomicReturn) {
      r.address = address;
      std::memcpy(r.data.data(), &value, 4);
    } else {
      r.address = address - at;
      r.byte_mask = uint64_t{15} << at;
      std::memcpy(r.data.data() + at, &value, 4);
    }
    return r;
  }
  uint32_t read(uint64_t address, bool glc = false, Mtype mtype = Mtype::ReadWrite,
                memory::Scope scope = memory::Scope::Wave) {
    MemReq r = word(MemOp::Read, address);
    r.glc = glc;
    r.scope = scope;
    r.mtype = mtype;
    const uint64_t id = send(r);
    settle();
    return value_at(id, address);
  }
  uint32_t value_at(uint64_t id, uint64_t address) {
    EXPECT_EQ(answers_.count(id), 1u) << "no answer to request " << id;
    uint32_t v = 0;
    std::memcpy(&v, answers_[id].data.data() + address % 64, 4);
    return v;
  }
  void write(uint64_t address, uint32_t value) {
    send(word(MemOp::Write, address, value));
    settle();
  }
  void maintain(MemOp op) {
    MemReq r;
    r.op = op;
    const uint64_t id = send(r, 1);
    settle();
    EXPECT_EQ(answers_.count(id), 1u);
  }
  uint32_t behind(uint64_t address) {
    uint32_t v = 0;
    EXPECT_TRUE(backing_.read(address, &v, 4));
    return v;
  }
  void poke(uint64_t address, uint32_t value) { EXPECT_TRUE(backing_.write(address, &value, 4)); }

  hsa::SparseMemory backing_;
  std::string replacement_ = "lru";
  uint64_t replacement_seed_ = 1;
  std::unique_ptr<CacheModel> cache_;
  std::unique_ptr<memory::MemoryModel> memory_;
  Cache::Port down_;
  Cycle now_ = 0;
  uint64_t next_id_ = 1;
  unsigned sent_down_ = 0;
  std::map<uint64_t, MemResp> answers_;
  std::map<uint64_t, Cycle> times_;
  std::vector<uint64_t> order_;
};

}  // namespace cuvette::cache
