// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/konata_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuvette::run {

using compute_unit::Stall;
using machine::Cycle;
using machine::kNever;
using Kind = TraceEvent::Kind;

namespace {

constexpr size_t kMostLines = 1 << 18;
constexpr size_t kTextBytes = 1 << 16;
constexpr const char *kWaits = "Wt", *kIssues = "Is", *kExecutes = "X", *kInMemory = "M";

/// By Stall; docs/reference/traces.md has the list.
const char* stage_of(Stall stall) {
  constexpr const char* kStages[compute_unit::kStalls] = {"F",  "Ar", "Sr", "Wc", "Vr", "Ms",
                                                          "Mr", "Si", "Mc", "Mp", "Ld", "Fc",
                                                          "Ba", "La", "Sl", "Ro", "Ha", "En"};
  return kStages[static_cast<unsigned>(stall)];
}

bool in_memory(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::Smem:
    case isa::Unit::Vmem:
    case isa::Unit::Flat:
    case isa::Unit::Lds:
    case isa::Unit::Gds:
      return true;
    default:
      return false;
  }
}

/// One line of a file whose fields are separated by tabs.
std::string plain(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  }
  return text;
}

}  // namespace

KonataWriter::KonataWriter(std::string path, const TraceRun& run)
    : run_(run), file_(std::move(path)), text_("Kanata\t0004\n") {}

void KonataWriter::add(Wave& wave, Cycle time, char command, const EntryPointer& entry,
                       std::string rest, EntryPointer producer) {
  lines_.push(
      {time, wave.thread, next_order_++, command, entry, std::move(producer), std::move(rest)});
}

void KonataWriter::stage(Wave& wave, const EntryPointer& entry, const char* name, Cycle begin,
                         Cycle end) {
  add(wave, begin, 'S', entry, fmt::format("0\t{}", name));
  add(wave, end, 'E', entry, fmt::format("0\t{}", name));
}

std::string KonataWriter::facts(const Wave& wave) const {
  const TraceEvent& b = wave.begin;
  return plain(fmt::format("{} wave {:#x}, dispatch {}, work-group {}, cu {} simd {} slot {}",
                           *b.kernel, b.wave, b.dispatch, b.workgroup, b.unit, b.simd, b.slot));
}

void KonataWriter::begin_entry(Wave& wave, const EntryPointer& entry) {
  add(wave, wave.since, 'I', entry, fmt::format("{}", wave.thread));
}

/// From when the instruction is the next one until `end`: by reason, where there are any.
void KonataWriter::wait_stages(Wave& wave, const EntryPointer& entry, Cycle end) {
  Cycle from = wave.since;
  for (const Wait& w : wave.why) {
    const Cycle begin = std::max(w.begin, from), stop = std::min(w.end, end);
    if (begin >= stop) continue;
    if (begin > from) stage(wave, entry, kWaits, from, begin);
    stage(wave, entry, stage_of(w.stall), begin, stop);
    from = stop;
  }
  if (from < end) stage(wave, entry, kWaits, from, end);
}

void KonataWriter::set_bound(Wave& wave, Cycle bound) {
  bounds_.erase({wave.bound, wave.begin.wave});
  wave.bound = bound;
  if (bound != kNever) bounds_.insert({bound, wave.begin.wave});
}

void KonataWriter::event(const TraceEvent& e) {
  if (e.time > now_) {
    write_issues();
    now_ = e.time;
    if (lines_.size() >= kMostLines / 2) write_some();
  }
  if (e.kind == Kind::WaveBegin) {
    Wave& wave = waves_[e.wave];
    wave.begin = e;
    wave.thread = (e.unit * run_.simds + e.simd) * run_.slots + e.slot;
    wave.since = e.time;
    set_bound(wave, e.time);
    return;
  }
  const auto found = waves_.find(e.wave);
  if (found == waves_.end()) return;
  Wave& wave = found->second;
  switch (e.kind) {
    case Kind::Stall:
      if (e.stalled) wave.why.push_back({e.stall, e.until - e.cycles, e.until});
      break;
    case Kind::Issue:
      if (wave.issued) write_issue(wave);
      wave.issued = true;
      wave.issue = e;
      issued_.push_back(e.wave);
      break;
    case Kind::Retire:
      if (wave.issued) write_issue(wave);
      retire(wave, e.number, e.time);
      break;
    case Kind::WaveEnd:
      if (wave.issued) write_issue(wave);
      end_wave(wave, e.time, false);
      waves_.erase(found);
      break;
    default:
      break;
  }
}

