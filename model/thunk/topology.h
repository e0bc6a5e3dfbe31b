// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hsakmt.h"
#include "machine/gpu_config.h"

namespace cuvette::thunk {

inline constexpr HSAuint32 kHostNode = 0, kFirstDevice = 1;

/// The topology that kernel driver and driver library show: node 0 is the host, the others are
/// devices of one machine description, each on a PCI bus of its own. Host and devices are linked by
/// PCIe. Devices with SDMA engines for xGMI make a hive, each linked with each by xGMI; others
/// reach each other through the host.
class Topology {
 public:
  /// Error: an unknown target.
  static base::Result<Topology> create(const machine::GpuConfig& description, unsigned devices = 1);

  HsaSystemProperties system() const;
  HSAuint32 nodes() const { return static_cast<HSAuint32>(nodes_.size()); }
  bool is_device(HSAuint32 node) const { return node >= kFirstDevice && node < nodes(); }
  /// Nodes with a device, ascending.
  std::vector<HSAuint32> devices() const;

  const HsaNodeProperties& node(HSAuint32 node) const { return nodes_[node].properties; }
  const std::vector<HsaMemoryProperties>& banks(HSAuint32 node) const { return nodes_[node].banks; }
  const std::vector<HsaCacheProperties>& caches(HSAuint32 node) const {
    return nodes_[node].caches;
  }
  /// From the node to every other one.
  const std::vector<HsaIoLinkProperties>& links(HSAuint32 node) const { return nodes_[node].links; }
  /// Place of a device, as tools print it: "0000:01:00.0".
  std::string pci_address(HSAuint32 node) const;

 private:
  struct Node {
    HsaNodeProperties properties{};
    std::vector<HsaMemoryProperties> banks;
    std::vector<HsaCacheProperties> caches;
    std::vector<HsaIoLinkProperties> links;
  };
  static Node host();
  static Node device(const machine::GpuConfig& description, unsigned index);
  static void add_caches(const machine::GpuConfig& description, Node& node);
  void add_links();

  std::vector<Node> nodes_;
};

}  // namespace cuvette::thunk
