// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "crossbar/crossbar.h"

namespace cuvette::ip {

/// Channels of a crossbar whose work something else does, as many as its machine has.
class CrossbarPorts : public crossbar::Crossbar {
 public:
  unsigned sources() const final { return static_cast<unsigned>(sources_.size()); }
  Port& source(unsigned index) final { return *sources_[index]; }
  unsigned slices() const final { return static_cast<unsigned>(slices_.size()); }
  Port& slice(unsigned index) final { return *slices_[index]; }
  machine::Channel<memory::MemReq>& aperture_store(unsigned slice) final { return *stores_[slice]; }

 protected:
  explicit CrossbarPorts(const crossbar::Config& config)
      : sources_(several<Port>(config.sources)),
        slices_(several<Port>(config.slices)),
        stores_(several<machine::Channel<memory::MemReq>>(config.slices)) {}

 private:
  template <class T>
  static std::vector<std::unique_ptr<T>> several(unsigned count) {
    std::vector<std::unique_ptr<T>> all(count);
    for (auto& one : all) one = std::make_unique<T>(machine::kUnbounded);
    return all;
  }

  std::vector<std::unique_ptr<Port>> sources_, slices_;
  std::vector<std::unique_ptr<machine::Channel<memory::MemReq>>> stores_;
};

}  // namespace cuvette::ip
