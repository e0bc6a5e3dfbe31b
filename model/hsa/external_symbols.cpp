// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/external_symbols.h"

#include <algorithm>
#include <cstring>

#include <elf.h>
#include <fmt/format.h>

#include "hsa/elf.h"
#include "hsa/file_error.h"
#include "hsa/small_model.h"
#include "hsa/symbol_names.h"

namespace cuvette::hsa {
namespace {

Elf64_Sym entry_of(const std::vector<uint8_t>& object, const ElfSymbol& s) {
  Elf64_Sym entry;
  std::memcpy(&entry, &object[s.entry], sizeof entry);
  return entry;
}

bool is_open(const ElfSymbol& s) {
  return s.section == SHN_UNDEF && !s.name.empty();
}

base::Status missing(const std::string& file, const ElfFile& elf) {
  for (const ElfRelocation& r : elf.relocations) {
    const ElfSymbol& s = elf.dynamic_symbols[r.symbol];
    if (!is_open(s) || s.binding == STB_WEAK) continue;
    return error_in_file(
        file, s.entry,
        fmt::format("symbol '{}' is undefined, expected 'externals' to say where '{}' lies", s.name,
                    hsail_name(s.name)));
  }
  return {};
}

}  // namespace

base::Status set_undefined_demands(std::vector<uint8_t>& object, const ExternalDemands& demands) {
  if (demands.empty()) return {};
  const auto elf = parse_elf(object.data(), object.size(), "code object");
  if (!elf) return elf.error();
  for (const auto* table : {&elf->dynamic_symbols, &elf->symbols}) {
    for (const ElfSymbol& s : *table) {
      const auto found = demands.find(s.name);
      if (!is_open(s) || found == demands.end()) continue;
      Elf64_Sym entry = entry_of(object, s);
      entry.st_size = found->second.bytes;
      entry.st_value = found->second.alignment;
      entry.st_info = ELF64_ST_INFO(s.binding, STT_OBJECT);
      std::memcpy(&object[s.entry], &entry, sizeof entry);
    }
  }
  return {};
}

base::Result<std::set<std::string>> define_externals(std::vector<uint8_t>& object,
                                                     const std::string& file,
                                                     const ExternalVariables& externals) {
  auto elf = parse_elf(object.data(), object.size(), file);
  if (!elf) return elf.error();
  const bool small = is_small_model(*elf, object.data());
  std::set<std::string> defined;
  for (ElfSymbol& s : elf->dynamic_symbols) {
    const auto found = externals.find(hsail_name(s.name));
    if (!is_open(s) || found == externals.end()) continue;
    const ExternalVariable& external = found->second;
    if (external.bytes < s.bytes) {
      return base::Error(fmt::format("external variable '{}' has {} bytes there, expected {}",
                                     found->first, external.bytes, s.bytes),
                         external.where);
    }
    if (s.value > 1 && external.address % s.value != 0) {
      return base::Error(
          fmt::format("external variable '{}' does not lie at a multiple of {} bytes", found->first,
                      s.value),
          external.where);
    }
    const uint64_t bytes = std::max<uint64_t>(s.bytes, 1);
    if (small && external.address > kSmallModelEnd - bytes) {
      return base::Error(
          fmt::format("external variable '{}' lies at {:#x}, expected it below 4 GiB (small "
                      "machine model)",
                      found->first, external.address),
          external.where);
    }
    Elf64_Sym entry = entry_of(object, s);
    entry.st_shndx = SHN_ABS;
    entry.st_value = external.address;
    std::memcpy(&object[s.entry], &entry, sizeof entry);
    defined.insert(found->first);
    s.section = SHN_ABS;
  }
  if (auto status = missing(file, *elf); !status) return status.error();
  return defined;
}

}  // namespace cuvette::hsa
