// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "machine/gpu_config.h"
#include "plain_gpu.h"
#include "run/dispatch_file.h"
#include "run/engine_ca.h"
#include "run/engine_golden.h"
#include "run/host_module.h"
#include "run/session.h"

namespace cuvette::testing_support {

inline machine::GpuConfig description(const std::string& name) {
  auto d = machine::load_description(std::string(CUVETTE_SOURCE_DIR) + "/config/" + name + ".yaml");
  EXPECT_TRUE(d.ok()) << d.error().str();
  return *d;
}
/// Five compute units in clusters of two, two L2 slices: everything is shared unevenly.
inline machine::GpuConfig uneven() {
  auto d = description("small");
  d.compute_units = 5;
  d.scalar_cache.shared_by = 2;
  d.instruction_cache.shared_by = 3;
  d.l2.slices = 2;
  return d;
}

inline run::DispatchFile dispatch_file(const std::string& name) {
  auto f = run::load_dispatch_file(std::string(CUVETTE_SOURCE_DIR) + "/tests/dispatches/" + name +
                                   ".yaml");
  EXPECT_TRUE(f.ok()) << f.error().str();
  return *f;
}
inline run::SessionResult session(const run::DispatchFile& file, run::Engine& engine) {
  auto r = run::run_session(file, engine);
  EXPECT_TRUE(r.ok()) << r.error().str();
  if (!r.ok()) return {};
  for (const auto& failure : r->report.failures) ADD_FAILURE() << file.path << ": " << failure;
  EXPECT_EQ(r->difference_count, 0u) << file.path;
  return *r;
}
inline run::SessionResult on_golden(const run::DispatchFile& file) {
  auto engine = run::make_golden_engine({}, description("small"));
  EXPECT_TRUE(engine.ok());
  return session(file, **engine);
}
inline run::SessionResult on_plain(const run::DispatchFile& file, const machine::GpuConfig& d,
                                   const gpu::Chip::Options& options) {
  auto engine = run::make_timed_engine(
      {}, d, [&](hsa::DeviceMemory& m) { return PlainGpu::make(d, m, options); });
  EXPECT_TRUE(engine.ok());
  return session(file, **engine);
}
inline run::SessionResult on_systemc(const run::DispatchFile& file, const machine::GpuConfig& d,
                                     const gpu::Gpu::Options& options = {}) {
  auto engine = run::make_timed_engine({}, d, [&](hsa::DeviceMemory& m) {
    return run::make_ca_gpu("gpu", d, std::make_shared<gpu::Registries>(gpu::tlm_registries()), m,
                            options);
  });
  EXPECT_TRUE(engine.ok());
  return session(file, **engine);
}

}  // namespace cuvette::testing_support
