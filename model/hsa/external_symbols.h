// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

/// Variables that a program only declares and its executable gets from outside (HSAIL PRM 4.12.1):
/// undefined symbols of a code object, without "&".
namespace cuvette::hsa {

struct ExternalVariable {
  uint64_t address = 0;
  uint64_t bytes = 0;    ///< that are there from `address` on
  base::Location where;  ///< of what says so, for messages
};
using ExternalVariables = std::map<std::string, ExternalVariable>;  ///< by HSAIL name, "&x"

/// Size and alignment that code takes for granted of a variable from outside. In bytes.
struct ExternalDemand {
  uint64_t bytes = 0;
  uint64_t alignment = 1;
};
using ExternalDemands = std::map<std::string, ExternalDemand>;  ///< by symbol name, "x"

/// Writes what code asks of its undefined symbols into their entries, which linkers leave at 0:
/// the size, and as value the alignment, as ELF has it for common symbols. Names that the object
/// does not have are passed over. Errors: no code object.
base::Status set_undefined_demands(std::vector<uint8_t>& object, const ExternalDemands& demands);

/// Makes the undefined symbols of a code object absolute ones at the given addresses, so that
/// loaders of the bytes afterwards need nothing else. `file` is used in messages only. The
/// names that were undefined symbols come back. Errors: fewer bytes than the symbol has, an address
/// against its alignment or, for the small machine model, at or above 4 GiB, a symbol that
/// relocations refer to and nobody defines; those of parse_elf(). Objects of other tools say 0 for
/// size and alignment: nothing is checked then.
base::Result<std::set<std::string>> define_externals(std::vector<uint8_t>& object,
                                                     const std::string& file,
                                                     const ExternalVariables& externals);

}  // namespace cuvette::hsa
