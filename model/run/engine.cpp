// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine.h"

#include "machine/description.h"
#include "run/engine_ca.h"
#include "run/engine_golden.h"
#include "run/engine_hsail.h"
#include "run/engine_lt.h"

namespace cuvette::run {

base::Error no_indirect_function(const std::string& name) {
  return base::Error("the code has no definition of an indirect function '" + name + "'");
}

namespace {

base::Result<std::unique_ptr<Engine>> make(const EngineOptions& options,
                                           const machine::Description& description,
                                           std::optional<NotBuilt>& not_built) {
  if (options.engine == "hsail") return make_hsail_engine(options, description.target);
  if (options.engine == "golden") return make_golden_engine(options, description);
  if (options.engine == "ca") return make_ca_engine(options, description, not_built);
  if (options.engine == "lt") return make_lt_engine(options, description, not_built);
  not_built = NotBuilt{"engine " + options.engine};
  return std::unique_ptr<Engine>();
}

}  // namespace

base::Result<std::unique_ptr<Engine>> make_engine(const EngineOptions& options,
                                                  std::optional<NotBuilt>& not_built) {
  auto path = machine::find_description(options.config, options.config_dirs);
  if (!path) return path.error();
  auto description = machine::load_description(*path);
  if (!description) return description.error();
  auto engine = make(options, *description, not_built);
  if (engine.ok() && *engine != nullptr) (*engine)->memory().limit(description->memory.bytes);
  return engine;
}

}  // namespace cuvette::run
