// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fp/arith.h"
#include "fp/compare.h"
#include "fp/convert.h"
#include "wave/memory/sampling.h"
#include "wave/memory/texel.h"

// From fetched elements to the four components a sampling instruction returns.
namespace cuvette::wave::memory {
namespace {

using fp::Env;
using fp::F32;
using fp::F64;

using Components = std::array<uint32_t, 4>;

/// Does the reference pass against the texel: the functions in the order of the sampler field.
bool passes(unsigned function, uint32_t reference, uint32_t texel) {
  Env env;
  const fp::Ordering order = fp::compare<F32>(reference, texel, env);
  const bool less = order == fp::Ordering::Less, equal = order == fp::Ordering::Equal;
  const bool greater = order == fp::Ordering::Greater;
  switch (function) {
    case 0:
      return false;
    case 1:
      return less;
    case 2:
      return equal;
    case 3:
      return less || equal;
    case 4:
      return greater;
    case 5:
      return !equal;
    case 6:
      return greater || equal;
    default:
      return true;
  }
}

Components texel_of(const Sampling& s, const Sampling::Tap& tap, unsigned lane) {
  Components out{};
  if (tap.fetch == Sampling::Tap::kBorder) {
    std::copy_n(s.border, 4, out.begin());
    if (s.compare >= 0) {
      out[0] =
          passes(static_cast<unsigned>(s.compare), s.reference[lane], out[0]) ? 0x3f800000u : 0;
    }
    return out;
  }
  const uint32_t* raw = s.fetches[tap.fetch].raw;
  if (s.compare < 0) {
    texel_components(s.format, true, raw, out.data());
    return out;
  }
  uint32_t stored[4] = {};
  decode_texel(s.format.data_format, s.format.number_format, raw, stored);
  const bool pass = passes(static_cast<unsigned>(s.compare), s.reference[lane], stored[0]);
  const uint32_t compared[4] = {pass ? 0x3f800000u : 0};
  for (unsigned c = 0; c < 4; ++c) {
    out[c] = select_component(s.format, s.format.select[c], 1, compared);
  }
  return out;
}

uint32_t extreme(uint32_t a, uint32_t b, Sampling::Reduce reduce) {
  Env env;
  return reduce == Sampling::Reduce::Minimum ? fp::min<F32>(a, b, env) : fp::max<F32>(a, b, env);
}

Components blend(const Sampling& s, unsigned lane) {
  const std::vector<Sampling::Tap>& taps = s.taps[lane];
  if (taps.size() == 1) return texel_of(s, taps[0], lane);  // exact, integers too
  Env env;
  uint64_t sum[4] = {};
  uint64_t total = 0;
  for (const Sampling::Tap& tap : taps) {
    const Components texel = texel_of(s, tap, lane);
    const uint64_t weight = fp::from_int<F64>(tap.weight, env);
    for (unsigned c = 0; c < 4; ++c) {
      const uint64_t value = fp::convert<F64, F32>(texel[c], env);
      sum[c] = fp::add<F64>(sum[c], fp::mul<F64>(weight, value, env), env);
    }
    total += tap.weight;
  }
  Components out{};
  for (unsigned c = 0; c < 4; ++c) {
    out[c] = fp::convert<F32, F64>(fp::div<F64>(sum[c], fp::from_int<F64>(total, env), env), env);
  }
  return out;
}

}  // namespace

void finish_sampling(Sampling& s) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::vector<Sampling::Tap>& taps = s.taps[lane];
    if (taps.empty()) continue;
    Components& out = s.result[lane];
    switch (s.reduce) {
      case Sampling::Reduce::Gather:
        for (unsigned c = 0; c < 4; ++c) {
          out[c] = texel_of(s, taps[c], lane)[s.gather_component];
        }
        break;
      case Sampling::Reduce::Blend:
        out = blend(s, lane);
        break;
      default:
        out = texel_of(s, taps[0], lane);
        for (size_t t = 1; t < taps.size(); ++t) {
          const Components texel = texel_of(s, taps[t], lane);
          for (unsigned c = 0; c < 4; ++c) out[c] = extreme(out[c], texel[c], s.reduce);
        }
        break;
    }
  }
}

}  // namespace cuvette::wave::memory
