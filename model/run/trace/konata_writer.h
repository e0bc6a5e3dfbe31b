// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run/trace/trace_file.h"
#include "run/trace/writer.h"

namespace cuvette::run {

/// Writer of the text that the pipeline viewer Konata reads (docs/reference/traces.md). An
/// instruction begins when it is the next one of its wave. Why it waits is known when it issues,
/// and the file is in order of time: lines are kept until every wave has issued, up to a bound,
/// from which on the wait of the wave that holds them up is one stage.
class KonataWriter final : public TraceWriter {
 public:
  KonataWriter(std::string path, const TraceRun& run);

  bool wants_stalls() const override { return true; }
  void event(const TraceEvent& event) override;
  base::Status finish(machine::Cycle last, const TraceCounts& left_out) override;

 private:
  /// An instruction of the file; numbered when its first line is written.
  struct Entry {
    uint64_t id = 0;
  };
  using EntryPointer = std::shared_ptr<Entry>;
  struct Line {
    machine::Cycle time = 0;
    uint32_t thread = 0;
    uint64_t order = 0;  ///< among those of the thread
    char command = 'I';
    EntryPointer entry, producer;
    std::string rest;
    bool operator>(const Line& other) const {
      if (time != other.time) return time > other.time;
      return thread != other.thread ? thread > other.thread : order > other.order;
    }
  };
  struct Wait {
    compute_unit::Stall stall = compute_unit::Stall::Fetch;
    machine::Cycle begin = 0, end = 0;
  };
  struct Running {
    uint64_t number = 0;
    EntryPointer entry;
    const char* stage = nullptr;
  };
  struct Wave {
    TraceEvent begin;
    uint32_t thread = 0;
    bool waits = true;         ///< has a next instruction
    machine::Cycle since = 0;  ///< it is the next one
    machine::Cycle bound = 0;  ///< no line of the wave will be before
    EntryPointer early;        ///< of the next instruction, where its wait is one stage already
    std::vector<Wait> why;
    bool issued = false;  ///< `issue` is not written yet
    TraceEvent issue;
    std::vector<Running> running;    ///< issued, not retired
    std::vector<EntryPointer> back;  ///< retired since the last issue
  };

  void add(Wave& wave, machine::Cycle time, char command, const EntryPointer& entry,
           std::string rest, EntryPointer producer = nullptr);
  void stage(Wave& wave, const EntryPointer& entry, const char* name, machine::Cycle begin,
             machine::Cycle end);
  void begin_entry(Wave& wave, const EntryPointer& entry);
  void wait_stages(Wave& wave, const EntryPointer& entry, machine::Cycle end);
  void write_issues();
  void write_issue(Wave& wave);
  void retire(Wave& wave, uint64_t number, machine::Cycle time);
  void retire_line(Wave& wave, const EntryPointer& entry, machine::Cycle time, bool flushed);
  void end_wave(Wave& wave, machine::Cycle time, bool cut);
  void set_bound(Wave& wave, machine::Cycle bound);
  void write_until(machine::Cycle time);
  void write_some();
  void write(const Line& line);
  std::string facts(const Wave& wave) const;

  TraceRun run_;
  TraceFile file_;
  std::string text_;  // not in the file yet
  std::unordered_map<uint64_t, Wave> waves_;
  std::set<std::pair<machine::Cycle, uint64_t>> bounds_;  // of waves, with their numbers
  std::vector<uint64_t> issued_;                          // waves with Wave::issued
  std::priority_queue<Line, std::vector<Line>, std::greater<>> lines_;
  uint64_t next_order_ = 0, next_id_ = 0, next_retired_ = 0;
  machine::Cycle now_ = 0;
  bool started_ = false;
  machine::Cycle time_ = 0;  // of the last line
};

}  // namespace cuvette::run
