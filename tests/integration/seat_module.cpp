// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Our models as users' modules in C++, one block each (CUVETTE_SEAT_<block>), for a machine of one
// compute unit.
#include <algorithm>
#include <memory>
#include <optional>

#include "cache/cache_model.h"
#include "crossbar/crossbar_model.h"
#include "gds/share_data.h"
#include "gds/sync_unit.h"
#include "hsa/memory.h"
#include "ip/cache/cache_core.h"
#include "ip/core_dut.h"
#include "lds/lds_model.h"
#include "memory/memory_model.h"
#include "spi/spi_model.h"

namespace cuvette {
namespace {

using ip::dut::core_table;

#ifdef CUVETTE_SEAT_gds
/// What our global data share does, without its schedule: a request acts in the cycle behind its
/// last beat, in which the device says `taken`, behind the waves that begin or end.
class OwnShare final : public gds::Gds {
 public:
  void tick(machine::Cycle now) override {
    while (waves.front(now) != nullptr) {
      sync_.note(waves.pop(now));
      end_walk(now);
    }
    while (port_.request.front(now) != nullptr) act(port_.request.pop(now), now);
  }
  machine::Cycle next_event() const override {
    return std::min(waves.next_event(), port_.request.next_event());
  }
  unsigned compute_units() const override { return 1; }
  gds::Port& compute_unit(unsigned /*index*/) override { return port_; }
  uint32_t size() const override { return data_.size(); }
  void peek(uint32_t a, uint8_t* b, uint32_t n) const override { data_.peek(a, b, n); }
  void poke(uint32_t a, const uint8_t* b, uint32_t n) override { data_.poke(a, b, n); }
  Counters counters() const override { return {}; }

 private:
  void act(const gds::Request& r, machine::Cycle now) {
    if (!r.withdraw) port_.taken.push(gds::Taken{r.id}, now);
    if (!r.withdraw && r.sync == wave::SyncOp::None) return answer({0, data_.access(r)}, now);
    if (const auto done = sync_.act(0, r)) answer(*done, now);
    end_walk(now);
  }
  void end_walk(machine::Cycle now) {
    while (sync_.walks()) {
      if (const auto done = sync_.step(true)) answer(*done, now);
    }
  }
  void answer(const gds::Answer& answer, machine::Cycle now) {
    constexpr machine::Cycle kLatency = 5;
    port_.response.push(answer.response, now + kLatency);
  }

  gds::Port port_;
  gds::ShareData data_{4096};
  gds::SyncUnit sync_;
};
const cuvette_dut_table* table() {
  return core_table<gds::Gds>("gds", "ours", gds::kChannels, 1, []() -> std::unique_ptr<gds::Gds> {
    return std::make_unique<OwnShare>();
  });
}
#elif defined(CUVETTE_SEAT_crossbar) || defined(CUVETTE_SEAT_crossbar_swapping)
/// Our crossbar, or one that gives every fiftieth request to the slice behind the next one of the
/// same source.
class OwnCrossbar final : public crossbar::Crossbar {
 public:
  void tick(machine::Cycle now) override {
    inside_.aperture.take_all(aperture);
    inside_.tick(now);
    auto& requests = inside_.slice(0).request;
    while (requests.front(now + 1) != nullptr) give(requests.pop(now + 1), now + 1);
    inside_.slice(0).response.take_all(slice_.response);
  }
  machine::Cycle next_event() const override {
    return std::min({inside_.next_event(), aperture.next_event(), slice_.response.next_event()});
  }
  unsigned sources() const override { return inside_.sources(); }
  Port& source(unsigned index) override { return inside_.source(index); }
  unsigned slices() const override { return 1; }
  Port& slice(unsigned /*index*/) override { return slice_; }
  machine::Channel<memory::MemReq>& aperture_store(unsigned slice) override {
    return inside_.aperture_store(slice);
  }
  uint64_t busy_cycles(machine::Cycle now) const override { return inside_.busy_cycles(now); }

 private:
  void give(const memory::MemReq& request, machine::Cycle at) {
#ifdef CUVETTE_SEAT_crossbar_swapping
    if (!held_ && ++given_ % 50 == 0) {
      held_ = request;
      return;
    }
#endif
    slice_.request.push(request, at);
    if (!held_ || held_->id >> 56 != request.id >> 56) return;
    slice_.request.push(*held_, at);
    held_.reset();
  }

  crossbar::CrossbarModel inside_{crossbar::Config{4, 1, 256, 5, 64}};
  Port slice_{machine::kUnbounded};
  std::optional<memory::MemReq> held_;
  [[maybe_unused]] unsigned given_ = 0;
};
const cuvette_dut_table* table() {
  return core_table<crossbar::Crossbar>(
      "crossbar", "ours", crossbar::kChannels, {4, 1},
      []() -> std::unique_ptr<crossbar::Crossbar> { return std::make_unique<OwnCrossbar>(); });
}
#elif defined(CUVETTE_SEAT_lds)
const cuvette_dut_table* table() {
  return core_table<lds::Lds>("lds", "ours", lds::kChannels, 1, []() -> std::unique_ptr<lds::Lds> {
    return std::make_unique<lds::LdsModel>(lds::Config{.latency_cycles = 7});
  });
}
#elif defined(CUVETTE_SEAT_spi)
const cuvette_dut_table* table() {
  return core_table<spi::Spi>("spi", "ours", spi::kChannels, 1, []() -> std::unique_ptr<spi::Spi> {
    spi::Config c;
    c.launch_cycles = 8;
    c.placement = "first_fit";
    return std::make_unique<spi::SpiModel>(c);
  });
}
#elif defined(CUVETTE_SEAT_memory)
/// With bytes of its own.
class OwnMemory final : public memory::Memory {
 public:
  OwnMemory() : inside_(config()) {}
  void tick(machine::Cycle now) override { inside_.tick(now); }
  machine::Cycle next_event() const override { return inside_.next_event(); }
  unsigned ports() const override { return inside_.ports(); }
  Port& port(unsigned index) override { return inside_.port(index); }
  Traffic traffic() const override { return inside_.traffic(); }

 private:
  memory::Config config() {
    // Device memory and the host's (docs/reference/gpu.md).
    for (const uint64_t base : {uint64_t{0}, uint64_t{1} << 46}) {
      static_cast<void>(backing_.reserve(base, hsa::SparseMemory::kMaxRangeBytes));
    }
    memory::Config c;
    c.latency_cycles = 20;
    c.backing = &backing_;
    return c;
  }
  hsa::SparseMemory backing_;
  memory::MemoryModel inside_;
};
const cuvette_dut_table* table() {
  return core_table<memory::Memory>(
      "memory", "ours", memory::kChannels, 1,
      []() -> std::unique_ptr<memory::Memory> { return std::make_unique<OwnMemory>(); });
}
#else
// A small cache in the role CUVETTE_SEAT_ROLE.
const cuvette_dut_table* table() {
  return core_table<ip::CacheCore>(
      cache::name_of(cache::Role::CUVETTE_SEAT_ROLE), "ours", cache::kChannels, 2, [] {
        cache::Config c;
        c.role = cache::Role::CUVETTE_SEAT_ROLE;
        c.up_ports = 2;
        c.bytes = 2048;
        c.ways = 2;
        c.hit_cycles = 2;
        c.misses = 5;
        return std::make_unique<ip::CacheCore>(std::make_unique<cache::CacheModel>(c));
      });
}
#endif

}  // namespace
}  // namespace cuvette

extern "C" __attribute__((visibility("default"))) const cuvette_dut_table* cuvette_dut(void) {
  return cuvette::table();
}
