// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The matrix arithmetic of mfma_numerics.md in whole numbers of any length, from that page
// alone: nothing of layer fp is used. Expectation of the tests of fp, golden and the RTL.
namespace cuvette::restatement {

/// Formats of A and B. Bf16K1: that of the instructions whose names end in _1k.
enum class Format : uint8_t { F16, Bf16, Bf16K1, F32, Xf32, Fp8, Bf8, F64, I8 };

enum class Part : uint8_t { Gfx908, Gfx90a, Gfx942 };

/// Rows of the page's table.
enum class Algorithm : uint8_t {
  Chain,      ///< one fused multiply-add after the other
  Integer,    ///< modulo 2^32
  Exact,      ///< "exact group"
  Pairwise,   ///< "pairwise group", flushed
  Fused,      ///< "fused two-stage group"
  FusedSplit  ///< the same with even and odd k apart
};

struct Rule {
  Algorithm algorithm;
  unsigned group;
  Format a, b;
};

/// `k`: the products of one result of the instruction, those of an expanded sparse A included.
Rule rule_of(Part part, Format a, Format b, unsigned k);

/// One result. a, b: `k` patterns each, in the low bits of their words; d: the pattern of C.
uint64_t element(const Rule& rule, const uint64_t* a, const uint64_t* b, unsigned k, uint64_t d);

/// Width of a pattern.
constexpr unsigned bits_of(Format f) {
  switch (f) {
    case Format::F16:
    case Format::Bf16:
    case Format::Bf16K1:
      return 16;
    case Format::Fp8:
    case Format::Bf8:
    case Format::I8:
      return 8;
    case Format::F64:
      return 64;
    case Format::F32:
    case Format::Xf32:
      break;
  }
  return 32;
}

}  // namespace cuvette::restatement
