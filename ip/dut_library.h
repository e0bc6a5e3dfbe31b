// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ip/dut.h"
#include "isa/target.h"
#include "machine/contract.h"

namespace cuvette::ip {

/// A channel as the contract of a block has it.
struct DutChannel {
  std::string name;        ///< in the contract
  uint32_t bits = 0;       ///< as cuvette_dut_channel::bits
  bool to_device = false;  ///< the module receives its messages
};

/// The channels of a contract one by one, those with several ports as often as they have ports.
///
/// `ports`: how many the channels have that the contract gives a parameter; 0: its default.
template <size_t kCount>
std::vector<DutChannel> dut_channels(const contract::ChannelInfo (&channels)[kCount],
                                     const contract::PortCounts& ports = {}) {
  std::vector<DutChannel> all;
  for (const contract::ChannelInfo& c : channels) {
    all.insert(all.end(), ports.of(c), DutChannel{c.name, c.bits, c.to_device});
  }
  return all;
}

/// A user's shared module (ip/dut.h), loaded and checked.
class DutLibrary {
 public:
  /// Errors, each with the file: it is not there; it cannot be loaded; it has no function
  /// cuvette_dut; the table is of another version, too short or incomplete; it is for another block
  /// or has other channels or another number of ports; it names an instruction or a target that
  /// does not exist. `role`: of a block with roles, which one is wanted; a device may be for all.
  static base::Result<std::shared_ptr<const DutLibrary>> load(
      const std::string& path, const std::string& block, const std::vector<DutChannel>& channels,
      const std::string& role = {});

  const cuvette_dut_table& table() const { return *table_; }
  /// Error: the device is not for the target; with the file and the targets it is for.
  base::Status check_target(isa::Target target) const;
  const std::string& path() const { return path_; }

 private:
  DutLibrary(std::string path, const cuvette_dut_table& table)
      : path_(std::move(path)), table_(&table) {}

  std::string path_;
  const cuvette_dut_table* table_;
};

}  // namespace cuvette::ip
