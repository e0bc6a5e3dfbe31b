// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/stall_profile.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/decode.h"
#include "isa/text.h"
#include "run/engine.h"

namespace cuvette::run {
namespace {

constexpr size_t kMostLines = 12;
constexpr unsigned kMostDwords = 5;  // of an instruction

std::string plain(const std::string& kernel) {
  return kernel.starts_with('&') ? kernel.substr(1) : kernel;
}

std::string instruction_at(const hsa::DeviceMemory& memory, isa::Target target, uint64_t pc) {
  uint32_t words[kMostDwords] = {};
  unsigned count = 0;
  while (count < kMostDwords && memory.read_value(pc + 4u * count, &words[count])) ++count;
  if (count == 0) return "no instruction";
  const isa::Decoded decoded = isa::decode(target, words, count);
  const bool legal =
      decoded.status == isa::DecodeStatus::Legal || decoded.status == isa::DecodeStatus::Reserved;
  return legal ? isa::text(decoded.instruction) : isa::refusal(decoded);
}

/// "saxpy+0x34"
std::string place_of(const hsa::DeviceMemory& memory, uint64_t pc) {
  const hsa::CodeExtent function = memory.space().code().at(pc);
  return function.name == nullptr ? fmt::format("{:#x}", pc)
                                  : fmt::format("{}+{:#x}", *function.name, pc - function.begin);
}

double percent(uint64_t part, uint64_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

StallProfile::StallProfile(const std::string& chosen) : chosen_(plain(chosen)) {
  const bool hex = chosen_.starts_with("0x");
  uint64_t number = 0;
  const char* const end = chosen_.data() + chosen_.size();
  const auto [stop, error] =
      std::from_chars(chosen_.data() + (hex ? 2 : 0), end, number, hex ? 16 : 10);
  if (error == std::errc() && stop == end) wave_ = number;
}

void StallProfile::begin(const std::string& kernel) {
  kernel_ = plain(kernel);
  kernels_.insert(kernel_);
  fits_ = wave_ || kernel_ == chosen_;
}

void StallProfile::add(const compute_unit::ResidencyCycles& cycles) {
  if (!fits_ || (wave_ && cycles.wave != *wave_)) return;
  waves_.insert(cycles.wave);
  found_.insert(kernel_);
  if (!cycles.stall) {
    issues_ += cycles.cycles;
    return;
  }
  stalled_ += cycles.cycles;
  const bool over = *cycles.stall == compute_unit::Stall::End;  // nothing is to issue
  cycles_[{over ? 0 : cycles.pc, *cycles.stall}] += cycles.cycles;
}

/// "wave 0x3 of saxpy", "64 waves of saxpy".
std::string StallProfile::waves_text() const {
  return fmt::format(
      "{} of {}",
      wave_ ? fmt::format("wave {:#x}", *wave_)
            : fmt::format("{} {}", waves_.size(), waves_.size() == 1 ? "wave" : "waves"),
      fmt::join(found_, ", "));
}

WaitGraph StallProfile::graph(const hsa::DeviceMemory& memory, isa::Target target) const {
  const uint64_t all = issues_ + stalled_;
  WaitGraph graph(
      fmt::format("{}: {} cycles of residency, {} with an issue", waves_text(), all, issues_));
  const size_t waves = graph.node("waves", WaitGraph::Shape::Wave, waves_text());
  std::map<uint64_t, uint64_t> by_pc;
  for (const auto& [place, cycles] : cycles_) by_pc[place.first] += cycles;
  const auto share = [all](uint64_t cycles) {
    return static_cast<double>(cycles) / static_cast<double>(all);
  };
  const auto label = [&](uint64_t cycles) {
    return fmt::format("{} cycles, {:.1f} %", cycles, percent(cycles, all));
  };
  for (const auto& [pc, cycles] : by_pc) {
    const std::string text =
        pc == 0 ? std::string("after the last instruction")
                : fmt::format("{}\n{}", place_of(memory, pc), instruction_at(memory, target, pc));
    graph.edge(waves, graph.node(fmt::format("{:#x}", pc), WaitGraph::Shape::Packet, text),
               label(cycles), share(cycles));
  }
  for (const auto& [place, cycles] : cycles_) {
    const char* const reason = compute_unit::text_of(place.second);
    graph.edge(graph.node(fmt::format("{:#x}", place.first), WaitGraph::Shape::Packet, {}),
               graph.node(reason, WaitGraph::Shape::Resource, reason), label(cycles),
               share(cycles));
  }
  return graph;
}

void StallProfile::report(const hsa::DeviceMemory& memory, isa::Target target,
                          EngineReport& report) const {
  const uint64_t all = issues_ + stalled_;
  if (all == 0) {
    report.failures.push_back(fmt::format("--why-blocked: no wave {}{} has run, expected one of {}",
                                          wave_ ? "" : "of kernel ", chosen_,
                                          fmt::join(kernels_, ", ")));
    return;
  }
  report.stall_profile.push_back(fmt::format("{}: {} cycles of residency, {:.1f} % with an issue",
                                             waves_text(), all, percent(issues_, all)));
  std::vector<std::pair<uint64_t, Place>> worst;
  for (const auto& [place, cycles] : cycles_) worst.emplace_back(cycles, place);
  std::ranges::sort(worst, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  uint64_t rest = stalled_;
  for (size_t i = 0; i < std::min(worst.size(), kMostLines); ++i) {
    const auto& [cycles, place] = worst[i];
    rest -= cycles;
    std::string text = fmt::format("{:5.1f} %  {} cycles: {}", percent(cycles, all), cycles,
                                   compute_unit::text_of(place.second));
    if (place.second != compute_unit::Stall::End) {
      text += fmt::format(" before {}: {}", place_of(memory, place.first),
                          instruction_at(memory, target, place.first));
    }
    report.stall_profile.push_back(std::move(text));
  }
  if (rest != 0) {
    report.stall_profile.push_back(fmt::format("{:5.1f} %  {} cycles: {} other places",
                                               percent(rest, all), rest,
                                               worst.size() - kMostLines));
  }
}

}  // namespace cuvette::run
