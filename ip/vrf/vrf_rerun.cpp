// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_rerun.h"

#include <map>
#include <utility>

#include "base/bits.h"

namespace cuvette::ip {
namespace {

/// What recorded accesses have written.
class Known {
 public:
  void write(const VrfAccess& access) {
    Row& row = rows_[{access.address.acc, access.address.row}];
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (base::bit(access.lanes, l)) row.data[l] = access.data[l];
    }
    row.lanes |= access.lanes;
  }
  /// Lanes the access found and these rows do not hold.
  uint64_t missing(const VrfAccess& access) {
    const Row& row = rows_[{access.address.acc, access.address.row}];
    uint64_t lanes = access.lanes & ~row.lanes;
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (base::bit(access.lanes, l) && row.data[l] != access.data[l]) lanes |= uint64_t{1} << l;
    }
    return lanes;
  }

 private:
  struct Row {
    uint64_t lanes = 0;
    wave::LaneRow data{};
  };
  std::map<std::pair<bool, uint16_t>, Row> rows_;
};

}  // namespace

base::Result<VrfRerun> rerun_vrf(std::unique_ptr<VrfDevice> device, const VrfRecording& recording,
                                 const std::string& wave) {
  if (!wave.empty()) {
    if (const base::Status traced = device->trace(wave); !traced) return traced.error();
  }
  device->reset();
  vrf::Config config;
  config.compute_unit = recording.compute_unit;
  config.simd = recording.simd;
  VrfLockstep::Options options;
  options.timing = recording.timing;
  VrfLockstep lockstep(std::make_unique<VrfRtl>(std::move(device)), config, {}, options);
  Known known;
  for (const VrfAccess& access : recording.transactions) {
    if (lockstep.mismatch()) break;
    VrfAccess before = access;
    before.lanes = access.write ? 0 : known.missing(access);
    if (before.lanes != 0) {
      lockstep.write(vrf::WritePort::LaunchInit, access.at, access.address, before.lanes,
                     access.data);
      known.write(before);
    }
    if (access.write) {
      lockstep.write(static_cast<vrf::WritePort>(access.port), access.at, access.address,
                     access.lanes, access.data);
      known.write(access);
    } else {
      wave::LaneRow row;
      lockstep.read(static_cast<vrf::ReadPort>(access.port), access.at, access.address, row);
    }
  }
  return VrfRerun{lockstep.counts(), lockstep.mismatch()};
}

}  // namespace cuvette::ip
