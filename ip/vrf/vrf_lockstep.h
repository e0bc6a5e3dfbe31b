// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/vrf/vrf_rtl.h"
#include "ip/vrf/vrf_timing.h"
#include "machine/description.h"

namespace cuvette::ip {

/// One row access.
struct VrfAccess {
  bool write = false;
  unsigned port = 0;
  machine::Cycle at = 0;
  vrf::RowAddress address;
  uint64_t lanes = 0;    ///< written, or known to the reference of a row read
  wave::LaneRow data{};  ///< written, or due
};

/// The first difference between a register file and the reference.
struct VrfMismatch {
  std::string field;  ///< "data", "timing", "assertion", "protocol"
  machine::Cycle time = 0;
  uint32_t compute_unit = 0, simd = 0;
  unsigned port = 0;  ///< read port, for "data"
  vrf::RowAddress address;
  int lane = -1;
  uint32_t expected = 0, actual = 0;
  std::string what;    ///< for all but "data", in words
  std::string report;  ///< all of it with every wrong lane and the last accesses; many lines
  std::vector<VrfAccess> transactions;  ///< the last ones, oldest first
};

struct VrfCounts {
  uint64_t reads = 0, writes = 0;  ///< rows
  uint64_t sampled = 0;            ///< rows read whose lanes were compared
  uint64_t lanes = 0;
  uint64_t times = 0;  ///< beats read whose time was compared
};

/// Lockstep for the vrf block: the device under test answers, a register file of its own shadows it
/// and every lane that was ever written is compared when it is read.
///
/// Sampled lockstep (share N): the lanes of one row read of N, chosen by a fixed hash of its
/// number. After the first difference comparing stops and mismatch() stays set.
class VrfLockstep final : public vrf::Vrf {
 public:
  using Observer = std::function<void(const VrfMismatch&)>;
  struct Options {
    uint32_t share = 1;
    machine::TimingRule timing;  ///< exact: docs/vrf.md, cycle by cycle; bounded: refused
  };

  VrfLockstep(std::unique_ptr<VrfRtl> device, const vrf::Config& config, Observer on_mismatch,
              const Options& options);

  void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
            wave::LaneRow& out) override;
  void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
             const wave::LaneRow& data) override;
  wave::VectorFile view(uint16_t, uint16_t, uint16_t, uint16_t) override { return {}; }

  const vrf::Config& config() const { return config_; }
  const Options& options() const { return options_; }
  VrfCounts counts() const;
  const std::optional<VrfMismatch>& mismatch() const { return mismatch_; }
  /// The last accesses, oldest first.
  std::vector<VrfAccess> recent() const { return {history_.begin(), history_.end()}; }

 private:
  struct Row {
    wave::LaneRow data{};
    uint64_t written = 0;  ///< lanes
  };
  Row& at(vrf::RowAddress address);
  void remember(const VrfAccess& access);
  bool sound(machine::Cycle now, vrf::RowAddress address);
  void fail(VrfMismatch mismatch, const wave::LaneRow* actual);

  static constexpr size_t kHistory = 32;  ///< accesses kept for the report

  vrf::Config config_;
  Options options_;
  std::unique_ptr<VrfRtl> device_;
  Observer on_mismatch_;
  VrfTiming timing_;
  std::string late_;  ///< the first cycle that broke the rule
  std::vector<Row> arch_, acc_;
  std::deque<VrfAccess> history_;
  VrfCounts counts_;
  std::optional<VrfMismatch> mismatch_;
};

}  // namespace cuvette::ip
