// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/target.h"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

//                              name    mach  secc   unif   scr    pack   preld granule isa
constexpr std::array<ProcessorFacts, kProcessors> kFacts = {{
    {"gfx900", 0x2c, false, false, false, false, false, 4, 9, 0, 0},
    {"gfx906", 0x2f, true, false, false, false, false, 4, 9, 0, 6},
    {"gfx908", 0x30, true, false, false, false, false, 4, 9, 0, 8},
    {"gfx90a", 0x3f, true, true, false, true, true, 8, 9, 0, 10},
    {"gfx942", 0x4c, true, true, true, true, true, 8, 9, 4, 2},
}};

// Processors that LLVM knows and this model does not: named in messages only.
constexpr std::pair<uint8_t, const char*> kOthers[] = {
    {0x20, "gfx600"},  {0x21, "gfx601"},  {0x22, "gfx700"},  {0x23, "gfx701"},
    {0x24, "gfx702"},  {0x25, "gfx703"},  {0x26, "gfx704"},  {0x28, "gfx801"},
    {0x29, "gfx802"},  {0x2a, "gfx803"},  {0x2b, "gfx810"},  {0x2d, "gfx902"},
    {0x2e, "gfx904"},  {0x31, "gfx909"},  {0x32, "gfx90c"},  {0x33, "gfx1010"},
    {0x34, "gfx1011"}, {0x35, "gfx1012"}, {0x36, "gfx1030"}, {0x37, "gfx1031"},
    {0x38, "gfx1032"}, {0x39, "gfx1033"}, {0x3a, "gfx602"},  {0x3b, "gfx705"},
    {0x3c, "gfx805"},  {0x3d, "gfx1035"}, {0x3e, "gfx1034"}, {0x40, "gfx940"},
    {0x41, "gfx1100"}, {0x42, "gfx1013"}, {0x43, "gfx1150"}, {0x44, "gfx1103"},
    {0x45, "gfx1036"}, {0x46, "gfx1101"}, {0x47, "gfx1102"}, {0x48, "gfx1200"},
    {0x4a, "gfx1151"}, {0x4b, "gfx941"},  {0x4e, "gfx1201"}, {0x51, "gfx9-generic"},
};

constexpr const char* kSupported = "gfx900, gfx906, gfx908, gfx90a or gfx942";

const char* feature_suffix(Feature f) {
  return f == Feature::On ? "+" : "-";
}
bool named(Feature f) {
  return f == Feature::On || f == Feature::Off;
}

/// The two-bit fields of v4 and later: unsupported, any, off, on.
Feature field(uint64_t value) {
  constexpr Feature kValues[] = {Feature::Unsupported, Feature::Any, Feature::Off, Feature::On};
  return kValues[value & 3];
}

}  // namespace

std::string TargetId::str() const {
  std::string text = facts(processor).name;
  if (named(sramecc)) text += std::string(":sramecc") + feature_suffix(sramecc);
  if (named(xnack)) text += std::string(":xnack") + feature_suffix(xnack);
  return text;
}

const ProcessorFacts& facts(Processor processor) {
  return kFacts[static_cast<size_t>(processor)];
}

TargetId default_machine(Processor processor) {
  TargetId id;
  id.processor = processor;
  id.xnack = Feature::Off;
  if (facts(processor).has_sramecc) {
    id.sramecc = processor == Processor::Gfx906 ? Feature::Off : Feature::On;
  }
  return id;
}

