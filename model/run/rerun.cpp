// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/rerun.h"

#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "ip/block_dut.h"
#include "ip/matrix_core/matrix_monitor.h"
#include "ip/matrix_core/matrix_rerun.h"
#include "ip/simd/simd_monitor.h"
#include "ip/simd/simd_rerun.h"
#include "ip/valu/valu_monitor.h"
#include "ip/valu_dut.h"
#include "ip/vrf/vrf_monitor.h"
#include "ip/vrf/vrf_rerun.h"

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

base::Result<ip::SimdRerun> rerun(const ip::SimdRecording& recording, const std::string& wave) {
  auto device = device_of(recording);
  if (!device) return device.error();
  return ip::rerun_simd(std::move(device).value(), recording, wave);
}

base::Result<ip::VrfRerun> rerun(const ip::VrfRecording& recording, const std::string& wave) {
  auto device = device_of(recording);
  if (!device) return device.error();
  return ip::rerun_vrf(std::move(device).value(), recording, wave);
}

std::string compared_text(const ip::ValuCounts& counts) {
  return fmt::format("{} responses", counts.responses);
}
std::string compared_text(const ip::MatrixCounts& counts) {
  return fmt::format("{} passes of results", counts.results);
}
std::string compared_text(const ip::SimdCounts& counts) {
  return fmt::format("{} instructions", counts.instructions);
}
std::string compared_text(const ip::VrfCounts& counts) {
  return fmt::format("{} rows read", counts.reads);
}

/// What names the transaction that differs.
template <class Mismatch>
std::string place_text(const Mismatch& mismatch) {
  return fmt::format("transaction {}", mismatch.id);
}
std::string place_text(const ip::VrfMismatch& mismatch) {
  return fmt::format("{}row {}", mismatch.address.acc ? "acc " : "", mismatch.address.row);
}

template <class Recording>
base::Result<std::string> rerun_text(const Recording& recording, const std::string& wave) {
  const auto done = rerun(recording, wave);
  if (!done) return done.error();
  const auto& mismatch = done->mismatch;
  if (!mismatch) {
    return fmt::format("no difference in {} of the block alone", compared_text(done->counts));
  }
  return fmt::format("the block alone differs in {}, {}", mismatch->field, place_text(*mismatch));
}

/// The checking build of our RTL, or the module of the user.
template <class Device, class Make, class Load, class MakeDut>
base::Result<std::unique_ptr<Device>> made(const ip::RecordingHead& recording, Make&& make,
                                           Load&& load, MakeDut&& make_dut) {
  if (recording.device == "rtl") return std::unique_ptr<Device>(make(recording.seed));
  auto library = load(recording.library);
  if (!library) return library.error();
  if (auto s = (*library)->check_target(recording.target); !s.ok()) return s.error();
  auto device = make_dut(*library, recording.target, recording.seed);
  if (device == nullptr) return base::Error("the module makes no device", {recording.library});
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace

base::Result<std::unique_ptr<ip::ValuDevice>> device_of(const ip::ValuRecording& recording) {
  const auto make = [&](uint64_t seed) { return ip::make_valu_check(seed, recording.target); };
  auto device = made<ip::ValuDevice>(recording, make, ip::load_valu_dut, ip::make_valu_dut);
  if (!device) return device.error();
  return std::unique_ptr<ip::ValuDevice>(
      std::make_unique<ip::ValuMonitor>(std::move(device).value()));
}

base::Result<std::unique_ptr<ip::MatrixDevice>> device_of(const ip::MatrixRecording& recording) {
  const auto make = [&](uint64_t seed) { return ip::make_matrix_check(seed, recording.target); };
  auto device = made<ip::MatrixDevice>(recording, make, ip::load_matrix_dut, ip::make_matrix_dut);
  if (!device) return device.error();
  return std::unique_ptr<ip::MatrixDevice>(
      std::make_unique<ip::MatrixMonitor>(std::move(device).value()));
}

base::Result<std::unique_ptr<ip::SimdDevice>> device_of(const ip::SimdRecording& recording) {
  auto device =
      made<ip::SimdDevice>(recording, ip::make_simd_check, ip::load_simd_dut, ip::make_simd_dut);
  if (!device) return device.error();
  return std::unique_ptr<ip::SimdDevice>(
      std::make_unique<ip::SimdMonitor>(std::move(device).value()));
}

base::Result<std::unique_ptr<ip::VrfDevice>> device_of(const ip::VrfRecording& recording) {
  auto device =
      made<ip::VrfDevice>(recording, ip::make_vrf_check, ip::load_vrf_dut, ip::make_vrf_dut);
  if (!device) return device.error();
  return std::unique_ptr<ip::VrfDevice>(
      std::make_unique<ip::VrfMonitor>(std::move(device).value()));
}

template <class Recording>
std::string after_difference(const Recording& recording, const std::string& wave,
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

template <class Recording>
base::Status write_waves(const Recording& recording, const std::string& wave) {
  const auto done = rerun(recording, wave);
  if (!done) return done.error();
  if (!done->mismatch) return {};
  return base::Error(fmt::format("the block alone differs in {}, {}, where the run did not",
                                 done->mismatch->field, place_text(*done->mismatch)),
                     {.file = wave});
}

template std::string after_difference(const ip::ValuRecording&, const std::string&,
                                      const std::string&);
template base::Status write_waves(const ip::ValuRecording&, const std::string&);
template std::string after_difference(const ip::MatrixRecording&, const std::string&,
                                      const std::string&);
template base::Status write_waves(const ip::MatrixRecording&, const std::string&);
template std::string after_difference(const ip::SimdRecording&, const std::string&,
                                      const std::string&);
template base::Status write_waves(const ip::SimdRecording&, const std::string&);
template std::string after_difference(const ip::VrfRecording&, const std::string&,
                                      const std::string&);
template base::Status write_waves(const ip::VrfRecording&, const std::string&);

}  // namespace cuvette::run