void KonataWriter::write_issues() {
  for (const uint64_t id : std::exchange(issued_, {})) {
    const auto wave = waves_.find(id);
    if (wave != waves_.end() && wave->second.issued) write_issue(wave->second);
  }
}

void KonataWriter::write_issue(Wave& wave) {
  wave.issued = false;
  const TraceEvent& e = wave.issue;
  EntryPointer entry = std::exchange(wave.early, nullptr);
  if (entry != nullptr) {
    add(wave, e.time, 'E', entry, fmt::format("0\t{}", kWaits));
  } else {
    entry = std::make_shared<Entry>();
    begin_entry(wave, entry);
    wait_stages(wave, entry, e.time);
  }
  add(wave, e.time, 'L', entry, fmt::format("0\t{:#x}: {}", e.code->pc, plain(e.code->text)));
  std::array<Cycle, compute_unit::kStalls> cycles{};
  for (const Wait& w : wave.why) {
    const Cycle begin = std::max(w.begin, wave.since);
    if (w.end > begin) cycles[static_cast<unsigned>(w.stall)] += w.end - begin;
  }
  std::string waited;
  for (unsigned n = 0; n < cycles.size(); ++n) {
    if (cycles[n] == 0) continue;
    waited += fmt::format("; waited {} cycles: {}", cycles[n],
                          compute_unit::text_of(static_cast<Stall>(n)));
  }
  add(wave, e.time, 'L', entry, "1\t" + facts(wave) + waited);
  if (e.code->row->mnemonic == "s_waitcnt") {
    for (const EntryPointer& producer : wave.back) add(wave, e.time, 'W', entry, "0", producer);
  }
  stage(wave, entry, kIssues, e.time, e.time + 1);
  const char* const name = in_memory(e.code->row->unit) ? kInMemory : kExecutes;
  if (e.until == kNever) {
    add(wave, e.time + 1, 'S', entry, fmt::format("0\t{}", name));
    wave.running.push_back({e.number, entry, name});
  } else {
    const Cycle until = std::max(e.until, e.time + 1);
    if (until > e.time + 1) stage(wave, entry, name, e.time + 1, until);
    retire_line(wave, entry, until, false);
  }
  wave.back.clear();
  wave.why.clear();
  wave.since = e.time + 1;
  wave.waits = !e.code->row->mnemonic.starts_with("s_endpgm");
  set_bound(wave, wave.waits ? wave.since : kNever);
}

void KonataWriter::retire_line(Wave& wave, const EntryPointer& entry, Cycle time, bool flushed) {
  add(wave, time, 'R', entry, flushed ? "1" : "0");
}

void KonataWriter::retire(Wave& wave, uint64_t number, Cycle time) {
  const auto found = std::ranges::find(wave.running, number, &Running::number);
  if (found == wave.running.end()) return;  // issued before the window
  add(wave, time, 'E', found->entry, fmt::format("0\t{}", found->stage));
  retire_line(wave, found->entry, time, false);
  wave.back.push_back(found->entry);
  wave.running.erase(found);
}

