// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/verb.h"

#ifdef CUVETTE_WITH_RTL
#include "run/lockstep_files.h"
#include "run/lone_blocks.h"
#endif

namespace cuvette::cli {
namespace {

struct Options {
  std::string file, wave, library, window;
};

#ifdef CUVETTE_WITH_RTL

int rerun_recording(const Options& o, const run::LockstepFiles& files) {
  const auto rerun = run::rerun_alone(o.file, {o.wave, files.first, files.last}, o.library);
  if (!rerun) return report(rerun.error());
  bool failed = false;
  for (const auto& block : rerun->blocks) {
    const bool nothing = block.compared == 0 && !files.has_window();
    failed |= block.mismatch || nothing;
    fmt::print("{}: {} messages on {} ({}) alone: {}\n", o.file, block.offered, block.place.text,
               block.head.device, block.mismatch || nothing ? "FAILED" : "passed");
    std::string compared;
    for (const auto& [name, count] : block.items) {
      compared += fmt::format("{}{} {}", compared.empty() ? "" : ", ", count, name);
    }
    fmt::print("  {:<12} {}\n", "compared", compared);
    if (!block.wave.empty()) fmt::print("  {:<12} {}\n", "waves", block.wave);
    if (block.mismatch) {
      fmt::print("{}\n", block.mismatch->report);
    } else if (nothing) {
      fmt::print("nothing was compared: the device answered nothing\n");
    }
  }
  return failed ? kCheckFailed : kPassed;
}

int rerun(const Options& o) {
  if (auto s = check_outputs({o.file}, {o.wave}); !s.ok()) return report(s.error());
  if (auto s = base::check_replaceable(o.wave); !s.ok()) return report(s.error());
  run::LockstepFiles files;
  if (!o.window.empty()) {
    if (auto s = run::parse_window(o.window, files); !s.ok()) return report(s.error());
    if (o.wave.empty()) return report(base::Error("--window goes with --wave"));
  }
  return rerun_recording(o, files);
}

#else

int rerun(const Options&) {
  return not_built("rerun", "no RTL in this build");
}

#endif

}  // namespace

void add_rerun(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb =
      verbs.add("rerun", "Run a recording of blocks in lockstep again, on the blocks alone");
  verb.option("file", o->file, "A recording").required();
  verb.option("--wave", o->wave, "Write RTL waveforms (FST)");
  verb.option("--window", o->window, "FIRST:LAST: cycles that --wave shows");
  verb.option("--library", o->library, "Another shared module with the device");
  verb.does([o] { return rerun(*o); });
}

}  // namespace cuvette::cli
