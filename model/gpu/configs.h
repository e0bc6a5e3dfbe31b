// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "gpu/registries.h"
#include "hsa/memory.h"
#include "hsa/target.h"
#include "isa/target.h"
#include "machine/gpu_config.h"

/// Conversion of a machine description to the configurations of blocks, for every engine with time.
namespace cuvette::gpu {

/// The name the description gives a block; "tlm" when it gives none.
std::string implementation(const machine::GpuConfig& description, const std::string& block);
/// The name the description gives the caches of a role, or else all caches.
std::string cache_implementation(const machine::GpuConfig& description, cache::Role role);
/// Implementation of cache `index` of its role: ours where another one is compared in one place
/// alone.
std::string cache_implementation(const machine::GpuConfig& description, cache::Role role,
                                 unsigned index);
/// The block is compared, and in compute unit 0 (SIMD 0) alone; everywhere else it is `tlm`.
bool in_one_place(const machine::GpuConfig& description, const std::string& block);

/// Checks the parts of a description that concern blocks made later, whatever engine runs: target
/// and register files, policies, and implementations that the blocks can have. Errors at their
/// place in the file.
base::Status check_description(const machine::GpuConfig& description);
/// Its policies alone: placement, issue order, and the replacement of each cache. Errors at their
/// place in the file: an unknown name, a number of ways that the replacement cannot have, a seed
/// for one that does not draw.
base::Status check_policies(const machine::GpuConfig& description);

/// The target the description names. Error: no such target, the register files of another one, or
/// a feature that it lacks.
base::Result<isa::Target> described_target(const machine::GpuConfig& description);

/// Its target id: the target with the features that the description gives it. Error: no such
/// target.
base::Result<hsa::TargetId> machine_target(const machine::GpuConfig& description);

/// Options of a compute unit beside the description.
struct ComputeUnitOptions {
  bool poison = false;          ///< registers start with a pattern
  bool allow_fallback = false;  ///< our blocks answer what a chosen one does not implement
};
/// `index` is left to the caller. References to the registries and the space are kept.
compute_unit::Config compute_unit_config(const machine::GpuConfig& description,
                                         const Registries& registries,
                                         const hsa::AddressSpace& space, isa::Target target,
                                         const ComputeUnitOptions& options);
/// `up`: number of requesters. One of L2 has no slices set.
cache::Config cache_config(const machine::CacheDescription& description, cache::Role role,
                           unsigned up);
/// A cache of the machine; `index` is left to the caller. The last up port is for the fences of the
/// command processor.
cache::Config cache_config(const machine::GpuConfig& description, cache::Role role);
/// Sources: vector L1s, scalar caches, instruction caches, the command processor.
crossbar::Config crossbar_config(const machine::GpuConfig& description);
gds::Config gds_config(const machine::GpuConfig& description, isa::Target target);
/// Number of shader engines, with at most 16 compute units each, as the fields of the public masks
/// have bits.
unsigned shader_engines(const machine::GpuConfig& description);
/// Errors: those of check_policies().
base::Result<spi::Config> spi_config(const machine::GpuConfig& description, isa::Target target,
                                     bool poison);
command_processor::Config command_processor_config(const machine::GpuConfig& description,
                                                   const hsa::AddressSpace& space,
                                                   isa::Target target);

/// Error: the block has no such implementation, or that makes none.
template <class Interface, class Config>
base::Status make(const machine::Registry<Interface, Config>& registry, const std::string& block,
                  const std::string& name, const Config& config, std::unique_ptr<Interface>& out) {
  out = registry.make(name, config);
  if (out != nullptr) return {};
  if (registry.has(name)) {
    return base::Error(fmt::format(
        "block {}: implementation '{}' makes none; a device of it, or of a block inside of it, "
        "gives no instance",
        block, name));
  }
  return base::Error(fmt::format("block {} has no implementation '{}' here", block, name));
}

}  // namespace cuvette::gpu
