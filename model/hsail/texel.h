// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hsail/module.h"

// Elements of images and their values (HSAIL PRM 7.1.4).
namespace cuvette::hsail {

/// The four access components r, g, b, a; depth images have the first: numbers that u32, s32 or f32
/// has (7.1.6.3: elements are converted to the access type before they are filtered). An f64 holds
/// them all.
using Texel = std::array<double, 4>;

constexpr unsigned kLargestElement = 16;  ///< bytes

/// The type that access components of a channel type have; f32 stands for f16 as well.
Type access_type(ChannelType channel);

/// An element as it lies in memory, with the fixed values of table 7-2 for what it does not have.
Texel load_texel(ChannelOrder order, ChannelType channel, const uint8_t* element);
/// Bytes of an element that a store writes, from its first one on: all but the stencil's.
unsigned stored_bytes(ChannelOrder order, ChannelType channel);
/// Makes those bytes; bits without a component become 0.
void store_texel(ChannelOrder order, ChannelType channel, const Texel& texel, uint8_t* element);
/// Table 7-2.
Texel border_color(ChannelOrder order);

}  // namespace cuvette::hsail
