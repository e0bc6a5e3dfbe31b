// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "isa/target.h"
#include "wave/state.h"

/// The probe door (probe.md): one short instruction sequence on one wave, registers in,
/// registers out.
namespace cuvette::run {

/// One thing to read back.
struct ProbeRead {
  enum class Kind { Sgpr, Vgpr, Agpr, Exec, Vcc, Scc, M0, Mode, Trapsts, Lds, Memory };
  Kind kind = Kind::Sgpr;
  std::string key;     ///< as written; the key of the answer
  uint64_t index = 0;  ///< register number; Lds, Memory: byte address
  uint64_t bytes = 0;  ///< Lds, Memory: size
};

/// A case as it was asked for: code, state of the wave before it, and results to read.
struct ProbeCase {
  nlohmann::json id;  ///< given back in the answer
  isa::Target target = isa::Target::Gfx908;
  std::vector<std::string> assembly;  ///< lines, or else `code`
  std::vector<uint32_t> code;         ///< dwords, or else `assembly`
  uint32_t mode = wave::kDefaultMode;
  /// State before the code.
  uint64_t exec = ~uint64_t{0}, vcc = 0;
  bool scc = false;
  uint32_t m0 = 0;
  std::map<unsigned, uint32_t> sgpr;  ///< by register number; others are 0
  std::map<unsigned, wave::LaneRow> vgpr, agpr;
  /// First contents by byte address, in the work-group's LDS and in device memory.
  std::map<uint64_t, std::vector<uint8_t>> lds, memory;
  /// Device addresses with sizes in bytes, beside those of `memory`.
  std::map<uint64_t, uint64_t> mapped;
  std::vector<ProbeRead> reads;  ///< in the order of the answer
};

/// Errors: unknown keys, wrong types, values out of range, AccVGPRs of a target without,
/// neither or both of asm and code.
base::Result<ProbeCase> parse_probe_case(const nlohmann::json& object);

}  // namespace cuvette::run
