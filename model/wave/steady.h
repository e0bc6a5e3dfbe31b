// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "wave/prepared.h"

// Loops that walk through memory. Addresses there are the same in every round but for what is added
// to all lanes, so one lane of them says them all.
namespace cuvette::wave {

/// A straight piece of code that is run again and again, with EXEC full: the same pieces one for
/// one, but numbers that are only for addresses are kept in lane 0 of their registers alone, and
/// loads and stores there do not look at other lanes. Between begin() and end() nothing else may
/// look at the wave's vector registers.
class SteadyLoop {
 public:
  /// Nothing to gain: empty().
  SteadyLoop() = default;
  explicit SteadyLoop(std::span<const Prepared> straight);

  bool empty() const { return body_.empty(); }
  const std::vector<Prepared>& body() const { return body_; }
  /// Whether the wave's registers are as body() wants them, after `straight` was run as it stands.
  /// False also when empty().
  bool begin(const WaveState& wave) const;
  /// After begin(), body() any number of times and `count` pieces of it: all lanes are what
  /// `straight` had made them.
  void end(WaveState& wave, size_t count) const;

  /// A register that lane 0 says: lane n holds lane 0 + n * stride, and no lane wraps around.
  struct Register {
    uint32_t offset = 0;  ///< bytes in the file, as in Prepared
    uint32_t stride = 0;  ///< 0: the same in all lanes
  };

 private:
  /// A piece writes a register: all lanes, or lane 0 for all.
  struct Write {
    Register to;
    bool lane0 = false;
    size_t piece = 0;
  };
  std::vector<Prepared> body_;
  std::vector<Register> first_;  ///< what lane 0 says when the body begins
  std::vector<Write> writes_;  ///< registers that are ever written in lane 0; by register, in order
};

}  // namespace cuvette::wave
