// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "crossbar/crossbar.h"
#include "ip/traffic/crossbar_ledger.h"
#include "ip/traffic/requester.h"

namespace cuvette::ip::traffic {

/// Surroundings of a crossbar: sources that ask in bursts, slices that answer late and in another
/// order, an aperture. Hot sources and slices come and go.
class CrossbarTraffic final : public Requester {
 public:
  struct Options {
    unsigned requests = 1000;
    uint32_t seed = 1;
    bool moves = false;  ///< the aperture moves under way; when, only a model of the times knows
    unsigned under_way = 20;  ///< of a source, at most
  };
  /// `alike`: another crossbar that is sent the same and whose answers the caller takes; null:
  /// none.
  CrossbarTraffic(crossbar::Crossbar& crossbar, const crossbar::Config& config,
                  const Options& options, crossbar::Crossbar* alike = nullptr);
  ~CrossbarTraffic() override;

  bool step(machine::Cycle now) override;
  void follow(machine::Cycle now) override;
  uint64_t answers() const override { return answers_; }
  Coverage coverage() const override;
  std::string wrong() const override { return ledger_.wrong(); }

  CrossbarLedger& ledger() { return ledger_; }
  uint64_t faults() const { return faults_; }
  uint64_t broadcasts() const { return broadcasts_; }
  uint64_t stores() const { return stores_; }  ///< into the aperture
  const std::vector<uint64_t>& by_slice() const { return by_slice_; }

 private:
  class Draw;
  struct Replies;
  void place(machine::Cycle now);
  void ask(unsigned source, machine::Cycle now);
  void give(unsigned slice, const memory::MemReq& r, bool store, machine::Cycle now);

  crossbar::Crossbar& crossbar_;
  crossbar::Crossbar* alike_;
  crossbar::Config config_;
  Options options_;
  std::unique_ptr<Draw> draw_;
  CrossbarLedger ledger_;
  std::vector<Replies> replies_;   ///< by slice
  std::vector<uint64_t> next_id_;  ///< by source
  crossbar::Aperture aperture_;
  bool begun_ = false;
  unsigned sent_ = 0;
  uint64_t answers_ = 0, faults_ = 0, broadcasts_ = 0, stores_ = 0, full_ = 0, moved_ = 0;
  std::array<uint64_t, 6> operations_{};
  std::vector<uint64_t> by_slice_, by_source_;
};

}  // namespace cuvette::ip::traffic
