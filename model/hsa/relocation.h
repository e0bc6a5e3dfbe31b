// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "hsa/elf.h"
#include "hsa/memory.h"

namespace cuvette::hsa {

/// Applies the relocations of an object whose virtual address 0 is at `base`. Undefined weak
/// symbols are 0. Errors, with the offset of the relocation in the file: undefined symbol, a type
/// that dynamic relocations do not have, a place outside of the object's segments, a value that is
/// to be an address of the object and is none, a value that does not fit.
base::Status apply_relocations(const ElfFile& elf, uint64_t base, DeviceMemory& memory);

}  // namespace cuvette::hsa
