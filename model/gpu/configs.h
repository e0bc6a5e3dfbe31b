// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "gpu/registries.h"
#include "hsa/memory.h"
#include "isa/target.h"
#include "machine/description.h"

/// What a machine description means for the blocks that every engine with time has.
namespace cuvette::gpu {

/// The name the description gives a block; "tlm" when it gives none.
std::string implementation(const machine::Description& description, const std::string& block);
/// The block is compared, and in compute unit 0 (SIMD 0) alone; everywhere else it is `tlm`.
bool in_one_place(const machine::Description& description, const std::string& block);

/// What a description says about blocks that are made later, whatever engine runs: its target and
/// register files, its placement, and implementations that their blocks can have. Errors at their
/// place in the file.
base::Status check_description(const machine::Description& description);

/// The target the description names. Error: no such target, or the register files of another one.
base::Result<isa::Target> described_target(const machine::Description& description);

struct ComputeUnitOptions {
  bool poison = false;  ///< registers start with a pattern
  bool allow_fallback = false;
};
/// `index` is left to the caller. References to the registries and the space are kept.
compute_unit::Config compute_unit_config(const machine::Description& description,
                                         const Registries& registries,
                                         const hsa::AddressSpace& space, isa::Target target,
                                         const ComputeUnitOptions& options);
/// `up`: how many requesters it has. One of L2 knows no slices.
cache::Config cache_config(const machine::CacheDescription& description, cache::Role role,
                           unsigned up);
gds::Config gds_config(const machine::Description& description, isa::Target target);
/// At most 16 compute units each, as the fields of the public masks have bits.
unsigned shader_engines(const machine::Description& description);
/// Error: an unknown placement.
base::Result<spi::Config> spi_config(const machine::Description& description, isa::Target target,
                                     bool poison);
command_processor::Config command_processor_config(const machine::Description& description,
                                                   const hsa::AddressSpace& space,
                                                   isa::Target target);

/// Error: the block has no such implementation.
template <class Interface, class Config>
base::Status make(const machine::Registry<Interface, Config>& registry, const std::string& block,
                  const std::string& name, const Config& config, std::unique_ptr<Interface>& out) {
  out = registry.make(name, config);
  if (out != nullptr) return {};
  return base::Error(fmt::format("block {} has no implementation '{}' here", block, name));
}

}  // namespace cuvette::gpu
