// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine_lt.h"

namespace cuvette::run {

using base::Result;

Result<std::unique_ptr<Engine>> make_lt_engine(const EngineOptions& options,
                                               const machine::GpuConfig& description,
                                               std::optional<NotBuilt>& not_built) {
  for (const auto& [block, name] : description.implementations) {
    if (name == "tlm") continue;
    not_built = NotBuilt{"engine lt with " + block + ": " + name};
    return std::unique_ptr<Engine>();
  }
  return make_timed_engine(options, description, [&](hsa::DeviceMemory& memory) {
    return make_plain_lt_gpu(options, description, memory, not_built);
  });
}

}  // namespace cuvette::run
