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

}  // namespace

/// Results of this counter's instructions come back in the order of issue.
bool WaitChecker::ordered(bool Pending::* counter) const {
  const Pending* first = nullptr;
  for (const Pending& p : pending_) {
    if (!(p.*counter)) continue;
    if (p.kind == Kind::Scalar || p.kind == Kind::Flat) return false;
    if (first != nullptr && first->kind != p.kind) return false;
    first = &p;
  }
  return true;
}

void WaitChecker::wait(unsigned vm, unsigned lgkm, unsigned exp) {
  struct Limit {
    bool Pending::* counter;
    unsigned most;
  };
  for (const Limit& limit :
       {Limit{&Pending::vm, vm}, {&Pending::lgkm, lgkm}, {&Pending::exp, exp}}) {
    if (limit.most != 0 && !ordered(limit.counter)) continue;
    unsigned total = 0;
    for (auto p = pending_.rbegin(); p != pending_.rend(); ++p) {  // the youngest may be left
      if (!((*p).*limit.counter)) continue;
      total += limit.counter == &Pending::lgkm ? p->lgkm_weight : 1;
      if (total > limit.most) (*p).*limit.counter = false;
    }
  }
  for (Pending& p : pending_) {
    if (!p.exp) p.data.count = 0;
    if (!p.vm && !p.lgkm) p.result.count = 0;  // GDS: EXP_CNT is about its data alone
  }
  std::erase_if(pending_, [](const Pending& p) { return !p.vm && !p.lgkm && !p.exp; });
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

void WaitChecker::add(const isa::Instruction& in, uint64_t pc) {
  Pending p{Kind::Vector, false, false, false, 1, pc, in, {}, {}};
  switch (in.row->unit) {
    case isa::Unit::Vmem:
      p.vm = true;
      break;
    case isa::Unit::Flat:
      p.kind = Kind::Flat;
      p.vm = p.lgkm = true;
      break;
    case isa::Unit::Lds:
    case isa::Unit::Gds:
      p.kind = in.row->unit == isa::Unit::Gds || in.mem.gds ? Kind::Gds : Kind::Lds;
      p.lgkm = true;
      p.exp = p.kind == Kind::Gds;
      break;
    case isa::Unit::Smem:
      p.kind = Kind::Scalar;
      p.lgkm = true;
      p.lgkm_weight = in.dst[0].dwords > 1 ? 2 : 1;
      break;
    case isa::Unit::Message:
      p.kind = Kind::Message;
      p.lgkm = true;
      break;
    default:
      return;
  }
  p.result = without_scc(registers_written(in));
  if (p.exp) p.data = vgprs(registers_read(in));
  pending_.push_back(p);
}

void WaitChecker::issue(const isa::Instruction& in, uint64_t pc, std::vector<HazardFinding>& out) {
  if (in.row->semantic == isa::SemanticId::s_waitcnt) {
    const auto field = static_cast<unsigned>(in.src[0].value);
    wait((field & 0xf) | (field >> 10 & 0x30), field >> 8 & 0xf, field >> 4 & 0x7);
    return;
  }
  if (pending_.empty()) return add(in, pc);
  const isa::RegisterSet read = registers_read(in), written = registers_written(in);
  const size_t old = pending_.size();
  add(in, pc);
  const Pending* self = pending_.size() > old ? &pending_.back() : nullptr;
  for (size_t i = 0; i < old; ++i) {
    Pending& first = pending_[i];
    // The second of two loads of one kind, in order, may take over the destination.
    const bool same_kind = self != nullptr && self->kind == first.kind &&
                           (first.kind == Kind::Vector || first.kind == Kind::Lds);
    if (first.result.overlaps(read) || (!same_kind && first.result.overlaps(written))) {
      out.push_back(finding(first, in, pc, false));
      first.result.count = 0;
    }
    if (first.data.overlaps(written)) {
      out.push_back(finding(first, in, pc, true));
      first.data.count = 0;
    }
  }
}

}  // namespace cuvette::wave
