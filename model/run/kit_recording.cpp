// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/kit_recording.h"

#include <utility>

#include <fmt/format.h>

#include "run/lone_blocks.h"

namespace cuvette::run {
namespace {

std::string line(const char* label, const std::string& text) {
  return fmt::format("  {:<12} {}\n", label, text);
}

/// "out.fst", "out.recording.jsonl" and "out.jsonl" to "out".
std::string stem(const std::string& path) {
  for (const std::string_view end : {".fst", ".recording.jsonl", ".jsonl"}) {
    if (path.ends_with(end)) return path.substr(0, path.size() - end.size());
  }
  return path;
}

/// `difference`, `last`: cycles of the difference of the run and of the end of the recording.
std::string rerun_text(const base::Result<ip::Rerun>& rerun, machine::Cycle difference,
                       machine::Cycle last) {
  if (!rerun) return rerun.error().str();
  uint64_t compared = 0;
  for (const auto& block : rerun->blocks) {
    compared += block.compared;
    if (block.mismatch) {
      return fmt::format("the block alone differs in {}, cycle {}", block.mismatch->field,
                         block.mismatch->time);
    }
  }
  if (last < difference) {
    return fmt::format("not up to the difference: the recording ends with --window at cycle {}",
                       last);
  }
  return fmt::format("no difference in {} values of the block alone", compared);
}

}  // namespace

std::string KitRecording::name() const {
  if (!files_.record.empty()) return files_.record;
  return (files_.wave.empty() ? "cuvette_lockstep" : stem(files_.wave)) + ".recording.jsonl";
}

ip::WaveWindow KitRecording::window() const {
  return {files_.wave, files_.first, files_.last};
}

base::Status KitRecording::open() {
  if (!files_.any()) return {};
  auto made = ip::Recorder::open(name(), files_.last);
  if (!made) return made.error();
  recorder_ = std::move(*made);
  return {};
}

void KitRecording::adopt(ip::LockstepView& block, ip::RecordingHead head,
                         ip::recording::Json config) {
  head.compute_unit = block.place().compute_unit;
  head.simd = block.place().index;
  head.timing = block.options().timing;
  ip::recording::Json json = ip::recording::head_json(head, block.place().block.c_str());
  json["config"] = std::move(config);
  if (recorder_ != nullptr) {
    block.record(*recorder_, std::move(json));
  } else {
    heads_[&block] = std::move(json);
  }
}

std::string KitRecording::after_difference(const ip::LockstepView& block) {
  if (recorder_ == nullptr) {
    auto made = ip::Recorder::open(name());
    if (!made) return line("recording", "not written: " + made.error().str());
    // The trail of the block that differs; nothing of the run is changed by it any more.
    auto& recorded = const_cast<ip::LockstepView&>(block);
    if (!recorded.record(**made, heads_[&block])) {
      return line("recording", "too long to be kept; --record FILE writes it during the run");
    }
    recorder_ = std::move(*made);
  }
  const std::string file = recorder_->path();
  if (auto s = recorder_->finish(); !s.ok()) return line("recording", s.error().str());
  std::string text = line("recording", file);
  const std::string& name_of_block = block.place().block;
  if (!can_run_alone(name_of_block)) {
    return text + line("rerun", "none: block " + name_of_block + " cannot be run again alone");
  }
  const std::string wave = files_.wave.empty() ? stem(name()) + ".fst" : files_.wave;
  text += line("reproduce", fmt::format("cuvette rerun {} --wave {}", file, wave));
  const auto done = rerun_alone(file, window(), {});
  text += line("rerun", rerun_text(done, block.mismatch()->time, files_.last));
  text += line("waves", !done.ok()            ? "none"
                        : files_.wave.empty() ? "none, --wave was not given"
                                              : files_.wave);
  return text;
}

void KitRecording::finish(EngineReport& report) {
  if (recorder_ == nullptr) return;
  if (auto s = recorder_->finish(); !s.ok()) {
    report.lost_files.push_back(s.error());
    return;
  }
  if (recorder_->events() == 0 && !files_.wave.empty()) {
    report.lost_files.emplace_back("no waveforms: no block in lockstep was used",
                                   base::Location{.file = files_.wave});
    return;
  }
  report.files.push_back(fmt::format("{}: recording of {} events at the pins of blocks in lockstep",
                                     recorder_->path(), recorder_->events()));
  if (files_.wave.empty()) return;
  const auto done = rerun_alone(recorder_->path(), window(), {});
  if (!done) {
    report.lost_files.push_back(done.error());
    return;
  }
  bool shown = false;
  for (const auto& block : done->blocks) {
    if (block.mismatch)
      report.failures.push_back("lockstep, run again alone: " + block.mismatch->report);
    if (block.wave.empty()) continue;
    shown = true;
    report.files.push_back(
        fmt::format("{}: waveforms of {}, run again alone", block.wave, block.place.text));
  }
  if (!shown) {
    report.lost_files.emplace_back("no waveforms: no block in lockstep was used in these cycles",
                                   base::Location{.file = files_.wave});
  }
}

}  // namespace cuvette::run
