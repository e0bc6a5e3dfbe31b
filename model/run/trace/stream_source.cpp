// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// From observers of the machine to events that wait for their turn.
#include <algorithm>
#include <iterator>
#include <utility>

#include "isa/text.h"
#include "run/timed.h"
#include "run/trace/stream.h"

namespace cuvette::run {

using compute_unit::Activity;
using machine::Cycle;
using Kind = TraceEvent::Kind;

namespace {

constexpr size_t kRecentCodes = 4096;
constexpr uint64_t kAddsPerDrain = 256;

TraceBlock block_of(const std::string& name) {
  for (unsigned n = 0; n < kTraceBlocks; ++n) {
    if (name == name_of(static_cast<TraceBlock>(n))) return static_cast<TraceBlock>(n);
  }
  return TraceBlock::L2;
}

}  // namespace

void TraceStream::attach(TimedGpu& gpu) {
  now_ = [&gpu] { return gpu.cycle(); };
  gpu.watch_caches([this](const std::string& block, unsigned index) {
    return [this, block = block_of(block), index](const cache::Cache::Event& of) {
      using Of = cache::Cache::Event::Kind;
      // What a first level answers is the answer that its requester tells.
      if (of.kind == Of::Answer && block != TraceBlock::L2) return;
      TraceEvent& e = add(of.time);
      e.kind = of.kind == Of::Hit ? Kind::Hit : of.kind == Of::Miss ? Kind::Miss : Kind::Reply;
      e.block = block;
      e.unit = index;
      e.op = of.op;
      e.requester = of.cu;
      e.slot = static_cast<uint8_t>(of.wave);
      e.sequence = of.sequence;
      e.address = of.address;
    };
  });
  gpu.watch_memory([this](Cycle now, unsigned channel, const memory::MemReq& r, Cycle until) {
    TraceEvent& e = add(now);
    e.kind = Kind::Access;
    e.block = TraceBlock::Memory;
    e.unit = channel;
    e.op = r.op;
    e.requester = r.cu;
    e.slot = static_cast<uint8_t>(r.wave);
    e.sequence = r.sequence;
    e.address = r.address;
    e.until = until;
  });
  gpu.watch_dispatches([this](Cycle now, uint32_t id, bool begin) {
    TraceEvent& e = add(now);
    e.kind = begin ? Kind::DispatchBegin : Kind::DispatchEnd;
    e.block = TraceBlock::Spi;
    e.dispatch = id;
  });
}

void TraceStream::residency(const compute_unit::ResidencyCycles& cycles) {
  TraceEvent& e = add_past(cycles.end);
  e.kind = Kind::Stall;
  e.block = TraceBlock::ComputeUnit;
  e.wave = cycles.wave;
  e.stalled = cycles.stall.has_value();
  if (cycles.stall) e.stall = *cycles.stall;
  e.until = cycles.end;
  e.cycles = cycles.cycles;
}

void TraceStream::packet(Cycle now, uint32_t queue, uint64_t index,
                         command_processor::CommandProcessor::Stage stage) {
  TraceEvent& e = add(now);
  e.kind = Kind::Packet;
  e.unit = queue;
  e.number = index;
  e.stage = stage;
}

void TraceStream::activity(unsigned unit, const Activity& a) {
  TraceEvent& e = add(a.time);
  e.block = TraceBlock::ComputeUnit;
  e.unit = unit;
  e.simd = a.simd;
  e.slot = a.slot;
  e.wave = a.wave;
  e.dispatch = a.dispatch;
  e.workgroup = a.workgroup;
  e.number = a.order;
  e.sequence = a.sequence;
  switch (a.kind) {
    case Activity::Kind::Launch:
      e.kind = Kind::WaveBegin;
      e.kernel = &kernel_at(a.pc);
      break;
    case Activity::Kind::Issue:
      e.kind = Kind::Issue;
      e.code = &code_at(a.pc, *a.instruction);
      e.until = a.complete;
      e.requests = a.requests;
      break;
    case Activity::Kind::Retire:
      e.kind = Kind::Retire;
      break;
    case Activity::Kind::Request:
      e.kind = Kind::Request;
      e.op = a.op;
      e.address = a.address;
      break;
    case Activity::Kind::Answer:
      e.kind = Kind::Answer;
      break;
    case Activity::Kind::Fetch:
      e.kind = Kind::Fetch;
      e.number = a.pc;
      e.bytes = a.bytes;
      e.address = a.address;
      break;
    case Activity::Kind::Fetched:
      e.kind = Kind::Fetched;
      break;
    case Activity::Kind::End:
      e.kind = Kind::WaveEnd;
      break;
  }
}

/// A fresh event of that time; who asked for it fills it in before the next.
TraceEvent& TraceStream::add(Cycle time) {
  drain_sometimes();
  if (time < drained_) ++late_;
  return put(time);
}

/// The same for what says itself which cycles it is about, past ones too.
TraceEvent& TraceStream::add_past(Cycle time) {
  drain_sometimes();
  return put(time);
}

void TraceStream::drain_sometimes() {
  if (++added_ % kAddsPerDrain == 0) drain(now_());
}

/// Not before what has been passed on.
TraceEvent& TraceStream::put(Cycle time) {
  time = std::max(time, drained_);
  const bool near = time - drained_ < kNear;
  if (near) ++near_count_;
  std::vector<TraceEvent>& bucket = near ? near_[time % kNear] : far_[time];
  TraceEvent& event = bucket.emplace_back();
  event.time = time;
  event.order = static_cast<uint32_t>(bucket.size());
  return event;
}

const TraceCode& TraceStream::code_at(uint64_t pc, const isa::Instruction& i) {
  const auto is = [&i](const Code& c) {
    return c.length == i.length && c.code.row == i.row &&
           std::equal(c.words.begin(), c.words.begin() + i.length, i.words);
  };
  recent_codes_.resize(kRecentCodes);
  Code*& recent = recent_codes_[pc / 4 % kRecentCodes];
  if (recent != nullptr && recent->code.pc == pc && is(*recent)) return recent->code;
  Code*& known = code_at_[pc];
  if (known == nullptr || !is(*known)) {  // other code may come to the same place
    Code& c = codes_.emplace_back();
    c.code = {static_cast<uint32_t>(codes_.size() - 1), pc, i.row, isa::text(i)};
    std::copy(std::begin(i.words), std::end(i.words), c.words.begin());
    c.length = i.length;
    known = &c;
  }
  recent = known;
  return known->code;
}

const std::string& TraceStream::kernel_at(uint64_t pc) {
  const std::string*& name = kernel_at_[pc];
  const std::string now = kernel_name_(pc);
  if (name == nullptr || *name != now) name = &*kernels_.insert(now).first;
  return *name;
}

}  // namespace cuvette::run
