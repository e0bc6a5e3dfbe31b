// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/engine.h"

#include "gpu/configs.h"
#include "hsa/target.h"
#include "machine/settings.h"
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
                                           const machine::GpuConfig& description,
                                           std::optional<NotBuilt>& not_built) {
  if (options.engine == "hsail") return make_hsail_engine(options, description.target);
  if (options.engine == "golden") return make_golden_engine(options, description);
  if (options.engine == "ca") return make_ca_engine(options, description, not_built);
  if (options.engine == "lt") return make_lt_engine(options, description, not_built);
  not_built = NotBuilt{"engine " + options.engine};
  return std::unique_ptr<Engine>();
}

/// The registers of the description say nothing about another target.
UnitRoom room_of(const machine::GpuConfig& description, const std::string& target) {
  const machine::ComputeUnitDescription& unit = description.compute_unit;
  UnitRoom room;
  room.group_bytes = unit.lds_bytes;
  const auto described = hsa::parse_target(description.target);
  const auto chosen = hsa::parse_target(target.empty() ? description.target : target);
  if (!described || !chosen || described->processor != chosen->processor) return room;
  room.simds = unit.simds;
  room.waves_per_simd = unit.waves_per_simd;
  room.vgpr_rows = unit.vgpr_rows;
  room.vgpr_granule = unit.vgpr_granule;
  room.sgprs_per_simd = unit.sgprs_per_simd;
  return room;
}

}  // namespace

base::Result<std::unique_ptr<Engine>> make_engine(const EngineOptions& options,
                                                  std::optional<NotBuilt>& not_built) {
  auto path = machine::find_description(options.config, options.config_dirs);
  if (!path) return path.error();
  auto description = machine::load_description(*path, options.settings);
  if (!description) return description.error();
  if (auto s = gpu::check_description(*description); !s.ok()) return s.error();
  auto engine = make(options, *description, not_built);
  if (engine.ok() && *engine != nullptr) {
    (*engine)->memory().limit(description->memory.bytes);
    (*engine)->room = room_of(*description, options.target);
  }
  return engine;
}

}  // namespace cuvette::run
