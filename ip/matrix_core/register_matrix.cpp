// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/register_matrix.h"

#include <utility>

#include "ip/block_dut.h"
#include "ip/matrix_core/matrix_monitor.h"
#include "ip/matrix_core/matrix_rtl.h"
#include "ip/matrix_core/matrix_sampled.h"
#include "matrix_core/matrix_core_tlm.h"

namespace cuvette::ip {
namespace {

using matrix_core::Config;

std::unique_ptr<MatrixRtl> fast(const Config& config) {
  return std::make_unique<MatrixRtl>(make_matrix_fast(config.target), config.target);
}

std::unique_ptr<MatrixRtl> checked(const Config& config) {
  return std::make_unique<MatrixRtl>(
      std::make_unique<MatrixMonitor>(make_matrix_check(config.seed, config.target)),
      config.target);
}

/// Lockstep that also asks the device what it has found wrong: with all that the machine does, the
/// device answering, or with a sample.
std::unique_ptr<matrix_core::MatrixCore> shadowed(std::unique_ptr<MatrixRtl> rtl,
                                                  const Config& config,
                                                  const MatrixLockstep::Observer& on_mismatch,
                                                  const MatrixLockstep::Options& options) {
  const MatrixRtl& device = *rtl;
  auto lockstep = std::make_unique<MatrixLockstep>(
      std::move(rtl), config, on_mismatch, [&device] { return device.failure(); }, options);
  if (options.share <= 1) return lockstep;
  return std::make_unique<MatrixSampled>(std::make_unique<matrix_core::MatrixCoreTlm>(config),
                                         std::move(lockstep));
}

}  // namespace

MatrixLockstep* lockstep_in(matrix_core::MatrixCore& block) {
  if (auto* sampled = dynamic_cast<MatrixSampled*>(&block)) return &sampled->lockstep();
  return dynamic_cast<MatrixLockstep*>(&block);
}

void register_matrix(matrix_core::Registry& registry, const MatrixLockstep::Observer& on_mismatch,
                     const MatrixLockstep::Options& options) {
  registry.add("rtl", fast);
  registry.add("rtl-check", checked);
  registry.add("lockstep", [=](const Config& config) {
    return shadowed(fast(config), config, on_mismatch, options);
  });
  registry.add("lockstep-check", [=](const Config& config) {
    return shadowed(checked(config), config, on_mismatch, options);
  });
}

void register_matrix_dut(matrix_core::Registry& registry, const std::string& name,
                         const std::shared_ptr<const DutLibrary>& library,
                         const MatrixLockstep::Observer& on_mismatch,
                         const MatrixLockstep::Options& options) {
  registry.add("dut:" + name,
               [=](const Config& config) -> std::unique_ptr<matrix_core::MatrixCore> {
                 auto device = make_matrix_dut(library, config.target, config.seed);
                 if (device == nullptr) return nullptr;
                 auto watched = std::make_unique<MatrixMonitor>(std::move(device));
                 auto rtl = std::make_unique<MatrixRtl>(std::move(watched), config.target);
                 return shadowed(std::move(rtl), config, on_mismatch, options);
               });
}

}  // namespace cuvette::ip
