// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/wave_timeline.h"

#include <algorithm>
#include <string_view>

#include "run/trace/packet_reader.h"

namespace cuvette::run {
namespace {

/// The first word of an instruction's text, without the encoding that the assembler puts behind it.
std::string mnemonic_of(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) throw BadTrace("an instruction without a text");
  std::string_view word = text.substr(begin, text.find_first_of(kSpaces, begin) - begin);
  for (const std::string_view encoding : {"_e32", "_e64", "_sdwa", "_dpp"}) {
    if (!word.ends_with(encoding)) continue;
    word.remove_suffix(encoding.size());
    break;
  }
  return std::string(word);
}

}  // namespace

void WaveTimeline::Slot::add(uint64_t time, uint32_t which, bool is_wave) {
  constexpr size_t kMost = size_t{1} << 31;
  if (entries_.size() == kMost)
    throw BadTrace("more events of a wave slot than a page has room for");
  entries_.push_back({time, which, is_wave, static_cast<uint32_t>(entries_.size() & (kMost - 1))});
}

bool WaveTimeline::Slot::before(const Entry& a, const Entry& b) const {
  if (a.time != b.time) return a.time < b.time;
  const auto cycles = [this](const Entry& e) { return e.is_wave ? waves_[e.which].cycles : 1; };
  const uint64_t of_a = cycles(a), of_b = cycles(b);
  return of_a != of_b ? of_a > of_b : a.number < b.number;
}

/// Columns of waves and issues that grow by one event after the other.
class WaveTimeline::Issues {
 public:
  Issues(TraceColumns& columns, const std::vector<Code>& codes)
      : columns_(columns), codes_(codes), index_(codes.size(), kUnknown) {}

  void wave(const WaveSlot& at, const Residency& w) {
    const size_t issues = columns_.issue_times.size();
    columns_.waves.push_back(
        {at.unit, at.simd, at.slot, w.start, w.cycles, w.number, w.dispatch, issues, issues});
    free_from_ = w.start;
  }

  void issue(uint64_t time, uint32_t code) {
    const uint32_t index = instruction(code);
    TraceColumns::Instruction& instruction = columns_.instructions[index];
    ++instruction.issues;
    auto& times = columns_.issue_times;
    if (times.empty() || time < times.back()) columns_.rising.push_back(times.size());
    times.push_back(time);
    columns_.issue_codes.push_back(index);
    if (!of_last_wave(time)) return;
    instruction.waited += time - free_from_;
    free_from_ = time + 1;
    columns_.waves.back().last = times.size();
  }

 private:
  bool of_last_wave(uint64_t time) const {
    if (columns_.waves.empty()) return false;
    const TraceColumns::Wave& wave = columns_.waves.back();
    return wave.start <= time && time <= wave.start + wave.cycles && time >= free_from_;
  }

  /// Index of the instruction at a code's address, which is named by its first issue.
  uint32_t instruction(uint32_t code) {
    uint32_t& index = index_[code];
    if (index != kUnknown) return index;
    const Code& c = codes_[code];
    const auto next = static_cast<uint32_t>(columns_.instructions.size());
    const auto [at, fresh] = by_pc_.try_emplace(c.pc, next);
    if (fresh) columns_.instructions.push_back({c.pc, mnemonic_of(*c.text), *c.unit, 0, 0});
    return index = at->second;
  }

  TraceColumns& columns_;
  const std::vector<Code>& codes_;
  static constexpr uint32_t kUnknown = UINT32_MAX;
  std::vector<uint32_t> index_;  // by code
  std::unordered_map<uint64_t, uint32_t> by_pc_;
  uint64_t free_from_ = 0;  // when the last wave was launched, or its last issue was over
};

uint32_t WaveTimeline::code(uint64_t pc, const std::string& text, const std::string& unit) {
  const Code code{pc, &text, &unit};
  const auto [at, fresh] = numbers_.try_emplace(code, static_cast<uint32_t>(codes_.size()));
  if (fresh) codes_.push_back(code);
  return at->second;
}

void WaveTimeline::move_to(TraceColumns& columns) {
  Issues issues(columns, codes_);
  size_t events = 0, waves = 0;
  for (const auto& [place, slot] : slots_) {
    events += slot.entries_.size();
    waves += slot.waves_.size();
  }
  columns.waves.reserve(waves);
  columns.issue_times.reserve(events - waves);
  columns.issue_codes.reserve(events - waves);
  for (auto& [place, slot] : slots_) {
    std::ranges::sort(slot.entries_,
                      [&slot](const auto& a, const auto& b) { return slot.before(a, b); });
    for (const auto& e : slot.entries_) {
      if (e.is_wave) {
        issues.wave(place, slot.waves_[e.which]);
      } else {
        issues.issue(e.time, e.which);
      }
    }
    slot = {};  // there is as much again in the columns
  }
  slots_.clear();
}

}  // namespace cuvette::run
