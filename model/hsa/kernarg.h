// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/kernel_info.h"

namespace cuvette::hsa {

/// Inputs of the hidden arguments of a dispatch.
struct HiddenValues {
  uint32_t grid[3] = {1, 1, 1};           ///< work-items
  uint32_t workgroup[3] = {1, 1, 1};      ///< work-items
  unsigned dimensions = 1;                ///< 1 to 3
  uint64_t global_offset[3] = {0, 0, 0};  ///< of OpenCL, in work-items
  uint64_t printf_buffer = 0;             ///< address of the buffer of printf; 0: none
  uint64_t hostcall_buffer = 0;           ///< address of the hostcall buffer; 0: none
  uint64_t default_queue = 0;             ///< address of the queue for enqueued kernels; 0: none
  uint64_t completion_action = 0;
  uint64_t multigrid_sync = 0;
  uint64_t heap_v1 = 0;
  uint64_t queue_ptr = 0;          ///< address of the dispatch's amd_queue_t
  uint32_t private_base_hi = 0;    ///< upper half of the private aperture
  uint32_t shared_base_hi = 0;     ///< upper half of the group aperture
  uint32_t dynamic_lds_bytes = 0;  ///< group memory beyond the static bytes
};

/// Arguments that the caller has to give, in order.
std::vector<const KernelArg*> explicit_args(const KernelInfo& kernel);

/// The kernarg segment, kernel.kernarg_bytes long: `arguments[i]` are the bytes of the i-th
/// explicit one, hidden ones follow from their kind, gaps are 0. `overrides`: hidden arguments by
/// kind name
/// ("hidden_global_offset_x"). Errors: number or size of arguments, an argument outside the
/// segment, a kind that nobody knows (by name), an override that the kernel does not have, a value
/// too large for its slot, no metadata.
base::Result<std::vector<uint8_t>> fill_kernarg(const KernelInfo& kernel,
                                                const std::vector<std::vector<uint8_t>>& arguments,
                                                const HiddenValues& hidden,
                                                const std::map<std::string, uint64_t>& overrides);

/// Hidden arguments that point to something a runtime serves, and are null in a kernarg segment
/// that fill_kernarg() gave: kind names.
std::vector<std::string> unserved_pointers(const KernelInfo& kernel,
                                           const std::vector<uint8_t>& segment);
/// Hint for the report of a fault at `address`: hidden arguments it may come from; empty where the
/// address is not behind a null pointer.
std::string null_pointer_hint(const std::string& kernel, const std::vector<std::string>& unserved,
                              uint64_t address);

}  // namespace cuvette::hsa
