// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "valu/valu.h"

// Result of one lane of a vector instruction, written from the manuals a second time: plain
// integers, and MPFR for numbers. For the rows that valu_oracle.h does not know. Takes of the
// project the request's fields and the row's operand list alone, no semantics.
namespace cuvette::valu_manual {

struct Lane {
  uint64_t src[3] = {};
  uint64_t old = 0;
  bool mask = false;
  isa::Target target = isa::Target::Gfx908;
};

struct Expected {
  bool writes = true, has_mask = false;
  uint64_t dst = 0;
  bool mask = false;
  unsigned flags = 0;  ///< bits of TRAPSTS.EXCP
};

/// Nothing: a row this oracle does not know. Encodings Native, Vop3 and the only one of VOP3P.
std::optional<Expected> expected(const isa::Row& row, const valu::Request& request,
                                 const Lane& lane);

// Its parts; each gives nothing for rows of another part.
std::optional<Expected> integers(const isa::Row& row, const valu::Request& q, const Lane& lane);
std::optional<Expected> compares(const isa::Row& row, const valu::Request& q, const Lane& lane);
std::optional<Expected> others(const isa::Row& row, const valu::Request& q, const Lane& lane);
std::optional<Expected> functions(const isa::Row& row, const valu::Request& q, const Lane& lane);
std::optional<Expected> division(const isa::Row& row, const valu::Request& q, const Lane& lane);
std::optional<Expected> bytes(const isa::Row& row, const valu::Request& q, const Lane& lane);
std::optional<Expected> floats(const isa::Row& row, const valu::Request& q, const Lane& lane);

}  // namespace cuvette::valu_manual
