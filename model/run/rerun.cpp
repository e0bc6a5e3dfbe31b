// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/rerun.h"

#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "ip/block_dut.h"
#include "ip/matrix_monitor.h"
#include "ip/matrix_rerun.h"
#include "ip/valu_dut.h"
#include "ip/valu_monitor.h"

namespace cuvette::run {
namespace {

std::string line(const char* label, const std::string& text) {
  return fmt::format("  {:<12} {}\n", label, text);
}

/// "out.fst" to "out".
std::string stem(const std::string& wave) {
  constexpr const char* kEnd = ".fst";
  const size_t length = std::string(kEnd).size();
  const bool ends = wave.size() > length && wave.compare(wave.size() - length, length, kEnd) == 0;
  return ends ? wave.substr(0, wave.size() - length) : wave;
}

base::Result<ip::ValuRerun> rerun(const ip::ValuRecording& recording, const std::string& wave) {
  auto device = device_of(recording);
  if (!device) return device.error();
  return ip::rerun_valu(**device, recording, wave);
}

base::Result<ip::MatrixRerun> rerun(const ip::MatrixRecording& recording, const std::string& wave) {
  auto device = device_of(recording);
  if (!device) return device.error();
  return ip::rerun_matrix(std::move(device).value(), recording, wave);
}

std::string compared_text(const ip::ValuCounts& counts) {
  return fmt::format("{} responses", counts.responses);
}
std::string compared_text(const ip::MatrixCounts& counts) {
  return fmt::format("{} passes of results", counts.results);
}

template <class Recording>
base::Result<std::string> rerun_text(const Recording& recording, const std::string& wave) {
  const auto done = rerun(recording, wave);
  if (!done) return done.error();
  const auto& mismatch = done->mismatch;
  if (!mismatch) {
    return fmt::format("no difference in {} of the block alone", compared_text(done->counts));
  }
  return fmt::format("the block alone differs in {}, transaction {}", mismatch->field,
                     mismatch->id);
}

template <class Recording>
std::string after(const Recording& recording, const std::string& wave,
                  const std::string& default_stem) {
  const std::string name = wave.empty() ? default_stem : stem(wave);
  const std::string file = name + ".transactions.jsonl";
  std::string text;
  if (auto s = base::write_text(file, ip::to_text(recording)); !s.ok()) {
    text += line("transactions", "not written: " + s.error().str());
  } else {
    text += line("transactions", file);
    text += line("reproduce", fmt::format("cuvette rerun {} --wave {}", file,
                                          wave.empty() ? name + ".fst" : wave));
  }
  const auto done = rerun_text(recording, wave);
  text += line("rerun", done.ok() ? *done : done.error().str());
  text += line("waves", !done.ok() ? "none" : wave.empty() ? "none, --wave was not given" : wave);
  return text;
}

}  // namespace

base::Result<std::unique_ptr<ip::ValuDevice>> device_of(const ip::ValuRecording& recording) {
  std::unique_ptr<ip::ValuDevice> device;
  if (recording.device == "rtl") {
    device = ip::make_valu_check(recording.seed);
  } else {
    auto library = ip::load_valu_dut(recording.library);
    if (!library) return library.error();
    device = ip::make_valu_dut(*library, recording.target, recording.seed);
    if (device == nullptr) return base::Error("the module makes no device", {recording.library});
  }
  return std::unique_ptr<ip::ValuDevice>(std::make_unique<ip::ValuMonitor>(std::move(device)));
}

base::Result<std::unique_ptr<ip::MatrixDevice>> device_of(const ip::MatrixRecording& recording) {
  std::unique_ptr<ip::MatrixDevice> device;
  if (recording.device == "rtl") {
    device = ip::make_matrix_check(recording.seed);
  } else {
    auto library = ip::load_matrix_dut(recording.library);
    if (!library) return library.error();
    device = ip::make_matrix_dut(*library, recording.target, recording.seed);
    if (device == nullptr) return base::Error("the module makes no device", {recording.library});
  }
  return std::unique_ptr<ip::MatrixDevice>(std::make_unique<ip::MatrixMonitor>(std::move(device)));
}

std::string after_difference(const ip::ValuRecording& recording, const std::string& wave,
                             const std::string& default_stem) {
  return after(recording, wave, default_stem);
}
std::string after_difference(const ip::MatrixRecording& recording, const std::string& wave,
                             const std::string& default_stem) {
  return after(recording, wave, default_stem);
}

}  // namespace cuvette::run
