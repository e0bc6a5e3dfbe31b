// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::hsa {

constexpr uint16_t kElfMachineAmdgpu = 224;
constexpr uint8_t kElfOsAbiAmdgpuHsa = 64;

constexpr uint16_t kElfAbsoluteSection = 0xfff1;
constexpr uint32_t kElfLoadSegment = 1;

struct ElfSegment {
  uint32_t type = 0;
  uint32_t flags = 0;  ///< 1 execute, 2 write, 4 read
  uint64_t offset = 0;
  uint64_t vaddr = 0;
  uint64_t file_bytes = 0;
  uint64_t memory_bytes = 0;
  uint64_t alignment = 0;
  uint64_t entry = 0;  ///< offset of its program header in the file
};

struct ElfSymbol {
  std::string name;
  uint64_t value = 0;
  uint64_t bytes = 0;
  uint8_t type = 0;      ///< 1 object, 2 function, 10 HSA kernel (v2)
  uint8_t binding = 0;   ///< 0 local, 1 global, 2 weak
  uint16_t section = 0;  ///< 0 undefined, kElfAbsoluteSection, or one of the file
  uint64_t entry = 0;    ///< offset of its entry in the file
};

struct ElfRelocation {
  uint64_t offset = 0;  ///< virtual address to patch
  uint32_t type = 0;
  uint32_t symbol = 0;  ///< index into dynamic_symbols
  int64_t addend = 0;
  uint64_t entry = 0;  ///< offset of its entry in the file
};

struct ElfNote {
  std::string owner;
  uint32_t type = 0;
  uint64_t offset = 0;  ///< of the description in the file
  uint64_t bytes = 0;
};

/// An AMDGPU ELF64 shared object, taken apart. Everything is a copy; every count and offset was
/// checked against the file.
struct ElfFile {
  uint8_t os_abi = 0;
  uint8_t abi_version = 0;
  uint16_t type = 0;
  uint32_t flags = 0;
  std::vector<ElfSegment> segments;
  std::vector<ElfSymbol> symbols;          ///< .symtab, or the dynamic ones when there is none
  std::vector<ElfSymbol> dynamic_symbols;  ///< .dynsym, with its null entry
  std::vector<ElfRelocation> relocations;
  std::vector<ElfNote> notes;

  /// The segment to load that has all of [address, address + bytes); null when none has. No bytes
  /// may lie at the end of one.
  const ElfSegment* segment_with(uint64_t address, uint64_t bytes) const;
};

/// Errors name file and offset: not an ELF, 32-bit, big-endian, another machine or OS ABI, not a
/// shared object, tables that are truncated, of another entry size or linked to a section of
/// another kind, symbols of sections that are not there or that only a linker can place, names
/// without end, no section table, more than 65536 notes or overlapping relocation tables. Never
/// reads outside [data, data + bytes).
base::Result<ElfFile> parse_elf(const uint8_t* data, size_t bytes, const std::string& file);

}  // namespace cuvette::hsa
