// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "sdma/packet_table.h"

namespace cuvette::sdma {

/// The longest packet without the data that follows some of them, in dwords.
inline constexpr unsigned kMostDwords = 16;

/// "COPY_LINEAR", as in packets.csv.
const char* name(Packet packet);
/// Packet that a header begins. Error: none of that op and sub-op.
base::Result<Packet> identify(uint32_t header);
/// Dwords of a packet without data that follows, at most kMostDwords.
unsigned fixed_dwords(Packet packet);
/// Dwords with the data. `words`: the fixed ones.
uint64_t all_dwords(Packet packet, const uint32_t* words);
/// Fields and reserved bits of the fixed dwords. Error: a packet that is not executed, or a field
/// that asks for what is not modelled, by name.
base::Status check(Packet packet, const uint32_t* words);

}  // namespace cuvette::sdma
