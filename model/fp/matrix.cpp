// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/matrix.h"

#include <algorithm>
#include <array>

#include "fp/arith.h"
#include "fp/convert.h"
#include "fp/matrix_terms.h"

namespace cuvette::fp {

namespace {

uint32_t canonical_nan(uint32_t x) {
  return is_nan<F32>(x) ? F32::kDefaultNan : x;
}

/// A subnormal or a zero of either sign becomes +0.
template <class F>
BitsOf<F> flushed_operand(BitsOf<F> x) {
  const bool lost = is_subnormal<F>(x) || is_zero<F>(x);
  return lost ? BitsOf<F>{0} : x;
}

/// An operand of a pairwise group as F32, which every format widens to exactly.
template <class F>
uint32_t widened(uint32_t x) {
  Env env;
  return convert<F32, F>(flushed_operand<F>(static_cast<BitsOf<F>>(x)), env);
}

uint32_t widened(MatrixFormat format, uint32_t x) {
  return format == MatrixFormat::F16 ? widened<F16>(x) : widened<BF16>(x);
}

/// A rounded step: a subnormal becomes a zero of its sign.
uint32_t step(uint32_t x) {
  return is_subnormal<F32>(x) ? zero<F32>(sign_of<F32>(x)) : x;
}

uint32_t pairwise_group(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b,
                        uint32_t d) {
  Env env;
  std::array<uint32_t, kMaxGroup> node{};
  for (unsigned i = 0; i < algorithm.group; ++i) {
    node[i] = step(mul<F32>(widened(algorithm.a, a[i]), widened(algorithm.b, b[i]), env));
  }
  // Halving recursively is the same tree as adding neighbours level by level.
  for (unsigned width = algorithm.group / 2; width >= 1; width /= 2) {
    for (unsigned i = 0; i < width; ++i) {
      node[i] = step(add<F32>(node[2 * i], node[2 * i + 1], env));
    }
  }
  return step(add<F32>(d, node[0], env));
}

uint32_t add_group(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b,
                   unsigned count, uint32_t d) {
  switch (algorithm.method) {
    case MatrixMethod::Chain: {
      Env env;
      return fma<F32>(*a, *b, d, env);
    }
    case MatrixMethod::Pairwise:
      return pairwise_group(algorithm, a, b, d);
    case MatrixMethod::Exact:
      return exact_group(group_of(algorithm, a, b, count, d));
    case MatrixMethod::Fused:
    case MatrixMethod::FusedEvenOdd:
      break;
  }
  return fused_group(group_of(algorithm, a, b, count, d),
                     algorithm.method == MatrixMethod::FusedEvenOdd);
}

}  // namespace

uint32_t dot_accumulate(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b,
                        unsigned k, uint32_t d) {
  if (algorithm.method == MatrixMethod::Pairwise) d = flushed_operand<F32>(d);
  for (unsigned first = 0; first < k; first += algorithm.group) {
    const unsigned count = std::min<unsigned>(algorithm.group, k - first);
    const unsigned from = first;
    d = add_group(algorithm, a + from, b + from, count, d);
  }
  return canonical_nan(d);
}

uint64_t dot_accumulate_f64(const uint64_t* a, const uint64_t* b, unsigned k, uint64_t d) {
  Env env;
  for (unsigned i = 0; i < k; ++i) d = fma<F64>(a[i], b[i], d, env);
  return is_nan<F64>(d) ? F64::kDefaultNan : d;
}

uint32_t dot_accumulate_i8(const uint32_t* a, const uint32_t* b, unsigned k, uint32_t d) {
  for (unsigned i = 0; i < k; ++i) {
    const int32_t product = int32_t{static_cast<int8_t>(a[i])} * static_cast<int8_t>(b[i]);
    d += static_cast<uint32_t>(product);
  }
  return d;
}

}  // namespace cuvette::fp
