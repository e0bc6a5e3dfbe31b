// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/trap_entry.h"

#include <cstring>

namespace cuvette::thunk {
namespace {

/// Behind the code: addresses of the second-level handler and of its memory.
constexpr uint64_t kData = 128;
/// The same words on all gfx9 targets. SCC is not touched, TTMP2 and TTMP3 belong to trap handlers.
constexpr uint32_t kCode[] = {
    0xb8f8f802,              // s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
    0xbef70080,              // s_mov_b32 ttmp11, 0
    0xbefa1c00,              // s_getpc_b64 ttmp[14:15]
    0xc0061bbd, kData - 12,  // s_load_dwordx2 ttmp[2:3], ttmp[14:15], handler
    0xc0061ebd, kData - 4,   // s_load_dwordx2 ttmp[14:15], ttmp[14:15], memory
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbe801d6e,              // s_setpc_b64 ttmp[2:3]
};
static_assert(sizeof kCode <= kData && kData + 16 <= TrapEntry::kBytes);

}  // namespace

TrapEntry::TrapEntry(void* page) : page_(page) {
  std::memcpy(page, kCode, sizeof kCode);
}

void TrapEntry::set_second_level(uint64_t handler, uint64_t memory) {
  const uint64_t data[] = {handler, memory};
  std::memcpy(static_cast<uint8_t*>(page_) + kData, data, sizeof data);
  has_handler_ = handler != 0;
  memory_ = memory;
}

}  // namespace cuvette::thunk
