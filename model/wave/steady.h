// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "wave/prepared.h"
#include "wave/stream_loop.h"

// Code that walks through memory. The addresses of lanes follow from that of lane 0, and in a loop
// they are the same in every round but for what is added to all lanes.
namespace cuvette::wave {

/// A straight piece of code with EXEC full: the same pieces one for one, but numbers that are only
/// for addresses are kept in lane 0 of their registers alone, and loads and stores there do not
/// look at other lanes. Between begin() and end() nothing else may look at the wave's vector
/// registers.
class SteadyCode {
 public:
  enum class Rounds : uint8_t { One, Many };
  /// Nothing to gain: empty().
  SteadyCode() = default;
  SteadyCode(std::span<const Prepared> straight, Rounds rounds);

  bool empty() const { return body_.empty(); }
  const std::vector<Prepared>& body() const { return body_; }
  /// What to run for body(): the same, but for groups that are done as one piece (wave/stream.h).
  const std::vector<Prepared>& pieces() const { return pieces_; }
  /// The code as a loop of streams, if it is one.
  const StreamLoop& streams() const { return streams_; }
  /// How many pieces of body() were done when pieces()[n] declined, which had done `more` itself.
  size_t done(size_t n, size_t more) const { return begins_[n] + more; }
  /// Whether the wave's registers are as body() wants them; for many rounds, after `straight` was
  /// run once as it stands. False also when empty().
  bool begin(const WaveState& wave) const;
  /// After begin(), body() as many times as said and `count` pieces of it: all lanes are what
  /// `straight` had made them. The last round of many may be one of no pieces.
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
  void group();

  Rounds rounds_ = Rounds::One;
  std::vector<Prepared> body_, pieces_;
  std::vector<size_t> begins_;  ///< per piece of pieces_: its first of body_
  std::vector<std::unique_ptr<StreamGroup>> groups_;
  StreamLoop streams_;
  std::vector<Register> first_;  ///< what lane 0 says when the body begins
  std::vector<Register> last_;   ///< what lane 0 says when it ends
  std::vector<Write> writes_;  ///< registers that are ever written in lane 0; by register, in order
};

}  // namespace cuvette::wave