base::Result<TargetId> parse_target(const std::string& text) {
  constexpr const char* kTriple = "amdgcn-amd-amdhsa--";
  std::string rest = text;
  if (rest.rfind(kTriple, 0) == 0) rest.erase(0, std::strlen(kTriple));
  size_t colon = rest.find(':');
  const std::string processor = rest.substr(0, colon);
  TargetId id;
  bool found = false;
  for (size_t i = 0; i < kFacts.size(); ++i) {
    if (processor == kFacts[i].name) {
      id.processor = static_cast<Processor>(i);
      found = true;
    }
  }
  if (!found) {
    return base::Error(fmt::format("unknown target '{}', expected {}", processor, kSupported));
  }
  id.xnack = Feature::Any;
  id.sramecc = facts(id.processor).has_sramecc ? Feature::Any : Feature::Unsupported;
  while (colon != std::string::npos) {
    const size_t start = colon + 1;
    colon = rest.find(':', start);
    const std::string word =
        rest.substr(start, colon == std::string::npos ? std::string::npos : colon - start);
    const char sign = word.empty() ? '\0' : word.back();
    const std::string feature = word.substr(0, word.empty() ? 0 : word.size() - 1);
    Feature* slot = feature == "xnack" ? &id.xnack : feature == "sramecc" ? &id.sramecc : nullptr;
    if (slot == nullptr || (sign != '+' && sign != '-') || *slot != Feature::Any) {
      return base::Error(fmt::format(
          "target '{}': feature '{}', expected sramecc+, sramecc-, xnack+ or xnack- once each, as "
          "far as {} has them",
          text, word, processor));
    }
    *slot = sign == '+' ? Feature::On : Feature::Off;
  }
  return id;
}

bool compatible(const TargetId& code, const TargetId& machine) {
  auto fits = [](Feature c, Feature m) { return c == m || c == Feature::Any || m == Feature::Any; };
  return code.processor == machine.processor && fits(code.sramecc, machine.sramecc) &&
         fits(code.xnack, machine.xnack);
}

base::Result<TargetId> target_from_flags(uint32_t e_flags, uint8_t abi_version) {
  const auto mach = static_cast<uint8_t>(e_flags & 0xff);
  TargetId id;
  bool found = false;
  for (size_t i = 0; i < kFacts.size(); ++i) {
    if (kFacts[i].elf_mach == mach) {
      id.processor = static_cast<Processor>(i);
      found = true;
    }
  }
  if (!found) {
    for (const auto& [other, text] : kOthers) {
      if (other == mach) {
        return base::Error(fmt::format("code for {}, expected {}", text, kSupported));
      }
    }
    return base::Error(
        fmt::format("unknown processor {:#x} in e_flags, expected {}", mach, kSupported));
  }
  if (abi_version == 1) {
    // v3 knows on and off only.
    id.xnack = base::bit(e_flags, 8) ? Feature::On : Feature::Off;
    if (facts(id.processor).has_sramecc) {
      id.sramecc = base::bit(e_flags, 9) ? Feature::On : Feature::Off;
    }
  } else {
    id.xnack = field(base::bits(e_flags, 9, 8));
    id.sramecc = field(base::bits(e_flags, 11, 10));
  }
  return id;
}

base::Result<TargetId> target_from_isa_version(uint32_t major, uint32_t minor, uint32_t stepping) {
  TargetId id;
  const bool known = major == 9 && minor == 0 &&
                     (stepping == 0 || stepping == 1 || stepping == 6 || stepping == 7);
  if (!known) {
    return base::Error(
        fmt::format("code object v2 for ISA {}.{}.{}, expected 9.0.0 or 9.0.1 (gfx900), 9.0.6 or "
                    "9.0.7 (gfx906)",
                    major, minor, stepping));
  }
  id.processor = stepping >= 6 ? Processor::Gfx906 : Processor::Gfx900;
  id.xnack = stepping % 2 == 1 ? Feature::On : Feature::Off;
  id.sramecc = facts(id.processor).has_sramecc ? Feature::Any : Feature::Unsupported;
  return id;
}

uint16_t isa_stepping(const TargetId& target) {
  return static_cast<uint16_t>(facts(target.processor).isa_stepping +
                               (target.xnack == Feature::On ? 1 : 0));
}

}  // namespace cuvette::hsa
