// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/registries.h"
#include "ip/lockstep/mismatch.h"
#include "machine/description.h"
#include "run/engine.h"

namespace cuvette::run {

/// The blocks on the generic lockstep kit (ip/lockstep) in a GPU, and what they compared.
class KitBlocks {
 public:
  /// Adds their RTL, and the devices the description chooses. `on_mismatch` is called at the first
  /// difference, inside the simulation. Errors: those of chosen_device(); a rule of times that the
  /// block does not have.
  base::Status add_to(const machine::Description& description, gpu::Registries& registries,
                      const std::function<void()>& on_mismatch);

  bool empty() const { return blocks_.empty(); }
  /// As long as the GPU lives, in the order in which they were made.
  std::vector<ip::LockstepView*> objects() const;
  /// Adds items compared so far, differences and where the blocks stand.
  void report(EngineReport& report) const;
  /// After the last dispatch: a block that compared nothing is a failure.
  void conclude(EngineReport& report) const;

 private:
  struct Block {
    std::string name, device;  ///< device: "dut:mine", or empty
    std::vector<ip::LockstepView*> objects;
  };
  /// The entry of a block, made when its first object is.
  Block& entry(const std::string& name, const std::string& device);

  lds::Registry lds_;  ///< as ip registers them
  std::vector<Block> blocks_;
};

}  // namespace cuvette::run
