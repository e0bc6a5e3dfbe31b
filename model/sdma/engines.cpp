// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "sdma/engines.h"

#include <algorithm>

#include <fmt/format.h>

namespace cuvette::sdma {

Engines::Engines(const Config& config) : config_(config) {
  for (unsigned i = 0; i < config.general + config.link; ++i) {
    engines_.push_back(std::make_unique<Engine>(Engine::Config{i, config.timing, config.space}));
  }
}

base::Result<uint32_t> Engines::bind(const Ring& ring, Kind kind) {
  if (auto s = check(ring); !s.ok()) return s.error();
  if (ring.doorbell != Ring::kNoDoorbell && by_doorbell_.count(ring.doorbell) != 0) {
    return base::Error(fmt::format("doorbell {} belongs to SDMA ring {}", ring.doorbell,
                                   by_doorbell_.at(ring.doorbell)));
  }
  const unsigned first = kind == Kind::General ? 0 : config_.general;
  const unsigned count = kind == Kind::General ? config_.general : config_.link;
  const auto fewer = [](const auto& a, const auto& b) { return a->rings() < b->rings(); };
  const auto begin = engines_.begin() + first;
  const auto best = std::min_element(begin, begin + count, fewer);
  if (count == 0 || (*best)->rings() >= config_.rings) {
    return base::Error(
        fmt::format("{} SDMA engines with {} rings each have none left", count, config_.rings));
  }
  const auto engine = static_cast<unsigned>(best - engines_.begin());
  const uint32_t number = ++last_;
  engines_[engine]->bind(number, ring);
  placed_[number] = {engine, ring.doorbell};
  if (ring.doorbell != Ring::kNoDoorbell) by_doorbell_[ring.doorbell] = number;
  return number;
}

void Engines::unbind(uint32_t ring) {
  const auto found = placed_.find(ring);
  if (found == placed_.end()) return;
  const unsigned engine = found->second.engine;
  engines_[engine]->unbind(ring);
  by_doorbell_.erase(found->second.doorbell);
  placed_.erase(found);
  wake(engine);
}

void Engines::ring(uint32_t ring, uint64_t write) {
  const auto found = placed_.find(ring);
  if (found == placed_.end()) return;
  engines_[found->second.engine]->ring(ring, write);
  wake(found->second.engine);
}

void Engines::sleep(uint32_t ring, bool asleep) {
  const auto found = placed_.find(ring);
  if (found == placed_.end()) return;
  engines_[found->second.engine]->sleep(ring, asleep);
  wake(found->second.engine);
}

bool Engines::move(uint32_t ring, uint64_t base, uint64_t bytes) {
  const auto found = placed_.find(ring);
  return found != placed_.end() && engines_[found->second.engine]->move(ring, base, bytes);
}

bool Engines::doorbell(uint32_t index, uint64_t write) {
  const auto found = by_doorbell_.find(index);
  if (found == by_doorbell_.end()) return false;
  ring(found->second, write);
  return true;
}

void Engines::on_interrupt(const Engine::OnInterrupt& handler) {
  for (auto& engine : engines_) engine->on_interrupt(handler);
}

void Engines::on_read_register(const Engine::ReadRegister& handler) {
  for (auto& engine : engines_) engine->on_read_register(handler);
}

bool Engines::idle() const {
  return std::all_of(engines_.begin(), engines_.end(),
                     [](const auto& e) { return e->next_event() == machine::kNever; });
}

bool Engines::works() const {
  return std::any_of(engines_.begin(), engines_.end(), [](const auto& e) { return e->works(); });
}

std::vector<RingReport> Engines::reports() const {
  std::vector<RingReport> out;
  for (const auto& [number, placed] : placed_) {
    out.push_back(engines_[placed.engine]->report(number));
  }
  return out;
}

std::vector<std::string> Engines::take_errors() {
  std::vector<std::string> lines;
  for (auto& engine : engines_) {
    for (auto& line : engine->take_errors()) lines.push_back(std::move(line));
  }
  return lines;
}

Counters Engines::counters() const {
  Counters sum;
  for (const auto& engine : engines_) {
    const Counters& c = engine->counters();
    sum.packets += c.packets;
    sum.bytes_copied += c.bytes_copied;
    sum.bytes_written += c.bytes_written;
    sum.atomics += c.atomics;
    sum.polls += c.polls;
    sum.traps += c.traps;
    sum.errors += c.errors;
  }
  return sum;
}

std::string text_of(const RingReport& r) {
  constexpr const char* kStates[] = {"idle", "running", "waiting", "asleep", "failed"};
  std::string text =
      fmt::format("sdma engine {}, ring {}: {}, read pointer {:#x}, write pointer {:#x}", r.engine,
                  r.ring, kStates[static_cast<unsigned>(r.state)], r.read, r.write);
  if (!r.why.empty()) text += ": " + r.why;
  return text;
}

}  // namespace cuvette::sdma
