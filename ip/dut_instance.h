// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"
#include "ip/common/device_failure.h"
#include "ip/dut_library.h"
#include "isa/row.h"
#include "isa/target.h"

namespace cuvette::ip {

/// An instance of a module's device and what every block asks it alike.
class DutInstance {
 public:
  DutInstance(std::shared_ptr<const DutLibrary> library, cuvette_dut_instance* instance)
      : library_(std::move(library)), table_(library_->table()), instance_(instance) {}
  ~DutInstance() { table_.destroy(instance_); }
  DutInstance(const DutInstance&) = delete;
  DutInstance& operator=(const DutInstance&) = delete;

  void reset(bool active) { table_.reset(instance_, active ? 1 : 0); }
  void drive(uint32_t channel, const uint8_t* bytes) { table_.drive(instance_, channel, bytes); }
  void accept(uint32_t channel, bool ready) { table_.accept(instance_, channel, ready ? 1 : 0); }
  bool ready(uint32_t channel) { return table_.ready(instance_, channel) != 0; }
  bool sample(uint32_t channel, uint8_t* bytes) {
    return table_.sample(instance_, channel, bytes) != 0;
  }
  void clock() { table_.clock(instance_); }

  /// True if the device executes this row with these CUVETTE_DUT_* modifiers. Asked for every
  /// instruction that is issued; the answer never changes.
  bool implements(const isa::Row& row, uint32_t modifiers = 0) const {
    const std::string_view mnemonic = row.mnemonic;
    const auto [entry, fresh] = known_.try_emplace({mnemonic.data(), modifiers}, false);
    if (fresh) {
      entry->second = table_.implements(instance_, std::string(mnemonic).c_str(), modifiers) != 0;
    }
    return entry->second;
  }
  std::optional<DeviceFailure> failure() const {
    const char* text = table_.failure(instance_);
    if (text == nullptr) return std::nullopt;
    return DeviceFailure{"assertion", text};
  }
  base::Status trace(const std::string& path) {
    if (auto s = base::check_replaceable(path); !s.ok()) return s;
    if (!std::ofstream(path)) return base::Error("cannot write waveforms", {path});
    if (table_.trace(instance_, path.c_str()) == 0) return {};
    return base::Error("the device module has no waveforms", {path});
  }

 private:
  std::shared_ptr<const DutLibrary> library_;
  const cuvette_dut_table& table_;
  cuvette_dut_instance* instance_;
  /// By the mnemonic of a row, which lives as long as the program, and modifiers. Never iterated.
  mutable std::map<std::pair<const char*, uint32_t>, bool> known_;
};

/// A fresh instance of a module's device. Null when the module refuses to make one.
template <class Dut>
std::unique_ptr<Dut> make_dut(std::shared_ptr<const DutLibrary> library, isa::Target target,
                              uint64_t seed) {
  const std::string name(isa::name_of(target));
  cuvette_dut_instance* instance = library->table().create(name.c_str(), seed);
  if (instance == nullptr) return nullptr;
  return std::make_unique<Dut>(std::move(library), instance);
}

}  // namespace cuvette::ip
