// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Fetch and retirement of packets; their execution is in packets.cpp.
#include "sdma/execution.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace cuvette::sdma {

using machine::Cycle;
using Phase = RingState::Phase;

namespace {
constexpr uint64_t kDword = sizeof(uint32_t);
}

Cycle Execution::step() {
  switch (ring_.phase) {
    case Phase::Fetch:
      return fetch();
    case Phase::Execute:
      if (std::holds_alternative<std::monostate>(ring_.job)) return start();
      return ring_.waits() ? look() : move();
    case Phase::Retire:
      retire();
      return 0;
  }
  return 0;
}

uint64_t Execution::dwords_there() const {
  if (ring_.indirect) return ring_.indirect->dwords - ring_.indirect->at;
  return (ring_.write - ring_.read) / kDword;
}

bool Execution::load(uint64_t from, uint64_t dwords, uint32_t* out) {
  if (ring_.indirect) {
    return read(ring_.indirect->base + (ring_.indirect->at + from) * kDword, out, dwords * kDword);
  }
  // The ring may end in between.
  const uint64_t size = ring_.ring.bytes;
  for (uint64_t done = 0; done < dwords;) {
    const uint64_t offset = (ring_.read + (from + done) * kDword) % size;
    const uint64_t count = std::min(dwords - done, (size - offset) / kDword);
    if (!read(ring_.ring.base + offset, out + done, count * kDword)) return false;
    done += count;
  }
  return true;
}

/// The header says how long the packet is, and sometimes a later dword.
Cycle Execution::fetch() {
  const Timing& t = engine_.config_.timing;
  const Cycle cost = t.packet_cycles + (ring_.cold ? t.latency_cycles : 0);
  const uint64_t there = dwords_there();
  auto& words = ring_.words;
  words = {};
  ring_.identified = false;
  const auto ends_early = [&](uint64_t needed) {
    if (there >= needed) return false;
    if (ring_.indirect) {
      fail(fmt::format("the packet has {} dwords, {} are left in the indirect buffer", needed,
                       there));
    } else if (needed > ring_.ring.bytes / kDword) {
      fail(fmt::format("the packet has {} dwords, the ring has {}", needed,
                       ring_.ring.bytes / kDword));
    } else {
      ring_.incomplete = true;  // its rest comes by the next doorbell
    }
    return true;
  };
  if (!load(0, 1, words.data())) return cost;
  const auto found = identify(words[0]);
  if (!found) {
    fail(found.error().what);
    return cost;
  }
  ring_.packet = *found;
  ring_.identified = true;
  const unsigned fixed = fixed_dwords(*found);
  if (ends_early(fixed) || !load(0, fixed, words.data())) return cost;
  if (const auto good = check(*found, words.data()); !good.ok()) {
    fail(good.error().what);
    return cost;
  }
  ring_.dwords = all_dwords(*found, words.data());
  if (ends_early(ring_.dwords)) return cost;
  ring_.cold = false;
  ring_.skip = 0;
  ring_.begun = false;
  ring_.job = std::monostate{};
  ring_.phase = Phase::Execute;
  return cost;
}

void Execution::retire() {
  ++engine_.counters_.packets;
  ring_.phase = Phase::Fetch;
  ring_.job = std::monostate{};
  const uint64_t passed = ring_.dwords + ring_.skip;
  if (ring_.indirect) {
    IndirectBuffer& b = *ring_.indirect;
    b.at = static_cast<uint32_t>(std::min<uint64_t>(b.dwords, b.at + passed));
    if (b.at < b.dwords) return;
    ring_.indirect.reset();
    ring_.read += fixed_dwords(Packet::Indirect) * kDword;
  } else {
    ring_.read = std::min(ring_.write, ring_.read + passed * kDword);
  }
  if (ring_.ring.read_report == 0) return;
  const uint64_t position = ring_.read;
  write(ring_.ring.read_report, &position, sizeof position);
}

void Execution::stop(Interrupt::Kind kind, uint64_t context, const std::string& why) {
  ring_.failed = true;
  ring_.why = why;
  ++engine_.counters_.errors;
  std::string place = fmt::format("offset {:#x} of the ring", ring_.read % ring_.ring.bytes);
  if (ring_.indirect) {
    place = fmt::format("dword {} of the indirect buffer at {:#x}, {}", ring_.indirect->at,
                        ring_.indirect->base, place);
  }
  std::string packet;
  if (ring_.identified) {
    const uint32_t header = ring_.words[0];
    packet = fmt::format("{} (op {}, sub-op {}): ", name(ring_.packet), header & 0xff,
                         header >> 8 & 0xff);
  }
  engine_.errors_.push_back(fmt::format("sdma engine {}, ring {}, {}: {}{}", engine_.config_.index,
                                        ring_.number, place, packet, why));
  if (!engine_.on_interrupt_) return;
  engine_.on_interrupt_(now_, {kind, engine_.config_.index, ring_.number, ring_.vmid(), context});
}

void Execution::fail(const std::string& why) {
  stop(Interrupt::Kind::Error, ring_.read, why);
}

void Execution::fault(uint64_t va, hsa::Fault why, const char* access) {
  const std::string place = engine_.config_.space->place_of(ring_.vmid(), va, 0);
  stop(Interrupt::Kind::Fault, va,
       fmt::format("memory fault, {} at {:#x}: {}{}{}", access, va, hsa::name(why),
                   place.empty() ? "" : ", ", place));
}

