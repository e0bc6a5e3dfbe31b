// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "ip/cache/cache_rtl.h"
#include "speed/block_speed.h"

namespace cuvette::bench {
namespace {

using contract::Pins;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;

constexpr uint64_t kBase = 0x10000;
constexpr unsigned kBlocks = 32;  // held after the first accesses to them

/// Accesses to words of blocks that the cache holds, three reads to a write; an instruction cache
/// is only read.
std::vector<MemReq> accesses_of(cache::Role role) {
  constexpr unsigned kAccesses = 4096;
  std::mt19937 random(1);
  std::vector<MemReq> out(kAccesses);
  for (unsigned n = 0; n < kAccesses; ++n) {
    MemReq& r = out[n];
    r.op = n >= kBlocks && role != cache::Role::Instruction && random() % 4 == 0 ? MemOp::Write
                                                                                 : MemOp::Read;
    const unsigned block = n < kBlocks ? n : static_cast<unsigned>(random()) % kBlocks;
    r.address = kBase + uint64_t{block} * memory::kBlockBytes;
    r.byte_mask = uint64_t{15} << random() % 16 * 4;
    r.id = r.sequence = n + 1;
  }
  return out;
}

MemResp answer_to(const MemReq& request) {
  MemResp r;
  r.id = request.id;
  r.address = request.address;
  return r;
}

const uint8_t* bytes_of(const Pins<MemReq>& pins) {
  return reinterpret_cast<const uint8_t*>(pins.data());
}

/// Cycles until every access is answered; the level below answers in the next cycle.
uint64_t run_bare(ip::PinDevice& device, const std::vector<Pins<MemReq>>& beats, unsigned ports) {
  const unsigned down_request = 2 * ports, down_response = 2 * ports + 1;
  std::deque<MemResp> below;
  Pins<MemReq> asked{};
  Pins<MemResp> answer{}, given{};
  uint64_t cycles = 0;
  size_t sent = 0, answered = 0;
  for (; answered < beats.size(); ++cycles) {
    device.drive(0, sent < beats.size() ? bytes_of(beats[sent]) : nullptr);
    for (unsigned p = 1; p < ports; ++p) device.drive(p, nullptr);
    for (unsigned p = 0; p < ports; ++p) device.accept(ports + p, true);
    device.accept(down_request, true);
    if (!below.empty()) answer = contract::pack(below.front(), 0);
    device.drive(down_response,
                 below.empty() ? nullptr : reinterpret_cast<const uint8_t*>(answer.data()));
    sent += sent < beats.size() && device.ready(0) ? 1 : 0;
    if (!below.empty() && device.ready(down_response)) below.pop_front();
    answered += device.sample(ports, reinterpret_cast<uint8_t*>(given.data())) ? 1 : 0;
    if (device.sample(down_request, reinterpret_cast<uint8_t*>(asked.data()))) {
      MemReq r;
      contract::unpack(asked, r);
      below.push_back(answer_to(r));
    }
    device.clock();
  }
  return cycles;
}

/// The same with every message checked.
uint64_t run_checked(ip::CacheSeat& seat, cache::Cache::Port& down,
                     const std::vector<MemReq>& accesses, machine::Cycle& now) {
  const machine::Cycle start = now;
  size_t sent = 0, answered = 0;
  for (; answered < accesses.size(); ++now) {
    if (sent < accesses.size() && seat.up(0).request.can_push(now)) {
      MemReq r = accesses[sent++];
      r.time = now;
      seat.up(0).request.push(r, now);
    }
    seat.tick(now);
    while (down.request.front(now) != nullptr) {
      down.response.push(answer_to(down.request.pop(now)), now + 1);
    }
    while (seat.up(0).response.front(now) != nullptr) {
      seat.up(0).response.drop(now);
      ++answered;
    }
  }
  return now - start;
}

}  // namespace

std::vector<double> measure_cache(cache::Role role) {
  const cache::Config config = ip::cache_build(role);
  const std::vector<MemReq> accesses = accesses_of(role);
  std::vector<Pins<MemReq>> beats;
  for (const MemReq& r : accesses) beats.push_back(contract::pack(r, 0));
  const auto device = ip::make_cache_fast(role);
  const auto pins = ip::pin_channels(cache::kChannels, config.up_ports);
  ip::reset(*device, pins);
  const auto seat = ip::make_cache_rtl(config, false, 1, {}, {});
  cache::Cache::Port down;
  seat->connect(down);
  machine::Cycle now = 1;
  return measure_speeds({[&] { return run_bare(*device, beats, config.up_ports); },
                         [&] { return run_checked(*seat, down, accesses, now); }});
}

}  // namespace cuvette::bench
