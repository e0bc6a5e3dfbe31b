// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/stream.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "run/engine.h"

namespace cuvette::run {
namespace {

using base::Result;
using base::Status;
using machine::Cycle;
using machine::kNever;
using Kind = TraceEvent::Kind;

std::optional<TraceCounts::What> counted_as(Kind kind) {
  switch (kind) {
    case Kind::WaveBegin:
      return TraceCounts::kWaves;
    case Kind::Issue:
      return TraceCounts::kIssues;
    case Kind::Miss:
      return TraceCounts::kMisses;
    case Kind::Request:
      return TraceCounts::kRequests;
    case Kind::Access:
      return TraceCounts::kAccesses;
    case Kind::DispatchBegin:
      return TraceCounts::kDispatches;
    case Kind::Packet:
      return TraceCounts::kSteps;
    case Kind::Fetch:
      return TraceCounts::kFetches;
    case Kind::Hit:
      return TraceCounts::kHits;
    case Kind::Reply:
      return TraceCounts::kReplies;
    default:
      return std::nullopt;
  }
}

bool of_wave(Kind kind) {
  return kind == Kind::WaveBegin || kind == Kind::WaveEnd || kind == Kind::Issue ||
         kind == Kind::Retire || kind == Kind::Request || kind == Kind::Answer ||
         kind == Kind::Fetch || kind == Kind::Fetched || kind == Kind::Stall;
}

/// Of a cache or the memory, for a wave slot.
bool of_slot(Kind kind) {
  return kind == Kind::Hit || kind == Kind::Miss || kind == Kind::Reply || kind == Kind::Access;
}

}  // namespace

const char* name_of(TraceBlock block) {
  constexpr const char* kNames[kTraceBlocks] = {
      "command_processor", "spi", "compute_unit", "vector_l1", "scalar_cache",
      "instruction_cache", "l2",  "memory"};
  return kNames[static_cast<unsigned>(block)];
}

const char* name_of(memory::MemOp op) {
  switch (op) {
    case memory::MemOp::Read:
      return "read";
    case memory::MemOp::Write:
      return "write";
    case memory::MemOp::Atomic:
    case memory::MemOp::AtomicReturn:
      return "atomic";
    case memory::MemOp::Invalidate:
      return "invalidate";
    case memory::MemOp::Writeback:
      break;
  }
  return "write-back";
}

Result<std::unique_ptr<TraceStream>> TraceStream::make(const TraceOptions& options,
                                                       const machine::GpuConfig& description,
                                                       KernelName kernel_name) {
  if (auto s = check_trace(options); !s.ok()) return s.error();
  auto filter = TraceFilter::parse(options.filters);
  if (!filter) return filter.error();
  if (auto s = filter->check(description.compute_units); !s.ok()) return s.error();
  return std::unique_ptr<TraceStream>(
      new TraceStream(options, description, std::move(kernel_name), std::move(*filter)));
}

TraceStream::TraceStream(const TraceOptions& options, const machine::GpuConfig& description,
                         KernelName kernel_name, TraceFilter filter)
    : options_(options),
      kernel_name_(std::move(kernel_name)),
      filter_(std::move(filter)),
      simds_(description.compute_unit.simds),
      slots_(description.compute_unit.waves_per_simd),
      near_(kNear),
      slot_chosen_(size_t{description.compute_units} * simds_ * slots_),
      whole_(filter_.everything() && options.limit == 0 && options.first == 0 &&
             options.last == kNever) {
  TraceRun run;
  run.target = description.target;
  run.filter = filter_.text();
  run.clock_mhz = description.clock_mhz;
  run.compute_units = description.compute_units;
  run.simds = simds_;
  run.slots = slots_;
  run.limit = options.limit;
  run.first = options.first;
  run.last = options.last;
  writer_ = make_trace_writer(options.path, run);
}

void TraceStream::drain(Cycle before) {
  while (drained_ < before) {
    if (near_count_ == 0) {  // nothing until the first of those that are far
      drained_ = far_.empty() ? before : std::min(before, far_.begin()->first);
      bring_near();
      continue;
    }
    std::vector<TraceEvent>& events = near_[drained_ % kNear];
    if (!events.empty()) {
      sort(events);
      for (const TraceEvent& e : events) pass(e);
      near_count_ -= events.size();
      events.clear();
    }
    ++drained_;
    bring_near();
  }
}

/// Events that have come into the next kNear cycles.
void TraceStream::bring_near() {
  while (!far_.empty() && far_.begin()->first - drained_ < kNear) {
    auto node = far_.extract(far_.begin());
    near_count_ += node.mapped().size();
    near_[node.key() % kNear] = std::move(node.mapped());
  }
}

/// By block and unit; what one of them does in a cycle stays in the order in which it was told.
void TraceStream::sort(std::vector<TraceEvent>& events) const {
  const auto place = [](const TraceEvent& e) { return std::tuple(e.block, e.unit, e.order); };
  if (!std::ranges::is_sorted(events, {}, place)) std::ranges::sort(events, {}, place);
}

/// Keeps what is true up to date; whether the event is of something that the filter chooses.
bool TraceStream::follow(const TraceEvent& e) {
  const auto slot = [&] { return (size_t{e.unit} * simds_ + e.simd) * slots_ + e.slot; };
  switch (e.kind) {
    case Kind::WaveBegin: {
      const bool has = filter_.has_wave(e.unit, e.wave, *e.kernel);
      slot_chosen_[slot()] = has;
      if (has) waves_[e.wave] = {e, false};
      met_ = met_ || has;
      return has;
    }
    case Kind::DispatchBegin:
      dispatches_[e.dispatch] = e;
      return true;
    case Kind::DispatchEnd:
      dispatches_.erase(e.dispatch);
      return true;
    default:
      return chosen(e);
  }
}

bool TraceStream::chosen(const TraceEvent& e) const {
  if (filter_.everything()) return true;
  if (of_wave(e.kind)) return waves_.count(e.wave) != 0;
  if (!of_slot(e.kind)) return true;
  // A write-back of a cache, which is for nobody; the first request of a unit is a fetch.
  if (e.requester == 0 && e.sequence == 0 && e.op == memory::MemOp::Write) return false;
  const size_t per_unit = size_t{simds_} * slots_;
  const size_t slot = e.requester * per_unit + e.slot;
  return e.slot < per_unit && slot < slot_chosen_.size() && slot_chosen_[slot] != 0;
}

void TraceStream::pass(const TraceEvent& e) {
  if (whole_) {
    last_ = std::max(last_, e.time);
    if (const auto what = counted_as(e.kind)) ++shown_.of[*what];
    return writer_->event(e);
  }
  if (e.time > options_.last) {
    window_over_ = true;
    return;
  }
  if (e.time >= options_.first && !window_open_) open_window();
  if (!follow(e)) return;
  if (window_open_) {
    last_ = std::max(last_, e.time);
    if (of_wave(e.kind)) {
      const auto wave = waves_.find(e.wave);
      if (wave == waves_.end()) return;
      if (e.kind == Kind::WaveBegin) {
        wave->second.shown = show(e);
      } else if (wave->second.shown) {
        show(e);
      } else if (const auto what = counted_as(e.kind)) {
        ++left_out_.of[*what];
      }
    } else {
      show(e);
    }
  }
  if (e.kind == Kind::WaveEnd) waves_.erase(e.wave);
}

bool TraceStream::show(const TraceEvent& e) {
  if (const auto what = counted_as(e.kind)) {
    if (options_.limit != 0 && shown_.sum() >= options_.limit) {
      ++left_out_.of[*what];
      return false;
    }
    ++shown_.of[*what];
  }
  writer_->event(e);
  return true;
}

/// What is there already begins with the window.
void TraceStream::open_window() {
  window_open_ = true;
  std::vector<TraceEvent> begun;
  begun.reserve(dispatches_.size() + waves_.size());
  for (const auto& [id, e] : dispatches_) begun.push_back(e);
  for (const auto& [id, wave] : waves_) begun.push_back(wave.begin);
  std::ranges::sort(begun, {}, [](const TraceEvent& e) {
    return std::tuple(e.block, e.unit, e.dispatch, e.wave);
  });
  for (TraceEvent& e : begun) {
    e.time = options_.first;
    e.begun = false;
    const bool shown = show(e);
    if (e.kind == Kind::WaveBegin) waves_[e.wave].shown = shown;
  }
}

std::string TraceStream::left_out_text() const {
  std::vector<std::string> parts;
  for (unsigned n = 0; n < TraceCounts::kWhats; ++n) {
    if (left_out_.of[n] == 0) continue;
    parts.push_back(fmt::format("{} {}", left_out_.of[n], TraceCounts::kNames[n]));
  }
  return parts.empty() ? ""
                       : fmt::format("{} left out (--trace-limit {})", fmt::join(parts, ", "),
                                     options_.limit);
}

void TraceStream::finish(EngineReport& report) {
  drain(kNever);
  report.trace_events = shown_.sum();
  Cycle last = last_ + 1;  // issues of the last cycle end behind it
  if (window_over_ && options_.last != kNever) last = options_.last + 1;
  if (auto s = writer_->finish(last, left_out_); !s.ok()) {
    report.lost_files.push_back(s.error());
    return;
  }
  const auto note = [&](const std::string& text) {
    if (!text.empty()) report.files.push_back(options_.path + ": " + text);
  };
  note(writer_->left_out());
  note(left_out_text());
  if (late_ != 0) {
    note(fmt::format("{} events told after later ones, at a later cycle than their own", late_));
  }
  if (!whole_ && !window_open_ && options_.first != 0) {
    note(fmt::format("nothing happened from cycle {} on", options_.first));
  }
  if (!met_ && !filter_.everything()) {
    report.failures.push_back(
        fmt::format("--trace-filter {}: no such wave has run, kernels that ran: {}", filter_.text(),
                    kernels_.empty() ? "none" : fmt::format("{}", fmt::join(kernels_, ", "))));
  }
}

}  // namespace cuvette::run
