// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/cache_model.h"
#include "cache/replacement.h"
#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "crossbar/crossbar_model.h"
#include "gds/gds_model.h"
#include "gpu/block_module.h"
#include "lds/lds_model.h"
#include "matrix_core/matrix_core_model.h"
#include "memory/memory_model.h"
#include "simd/simd.h"
#include "spi/spi_ends.h"
#include "spi/spi_model.h"
#include "valu/valu_model.h"
#include "vrf/vrf_core.h"
#include "vrf/vrf_model.h"

// Our own implementation of blocks as modules for a foreign testbench, each alone
// (docs/howto/embedding.md):
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

/// The spi, the memory port and the caches of a command processor: as many as its contract has.
template <>
struct ConnectedPorts<command_processor::CommandProcessor> {
  static constexpr unsigned kNear = command_processor::kChannels[16].count;
  static constexpr unsigned kFar = command_processor::kChannels[18].count;

  explicit ConnectedPorts(command_processor::CommandProcessor& core) {
    std::vector<cache::Cache::Port*> near_ports, far_ports;
    for (auto& port : near) near_ports.push_back(&port);
    for (auto& port : far) far_ports.push_back(&port);
    core.connect(spi, memory, near_ports, far_ports);
  }
  template <class V>
  void visit(V&& v) {
    v.template out<memory::MemReq>(12, 0, memory.request);
    v.template in<memory::MemResp>(13, 0, memory.response);
    for (unsigned i = 0; i < kNear; ++i) v.template out<memory::MemReq>(16, i, near[i].request);
    for (unsigned i = 0; i < kNear; ++i) v.template in<memory::MemResp>(17, i, near[i].response);
    for (unsigned i = 0; i < kFar; ++i) v.template out<memory::MemReq>(18, i, far[i].request);
    for (unsigned i = 0; i < kFar; ++i) v.template in<memory::MemResp>(19, i, far[i].response);
    v.template out<spi::Dispatch>(20, 0, spi.dispatch);
    v.template in<spi::DispatchDone>(21, 0, spi.dispatch_done);
    v.template out<spi::Cancel>(22, 0, spi.cancel);
    v.template out<spi::Save>(23, 0, spi.save);
    v.template in<spi::SavedGroup>(24, 0, spi.saved);
    v.template out<spi::SavedGroup>(25, 0, spi.restore);
  }
  spi::SpiEnds spi;
  cache::Cache::Port memory, near[kNear], far[kFar];
};

/// Reason why our implementation of a block cannot be made; empty: none.
template <class Config>
std::string refusal(const Config&) {
  return {};
}
inline std::string refusal(const lds::Config& c) {
  return c.lanes_per_cycle == 0 ? "lanes_per_cycle is 0, expected 1 or more" : "";
}
inline std::string refusal(const memory::Config& c) {
  if (c.ports == 0) return "ports is 0, expected 1 or more";
  return c.backing == nullptr ? "backing is null, expected what holds the bytes" : "";
}
inline std::string refusal(const crossbar::Config& c) {
  if (c.sources == 0 || c.slices == 0) return "no sources or no slices, expected 1 or more";
  const bool good =
      c.interleave_bytes >= 64 && (c.interleave_bytes & (c.interleave_bytes - 1)) == 0;
  return good ? "" : "interleave_bytes is no power of two from 64 on";
}
inline std::string refusal(const cache::Config& c) {
  const uint64_t way = uint64_t{c.ways} * c.line_bytes;
  if (c.line_bytes != 64 && c.line_bytes != 128) return "line_bytes is neither 64 nor 128";
  if (way == 0 || c.bytes == 0 || c.bytes % way != 0 || (c.sets() & (c.sets() - 1)) != 0) {
    return "bytes is not ways * line_bytes times a power of two";
  }
  if (c.up_ports == 0 || c.misses == 0) return "no up_ports or no misses, expected 1 or more";
  const auto policy = cache::make_replacement(c.replacement, {c.sets(), c.ways, 1});
  return policy ? "" : policy.error().what;
}

/// An implementation of a block for a module. A refusal() is a fatal report.
template <class Implementation, class Config>
std::unique_ptr<Implementation> checked(const char* name, const Config& config) {
  if (const std::string why = refusal(config); !why.empty()) SC_REPORT_FATAL(name, why.c_str());
  return std::make_unique<Implementation>(config);
}

/// A module of a block with our own implementation inside. `Namespace` names the block.
#define CUVETTE_BLOCK_MODULE(Block, Class, Interface, Implementation)                         \
  namespace cuvette::Block {                                                                  \
  class Class final : public gpu::BlockModule<Interface> {                                    \
   public:                                                                                    \
    Class(const sc_core::sc_module_name& name, const Config& config,                          \
          const sc_core::sc_time& period)                                                     \
        : BlockModule(name, kChannels, gpu::checked<Implementation>(name, config), period) {} \
  };                                                                                          \
  }

}  // namespace cuvette::gpu

CUVETTE_BLOCK_MODULE(lds, LdsModule, Lds, LdsModel)
CUVETTE_BLOCK_MODULE(gds, GdsModule, Gds, GdsModel)
CUVETTE_BLOCK_MODULE(memory, MemoryModule, Memory, MemoryModel)
CUVETTE_BLOCK_MODULE(cache, CacheModule, Cache, CacheModel)
CUVETTE_BLOCK_MODULE(crossbar, CrossbarModule, Crossbar, CrossbarModel)
CUVETTE_BLOCK_MODULE(spi, SpiModule, Spi, SpiModel)
CUVETTE_BLOCK_MODULE(matrix_core, MatrixCoreModule, MatrixCore, MatrixCoreModel)
CUVETTE_BLOCK_MODULE(valu, ValuModule, Valu, ValuModel)

#undef CUVETTE_BLOCK_MODULE

namespace cuvette::vrf {
class VrfModule final : public gpu::BlockModule<VrfCore> {
 public:
  VrfModule(const sc_core::sc_module_name& name, const Config& config,
            const sc_core::sc_time& period)
      : BlockModule(name, kChannels, std::make_unique<VrfCore>(std::make_unique<VrfModel>(config)),
                    period) {}
};
}  // namespace cuvette::vrf

namespace cuvette::simd {
/// `core`: of a registry, which knows what is inside.
class SimdModule final : public gpu::BlockModule<Simd> {
 public:
  SimdModule(const sc_core::sc_module_name& name, std::unique_ptr<Simd> core,
             const sc_core::sc_time& period)
      : BlockModule(name, kChannels, std::move(core), period) {}
};
}  // namespace cuvette::simd

namespace cuvette::command_processor {
/// `core`: of a registry.
class CommandProcessorModule final : public gpu::BlockModule<CommandProcessor> {
 public:
  CommandProcessorModule(const sc_core::sc_module_name& name,
                         std::unique_ptr<CommandProcessor> core, const sc_core::sc_time& period)
      : BlockModule(name, kChannels, std::move(core), period) {}
};
}  // namespace cuvette::command_processor

namespace cuvette::compute_unit {
/// `core`: of a registry, which knows what is inside.
class ComputeUnitModule final : public gpu::BlockModule<ComputeUnit> {
 public:
  ComputeUnitModule(const sc_core::sc_module_name& name, std::unique_ptr<ComputeUnit> core,
                    const sc_core::sc_time& period)
      : BlockModule(name, kChannels, std::move(core), period) {}
};
}  // namespace cuvette::compute_unit
