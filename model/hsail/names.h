// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hsail/brig_enums.h"

/// The spellings of HSAIL text for the BRIG enumerations, and facts about types.
namespace cuvette::hsail {

/// "add"; of a vendor extension the whole name with vendor and types.
std::string_view name(Opcode opcode);
/// The enumerator of a spelling, as all functions find_*(); nothing for another word.
std::optional<Opcode> find_opcode(std::string_view name);

/// "u32", "f16x2". Type::kNone is "".
std::string_view name(Type type);
std::optional<Type> find_type(std::string_view name);

std::string_view name(Segment segment);  ///< "global"; "flat" for kFlat
std::optional<Segment> find_segment(std::string_view name);
std::string_view name(Compare compare);
std::optional<Compare> find_compare(std::string_view name);
std::string_view name(AtomicOp op);
std::optional<AtomicOp> find_atomic_op(std::string_view name);  ///< waits as "wait_eq"
std::string_view name(MemoryOrder order);
std::optional<MemoryOrder> find_order(std::string_view name);
std::string_view name(MemoryScope scope);
std::optional<MemoryScope> find_scope(std::string_view name);
std::string_view name(Pack pack);  ///< "pp", "pp_sat"
std::optional<Pack> find_pack(std::string_view name);
/// "up", "zeroi_sat"; "" for kNone and kFloatDefault.
std::string_view name(Round round);
std::optional<Round> find_round(std::string_view name);
std::string_view name(ControlDirective control);
std::optional<ControlDirective> find_control(std::string_view name);
/// 'c', 's', 'd' or 'q'.
char register_letter(RegisterKind kind);

// Images and samplers: "2da", "rgba", "unorm_int8", "channelorder", "clamp_to_edge", ...
std::string_view name(ImageGeometry geometry);
std::optional<ImageGeometry> find_geometry(std::string_view name);
std::string_view name(ChannelOrder order);
std::optional<ChannelOrder> find_channel_order(std::string_view name);
std::string_view name(ChannelType type);
std::optional<ChannelType> find_channel_type(std::string_view name);
std::string_view name(ImageQuery query);
std::optional<ImageQuery> find_image_query(std::string_view name);
std::string_view name(SamplerQuery query);
std::optional<SamplerQuery> find_sampler_query(std::string_view name);
std::string_view name(SamplerAddressing addressing);
std::optional<SamplerAddressing> find_addressing(std::string_view name);
std::string_view name(SamplerCoord coord);
std::optional<SamplerCoord> find_sampler_coord(std::string_view name);
std::string_view name(SamplerFilter filter);
std::optional<SamplerFilter> find_filter(std::string_view name);

/// Dimensions of a geometry (Table 7-1): dimensions of a layer, and an array index behind them.
constexpr unsigned image_dimensions(ImageGeometry g) {
  return g == ImageGeometry::k3d                                                           ? 3
         : g == ImageGeometry::k1d || g == ImageGeometry::k1da || g == ImageGeometry::k1db ? 1
                                                                                           : 2;
}
constexpr bool is_image_array(ImageGeometry g) {
  return g == ImageGeometry::k1da || g == ImageGeometry::k2da || g == ImageGeometry::k2daDepth;
}
constexpr bool is_depth_image(ImageGeometry g) {
  return g == ImageGeometry::k2dDepth || g == ImageGeometry::k2daDepth;
}
/// Coordinates of an access: the dimensions, and the array index where there is one.
constexpr unsigned image_coordinates(ImageGeometry g) {
  return image_dimensions(g) + (is_image_array(g) ? 1 : 0);
}

/// BRIG's number of a type.
constexpr uint16_t number(Type t) {
  return static_cast<uint16_t>(t);
}
constexpr bool is_packed(Type t) {
  return (number(t) & kTypePackMask) != 0;
}
/// The element type of a packed type; the type itself otherwise.
constexpr Type element_type(Type t) {
  return static_cast<Type>(number(t) & kTypeBaseMask);
}
/// Size in bits of a value: 1 for b1, 64 for opaque types, 0 for kNone.
unsigned type_bits(Type t);
/// Bytes in memory (b1 counts as one byte); also the natural alignment (4.3.10).
unsigned type_bytes(Type t);
bool is_unsigned(Type t);  ///< scalar u8..u64
bool is_signed(Type t);    ///< scalar s8..s64
bool is_integer(Type t);
bool is_float(Type t);  ///< scalar f16 f32 f64
bool is_bit(Type t);    ///< b1..b128
bool is_opaque(Type t);
bool is_image(Type t);
bool is_signal(Type t);
/// The register a value of that type lives in (4.16.2): b1 c, up to 32 bits s, 64 d, 128 q.
RegisterKind register_kind(Type t);

/// Bytes of an alignment, 0 for kNone.
constexpr unsigned alignment_bytes(Alignment a) {
  return a == Alignment::kNone ? 0 : 1u << (static_cast<unsigned>(a) - 1);
}
/// The enumerator for a power of two from 1 to 256; nothing otherwise.
std::optional<Alignment> find_alignment(uint64_t bytes);

/// The width of `n`, a power of two from 1 to 2^31; nothing otherwise.
std::optional<Width> find_width(uint64_t n);
/// "4", "WAVESIZE", "all".
std::string width_text(Width width);
/// Bytes of an address in a segment (2.9): 4 for group, private, spill, arg; else by machine model.
unsigned address_bytes(Segment segment, MachineModel model);

}  // namespace cuvette::hsail
