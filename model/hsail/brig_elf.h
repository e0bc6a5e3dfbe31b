// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

/// BRIG inside a relocatable ELF file, as HSAILasm -bif32 and -bif64 write it: one section .brig
/// and a symbol __BRIG__ for it.
namespace cuvette::hsail {

/// e_machine of the two classes.
constexpr uint16_t kElfMachineHsail32 = 0xaf5a;
constexpr uint16_t kElfMachineHsail64 = 0xaf5b;

/// BRIG in a file, from its magic number on.
struct BrigSpan {
  size_t offset = 0;  ///< bytes, in the file
  size_t size = 0;    ///< bytes
};

/// True if the bytes begin like an ELF file.
bool is_elf(const uint8_t* data, size_t size);
/// The section .brig (or hsa_brig). Errors: not a little-endian ELF32 or ELF64 file, section table
/// or section outside the file, no such section.
base::Result<BrigSpan> find_brig_section(const uint8_t* data, size_t size, const std::string& file);
/// An ELF file around BRIG; `wide`: ELF64, else ELF32.
std::vector<uint8_t> wrap_elf(const std::vector<uint8_t>& brig, bool wide);

}  // namespace cuvette::hsail
