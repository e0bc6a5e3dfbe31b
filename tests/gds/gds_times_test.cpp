// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gds/gds_model.h"
#include "ip/gds/gds_rtl.h"
#include "ip/gds/gds_seat.h"
#include "ip/traffic/lds_traffic.h"
#include "wave/memory/share_access.h"

// The model alone and rtl/gds alone, behind its pins, on the same messages at the same times: every
// `taken` and every response comes in the same cycle (docs/reference/gds.md, Timing).
namespace cuvette {
namespace {

using machine::Cycle;
using wave::kLanes;
using wave::SyncOp;

/// Number of requests of a stream.
unsigned requests_of_each() {
  const char* const text = std::getenv("CUVETTE_TEST_VECTORS");
  return text == nullptr ? 150 : static_cast<unsigned>(std::atoi(text));
}

/// Messages to the block, each at a time of its own.
struct Stream {
  struct Sent {
    unsigned unit = 0;
    gds::Request request;
  };
  std::multimap<Cycle, Sent> requests;
  std::multimap<Cycle, spi::WaveOrder> waves;
  unsigned answered = 0;  ///< requests but withdrawals
  Cycle end = 0;          ///< everything has been answered before
};

/// What the block said: when it is visible, compute unit, id, 0 or 1 for `taken` or a response.
using Said = std::tuple<Cycle, unsigned, uint32_t, unsigned>;

/// A maker of streams. Every request with `sync` is of a wave of its own, which is withdrawn later,
/// so that nothing has to wait for an answer.
class Maker {
 public:
  struct Options {
    isa::Target target = isa::Target::Gfx908;
    unsigned units = 4;
    uint32_t pause = 40;  ///< cycles between requests, the most
    uint32_t syncs = 3;   ///< one request in so many; 1: all of them
    bool atomics = true;  ///< all of the target; otherwise few
    bool crowds = false;  ///< many waves wait for one resource
  };
  Maker(const Options& options, uint32_t seed) : o_(options), maker_(seed) {
    unsigned atomics = 0;
    for (const auto& operation : ip::traffic::operations_of(options.target)) {
      const bool left_out = operation.is_atomic() && !o_.atomics && atomics++ % 16 != 0;
      if (!left_out) operations_.push_back(operation);
    }
  }

  Stream make(unsigned requests) {
    for (unsigned n = 0; n < requests; ++n) {
      now_ += draw(8) == 0 ? draw(20 * o_.pause) : draw(o_.pause);
      if (o_.crowds && draw(200) == 0) crowd();
      if (draw(o_.syncs) != 0) {
        send(draw(o_.units), access());
      } else {
        sync();
      }
    }
    // All that still wait go on.
    now_ += 10'000 + Cycle{80} * requests;
    gds::Request all;
    all.sync = SyncOp::SemaphoreReleaseAll;
    for (const uint8_t resource : {0, 1, 2, 9}) {
      all.resource = resource;
      sync(0, all);
    }
    stream_.end = now_ + 200'000;
    return std::move(stream_);
  }

 private:
  uint32_t draw(uint32_t below) { return maker_.draw(below); }
  void send(unsigned unit, gds::Request r, Cycle later = 0) {
    r.id = next_id_++;
    if (!r.withdraw) ++stream_.answered;
    stream_.requests.emplace(now_ + later, Stream::Sent{unit, r});
  }

  /// An access as of a local data share, whose operations are the same.
  gds::Request access() {
    const lds::Request from = maker_.make(operations_[draw(uint32_t(operations_.size()))]);
    gds::Request r;
    r.kind = from.kind;
    r.atomic = from.atomic;
    r.operand_in_gds = from.operand_in_lds;
    r.accesses = from.accesses;
    r.bytes = from.bytes;
    r.exec = {from.exec, from.exec};
    if (draw(3) == 0) r.exec[draw(2)] &= ~(uint64_t{1} << draw(64));
    if (draw(16) == 0) r.exec = {};
    // From conflict-free to all lanes in one bank; some beyond the memory.
    const uint32_t window = draw(3) == 0 ? 65600 : draw(2) == 0 ? 4200 : 300;
    const uint32_t stride = 4u << draw(6);
    const bool strided = draw(2) == 0;
    for (unsigned a = 0; a < 2; ++a) {
      for (unsigned l = 0; l < kLanes; ++l) {
        r.offset[a][l] = strided ? l * stride + a * 1024 : from.offset[a][l] % window;
      }
    }
    r.data = from.data;
    r.compare = from.compare;
    return r;
  }

