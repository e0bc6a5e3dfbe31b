// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/registries.h"
#include "ip/lockstep/mismatch.h"
#include "machine/gpu_config.h"
#include "run/chosen_device.h"
#include "run/engine.h"
#include "run/kit_recording.h"

namespace cuvette::run {

/// The blocks on the generic lockstep kit (ip/lockstep) in a GPU, and what they compared.
class KitBlocks {
 public:
  /// `asked`: as of RtlBlocks.
  explicit KitBlocks(LockstepFiles files = {}, std::set<std::string> asked = {})
      : files_(files), recording_(std::move(files)), asked_(std::move(asked)) {}

  /// Adds their RTL, and the devices the description chooses. `on_mismatch` is called at the first
  /// difference, inside the simulation. Errors: those of chosen_device(); a rule of times that the
  /// block does not have.
  base::Status add_to(const machine::GpuConfig& description, gpu::Registries& registries,
                      const std::function<void()>& on_mismatch);

  /// A block in lockstep was made, under a name of machine descriptions ("l2"). It lives as long as
  /// the GPU. `device`: the user's, or empty; `config`: for its recording.
  void add(const std::string& name, ip::LockstepView& block, const ChosenDevice& device,
           isa::Target target, uint64_t seed, ip::recording::Json config);

  bool empty() const { return blocks_.empty(); }
  /// As long as the GPU lives, in the order in which they were made.
  std::vector<ip::LockstepView*> objects() const;
  /// Adds items compared so far, differences and where the blocks stand.
  void report(EngineReport& report) const;
  /// Lines after the report of a difference; see KitRecording.
  std::string after_difference(const ip::LockstepView& block) {
    return recording_.after_difference(block);
  }
  /// After a run without a difference.
  void write_files(EngineReport& report) { recording_.finish(report); }
  /// After the last dispatch; see RtlBlocks.
  void conclude(EngineReport& report) const;

 private:
  struct Block {
    std::string name, device;  ///< device: "dut:mine", or empty
    std::vector<ip::LockstepView*> objects;
  };
  /// The entry of a block, made when its first object is.
  Block& entry(const std::string& name, const std::string& device);
  /// Place of the objects of a block, in words.
  std::string scope(const Block& block) const;
  using OnMismatch = std::function<void(const ip::BlockMismatch&)>;
  base::Status add_lds(const machine::GpuConfig& description, gpu::Registries& registries,
                       const OnMismatch& stop);
  base::Status add_caches(const machine::GpuConfig& description, gpu::Registries& registries,
                          const OnMismatch& stop);
  base::Status add_gds(const machine::GpuConfig& description, gpu::Registries& registries,
                       const OnMismatch& stop);
  base::Status add_crossbar(const machine::GpuConfig& description, gpu::Registries& registries,
                            const OnMismatch& stop);
  base::Status add_memory(const machine::GpuConfig& description, gpu::Registries& registries,
                          const OnMismatch& stop);
  base::Status add_spi(const machine::GpuConfig& description, gpu::Registries& registries,
                       const OnMismatch& stop);
  base::Status add_simd_blocks(const machine::GpuConfig& description, gpu::Registries& registries,
                               const OnMismatch& stop);
  static uint64_t seen(const Block& b);
  /// Our RTL, where the description chose it and others compare something.
  bool may_stay_unused(const Block& b) const;
  template <class Channels, class Registry, class Add, class AddDevice>
  base::Status add_of_simd(const machine::GpuConfig& description, const char* name,
                           const Channels& channels, Registry& own, Registry& machine,
                           Add&& add_rtl, AddDevice&& add_device);
  LockstepFiles files_;
  KitRecording recording_;
  crossbar::Registry crossbars_;  ///< as ip registers them
  gds::Registry gds_;
  lds::Registry lds_;
  matrix_core::Registry matrix_cores_;
  memory::Registry memories_;
  simd::Registry simd_blocks_;
  valu::Registry valus_;
  vrf::Registry vrfs_;
  std::vector<Block> blocks_;
  std::set<std::string> asked_;
  size_t simds_ = 0;  ///< of the machine
};

}  // namespace cuvette::run
