// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "wave/memory_op.h"

namespace cuvette::wave {

/// Fetches of a sampling instruction and the reduction that gives its answer. The memory system
/// fills `raw` of every fetch; complete() does the rest.
struct Sampling {
  /// Gather: one component of four texels, not added.
  enum class Reduce : uint8_t { Blend, Minimum, Maximum, Gather };
  /// One element.
  struct Fetch {
    uint64_t address = 0;  ///< byte address
    uint32_t raw[4] = {};  ///< the element as stored, zeros behind its bytes
    uint8_t lane = 0;
  };
  /// A texel's part in a lane's answer: weights of a lane add up to `total`.
  struct Tap {
    static constexpr uint32_t kBorder = ~0u;
    uint32_t fetch = kBorder;  ///< index into fetches, or the border color
    uint64_t weight = 1;
  };

  TexelConversion format;
  uint8_t bytes = 4;  ///< of an element
  Reduce reduce = Reduce::Blend;
  uint8_t gather_component = 0;  ///< Gather: component of the texels that is taken, 0 to 3
  uint32_t border[4] = {};       ///< register values
  int8_t compare = -1;           ///< depth compare function of the sampler, -1: none
  std::vector<Fetch> fetches;    ///< lanes ascending
  /// By lane.
  std::array<std::vector<Tap>, kLanes> taps;
  std::array<uint32_t, kLanes> reference{};  ///< F32, with `compare`
  /// Register values by lane, R, G, B, A.
  std::array<std::array<uint32_t, 4>, kLanes> result{};
};

namespace memory {
/// result from the fetches: products of weights and F32 texels added in binary64 in tap order,
/// rounded to F32 once (docs/reference/memory_semantics.md).
void finish_sampling(Sampling& sampling);
}  // namespace memory

}  // namespace cuvette::wave
