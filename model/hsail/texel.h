// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hsail/module.h"

// Elements of images and their values (HSAIL PRM 7.1.4).
namespace cuvette::hsail {

/// The four access components r, g, b, a; depth images have the first. An f64 holds every u32, s32,
/// f16 and f32 exactly.
using Texel = std::array<double, 4>;

constexpr unsigned kLargestElement = 16;  ///< bytes

/// The type that access components of a channel type have; f32 stands for f16 as well.
Type access_type(ChannelType channel);

/// An element as it lies in memory, with the fixed values of table 7-2 for what it does not have.
Texel load_texel(ChannelOrder order, ChannelType channel, const uint8_t* element);
/// Changes the bytes of an element that the components have.
void store_texel(ChannelOrder order, ChannelType channel, const Texel& texel, uint8_t* element);
/// Table 7-2.
Texel border_color(ChannelOrder order);

}  // namespace cuvette::hsail
