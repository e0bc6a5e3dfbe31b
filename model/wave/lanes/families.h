// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "isa/semantic_id.h"
#include "wave/lanes/level.h"
#include "wave/lanes/level_row.h"

// The registration tables of the lane handlers, one per family file.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

#if CUVETTE_LANES_LEVEL == 0
using Row = LaneHandler;
#else
using Row = LevelRow;
#endif
struct Entry {
  isa::SemanticId semantic;
  Row row;
};
using EntryList = std::span<const Entry>;

EntryList integer32();        ///< integer32.cpp: 32-bit integer, logic, shifts, bit fields
EntryList integer_wide();     ///< integer_wide.cpp: 24-bit, 64-bit, carries, multiplies
EntryList integer16();        ///< integer16.cpp: 16-bit integers
EntryList integer_bytes();    ///< integer_bytes.cpp: bytes: perm, sad, lerp, align
EntryList integer_compare();  ///< integer_compare.cpp: V_CMP on integers
EntryList moves();            ///< moves.cpp: moves, selects, lane counts
EntryList float_compare();    ///< float_compare.cpp: V_CMP on floats, classes
EntryList float_basic();      ///< float_basic.cpp: add, mul, fma, min, max, med
EntryList float_unary();      ///< float_unary.cpp: rounding, fract, frexp, ldexp
EntryList float_convert();    ///< float_convert.cpp: conversions
EntryList float_divide();     ///< float_divide.cpp: V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP
EntryList float_special();    ///< float_special.cpp: cube, trig preop
EntryList transcendental();   ///< transcendental.cpp: exp, log, sin, cos, reciprocals, roots
EntryList packed();           ///< packed.cpp: VOP3P two at a time
EntryList mixed();            ///< mixed.cpp: mixed precision and dot products

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
