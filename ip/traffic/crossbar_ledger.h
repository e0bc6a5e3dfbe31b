// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "crossbar/crossbar.h"

namespace cuvette::ip::traffic {

/// Invalidate and Writeback go to every slice.
constexpr bool is_broadcast(memory::MemOp op) {
  return op == memory::MemOp::Invalidate || op == memory::MemOp::Writeback;
}

/// Bits of an id at a slice below the source's number.
inline constexpr unsigned kCrossbarIdBits = 64 - crossbar::kSourceBits;
inline constexpr uint64_t kCrossbarIds = (uint64_t{1} << kCrossbarIdBits) - 1;

/// Fields of a message that a crossbar passes on unchanged: all but id and time.
template <class M>
auto content(M message) {
  message.id = 0;
  message.time = 0;
  return contract::pack(message, 0);
}

/// Checker of every message of a crossbar: requests unchanged at the slice of their address, in
/// order of their source; answers unchanged at the source, one for each request.
class CrossbarLedger {
 public:
  explicit CrossbarLedger(const crossbar::Config& config) : config_(config) {}

  void asked(unsigned source, const memory::MemReq& r);
  void placed(const crossbar::Aperture& aperture) { apertures_.push_back(aperture); }
  /// To a slice, or to the aperture.
  void given(unsigned slice, const memory::MemReq& r, bool store);
  void replied(const memory::MemResp& r);
  void answered(unsigned source, const memory::MemResp& r);

  unsigned under_way(unsigned source) const {
    const auto found = under_way_.find(source);
    return found == under_way_.end() ? 0 : found->second;
  }
  const std::string& wrong() const { return wrong_; }
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

 private:
  struct Open {
    memory::MemReq request;
    unsigned slices = 0;                   ///< that have it
    std::vector<memory::MemResp> replies;  ///< of slices
    bool stored = false;
  };
  crossbar::Config config_;
  std::map<std::pair<unsigned, uint64_t>, Open> open_;                   ///< by source and id
  std::map<std::pair<unsigned, unsigned>, std::deque<uint64_t>> order_;  ///< by source and slice
  std::map<unsigned, unsigned> under_way_;
  std::vector<crossbar::Aperture> apertures_;
  std::string wrong_;
};

}  // namespace cuvette::ip::traffic
