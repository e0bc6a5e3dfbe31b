// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/crossbar_traffic.h"

#include <algorithm>
#include <random>
#include <utility>

namespace cuvette::ip::traffic {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

/// Makes messages from a seed: hot slices and sources come and go.
class CrossbarTraffic::Draw {
 public:
  Draw(const crossbar::Config& config, uint32_t seed) : config_(config), rng_(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(rng_() % n); }
  uint64_t word() { return rng_(); }

  void next_cycle() {
    if (left_-- != 0) return;
    left_ = 20 + below(150);
    pattern_ = below(5);
    hot_source_ = below(config_.sources);
    hot_slice_ = below(config_.slices);
    pace_ = pattern_ == 0 ? 1 : 1 + below(6);
  }
  /// How many requests a source makes in this cycle.
  unsigned burst(unsigned source) {
    if (pattern_ == 0 && source != hot_source_) return 0;
    if (below(pace_) != 0) return 0;
    return below(pattern_ == 0 ? 2 : 12) == 0 ? 3 : 1;
  }
  MemReq request(uint64_t id, const crossbar::Aperture& aperture) {
    MemReq r;
    r.id = id;
    r.cu = static_cast<uint16_t>(word());
    r.wave = static_cast<uint16_t>(word());
    r.sequence = static_cast<uint32_t>(word());
    r.op = below(12) == 0 ? (below(2) != 0 ? MemOp::Invalidate : MemOp::Writeback)
                          : static_cast<MemOp>(below(4));
    r.atomic = static_cast<base::AtomicOp>(below(23));
    r.atomic_bytes = below(2) != 0 ? 4 : 8;
    r.flush_subnormals = below(2) != 0;
    r.scope = static_cast<memory::Scope>(below(4));
    r.glc = below(2) != 0, r.slc = below(2) != 0, r.scc = below(2) != 0, r.nv = below(2) != 0;
    r.mtype = static_cast<memory::Mtype>(below(4));
    r.byte_mask = word();
    r.serial = word();
    for (uint8_t& byte : r.data) byte = static_cast<uint8_t>(word());
    r.address = word() & ~uint64_t{63};
    if (aperture.there && below(pattern_ == 0 ? 2 : 6) == 0) {  // in it, or beside
      r.op = below(8) == 0 ? MemOp::Read : MemOp::Write;
      r.address = aperture.base - 128 + below(static_cast<unsigned>(aperture.bytes) / 64 + 4) * 64;
    } else if (pattern_ == 1) {  // one slice
      const uint64_t piece = r.address / config_.interleave_bytes / config_.slices * config_.slices;
      r.address = (piece + hot_slice_) * config_.interleave_bytes;
    }
    return r;
  }
  MemResp reply(const MemReq& to) {
    MemResp r;
    r.id = to.id;
    r.address = to.address;
    if (below(is_broadcast(to.op) ? 3 : 8) == 0) {
      r.status = MemStatus::Fault;
      r.address = word();
    }
    r.serial = is_broadcast(to.op) ? 0 : word();
    for (uint8_t& byte : r.data) byte = static_cast<uint8_t>(word());
    return r;
  }
  /// Cycles until a slice answers.
  unsigned delay() {
    if (below(50) == 0) return below(300);
    return below(pattern_ == 0 ? 2 : pattern_ == 2 ? 60 : 8);
  }
  crossbar::Aperture aperture() {
    if (below(4) == 0) return {};
    return {true, word() & ~uint64_t{0xfff}, uint64_t{64} << below(7)};
  }

 private:
  crossbar::Config config_;
  std::mt19937_64 rng_;
  unsigned left_ = 0, pattern_ = 0, hot_source_ = 0, hot_slice_ = 0, pace_ = 1;
};

/// A slice that answers late, and not in order.
struct CrossbarTraffic::Replies {
  std::vector<std::pair<Cycle, MemResp>> due;

