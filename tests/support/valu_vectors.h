// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "valu/valu.h"

// Requests to the valu block for comparing implementations: operands weighted towards corner cases
// of the formats an instruction reads, modifiers of every encoding it has.
namespace cuvette::valu_vectors {

uint16_t corner_half(std::mt19937_64& random);
uint64_t corner_double(std::mt19937_64& random);

/// Operands, destination and mask bit of one lane.
void draw_lane(const isa::Row& row, unsigned lane, std::mt19937_64& random, valu::Request& out);
/// Encoding and modifiers; those of the short form in one of four.
void draw_modifiers(const isa::Row& row, std::mt19937_64& random, valu::Request& out);
/// All but id and mode. One EXEC in eight is a single lane, so that no flag hides behind another.
void draw(const isa::Row& row, std::mt19937_64& random, valu::Request& out);

/// Form of a row's responses.
bool writes_vector(const isa::Row& row);
bool writes_mask(const isa::Row& row);

/// Values that lockstep compares in the responses to a program: id, beat, pass, write, has_mask and
/// flags of each, masks where there are any, lanes of EXEC where they are written.
size_t values_of(const std::vector<valu::Request>& program);

}  // namespace cuvette::valu_vectors
