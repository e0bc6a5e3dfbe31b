// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/register_matrix.h"

#include <utility>

#include "ip/lockstep/module_device.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/matrix_core/matrix_rtl.h"
#include "ip/matrix_core/matrix_sampled.h"
#include "matrix_core/matrix_core_model.h"

namespace cuvette::ip {
namespace {

using matrix_core::Config;

std::unique_ptr<PinDevice> watched(std::unique_ptr<PinDevice> device) {
  return std::make_unique<PinMonitor>(std::move(device), pin_channels(matrix_core::kChannels));
}
std::unique_ptr<PinDevice> fast(const Config& config) {
  return make_matrix_fast(config.target);
}
std::unique_ptr<PinDevice> checked(const Config& config) {
  return watched(make_matrix_check(config.seed, config.target));
}

/// With all that the machine does, the device answering, or with a sample beside the model.
std::unique_ptr<matrix_core::MatrixCore> compared(std::unique_ptr<PinDevice> device,
                                                  const Config& config,
                                                  const MatrixLockstep::Kit::OnMismatch& tell,
                                                  const LockstepOptions& options) {
  auto lockstep = std::make_unique<MatrixLockstep>(std::move(device), config, options, tell);
  if (options.share <= 1) return lockstep;
  return std::make_unique<MatrixSampled>(std::make_unique<matrix_core::MatrixCoreModel>(config),
                                         std::move(lockstep));
}

}  // namespace

MatrixLockstep* lockstep_in(matrix_core::MatrixCore& block) {
  if (auto* sampled = dynamic_cast<MatrixSampled*>(&block)) return &sampled->lockstep();
  return dynamic_cast<MatrixLockstep*>(&block);
}

void register_matrix(matrix_core::Registry& registry,
                     const MatrixLockstep::Kit::OnMismatch& on_mismatch,
                     const LockstepOptions& options) {
  const auto rtl = [](std::unique_ptr<PinDevice> device, const Config& config) {
    return std::make_unique<MatrixRtl>(std::move(device), config.target);
  };
  registry.add("rtl", [rtl](const Config& config) { return rtl(fast(config), config); });
  registry.add("rtl-check", [rtl](const Config& config) {
    return rtl(make_matrix_check(config.seed, config.target), config);
  });
  registry.add("lockstep", [=](const Config& config) {
    return compared(fast(config), config, on_mismatch, options);
  });
  registry.add("lockstep-check", [=](const Config& config) {
    return compared(checked(config), config, on_mismatch, options);
  });
}

void register_matrix_dut(matrix_core::Registry& registry, const std::string& name,
                         const std::shared_ptr<const DutLibrary>& library,
                         const MatrixLockstep::Kit::OnMismatch& on_mismatch,
                         const LockstepOptions& options) {
  registry.add("dut:" + name,
               [=](const Config& config) -> std::unique_ptr<matrix_core::MatrixCore> {
                 auto device = make_dut<ModuleDevice>(library, config.target, config.seed);
                 if (device == nullptr) return nullptr;
                 return compared(watched(std::move(device)), config, on_mismatch, options);
               });
}

std::unique_ptr<MatrixLockstep> make_lone_matrix(const std::shared_ptr<const DutLibrary>& library,
                                                 const Config& config,
                                                 const LockstepOptions& options) {
  std::unique_ptr<PinDevice> device;
  if (library == nullptr) {
    device = checked(config);
  } else if (auto made = make_dut<ModuleDevice>(library, config.target, config.seed)) {
    device = watched(std::move(made));
  }
  if (device == nullptr) return nullptr;
  return std::make_unique<MatrixLockstep>(std::move(device), config, options,
                                          MatrixLockstep::Kit::OnMismatch());
}

}  // namespace cuvette::ip
