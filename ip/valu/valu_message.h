// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "valu/valu.h"

namespace cuvette::ip {

/// The messages of block valu as on the plug-in table: the ports of docs/valu.md in their order,
/// the first one highest.
inline constexpr uint32_t kValuRequestBits = 120 + 4 * 64 * valu::kLanes;
inline constexpr uint32_t kValuResponseBits = 75 + 64 * valu::kLanes;

using ValuRequestMessage = std::array<uint8_t, (kValuRequestBits + 7) / 8>;
using ValuResponseMessage = std::array<uint8_t, (kValuResponseBits + 7) / 8>;

/// The modifiers as the pins have them: OP_SEL where the instruction takes it, SDWA selects of
/// dwords where the encoding is another.
isa::Modifiers pin_modifiers(const valu::Request& request);

ValuRequestMessage pack(const valu::Request& request, uint16_t op);
ValuResponseMessage pack(const valu::Response& response);
valu::Response unpack(const ValuResponseMessage& message);

}  // namespace cuvette::ip
