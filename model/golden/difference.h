// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "wave/retire_record.h"

namespace cuvette::golden {

/// Parts of a record that are compared besides pc, words and registers: a device may leave some
/// out.
enum Compare : uint32_t {
  kCompareExec = 1u << 0,
  kCompareAccesses = 1u << 1,   ///< lane, space, kind, address, size, bytes
  kCompareStatus = 1u << 2,     ///< MODE and TRAPSTS after
  kCompareCacheBits = 1u << 3,  ///< of accesses; also scope and memory type
  kCompareFlags = 1u << 4,      ///< floating-point flags, trap
  kCompareAll = 0x1f,
  kCompareStatusRegister = 1u << 5,  ///< STATUS after; a device may have bits golden has not
};

/// First difference of `actual` from `expected`, in words; empty when
/// there is none. A scalar write that changes nothing may be listed or not, which is why the scalar
/// registers after the instruction are asked for; serials belong to a run and are not compared.
std::string difference(const wave::RetireRecord& expected, const wave::RetireRecord& actual,
                       const wave::ScalarState& after, uint32_t compare = kCompareAll);

}  // namespace cuvette::golden