/// What has not retired is flushed. `cut`: by the end of the trace, and there is a next
/// instruction.
void KonataWriter::end_wave(Wave& wave, Cycle time, bool cut) {
  for (const Running& r : wave.running) {
    add(wave, time, 'E', r.entry, fmt::format("0\t{}", r.stage));
    retire_line(wave, r.entry, time, true);
  }
  EntryPointer entry = std::exchange(wave.early, nullptr);
  if (entry != nullptr) {
    add(wave, time, 'E', entry, fmt::format("0\t{}", kWaits));
  } else if (cut && wave.waits && wave.since < time) {
    entry = std::make_shared<Entry>();
    begin_entry(wave, entry);
    wait_stages(wave, entry, time);
  }
  if (entry != nullptr) {
    add(wave, time, 'L', entry, "0\t(not issued)");
    add(wave, time, 'L', entry, "1\t" + facts(wave));
    retire_line(wave, entry, time, true);
  }
  set_bound(wave, kNever);
}

/// Lines that no later one will come before; where these are too few, waits become one stage.
void KonataWriter::write_some() {
  const auto free_until = [this] { return bounds_.empty() ? now_ : bounds_.begin()->first; };
  write_until(free_until());
  while (lines_.size() >= kMostLines && !bounds_.empty() && bounds_.begin()->first < now_) {
    Wave& wave = waves_.at(bounds_.begin()->second);
    if (wave.early == nullptr) {
      wave.early = std::make_shared<Entry>();
      begin_entry(wave, wave.early);
      add(wave, wave.since, 'S', wave.early, fmt::format("0\t{}", kWaits));
    }
    set_bound(wave, now_);
    write_until(free_until());
  }
}

void KonataWriter::write_until(Cycle time) {
  while (!lines_.empty() && lines_.top().time < time) {
    write(lines_.top());
    lines_.pop();
  }
}

void KonataWriter::write(const Line& line) {
  if (!std::exchange(started_, true)) {
    text_ += fmt::format("C=\t{}\n", line.time);
    time_ = line.time;
  }
  if (line.time > time_) text_ += fmt::format("C\t{}\n", line.time - time_);
  time_ = std::max(time_, line.time);
  if (line.command == 'I') line.entry->id = next_id_++;
  const uint64_t id = line.entry->id;
  switch (line.command) {
    case 'I':
      text_ += fmt::format("I\t{}\t{}\t{}\n", id, id, line.rest);
      break;
    case 'R':
      text_ += fmt::format("R\t{}\t{}\t{}\n", id, next_retired_, line.rest);
      if (line.rest == "0") ++next_retired_;
      break;
    case 'W':
      text_ += fmt::format("W\t{}\t{}\t{}\n", id, line.producer->id, line.rest);
      break;
    default:
      text_ += fmt::format("{}\t{}\t{}\n", line.command, id, line.rest);
  }
  if (text_.size() < kTextBytes) return;
  file_.write(text_);
  text_.clear();
}

base::Status KonataWriter::finish(Cycle last, const TraceCounts& left_out) {
  write_issues();
  std::vector<uint64_t> open;
  for (const auto& [id, wave] : waves_) open.push_back(id);
  std::ranges::sort(open);
  for (const uint64_t id : open) end_wave(waves_.at(id), last, true);
  while (!lines_.empty()) {
    Line line = lines_.top();
    lines_.pop();
    if (line.time > last) line.time = last;  // the end of the window
    write(line);
  }
  if (left_out.sum() != 0) {
    // The format has no place for what is not an instruction.
    text_ += fmt::format("I\t{0}\t{0}\t0\nL\t{0}\t0\tleft out:", next_id_);
    for (unsigned n = 0; n < TraceCounts::kWhats; ++n) {
      if (left_out.of[n] != 0)
        text_ += fmt::format(" {} {}", left_out.of[n], TraceCounts::kNames[n]);
    }
    text_ += fmt::format("\nS\t{0}\t0\t-\nE\t{0}\t0\t-\nR\t{0}\t{1}\t1\n", next_id_, next_retired_);
  }
  file_.write(text_);
  return file_.close();
}

}  // namespace cuvette::run
