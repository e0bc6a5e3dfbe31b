// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "base/yaml.h"
#include "machine/gpu_config.h"

namespace cuvette::machine {

/// A description from its document; `file` is where devices are looked for. Private to the layer.
base::Result<GpuConfig> read_description(const base::Yaml& root, const std::string& file);

}  // namespace cuvette::machine