bool Execution::access(uint64_t va, void* out, const void* data, uint64_t bytes) {
  const bool reads = out != nullptr;
  const char* const what = reads ? "read" : "write";
  for (uint64_t done = 0; done < bytes;) {
    const auto t = engine_.config_.space->translate(ring_.vmid(), va + done,
                                                    reads ? hsa::Access::Read : hsa::Access::Write);
    if (!t.ok()) {
      fault(va + done, t.fault, what);
      return false;
    }
    const auto count =
        static_cast<unsigned>(std::min({t.bytes, bytes - done, uint64_t{kPieceBytes}}));
    const bool good =
        reads ? engine_.memory_->read(t.pa, static_cast<uint8_t*>(out) + done, count)
              : engine_.memory_->write(t.pa, static_cast<const uint8_t*>(data) + done, count);
    if (!good) {
      fault(va + done, hsa::Fault::NotBacked, what);
      return false;
    }
    done += count;
  }
  return true;
}

bool Execution::aligned(uint64_t va, unsigned bytes) {
  if (va % bytes == 0) return true;
  fail(fmt::format("expected an address at a multiple of {}, found {:#x}", bytes, va));
  return false;
}

bool Execution::atomic(uint64_t va, unsigned bytes, base::AtomicOp op, uint64_t data,
                       uint64_t compare, uint64_t& old) {
  const auto t = engine_.config_.space->translate(ring_.vmid(), va, hsa::Access::ReadWrite);
  if (!t.ok()) {
    fault(va, t.fault, "atomic");
    return false;
  }
  if (!engine_.memory_->atomic(t.pa, bytes, op, data, compare, old)) {
    fault(va, hsa::Fault::NotBacked, "atomic");
    return false;
  }
  return true;
}

uint64_t Execution::address(Field low, Field high) const {
  const uint32_t* const w = ring_.words.data();
  return uint64_t{high.get(w)} << 32 | uint64_t{low.get(w)} << low.low;
}

Cycle Execution::data_cycles(uint64_t bytes) const {
  const uint64_t width = engine_.config_.timing.bytes_per_cycle;
  return width == 0 ? 0 : (bytes + width - 1) / width;
}

/// A part of the remaining work of the packet under way.
Cycle Execution::move() {
  uint32_t bytes = 0;
  bool over = false;
  const bool good = std::visit(
      [&](auto& job) {
        using Job = std::decay_t<decltype(job)>;
        if constexpr (std::is_same_v<Job, std::monostate> || std::is_same_v<Job, WaitJob>) {
          return true;
        } else {
          return piece(job, bytes, over);
        }
      },
      ring_.job);
  if (!good) return 0;
  if (over) ring_.phase = Phase::Retire;
  const bool reads = std::holds_alternative<CopyJob>(ring_.job) && !ring_.begun;
  ring_.begun = true;
  return data_cycles(bytes) + (reads ? engine_.config_.timing.latency_cycles : 0);
}

bool Execution::piece(CopyJob& job, uint32_t& bytes, bool& over) {
  std::array<uint8_t, kPieceBytes> data;
  const CopyJob::Piece p = job.next();
  if (!read(p.src, data.data(), p.bytes) || !write(p.dst, data.data(), p.bytes)) return false;
  if (job.has_second && !write(p.second_dst, data.data(), p.bytes)) return false;
  bytes = p.bytes;
  engine_.counters_.bytes_copied += p.bytes;
  over = job.advance(p.bytes);
  return true;
}

bool Execution::piece(FillJob& job, uint32_t& bytes, bool& over) {
  std::array<uint8_t, kPieceBytes> data;
  bytes = static_cast<uint32_t>(std::min<uint64_t>(job.left, kPieceBytes));
  for (uint32_t i = 0; i < bytes; i += job.element) {
    std::memcpy(data.data() + i, &job.pattern, job.element);
  }
  if (!write(job.dst, data.data(), bytes)) return false;
  engine_.counters_.bytes_written += bytes;
  job.dst += bytes;
  job.left -= bytes;
  over = job.left == 0;
  return true;
}

bool Execution::piece(WriteJob& job, uint32_t& bytes, bool& over) {
  std::array<uint32_t, kPieceBytes / kDword> data;
  const uint64_t dwords = std::min<uint64_t>(job.left, data.size());
  if (!load(job.at, dwords, data.data())) return false;
  bytes = static_cast<uint32_t>(dwords * kDword);
  if (!write(job.dst, data.data(), bytes)) return false;
  engine_.counters_.bytes_written += bytes;
  job.dst += bytes;
  job.at += dwords;
  job.left -= dwords;
  over = job.left == 0;
  return true;
}

bool Execution::piece(CountJob& job, uint32_t& bytes, bool& over) {
  std::array<uint64_t, kPieceBytes / sizeof(uint64_t)> data;
  const uint64_t values = std::min<uint64_t>(job.left, data.size());
  for (uint64_t i = 0; i < values; ++i) {
    data[i] = job.value | job.mask;
    job.value += job.increment;
  }
  bytes = static_cast<uint32_t>(values * sizeof(uint64_t));
  if (!write(job.dst, data.data(), bytes)) return false;
  engine_.counters_.bytes_written += bytes;
  job.dst += bytes;
  job.left -= values;
  over = job.left == 0;
  return true;
}

}  // namespace cuvette::sdma
