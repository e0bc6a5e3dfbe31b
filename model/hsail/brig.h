// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsail/module.h"
#include "hsail/text.h"

/// BRIG, the binary form of a module (HSAIL PRM chapter 18), raw or inside ELF32 or ELF64. The
/// output of the writer equals that of HSAILasm of HSAIL-Tools for the same text, byte for byte.
namespace cuvette::hsail {

/// Files that hold BRIG.
enum class BrigContainer : uint8_t { kRaw, kElf32, kElf64 };

/// A section of a tool or vendor (index 3 and up, 18.2): its bytes, header included, are kept as
/// they are.
struct BrigSection {
  std::string name;
  std::vector<uint8_t> bytes;  ///< from the section header on
  bool operator==(const BrigSection&) const = default;
};

/// All that a BRIG module holds.
struct Brig {
  Module module;
  std::vector<BrigSection> sections;
  std::array<uint8_t, 64> hash{};  ///< of the module header (18.3.18); zero when unused
};

/// True if the bytes begin like BRIG: its magic number, or an ELF file with a BRIG section. ELF
/// files of other kinds (code objects) are not BRIG.
bool is_brig(const uint8_t* data, size_t size);

/// Reads BRIG and checks its form: headers, offsets, kinds, enumerations, reserved fields, nesting,
/// scopes, and that references obey 18.5.1.1. Errors carry the offset in the file. The rules of the
/// language are `validate`'s. Entries longer than known are read up to their known part (18.2).
/// Opcodes of extensions that this layer lacks are an error. Operands come out as text gives them,
/// one for each use. Messages end with the section and the offset in it.
base::Result<Brig> read_brig(const uint8_t* data, size_t size, const std::string& file);

/// Errors: what the format cannot hold (an entry above 65532 bytes, a section above 4 GiB), with
/// the position of the entry.
base::Result<std::vector<uint8_t>> write_brig(const Module& module,
                                              BrigContainer container = BrigContainer::kRaw);
base::Result<std::vector<uint8_t>> write_brig(const Brig& brig, BrigContainer container);

/// Rules that a module is checked by: tools of the language take modules that no machine here does,
/// with a warning (docs/reference/decisions.md D71).
enum class Rules : uint8_t { kLanguage, kMachine };

/// A module from text or BRIG, whichever the bytes are, read and validated; all errors.
Outcome parse_module(const uint8_t* data, size_t size, const std::string& file,
                     Rules rules = Rules::kMachine);
/// The error with the section and the offset in it behind its words: "... (hsa_code+0x5c)".
/// parse_module has done that with its errors. As it is where its place is in no section.
base::Error in_section(const std::vector<SectionExtent>& sections, base::Error error);
/// The same as parse_module; the first error of several.
base::Result<Module> load_module(const uint8_t* data, size_t size, const std::string& file);

/// The machine model that the module directive names, before anything is checked: large when there
/// is none to be found.
MachineModel peek_machine_model(const uint8_t* data, size_t size);

}  // namespace cuvette::hsail
