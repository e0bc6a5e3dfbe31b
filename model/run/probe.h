// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "run/probe_wave.h"

namespace cuvette::run {

/// The probe door on one engine: "golden", "tlm" or "rtl" (docs/reference/probe.md).
class Probe {
 public:
  /// Error: no machine description, or the engine is not built (`built` says so beforehand).
  static base::Result<std::unique_ptr<Probe>> create(const std::string& engine);
  /// False for "rtl" in a build without Verilator.
  static bool built(const std::string& engine);
  ~Probe();

  /// Runs one case and answers as probe.md says. Never fails: what is wrong with the case is
  /// in the answer.
  nlohmann::ordered_json answer(const nlohmann::json& object);
  /// The same without text: the code in `image`, with its s_endpgm, from the state of `c`.
  ProbeOutcome run(const ProbeCase& c, ProbeImage& image) const;

 private:
  struct Machine;
  Probe(std::string engine, std::unique_ptr<Machine> machine);

  std::string engine_;
  std::unique_ptr<Machine> machine_;  // null for golden
};

}  // namespace cuvette::run
