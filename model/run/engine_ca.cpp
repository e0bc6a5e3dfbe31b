// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine_ca.h"

#include "run/chosen_blocks.h"

namespace cuvette::run {

using base::Result;

Result<std::unique_ptr<Engine>> make_ca_engine(const EngineOptions& options,
                                               machine::GpuConfig description,
                                               std::optional<NotBuilt>& not_built) {
  auto chosen = choose_blocks(options, description, not_built);
  if (!chosen) return chosen.error();
  if (not_built) return std::unique_ptr<Engine>();
  return make_timed_engine(options, description, [&](hsa::DeviceMemory& memory) {
    return chosen->make(options, description, memory);
  });
}

}  // namespace cuvette::run
