// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ip/matrix_core/matrix_report.h"
#include "isa/row.h"

namespace cuvette::ip {

/// An element of A, B, C or D in hex, then as the number it is. FP8 and BF8 are those of gfx942.
std::string element_text(uint64_t bits, isa::Type type);

/// Element of D, and of C, that a lane of a register holds.
struct MatrixElement {
  unsigned block = 0, i = 0, j = 0;
};
/// `reg`: register of D as it is counted in results; doubles have two for an element. Nothing: no
/// element is there.
std::optional<MatrixElement> element_at(const isa::Row& row, unsigned reg, unsigned lane);

/// C in that register and lane as it is added; for doubles both registers of the element. Not there
/// yet: a dash.
std::string addend_text(const MatrixTransaction& transaction, isa::Target target, unsigned reg,
                        unsigned lane);
/// Every factor of one element of D, a line per k: where it is and what, with the selections of
/// cbsz, abid and blgp; "neg": its sign is turned on the way (F64 of gfx942). Sparse instructions:
/// a k that A does not hold has "a 0".
std::string factors_text(const MatrixTransaction& transaction, isa::Target target,
                         const MatrixElement& element);

}  // namespace cuvette::ip
