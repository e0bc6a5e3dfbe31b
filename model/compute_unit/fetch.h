// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/index_set.h"
#include "base/occupancy.h"
#include "cache/cache.h"
#include "compute_unit/code_store.h"
#include "hsa/address_space.h"
#include "machine/core.h"

namespace cuvette::compute_unit {

inline constexpr unsigned kBufferDwords = 16;  ///< instruction buffer of a wave (Vega ISA 12.7)

/// Instruction buffers of all waves and their refill through the instruction cache: at most one
/// request per wave and one per cycle, for as much of a 64-byte block as the buffer has room for.
class Fetch {
 public:
  /// `store`: null for one of its own.
  Fetch(const std::shared_ptr<CodeStore>& store, isa::Target target, unsigned waves,
        uint32_t fetch_cycles, const hsa::AddressSpace& space);
  void connect(uint16_t cu, cache::Cache::Port& port, uint32_t& sequence);

  /// Empties the wave's buffer and starts over at `pc`. `age`: lower is served first.
  void start(unsigned wave, uint64_t pc, uint32_t vmid, uint64_t age);
  void jump(unsigned wave, uint64_t pc);
  void stop(unsigned wave);
  /// S_ICACHE_INV: fetched instructions are dropped, and the cache is invalidated.
  void invalidate(unsigned wave, uint64_t pc, machine::Cycle now);

  /// The instruction at the front of the buffer; null when it is not there yet.
  const Code* head(unsigned wave, machine::Cycle now) {
    const Buffer& b = buffers_[wave];
    return b.head != nullptr ? b.head : decode(wave, now);
  }
  /// The same without decoding anything, for reports: also what was last decoded at that address,
  /// while its words are on their way again. Null when nothing was.
  const Code* known_head(unsigned wave) const;
  /// Instruction words held, the next one first; how many.
  unsigned held(unsigned wave, const uint32_t*& words) const {
    words = buffers_[wave].words.data();
    return buffers_[wave].count;
  }
  void advance(unsigned wave, unsigned dwords);
  /// The next words cannot be fetched; meaningful when head() gives null.
  bool faulted(unsigned wave) const { return buffers_[wave].fault; }
  /// An answer of the cache is still to come.
  bool outstanding(unsigned wave) const { return buffers_[wave].outstanding; }
  /// head() is null before, unless something arrives; kNever when the wave waits for the cache.
  machine::Cycle no_head_before(unsigned wave) const {
    const Buffer& b = buffers_[wave];
    if (b.head != nullptr || b.count > b.fresh) return 0;
    if (b.count != 0) return b.fresh_at;
    return b.fault ? 0 : machine::kNever;
  }
  /// When words that have arrived may be used; kNever when the wave waits for the cache.
  machine::Cycle usable_at(unsigned wave, machine::Cycle now) const;

  /// True if take() has something to do.
  bool arrived(machine::Cycle now) const { return port_->response.front(now) != nullptr; }
  void take(machine::Cycle now);
  /// The waves to which the last take() has brought words, or a fault.
  const std::vector<unsigned>& woken() const { return woken_; }
  /// The wave whose words it has asked for, kNobody when it has not asked.
  static constexpr unsigned kNobody = ~0u;
  unsigned send(machine::Cycle now);
  machine::Cycle next_event() const;
  const CodeStore& store() const { return code_.store(); }
  /// Called with every request for instructions, with the address of the first and with how many
  /// bytes, and with every answer, when set.
  using OnRequest =
      std::function<void(unsigned wave, const memory::MemReq&, uint64_t va, uint32_t bytes)>;
  using OnAnswer = std::function<void(unsigned wave, uint32_t sequence)>;
  void watch(OnRequest on_request, OnAnswer on_answer) {
    on_request_ = std::move(on_request);
    on_answer_ = std::move(on_answer);
  }
  /// Sent so far.
  uint64_t requests() const { return next_id_; }
  /// Fetches that are not answered.
  const base::Occupancy& under_way() const { return under_way_; }

 private:
  struct Buffer {
    std::array<uint32_t, kBufferDwords> words{};
    uint64_t pc = 0;  // of words[0]
    uint32_t vmid = 0;
    uint64_t age = 0;
    uint8_t count = 0;  // words held
    uint8_t fresh = 0;  // words at the end that may be used from fresh_at on
    machine::Cycle fresh_at = 0;
    bool active = false, outstanding = false, fault = false;
    uint32_t epoch = 0;          // counts restarts: replies to older ones are dropped
    const Code* head = nullptr;  // of the words at the front, when they are decoded
  };
  struct Flight {
    unsigned wave = 0;
    uint32_t epoch = 0;
    uint32_t sequence = 0;           // of the request
    uint8_t offset = 0, dwords = 0;  // of the block
    bool done = false;
  };
  const Code* decode(unsigned wave, machine::Cycle now);
  void restart(unsigned wave, uint64_t pc);
  /// After anything that makes room in the buffer, or fills it.
  void follow(unsigned wave);
  void request(unsigned wave, machine::Cycle now);

  uint32_t fetch_cycles_;
  const hsa::AddressSpace& space_;
  uint16_t cu_ = 0;
  cache::Cache::Port* port_ = nullptr;
  uint32_t* sequence_ = nullptr;
  std::vector<Buffer> buffers_;
  base::IndexSet wanting_;       // waves whose buffer has room for a refill and asks for none
  std::vector<Flight> flights_;  // the first has oldest_id_
  uint64_t next_id_ = 0, oldest_id_ = 0;
  std::vector<unsigned> woken_;
  CodeReader code_;
  base::Occupancy under_way_;
  OnRequest on_request_;
  OnAnswer on_answer_;
};

}  // namespace cuvette::compute_unit
