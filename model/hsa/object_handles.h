// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "hsa/image.h"
#include "hsa/memory.h"

/// Values that loading a code object writes into its variables: handles of image and sampler
/// constants (HSAIL PRM 7.1.7, 7.1.8), which it creates, and addresses that are not kept whole
/// (4.8.1), for which there is no relocation. The object has a symbol of this name for a list of
/// records: the address of the place, then eight words.
namespace cuvette::hsa {

constexpr const char* kHandleList = "cuvette.handles";
constexpr unsigned kHandleWords = 8;
using HandleWords = std::array<uint32_t, kHandleWords>;

/// Kind 1; geometry 7:0, order 15:8, channel 23:16; width, height, depth, array.
HandleWords handle_words(const Image& image);
/// Kind 2; coord 7:0, filter 15:8, addressing 23:16.
HandleWords handle_words(const Sampler& sampler);
/// Kind 3; how many of the least significant bytes of the address in words 2 and 3, which the
/// caller puts there.
HandleWords address_words(unsigned bytes);

/// Carries out the list at `address`. Errors: a list that is no such one, places outside of the
/// object at `object`, an image that lay_out() refuses, no memory.
base::Status create_handles(DeviceMemory& memory, uint64_t address, uint64_t bytes, uint64_t object,
                            uint64_t object_bytes);

}  // namespace cuvette::hsa
