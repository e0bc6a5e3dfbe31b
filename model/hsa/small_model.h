// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Code of HSAIL's small machine model (HSAIL PRM 2.9): its addresses have 32 bits, so that it and
/// all that it reaches lie below 4 GiB.
namespace cuvette::hsa {

struct ElfFile;

/// The first address that such code cannot name.
constexpr uint64_t kSmallModelEnd = uint64_t{1} << 32;

/// Flat addresses of group and of private memory, in bytes each (Compute ABI, "segment test", small
/// model).
constexpr uint64_t kSmallModelAperture = 64 << 10;

/// First address of buffers in a process of that model: above the apertures of
/// mi100.yaml, which are at 64 KiB and 128 KiB.
constexpr uint64_t kSmallModelFirst = 1 << 20;

/// Code objects v3 and later have no word for the model: the finalizer defines a symbol of this
/// name.
constexpr const char* kSmallModelMark = "cuvette.small_model";

/// `data` is the file that `elf` was read from. v2: a kernel without is_ptr64, or the mark.
bool is_small_model(const ElfFile& elf, const uint8_t* data);

}  // namespace cuvette::hsa