  void sync() {
    gds::Request r;
    r.sync = static_cast<SyncOp>(1 + draw(7));
    r.resource = static_cast<uint8_t>(draw(3));
    r.value = draw(4);
    sync(draw(o_.units), r);
  }
  /// By a new wave, which begins before, is withdrawn and ends.
  void sync(unsigned unit, gds::Request r) {
    constexpr Cycle kStays = 2500;
    r.wave = next_wave_++;
    r.dispatch = 7 + draw(2);
    const bool counts = r.sync == SyncOp::OrderedCount;
    r.kind = counts ? wave::MemoryKind::AtomicReturn : wave::MemoryKind::Atomic;
    r.releases = counts && draw(4) != 0;
    if (counts) stream_.waves.emplace(now_, spi::WaveOrder{r.wave, r.dispatch, false});
    send(unit, r, draw(200));
    gds::Request gone;
    gone.wave = r.wave;
    gone.dispatch = r.dispatch;
    gone.withdraw = true;
    if (draw(2) == 0) send(unit, gone, kStays + draw(300));
    if (!counts) return;
    const Cycle ends = now_ + kStays + draw(draw(2) == 0 ? 3000 : 10);
    stream_.waves.emplace(ends, spi::WaveOrder{r.wave, r.dispatch, true});
  }
  /// Waves that wait for a semaphore, which then lets all of them go.
  void crowd() {
    gds::Request r;
    r.resource = 9;
    const uint32_t count = 8 + draw(50);
    r.sync = SyncOp::SemaphoreP;
    for (uint32_t n = 0; n < count; ++n) sync(draw(o_.units), r);
    now_ += 8 * count + 300;
    r.sync = draw(2) == 0 ? SyncOp::SemaphoreBulk : SyncOp::SemaphoreReleaseAll;
    r.value = draw(2) == 0 ? count : count / 2;
    sync(draw(o_.units), r);
    now_ += 3000;
  }

  Options o_;
  ip::traffic::LdsRequests maker_;
  std::vector<ip::traffic::LdsOperation> operations_;
  Stream stream_;
  Cycle now_ = 10;
  uint64_t next_wave_ = 1;
  uint32_t next_id_ = 1;
};

/// Cycle by cycle, channels always ready.
std::vector<Said> times_of(gds::Gds& block, const Stream& stream) {
  std::vector<Said> said;
  auto request = stream.requests.begin();
  auto wave = stream.waves.begin();
  unsigned answered = 0;
  for (Cycle now = 1; answered < stream.answered && now < stream.end; ++now) {
    for (; request != stream.requests.end() && request->first == now; ++request) {
      block.compute_unit(request->second.unit).request.push(request->second.request, now);
    }
    for (; wave != stream.waves.end() && wave->first == now; ++wave) {
      block.waves.push(wave->second, now);
    }
    block.tick(now);
    for (unsigned u = 0; u < block.compute_units(); ++u) {
      gds::Port& port = block.compute_unit(u);
      while (port.taken.front(now) != nullptr) said.emplace_back(now, u, port.taken.pop(now).id, 0);
      while (port.response.front(now) != nullptr) {
        said.emplace_back(now, u, port.response.pop(now).id, 1);
        ++answered;
      }
    }
  }
  return said;
}

struct Case {
  const char* name;
  Maker::Options options;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class GdsTimes : public ::testing::TestWithParam<Case> {};

TEST_P(GdsTimes, OfTheModelAreThoseOfTheRtl) {
  const Maker::Options& o = GetParam().options;
  const uint32_t bytes = wave::gds_bytes(o.target);
  uint64_t requests = 0, waits = 0;
  for (const uint32_t seed : {1u, 77u, 4711u}) {
    for (const bool checks : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (checks ? ", check build" : ", fast build"));
      const Stream stream = Maker(o, seed + (checks ? 1000 : 0)).make(requests_of_each());
      const gds::Config config{o.target, o.units, ip::kGdsLatencyCycles, ip::kGdsBytesPerCycle};
      gds::GdsModel model(config);
      ip::GdsSeat rtl(
          checks ? ip::make_gds_check(o.units, bytes, seed) : ip::make_gds_fast(o.units, bytes),
          config, {}, {});
      const std::vector<Said> expected = times_of(rtl, stream);
      const std::vector<Said> actual = times_of(model, stream);
      const auto& mismatch = rtl.kit().mismatch();
      ASSERT_FALSE(mismatch) << (mismatch ? mismatch->report : std::string());
      ASSERT_EQ(expected.size(), 2 * size_t{stream.answered});
      for (size_t n = 0; n < expected.size(); ++n) {
        ASSERT_LT(n, actual.size());
        ASSERT_EQ(actual[n], expected[n]) << "message " << n;
      }
      ASSERT_EQ(actual.size(), expected.size());
      requests += stream.answered;
      waits += model.counters().waits;
    }
  }
  std::printf("gds: %lu requests, of them %lu that wait\n", requests, waits);
  EXPECT_GE(requests, 6 * requests_of_each());
}

Maker::Options options(unsigned units, uint32_t pause, uint32_t syncs, bool atomics,
                       bool crowds = false, isa::Target target = isa::Target::Gfx908) {
  return {target, units, pause, syncs, atomics, crowds};
}

INSTANTIATE_TEST_SUITE_P(
    Streams, GdsTimes,
    ::testing::Values(Case{"OneUnit", options(1, 60, 3, true)},
                      Case{"TwoUnits", options(2, 60, 3, true, false, isa::Target::Gfx906)},
                      Case{"ThreeUnits", options(3, 20, 4, false, true, isa::Target::Gfx900)},
                      Case{"FourUnits", options(4, 60, 3, true)},
                      Case{"AccessesInARow", options(4, 8, 100, false)},
                      Case{"Crowds", options(4, 30, 2, false, true)},
                      Case{"SyncsAlone", options(4, 30, 1, false, true, isa::Target::Gfx90a)}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace cuvette
