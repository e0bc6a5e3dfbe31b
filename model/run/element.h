// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuvette::run {

/// Types of buffer elements and arguments in dispatch files.
enum class Element : uint8_t { U8, S8, U16, S16, U32, S32, U64, S64, F16, F32, F64 };

/// From "f32"; nothing for an unknown name.
std::optional<Element> element_from_name(std::string_view name);
/// "f32"
std::string_view name_of(Element type);
unsigned size_of(Element type);  ///< bytes
bool is_float(Element type);

/// Bits of a number written in a dispatch file: decimal, 0x hex; floats also nan, inf, -inf, and 0x
/// as their bit pattern. Errors: not a number, out of range.
base::Result<uint64_t> parse_element(Element type, const std::string& text);
/// True when the text gives the bit pattern of a float.
bool written_as_bits(Element type, const std::string& text);

/// Bits of the little-endian element at `bytes`, zero-extended; size_of(type) bytes are read.
uint64_t load_element(Element type, const uint8_t* bytes);
/// Writes the lower size_of(type) bytes of `bits`, little-endian.
void store_element(Element type, uint64_t bits, uint8_t* bytes);
/// The bits of `value` rounded to nearest even (floats) or truncated to the width (integers).
uint64_t element_from_double(Element type, double value);
/// Value of an element; integers of 64 bits are rounded.
double element_to_double(Element type, uint64_t bits);
/// "21.5 (0x41ac0000)" for reports.
std::string print_element(Element type, uint64_t bits);
/// Distance in units in the last place between two finite floats of a type; the largest uint64 when
/// one is NaN or they differ in being infinite.
uint64_t ulp_distance(Element type, uint64_t a, uint64_t b);
bool is_nan(Element type, uint64_t bits);

}  // namespace cuvette::run
