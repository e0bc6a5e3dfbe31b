// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/cache_model.h"
#include "ip/cache/cache_core.h"
#include "ip/cache/cache_seat.h"
#include "ip/lockstep/core_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "memory/memory_model.h"

// For tests of the checker of caches: our cache with errors between its pins and itself, and a
// bench around a seat.
namespace cuvette::cache_bench {

using cache::Role;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;
using memory::Mtype;
using memory::Scope;

inline constexpr uint64_t kBase = 0x10000, kBytes = 0x1000;

inline bool stores(MemOp op) {
  return op == MemOp::Write || op == MemOp::Atomic || op == MemOp::AtomicReturn;
}

/// Faults between the pins and our cache: each function may change a message, or keep it.
struct Tampering {
  std::function<bool(MemReq&)> request, below;
  std::function<bool(MemResp&)> answer;
  /// Further messages, after every tick.
  std::function<void(cache::Cache& shell, cache::Cache::Port& down, Cycle now)> more;
};

/// Our cache with errors.
class Tampered final : public cache::Cache {
 public:
  Tampered(const cache::Config& config, Tampering t) : inside_(config), t_(std::move(t)) {
    for (unsigned p = 0; p < config.up_ports; ++p) up_.push_back(std::make_unique<Port>());
    inside_.connect(near_);
  }
  void tick(Cycle now) override {
    for (unsigned p = 0; p < up_.size(); ++p) {
      while (up_[p]->request.front(now) != nullptr) {
        MemReq r = up_[p]->request.pop(now);
        if (!t_.request || t_.request(r)) inside_.up(p).request.push(r, now);
      }
    }
    // Answers to what it has asked for itself.
    while (down_->response.front(now) != nullptr) {
      const MemResp r = down_->response.pop(now);
      if (asked_.erase(r.id) != 0) near_.response.push(r, now);
    }
    inside_.tick(now);
    while (!near_.request.empty()) {
      const Cycle at = near_.request.next_event();
      MemReq r = near_.request.pop(at);
      asked_.insert(r.id);
      if (!t_.below || t_.below(r)) {
        down_->request.push(r, now + 1);
      } else {
        MemResp done;
        done.id = r.id;
        done.address = r.address;
        asked_.erase(r.id);
        near_.response.push(done, now + 1);
      }
    }
    for (unsigned p = 0; p < up_.size(); ++p) {
      auto& from = inside_.up(p).response;
      while (from.front(now) != nullptr) {
        MemResp r = from.pop(now);
        if (!t_.answer || t_.answer(r)) up_[p]->response.push(r, now + 1);
      }
    }
    if (t_.more) t_.more(*this, *down_, now);
  }
  Cycle next_event() const override { return 0; }
  unsigned up_ports() const override { return static_cast<unsigned>(up_.size()); }
  Port& up(unsigned index) override { return *up_[index]; }
  void connect(Port& down) override { down_ = &down; }
  Counters counters() const override { return {}; }
  bool peek(uint64_t, uint8_t*, unsigned) const override { return false; }

 private:
  cache::CacheModel inside_;
  Port near_;
  Port* down_ = nullptr;
  std::vector<std::unique_ptr<Port>> up_;
  std::set<uint64_t> asked_;
  Tampering t_;
};

inline std::unique_ptr<ip::PinDevice> device(const cache::Config& config, const Tampering& t) {
  using Device = ip::CoreDevice<ip::CacheCore>;
  const auto pins = ip::pin_channels(cache::kChannels, config.up_ports);
  const auto make = [config, t] {
    return std::make_unique<ip::CacheCore>(std::make_unique<Tampered>(config, t));
  };
  const auto bind = [](ip::CacheCore& core, Device& d) { visit_channels(core, d); };
  return std::make_unique<ip::PinMonitor>(std::make_unique<Device>(make, bind, pins), pins);
}

inline cache::Config config_of(Role role) {
  cache::Config c;
  c.role = role;
  c.up_ports = 2;
  c.bytes = 512;
  c.ways = 2;
  c.hit_cycles = 3;
  c.misses = 4;
  return c;
}

/// A seat between requesters and a memory.
class Bench {
 public:
  explicit Bench(Role role, const Tampering& t = {})
      : config_(config_of(role)), seat_(device(config_, t), config_, {}, {}) {
    EXPECT_TRUE(backing_.reserve(kBase, kBytes).ok());
    seat_.connect(down_);
    memory::Config m;
    m.latency_cycles = 20;
    m.backing = &backing_;
    memory_ = std::make_unique<memory::MemoryModel>(m);
  }
  uint64_t send(MemReq r, unsigned port = 0) {
    r.id = next_id_++;
    r.time = now_ + 1;
    r.sequence = static_cast<uint32_t>(r.id);
    r.wave = 7;
    r.cu = 3;
    seat_.up(port).request.push(r, now_ + 1);
    return r.id;
  }
  void step() {
    seat_.tick(now_);
    while (down_.request.front(now_) != nullptr) {
      memory_->port(0).request.push(down_.request.pop(now_), now_);
    }
    memory_->tick(now_);
    auto& back = memory_->port(0).response;
    while (back.front(now_) != nullptr) down_.response.push(back.pop(now_), now_);
    for (unsigned p = 0; p < 2; ++p) {
      while (seat_.up(p).response.front(now_) != nullptr) {
        const MemResp r = seat_.up(p).response.pop(now_);
        answers[r.id] = r;
      }
    }
    ++now_;
  }
  void settle(unsigned cycles = 400) {
    for (unsigned n = 0; n < cycles && !mismatch(); ++n) step();
  }
  uint64_t send_and_wait(const MemReq& r, unsigned port = 0) {
    const uint64_t id = send(r, port);
    settle();
    return id;
  }
  const std::optional<ip::BlockMismatch>& mismatch() { return seat_.kit().mismatch(); }
  ip::CacheSeat& seat() { return seat_; }
  hsa::SparseMemory& memory_bytes() { return backing_; }

  std::map<uint64_t, MemResp> answers;

 private:
  cache::Config config_;
  hsa::SparseMemory backing_;
  cache::Cache::Port down_;
  std::unique_ptr<memory::MemoryModel> memory_;
  ip::CacheSeat seat_;
  Cycle now_ = 1;
  uint64_t next_id_ = 100;
};

inline MemReq word(MemOp op, uint64_t offset, uint32_t value = 0) {
  MemReq r;
  r.op = op;
  const auto at = static_cast<unsigned>(offset % 64);
  if (op == MemOp::Read || op == MemOp::Write) {
    r.address = kBase + offset - at;
    r.byte_mask = uint64_t{15} << at;
    std::memcpy(r.data.data() + at, &value, 4);
  } else if (stores(op)) {
    r.address = kBase + offset;
    r.atomic = base::AtomicOp::Add;
    r.byte_mask = uint64_t{15} << at;
    std::memcpy(r.data.data(), &value, 4);
  }
  return r;
}
inline MemReq uncached(MemReq r) {
  r.mtype = Mtype::Uncached;
  return r;
}
inline MemReq scoped(MemReq r, Scope scope) {
  r.scope = scope;
  return r;
}

}  // namespace cuvette::cache_bench
