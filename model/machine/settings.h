// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/gpu_config.h"

namespace cuvette::machine {

/// A description with single fields changed: "l2.slice.ways=32", "implementations.valu=lockstep".
/// Later ones replace earlier ones. Errors: those of load_description(), for what a setting says
/// with the setting as the place; no PATH=VALUE.
base::Result<GpuConfig> load_description(const std::string& path,
                                         const std::vector<std::string>& settings);

/// The same of a description's text; `file` is the place in messages.
base::Result<GpuConfig> parse_description(const std::string& text, const std::string& file,
                                          const std::vector<std::string>& settings);

/// A field of a description.
struct Setting {
  std::string path;    ///< "l2.slice.ways"
  std::string value;   ///< as the file writes it
  std::string source;  ///< source of the number; empty: the field has none
};

/// The fields of a description that load_description() takes, in the order of the file, settings
/// applied. Errors: as there.
base::Result<std::vector<Setting>> list_fields(const std::string& path,
                                               const std::vector<std::string>& settings);

}  // namespace cuvette::machine
