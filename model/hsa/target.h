// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace cuvette::hsa {

enum class Processor : uint8_t { Gfx900, Gfx906, Gfx908, Gfx90a, Gfx942 };
constexpr unsigned kProcessors = 5;

/// A feature of a target id. Code with Any runs whatever the machine's setting is.
enum class Feature : uint8_t { Unsupported, Any, Off, On };

/// "gfx908:sramecc+:xnack-". Code objects may have Any, and machines whose results do not depend on
/// the feature.
struct TargetId {
  Processor processor = Processor::Gfx908;
  Feature sramecc = Feature::Unsupported;
  Feature xnack = Feature::Unsupported;

  std::string str() const;
  bool operator==(const TargetId& other) const {
    return processor == other.processor && sramecc == other.sramecc && xnack == other.xnack;
  }
  bool operator!=(const TargetId& other) const { return !(*this == other); }
};

/// Facts of a processor that the ABI depends on.
struct ProcessorFacts {
  const char* name;
  uint8_t elf_mach;          ///< EF_AMDGPU_MACH
  bool has_sramecc;          ///< gfx906 and later
  bool unified_vgprs;        ///< accumulation VGPRs lie behind the others in one file of 512
  bool architected_scratch;  ///< FLAT_SCRATCH is set by the hardware
  bool packed_workitem_ids;  ///< work-item ids in one VGPR
  bool kernarg_preload;      ///< packet processors preload kernel arguments into SGPRs
  uint8_t vgpr_granule;      ///< VGPRs per lane
  uint8_t isa_major, isa_minor, isa_stepping;
};
const ProcessorFacts& facts(Processor processor);

/// The machine's settings that go without saying: gfx900:xnack-, gfx906:sramecc-:xnack-,
/// gfx908:sramecc+:xnack-, gfx90a:sramecc+:xnack-, gfx942:sramecc+:xnack-.
TargetId default_machine(Processor processor);

/// "gfx908", "gfx908:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx90a:xnack+". A feature not named is
/// Any (Unsupported where the processor lacks it). Errors: unknown processor, unknown or repeated
/// feature.
base::Result<TargetId> parse_target(const std::string& text);

/// Any of either side fits everything; Off and On must equal the machine's.
bool compatible(const TargetId& code, const TargetId& machine);

/// The target of a code object from e_flags, by ELF ABI version (0: v2 ... 4: v6). v2 keeps its
/// target in a note, not here. Errors: unknown or unsupported processor, by name where it has one.
base::Result<TargetId> target_from_flags(uint32_t e_flags, uint8_t abi_version);
/// The target of a v2 object: stepping 1 and 7 of ISA 9.0 are 0 and 6 with XNACK.
base::Result<TargetId> target_from_isa_version(uint32_t major, uint32_t minor, uint32_t stepping);
/// And back: the stepping that names processor and XNACK.
uint16_t isa_stepping(const TargetId& target);

}  // namespace cuvette::hsa
