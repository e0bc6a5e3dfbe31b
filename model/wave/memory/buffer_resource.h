// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/state.h"

namespace cuvette::wave::memory {

/// The buffer resource descriptor (MI100 ISA table 39).
struct Resource {
  uint64_t base = 0;    ///< byte address, 48 bits
  uint32_t stride = 0;  ///< bytes; 18 bits when the thread id is added: the format field extends it
  uint32_t num_records = 0;   ///< by Check: elements or bytes; the first one that is out of range
  bool swizzle = false;       ///< elements of neighbouring indices are next to each other
  bool add_tid = false;       ///< the lane's number is added to the index
  bool unbound = false;       ///< the data format "invalid" makes every access out of range
  uint32_t index_stride = 8;  ///< indices that are swizzled together: 8, 16, 32 or 64
  uint8_t data_format = 0, number_format = 0;
  uint8_t select[4] = {};  ///< DST_SEL, as in TexelConversion
};

/// The descriptor in the four SGPRs from `code` on. `formatted`: of an instruction with a format.
Resource read_resource(const WaveState& wave, unsigned code, bool formatted);

/// The descriptor has no element size: it is one dword.
constexpr uint32_t kElementBytes = 4;

/// Private buffers (thread id added, no index) are not checked; structured ones by index; the rest
/// by offset, strided ones without an index among them (MI100 ISA 9.1.5, "Range Checking"; decision
/// D51).
enum class Check { None, Index, Offset };
Check check_of(const Resource& r, bool idxen);

}  // namespace cuvette::wave::memory
