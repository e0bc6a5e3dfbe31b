// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gds/gds_model.h"

// For tests of the gds block alone: a bench, and requests.
namespace cuvette::gds::testing {

using machine::Cycle;
using wave::MemoryKind;
using wave::SyncOp;

constexpr uint64_t kAll = ~uint64_t{0};
constexpr uint32_t kLatency = 64;
constexpr Cycle kStart = 100;

/// Something the block said to a compute unit, and when it is visible there.
struct Said {
  Cycle time;
  unsigned unit;
  uint32_t id;
  uint32_t value;  // data[0][0]
  bool operator==(const Said&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Said& s) {
  return out << "at " << s.time << " unit " << s.unit << " id " << s.id << " value " << s.value;
}

struct Bench {
  explicit Bench(isa::Target target = isa::Target::Gfx908, unsigned units = 3, uint32_t width = 128)
      : gds(Config{target, units, kLatency, width}) {}

  /// Visible to the block from `at` on.
  void send(unsigned unit, const Request& r, Cycle at = kStart) {
    gds.compute_unit(unit).request.push(r, at);
  }
  void wave(uint64_t id, bool ended, Cycle at = kStart, uint32_t dispatch = 1) {
    gds.waves.push(spi::WaveOrder{id, dispatch, ended}, at);
  }
  /// Until nothing happens any more, only in the cycles that the block asks for.
  void run() {
    for (Cycle next = gds.next_event(); next != machine::kNever; next = gds.next_event()) {
      now = std::max(now + 1, next);
      gds.tick(now);
      ASSERT_LT(now, kStart + 100000);
    }
    for (unsigned unit = 0; unit < gds.compute_units(); ++unit) {
      Port& port = gds.compute_unit(unit);
      while (!port.taken.empty()) {
        const Cycle at = port.taken.next_event();
        taken.push_back({at, unit, port.taken.pop(at).id, 0});
      }
      while (!port.response.empty()) {
        const Cycle at = port.response.next_event();
        last = port.response.pop(at);
        const auto place = std::upper_bound(answers.begin(), answers.end(), at,
                                            [](Cycle t, const Said& s) { return t < s.time; });
        answers.insert(place, {at, unit, last.id, last.data[0][0]});
      }
    }
  }
  /// Ids of all answers so far, in order of time, then of units.
  std::string order() const {
    std::string text;
    for (const Said& s : answers) text += std::to_string(s.id) + " ";
    return text;
  }
  uint32_t word(uint32_t address) const {
    uint32_t value = 0;
    gds.peek(address, reinterpret_cast<uint8_t*>(&value), 4);
    return value;
  }
  void set(uint32_t address, uint32_t value) {
    gds.poke(address, reinterpret_cast<const uint8_t*>(&value), 4);
  }

  GdsModel gds;
  Cycle now = 0;
  std::vector<Said> taken, answers;
  Response last;
};

inline Request access(MemoryKind kind, uint64_t exec, uint32_t stride, uint8_t bytes = 4) {
  Request r;
  r.id = 7;
  r.kind = kind;
  r.atomic = base::AtomicOp::Add;
  r.bytes = bytes;
  r.exec = {exec, exec};
  for (unsigned lane = 0; lane < 64; ++lane) {
    r.offset[0][lane] = lane * stride;
    r.offset[1][lane] = 1024 + lane * stride;
    for (unsigned d = 0; d < 4; ++d) r.data[d][lane] = 1000 * (d + 1) + lane;
  }
  return r;
}

inline Request add(uint32_t id, uint32_t value) {
  Request r = access(MemoryKind::AtomicReturn, 1, 4);
  r.id = id;
  r.data[0][0] = value;
  return r;
}

inline Request sync(uint32_t id, uint64_t wave, SyncOp op, uint32_t value = 0,
                    uint8_t resource = 5) {
  Request r;
  r.id = id;
  r.wave = wave;
  r.dispatch = 1;
  r.sync = op;
  r.kind = MemoryKind::Atomic;
  r.resource = resource;
  r.value = value;
  return r;
}

inline Request count(uint32_t id, uint64_t wave, uint32_t lanes, bool releases = true) {
  Request r = sync(id, wave, SyncOp::OrderedCount, lanes, 2);
  r.kind = MemoryKind::AtomicReturn;
  r.releases = releases;
  return r;
}

inline Request withdraw(uint64_t wave) {
  Request r;
  r.id = 99;
  r.wave = wave;
  r.dispatch = 1;
  r.withdraw = true;
  return r;
}

}  // namespace cuvette::gds::testing
