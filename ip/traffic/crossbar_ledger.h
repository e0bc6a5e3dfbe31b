// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crossbar/crossbar.h"
#include "ip/lockstep/rule_checked.h"

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

/// Rule checker of every message of a crossbar (docs/reference/crossbar.md "Rules"): requests
/// unchanged at the slice of their address, in order of their source; answers unchanged at the
/// source, one for each request.
class CrossbarLedger {
 public:
  /// `at_pins`: messages are noted in the cycle in which they cross the pins, so that it is known
  /// which aperture holds. Otherwise they are noted when they are sent, and one that has moved may
  /// be held to be at either place.
  explicit CrossbarLedger(const crossbar::Config& config, bool at_pins = false)
      : config_(config), at_pins_(at_pins) {
    if (at_pins) placed({}, 0);
  }

  void asked(unsigned source, const memory::MemReq& r, machine::Cycle now);
  void placed(const crossbar::Aperture& aperture, machine::Cycle now) {
    apertures_.push_back({aperture, now});
  }
  /// To a slice, or to the aperture.
  void given(unsigned slice, const memory::MemReq& r, bool store);
  void replied(const memory::MemResp& r);
  void answered(unsigned source, const memory::MemResp& r);

  unsigned under_way(unsigned source) const {
    const auto found = under_way_.find(source);
    return found == under_way_.end() ? 0 : found->second;
  }
  /// Requests without an answer.
  size_t open() const { return open_.size(); }
  /// Open requests whose slices have not answered: the crossbar has nothing to do for them.
  size_t at_slices() const { return at_slices_; }
  /// Requests at slices and answers at sources that kept the rules.
  uint64_t checked() const { return checked_; }

  /// The first rule that was broken.
  const std::optional<Violation>& violation() const { return violation_; }
  /// The same in words; empty: none.
  std::string wrong() const {
    return violation_ ? "rule " + violation_->rule + ": " + violation_->what : std::string();
  }
  void fail(const std::string& rule, const std::string& what) {
    if (!violation_) violation_ = {rule, what};
  }

 private:
  struct Open {
    memory::MemReq request;
    machine::Cycle asked = 0;
    unsigned slices = 0;                   ///< that have it
    std::vector<memory::MemResp> replies;  ///< of slices
    bool stored = false;
  };
  struct Placed {
    crossbar::Aperture aperture;
    machine::Cycle time;
  };
  void check_place(const Open& open, bool store, const std::string& name);
  unsigned slices_of(const Open& open) const {
    return is_broadcast(open.request.op) ? config_.slices : 1;
  }
  bool is_at_slices(const Open& open) const {
    return !open.stored && open.slices == slices_of(open) && open.replies.size() < open.slices;
  }

  crossbar::Config config_;
  bool at_pins_;
  std::map<std::pair<unsigned, uint64_t>, Open> open_;                   ///< by source and id
  std::map<std::pair<unsigned, unsigned>, std::deque<uint64_t>> order_;  ///< by source and slice
  std::map<unsigned, unsigned> under_way_;
  std::vector<Placed> apertures_;
  size_t at_slices_ = 0;
  uint64_t checked_ = 0;
  std::optional<Violation> violation_;
};

}  // namespace cuvette::ip::traffic
