// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/result.h"
#include "hsa/memory.h"

/// Images and samplers in device memory. A handle (HSAIL types roimg, woimg, rwimg and samp) is the
/// address of an object: the descriptor that the machine's image instructions take, then what
/// queries, the interpreter and finalized code need. Enumerators are numbers of BRIG (HSAIL PRM
/// 18.3.33 to 18.3.39). docs/reference/finalizer.md says how code uses the words.
namespace cuvette::hsa {

/// A linear image (HSAIL PRM 7.1.7): sizes in elements, pitches in bytes. Level l has the sizes
/// shifted right by l, at least 1. The levels of a layer or slice follow each other by rows
/// (docs/reference/memory_semantics.md): each takes half of the rows of the one before, rounded up,
/// and all have the pitches of the first one.
struct Image {
  uint8_t geometry = 0;
  uint8_t order = 0;
  uint8_t channel = 0;
  uint32_t width = 1, height = 1, depth = 1, array = 1;  ///< 1 where the geometry has none
  uint64_t data = 0;                                     ///< device address of the elements
  uint64_t row_pitch = 0, slice_pitch = 0;               ///< bytes
  uint32_t levels = 1;                                   ///< 1 to kMostLevels
  bool operator==(const Image& o) const {
    return std::tie(geometry, order, channel, width, height, depth, array, data, row_pitch,
                    slice_pitch, levels) == std::tie(o.geometry, o.order, o.channel, o.width,
                                                     o.height, o.depth, o.array, o.data,
                                                     o.row_pitch, o.slice_pitch, o.levels);
  }
};

struct Sampler {
  uint8_t coord = 0;
  uint8_t filter = 0;
  uint8_t addressing = 0;
  bool operator==(const Sampler& o) const {
    return std::tie(coord, filter, addressing) == std::tie(o.coord, o.filter, o.addressing);
  }
};

using ImageObject = std::array<uint32_t, 36>;
using SamplerObject = std::array<uint32_t, 8>;
constexpr unsigned kImageDescriptorWords = 8;    ///< T# (MI100 ISA 9.4.2), or V# of a 1DB image
constexpr unsigned kSamplerDescriptorWords = 4;  ///< S# (MI100 ISA 9.4.3)
// Words behind the descriptor. Pairs are 64-bit numbers.
constexpr unsigned kImageFormatWord = 8;       ///< geometry 7:0, order 15:8, channel 23:16
constexpr unsigned kImageWidthWord = 9;        ///< height, depth and array behind it
constexpr unsigned kImageDataWord = 14;        ///< pair
constexpr unsigned kImageRowPitchWord = 16;    ///< pair
constexpr unsigned kImageSlicePitchWord = 18;  ///< pair
constexpr unsigned kImageBufferWord = 20;      ///< V# of all elements, four words
constexpr unsigned kImageKindWord = 24;        ///< geometry 7:0, ImageAccess 15:8
constexpr unsigned kImageFlagsWord = 25;       ///< kImage... bits
/// Word 1 of T# and word 3 of V# for stores: signed normalized elements are converted by code.
constexpr unsigned kImageStoreWord = 26;
constexpr unsigned kImageBufferStoreWord = 27;
constexpr unsigned kImageSnormWord = 28;  ///< largest signed normalized component
constexpr unsigned kImageBytesWord = 29;  ///< of an element 7:0, of those that stores write 15:8
constexpr unsigned kImageFieldWord = 30;  ///< ImageField of r, g, b and a
constexpr unsigned kImageLevelsWord = 34;
constexpr unsigned kSamplerModesWord = 4;      ///< coord 7:0, filter 15:8, addressing 23:16
constexpr uint32_t kMostLevels = 15;           ///< of images with sides up to 16384
constexpr uint64_t kImageDataAlignment = 256;  ///< of linear images
constexpr uint64_t kRowPitchAlignment = 256;

enum class ImageAccess : uint8_t { kFloat, kSigned, kUnsigned };
// Bits of kImageFlagsWord: which accesses the descriptors allow. Without them the element is taken
// apart by its fields.
constexpr uint32_t kImageLoads = 1;    ///< IMAGE_LOAD with T#
constexpr uint32_t kImageStores = 2;   ///< IMAGE_STORE with T#
constexpr uint32_t kImageBuffer = 4;   ///< BUFFER_LOAD_FORMAT and BUFFER_STORE_FORMAT with V#
constexpr uint32_t kImageSnorm = 8;    ///< signed normalized components
constexpr uint32_t kImageOpaque = 16;  ///< the border color has a = 1 (table 7-2)
/// Position of a component in an element of at most four bytes: shift 7:0, bits 15:8, kind 23:16.
enum class ImageField : uint8_t { kZero, kOne, kUnorm, kSrgb };

inline constexpr uint8_t kLastGeometry = 7;  ///< of BRIG: 2dadepth

/// The memory components of a channel order from left to right (HSAIL PRM table 7-2): of r, g, b
/// and a; d, i and L are "r". The stencil of a depth image is out of reach. Empty: no such order.
std::string_view memory_components(uint8_t order);
/// Bytes of an element of a format that HSAIL PRM table 7-4 has.
unsigned element_bytes(uint8_t order, uint8_t channel);
/// The levels that an image of these sizes can have: until all of them are 1, at most kMostLevels;
/// a 1DB image has one.
uint32_t most_levels(const Image& image);
/// Rows of a layer or slice before level `level`; of `image.levels`: all of them.
uint64_t rows_before(const Image& image, uint32_t level);
/// Fills in the smallest pitches the machine takes. The size of the data in bytes. Error: above
/// 1 GiB.
base::Result<uint64_t> lay_out(Image& image);
/// Bytes from `data` to the end of the last element, with the pitches as they are.
uint64_t data_bytes(const Image& image);

/// The objects with their descriptors. A T# describes what the machine can address: data and rows
/// at multiples of 256 bytes, slices right behind each other, at most 16384 * 16384 * 8192
/// elements, a format it has; otherwise it is empty.
ImageObject image_object(const Image& image);
SamplerObject sampler_object(const Sampler& sampler);
/// Image or sampler that an object describes; nothing when the words are no such object.
std::optional<Image> read_image(const ImageObject& object);
std::optional<Sampler> read_sampler(const SamplerObject& object);

/// An object in device memory: the handle. Errors: no memory.
base::Result<uint64_t> create_image(DeviceMemory& memory, const Image& image);
base::Result<uint64_t> create_sampler(DeviceMemory& memory, const Sampler& sampler);
/// The same with new data, all zeros, laid out by lay_out(). Errors: its, no memory.
base::Result<uint64_t> create_image_and_data(DeviceMemory& memory, Image image);

}  // namespace cuvette::hsa
