// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/registries.h"
#include "isa/row.h"
#include "machine/gpu_config.h"
#include "run/probe_case.h"
#include "run/probe_image.h"
#include "wave/state.h"

// One wave from the state of a probe case to its end.
namespace cuvette::run {

inline constexpr uint64_t kProbeInstructionLimit = 100'000;  ///< more are an endless case
inline constexpr uint16_t kProbeVgprs = 256;                 ///< of the wave
inline constexpr uint32_t kProbeLdsBytes = 65536;            ///< of the work-group
/// The flat apertures, those that the Linux driver uses on gfx9.
inline constexpr uint64_t kProbeSharedAperture = uint64_t{1} << 48;
inline constexpr uint64_t kProbePrivateAperture = uint64_t{2} << 48;

/// AccVGPRs of the wave.
constexpr uint16_t probe_accvgprs(isa::Target target) {
  return isa::has_accvgprs(target) ? 256 : 0;
}

/// State that a wave leaves behind. Memory is in the image.
struct ProbeOutcome {
  std::string failure;       ///< empty when the wave reached its end
  bool unsupported = false;  ///< the failure: an instruction this engine does not have
  wave::ScalarState scalars;
  /// All registers of the wave, by number.
  std::vector<wave::LaneRow> vgprs, accvgprs;
  std::vector<uint8_t> lds;                      ///< kProbeLdsBytes
  std::map<const isa::Row*, uint64_t> executed;  ///< times, by row
  std::string executed_by;                       ///< when that is not the engine's name
};

/// Registers of the case; PC at the code, everything else as after reset.
wave::ScalarState probe_scalars(const ProbeCase& c, uint64_t code_at);

/// On the golden machine.
ProbeOutcome probe_on_golden(const ProbeCase& c, ProbeImage& image);

/// On one compute unit of `description` with its caches and memory, composed as engine ca does, but
/// without front end and links; number and size of registers as the case's target has them. The
/// description chooses the implementations, which `registries` has. Every case gets a fresh one.
ProbeOutcome probe_on_unit(const ProbeCase& c, ProbeImage& image,
                           const machine::GpuConfig& description,
                           const gpu::Registries& registries);

}  // namespace cuvette::run
