// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "hsa/memory.h"

/// Images and samplers in device memory. A handle (HSAIL types roimg, woimg, rwimg and samp) is the
/// address of an object: the descriptor that the machine's image instructions take, then what
/// queries and the interpreter need. Enumerators are numbers of BRIG (HSAIL PRM 18.3.33
/// to 18.3.39).
namespace cuvette::hsa {

/// A linear image (HSAIL PRM 7.1.7): sizes in elements, pitches in bytes.
struct Image {
  uint8_t geometry = 0;
  uint8_t order = 0;
  uint8_t channel = 0;
  uint32_t width = 1, height = 1, depth = 1, array = 1;  ///< 1 where the geometry has none
  uint64_t data = 0;
  uint64_t row_pitch = 0, slice_pitch = 0;
  bool operator==(const Image&) const = default;
};

struct Sampler {
  uint8_t coord = 0;
  uint8_t filter = 0;
  uint8_t addressing = 0;
  bool operator==(const Sampler&) const = default;
};

using ImageObject = std::array<uint32_t, 20>;
using SamplerObject = std::array<uint32_t, 8>;
constexpr unsigned kImageDescriptorWords = 8;    ///< T#, or V# of a 1DB image
constexpr unsigned kSamplerDescriptorWords = 4;  ///< S#
// Words behind the descriptor.
constexpr unsigned kImageWidthWord = 9;
constexpr unsigned kImageFormatWord = 8;       ///< geometry 7:0, order 15:8, channel 23:16
constexpr unsigned kSamplerModesWord = 4;      ///< coord 7:0, filter 15:8, addressing 23:16
constexpr uint64_t kImageDataAlignment = 256;  ///< of linear images
constexpr uint64_t kRowPitchAlignment = 256;

/// Bytes of an element of a format that HSAIL PRM table 7-4 has.
unsigned element_bytes(uint8_t order, uint8_t channel);
/// Fills in the smallest pitches the machine takes. The size of the data in bytes. Error: above
/// 1 GiB.
base::Result<uint64_t> lay_out(Image& image);
/// Bytes from `data` to the end of the last element, with the pitches as they are.
uint64_t data_bytes(const Image& image);

ImageObject image_object(const Image& image);
SamplerObject sampler_object(const Sampler& sampler);
/// What an object says; nothing when the words are no such object.
std::optional<Image> read_image(const ImageObject& object);
std::optional<Sampler> read_sampler(const SamplerObject& object);

/// An object in device memory: the handle. Errors: no memory.
base::Result<uint64_t> create_image(DeviceMemory& memory, const Image& image);
base::Result<uint64_t> create_sampler(DeviceMemory& memory, const Sampler& sampler);

}  // namespace cuvette::hsa
