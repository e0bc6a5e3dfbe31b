// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Constants that AMDGPU code objects add to ELF (LLVM AMDGPU User Guide, "ELF Code Object").
namespace cuvette::hsa::amdgpu_elf {

/// Symbol type of an amd_kernel_code_t in code object v2.
inline constexpr uint8_t kSymbolKernel = 10;
/// EI_ABIVERSION of code object v4.
inline constexpr uint8_t kAbiVersionV4 = 2;

// Note types: owner "AMD" in v2 (Compute ABI, "Code Object Note Records"), "AMDGPU" later.
inline constexpr uint32_t kNoteCodeObjectVersion = 1;
inline constexpr uint32_t kNoteIsaVersion = 3;
inline constexpr uint32_t kNoteMetadataV2 = 10;
inline constexpr uint32_t kNoteMetadata = 32;

}  // namespace cuvette::hsa::amdgpu_elf
