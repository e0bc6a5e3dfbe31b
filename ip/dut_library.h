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
  std::string name;
  uint32_t bits = 0;
  bool to_device = false;
};

/// The channels of a contract one by one, those with several ports as often as they have ports.
template <size_t kCount>
std::vector<DutChannel> dut_channels(const contract::ChannelInfo (&channels)[kCount]) {
  std::vector<DutChannel> all;
  for (const contract::ChannelInfo& c : channels) {
    all.insert(all.end(), c.count, DutChannel{c.name, c.bits, c.to_device});
  }
  return all;
}

/// A user's shared module (ip/dut.h), loaded and checked.
class DutLibrary {
 public:
  /// Errors, each with the file: it is not there; it cannot be loaded; it has no function
  /// cuvette_dut; the table is of another version, too short or incomplete; it is for another block
  /// or has other channels; it names an instruction or a target that does not exist.
  static base::Result<std::shared_ptr<const DutLibrary>> load(
      const std::string& path, const std::string& block, const std::vector<DutChannel>& channels);

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
