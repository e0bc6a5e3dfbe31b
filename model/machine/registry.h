// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::machine {

/// Implementations of one block, by name: `tlm`, `rtl`, `lockstep`, `dut:<name>`. The GPU composes
/// blocks through registries only, so that an implementation can be exchanged without touching it.
///
/// Interface: the block's contract class. Config: what its constructor needs.
template <class Interface, class Config>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Interface>(const Config&)>;

  /// A later registration under the same name replaces the earlier one.
  void add(const std::string& name, Factory factory) { factories_[name] = std::move(factory); }

  /// Null when no such implementation was registered (not built, or misspelt).
  std::unique_ptr<Interface> make(const std::string& name, const Config& config) const {
    const auto found = factories_.find(name);
    return found == factories_.end() ? nullptr : found->second(config);
  }
  bool has(const std::string& name) const { return factories_.count(name) != 0; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : factories_) out.push_back(entry.first);
    return out;
  }

 private:
  std::map<std::string, Factory> factories_;
};

}  // namespace cuvette::machine
