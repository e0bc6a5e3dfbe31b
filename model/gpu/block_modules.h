// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "cache/cache_tlm.h"
#include "compute_unit/compute_unit.h"
#include "gds/gds_tlm.h"
#include "gpu/block_module.h"
#include "lds/lds_tlm.h"
#include "matrix_core/matrix_core_tlm.h"
#include "memory/memory_tlm.h"
#include "simd/simd.h"
#include "spi/spi_tlm.h"

// Our own implementation of blocks as modules for a foreign testbench, each alone
// (docs/embedding.md):
//
//     cuvette::lds::LdsModule lds("lds", cuvette::lds::Config{}, period);
//     lds.in<cuvette::lds::Request>("request").bind(...);
namespace cuvette::gpu {

/// The next level of a cache.
template <>
struct ConnectedPorts<cache::Cache> {
  explicit ConnectedPorts(cache::Cache& core) { core.connect(down); }
  template <class V>
  void visit(V&& v) {
    v.template out<memory::MemReq>(2, 0, down.request);
    v.template in<memory::MemResp>(3, 0, down.response);
  }
  cache::Cache::Port down;
};

/// The caches and the spi of a compute unit.
template <>
struct ConnectedPorts<compute_unit::ComputeUnit> {
  explicit ConnectedPorts(compute_unit::ComputeUnit& core) {
    core.connect(waves, vector, scalar, instruction);
  }
  template <class V>
  void visit(V&& v) {
    v.template in<spi::WaveLaunch>(0, 0, waves.launch);
    v.template out<spi::WaveDone>(1, 0, waves.done);
    v.template in<spi::WaveCommand>(2, 0, waves.command);
    unsigned channel = 4;
    for (cache::Cache::Port* port : {&vector, &scalar, &instruction}) {
      v.template out<memory::MemReq>(channel, 0, port->request);
      v.template in<memory::MemResp>(channel + 1, 0, port->response);
      channel += 2;
    }
  }
  spi::Spi::ComputeUnitPort waves;
  cache::Cache::Port vector, scalar, instruction;
};

/// A module of a block with our own implementation inside. `Namespace` names the block.
#define CUVETTE_BLOCK_MODULE(Block, Class, Interface, Implementation)                       \
  namespace cuvette::Block {                                                                \
  class Class final : public gpu::BlockModule<Interface> {                                  \
   public:                                                                                  \
    Class(const sc_core::sc_module_name& name, const Config& config,                        \
          const sc_core::sc_time& period)                                                   \
        : BlockModule(name, kChannels, std::make_unique<Implementation>(config), period) {} \
  };                                                                                        \
  }

}  // namespace cuvette::gpu

CUVETTE_BLOCK_MODULE(lds, LdsModule, Lds, LdsTlm)
CUVETTE_BLOCK_MODULE(gds, GdsModule, Gds, GdsTlm)
CUVETTE_BLOCK_MODULE(memory, MemoryModule, Memory, MemoryTlm)
CUVETTE_BLOCK_MODULE(cache, CacheModule, Cache, CacheTlm)
CUVETTE_BLOCK_MODULE(spi, SpiModule, Spi, SpiTlm)
CUVETTE_BLOCK_MODULE(matrix_core, MatrixCoreModule, MatrixCore, MatrixCoreTlm)

#undef CUVETTE_BLOCK_MODULE

namespace cuvette::simd {
/// `core`: of a registry, which knows what is inside.
class SimdModule final : public gpu::BlockModule<Simd> {
 public:
  SimdModule(const sc_core::sc_module_name& name, std::unique_ptr<Simd> core,
             const sc_core::sc_time& period)
      : BlockModule(name, kChannels, std::move(core), period) {}
};
}  // namespace cuvette::simd

namespace cuvette::compute_unit {
/// `core`: of a registry, which knows what is inside.
class ComputeUnitModule final : public gpu::BlockModule<ComputeUnit> {
 public:
  ComputeUnitModule(const sc_core::sc_module_name& name, std::unique_ptr<ComputeUnit> core,
                    const sc_core::sc_time& period)
      : BlockModule(name, kChannels, std::move(core), period) {}
};
}  // namespace cuvette::compute_unit
