// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/verb.h"

#ifdef CUVETTE_WITH_RTL
#include "base/file.h"
#include "ip/matrix_core/matrix_rerun.h"
#include "ip/simd/simd_rerun.h"
#include "ip/valu/valu_rerun.h"
#include "ip/vrf/vrf_rerun.h"
#include "run/rerun.h"
#endif

namespace cuvette::cli {
namespace {

struct Options {
  std::string file, wave, library;
};

#ifdef CUVETTE_WITH_RTL

/// The summary of a rerun; the status of the program. `answers`: of the device, that were compared;
/// a rerun without any proves nothing.
template <class Recording, class Result>
int tell(const Options& o, const char* block, const Recording& recording, const Result& result,
         uint64_t answers, const std::string& compared) {
  fmt::print("{}: {} transactions on block {} ({}) alone: {}\n", o.file,
             recording.transactions.size(), block, recording.device,
             result.mismatch || answers == 0 ? "FAILED" : "passed");
  fmt::print("  {:<12} {}\n", "compared", compared);
  if (!o.wave.empty()) fmt::print("  {:<12} {}\n", "waves", o.wave);
  if (!result.mismatch && answers != 0) return kPassed;
  fmt::print("{}", result.mismatch ? result.mismatch->report
                                   : "nothing was compared: the device answered nothing\n");
  return kCheckFailed;
}

/// Another module in place of what is recorded.
void take_library(const Options& o, ip::RecordingHead& recording) {
  if (o.library.empty()) return;
  recording.library = o.library;
  if (recording.device == "rtl") recording.device = "dut:" + o.library;
}

int rerun_valu(const Options& o, const std::string& text) {
  auto recording = ip::parse_recording(text, o.file);
  if (!recording) return report(recording.error());
  take_library(o, *recording);
  auto device = run::device_of(*recording);
  if (!device) return report(device.error());
  auto result = ip::rerun_valu(**device, *recording, o.wave);
  if (!result) return report(result.error());
  device->reset();  // completes the waveforms
  const ip::ValuCounts& c = result->counts;
  return tell(o, "valu", *recording, *result, c.responses,
              fmt::format("{} responses, {} lanes, {} masks, {} flags", c.responses, c.lanes,
                          c.masks, c.flags));
}

int rerun_matrix(const Options& o, const std::string& text) {
  auto recording = ip::parse_matrix_recording(text, o.file);
  if (!recording) return report(recording.error());
  take_library(o, *recording);
  auto device = run::device_of(*recording);
  if (!device) return report(device.error());
  auto result = ip::rerun_matrix(std::move(device).value(), *recording, o.wave);
  if (!result) return report(result.error());
  const ip::MatrixCounts& c = result->counts;
  return tell(o, "matrix_core", *recording, *result, c.results,
              fmt::format("{} instructions, {} passes of results, {} lanes", c.instructions,
                          c.results, c.lanes));
}

int rerun_simd(const Options& o, const std::string& text) {
  auto recording = ip::parse_simd_recording(text, o.file);
  if (!recording) return report(recording.error());
  take_library(o, *recording);
  auto device = run::device_of(*recording);
  if (!device) return report(device.error());
  auto result = ip::rerun_simd(std::move(device).value(), *recording, o.wave);
  if (!result) return report(result.error());
  const ip::SimdCounts& c = result->counts;
  return tell(o, "simd", *recording, *result, c.beats,
              fmt::format("{} instructions, {} beats, {} lanes, {} masks", c.instructions, c.beats,
                          c.lanes, c.masks));
}

int rerun_vrf(const Options& o, const std::string& text) {
  auto recording = ip::parse_vrf_recording(text, o.file);
  if (!recording) return report(recording.error());
  take_library(o, *recording);
  auto device = run::device_of(*recording);
  if (!device) return report(device.error());
  auto result = ip::rerun_vrf(std::move(device).value(), *recording, o.wave);
  if (!result) return report(result.error());
  const ip::VrfCounts& c = result->counts;
  return tell(o, "vrf", *recording, *result, c.reads,
              fmt::format("{} rows read, {} written, {} lanes", c.reads, c.writes, c.lanes));
}

int rerun(const Options& o) {
  if (auto s = check_outputs({o.file}, {o.wave}); !s.ok()) return report(s.error());
  auto text = base::read_text(o.file);
  if (!text) return report(text.error());
  auto block = ip::recorded_block(*text, o.file);
  if (!block) return report(block.error());
  if (*block == "valu") return rerun_valu(o, *text);
  if (*block == "simd") return rerun_simd(o, *text);
  if (*block == "vrf") return rerun_vrf(o, *text);
  return rerun_matrix(o, *text);
}

#else

int rerun(const Options&) {
  return not_built("rerun", "no RTL in this build");
}

#endif

}  // namespace

void add_rerun(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb = app.add_subcommand(
      "rerun", "Run the transactions of a lockstep difference again, on the block alone");
  verb->add_option("file", o->file, "Transactions, as written after a difference")->required();
  verb->add_option("--wave", o->wave, "Write RTL waveforms (FST)");
  verb->add_option("--library", o->library, "Another shared module with the device");
  verb->callback([o, &chosen] { chosen = [o] { return rerun(*o); }; });
}

}  // namespace cuvette::cli
