// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/wait_checker.h"

#include <algorithm>

namespace cuvette::wave {
namespace {

isa::RegisterSet without_scc(const isa::RegisterSet& set) {
  isa::RegisterSet out;
  for (const isa::RegisterRange& range : set) {
    if (range.file != isa::RegisterFile::Scc) out.add(range);
  }
  return out;
}

isa::RegisterSet vgprs(const isa::RegisterSet& set) {
  isa::RegisterSet out;
  for (const isa::RegisterRange& range : set) {
    if (range.file == isa::RegisterFile::Vgpr || range.file == isa::RegisterFile::Agpr) {
      out.add(range);
    }
  }
  return out;
}

/// Most that the counters hold, by WaitChecker::Count: 6, 4 and 3 bits on all gfx9 targets (MI100
/// ISA 4.4, SQ_WAVE_IB_STS and S_WAITCNT). There, stores count in VM_CNT.
constexpr unsigned kCapacity[] = {63, 15, 7};

uint32_t key(const isa::RegisterRange& range, unsigned n) {
  return static_cast<uint32_t>(range.file) << 16 | (range.first + n);
}

}  // namespace

/// Results of this counter's instructions come back in the order of issue.
bool WaitChecker::ordered(const Counter& counter) const {
  const auto of = [&](Kind kind) { return counter.of_kind[static_cast<unsigned>(kind)]; };
  if (of(Kind::Scalar) + of(Kind::Flat) != 0) return false;
  return std::count(counter.of_kind.begin(), counter.of_kind.end(), size_t{0}) >= int{kKinds - 1};
}

void WaitChecker::forget(bool Pending::* what, Pending& p) {
  if (p.*what) --live_;
  p.*what = false;
}

/// All but the youngest `most` are over. Weights do not count: what weighs 2, scalar reads, is not
/// ordered.
void WaitChecker::lower(Count count, unsigned most) {
  Counter& counter = counters_[count];
  if (most != 0 && !ordered(counter)) return;
  while (counter.raisers.size() > most) {
    const auto at = pending_.find(counter.raisers.front());
    counter.raisers.pop_front();
    Pending& p = at->second;
    --counter.of_kind[static_cast<unsigned>(p.kind)];
    p.raises[count] = false;
    if (!p.raises[kExp]) forget(&Pending::data, p);
    // GDS: EXP_CNT is about its data alone.
    if (!p.raises[kVm] && !p.raises[kLgkm]) forget(&Pending::result, p);
    if (!p.raises[kVm] && !p.raises[kLgkm] && !p.raises[kExp]) pending_.erase(at);
  }
}

bool WaitChecker::raises(Kind kind, Count count) {
  switch (count) {
    case kVm:
      return kind == Kind::Vector || kind == Kind::Flat;
    case kLgkm:
      return kind != Kind::Vector && kind != Kind::None;
    default:
      return kind == Kind::Gds;
  }
}

/// An instruction of that kind is issued once its counters can take it. Only where it and all
/// before it come back in order is it known which of them must be back.
void WaitChecker::make_room(Kind kind) {
  for (unsigned n = 0; n < kCounts; ++n) {
    const auto count = static_cast<Count>(n);
    if (!raises(kind, count)) continue;
    const Counter& counter = counters_[n];
    const size_t alike = counter.of_kind[static_cast<unsigned>(kind)];
    if (alike == counter.raisers.size()) lower(count, kCapacity[n] - 1);
  }
}

std::array<unsigned, WaitChecker::kCounts> WaitChecker::awaited(const isa::Instruction& in) {
  const auto field = static_cast<unsigned>(in.src[0].value);
  return {(field & 0xf) | (field >> 10 & 0x30), field >> 8 & 0xf, field >> 4 & 0x7};
}

bool WaitChecker::live(const Met& met) const {
  const auto found = pending_.find(met.number);
  return found != pending_.end() && (met.data ? found->second.data : found->second.result);
}

HazardFinding WaitChecker::finding(const Pending& first, const isa::Instruction& in, uint64_t pc,
                                   bool data) const {
  struct Text {
    const char* rule;
    const char* advice;
  };
  constexpr Text kTexts[] = {
      {"W001", "s_waitcnt vmcnt"},   {"W002", "s_waitcnt lgkmcnt"},
      {"W003", "s_waitcnt lgkmcnt"}, {"W004", "s_waitcnt lgkmcnt(0)"},
      {"W000", "s_waitcnt lgkmcnt"}, {"W005", "s_waitcnt vmcnt(0) lgkmcnt(0)"}};
  HazardFinding out;
  const Text& text = kTexts[static_cast<unsigned>(first.kind)];
  out.rule = data ? "W006" : text.rule;
  out.advice = data ? "s_waitcnt expcnt" : text.advice;
  out.source = "MI100 ISA 4.4";
  if (!data && first.kind == Kind::Scalar && target_ == isa::Target::Gfx908) {
    out.rule = "H163";
    out.source = "MI100 ISA 8.3";
  }
  if (!data && first.kind == Kind::Flat && target_ == isa::Target::Gfx942) {
    out.rule = "H162";
    out.source = "CDNA3 ISA 10.2.2";
  }
  out.first_pc = first.pc;
  out.second_pc = pc;
  out.first = first.instruction;
  out.second = in;
  return out;
}

WaitChecker::Kind WaitChecker::kind_of(const isa::Instruction& in) {
  switch (in.row->unit) {
    case isa::Unit::Vmem:
      return Kind::Vector;
    case isa::Unit::Flat:
      return Kind::Flat;
    case isa::Unit::Lds:
    case isa::Unit::Gds:
      return in.row->unit == isa::Unit::Gds || in.mem.gds ? Kind::Gds : Kind::Lds;
    case isa::Unit::Smem:
      return Kind::Scalar;
    case isa::Unit::Message:
      return Kind::Message;
    default:
      return Kind::None;
  }
}

void WaitChecker::watch(const isa::RegisterSet& set, bool data, uint64_t number) {
  const auto kind = static_cast<unsigned>(pending_.at(number).kind);
  for (const isa::RegisterRange& range : set) {
    for (unsigned n = 0; n < range.count; ++n) {
      Watch& watch = watches_[key(range, n)];
      auto& watchers = data ? watch.data : watch.results[kind];
      while (!watchers.empty() && !live({watchers.front(), data})) watchers.pop_front();
      while (!watchers.empty() && !live({watchers.back(), data})) watchers.pop_back();
      watchers.push_back(number);
    }
  }
}

void WaitChecker::add(const isa::Instruction& in, uint64_t pc) {
  const Kind kind = kind_of(in);
  if (kind == Kind::None) return;
  const uint64_t number = ++issued_;
  Pending& p = pending_[number];
  p.kind = kind;
  p.pc = pc;
  p.instruction = in;
  for (unsigned n = 0; n < kCounts; ++n) {
    p.raises[n] = raises(kind, static_cast<Count>(n));
    if (!p.raises[n]) continue;
    counters_[n].raisers.push_back(number);
    ++counters_[n].of_kind[static_cast<unsigned>(kind)];
  }
  const isa::RegisterSet result = without_scc(registers_written(in));
  const isa::RegisterSet data = p.raises[kExp] ? vgprs(registers_read(in)) : isa::RegisterSet{};
  p.result = result.count != 0;
  p.data = data.count != 0;
  live_ += (p.result ? 1 : 0) + (p.data ? 1 : 0);
  watch(result, false, number);
  watch(data, true, number);
}

/// All of `watchers` will have been reported, or are over.
void WaitChecker::meet(std::deque<uint64_t>& watchers, bool data, std::vector<Met>& met) {
  for (const uint64_t number : watchers) {
    if (live({number, data})) met.push_back({number, data});
  }
  watchers.clear();
}

void WaitChecker::issue(const isa::Instruction& in, uint64_t pc, std::vector<HazardFinding>& out) {
  if (in.row->semantic == isa::SemanticId::s_waitcnt) {
    const auto most = awaited(in);
    for (unsigned n = 0; n < kCounts; ++n) lower(static_cast<Count>(n), most[n]);
    return;
  }
  const Kind kind = kind_of(in);
  make_room(kind);
  if (live_ == 0) return add(in, pc);
  std::vector<Met> met;
  const auto meet_all = [&](const isa::RegisterSet& set, Kind except, bool data) {
    for (const isa::RegisterRange& range : set) {
      for (unsigned n = 0; n < range.count; ++n) {
        const auto found = watches_.find(key(range, n));
        if (found == watches_.end()) continue;
        for (unsigned k = 0; k < kKinds; ++k) {
          if (k != static_cast<unsigned>(except)) meet(found->second.results[k], false, met);
        }
        if (data) meet(found->second.data, true, met);
      }
    }
  };
  // The second of two loads of one kind, in order, may take over the destination.
  const bool takes_over = kind == Kind::Vector || kind == Kind::Lds;
  // The same with what a D16 load of vector memory keeps; LDS reads it before.
  meet_all(kind == Kind::Vector ? registers_fetched(in) : registers_read(in), Kind::None, false);
  meet_all(registers_written(in), takes_over ? kind : Kind::None, true);
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  for (const Met& m : met) {
    Pending& first = pending_.at(m.number);
    out.push_back(finding(first, in, pc, m.data));
    forget(m.data ? &Pending::data : &Pending::result, first);
  }
  add(in, pc);
}

}  // namespace cuvette::wave
