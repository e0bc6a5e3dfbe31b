// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsail_packed_cases.h"

/// The arithmetic of packed elements in plain C++.
namespace cuvette::hsail_packed {

__extension__ using Wide = __int128;

// Integers of an element.
Wide integer_of(const Shape& s, uint64_t raw);
Wide lowest(const Shape& s);
Wide highest(const Shape& s);
uint64_t bits_of(const Shape& s, Wide value);
Wide clamped(const Shape& s, Wide value);

// Floats of 16, 32 and 64 bits.
unsigned fraction_bits(unsigned bits);
bool is_nan(unsigned bits, uint64_t raw);
bool is_signaling(unsigned bits, uint64_t raw);
uint64_t sign_bit(unsigned bits, uint64_t raw);
double number_of(unsigned bits, uint64_t raw);      ///< exact
uint64_t encode(unsigned bits, long double value);  ///< to nearest even, once
uint64_t flushed(unsigned bits, uint64_t raw);      ///< a zero of its sign for a subnormal

using Unary = std::function<uint64_t(const Shape&, uint64_t)>;
using Binary = std::function<uint64_t(const Shape&, uint64_t, uint64_t)>;

Binary on_integers(Wide (*operation)(Wide, Wide));
Binary saturating(Wide (*operation)(Wide, Wide));
Wide sum(Wide a, Wide b);
Wide difference_of(Wide a, Wide b);
Wide product(Wide a, Wide b);
uint64_t high_product(const Shape& s, uint64_t a, uint64_t b);
uint64_t saturated_product(const Shape& s, uint64_t a, uint64_t b);
/// Double arithmetic has more than twice the digits of f32 and f16, so that rounding its result
/// again changes nothing.
Binary on_floats(double (*operation)(double, double), bool ftz = false);
Unary on_float(double (*operation)(double));
uint64_t fract(const Shape& s, uint64_t a);
/// max or min: a quiet NaN loses to a number, a signaling one does not (5.11).
Binary extreme(bool largest);
bool float_truth(const std::string& op, double a, double b);  ///< Table 5-27
bool integer_truth(const std::string& op, Wide a, Wide b);

}  // namespace cuvette::hsail_packed
