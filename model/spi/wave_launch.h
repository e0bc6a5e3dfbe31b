// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "spi/cu_mask.h"
#include "spi/spi_messages.h"
#include "wave/state.h"

/// Records that travel command_processor -> spi -> compute_unit and back.
namespace cuvette::spi {

/// Address in the room of its work-group at which a wave is saved. The first one, which has the LDS
/// behind its registers, is the lowest that is left.
constexpr uint64_t room_of(uint64_t room, uint32_t wave_bytes, uint32_t lds_bytes, unsigned wave,
                           bool first) {
  return first ? room : room + lds_bytes + uint64_t{wave} * wave_bytes;
}
/// Value that S_SENDMSG(SAVEWAVE), and the start of a restored wave, put into EXEC (public driver
/// source, trap handler of gfx9): the address, and bit 26 of the upper half for the first wave.
constexpr uint64_t save_answer(uint64_t address, bool first) {
  return address | uint64_t{first} << 58;
}

}  // namespace cuvette::spi