  /// Some of those whose time has come, at most three.
  std::vector<MemResp> take(Draw& draw, Cycle now) {
    std::vector<MemResp> out;
    const size_t most = 1 + draw.below(3);
    while (out.size() < most) {
      const auto ready = std::find_if(due.begin(), due.end(),
                                      [now](const auto& entry) { return entry.first <= now; });
      if (ready == due.end()) break;
      out.push_back(ready->second);
      due.erase(ready);
    }
    return out;
  }
};

CrossbarTraffic::CrossbarTraffic(crossbar::Crossbar& crossbar, const crossbar::Config& config,
                                 const Options& options, crossbar::Crossbar* alike)
    : crossbar_(crossbar),
      alike_(alike),
      config_(config),
      options_(options),
      draw_(std::make_unique<Draw>(config, options.seed)),
      ledger_(config),
      replies_(config.slices),
      next_id_(config.sources, 1),
      by_slice_(config.slices),
      by_source_(config.sources) {}

CrossbarTraffic::~CrossbarTraffic() = default;

void CrossbarTraffic::place(Cycle now) {
  do {
    aperture_ = draw_->aperture();
  } while (!options_.moves && !aperture_.there);  // the only one is somewhere
  ledger_.placed(aperture_, now);
  crossbar_.aperture.push(aperture_, now);
  if (alike_ != nullptr) alike_->aperture.push(aperture_, now);
  ++moved_;
}

void CrossbarTraffic::ask(unsigned source, Cycle now) {
  // Few ids, so that they come again, from both ends of their range.
  const uint64_t n = next_id_[source]++;
  const MemReq r = draw_->request(n % 2 == 0 ? n : kCrossbarIds - n, aperture_);
  ledger_.asked(source, r, now);
  crossbar_.source(source).request.push(r, now);
  if (alike_ != nullptr) alike_->source(source).request.push(r, now);
  ++sent_;
  ++by_source_[source];
  ++operations_[static_cast<unsigned>(r.op)];
  if (is_broadcast(r.op)) ++broadcasts_;
}

void CrossbarTraffic::give(unsigned slice, const MemReq& r, bool store, Cycle now) {
  ledger_.given(slice, r, store);
  ++by_slice_[slice];
  if (store) {
    ++stores_;
  } else {
    replies_[slice].due.emplace_back(now + draw_->delay(), draw_->reply(r));
  }
}

bool CrossbarTraffic::step(Cycle now) {
  if (answers_ >= options_.requests || ledger_.violation()) return false;
  if (!std::exchange(begun_, true)) {
    if (options_.moves) {
      ledger_.placed({}, now);
    } else {
      place(now);
    }
  }
  // Which aperture holds is known when it has been taken.
  if (!options_.moves && !crossbar_.aperture.empty()) return true;
  draw_->next_cycle();
  if (options_.moves && draw_->below(120) == 0) place(now);
  for (unsigned s = 0; s < config_.sources; ++s) {
    for (unsigned n = draw_->burst(s); n != 0 && sent_ < options_.requests; --n) {
      if (ledger_.under_way(s) < options_.under_way) {
        ask(s, now);
      } else {
        ++full_;
      }
    }
  }
  for (unsigned k = 0; k < config_.slices; ++k) {
    for (const MemResp& r : replies_[k].take(*draw_, now)) {
      ledger_.replied(r);
      crossbar_.slice(k).response.push(r, now);
      if (alike_ != nullptr) alike_->slice(k).response.push(r, now);
    }
  }
  return true;
}

void CrossbarTraffic::follow(Cycle now) {
  for (unsigned k = 0; k < config_.slices; ++k) {
    auto& requests = crossbar_.slice(k).request;
    while (requests.front(now) != nullptr) give(k, requests.pop(now), false, now);
    auto& stores = crossbar_.aperture_store(k);
    while (stores.front(now) != nullptr) give(k, stores.pop(now), true, now);
  }
  for (unsigned s = 0; s < config_.sources; ++s) {
    auto& answers = crossbar_.source(s).response;
    while (answers.front(now) != nullptr) {
      const MemResp r = answers.pop(now);
      ledger_.answered(s, r);
      ++answers_;
      if (r.status == MemStatus::Fault) ++faults_;
    }
  }
}

Coverage CrossbarTraffic::coverage() const {
  Coverage all = {{"answer with a fault", faults_},
                  {"store into the aperture", stores_},
                  {"source with all of its requests under way", full_},
                  {"request to every slice", broadcasts_}};
  static constexpr const char* kNames[] = {
      "read", "write", "atomic", "atomic with an answer", "invalidate", "write-back"};
  for (size_t n = 0; n < operations_.size(); ++n) all[kNames[n]] = operations_[n];
  for (unsigned k = 0; k < config_.slices; ++k) {
    all["request at slice " + std::to_string(k)] = by_slice_[k];
  }
  for (unsigned s = 0; s < config_.sources; ++s) {
    all["request of source " + std::to_string(s)] = by_source_[s];
  }
  if (options_.moves) all["aperture placed"] = moved_;
  return all;
}

}  // namespace cuvette::ip::traffic
