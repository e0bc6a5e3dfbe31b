// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hsakmt.h"
#include "machine/gpu_config.h"

namespace cuvette::thunk {

inline constexpr HSAuint32 kHostNode = 0, kDeviceNode = 1, kNodes = 2;

/// The topology that the kernel driver shows: node 0 is the host, node 1 the device of a machine
/// description, with a PCIe link between them.
class Topology {
 public:
  /// Error: an unknown target.
  static base::Result<Topology> create(const machine::GpuConfig& description);

  HsaSystemProperties system() const;
  const HsaNodeProperties& node(HSAuint32 node) const { return nodes_[node]; }
  const std::vector<HsaMemoryProperties>& banks(HSAuint32 node) const { return banks_[node]; }
  const std::vector<HsaCacheProperties>& caches(HSAuint32 node) const { return caches_[node]; }
  HsaIoLinkProperties link(HSAuint32 from) const;

 private:
  void add_host();
  void add_device(const machine::GpuConfig& description);
  void add_device_caches(const machine::GpuConfig& description);

  HsaNodeProperties nodes_[kNodes] = {};
  std::vector<HsaMemoryProperties> banks_[kNodes];
  std::vector<HsaCacheProperties> caches_[kNodes];
};

}  // namespace cuvette::thunk
